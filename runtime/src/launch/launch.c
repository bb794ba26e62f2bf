/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "launch/launch.h"

#include "launch/coherence.h"
#include "measure/measure.h"
#include "memory/pinned.h"
#include "shared/kernels.h"
#include "shared/runtime.h"
#include "sys/clock.h"

#include <errno.h>
#include <stdlib.h>

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

/* --- Launching -------------------------------------------------------------------------------------- */

static int by_offset(const void *a, const void *b) {
  const struct ag_move *x = a, *y = b;
  return x->to < y->to ? -1 : x->to > y->to;
}

/* Sends a part of the block, but for what moves bring there: from move *next on, those behind its end are
 * left for the parts that follow. */
static int send(struct ag_slot *slot, char *block, const struct ag_fill *fill, size_t *next) {
  const struct ag_stage *stage = &slot->stage;
  struct ag_device *dev = slot->device;
  size_t at = fill->to, end = fill->to + fill->rows.bytes;
  int err = 0;
  while (at < end && !err) {
    const struct ag_move *m = *next < stage->n_moves ? &stage->moves[*next] : NULL;
    size_t until = m && m->to < end ? m->to : end;
    if (until > at)
      err = dev->ops->copy_in(dev, slot->stream, block + at,
                              (char *)slot->staging + fill->from + (at - fill->to), until - at);
    at = until;
    if (until == end)
      break;
    at += m->hi - m->lo;
    ++*next;
    if (m->direct && !err)
      err = dev->ops->copy_in(dev, slot->stream, block + m->to, (const void *)m->lo, m->hi - m->lo);
  }
  return err;
}

/* Fills the block: with copies on the device where there are moves, else from the host, through the staging
 * buffer or without. */
static int bring(struct ag_slot *slot, char *block) {
  struct ag_stage *stage = &slot->stage;
  struct ag_device *dev = slot->device;
  size_t next = 0, begin = stage->cut ? 0 : stage->filled;
  int err = 0;
  if (stage->poison) /* what no fill writes */
    err = dev->ops->fill(dev, slot->stream, block + begin, stage->poison, stage->block_bytes - begin);
  qsort(stage->moves, stage->n_moves, sizeof *stage->moves, by_offset);
  for (size_t i = 0; i < stage->n_fills && !err; ++i) {
    const struct ag_fill *f = &stage->fills[i];
    if (f->rows.n > 1)
      err = dev->ops->rows_in(dev, slot->stream, block + f->to, (char *)slot->staging + f->from, &f->rows);
    else
      err = send(slot, block, f, &next);
  }
  for (size_t i = 0; i < stage->n_moves && !err; ++i) {
    const struct ag_move *m = &stage->moves[i];
    if (m->direct)
      continue;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are computed with */
    err = dev->ops->move(dev, slot->stream, block + m->to, (const void *)(m->lo + m->shift), m->hi - m->lo);
  }
  return err;
}

/* Queues in the slot's stream what fills the block, the kernel, and what fetches its outputs. */
static int post(const struct ag_runtime *rt, struct ag_slot *slot, struct ag_kernel *kernel, void *block,
                struct ag_grid grid) {
  const struct ag_stage *stage = &slot->stage;
  struct ag_device *dev = slot->device;
  const struct ag_device_ops *ops = dev->ops;
  int err = ops->enter(dev);
  if (err)
    return err;
  err = bring(slot, block);
  if (!err && ag_coherence_followed(rt, slot))
    err = ops->milestone(dev, slot->stream);
  if (!err)
    err = ops->launch(dev, slot->stream, kernel, &stage->launch, grid);
  for (size_t i = 0; i < stage->n_spans && !err; ++i) {
    const struct ag_span *span = &stage->spans[i];
    const struct ag_fetch *first = &stage->pieces[span->first];
    err = span->rows.n ? ops->rows_out(dev, slot->stream, first->to, first->from, &span->rows)
                       : ops->fetch(dev, slot->stream, first, span->n);
  }
  if (!err)
    err = ops->mark(dev, slot->stream);
  return ops->leave(dev, err);
}

/* Stages the batch, and anew each time that more() has let units join it meanwhile. */
static int stage_batch(struct ag_runtime *rt, struct ag_slot *slot,
                       bool (*more)(struct ag_batch *batch, bool busy), void **block, bool *broken) {
  struct ag_accelerator *acc = &rt->accelerators[slot->where];
  for (;;) {
    struct ag_stage *stage = &slot->stage;
    int err = ag_stage_collect(stage, &slot->batch);
    if (err)
      return err;
    stage->n_direct = ag_pinned_parts(slot->device, stage->ins, stage->n_ins, stage->direct, AG_MOVES);
    *broken = true; /* from here on the slot's stream may have to be waited for */
    err = ag_coherence_place(rt, slot, block);
    if (!err)
      err = ag_slot_make_room(acc, slot, stage->host_bytes);
    if (!err)
      err = ag_stage_pack(stage, &slot->batch, slot->staging, *block);
    if (err || !more(&slot->batch, ag_accelerator_busy(acc)))
      return err;
    ag_slot_let_go(acc, slot);
  }
}

int ag_launch(struct ag_runtime *rt, struct ag_slot *slot, bool (*more)(struct ag_batch *batch, bool busy),
              bool *broken) {
  struct ag_batch *batch = &slot->batch;
  struct ag_stage *stage = &slot->stage;
  struct ag_device *dev = slot->device;
  struct ag_batch_record *record = &batch->record;
  record->where = slot->where;
  record->slot = slot->number;
  *broken = false;
  void *block = NULL;
  int err = stage_batch(rt, slot, more, &block, broken);
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

  struct ag_kernel *kernel = ag_task_kernel(batch->task, slot->where);
  struct ag_grid grid = ag_launch_grid(batch->map, batch->n_preds, batch->n_chains, &dev->info);
  err = post(rt, slot, kernel, block, grid);
  record->launched_ns = ag_clock_ns();
  if (err)
    return err;
  ag_coherence_publish(rt, slot);
  if (ag_measure_devices(rt))
    ag_measure_expect(&rt->accelerators[slot->where], slot, true);
  atomic_store(&slot->state, AG_SLOT_RUNNING);
  return 0;
}
