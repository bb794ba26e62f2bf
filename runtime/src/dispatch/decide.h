/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the policies say of a FIFO for devices: whether a launch is due, how much of it, and what a CPU takes
 * instead. A policy that decides for the FIFOs of all threads together is shown what they hold in all, and
 * remembers what it has seen with the task; others are shown this FIFO, and remember it there. */
#ifndef AG_DECIDE_H
#define AG_DECIDE_H

#include "policy/launch/decide.h"
#include "shared/runtime.h"
#include "workers/worker.h"

/* Whether batches of this task are shared out between CPUs and a device when they are due. */
bool ag_decide_shares_out(const struct ag_runtime *rt, const struct agglom_task *task);

/* Whether its batches are made of the FIFOs of all threads. */
bool ag_decide_is_common(const struct ag_runtime *rt, const struct agglom_task *task);

/* Asks the policies about the queue's FIFO for devices, which is not empty, on behalf of w's thread. That has
 * time, unless the event says otherwise (ag_batch_is_busy()). Lock of the queue's worker held. */
struct ag_decided ag_decide(const struct ag_worker *w, struct ag_task_queue *queue,
                            enum ag_batch_event event);

/* Whether of some task in w's queues all units of a step have come, and some wait: a launch is due before w's
 * thread turns to other things. After a yes the answer is no for AG_ASK_NS, as nothing may be due after all.
 * Lock of w held. */
bool ag_decide_any_whole(struct ag_worker *w);

/* Some units leave for a launch, so the rest may be due. The lock of the queue's worker is held. */
void ag_decide_look_again(struct ag_task_queue *queue);

/* Units have left for a launch, all that the decision was about: units that still wait have come since. Lock
 * of the queue's worker held. */
void ag_decide_launched(struct ag_task_queue *queue);

/* More units have joined the same launch. Lock of the queue's worker held. */
void ag_decide_gone(struct ag_task_queue *queue);

/* The thread of w submits nothing for a while. For its thread; its lock is held. */
void ag_decide_pauses(struct ag_worker *w);

#endif /* AG_DECIDE_H */
