/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "workers/make.h"

#include "fifo/queues.h"
#include "shared/runtime.h"
#include "sys/thread.h"
#include "workers/streams.h"

#include <errno.h>
#include <stdlib.h>

struct ag_task_queue *ag_queue_make(struct ag_worker *w, struct agglom_task *task) {
  struct ag_runtime *rt = w->rt;
  unsigned index = task->state->index;
  if (!(task->flags & AGGLOM_TASK_CPU_ONLY)) {
    /* Loading the kernel may take long; better now than when a batch is formed. */
    AG_UNCANCELLED;
    ag_unlock(&w->lock);
    ag_runtime_on_device(rt, task, AG_LANE_DEVICE);
    ag_runtime_miss_device(rt, task);
    ag_lock(&w->lock);
  }
  if (index >= w->n_queues) {
    unsigned n = index + 8;
    struct ag_task_queue **grown = realloc(w->queues, n * sizeof *grown);
    if (!grown)
      return NULL;
    for (unsigned i = w->n_queues; i < n; ++i)
      grown[i] = NULL;
    w->queues = grown;
    w->n_queues = n;
  }
  struct ag_task_queue *q = calloc(1, sizeof *q);
  if (!q)
    return NULL;
  q->task = task;
  q->worker = w;
  for (unsigned l = 0; l < AG_N_LANES; ++l)
    q->lane[l].of = &w->fifos;
  w->n_known = 0;
  ag_stream_init(rt, q);
  ag_pool_init(&q->units, task->state->unit_size, task->state->unit_align);
  ag_pool_init(&q->more, ag_more_args(task) + (AG_MOST_CALLS - 1) * (size_t)task->args_size,
               task->args_align);
  ag_queue_enlist(q);
  return w->queues[index] = q;
}

bool ag_queue_ready(struct ag_worker *w, struct agglom_task *task) {
  ag_lock(&w->lock);
  bool ready = ag_queue_for(w, task);
  ag_unlock(&w->lock);
  return ready;
}

struct ag_unit *ag_unit_make_captured(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                                      const void *args, const struct ag_access *access, long long priority,
                                      unsigned long long cost) {
  int err;
  struct ag_unit *u = ag_unit_make(w, d, task, args, NULL, access, priority, cost, &err);
  if (!u)
    return NULL;
  ag_unit_join(w, d, u);
  ++u->queue->untold;
  return u;
}

/* A record becomes a unit. False: no memory. */
static bool take_record(struct ag_worker *w, struct ag_task_queue *q, const struct ag_record *r,
                        const void *args, const struct agglom_range *ranges) {
  int err;
  struct ag_unit *u = ag_unit_make(w, r->domain, q->task, args, ranges, NULL, r->priority, r->cost, &err);
  if (!u)
    return false;
  ++w->moved;
  ag_unit_join(w, r->domain, u);
  ag_worker_enter(w, u);
  return true;
}

void ag_make_from_streams(struct ag_worker *w, bool all) {
  if (!ag_runtime_uses_devices(w->rt) || !ag_stream_waiting(w))
    return;
  for (unsigned i = 0; i < w->n_queues; ++i) {
    struct ag_task_queue *q = w->queues[i];
    if (q && q->stream.open && q->stream.to_fifo &&
        (all || !ag_runtime_on_device(w->rt, q->task, AG_LANE_DEVICE)))
      ag_stream_move(w, q, take_record);
  }
}
