/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The quick way of a unit of an `independent` task: a record in its thread's stream. */
#ifndef AG_SUBMIT_STREAM_H
#define AG_SUBMIT_STREAM_H

#include "workers/worker.h"

/* Submits a unit of w's thread in d as a record. False when that is not possible: the unit has to be made at
 * once. *look: the queue, when a launch from its FIFO may be due; else NULL. */
bool ag_stream_submit(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task, const void *args,
                      const struct agglom_range *ranges, long long priority, unsigned long long cost,
                      struct ag_task_queue **look);

#endif /* AG_SUBMIT_STREAM_H */
