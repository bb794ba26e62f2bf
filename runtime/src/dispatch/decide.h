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

/* Asks about the queue's FIFO for devices, in which there is something, for the thread of w, which has time
 * unless the event is that it submits. The lock of the queue's worker is held. */
struct ag_decided ag_decide(const struct ag_worker *w, struct ag_task_queue *queue,
                            enum ag_batch_event event);

/* Whether all units of a step have come of a task of which w has submitted some, and some wait: so a launch
 * is due before w, its thread, has better things to do. Says so once, then for a while no more, as nothing
 * may be due after all. The lock of w is held. */
bool ag_decide_any_whole(struct ag_worker *w);

/* Some units leave for a launch, so the rest may be due. The lock of the queue's worker is held. */
void ag_decide_look_again(struct ag_task_queue *queue);

/* Units have left for a launch: all that it was about, so that those which still wait have come since. The
 * lock of the queue's worker is held. */
void ag_decide_launched(struct ag_task_queue *queue);

/* More of them have left for the same launch. */
void ag_decide_gone(struct ag_task_queue *queue);

/* The thread of w submits nothing for a while. For its thread; its lock is held. */
void ag_decide_pauses(struct ag_worker *w);

#endif /* AG_DECIDE_H */
