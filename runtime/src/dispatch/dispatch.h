/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which FIFO goes next, where, and how much of it; and what is worth the while of which CPU. A thread
 * dispatches for its own worker, from its own FIFOs or from those of others. */
#ifndef AG_DISPATCH_H
#define AG_DISPATCH_H

#include "policy/launch/cpus.h"
#include "workers/worker.h"

struct ag_slot;

/* Launches or runs units of a FIFO of `of` if the policy wants to, by the calling thread's worker w; false:
 * it did neither. With cpu_side: only what runs on the CPU anyway. No lock held. */
bool ag_dispatch_one(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event, bool cpu_side);

/* The thread of w, which calls this, submits nothing for now: the step ends for the policy. */
void ag_dispatch_pauses(struct ag_worker *w);

/* Runs one unit of w if no CPU has run a unit of that task yet, so that its time on CPUs gets known. One
 * thread at a time does so for a task. For AGGLOM_SPLIT=auto. */
bool ag_dispatch_trial(struct ag_worker *w);

/* The FIFO of `of` that goes first among those that have not been tried in this round; NULL: none is left.
 * Lock of `of` held. */
struct ag_fifo *ag_dispatch_next(struct ag_worker *of, uint64_t round);

/* Forms a batch of so many units of a FIFO of `of` for the CPU of w; false: none can be taken. Its lock is
 * held. ag_dispatch_run() runs it, by the thread of w. */
bool ag_dispatch_form(struct ag_worker *w, struct ag_worker *of, struct ag_fifo *fifo,
                      struct ag_cpu_share share);
void ag_dispatch_run(struct ag_worker *w);

/* Launches the batch that was formed in the slot. */
void ag_dispatch_launch(struct ag_worker *w, struct ag_slot *slot);

/* Whether what is in a FIFO is as much as one launch can take. Lock held. */
bool ag_dispatch_full(const struct ag_worker *w, const struct ag_fifo *fifo);

#endif /* AG_DISPATCH_H */
