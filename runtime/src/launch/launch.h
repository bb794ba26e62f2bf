/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a formed batch to a running kernel: staging, one copy in, one launch, its outputs back, all
 * asynchronous in the slot's stream. */
#ifndef AG_LAUNCH_INTERNAL_H
#define AG_LAUNCH_INTERNAL_H

#include "shared/slot.h"

struct ag_runtime;

/* A free slot on a usable device that has a kernel for the task (looked up before), or NULL. */
struct ag_slot *ag_launch_slot(struct ag_runtime *rt, const struct agglom_task *task);

/* Stages and launches slot->batch. more(): lets units that have come meanwhile join the batch, and returns
 * whether some did; the batch is staged anew then. busy: the batch's device has another batch to run. 0: the
 * slot is RUNNING and belongs to the device. Else a negative errno: nothing has taken effect; *broken says
 * whether some of its work may still be under way. */
int ag_launch(struct ag_runtime *rt, struct ag_slot *slot, bool (*more)(struct ag_batch *batch, bool busy),
              bool *broken);

#endif /* AG_LAUNCH_INTERNAL_H */
