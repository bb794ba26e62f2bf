/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a CPU takes of units that follow each other where there is no device: CPUs run chains side by side,
 * and none takes what all others would have to wait for. */
#include "dispatch/dispatch.h"

#include "busy_world.h"

#include <time.h>
#include <unistd.h>

static void begin_alone(struct agglom_task *task, uint64_t ns) {
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  keep_other_busy(task, ns);
}

static void end(void) {
  atomic_store(&over, true);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(mine()->live_bytes, 0);
  assert_int_equal(agglom_shutdown(), 0);
}

static uint64_t cell[8];

static void mix_cell(long to, uint64_t v) {
  assert_int_equal(submit_mix(&mix_task, (struct mix_args){.y = cell, .ly = to, .ny = 1, .x = cell, .v = v}),
                   0);
}

/* Those that follow no other, as they come, and as what they follow completes. */
static void free_ones(void **state) {
  (void)state;
  begin_alone(&mix_task, 2 * AG_CPU_WORTH_NS); /* too long to join */
  const struct ag_fifo *fifo = fifo_of(&mix_task);
  for (int i = 0; i < 6; ++i)
    mix_cell(i % 2, 1);
  mix_cell(3, 1);
  assert_int_equal(fifo->count, 7);
  assert_int_equal(fifo->free, 3);
  while (fifo->count > 4) /* one by one: units are long */
    assert_true(ag_dispatch_one(mine(), mine(), AG_ON_WAIT, false));
  assert_in_range(fifo->free, 2, 3);
  end();
}

/* Two units follow each of some that follow none. A CPU takes a share of these, with one behind each: the
 * others are for other CPUs. If there are few, none is taken with what follows it. */
static void one_behind_each(void **state) {
  enum { HEADS = 8 };
  (void)state;
  static uint64_t y[3 * HEADS];
  for (int heads = 2; heads <= HEADS; heads += HEADS - 2) {
    memset(y, 0, sizeof y);
    begin_alone(&mix_task, AG_CPU_WORTH_NS); /* too long to join */
    for (int i = 0; i < 3 * heads; ++i)
      submit_mix(&mix_task, (struct mix_args){
                                .y = y, .ly = i, .ny = 1, .x = y, .lx = i % heads, .nx = i >= heads, .v = 1});
    assert_true(ag_dispatch_one(mine(), mine(), AG_ON_WAIT, false));
    for (int i = 0; i < 3 * heads; ++i)
      assert_int_equal(y[i] != 0, heads == 2 ? i == 0 : i % heads < 2 && i < 2 * heads);
    end();
  }
}

static atomic_int at[2]; /* how many units of a chain have begun */
static atomic_bool missed;

/* Each unit waits until one of the other chain runs at the same time. */
static void meet_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct mix_args *a = args[i];
    time_t from = time(NULL);
    atomic_fetch_add(&at[a->ly], 1);
    while (atomic_load(&at[!a->ly]) < (int)a->v && !atomic_load(&missed)) {
      if (time(NULL) - from > 5)
        atomic_store(&missed, true);
      sched_yield();
    }
    usleep(500);
  }
}

static void side_by_side(void **state) {
  (void)state;
  enum { STEPS = 40 };
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  atomic_store(&missed, false);
  atomic_store(&mix_task.state->longest.ns, 0); /* not known */
  mix_task.cpu = meet_cpu;
  for (int i = 1; i <= STEPS; ++i)
    for (int chain = 0; chain < 2; ++chain)
      mix_cell(chain, (uint64_t)i);
  assert_int_equal(agglom_wait(), 0);
  mix_task.cpu = mix_cpu;
  assert_false(missed);
  assert_int_equal(at[0] + at[1], 2 * STEPS);
  end();
}

/* Also after a failure: the other thread does not spin for ever. */
static int let_go(void **state) {
  (void)state;
  atomic_store(&over, true);
  atomic_store(&missed, true);
  return agglom_shutdown();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(free_ones, let_go),
                                     cmocka_unit_test_teardown(one_behind_each, let_go),
                                     cmocka_unit_test_teardown(side_by_side, let_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
