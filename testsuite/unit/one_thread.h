/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One thread that submits and plays the others as well, step by step, so that nothing depends on time. */
#ifndef ONE_THREAD_H
#define ONE_THREAD_H

#include "commit/commit.h"
#include "note_task.h"
#include "shared/runtime.h"
#include "workers/worker.h"

static struct ag_runtime *rt;
static struct ag_worker *mine, *other; /* of this thread, and of one that only this test knows */

static inline void begin_here(const char *settings) {
  if (ag_runtime_running())
    skip(); /* another test has failed, and left units that will never be complete */
  start_here(settings);
  assert_int_equal(agglom_init(), 0);
  rt = ag_runtime_running();
  mine = ag_worker_mine(rt);
  other = ag_worker_new(rt, false);
  assert_non_null(mine);
  assert_non_null(other);
}

static inline struct ag_fifo *fifo_of(const struct agglom_task *task) {
  return &mine->queues[task->state->index]->lane[AG_LANE_DEVICE];
}

/* All that the device can have, until it is let go. */
static inline void keep_busy(void) {
  for (unsigned i = 0; i < AG_SLOTS; ++i)
    assert_int_equal(agglom_submit(&hold_task, "", NULL, 0, 1), 0);
  assert_int_equal(ag_accelerator_taken(&rt->accelerators[0]), AG_SLOTS);
}

static inline void until_free(void) {
  atomic_store(&let_go, true);
  while (ag_accelerator_taken(&rt->accelerators[0]))
    ag_commit_poll(rt, mine);
}

#endif /* ONE_THREAD_H */
