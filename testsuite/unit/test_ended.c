/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units that threads of the pool have run and leave to the thread that submitted them (commit/commit.h): they
 * are complete at its next look, or when it waits, and also when it does neither. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "commit/commit.h"
#include "dispatch/dispatch.h"

#include "busy_world.h"

#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t cell[16];
static atomic_int begun;
static atomic_bool go_on;

/* A unit that another thread runs waits for leave to end; the submitter's own does not. */
static void hold_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct mix_args *a = args[i];
    if (ag_worker_here()->pool) {
      atomic_fetch_add(&begun, 1);
      while (!atomic_load(&go_on))
        sched_yield();
    }
    a->y[a->ly] += a->v;
  }
}

static void begin(void) {
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  memset(cell, 0, sizeof cell);
  atomic_store(&begun, 0);
  atomic_store(&go_on, false);
  mix_task.cpu = hold_cpu;
}

static int end(void **state) {
  (void)state;
  atomic_store(&go_on, true);
  atomic_store(&over, true);
  int err = agglom_wait();
  mix_task.cpu = mix_cpu;
  return err ? err : agglom_shutdown();
}

static void submit(long at, uint64_t v) {
  assert_int_equal(submit_mix(&mix_task, (struct mix_args){.y = cell, .ly = at, .ny = 1, .x = cell, .v = v}),
                   0);
  seem(&mix_task, 1000000); /* so that none runs in its call */
}

static bool comes_true(bool (*what)(void)) {
  for (time_t from = time(NULL); !what() && time(NULL) - from < 20;)
    sched_yield();
  return what();
}

static bool one_has_begun(void) { return atomic_load(&begun); }
static bool nothing_lives(void) { return ag_worker_idle_now(mine()); }
static bool some_ended(void) { return atomic_load(&mine()->ended) || nothing_lives(); }

/* Who submits does not come back: others with time complete them, and release what follows. */
static void submitter_is_away(void **state) {
  (void)state;
  begin();
  for (int i = 0; i < 8; ++i)
    submit(i % 4, 1);
  assert_true(comes_true(one_has_begun));
  atomic_store(&go_on, true);
  assert_true(comes_true(nothing_lives));
  for (int i = 0; i < 4; ++i)
    assert_int_equal(cell[i], 2);
}

/* It comes back at once: at its next submission. */
static void submitter_submits(void **state) {
  (void)state;
  begin();
  submit(0, 1);
  assert_true(comes_true(one_has_begun));
  atomic_store(&go_on, true);
  assert_true(comes_true(some_ended));
  submit(1, 1);
  assert_null(atomic_load(&mine()->ended));
  assert_true(mine()->live <= 1);
}

static void *let_go(void *ignored) {
  usleep(20000); /* the submitter sleeps by then */
  atomic_store(&go_on, true);
  return ignored;
}

/* It sleeps until they are complete, and is woken. */
static void submitter_sleeps(void **state) {
  (void)state;
  for (int round = 0; round < 10; ++round) {
    pthread_t later;
    begin();
    submit(0, 1);
    assert_true(comes_true(one_has_begun));
    assert_int_equal(pthread_create(&later, NULL, let_go, NULL), 0);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(cell[0], 1);
    assert_true(nothing_lives());
    pthread_join(later, NULL);
    assert_int_equal(end(NULL), 0);
  }
  begin();
}

/* One of those that have time looks for all, but who is about to sleep looks in any case. */
static void one_looks(void **state) {
  (void)state;
  begin();
  keep_other_busy(&mix_task, 1000000); /* so this thread may stand in for it */
  struct ag_worker *other = atomic_load(&ag_runtime_running()->workers);
  while (!other->pool)
    other = other->next;
  for (int i = 1; i < 9; ++i)
    submit(i, 1);
  uint64_t waiting = fifo_of(&mix_task)->count;
  atomic_store(&mine()->looked_at, true);
  assert_false(ag_dispatch_one(other, mine(), AG_ON_NO_HIGH, false));
  assert_int_equal(fifo_of(&mix_task)->count, waiting);
  other->announced = true;
  assert_true(ag_dispatch_one(other, mine(), AG_ON_NO_HIGH, false));
  other->announced = false;
  assert_true(fifo_of(&mix_task)->count < waiting);
  atomic_store(&mine()->looked_at, false);
  waiting = fifo_of(&mix_task)->count;
  seem(&mix_task, 1000000);
  assert_true(ag_dispatch_one(other, mine(), AG_ON_NO_HIGH, false));
  assert_true(fifo_of(&mix_task)->count < waiting);
  assert_false(atomic_load(&mine()->looked_at));
}

/* Units of a thread that is away, run by one that then has better things to do while another sleeps. */
static atomic_bool child_begun, child_may_end, waits, parent_goes_on, parent_may_end;

static void until(atomic_bool *what) {
  while (!atomic_load(what))
    sched_yield();
}

static void child(void *ignored) {
  (void)ignored;
  atomic_store(&child_begun, true);
  until(&child_may_end);
}

static void parent(void *ignored) {
  (void)ignored;
  submit_call(child, NULL, 0);
  until(&child_begun); /* by the third thread */
  atomic_store(&waits, true);
  agglom_wait();
  atomic_store(&parent_goes_on, true);
  until(&parent_may_end);
}

static bool one_rests(void) { return atomic_load(&ag_runtime_running()->resting) == 1; }
static bool second_ran(void) { return atomic_load(&begun) == 2; }
static bool goes_on(void) { return atomic_load(&parent_goes_on); }

static void who_ran_them_goes_on(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
  atomic_bool *const all[] = {&child_begun, &child_may_end, &waits, &parent_goes_on, &parent_may_end, &go_on};
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; ++i)
    atomic_store(all[i], false);
  memset(cell, 0, sizeof cell);
  atomic_store(&begun, 0);
  mix_task.cpu = hold_cpu;
  assert_true(ag_queue_ready(mine(), &mix_task));
  seem(&mix_task, 1000000);
  submit_call(parent, NULL, 0);
  until(&waits);
  submit(0, 1); /* the parent's thread runs it in its wait */
  assert_true(comes_true(one_has_begun));
  submit(0, 1); /* follows it */
  atomic_store(&child_may_end, true);
  assert_true(comes_true(one_rests));
  usleep(10000); /* it takes so long, and those like it do: they are worth another thread's while */
  atomic_store(&go_on, true);
  assert_true(comes_true(goes_on));
  assert_true(comes_true(second_ran));
}

static int let_parent_end(void **state) {
  atomic_store(&child_may_end, true);
  atomic_store(&parent_may_end, true);
  return end(state);
}

static atomic_bool wakes_all, may_wake_all = true;

/* In the place of the C library's: once it is told to, it holds up who wakes all that sleep. */
long syscall(long number, ...) {
  long arg[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i)
    arg[i] = va_arg(list, long);
  va_end(list);
  long (*original)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  if (number == SYS_futex && arg[1] == (FUTEX_WAKE | FUTEX_PRIVATE_FLAG) && (int)arg[2] == INT_MAX) {
    atomic_store(&wakes_all, true);
    while (!atomic_load(&may_wake_all))
      sched_yield();
  }
  return original(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

static bool somebody_wakes_all(void) { return atomic_load(&wakes_all); }

/* As soon as the last unit is complete its task may be unregistered, while who has run it wakes others. */
static void task_goes(void **state) {
  (void)state;
  struct agglom_task task = host_task, *tasks[] = {&task};
  struct agglom_module module = TASK_MODULE("gone.c", tasks);
  begin();
  struct ag_runtime *rt = ag_runtime_running();
  atomic_store(&rt->choosy, true); /* so that it is timed */
  task.cpu = hold_cpu;
  task.state = NULL;
  assert_int_equal(agglom_register(&module), 0);
  assert_int_equal(submit_mix(&task, (struct mix_args){.y = cell, .ly = 9, .ny = 1, .x = cell}), 0);
  assert_true(comes_true(one_has_begun));
  atomic_store(&wakes_all, false);
  atomic_store(&may_wake_all, false);
  atomic_fetch_add(&rt->lying, 1); /* somebody seems to sleep */
  ag_lock(&mine()->lock);
  mine()->root.waited_for = true;
  ag_unlock(&mine()->lock);
  atomic_store(&go_on, true);
  assert_true(comes_true(nothing_lives));
  assert_true(comes_true(somebody_wakes_all));
  agglom_unregister(&module);
  mine()->root.waited_for = false;
  atomic_fetch_sub(&rt->lying, 1);
  atomic_store(&may_wake_all, true);
  assert_null(task.state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(submitter_is_away, end),
                                     cmocka_unit_test_teardown(submitter_submits, end),
                                     cmocka_unit_test_teardown(submitter_sleeps, end),
                                     cmocka_unit_test_teardown(one_looks, end),
                                     cmocka_unit_test_teardown(who_ran_them_goes_on, let_parent_end),
                                     cmocka_unit_test_teardown(task_goes, end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
