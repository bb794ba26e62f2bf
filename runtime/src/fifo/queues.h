/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The queues of one task, one for each worker that has submitted units of it, and what waits in them all
 * together.
 *
 * A queue is pushed when it is made and stays until the task or the runtime ends, so the list is walked
 * without a lock of its own: while a unit of the task is incomplete, under the lock of a worker that has a
 * queue of it, or with the registry's lock. What waits is read without a lock too; the numbers of one queue
 * may be of different moments then.
 */
#ifndef AG_QUEUES_H
#define AG_QUEUES_H

#include "fifo/fifo.h"
#include "policy/launch/cpus.h"
#include "policy/launch/waiting.h"
#include "policy/split/split.h"
#include "sys/relaxed.h"

/* A new queue, of a worker (its lock held), for q->task. */
void ag_queue_enlist(struct ag_task_queue *q);

void ag_queue_free(struct ag_task_queue *q);

/* Empties the task's list of queues, all of which have been freed. */
void ag_queues_forget(struct agglom_task_state *state);

/* The first queue of the task; the others follow by next_of_task. */
struct ag_task_queue *ag_queues_of(const struct agglom_task *task);

/* What waits for devices in one queue, and in all queues of a task; the facts' `active` and `own` are left
 * false. Units of a stalled FIFO do not count. Any thread. */
struct ag_fifo_facts ag_queue_facts(const struct ag_task_queue *q);
struct ag_waiting ag_task_waiting(const struct agglom_task *task);

/* ag_cpu_worth(), of so many calls of the queue's task. */
static inline bool ag_queue_worth(const struct ag_task_queue *queue, uint64_t calls, uint64_t shares) {
  return ag_cpu_worth(ag_get(&queue->cpu_ns), calls, shares);
}

/* Whether the thread that submits has gone away: no unit has arrived for AG_CPU_AWAY_NS since another thread
 * first found too few to be worth its while. Lock of the FIFO or stream held. */
bool ag_queue_away(struct ag_away *away, uint64_t arrivals);

/* So many calls of the queue took so long on a CPU. */
void ag_queue_measured(struct ag_task_queue *queue, uint64_t units, uint64_t ns);
/* A single call, in a row of such, did; also for what is known of the longest of the task. */
void ag_queue_measured_one(struct ag_task_queue *queue, uint64_t ns);

#endif /* AG_QUEUES_H */
