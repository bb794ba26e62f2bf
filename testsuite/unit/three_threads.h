/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Three threads that submit, all played by one in turn, so that nothing depends on time; and a batch policy
 * that decides for all of them together what a test says. */
#ifndef THREE_THREADS_H
#define THREE_THREADS_H

#include "fold_task.h"
#include "note_task.h"
#include "shared/runtime.h"
#include "workers/worker.h"

enum { THREADS = 3, EACH = 10 };

static struct ag_runtime *rt;
static struct ag_worker *threads[THREADS];

/* From now on the calling thread is this one. */
static inline void become(int t) { ag_worker_adopt(threads[t]); }

/* The policy launches when a test says so: so many units of the FIFO that is asked first, and as many in all.
 */
static struct ag_batch_decision decided;
static struct ag_batch_view seen; /* the last time that it was asked */

static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  struct ag_batch_decision d = decided;
  (void)choice, (void)state;
  seen = *view;
  d.units = d.units < view->waiting ? d.units : view->waiting;
  return d;
}

static const struct ag_batch_policy told = {
    .name = "told", .decide = decide, .grows = true, .timed = true, .common = true};

static struct agglom_task *const fold_tasks[] = {&fold_task};
static struct agglom_module fold_module = TASK_MODULE("fold.c", fold_tasks);

static inline void begin_with(const char *settings) {
  if (ag_runtime_running())
    skip(); /* another test has failed, and left units that will never be complete */
  char all[200];
  snprintf(all, sizeof all, "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_REPORT=0 %s", settings);
  start_here(all);
  assert_int_equal(agglom_register(&fold_module), 0);
  assert_int_equal(agglom_init(), 0);
  rt = ag_runtime_running();
  rt->policy = &told;
  decided = (struct ag_batch_decision){0};
  threads[0] = ag_worker_mine(rt);
  for (int t = 1; t < THREADS; ++t)
    threads[t] = ag_worker_new(rt, false);
}

/* All that is left runs. */
static inline void end_all(void) {
  decided = (struct ag_batch_decision){.units = UINT64_MAX};
  atomic_store(&let_go, true);
  for (int t = THREADS; t-- > 0;) {
    become(t);
    assert_int_equal(agglom_wait(), 0);
  }
  for (int t = 1; t < THREADS; ++t)
    atomic_store(&threads[t]->orphan, true);
  end_here();
  agglom_unregister(&fold_module);
}

static struct ag_fifo *fifo_of(int t, const struct agglom_task *task) {
  return &threads[t]->queues[task->state->index]->lane[AG_LANE_DEVICE];
}

static inline uint64_t left(int t) { return fifo_of(t, &note_task)->count; }

/* Each thread submits some units: thread t for where[first + t * EACH] and the next ones. */
static inline void all_note(int first) {
  for (int t = 0; t < THREADS; ++t) {
    become(t);
    note(&note_task, first + t * EACH, first + (t + 1) * EACH, 1);
  }
}

#endif /* THREE_THREADS_H */
