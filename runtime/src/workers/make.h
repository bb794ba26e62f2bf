/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call becomes a unit of a worker: its memory, its place in the graph. Nothing here runs work. */
#ifndef AG_MAKE_H
#define AG_MAKE_H

#include "fifo/queues.h"
#include "shared/runtime.h"
#include "workers/worker.h"

#include <errno.h>

/* The worker's queue for the task, made on first use. NULL: no memory. Lock held; is let go for a while. */
struct ag_task_queue *ag_queue_make(struct ag_worker *w, struct agglom_task *task);
static inline struct ag_task_queue *ag_queue_for(struct ag_worker *w, struct agglom_task *task) {
  unsigned index = task->state->index;
  return index < w->n_queues && w->queues[index] ? w->queues[index] : ag_queue_make(w, task);
}

/* A new unit, not yet part of a domain; NULL with *err. Its accesses are made of the ranges, or copied from
 * `known` where that is not NULL. Lock held. Inline, for each submission makes one, most of them with the
 * same known. */
static inline __attribute__((always_inline)) struct ag_unit *
ag_unit_make(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task, const void *args,
             const struct agglom_range *ranges, const struct ag_access *known, long long priority,
             unsigned long long cost, int *err) {
  struct ag_runtime *rt = w->rt;
  struct ag_task_queue *q = ag_queue_for(w, task);
  struct ag_unit *u = q ? ag_pool_take(&q->units) : NULL;
  *err = -ENOMEM;
  if (!u)
    return NULL;
  *err = known ? ag_sections_copy(u->access, known, task->n_sections)
               : ag_unit_check(task, ranges, u->access, d->said);
  bool cpu_only = ag_task_is_cpu_only(task);
  if (*err) {
    ag_pool_give(&q->units, u);
    return NULL;
  }
  ag_unit_fill(u, task, args, priority, cost, rt->n_accelerators && !cpu_only);
  u->queue = q;
  u->domain = d;
  u->seq = ++w->seq;
  if (rt->n_accelerators && !cpu_only && !ag_batch_fits_alone(u->footprint, &rt->caps)) {
    u->lane = AG_LANE_CPU;
    ag_runtime_miss_room(rt, task, u->footprint);
  }
  if (!(task->flags & AGGLOM_TASK_INDEPENDENT))
    *err = ag_graph_insert(&d->graph, &w->store, u);
  if (*err) {
    ag_graph_detach(&w->store, u);
    ag_unit_release(task, u->access);
    u->seq = 0; /* what was recorded of it is stale */
    u->state = AG_UNIT_FREE;
    ag_pool_give(&q->units, u);
    return NULL;
  }
  return u;
}

/* u is part of the domain from now on. Lock held. */
static inline void ag_unit_join(struct ag_worker *w, struct ag_domain *d, struct ag_unit *u) {
  u->live_prev = NULL;
  u->live_next = d->live;
  *(d->live ? &d->live->live_prev : &d->oldest) = u;
  d->live = u;
  d->independent += (u->task->flags & AGGLOM_TASK_INDEPENDENT) != 0;
  ag_worker_lives(w, 1);
  w->live_bytes += ag_unit_bytes(u);
  ++u->queue->live;
}

/* Makes w's queue for the task, by w's own thread, before other threads submit units of the task to w. False
 * without memory. */
bool ag_queue_ready(struct ag_worker *w, struct agglom_task *task);

/* A unit of the worker w's domain d, made of what was captured of a call: the accesses become the unit's own.
 * It has not entered any FIFO. NULL, and nothing has happened, when there is no memory. The lock of w is
 * held, and may be let go for a while. */
struct ag_unit *ag_unit_make_captured(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                                      const void *args, const struct ag_access *access, long long priority,
                                      unsigned long long cost);

/* Makes the records of w's streams units in its FIFOs, where devices are used; all: also those of tasks with
 * a kernel for a device. Lock held. */
void ag_make_from_streams(struct ag_worker *w, bool all);

#endif /* AG_MAKE_H */
