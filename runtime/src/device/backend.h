/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the device backends share among themselves; nothing outside device/ includes this. */
#ifndef AG_BACKEND_H
#define AG_BACKEND_H

#include "device/device.h"
#include "sys/env.h"
#include "sys/task_kind.h"

/* Says once, in a warning, that dev is lost, why, and what the user can do, and marks it: no call does
 * anything on it from now on. Safe from any thread. */
void ag_device_quarantine(struct ag_device *dev, const char *why, const char *advice);

/* For a stream that is waited for since `begin` (ag_clock_ns()) and is not idle yet: waits a moment, 0. A
 * negative errno when the device's patience is at an end, which gives the device up, or when the device is
 * lost. */
int ag_device_bear(struct ag_device *dev, uint64_t begin);

/* Whether dev is lost. */
bool ag_device_lost(const struct ag_device *dev);

/* THREAD, BLOCK or WARP: who runs a chain of the launch. */
static inline unsigned ag_launch_map(const struct agglom_task *task, const struct agglom_launch *launch) {
  if (!ag_task_has_both(task))
    return task->map;
  return launch->by_warp ? AGGLOM_MAP_WARP : AGGLOM_MAP_BLOCK;
}

/* Checks a launch against the device's limits and its mapping: 0, or -EINVAL after a message. */
int ag_grid_check(const struct ag_device *dev, const struct agglom_task *task,
                  const struct agglom_launch *launch, struct ag_grid grid);

/* Opens emulated device number index with its threads. fault->call may be AG_FAULT_NONE. 0, or a negative
 * errno without a message. */
int ag_emulated_open(int index, const struct ag_emulate *model, const struct ag_fault *fault,
                     struct ag_device **dev);

/* Starts counting the calls that AGGLOM_FAULT is about from zero, for all emulated devices. */
void ag_emulated_reset_faults(void);

/* Number of such calls since ag_emulated_reset_faults(). */
uint64_t ag_emulated_fault_calls(void);

/* How many CUDA devices there are; 0 when there are none or the driver cannot be used, and then
 * ag_cuda_why_not() says why. Loads `library` on first use and keeps it. Safe from any thread. */
int ag_cuda_count(const char *library);

/* Opens CUDA device number index, after ag_cuda_count(). 0, or a negative errno, -EBUSY where the GPU is not
 * for this process; *why is then a sentence about the reason in static or thread-local storage. */
int ag_cuda_open(int index, struct ag_device **dev, const char **why);

#endif /* AG_BACKEND_H */
