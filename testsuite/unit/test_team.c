/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compute units: AGGLOM_CUS=NxM+G says how many workers there are, how many cores share a long unit, and how
 * many devices are used. */
#include "capture.h"
#include "rt_tasks.h"
#include "sys/binding.h"

#include <pthread.h>
#include <sched.h>

enum { LONG = 1 << 20 };

static void grow_and_check(uint64_t *y, uint64_t *z, long n, int times) {
  for (int i = 0; i < times; ++i) {
    assert_int_equal(submit_grow(y, n), 0);
    assert_int_equal(agglom_wait(), 0);
    grow_range(&(struct grow_args){z, n}, 0, 1);
    assert_memory_equal(y, z, (size_t)n * sizeof *y);
  }
}

static void long_units_are_shared(void **state) {
  (void)state;
  static uint64_t y[LONG], z[LONG];
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_CUS=1x3",
                                         "AGGLOM_DEVICES=none AGGLOM_CUS=2x2",
                                         "AGGLOM_DEVICES=emulated AGGLOM_CUS=1x2+0"};
  static const unsigned cores[] = {3, 2, 2};
  for (int s = 0; s < 3; ++s) {
    capture_begin(); /* there may be fewer cores */
    start_with(settings[s]);
    capture_end();
    grow_and_check(y, z, LONG, 6); /* the first ones are measured */
    assert_int_equal(atomic_load(&grow_most_parts), cores[s]);
    /* Short ones are not, once that is known: short units of this task take long units' time for a while. */
    assert_int_equal(agglom_shutdown(), 0);
    capture_begin();
    start_with(settings[s]);
    capture_end();
    grow_and_check(y, z, 8, 200);
    assert_int_equal(atomic_load(&grow_most_parts), 0);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void workers_and_devices(void **state) {
  (void)state;
  struct agglom_counters c;
  static const struct {
    const char *settings;
    unsigned workers, devices;
  } cases[] = {
      {"AGGLOM_DEVICES=emulated:3 AGGLOM_CUS=2x1+1", 2, 1},
      {"AGGLOM_DEVICES=emulated:2 AGGLOM_CUS=3x1", 3, 2},
      {"AGGLOM_DEVICES=emulated:2 AGGLOM_CUS=3x1+0 AGGLOM_WORKERS=1", 3, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    capture_begin();
    start_with(cases[i].settings);
    capture_end();
    agglom_get_counters(&c);
    assert_int_equal(c.workers, cases[i].workers);
    assert_int_equal(c.devices, cases[i].devices);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void too_much_is_said(void **state) {
  (void)state;
  capture_begin();
  start_with("AGGLOM_DEVICES=emulated AGGLOM_CUS=1x1000+3");
  const char *said = capture_end();
  assert_non_null(strstr(said, "AGGLOM_CUS asks for 3 devices, but AGGLOM_DEVICES=emulated gives 1"));
  assert_true(strstr(said, "AGGLOM_CUS=1x1000 asks for more than the ") ||
              strstr(said, "are not bound to cores"));
  assert_int_equal(agglom_shutdown(), 0);
}

static void threads_are_bound(void **state) {
  (void)state;
  const char *why;
  struct ag_binding *b = ag_binding_open(&why);
  cpu_set_t before, after;
  if (!b) {
    print_message("not looked at: %s\n", why);
    skip();
  }
  sched_getaffinity(0, sizeof before, &before);
  unsigned last = ag_binding_cores(b) - 1;
  assert_int_equal(ag_binding_bind(b, last), 0);
  sched_getaffinity(0, sizeof after, &after);
  assert_in_range(CPU_COUNT(&after), 1, CPU_COUNT(&before));
  CPU_AND(&after, &after, &before);
  assert_in_range(CPU_COUNT(&after), 1, CPU_COUNT(&before));
  assert_true(ag_binding_bind(b, last + 1) < 0);
  sched_setaffinity(0, sizeof before, &before);
  ag_binding_close(b);
}

struct seen {
  pthread_t main;
  _Atomic int cpus; /* that the other thread may use; 0: not seen yet */
};

static void look(void *context) {
  struct seen *seen = context;
  cpu_set_t mine;
  if (pthread_equal(pthread_self(), seen->main))
    sched_yield();
  else if (!sched_getaffinity(0, sizeof mine, &mine))
    atomic_store(&seen->cpus, CPU_COUNT(&mine));
}

/* A worker of the pool is bound to a core of its own; the host's thread is not. */
static void workers_are_bound(void **state) {
  (void)state;
  const char *why;
  cpu_set_t all, after;
  struct ag_binding *b = ag_binding_open(&why);
  unsigned cores = b ? ag_binding_cores(b) : 0;
  ag_binding_close(b);
  sched_getaffinity(0, sizeof all, &all);
  if (cores < 2) {
    print_message("not looked at: %s\n", cores ? "there is one core" : why);
    skip();
  }
  struct seen seen = {.main = pthread_self()};
  start_with("AGGLOM_DEVICES=none AGGLOM_CUS=2x1");
  for (int i = 0; !atomic_load(&seen.cpus); ++i) {
    assert_true(i < 100000);
    assert_int_equal(submit_call(look, &seen, 0), 0);
    sched_yield();
  }
  assert_int_equal(agglom_wait(), 0);
  sched_getaffinity(0, sizeof after, &after);
  assert_true(CPU_EQUAL(&all, &after));
  assert_in_range(atomic_load(&seen.cpus), 1, CPU_COUNT(&all) - 1);
  assert_int_equal(agglom_shutdown(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(long_units_are_shared),
                                     cmocka_unit_test(workers_and_devices),
                                     cmocka_unit_test(too_much_is_said), cmocka_unit_test(threads_are_bound),
                                     cmocka_unit_test(workers_are_bound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
