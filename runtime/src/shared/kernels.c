/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/kernels.h"

#include "shared/runtime.h"
#include "sys/gate.h"
#include "sys/log.h"
#include "sys/task_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
  BLOCK_THREADS = 128, /* of a block in block mapping */
  FEW_THREADS = 64, /* thread mapping: of a block while there are fewer chains than would fill the device */
  BLOCKS_PER_UNIT = 8, /* resident blocks of BLOCK_THREADS that keep one compute unit busy */
};

enum { UNKNOWN = 0, THERE = 1, MISSING = 2 };

struct ag_task_kernels {
  struct {
    _Atomic int status;
    struct ag_kernel *kernel; /* valid when THERE */
    unsigned fill;            /* units that run at a time, one a chain */
  } on[AG_MAX_DEVICES];
};

struct ag_task_kernels *ag_task_kernels_new(void) { return calloc(1, sizeof(struct ag_task_kernels)); }

void ag_task_kernels_free(struct ag_task_kernels *kernels) { free(kernels); }

void ag_task_kernels_reset(struct ag_task_kernels *kernels) { memset(kernels->on, 0, sizeof kernels->on); }

/* Chains that the device runs at a time: its resident blocks, times the chains of a block in a long launch of
 * the first mapping. */
static unsigned fill(const struct agglom_task *task, struct ag_device *dev, struct ag_kernel *kernel) {
  enum { MANY = 1 << 24 };
  unsigned map = ag_task_has_both(task) ? AGGLOM_MAP_BLOCK : task->map;
  struct ag_grid grid = ag_launch_grid(map, false, MANY, &dev->info);
  return dev->ops->resident(dev, kernel, grid.threads) * (MANY / grid.blocks);
}

static void look_up(struct ag_accelerator *acc, const struct agglom_task *task, int where) {
  static struct ag_gate one_at_a_time;
  struct ag_task_kernels *kernels = task->state->kernels;
  struct ag_device *dev = acc->device;
  ag_gate_enter(&one_at_a_time);
  if (atomic_load(&kernels->on[where].status) == UNKNOWN) {
    int err = dev->ops->kernel(dev, task, &kernels->on[where].kernel);
    if (err && atomic_load(&dev->health) == AG_DEVICE_OK)
      ag_warn("%s:%u: %s '%s' has no kernel for %s:%d (%s): %s; its units run elsewhere", task->file,
              task->line, ag_task_kind(task), task->name, dev->info.kind, dev->info.index, dev->info.name,
              err == -ENOENT ? "no device code in the program fits it" : strerror(-err));
    if (!err)
      kernels->on[where].fill = fill(task, dev, kernels->on[where].kernel);
    atomic_store(&kernels->on[where].status, err ? MISSING : THERE);
  }
  ag_gate_leave(&one_at_a_time);
}

bool ag_task_on_device(struct ag_runtime *rt, struct agglom_task *task) {
  bool any = false;
  for (int d = 0; d < rt->n_accelerators; ++d) {
    struct ag_accelerator *acc = &rt->accelerators[d];
    if (!ag_accelerator_usable(acc))
      continue;
    if (atomic_load(&task->state->kernels->on[d].status) == UNKNOWN)
      look_up(acc, task->state->first, d);
    any |= atomic_load(&task->state->kernels->on[d].status) == THERE;
  }
  return any;
}

unsigned ag_task_fill(const struct agglom_task *task, int where) {
  return task->state->kernels->on[where].fill;
}

struct ag_kernel *ag_task_kernel(const struct agglom_task *task, int where) {
  return task->state->kernels->on[where].kernel;
}

bool ag_task_on_this(struct ag_runtime *rt, const struct agglom_task *task, int where) {
  return ag_accelerator_usable(&rt->accelerators[where]) &&
         atomic_load(&task->state->kernels->on[where].status) == THERE;
}

/* --- What a launch can take ------------------------------------------------------------------------- */

/* The smallest slot of all devices counts: which device will take a unit is not known when it arrives. */
void ag_launch_caps(const struct ag_runtime *rt, struct ag_caps *caps) {
  *caps = (struct ag_caps){.units = UINT64_MAX,
                           .threads = BLOCK_THREADS,
                           .map = rt->config.map,
                           .dear_first = rt->policy->dear_first};
  for (int d = 0; d < rt->n_accelerators; ++d) {
    const struct ag_accelerator *acc = &rt->accelerators[d];
    if (!d || acc->slot_bytes < caps->bytes)
      caps->bytes = acc->slot_bytes;
    unsigned fill = acc->device->info.compute_units * BLOCKS_PER_UNIT;
    if (!d || fill < caps->fill)
      caps->fill = fill;
  }
}

struct ag_grid ag_launch_grid(unsigned map, bool waits, unsigned n_chains,
                              const struct ag_device_info *device) {
  struct ag_grid grid = {n_chains, BLOCK_THREADS};
  if (map == AGGLOM_MAP_THREAD && waits) /* threads of a warp may wait for one another for ever */
    return (struct ag_grid){n_chains, 1};
  if (map == AGGLOM_MAP_THREAD && n_chains < BLOCK_THREADS * device->compute_units)
    grid.threads = FEW_THREADS;
  if (device->max_threads && grid.threads > device->max_threads)
    grid.threads = device->max_threads;
  unsigned chains = 1; /* of a block */
  if (map == AGGLOM_MAP_THREAD) {
    chains = grid.threads;
  } else if (map == AGGLOM_MAP_WARP) {
    /* Few chains are spread over the compute units first. */
    chains = n_chains < BLOCK_THREADS / AG_WARP * device->compute_units ? 1 : grid.threads / AG_WARP;
    chains = chains ? chains : 1;
    grid.threads = chains * AG_WARP;
  }
  grid.blocks = (n_chains + chains - 1) / chains;
  return grid;
}
