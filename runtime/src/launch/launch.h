/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a formed batch to a running kernel: staging, one copy in, one launch, its outputs back, all
 * asynchronous in the slot's stream. */
#ifndef AG_LAUNCH_INTERNAL_H
#define AG_LAUNCH_INTERNAL_H

#include "shared/slot.h"

struct ag_runtime;

/* A free slot on a usable device that has a kernel for the task (looked up before), or NULL. */
struct ag_slot *ag_launch_slot(struct ag_runtime *rt, const struct agglom_task *task);

/* Stages and launches slot->batch. more(): lets what has come meanwhile join the batch, whose device is busy
 * with another one or not, and says whether something did; it is staged anew then. 0: the slot is RUNNING and
 * belongs to the device. Else a negative errno: nothing has taken effect; *broken says whether parts of it
 * may still be under way. */
int ag_launch(struct ag_runtime *rt, struct ag_slot *slot, bool (*more)(struct ag_batch *batch, bool busy),
              bool *broken);

#endif /* AG_LAUNCH_INTERNAL_H */
