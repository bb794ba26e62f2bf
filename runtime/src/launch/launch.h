/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a formed batch to a running kernel: staging, one copy in, one launch, its outputs back, all
 * asynchronous in the slot's stream. Also knows which devices can run which task. */
#ifndef AG_LAUNCH_INTERNAL_H
#define AG_LAUNCH_INTERNAL_H

#include "memory/slot.h"
#include "policy/policy.h"

struct ag_runtime;
struct ag_task_kernels;

/* Whether some usable device has a kernel for the task; looks kernels up on first use, which may load code
 * and so take long. A device without one is warned about once a task. Takes no worker's lock. */
bool ag_task_on_device(struct ag_runtime *rt, struct agglom_task *task);

/* Whether this device can be used and has a kernel for the task, which was looked up before. */
bool ag_task_on_this(struct ag_runtime *rt, const struct agglom_task *task, int where);

/* Units of the task that this device runs at a time: resident blocks, times the units of a block. 0: not
 * known.
 */
unsigned ag_task_fill(const struct agglom_task *task, int where);

/* A free slot on a usable device that has a kernel for the task (looked up before), or NULL. */
struct ag_slot *ag_launch_slot(struct ag_runtime *rt, const struct agglom_task *task);

/* What one launch on such a device can take; units is not limited here. */
void ag_launch_caps(const struct ag_runtime *rt, struct ag_caps *caps);

/* How a launch of this many chain entries is cut into blocks and threads. map: THREAD, BLOCK or WARP. waits:
 * units wait for others inside the kernel. */
struct ag_grid ag_launch_grid(unsigned map, bool waits, unsigned n_chains,
                              const struct ag_device_info *device);

/* Which of THREAD, BLOCK and WARP runs a batch like this one. Any thread. */
unsigned ag_launch_map(const struct agglom_task *task, enum ag_map_choice choice,
                       const struct ag_map_view *view);

/* A batch is complete: what its kernel took tells for later ones. */
void ag_launch_measured(const struct ag_batch *batch);

/* Stages and launches slot->batch. 0: the slot is RUNNING and belongs to the device. Else a negative errno:
 * nothing has taken effect; *broken says whether parts of it may still be under way. */
int ag_launch(struct ag_runtime *rt, struct ag_slot *slot, bool *broken);

struct ag_task_kernels *ag_task_kernels_new(void);
/* Forgets what was looked up: the devices are gone. */
void ag_task_kernels_reset(struct ag_task_kernels *kernels);
void ag_task_kernels_free(struct ag_task_kernels *kernels);

#endif /* AG_LAUNCH_INTERNAL_H */
