/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What CPU units have to do, as AGGLOM_SPLIT=auto sees it. */
#include "load.h"
#include "note_task.h"
#include "runtime.h"
#include "sys/clock.h"

#define HOUR_NS 3600000000000

static struct ag_runtime *rt;
static struct ag_worker *mine;

static bool near(double x, double y) { return x >= 0.99 * y && x <= 1.01 * y; }

static void begin_here(const char *environment) {
  start_here(environment);
  assert_int_equal(agglom_init(), 0);
  rt = ag_runtime_running();
  mine = ag_worker_mine(rt);
}

static struct ag_fifo *fifo_of(const struct agglom_task *task) {
  return &mine->queues[task->state->index]->lane[AG_LANE_DEVICE];
}

static struct ag_split_cpus shown(bool self) {
  pthread_mutex_lock(&mine->lock);
  struct ag_split_cpus load = ag_load_show(rt, fifo_of(&note_task), self);
  pthread_mutex_unlock(&mine->lock);
  return load;
}

/* One thread says what it does, one after the other and one inside the other. */
static void threads_are_counted(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 10, 1);
  struct ag_split_cpus load = shown(false);
  assert_int_equal(load.ready, 0);
  assert_int_equal(load.others, 0);
  assert_int_equal(shown(true).ready, 1);
  struct ag_load_before outer = ag_load_begin(mine, AG_DOES_SHARE, HOUR_NS);
  load = shown(false);
  assert_int_equal(load.ready, 1);
  assert_true(near(load.ready_ns, (double)HOUR_NS) && load.others == 0 && load.begun_ns == 0);
  assert_int_equal(shown(true).ready, 1); /* there are no more */
  struct ag_load_before inner = ag_load_begin(mine, AG_DOES_OTHERS, 2 * HOUR_NS);
  load = shown(false);
  assert_int_equal(load.others, 1);
  assert_true(near(load.begun_ns, 2.0 * (double)HOUR_NS) && load.ready == 0 && load.ready_ns == 0);
  ag_load_end(mine, inner);
  assert_true(shown(false).ready == 1 && near(shown(false).ready_ns, (double)HOUR_NS));
  ag_load_end(mine, outer);
  assert_int_equal(shown(false).ready, 0);
  ag_load_begin(mine, AG_DOES_OTHERS, 1); /* it takes longer than was believed */
  while (shown(false).begun_ns > 0)
    ;
  assert_int_equal(shown(false).others, 1);
  ag_load_begin(mine, AG_DOES_NOTHING, 0);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* What ready units have to do goes before the others or behind them, by what such took in the mean. */
static void ready_units_are_counted(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 1, 1);
  atomic_store(&rt->cpu_only.high_ns, 7000);
  atomic_store(&rt->cpu_only.low_ns, 5000);
  atomic_store(&rt->ready.high.count, 3);
  atomic_store(&rt->ready.low.count, 2);
  struct ag_split_cpus load = shown(true);
  atomic_store(&rt->ready.high.count, 0);
  atomic_store(&rt->ready.low.count, 0);
  assert_true(near(load.before_ns, 21000) && near(load.after_ns, 10000));
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* Units for CPUs alone are measured by class, where that is of use. */
static void ends_are_measured(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  assert_true(ag_load_wanted(rt));
  uint64_t begun = ag_clock_ns();
  struct ag_load_unit unit = ag_load_unit_begins(mine, true);
  assert_int_equal(atomic_load(&mine->load.doing), AG_DOES_OTHERS);
  ag_load_unit_ends(mine, true, unit);
  assert_int_equal(atomic_load(&mine->load.doing), AG_DOES_NOTHING);
  uint64_t first = atomic_load(&rt->cpu_only.high_ns);
  assert_true(first > 0 && first <= 1 + ag_clock_ns() - begun);
  assert_int_equal(atomic_load(&rt->cpu_only.low_ns), 0);
  unit = ag_load_unit_begins(mine, true);
  unit.begun_ns -= 8 * HOUR_NS; /* a late one counts an eighth */
  ag_load_unit_ends(mine, true, unit);
  assert_true(near((double)atomic_load(&rt->cpu_only.high_ns), (double)HOUR_NS));
  unit = ag_load_unit_begins(mine, true);
  ag_load_unit_ends(mine, true, unit);
  assert_true(near((double)atomic_load(&rt->cpu_only.high_ns), 7.0 / 8 * (double)HOUR_NS));
  end_here();
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=items");
  assert_false(ag_load_wanted(rt));
  assert_int_equal(ag_load_unit_begins(mine, true).begun_ns, 0);
  assert_int_equal(atomic_load(&mine->load.doing), AG_DOES_NOTHING);
  end_here();
}

/* What two FIFOs hold is compared by the time that CPUs need for it. */
static void fifos_are_compared(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 10, 2);
  note(&gpu_note_task, 10, 15, 4);
  pthread_mutex_lock(&mine->lock);
  ag_load_queued(mine, fifo_of(&note_task), 100);
  assert_true(ag_load_show(rt, fifo_of(&note_task), true).more == 0);
  ag_load_queued(mine, fifo_of(&gpu_note_task), 300);
  assert_true(near(ag_load_show(rt, fifo_of(&note_task), true).more, 3)); /* 6000 beside 2000 */
  assert_true(near(ag_load_show(rt, fifo_of(&gpu_note_task), true).more, 1.0 / 3));
  ag_load_queued(mine, fifo_of(&gpu_note_task), 0); /* nothing is known of it any more */
  assert_true(ag_load_show(rt, fifo_of(&note_task), true).more == 0);
  ag_load_queued(mine, fifo_of(&note_task), 1e300);
  assert_true(near((double)atomic_load(&mine->load.queued_ns), 24.0 * (double)HOUR_NS));
  pthread_mutex_unlock(&mine->lock);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(atomic_load(&mine->load.queued_ns), 0);
  end_here();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_are_counted), cmocka_unit_test(ready_units_are_counted),
      cmocka_unit_test(ends_are_measured), cmocka_unit_test(fifos_are_compared)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
