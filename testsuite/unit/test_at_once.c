/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A unit that a unit submits runs in the call when others have enough, and only then: not while a thread
 * sleeps for want of work, nor before a ready unit of higher priority. */
#include "shared/runtime.h"

#include "capture.h"
#include "directives.h"
#include "rt_tasks.h"
#include "submit/at_once.h"

#include <errno.h>
#include <sched.h>

enum { ENOUGH = 64 };

static _Thread_local int ran;
static atomic_int busy;
static atomic_bool over;

static void count(void *ignored) {
  (void)ignored;
  ++ran;
}

/* How many of n units of this priority run in the call. */
static int in_the_call(int n, long long priority) {
  int before = ran;
  for (int i = 0; i < n; ++i)
    submit_call(count, NULL, priority);
  return ran - before;
}

/* The other thread, so that nobody takes what is submitted meanwhile. */
static void keep_busy(void *ignored) {
  (void)ignored;
  atomic_store(&busy, 1);
  while (!atomic_load(&over))
    sched_yield();
}

/* A unit's body, and what it finds. */
struct beside {
  void (*body)(int *results);
  int *results;
};

static void run_beside(void *context) {
  const struct beside *b = context;
  while (!atomic_load(&busy))
    sched_yield();
  b->body(b->results);
  atomic_store(&over, true);
}

/* Runs the body as a unit, while the other worker is busy. */
static void beside_a_busy_thread(void (*body)(int *results), int *results) {
  struct beside b = {body, results};
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  atomic_store(&busy, 0);
  atomic_store(&over, false);
  submit_call(keep_busy, NULL, 1);
  submit_call(run_beside, &b, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

static void submits_beside_a_sleeper(int *r) {
  struct ag_runtime *rt = ag_runtime_get();
  atomic_fetch_add(&rt->resting, 1);
  r[0] = in_the_call(2 * ENOUGH, 1);
  atomic_fetch_sub(&rt->resting, 1);
  r[1] = in_the_call(ENOUGH, 1);
}

static void sleepers(void **state) {
  (void)state;
  int results[2];
  beside_a_busy_thread(submits_beside_a_sleeper, results);
  assert_int_equal(results[0], 0);
  assert_int_equal(results[1], ENOUGH);
}

static void submits_by_priority(int *r) {
  r[0] = in_the_call(ENOUGH, 0);
  r[1] = in_the_call(ENOUGH, 0);
  r[2] = in_the_call(ENOUGH, 1);
  r[3] = in_the_call(1, 5);
  r[4] = in_the_call(ENOUGH, 1);
}

static void priorities(void **state) {
  (void)state;
  int results[5];
  beside_a_busy_thread(submits_by_priority, results);
  assert_int_equal(results[0], 0); /* too few are ready */
  assert_int_equal(results[1], ENOUGH);
  assert_int_equal(results[2], ENOUGH);
  assert_int_equal(results[3], 0);
  assert_int_equal(results[4], 0); /* the one before has a higher priority */
}

static void submits_after_urgent_ones(int *r) {
  r[0] = in_the_call(ENOUGH, 1);
  r[1] = in_the_call(ENOUGH, 0);
}

static void urgent_ones(void **state) {
  (void)state;
  int results[2];
  beside_a_busy_thread(submits_after_urgent_ones, results);
  assert_int_equal(results[0], 0);
  assert_int_equal(results[1], 0);
}

/* --- Where there is a device -------------------------------------------------------------------------- */

enum { CELLS = 8 };
static uint64_t from[CELLS], to[CELLS];

/* A unit that adds all of `from` to to[at]. */
static int read_all(struct agglom_task *task, long at) {
  return submit_mix(task,
                    (struct mix_args){.y = to, .ly = at, .ny = 1, .x = from, .lx = 0, .nx = CELLS, .v = 1});
}

/* Runs the body as a unit, where one thread does all, and a device gets what it can run. */
static void beside_a_device(const char *batch, void (*body)(void *), void *context) {
  char settings[120];
  snprintf(settings, sizeof settings,
           "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=gpu AGGLOM_BATCH=%s", batch);
  memset(from, 0, sizeof from);
  memset(to, 0, sizeof to);
  start_with(settings);
  atomic_store(&mix_on_device, 0);
  submit_call(body, context, 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

static void submits_while_it_waits(void *results) {
  int *r = results;
  r[0] = in_the_call(5, 0);
  read_all(&mix_task, 0);
  r[1] = in_the_call(1, 0); /* the device is to be looked after */
  agglom_wait();
  r[2] = in_the_call(5, 0);
}

static void beside_devices(void **state) {
  (void)state;
  int results[3];
  for (int launched = 0; launched < 2; ++launched) { /* when read_all() returns, or by the wait */
    beside_a_device(launched ? "single" : "maximal", submits_while_it_waits, results);
    assert_int_equal(results[0], 5);
    assert_int_equal(results[1], 0);
    assert_int_equal(results[2], 5);
    assert_int_equal(atomic_load(&mix_on_device), 1);
  }
}

static void change(long at) {
  submit_mix(&host_task, (struct mix_args){.y = from, .ly = at, .ny = 1, .x = from, .v = 5});
}

static void writes_what_devices_have(void *ignored) {
  (void)ignored;
  struct agglom_range range = {from, 0, CELLS};
  void *block = agglom_data_begin(&data, &range);
  for (long i = 0; i < 3; ++i) {
    read_all(&mix_task, i);
    agglom_wait();
    change(i);
  }
  agglom_data_end(block);
}

/* The device reads what the unit names, then the unit writes it, then the device reads it again. */
static void reads_and_writes(const void *const *args, unsigned long n) {
  (void)n;
  for (long i = 0; i < 3; ++i) {
    read_all(&mix_task, i);
    agglom_wait();
    mix(args[0]);
  }
}

static void submits_who_reads_and_writes(void *ran_here) {
  struct agglom_range range = {from, 0, CELLS};
  void *block = agglom_data_begin(&data, &range);
  host_task.cpu = reads_and_writes;
  change(0);
  *(bool *)ran_here = from[0] != 0;
  agglom_wait();
  host_task.cpu = mix_cpu;
  agglom_data_end(block);
}

/* Copies that a device has of resident memory are stale once a unit that runs in its call has written it. */
static void copies_of_what_is_written(void **state) {
  (void)state;
  uint64_t wanted[CELLS] = {0}, sum[CELLS] = {0};
  for (int i = 0; i < 3; ++i) {
    mix(&(struct mix_args){.y = wanted, .ly = i, .ny = 1, .x = sum, .nx = CELLS, .v = 1});
    sum[i] = 5;
  }
  beside_a_device("maximal", writes_what_devices_have, NULL);
  assert_memory_equal(to, wanted, sizeof to);
  assert_int_equal(atomic_load(&mix_on_device), 3);

  bool ran_here = false;
  memset(wanted, 0, sizeof wanted);
  memset(sum, 0, sizeof sum);
  for (int i = 0; i < 3; ++i) {
    mix(&(struct mix_args){.y = wanted, .ly = i, .ny = 1, .x = sum, .nx = CELLS, .v = 1});
    mix(&(struct mix_args){.y = sum, .ny = 1, .x = sum, .v = 5});
  }
  beside_a_device("maximal", submits_who_reads_and_writes, &ran_here);
  assert_true(ran_here);
  assert_memory_equal(to, wanted, sizeof to);
  assert_int_equal(atomic_load(&mix_on_device), 3);
}

/* --- Tasks with a kernel, where nobody else is there ------------------------------------------------------
 */

static uint64_t cell[4], seen;

static void mix_cell(long at) {
  assert_int_equal(submit_mix(&mix_task, (struct mix_args){.y = cell, .ly = at, .ny = 1, .x = cell, .v = 3}),
                   0);
}

static void alone(void **state) {
  (void)state;
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  mix_cell(0);
  assert_int_equal(cell[0], 3); /* before any wait */
  mix_cell(0);
  assert_int_equal(cell[0], 3 * 31 + 3);
  struct agglom_counters c;
  agglom_get_counters(&c);
  assert_true(c.units == 2 && c.units_on_cpu == 2 && c.in_flight == 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* Others could run the unit meanwhile. */
static void not_alone(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=2",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1"};
  for (size_t s = 0; s < sizeof settings / sizeof *settings; ++s) {
    start_with(settings[s]);
    struct ag_worker *w = ag_worker_mine(ag_runtime_get());
    assert_non_null(w);
    struct mix_args a = {.y = cell, .ny = 1, .x = cell};
    struct agglom_range ranges[] = {{cell, 0, 1}, {cell, 0, 0}};
    assert_false(ag_at_once_alone(w, &mix_task, &a, ranges, 0));
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void look_at_cell(void *ignored) {
  (void)ignored;
  seen = cell[0];
}

/* A unit without a kernel is queued, and what follows it waits for it. */
static void what_is_queued_goes_first(void **state) {
  (void)state;
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  seen = 77;
  submit_call(look_at_cell, NULL, 0);
  mix_cell(0);
  assert_true(seen == 77 && cell[0] == 0);
  assert_int_equal(agglom_wait(), 0);
  mix_cell(0);
  assert_int_equal(cell[0], 3 * 31 + 3);
  assert_int_equal(agglom_shutdown(), 0);
}

static void impossible_sections(void **state) {
  (void)state;
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  struct mix_args a = {.y = cell, .ny = -1, .x = cell};
  capture_begin();
  assert_int_equal(submit_mix(&mix_task, a), -EINVAL);
  assert_int_equal(occurrences(capture_end(), "agglom: error: "), 1);
  assert_int_equal(agglom_wait(), -EINVAL);
  assert_int_equal(cell[0], 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* What a body calls is a plain call, as on a device. */
static void nested_cpu(const void *const *args, unsigned long n) {
  (void)n;
  mix_cell(1);
  assert_int_equal(agglom_wait(), 0);
  mix(args[0]);
}

static void calls_in_a_body(void **state) {
  (void)state;
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  thread_task.cpu = nested_cpu;
  assert_int_equal(submit_mix(&thread_task, (struct mix_args){.y = cell, .ny = 1, .x = cell, .v = 5}), 0);
  thread_task.cpu = mix_cpu;
  assert_true(cell[0] == 5 && cell[1] == 3);
  struct agglom_counters c;
  agglom_get_counters(&c);
  assert_int_equal(c.units, 1);
  assert_int_equal(agglom_shutdown(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sleepers),
                                     cmocka_unit_test(priorities),
                                     cmocka_unit_test(urgent_ones),
                                     cmocka_unit_test(beside_devices),
                                     cmocka_unit_test(copies_of_what_is_written),
                                     cmocka_unit_test(alone),
                                     cmocka_unit_test(not_alone),
                                     cmocka_unit_test(what_is_queued_goes_first),
                                     cmocka_unit_test(impossible_sections),
                                     cmocka_unit_test(calls_in_a_body)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
