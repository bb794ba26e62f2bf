/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which FIFO goes next, where, and how much of it; and what is worth the while of which CPU. A thread
 * dispatches for its own worker, from its own FIFOs or from those of others. */
#ifndef AG_DISPATCH_H
#define AG_DISPATCH_H

#include "workers/worker.h"

struct ag_slot;

/* Launches or runs units of a FIFO of `of` if the policy wants to, by the calling thread's worker w; false:
 * it did neither. With cpu_side: only what runs on the CPU anyway. No lock held. */
bool ag_dispatch_one(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event, bool cpu_side);

/* The thread of w, which calls this, submits nothing for now: the step ends for the policy. */
void ag_dispatch_pauses(struct ag_worker *w);

/* Runs one unit of w if no CPU has run a unit of that task yet, so that its time on CPUs gets known. One
 * thread at a time does so for a task. submits: it has better things to do, and does so only where it is
 * known what devices take. For AGGLOM_SPLIT=auto. */
bool ag_dispatch_trial(struct ag_worker *w, bool submits);

/* Forms a batch of the FIFOs of `of` for w, by the thread of `of`, whose lock is held; false: there is none
 * that is worth the while of w's thread. AG_ON_SUBMIT: a launch that is due; else what w would have found
 * with AG_ON_NO_HIGH. Then the thread of w launches or runs it by ag_dispatch_dealt(). */
bool ag_dispatch_deal(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event);
void ag_dispatch_dealt(struct ag_worker *w);

/* Launches the batch that was formed in the slot. */
void ag_dispatch_launch(struct ag_worker *w, struct ag_slot *slot);

/* Whether what is in a FIFO is as much as one launch can take. Lock held. */
bool ag_dispatch_full(const struct ag_worker *w, const struct ag_fifo *fifo);

/* How much of the memory of one launch the FIFO's units need; more than 1: they need more than that. */
double ag_dispatch_filled(const struct ag_worker *w, const struct ag_fifo *fifo);

#endif /* AG_DISPATCH_H */
