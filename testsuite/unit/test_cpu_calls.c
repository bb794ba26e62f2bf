/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of leaves, device(cpu) tasks that submit and wait for nothing, mostly by a thread that runs no unit:
 * they run in the call where nobody else could run them, and short ones beside other threads, in the order
 * that the serial program has. Other device(cpu) tasks are queued, for the thread may hold a lock that they
 * want.
 */
#include "busy_world.h"
#include "capture.h"
#include "submit/at_once.h"

#include <errno.h>

enum { CELLS = 64, SHORT_NS = 100, LONG_NS = 40000 };

static uint64_t cell[CELLS];

static int mix_to(struct agglom_task *task, long to, long long priority) {
  struct mix_args a = {.y = cell, .ly = to, .ny = 1, .x = cell, .v = 3};
  struct agglom_range ranges[] = {{cell, to, 1}, {cell, 0, 0}};
  return agglom_submit(task, &a, ranges, priority, 0);
}

/* What a cell holds after so many units. */
static uint64_t after(int n) {
  uint64_t is = 0;
  while (n-- > 0)
    is = is * 31 + 3;
  return is;
}

static size_t ready(void) { return ag_ready_total(&mine()->ready); }

/* --- Alone -------------------------------------------------------------------------------------------- */

static void begin_alone(void) {
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
}

static void alone(void **state) {
  (void)state;
  begin_alone();
  for (int i = 1; i < 4; ++i) {
    assert_int_equal(mix_to(&host_task, 0, 1), 0);
    assert_int_equal(cell[0], after(i)); /* before any wait */
  }
  struct agglom_counters c;
  agglom_get_counters(&c);
  assert_true(c.units == 3 && c.units_on_cpu == 3 && c.in_flight == 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

static void cancelled_cpu(const void *const *args, unsigned long n) {
  (void)args, (void)n;
  pthread_testcancel();
}

static void *ends_in_a_unit(void *worker) {
  *(struct ag_worker **)worker = mine();
  pthread_cancel(pthread_self());
  mix_to(&host_task, 0, 1);
  return NULL;
}

/* Where a thread ends in a unit, as in a handler of a signal, who takes over its worker is in none. */
static void a_thread_ends_in_a_unit(void **state) {
  (void)state;
  pthread_t thread;
  struct ag_worker *its = NULL;
  void *result;
  begin_alone();
  host_task.cpu = cancelled_cpu;
  assert_int_equal(pthread_create(&thread, NULL, ends_in_a_unit, &its), 0);
  assert_int_equal(pthread_join(thread, &result), 0);
  host_task.cpu = mix_cpu;
  assert_ptr_equal(result, PTHREAD_CANCELED);
  assert_ptr_equal(mine(), its);
  assert_false(its->plain);
  assert_int_equal(agglom_shutdown(), 0);
}

/* One with a priority of its own is queued, as those that are to go before it may come. */
static void alone_by_priority(void **state) {
  (void)state;
  begin_alone();
  assert_int_equal(mix_to(&host_task, 0, 0), 0);
  assert_int_equal(mix_to(&host_task, 1, 7), 0);
  assert_int_equal(mix_to(&host_task, 2, 1), 0); /* and what comes after such a one */
  assert_true(!cell[0] && !cell[1] && !cell[2]);
  assert_int_equal(agglom_wait(), 0);
  assert_true(cell[0] == 3 && cell[1] == 3 && cell[2] == 3);
  assert_int_equal(agglom_shutdown(), 0);
}

static void do_nothing(void *ignored) { (void)ignored; }

static void alone_but_no_leaf(void **state) {
  (void)state;
  begin_alone();
  assert_int_equal(submit_call(do_nothing, NULL, 1), 0);
  assert_int_equal(mine()->live, 1);
  assert_int_equal(mix_to(&host_task, 0, 1), 0); /* and what comes after it */
  assert_int_equal(cell[0], 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(cell[0], 3);
  assert_int_equal(agglom_shutdown(), 0);
}

/* Something else is to be done beside a device than to wait for it. */
static void beside_a_device(void **state) {
  (void)state;
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  assert_int_equal(mix_to(&host_task, 0, 1), 0);
  assert_int_equal(cell[0], 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(cell[0], 3);
  seem(&host_task, SHORT_NS); /* short ones do not take long */
  assert_int_equal(mix_to(&host_task, 0, 1), 0);
  assert_int_equal(cell[0], after(2));
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000");
  assert_true(ag_queue_ready(mine(), &host_task));
  assert_int_equal(mix_to(&mix_task, 1, 0), 0); /* waits to be launched */
  assert_int_equal(mine()->queued, 1);
  seem(&host_task, SHORT_NS);
  assert_int_equal(mix_to(&host_task, 2, 1), 0);
  assert_int_equal(cell[2], 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(cell[2], 3);
  assert_int_equal(agglom_shutdown(), 0);
}

static void wrong_sections(void **state) {
  (void)state;
  begin_alone();
  struct mix_args a = {.y = cell, .ny = -1, .x = cell};
  struct agglom_range ranges[] = {{cell, 0, -1}, {cell, 0, 0}};
  capture_begin();
  assert_int_equal(agglom_submit(&host_task, &a, ranges, 1, 0), -EINVAL);
  assert_int_equal(occurrences(capture_end(), "agglom: error: "), 1);
  assert_int_equal(agglom_wait(), -EINVAL);
  assert_int_equal(cell[0], 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Beside others ------------------------------------------------------------------------------------ */

static void begin(uint64_t ns) {
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  keep_other_busy(&host_task, ns);
}

static void end(void) {
  atomic_store(&over, true);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(mine()->live_bytes, 0);
  assert_int_equal(agglom_shutdown(), 0);
}

static void short_ones(void **state) {
  (void)state;
  begin(SHORT_NS);
  for (int i = 1; i < 20; ++i) {
    seem(&host_task, SHORT_NS); /* also on a slow machine */
    assert_int_equal(mix_to(&host_task, 0, i % 2), 0);
    assert_int_equal(cell[0], after(i));
  }
  seem(&host_task, LONG_NS);
  assert_int_equal(mix_to(&host_task, 0, 1), 0);
  assert_int_equal(ready(), 1);
  seem(&host_task, SHORT_NS);
  assert_int_equal(mix_to(&host_task, 1, 5), 0); /* others may have given priorities as well */
  seem(&host_task, SHORT_NS);
  assert_int_equal(mix_to(&host_task, 2, 1), 0);
  assert_int_equal(ready(), 3);
  end();
  assert_int_equal(cell[0], after(20));
}

/* Where nothing of the thread is incomplete no lock is taken. */
static void nothing_in_flight(void **state) {
  (void)state;
  struct agglom_task *const tasks[] = {&host_task, &mix_task};
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  for (int t = 0; t < 2; ++t) {
    assert_true(ag_queue_ready(mine(), tasks[t]));
    uint64_t looks = mine()->looks;
    for (int i = 1; i < 20; ++i) {
      seem(tasks[t], SHORT_NS);
      assert_int_equal(mix_to(tasks[t], t, t ? 0 : 1), 0);
      assert_int_equal(cell[t], after(i));
    }
    assert_int_equal(mine()->looks, looks);
    seem(tasks[t], SHORT_NS);
    struct agglom_range wrong[] = {{cell, t, -1}, {cell, 0, 0}};
    capture_begin();
    assert_int_equal(agglom_submit(tasks[t], &(struct mix_args){.y = cell, .x = cell}, wrong, !t, 0),
                     -EINVAL);
    assert_int_equal(occurrences(capture_end(), "agglom: error: "), 1);
    assert_int_equal(agglom_wait(), -EINVAL);
    looks = mine()->looks;
    seem(tasks[t], 1500); /* it may take less to queue it */
    assert_int_equal(mix_to(tasks[t], t, t ? 0 : 1), 0);
    assert_int_equal(mine()->looks, ++looks);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(cell[t], after(20));
  }
  keep_other_busy(&host_task, SHORT_NS); /* a unit of this thread's, from which calls may take a lock */
  uint64_t looks = mine()->looks;
  assert_int_equal(mix_to(&host_task, 2, 1), 0);
  assert_int_equal(mine()->looks, looks + 1);
  end();
}

static void not_others(void **state) {
  (void)state;
  begin(SHORT_NS);
  assert_true(ag_queue_ready(mine(), &call_task));
  seem(&call_task, SHORT_NS);
  for (size_t i = 1; i < 4; ++i) {
    submit_call(do_nothing, NULL, 1);
    assert_int_equal(ready(), i);
  }
  end();
}

/* Short ones that follow what is queued: the thread runs that first, if all that is next is short. */
static void behind_others(void **state) {
  (void)state;
  for (int others = 0; others < 2; ++others) {
    begin(LONG_NS);
    assert_true(ag_queue_ready(mine(), &call_task));
    seem(&call_task, LONG_NS);
    if (others) /* the first that is ready, and no leaf */
      submit_call(do_nothing, NULL, 1);
    for (int i = 0; i < 20; ++i)
      assert_int_equal(mix_to(&host_task, 0, 1), 0);
    assert_int_equal(ready(), 1 + (size_t)others);
    assert_int_equal(mine()->live, 21 + (uint64_t)others);
    uint64_t ran = queue_of(&host_task)->at_once;
    seem(&host_task, SHORT_NS);
    assert_int_equal(mix_to(&host_task, 0, 1), 0);
    if (queue_of(&host_task)->at_once == ran && host_task.state->longest.ns > 1000)
      print_message("on this machine units are not short: left out\n");
    else
      assert_int_equal(queue_of(&host_task)->at_once, ran + !others);
    end();
    assert_int_equal(cell[0], after(21));
  }
}

static void submits_short_ones(void *ignored) {
  (void)ignored;
  int n = 0;
  seem(&host_task, LONG_NS);
  while (n < 20)
    assert_int_equal(mix_to(&host_task, 0, ++n % 2), 0);
  uint64_t ran = queue_of(&host_task)->at_once;
  assert_int_equal(ready(), 3);
  while (queue_of(&host_task)->at_once == ran && n < 200) { /* on a slow machine they seem long again */
    seem(&host_task, SHORT_NS);
    assert_int_equal(mix_to(&host_task, 0, 1), 0);
    ++n;
  }
  assert_int_equal(queue_of(&host_task)->at_once, ran + 1);
  assert_int_equal(cell[0], after(n));
  assert_int_equal(ready(), 2);
  assert_int_equal(cell[1], 0);
  atomic_store(&over, true);
}

/* In a unit's body likewise, but of what waits it runs only what it has submitted itself. */
static void behind_others_in_a_unit(void **state) {
  (void)state;
  begin(LONG_NS);
  submit_call(submits_short_ones, NULL, 1);
  assert_int_equal(mix_to(&host_task, 1, 1), 0);
  submit_call(do_nothing, NULL, 1);
  assert_int_equal(agglom_wait(), 0); /* the other thread is busy until the unit says so */
  end();
  assert_int_equal(cell[1], after(1));
}

/* Others run the last of it in a unit's body as well, of which nothing else is ready. */
static void watches_others(void *steps) {
  assert_true(ag_queue_ready(mine(), &host_task)); /* any thread may run it */
  for (int i = 0; i < *(int *)steps; ++i) {
    if (i % 64 == 0)
      seem(&host_task, i % 128 ? SHORT_NS : LONG_NS);
    for (long k = 0; k < 4; ++k)
      assert_int_equal(mix_to(&host_task, k, 1), 0);
  }
}

/* What others run of it now is looked on, for a moment: nothing that is queued is lost by that. */
static void others_run_the_last(void **state) {
  (void)state;
  enum { STEPS = 3000, WIDE = 4 };
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_LINGER=200us");
  assert_true(ag_queue_ready(mine(), &host_task));
  for (int i = 0; i < STEPS; ++i) {
    if (i % 64 == 0)
      seem(&host_task, i % 128 ? SHORT_NS : LONG_NS);
    for (long k = 0; k < WIDE; ++k)
      assert_int_equal(mix_to(&host_task, k, 1), 0);
  }
  assert_int_equal(agglom_wait(), 0);
  int steps = STEPS;
  submit_call(watches_others, &steps, 1);
  assert_int_equal(agglom_wait(), 0);
  for (int k = 0; k < WIDE; ++k)
    assert_int_equal(cell[k], after(2 * STEPS));
  assert_int_equal(agglom_shutdown(), 0);
}

static void hold_cpu(const void *const *args, unsigned long n) {
  keep_busy(NULL);
  mix_cpu(args, n);
}

enum { LOOK_AGAIN = 64 }; /* calls after one that looked on in vain */
static atomic_bool released;

static void held_cpu(const void *const *args, unsigned long n) {
  atomic_store(&busy, 2);
  while (!atomic_load(&released))
    sched_yield();
  mix_cpu(args, n);
}

static void looks_on_in_vain(void *ignored) {
  (void)ignored;
  host_task.cpu = held_cpu;
  assert_int_equal(mix_to(&host_task, 0, 1), 0);
  atomic_store(&over, true);
  while (atomic_load(&busy) != 2)
    sched_yield();
  seem(&host_task, SHORT_NS);
  mine()->in_vain = mine()->looks - LOOK_AGAIN;
  assert_int_equal(mix_to(&host_task, 0, 1), 0);
  assert_int_equal(ready(), 1); /* the call waits, and what was ready is */
  atomic_store(&released, true);
}

/* In a unit's body nobody waits for what it may not run. */
static void looks_on_its_own(void **state) {
  (void)state;
  begin(LONG_NS);
  atomic_store(&released, false);
  submit_call(looks_on_in_vain, NULL, 1);
  submit_call(do_nothing, NULL, 0);
  assert_int_equal(agglom_wait(), 0);
  end();
  host_task.cpu = mix_cpu;
  assert_int_equal(cell[0], after(2));
}

/* Who looks on in vain does not look again for some calls. */
static void looks_on_seldom(void **state) {
  (void)state;
  enum { CALLS = LOOK_AGAIN };
  memset(cell, 0, sizeof cell);
  atomic_store(&busy, 0);
  atomic_store(&over, false);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  host_task.cpu = hold_cpu;
  assert_int_equal(mix_to(&host_task, 0, 1), 0); /* nothing is known of it: it is queued */
  while (!atomic_load(&busy))
    sched_yield();
  struct ag_worker *w = mine();
  w->in_vain = w->looks - CALLS;
  uint64_t first = w->looks + 1;
  for (uint64_t i = 0; i <= CALLS; ++i) {
    seem(&host_task, SHORT_NS);
    assert_int_equal(mix_to(&host_task, 0, 1), 0);
    assert_int_equal(w->looks, first + i);
    assert_int_equal(w->in_vain, i < CALLS ? first : first + CALLS);
  }
  end();
  host_task.cpu = mix_cpu;
  assert_int_equal(cell[0], after(2 + CALLS));
}

/* It is found out how long units take. */
static void they_are_timed(void **state) {
  (void)state;
  enum { UNITS = 400 };
  begin(LONG_NS);
  atomic_store(&over, true); /* the other thread comes back */
  assert_int_equal(agglom_wait(), 0);
  seem(&host_task, LONG_NS);
  for (int i = 0; i < UNITS; ++i) {
    assert_int_equal(mix_to(&host_task, 0, 1), 0);
    if (i % 8 == 7)
      assert_int_equal(agglom_wait(), 0);
  }
  assert_true(queue_of(&host_task)->cpu_ns < LONG_NS);
  end();
  assert_int_equal(cell[0], after(UNITS));
}

/* Also after a failure: the other thread does not spin for ever. */
static int let_go(void **state) {
  (void)state;
  atomic_store(&over, true);
  atomic_store(&released, true);
  return agglom_shutdown();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(alone, let_go),
                                     cmocka_unit_test_teardown(a_thread_ends_in_a_unit, let_go),
                                     cmocka_unit_test_teardown(alone_by_priority, let_go),
                                     cmocka_unit_test_teardown(alone_but_no_leaf, let_go),
                                     cmocka_unit_test_teardown(beside_a_device, let_go),
                                     cmocka_unit_test_teardown(wrong_sections, let_go),
                                     cmocka_unit_test_teardown(short_ones, let_go),
                                     cmocka_unit_test_teardown(nothing_in_flight, let_go),
                                     cmocka_unit_test_teardown(not_others, let_go),
                                     cmocka_unit_test_teardown(behind_others, let_go),
                                     cmocka_unit_test_teardown(behind_others_in_a_unit, let_go),
                                     cmocka_unit_test_teardown(others_run_the_last, let_go),
                                     cmocka_unit_test_teardown(looks_on_its_own, let_go),
                                     cmocka_unit_test_teardown(looks_on_seldom, let_go),
                                     cmocka_unit_test_teardown(they_are_timed, let_go)};
  host_task.flags |= AGGLOM_TASK_LEAF;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
