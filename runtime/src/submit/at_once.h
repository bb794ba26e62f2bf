/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls whose unit runs in the call, as the function would without the pragma, where there is no device and
 * nothing goes before it: in the body of a CPU-only unit, where nobody else is there, and of short units
 * beside other threads, where these have enough. In host code only what neither submits nor waits: tasks with
 * kernels, and leaves among the CPU-only ones. It costs little more than the function: it has no place in a
 * graph or a queue, and becomes an ag_unit only when it leaves children behind. */
#ifndef AG_AT_ONCE_H
#define AG_AT_ONCE_H

#include "shared/runtime.h"
#include "workers/worker.h"

/* Whether no other thread has a worker. */
static inline bool ag_is_alone(const struct ag_runtime *rt) {
  return !atomic_load_explicit(&rt->workers, memory_order_acquire)->next;
}

/* Runs the body of a call that has begun, by w's thread. What it leaves behind is of a unit of the call's
 * domain from then on. */
void ag_call_run(struct ag_worker *w, union ag_call *call, const void *args,
                 const struct agglom_range *ranges);

/* Runs the unit of a call by w's thread, in a unit's body, if it may run at once: takes no lock. */
bool ag_at_once(struct ag_worker *w, struct agglom_task *task, const void *args,
                const struct agglom_range *ranges, long long priority);

/* The same for a task with a kernel or a leaf, by any thread, which may hold a lock that other tasks want;
 * where there is neither a device nor another thread: nobody would ever run the unit at the same time as
 * something else. A leaf that was given a priority of its own waits, as those with a larger one may come. */
bool ag_at_once_alone(struct ag_worker *w, struct agglom_task *task, const void *args,
                      const struct agglom_range *ranges, long long priority);

/* The same beside other threads: whether the unit of domain d may run in the call, as others have enough, or
 * it is too short to be queued, and it depends on nothing that is not complete. Where there is a device, too,
 * which it is too short for as well; of a leaf, if that has nothing to do. Lock held; not for
 * ag_at_once_run(), which runs it. */
bool ag_at_once_may(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                    const struct agglom_range *ranges, long long priority);
/* The same where all that w's thread has submitted is complete, and units take less than to queue one takes
 * on any machine: without the lock. */
bool ag_at_once_idle(struct ag_worker *w, const struct agglom_task *task, const struct agglom_range *ranges,
                     long long priority);
/* Whether w's thread is to run what waits before it queues one more of the task: each of these units takes
 * less time than to queue it, so calls that follow them can run in place once they are complete. A task with
 * a kernel: what waits in its FIFOs; a leaf: *ready, which it has taken, or where that is NULL others run the
 * last of them now; in a unit's body, only such leaves as this has submitted. Lock held. */
bool ag_at_once_drains(struct ag_worker *w, const struct agglom_task *task, long long priority,
                       struct ag_unit **ready);
/* Runs it. Whether the thread is to look after devices and what waits in its FIFOs: no other may do so. */
bool ag_at_once_run(struct ag_worker *w, struct agglom_task *task, const void *args,
                    const struct agglom_range *ranges);

/* Whether a unit of the task, which has a queue, takes about as long as the thread's next call may keep
 * others waiting. */
bool ag_at_once_is_short(const struct ag_worker *w, const struct agglom_task *task);

/* For each call, first: whether it is worth knowing what it takes to queue it; then tell ag_at_once_queued()
 * if it is. *doubted: it is to be queued, not to run in the call nor to join a unit, since that is no longer
 * known. Lock held. */
bool ag_at_once_times(struct ag_worker *w, const struct agglom_task *task, long long priority, bool *doubted);

/* It took the thread so long. Lock held. */
void ag_at_once_queued(struct ag_worker *w, const struct agglom_task *task, uint64_t ns);

#endif /* AG_AT_ONCE_H */
