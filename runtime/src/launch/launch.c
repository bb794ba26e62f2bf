/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "launch/launch.h"

#include "dispatch/join.h"
#include "measure/measure.h"
#include "memory/pinned.h"
#include "runtime.h"
#include "sys/clock.h"
#include "sys/gate.h"
#include "sys/log.h"
#include "sys/task_kind.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  BLOCK_THREADS = 128, /* of a block in block mapping */
  FEW_THREADS = 64, /* thread mapping: of a block while there are fewer chains than would fill the device */
  BLOCKS_PER_UNIT = 8, /* resident blocks of BLOCK_THREADS that keep one compute unit busy */
};

/* --- Kernels ---------------------------------------------------------------------------------------- */

enum { UNKNOWN = 0, THERE = 1, MISSING = 2 };

struct ag_task_kernels {
  struct {
    _Atomic int status;
    struct ag_kernel *kernel;      /* valid when THERE */
    struct ag_kernel *kernel_warp; /* the same, of a task that has both */
    unsigned fill;                 /* units that run at a time, one a chain */
  } on[AG_MAX_DEVICES];
  pthread_mutex_t map_lock; /* innermost */
  struct ag_map_state map;  /* of a task with two mappings */
};

struct ag_task_kernels *ag_task_kernels_new(void) {
  struct ag_task_kernels *kernels = calloc(1, sizeof *kernels);
  if (kernels)
    pthread_mutex_init(&kernels->map_lock, NULL);
  return kernels;
}

void ag_task_kernels_free(struct ag_task_kernels *kernels) {
  if (kernels)
    pthread_mutex_destroy(&kernels->map_lock);
  free(kernels);
}

void ag_task_kernels_reset(struct ag_task_kernels *kernels) {
  memset(kernels->on, 0, sizeof kernels->on);
  kernels->map = (struct ag_map_state){0};
}

static bool has_both(const struct agglom_task *task) { return task->map == AGGLOM_MAP_BLOCK_OR_WARP; }

/* By the mapping of the first kernel; blocks of as many threads as a long launch has. */
static unsigned fill(const struct agglom_task *task, struct ag_device *dev, struct ag_kernel *kernel) {
  enum { MANY = 1 << 24 };
  unsigned map = has_both(task) ? AGGLOM_MAP_BLOCK : task->map;
  struct ag_grid grid = ag_launch_grid(map, false, MANY, &dev->info);
  return dev->ops->resident(dev, kernel, grid.threads) * (MANY / grid.blocks);
}

static void look_up(struct ag_accelerator *acc, struct agglom_task *task, int where) {
  static struct ag_gate one_at_a_time = AG_GATE_INITIALIZER;
  struct ag_task_kernels *kernels = task->state->kernels;
  struct ag_device *dev = acc->device;
  ag_gate_enter(&one_at_a_time);
  if (atomic_load(&kernels->on[where].status) == UNKNOWN) {
    int err = dev->ops->kernel(dev, task, has_both(task) ? AGGLOM_MAP_BLOCK : task->map,
                               &kernels->on[where].kernel);
    if (!err && has_both(task))
      err = dev->ops->kernel(dev, task, AGGLOM_MAP_WARP, &kernels->on[where].kernel_warp);
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
      look_up(acc, task, d);
    any |= atomic_load(&task->state->kernels->on[d].status) == THERE;
  }
  return any;
}

unsigned ag_task_fill(const struct agglom_task *task, int where) {
  return task->state->kernels->on[where].fill;
}

bool ag_task_on_this(struct ag_runtime *rt, const struct agglom_task *task, int where) {
  return ag_accelerator_usable(&rt->accelerators[where]) &&
         atomic_load(&task->state->kernels->on[where].status) == THERE;
}

/* --- Slots ------------------------------------------------------------------------------------------ */

struct ag_slot *ag_launch_slot(struct ag_runtime *rt, const struct agglom_task *task) {
  /* Several threads may race for a slot, and then the next best will do. */
  unsigned tried = 0;
  for (int d; (d = ag_measure_next(rt, task, tried)) >= 0; tried |= 1U << d) {
    struct ag_slot *slot = ag_slot_acquire(&rt->accelerators[d]);
    if (slot)
      return slot;
  }
  return NULL;
}

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

/* --- Mapping ---------------------------------------------------------------------------------------- */

unsigned ag_launch_map(const struct agglom_task *task, enum ag_map_choice choice,
                       const struct ag_map_view *view) {
  if (!has_both(task))
    return task->map;
  struct ag_task_kernels *kernels = task->state->kernels;
  pthread_mutex_lock(&kernels->map_lock);
  unsigned map = ag_map_choose(choice, &kernels->map, view);
  pthread_mutex_unlock(&kernels->map_lock);
  return map;
}

void ag_launch_measured(const struct ag_batch *batch) {
  if (!has_both(batch->task))
    return;
  struct ag_task_kernels *kernels = batch->task->state->kernels;
  pthread_mutex_lock(&kernels->map_lock);
  ag_map_measured(&kernels->map, batch->map, &batch->view, batch->record.device_ns);
  pthread_mutex_unlock(&kernels->map_lock);
}

/* --- Launching -------------------------------------------------------------------------------------- */

static int by_offset(const void *a, const void *b) {
  const struct ag_move *x = a, *y = b;
  return x->to < y->to ? -1 : x->to > y->to;
}

/* Brings the block: from the host what is not moved on the device, through the staging buffer or without. */
static int bring(struct ag_slot *slot, char *block) {
  struct ag_stage *stage = &slot->stage;
  struct ag_device *dev = slot->device;
  size_t at = 0;
  int err = 0;
  qsort(stage->moves, stage->n_moves, sizeof *stage->moves, by_offset);
  for (size_t i = 0; i <= stage->n_moves && !err; ++i) {
    size_t end = i < stage->n_moves ? stage->moves[i].to : stage->filled;
    if (end > at)
      err = dev->ops->copy_in(dev, slot->stream, block + at, (char *)slot->staging + at, end - at);
    if (i == stage->n_moves)
      break;
    const struct ag_move *m = &stage->moves[i];
    at = end + (m->hi - m->lo);
    if (m->direct && !err)
      err = dev->ops->copy_in(dev, slot->stream, block + end, (const void *)m->lo, m->hi - m->lo);
  }
  for (size_t i = 0; i < stage->n_moves && !err; ++i) {
    const struct ag_move *m = &stage->moves[i];
    if (m->direct)
      continue;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are computed with */
    err = dev->ops->move(dev, slot->stream, block + m->to, (const void *)(m->lo + m->shift), m->hi - m->lo);
  }
  if (stage->poison && !err)
    err = dev->ops->fill(dev, slot->stream, block + stage->filled, stage->poison,
                         stage->block_bytes - stage->filled);
  return err;
}

/* Brings the block, runs the kernel, and fetches what it has written. */
static int post(struct ag_slot *slot, struct ag_kernel *kernel, void *block, struct ag_grid grid) {
  const struct ag_stage *stage = &slot->stage;
  struct ag_device *dev = slot->device;
  const struct ag_device_ops *ops = dev->ops;
  int err = bring(slot, block);
  if (!err)
    err = ops->milestone(dev, slot->stream);
  if (!err)
    err = ops->launch(dev, slot->stream, kernel, &stage->launch, grid);
  for (size_t i = 0; i < stage->n_spans && !err; ++i)
    err = ops->fetch(dev, slot->stream, stage->pieces + stage->spans[i].first, stage->spans[i].n);
  return err ? err : ops->mark(dev, slot->stream);
}

/* Stages the batch, and once more with as many units again when these have come meanwhile: as long as the
 * device has something else to do, that costs no time. */
static int stage_batch(struct ag_runtime *rt, struct ag_slot *slot, void **block, bool *broken) {
  struct ag_accelerator *acc = &rt->accelerators[slot->where];
  for (;;) {
    struct ag_stage *stage = &slot->stage;
    int err = ag_stage_collect(stage, &slot->batch);
    if (err)
      return err;
    stage->n_direct = ag_pinned_parts(slot->device, stage->ins, stage->n_ins, stage->direct, AG_MOVES);
    *broken = true; /* from here on its stream may have to be waited for */
    err = ag_coherence_place(rt, slot, block);
    if (!err)
      err = ag_stage_pack(stage, &slot->batch, slot->staging, *block);
    if (err || !ag_accelerator_busy(acc) || !ag_join_late(&slot->batch))
      return err;
    ag_slot_let_go(acc, slot);
  }
}

int ag_launch(struct ag_runtime *rt, struct ag_slot *slot, bool *broken) {
  struct ag_batch *batch = &slot->batch;
  struct ag_stage *stage = &slot->stage;
  struct ag_device *dev = slot->device;
  struct ag_batch_record *record = &batch->record;
  record->where = slot->where;
  record->slot = slot->number;
  *broken = false;
  void *block = NULL;
  int err = stage_batch(rt, slot, &block, broken);
  record->units = batch->n_units;
  record->split_parts = batch->n_split;
  record->warps = batch->map == AGGLOM_MAP_WARP;
  record->chains = 0;
  for (unsigned c = 0; c < batch->n_chains; ++c)
    record->chains += batch->part[c] == 0;
  if (err)
    return err;
  record->bytes_in = stage->bytes_in;
  record->bytes_out = stage->bytes_out;
  record->bytes_direct = stage->bytes_direct;
  record->bytes_reused = stage->bytes_reused;
  record->stage_ns = ag_clock_ns() - batch->formed_ns;

  struct ag_task_kernels *kernels = batch->task->state->kernels;
  bool by_warp = has_both(batch->task) && batch->map == AGGLOM_MAP_WARP;
  struct ag_kernel *kernel = by_warp ? kernels->on[slot->where].kernel_warp : kernels->on[slot->where].kernel;
  struct ag_grid grid = ag_launch_grid(batch->map, batch->n_preds, batch->n_chains, &dev->info);
  err = post(slot, kernel, block, grid);
  record->launched_ns = ag_clock_ns();
  if (err)
    return err;
  ag_coherence_publish(rt, slot);
  if (ag_measure_devices(rt))
    ag_measure_expect(&rt->accelerators[slot->where], slot, true);
  atomic_store(&slot->state, AG_SLOT_RUNNING);
  return 0;
}
