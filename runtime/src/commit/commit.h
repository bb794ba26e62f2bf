/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of a unit's life. Outputs of a device batch reach host memory here and only here, after the device
 * has said that all of it succeeded. Otherwise the host's copy is still the truth, and the units go again: on
 * the device in batches of half the size, so that in the end only what fails by itself is left, and that runs
 * on the CPU; all of them run there when the device is lost, or when nothing succeeds on it any more. Either
 * way each unit takes effect once, and then its successors are released. */
#ifndef AG_COMMIT_H
#define AG_COMMIT_H

#include "shared/slot.h"
#include "workers/worker.h"

/* Looks whether batches are over and commits those; true when there was one. w: the calling thread's. */
bool ag_commit_poll(struct ag_runtime *rt, struct ag_worker *w);

/* A batch that could not be launched, or has failed: queues its units again or runs them on the CPU, and
 * gives its slot back. broken: some of its work may still be under way. */
void ag_commit_failed(struct ag_worker *w, struct ag_slot *slot, int err, bool broken);

/* Runs a batch on the CPU and completes it; the batch is not used afterwards. */
void ag_commit_on_cpu(struct ag_worker *w, struct ag_batch *batch);

/* Completes units of `of` that other threads have run. A thread of the pool leaves those that it has run to
 * the thread that submitted them, unless somebody sleeps until they are complete: that one has them in its
 * caches, and its lock for itself. It looks at each submission, and when it waits. Any thread, no lock held.
 */
bool ag_commit_ended(struct ag_worker *of);

/* The same by a thread w that has time, if the one that submitted them has not looked for some microseconds,
 * or w is about to sleep. */
bool ag_commit_ended_of_other(const struct ag_worker *w, struct ag_worker *of);

/* Completes what the thread w has left to others, if they have not: before it begins what may take long, as
 * all other threads may sleep, and not know of what that releases. */
void ag_commit_left(struct ag_worker *w);

/* Claims units of the streams of `of`, runs them and completes them. False when there are none. */
bool ag_commit_claim(struct ag_worker *w, struct ag_worker *of, enum ag_reason reason);

/* Calls the body of a CPU-only unit. Returns the domain of what that has submitted; NULL: it has nothing. */
struct ag_domain *ag_commit_body(struct ag_worker *w, struct ag_unit *u, const void *args);

/* The body of a call has returned, and left d: what it has submitted. What is not complete of that is from
 * now on of a unit of the domain `of`, whose worker may be another one, and which is complete when d is.
 * False: no memory for the unit; d is to be waited for, and given back. */
bool ag_commit_leave(struct ag_worker *w, struct ag_domain *of, struct agglom_task *task, const void *args,
                     const struct agglom_range *ranges, struct ag_domain *d);

/* Runs one CPU-only unit and completes it, or lets its last child do so. */
void ag_commit_run(struct ag_worker *w, struct ag_unit *u);

#endif /* AG_COMMIT_H */
