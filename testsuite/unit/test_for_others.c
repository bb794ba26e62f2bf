/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a thread does with units of another one, and leaves to it. One thread plays all of them, so nothing
 * depends on time. */
#include "dispatch/decide.h"
#include "dispatch/dispatch.h"
#include "fifo/queues.h"
#include "measure/measure.h"
#include "three_threads.h"
#include "workers/make.h"
#include "workers/streams.h"

/* What is not worth its while a CPU unit leaves to the thread that submits, unless that has gone away. */
static void who_has_gone_away(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  struct ag_model *m = ag_task_model_lock(&note_task);
  *m = (struct ag_model){.cpu_ns = 100, .cpu_known = 9};
  m->device[0].times = (struct ag_batch_times){1e9, 1, 0, AG_FORM_LINE};
  ag_task_model_unlock(&note_task);
  become(0);
  note(&note_task, 0, EACH, 1);
  become(1);
  struct ag_fifo *fifo = fifo_of(0, &note_task);
  assert_false(ag_dispatch_one(threads[1], threads[0], AG_ON_NO_HIGH, false));
  fifo->away = (struct ag_away){EACH - 1, 1}; /* it has submitted one since then */
  assert_false(ag_dispatch_one(threads[1], threads[0], AG_ON_NO_HIGH, false));
  fifo->away = (struct ag_away){EACH, 1};
  assert_true(ag_dispatch_one(threads[1], threads[0], AG_ON_NO_HIGH, false));
  assert_int_equal(where[0], ON_CPU);
  end_all();
}

/* Who launches all that another thread has left, which has ended, says so to the policy, and does not itself
 * pause. */
static void ended_threads_do_not_pause_others(void **state) {
  (void)state;
  begin_with("");
  all_note(0);
  atomic_store(&threads[2]->orphan, true);
  become(0);
  assert_false(ag_dispatch_one(threads[0], threads[2], AG_ON_WAIT, false));
  assert_int_equal(seen.event, AG_ON_WAIT);
  become(1);
  assert_false(ag_dispatch_one(threads[1], threads[1], AG_ON_WAIT, false));
  assert_true(seen.others); /* the first one submits */
  assert_int_equal(note_task.state->measured->asked[0].batch.phase.last, 0);
  atomic_store(&threads[2]->orphan, false);
  end_all();
}

/* Units of a stream stay records when another thread looks. */
static void looks_make_no_units(void **state) {
  (void)state;
  begin_with("");
  become(0);
  note(&free_note_task, 0, EACH, 1);
  uint64_t records = ag_stream_waiting(threads[0]), units = threads[0]->live;
  assert_true(records > 0);
  become(1);
  assert_false(ag_dispatch_one(threads[1], threads[0], AG_ON_NO_HIGH, true));
  assert_int_equal(ag_stream_waiting(threads[0]), records);
  assert_int_equal(threads[0]->live, units);
  end_all();
}

/* A CPU unit that leaves a part of what waits wakes another one, before it begins. */
static _Atomic unsigned before, woken;

static void wakes_cpu(const void *const *args, unsigned long n) {
  atomic_store(&woken, atomic_load(&ag_runtime_running()->wakes) - atomic_load(&before));
  note_cpu(args, n);
}

static void others_get_some(void **state) {
  (void)state;
  for (int all = 0; all < 2; ++all) {
    note_task.cpu = wakes_cpu;
    begin_with("AGGLOM_SPLIT=cpu");
    become(0);
    note(&note_task, 0, all ? 100 : 4000, 1);
    atomic_store(&threads[0]->queues[note_task.state->index]->cpu_ns, AG_CPU_WORTH_NS); /* worth moving */
    atomic_fetch_add(&rt->sleepers, 1);                                                 /* so to speak */
    atomic_store(&before, atomic_load(&rt->wakes));
    assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_WAIT, false));
    assert_int_equal(atomic_load(&woken), !all);
    atomic_fetch_sub(&rt->sleepers, 1);
    end_all();
    note_task.cpu = note_cpu;
  }
}

int main(void) {
  const struct CMUnitTest cases[] = {
      cmocka_unit_test(who_has_gone_away),
      cmocka_unit_test(ended_threads_do_not_pause_others),
      cmocka_unit_test(looks_make_no_units),
      cmocka_unit_test(others_get_some),
  };
  int failed = cmocka_run_group_tests(cases, NULL, NULL);
  fflush(NULL);
  if (failed)
    _Exit(1); /* without waiting for those units */
  return 0;
}
