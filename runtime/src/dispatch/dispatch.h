/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which FIFO goes next, where, and how much of it; and what is worth the while of which CPU. A thread
 * dispatches for its own worker, from its own FIFOs or from those of others. */
#ifndef AG_DISPATCH_H
#define AG_DISPATCH_H

#include "policy/split.h"
#include "workers/worker.h"

struct ag_slot;

enum {
  /* A CPU takes what is there / (AG_CPU_SHARE x CPUs), so that others find some too. */
  AG_CPU_SHARE = 2,
  AG_CPU_MOST = 1024 /* units of a CPU batch */
};

/* Launches or runs units of a FIFO of `of` if the policy wants to, by the calling thread's worker w. With
 * cpu_side: only what runs on the CPU anyway. */
bool ag_worker_dispatch(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event, bool cpu_side);

/* Runs a unit of a task that w has submitted and no CPU has run yet, so that it is known what that takes;
 * only one thread at a time does. For AGGLOM_SPLIT=auto. */
bool ag_worker_try_on_cpu(struct ag_worker *w);

/* Launches the batch that was formed in the slot. */
void ag_worker_launch(struct ag_worker *w, struct ag_slot *slot);

/* Units in the FIFOs and streams of all workers. */
uint64_t ag_worker_queued(struct ag_runtime *rt);

/* Whether what is in a FIFO is as much as one launch can take. Lock held. */
bool ag_worker_full(const struct ag_worker *w, const struct ag_fifo *fifo);

/* Whether one part in `shares` of so many units of a queue is worth the while of another CPU than the one
 * that submits them. Moving units costs more than they do themselves when they are few and short. */
static inline bool ag_worker_worth(const struct ag_queue *queue, uint64_t units, uint64_t shares) {
  uint64_t ns = atomic_load_explicit(&queue->cpu_ns, memory_order_relaxed);
  return !ns || units * ns >= AG_CPU_WORTH_NS * shares;
}

/* Whether nothing has arrived since another thread found too little there, so that it is left to that one
 * after all. The lock of what was found there held. */
bool ag_worker_away(struct ag_left *left, uint64_t arrivals);

/* So many units of the queue took so long on a CPU. A spike counts little. */
void ag_worker_measured(struct ag_queue *queue, uint64_t units, uint64_t ns);

#endif /* AG_DISPATCH_H */
