/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Second step of staging: where. */
#include "stage/inside.h"
#include "stage/parts.h"
#include "sys/align.h"

#include "memory/pinned.h"

#include <errno.h>
#include <stdlib.h>

/* How far the block and the staging buffer are laid out. */
struct layout {
  size_t block, staging;
};

/* Gives the regions of one kind their places. fills: they are copied to the block. */
static void arrange(struct ag_stage *stage, struct layout *at, bool written, bool read_too, bool fills) {
  size_t apart =
      stage->poison != 0; /* with the alignment no more than AG_REGION_KEEP, which is planned for */
  for (size_t r = 0, first = 0; r < stage->n_regions; ++r) {
    const struct ag_interval *region = &stage->regions[r];
    struct ag_place *place = &stage->places[r];
    if (place->in_place || ((region->tag & AG_WRITTEN) != 0) != written ||
        (written && ((region->tag & AG_READ) != 0) != read_too))
      continue;
    size_t block = at->block + apart;
    block += (region->lo - block) % AG_REGION_KEEP; /* unsigned: the smallest step to the same remainder */
    at->staging += block - at->block;               /* so that one fill goes on */
    place->offset = block;
    size_t n = ag_stage_pieces(region, stage->named, stage->n_named, &first);
    at->staging = ag_parts_divide(stage, r, stage->named + first, n, fills, at->staging);
    at->block = block + (region->hi - region->lo);
  }
}

static int by_device(const void *a, const void *b) {
  const struct ag_order *x = a, *y = b;
  return x->device < y->device ? -1 : x->device > y->device;
}

/* Gives the regions that are written in place their parts from `at` on; returns the end. Those with gaps of
 * up to `bridge` bytes on the device keep their distance. */
static size_t arrange_in_place(struct ag_stage *stage, size_t at, size_t bridge) {
  size_t n = 0;
  for (size_t r = 0; r < stage->n_regions; ++r)
    if (stage->places[r].in_place && (stage->regions[r].tag & AG_WRITTEN))
      stage->order[n++] = (struct ag_order){stage->regions[r].lo + stage->places[r].shift, r};
  qsort(stage->order, n, sizeof *stage->order, by_device);
  for (size_t i = 0; i < n; ++i) {
    const struct ag_order *o = &stage->order[i], *last = i ? o - 1 : NULL;
    const struct ag_interval *before = last ? &stage->regions[last->index] : NULL;
    size_t gap = last ? o->device - last->device - (before->hi - before->lo) : SIZE_MAX;
    const struct ag_interval *region = &stage->regions[o->index];
    size_t first = ag_intervals_behind(stage->outs, stage->n_outs, region->lo);
    size_t outs = ag_stage_pieces(region, stage->outs, stage->n_outs, &first);
    at += gap <= bridge ? gap : 0;
    at = ag_parts_divide(stage, o->index, stage->outs + first, outs, false, at);
  }
  return at;
}

static void add_direct(struct ag_stage *stage, uintptr_t lo, uintptr_t hi) {
  if (lo >= hi || hi - lo < (size_t)AG_DIRECT_LEAST || stage->n_moves == AG_MOVES)
    return;
  stage->moves[stage->n_moves++] = (struct ag_move){.lo = lo, .hi = hi, .direct = true};
  stage->bytes_direct += hi - lo;
}

static int by_start(const void *a, const void *b) {
  const struct ag_move *x = a, *y = b;
  return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Adds moves for what the device can read in place, as far as it has to be sent and is to look on the device
 * as in host memory. */
static void find_direct(struct ag_stage *stage) {
  size_t n = stage->n_moves;
  for (size_t i = 0; i < stage->n_direct; ++i) {
    const struct ag_interval *part = &stage->direct[i];
    for (size_t r = ag_intervals_find(stage->regions, stage->n_regions, part->lo);
         r < stage->n_regions && stage->regions[r].lo < part->hi; ++r) {
      const struct ag_interval *region = &stage->regions[r];
      uintptr_t lo = region->lo > part->lo ? region->lo : part->lo;
      uintptr_t hi = region->hi < part->hi ? region->hi : part->hi;
      if (stage->places[r].in_place || stage->places[r].hidden)
        continue;
      for (size_t m = 0; m < n && stage->moves[m].lo < hi; ++m)
        if (stage->moves[m].hi > lo) {
          add_direct(stage, lo, stage->moves[m].lo);
          lo = stage->moves[m].hi;
        }
      add_direct(stage, lo, hi);
    }
  }
  if (n && stage->n_moves > n)
    qsort(stage->moves, stage->n_moves, sizeof *stage->moves, by_start);
}

static size_t args_align(const struct agglom_task *task) {
  return task->args_align > 64 ? task->args_align : 64;
}

int ag_stage_arrange(struct ag_stage *stage, const struct ag_batch *batch, size_t size) {
  const struct agglom_task *task = batch->task;
  size_t n = batch->n_units;
  size_t arrays = ag_batch_overhead(n, batch->n_preds, &(struct ag_caps){.fill = batch->n_chains});
  if (arrays > size || n * task->args_size > size - arrays)
    return -E2BIG;
  size_t at = 4 * ag_align_up(batch->n_chains * sizeof(unsigned), AG_ARRAY_ALIGN);
  if (batch->n_preds)
    at += ag_align_up((n + 1) * sizeof(unsigned), AG_ARRAY_ALIGN) +
          ag_align_up(batch->n_preds * sizeof(unsigned), AG_ARRAY_ALIGN) +
          ag_align_up(n * sizeof(unsigned), AG_ARRAY_ALIGN);
  stage->units_at = ag_align_up(at, args_align(task));
  find_direct(stage);
  stage->n_parts = stage->n_rows = stage->n_fills = 0;
  stage->cut = stage->apart = false;
  at = stage->units_at + n * task->args_size;
  ag_parts_fill(stage, 0, 0, at);
  struct layout so_far = {at, at};
  arrange(stage, &so_far, false, true, true);
  arrange(stage, &so_far, true, true, true);
  stage->filled = so_far.block;
  stage->staged = so_far.staging;
  arrange(stage, &so_far, true, false, false);
  if (stage->poison) /* another batch's block may follow */
    so_far.block += AG_REGION_KEEP;
  stage->block_bytes = so_far.block;
  stage->bytes_in = 0;
  for (size_t i = 0; i < stage->n_fills; ++i)
    stage->bytes_in += stage->fills[i].rows.n * stage->fills[i].rows.bytes;
  for (size_t i = 0; i < stage->n_moves; ++i) {
    struct ag_move *m = &stage->moves[i];
    size_t r = ag_intervals_find(stage->regions, stage->n_regions, m->lo);
    m->to = stage->places[r].offset + (m->lo - stage->regions[r].lo);
    stage->bytes_in -= m->direct ? 0 : m->hi - m->lo;
  }
  size_t n_parts = stage->n_parts, n_rows = stage->n_rows;
  at = arrange_in_place(stage, so_far.staging, AG_BRIDGE);
  if (at > size) {
    stage->n_parts = n_parts;
    stage->n_rows = n_rows;
    at = arrange_in_place(stage, so_far.staging, 0);
  }
  stage->host_bytes = at;
  return at > size || stage->block_bytes > size ? -E2BIG : 0;
}
