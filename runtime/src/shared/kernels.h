/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each device has for a task: whether there is a kernel, how many units it runs at a time, and what one
 * launch can take. */
#ifndef AG_KERNELS_H
#define AG_KERNELS_H

#include "shared/slot.h"

struct ag_runtime;
struct ag_task_kernels;

/* Whether some usable device has a kernel for the task; looks kernels up on first use, which may load code
 * and so take long. A device without one is warned about once a task. Takes no worker's lock. */
bool ag_task_on_device(struct ag_runtime *rt, struct agglom_task *task);

/* Whether this device can be used and has a kernel for the task, which was looked up before. */
bool ag_task_on_this(struct ag_runtime *rt, const struct agglom_task *task, int where);

/* The device's kernel of the task. There is one: ag_task_on_this(). */
struct ag_kernel *ag_task_kernel(const struct agglom_task *task, int where);

/* Units of the task that this device runs at a time, one a chain: its resident blocks, times the chains of a
 * block. 0: not known. */
unsigned ag_task_fill(const struct agglom_task *task, int where);

/* What one launch can take on any of the devices: of each figure the smallest. caps->units is not limited
 * here. */
void ag_launch_caps(const struct ag_runtime *rt, struct ag_caps *caps);

/* How a launch of this many chain entries is cut into blocks and threads. map: THREAD, BLOCK or WARP. waits:
 * units wait for others inside the kernel. */
struct ag_grid ag_launch_grid(unsigned map, bool waits, unsigned n_chains,
                              const struct ag_device_info *device);

struct ag_task_kernels *ag_task_kernels_new(void);
/* Forgets what was looked up: the devices are gone. */
void ag_task_kernels_reset(struct ag_task_kernels *kernels);
void ag_task_kernels_free(struct ag_task_kernels *kernels);

#endif /* AG_KERNELS_H */
