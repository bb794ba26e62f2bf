/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dispatch/join.h"

#include "dispatch/dispatch.h"
#include "fifo/queues.h"
#include "policy/launch/join.h"
#include "shared/runtime.h"
#include "workers/load.h"
#include "workers/make.h"

void ag_join_gone(struct ag_task_queue *queue, struct ag_fifo *fifo, uint64_t n, bool for_device) {
  struct ag_worker *of = queue->worker;
  struct ag_runtime *rt = of->rt;
  if (for_device && rt->policy->launched)
    rt->policy->launched(&rt->config.batch, &fifo->policy, n);
  ag_load_queued(of, fifo, fifo->item_ns);
  fifo->kept_for_devices -= fifo->kept_for_devices < n ? fifo->kept_for_devices : n;
  if (!for_device)
    fifo->kept_for_cpus -= fifo->kept_for_cpus < n ? fifo->kept_for_cpus : n;
  ag_worker_count(of, -n);
}

/* Whether units of other workers' FIFOs may join the batch. */
static bool is_joint(const struct ag_runtime *rt, const struct ag_batch *batch) {
  return ag_decide_is_common(rt, batch->task) && ag_batch_mixes(batch);
}

static uint64_t in_queue(const struct ag_task_queue *queue) {
  struct ag_fifo_facts facts = ag_queue_facts(queue);
  return facts.units + facts.streamed;
}

/* Lets units of a queue join the batch. Returns how many. late: the batch has been staged; units may follow
 * its units, and kept_for_cpus is known. Else the units of but_for at the front are left to CPUs: with
 * *carry, the rest of the queues before, they make 2.6, two stay here and 0.6 is carried on. */
static unsigned join(struct ag_batch *batch, struct ag_task_queue *queue, bool late,
                     struct ag_sizes_front but_for, double *carry) {
  struct ag_worker *of = queue->worker;
  struct ag_fifo *fifo = &queue->lane[AG_LANE_DEVICE];
  struct ag_caps caps = of->rt->caps;
  unsigned n = 0;
  ag_lock(&of->lock);
  ag_make_from_streams(of, true);
  uint64_t before = fifo->count;
  if (!late) {
    *carry += ag_sizes_in_front(&fifo->sizes, but_for);
    fifo->kept_for_cpus = (uint64_t)*carry < fifo->count ? (uint64_t)*carry : fifo->count;
    *carry -= (double)fifo->kept_for_cpus;
  }
  caps.skip = fifo->kept_for_cpus;
  if (late)
    n = ag_batch_grow(batch, fifo, &caps);
  else if (!fifo->stalled)
    n = ag_batch_join(batch, fifo, &caps);
  ag_worker_count(of, fifo->count + n - before); /* successors of these have entered the FIFO */
  if (n) {
    ag_fifo_gone(fifo);
    ag_join_gone(queue, fifo, n, true);
  }
  ag_unlock(&of->lock);
  return n;
}

/* Units of all queues but the one that the batch began with. */
static unsigned join_others(struct ag_batch *batch, bool late, struct ag_sizes_front but_for) {
  const struct ag_task_queue *first = batch->units[0]->queue;
  double carry = 0;
  unsigned n = 0;
  for (struct ag_task_queue *q = ag_queues_of(batch->task); q && batch->n_units < batch->most;
       q = q->next_of_task)
    if (q != first && (late || in_queue(q)))
      n += join(batch, q, late, but_for, &carry);
  return n;
}

void ag_join_others(struct ag_batch *batch, const struct ag_decided *decided) {
  struct ag_task_queue *first = batch->units[0]->queue;
  if (!is_joint(first->worker->rt, batch) || !join_others(batch, false, decided->front) || decided->rest)
    return;
  ag_lock(&first->worker->lock);
  ag_decide_gone(first);
  ag_unlock(&first->worker->lock);
}

/* Lets successors of the batch's units enter their FIFO, if they may join the batch. */
static void let_follow(struct ag_batch *batch) {
  for (unsigned k = 0; k < batch->n_units;) {
    struct ag_task_queue *queue = batch->units[k]->queue;
    const struct ag_fifo *fifo = &queue->lane[AG_LANE_DEVICE];
    ag_lock(&queue->worker->lock);
    uint64_t before = fifo->count;
    k = ag_batch_follow(batch, k);
    ag_worker_count(queue->worker, fifo->count - before);
    ag_unlock(&queue->worker->lock);
  }
}

bool ag_join_late(struct ag_batch *batch, bool busy) {
  struct ag_task_queue *first = batch->units[0]->queue;
  struct ag_worker *w = first->worker;
  struct ag_runtime *rt = w->rt;
  struct ag_join_facts facts = {.units = batch->n_units,
                                .most = batch->most,
                                .busy = busy,
                                .shared_out = ag_decide_shares_out(rt, batch->task)};
  if (!ag_join_may(rt->policy, &facts))
    return false;
  bool joint = is_joint(rt, batch);
  for (const struct ag_task_queue *q = joint ? ag_queues_of(batch->task) : NULL; q; q = q->next_of_task)
    facts.others += q != first ? in_queue(q) : 0;
  ag_lock(&w->lock);
  ag_make_from_streams(w, true);
  const struct ag_fifo *fifo = &first->lane[AG_LANE_DEVICE];
  facts.own = fifo->count;
  facts.for_cpus = fifo->kept_for_cpus;
  facts.come = w->seq - batch->formed_seq;
  bool enough = ag_join_wanted(rt->policy, &facts);
  if (enough)
    batch->formed_seq = w->seq;
  ag_unlock(&w->lock);
  if (!enough)
    return false;
  let_follow(batch);
  unsigned joined = join(batch, first, true, AG_SIZES_NONE, NULL);
  if (joint)
    joined += join_others(batch, true, AG_SIZES_NONE);
  if (joined) {
    ag_batch_lay_out(batch, &rt->caps);
    ag_lock(&w->lock);
    ag_decide_gone(first);
    ag_unlock(&w->lock);
  }
  batch->record.joined += joined;
  return joined;
}
