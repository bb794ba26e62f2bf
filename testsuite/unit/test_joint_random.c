/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs of several threads at once, each in memory of its own, so that batches hold units of all of
 * them: on good machines and on some that fail, each thread's memory is what the same program gives when its
 * units are plain calls. STRESS_PROGRAMS says how many, STRESS_ROUNDS how long they are. */
#include "machines.h"
#include "random.h"
#include "random_steps.h"
#include "shared/runtime.h"

#include <pthread.h>

enum { THREADS = 4, SPAN = 160, STEPS = 150 };

struct program {
  uint64_t real[SPAN], copy[SPAN], seed;
  bool wrong;
};

/* Launches often, and whatever there is. */
static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  (void)choice;
  bool due = view->event != AG_ON_SUBMIT || state->arrivals % 8 == 0;
  return (struct ag_batch_decision){
      .units = due ? view->waiting : 0, .reason = AG_REASON_POLICY, .patience = 1};
}

static const struct ag_batch_policy eager = {
    .name = "eager", .decide = decide, .grows = true, .common = true};

static void *run(void *context) {
  struct program *p = context;
  for (int i = 0; i < SPAN; ++i)
    p->real[i] = p->copy[i] = (uint64_t)i;
  struct part_args top = {p->real, 0, SPAN, 3, false, p->seed};
  steps(&top, repeats(STEPS));
  bool failed = agglom_wait();
  top.y = p->copy;
  top.plain = true;
  steps(&top, repeats(STEPS));
  p->wrong = failed || memcmp(p->real, p->copy, sizeof p->real) != 0;
  return NULL;
}

static bool wrong_on(const char *settings, size_t s, bool fails) {
  static struct program programs[THREADS];
  bool wrong = false;
  (void)fails;
  start_with(settings);
  assert_int_equal(agglom_register(&part_module), 0);
  if (s % 2 && strstr(settings, "WORKERS=1")) /* no thread but this one runs */
    ag_runtime_running()->policy = &eager;
  for (uint64_t round = 1; round <= from_environment("STRESS_PROGRAMS", 1); ++round) {
    pthread_t threads[THREADS];
    for (unsigned t = 0; t < THREADS; ++t) {
      programs[t].seed = (round * THREADS + t) * 7919;
      assert_int_equal(pthread_create(&threads[t], NULL, run, &programs[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; ++t) {
      assert_int_equal(pthread_join(threads[t], NULL), 0);
      wrong |= programs[t].wrong;
    }
  }
  assert_int_equal(agglom_shutdown(), 0);
  return wrong;
}

/* Machines of one worker come twice, in turn with and without a policy that launches often. */
#define ONCE(SETTINGS) SETTINGS " AGGLOM_BATCH=auto"
#define BOTH(SETTINGS) ONCE(SETTINGS), ONCE(SETTINGS)

static void good_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      BOTH("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1"),
      ONCE("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_SPLIT=auto"),
      BOTH("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=1"),
      ONCE("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=count"),
      BOTH("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_EMULATE=memory=48KB,launch=20us"),
  };
  ON_MACHINES(settings, wrong_on, false);
}

static void failing_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      BOTH("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_FAULT=call=launch,nth=5,times=9"),
      BOTH("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_FAULT=call=launch,nth=20,error=sticky"),
      ONCE("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 "
           "AGGLOM_FAULT=call=copy_out,nth=9,times=2,error=sticky"),
      BOTH("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_FAULT=call=finished,nth=6,times=20"),
      BOTH("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto "
           "AGGLOM_FAULT=call=any,nth=40,times=all,error=oom"),
  };
  ON_MACHINES(settings, wrong_on, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(good_machines), cmocka_unit_test(failing_machines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
