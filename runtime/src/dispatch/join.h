/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* More units for a batch for a device that was formed from one FIFO: of the same task, from the FIFOs of
 * other workers, where the policy decides for all of them together; and those that come while it is being
 * staged. */
#ifndef AG_JOIN_H
#define AG_JOIN_H

#include "dispatch/decide.h"

/* So many units of a FIFO have gone into a batch; for_device: one for a device. Lock of its worker held. */
void ag_join_gone(struct ag_task_queue *queue, struct ag_fifo *fifo, uint64_t n, bool for_device);

/* Lets units of other workers join the batch that has just been formed as it was decided. No lock held. */
void ag_join_others(struct ag_batch *batch, const struct ag_decided *decided);

/* Lets units that have arrived since the batch was formed join it, if that is wanted (policy/launch/join.h).
 * busy: its device has something else to do. True: some units have joined, and the batch is laid out anew. No
 * lock held. */
bool ag_join_late(struct ag_batch *batch, bool busy);

#endif /* AG_JOIN_H */
