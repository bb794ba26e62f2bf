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
    /* Short ones are not, once that is known: units of this task are taken for long for a while, and again
     * where the machine has kept one from its core. */
    assert_int_equal(agglom_shutdown(), 0);
    capture_begin();
    start_with(settings[s]);
    capture_end();
    unsigned shared = 1;
    for (int i = 0; i < 1000 && shared; ++i) {
      atomic_store(&grow_most_parts, 0);
      grow_and_check(y, z, 8, 20);
      shared = atomic_load(&grow_most_parts);
    }
    assert_int_equal(shared, 0);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void submit_part(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  assert_int_equal(submit_grow(*(uint64_t *const *)env + from, (long)(to - from)), 0);
}

/* So is a CPU unit's chunk of a loop. */
static void chunks_are_shared(void **state) {
  (void)state;
  static uint64_t y[LONG], z[LONG], *at = y;
  capture_begin();
  start_with("AGGLOM_DEVICES=none AGGLOM_CUS=1x2");
  capture_end();
  assert_int_equal(agglom_for(submit_part, NULL, &at, sizeof at, 0, LONG, AGGLOM_SCHEDULE_STATIC, 0, -1, 0),
                   0);
  grow_range(&(struct grow_args){z, LONG}, 0, 1);
  assert_memory_equal(y, z, sizeof y);
  assert_int_equal(atomic_load(&grow_most_parts), 2);
  assert_int_equal(agglom_shutdown(), 0);
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

/* More units than cores, more cores in a unit than there are, more devices than there are, and what is no
 * such value: each is said in one line, and everything runs all the same. */
static void too_much_is_said(void **state) {
  (void)state;
  static uint64_t y[LONG], z[LONG];
  static const struct {
    const char *settings, *said, *or_said;
    unsigned units;
  } cases[] = {
      {"AGGLOM_DEVICES=emulated AGGLOM_CUS=1x1+3",
       "AGGLOM_CUS asks for 3 devices, but AGGLOM_DEVICES=emulated gives 1", NULL, 1},
      {"AGGLOM_DEVICES=none AGGLOM_CUS=300x1", "AGGLOM_CUS=300x1 asks for more than the ",
       "are not bound to cores", 300},
      {"AGGLOM_DEVICES=none AGGLOM_CUS=1x300", "AGGLOM_CUS=1x300 asks for more than the ",
       "are not bound to cores", 1},
      {"AGGLOM_DEVICES=none AGGLOM_CUS=60x5", "AGGLOM_CUS=60x5 asks for more than the ",
       "are not bound to cores", 60},
      {"AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_CUS=2x", "AGGLOM_CUS=2x is not understood", NULL, 3},
      {"AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_CUS=0x1", "AGGLOM_CUS=0x1 is not understood", NULL, 3},
      {"AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_CUS=1x1+33", "AGGLOM_CUS=1x1+33 is not understood", NULL,
       3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct agglom_counters c;
    memset(y, 0, sizeof y);
    memset(z, 0, sizeof z);
    capture_begin();
    set_environment(cases[i].settings);
    assert_int_equal(agglom_init(), strstr(cases[i].said, "not understood") ? -EINVAL : 0);
    grow_and_check(y, z, LONG, 2);
    agglom_get_counters(&c);
    assert_int_equal(agglom_shutdown(), 0);
    const char *said = capture_end();
    bool right = strstr(said, cases[i].said) || (cases[i].or_said && strstr(said, cases[i].or_said));
    if (!right || occurrences(said, "agglom:") != 1 || c.workers != cases[i].units)
      fail_msg("%s: %llu workers\n%s", cases[i].settings, (unsigned long long)c.workers, said);
  }
}

static void threads_are_bound(void **state) {
  (void)state;
  const char *why;
  struct ag_binding *b = ag_binding_open(1, &why);
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
  atomic_bool there;
  cpu_set_t cpus; /* that the other thread may use, when it was there */
};

static void look(void *context) {
  struct seen *seen = context;
  if (pthread_equal(pthread_self(), seen->main))
    sched_yield();
  else if (!atomic_load(&seen->there) && !sched_getaffinity(0, sizeof seen->cpus, &seen->cpus))
    atomic_store(&seen->there, true);
}

/* Cores that a program with compute units may be bound to, so that there are at least two; or skips the test.
 */
static void need_two_cores(void) {
  const char *why;
  struct ag_binding *b = ag_binding_open(1, &why);
  unsigned cores = b ? ag_binding_cores(b) : 0;
  ag_binding_close(b);
  if (cores < 2) {
    print_message("not looked at: %s\n", cores ? "there is one core" : why);
    skip();
  }
}

static void two_units(struct seen *seen) {
  *seen = (struct seen){.main = pthread_self()};
  start_with("AGGLOM_DEVICES=none AGGLOM_CUS=2x1");
  for (int i = 0; !atomic_load(&seen->there); ++i) {
    assert_true(i < 100000);
    assert_int_equal(submit_call(look, seen, 0), 0);
    sched_yield();
  }
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* A worker of the pool is bound to a core of its own; the host's thread is not. */
static void workers_are_bound(void **state) {
  (void)state;
  cpu_set_t all, after;
  struct seen seen;
  need_two_cores();
  sched_getaffinity(0, sizeof all, &all);
  two_units(&seen);
  sched_getaffinity(0, sizeof after, &after);
  assert_true(CPU_EQUAL(&all, &after));
  assert_in_range(CPU_COUNT(&seen.cpus), 1, CPU_COUNT(&all) - 1);
}

/* --- The cores of a unit -------------------------------------------------------------------------------- */

static struct seen helper;

static void spread_emulated(const struct agglom_launch *l, unsigned c) {
  if (l->part[c])
    look(&helper);
  grow_emulated(l, c);
}

/* So is each helper of a compute unit. */
static void helpers_are_bound(void **state) {
  (void)state;
  static uint64_t y[LONG];
  static struct agglom_task spread_task;
  cpu_set_t all;
  need_two_cores();
  sched_getaffinity(0, sizeof all, &all);
  helper = (struct seen){.main = pthread_self()};
  spread_task = grow_task;
  spread_task.name = "spread";
  spread_task.emulated = spread_emulated;
  spread_task.state = NULL;
  struct agglom_task *const tasks[] = {&spread_task};
  struct agglom_module module = TASK_MODULE("spread.c", tasks);
  assert_int_equal(agglom_register(&module), 0);
  start_with("AGGLOM_DEVICES=none AGGLOM_CUS=1x2");
  for (int i = 0; i < 100 && !atomic_load(&helper.there); ++i) { /* the first ones are measured */
    struct grow_args a = {y, LONG};
    assert_int_equal(agglom_submit(&spread_task, &a, &(struct agglom_range){y, 0, LONG}, 0, LONG), 0);
    assert_int_equal(agglom_wait(), 0);
  }
  assert_true(atomic_load(&helper.there));
  assert_in_range(CPU_COUNT(&helper.cpus), 1, CPU_COUNT(&all) - 1);
  agglom_unregister(&module);
  assert_int_equal(agglom_shutdown(), 0);
}

static void *stay(void *end) {
  while (!atomic_load((atomic_bool *)end))
    sched_yield();
  return NULL;
}

/* Whichever CPU the thread that starts the runtime has bound itself to: the worker is on another core.
 * (Another thread of the program may use all of them, so they are the process's.) */
static void workers_keep_off_the_hosts_core(void **state) {
  (void)state;
  cpu_set_t all;
  pthread_t other;
  atomic_bool end = false;
  struct seen seen;
  need_two_cores();
  sched_getaffinity(0, sizeof all, &all);
  assert_int_equal(pthread_create(&other, NULL, stay, &end), 0);
  for (int cpu = 0, bound = 0; cpu < CPU_SETSIZE && bound < 4; ++cpu) {
    if (!CPU_ISSET(cpu, &all))
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    two_units(&seen);
    assert_false(CPU_ISSET(cpu, &seen.cpus));
    ++bound;
  }
  sched_setaffinity(0, sizeof all, &all);
  atomic_store(&end, true);
  pthread_join(other, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_units_are_shared), cmocka_unit_test(chunks_are_shared),
      cmocka_unit_test(workers_and_devices),   cmocka_unit_test(too_much_is_said),
      cmocka_unit_test(threads_are_bound),     cmocka_unit_test(workers_are_bound),
      cmocka_unit_test(helpers_are_bound),     cmocka_unit_test(workers_keep_off_the_hosts_core)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
