/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Submitting on behalf of another thread, and how much a thread may submit. */
#ifndef AG_SUBMIT_H
#define AG_SUBMIT_H

#include "workers/worker.h"

enum {
  /* Back-pressure: a thread that has so many incomplete units helps to run work before it submits more.
   * Without devices large batches win nothing, and few units for each CPU stay in its caches. */
  AG_MOST_LIVE = 1 << 16,
  AG_MOST_LIVE_PER_CPU = 1 << 11
};

/* Makes what units of the task need in w, whose thread this is, before other threads submit them. False
 * without memory. */
bool ag_submit_ready(struct ag_worker *w, struct agglom_task *task);

/* A unit of the worker w's domain d, made of what was captured of a call: the accesses become the unit's own.
 * It has not entered any FIFO. NULL, and nothing has happened, when there is no memory. The lock of w is
 * held, and may be let go for a while. */
struct ag_unit *ag_submit_captured(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                                   const void *args, const struct ag_access *access, long long priority,
                                   unsigned long long cost);

/* Makes the records of w's streams units in its FIFOs, where devices are used; all: also those of tasks with
 * a kernel for a device. Lock held. */
void ag_worker_move_streams(struct ag_worker *w, bool all);

/* Waits for what the context of w, whose thread this is, has submitted; for that of all host threads. Errors
 * stay for agglom_wait(). */
void ag_wait_for_own(struct ag_worker *w);
void ag_wait_for_all(struct ag_worker *w);

/* Before the thread submits more: back-pressure. */
void ag_worker_throttle(struct ag_worker *w);

#endif /* AG_SUBMIT_H */
