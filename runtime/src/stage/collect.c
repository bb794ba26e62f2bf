/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* First step of staging: which bytes. */
#include "stage/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes *array hold n elements; old content is of no use. */
static bool renew(void *array, size_t n, size_t element) {
  void *fresh = n > SIZE_MAX / element ? NULL : malloc(n * element);
  if (!fresh)
    return false;
  void **old = array;
  free(*old);
  *old = fresh;
  return true;
}

static int reserve(struct ag_stage *stage, size_t n) {
  if (n <= stage->capacity)
    return 0;
  size_t cap = stage->capacity * 2 > n ? stage->capacity * 2 : n;
  stage->capacity = 0;
  if (!renew(&stage->regions, cap, sizeof *stage->regions) ||
      !renew(&stage->places, cap, sizeof *stage->places) || !renew(&stage->ins, cap, sizeof *stage->ins) ||
      !renew(&stage->outs, cap, sizeof *stage->outs) || !renew(&stage->uses, 2 * cap, sizeof *stage->uses) ||
      !renew(&stage->sums, cap, sizeof *stage->sums) ||
      !renew(&stage->patches, cap, sizeof *stage->patches) ||
      !renew(&stage->spans, 2 * cap, sizeof *stage->spans) ||
      !renew(&stage->pieces, 2 * cap, sizeof *stage->pieces) ||
      !renew(&stage->order, cap, sizeof *stage->order) ||
      !renew(&stage->columns, 4 * cap, sizeof *stage->columns) ||
      !renew(&stage->named, 4 * cap, sizeof *stage->named) ||
      !renew(&stage->cuts, 4 * cap, sizeof *stage->cuts) ||
      !renew(&stage->parts, 5 * cap, sizeof *stage->parts) ||
      !renew(&stage->rows, 2 * cap, sizeof *stage->rows) ||
      !renew(&stage->fills, 5 * cap + 1, sizeof *stage->fills))
    return -ENOMEM;
  stage->capacity = cap;
  return 0;
}

/* How many entries each array may get: per access a region and a patch, per group and per patch a hull. */
static size_t entries(const struct ag_batch *batch) {
  size_t accesses = (size_t)batch->n_units * batch->task->n_sections, pieces = 0;
  for (unsigned k = 0; k < batch->n_units; ++k)
    for (unsigned i = 0; i < batch->task->n_sections; ++i)
      pieces += ag_access_pieces(&batch->units[k]->access[i]);
  return (pieces > 3 * accesses ? pieces : 3 * accesses) + 1;
}

static int by_holder(const void *a, const void *b) {
  const struct ag_patch *x = a, *y = b;
  return x->holder < y->holder ? -1 : x->holder > y->holder;
}

/* One pointer in memory serves all units of the batch: what they reach through it lies in one region. */
static void merge_patches(struct ag_stage *stage) {
  if (!stage->n_patches)
    return;
  qsort(stage->patches, stage->n_patches, sizeof *stage->patches, by_holder);
  size_t last = 0;
  for (size_t i = 1; i < stage->n_patches; ++i) {
    struct ag_patch next = stage->patches[i], *p = &stage->patches[last];
    if (next.holder != p->holder) {
      stage->patches[++last] = next;
      continue;
    }
    p->lo = next.lo < p->lo ? next.lo : p->lo;
    p->hi = next.hi > p->hi ? next.hi : p->hi;
  }
  stage->n_patches = last + 1;
  for (size_t i = 0; i < stage->n_patches; ++i)
    stage->regions[stage->n_regions++] =
        (struct ag_interval){stage->patches[i].lo, stage->patches[i].hi, 0, 0};
}

/* Whether two accesses are one run of bytes: what many units share is collected once, and need not be sorted
 * among what each has for itself. */
static bool same_run(const struct ag_access *a, const struct ag_access *b) {
  return a->lo == b->lo && a->hi == b->hi && !a->pieces && !b->pieces;
}

/* Adds a piece; one that touches the last one continues it. */
static void append(struct ag_interval *set, size_t *n, struct ag_interval piece) {
  struct ag_interval *last = *n ? &set[*n - 1] : NULL;
  if (last && last->hi == piece.lo && last->tag == piece.tag)
    last->hi = piece.hi;
  else
    set[(*n)++] = piece;
}

static const struct ag_box *box_of(const struct ag_access *a) {
  return a->pieces && a->pieces->box.n_dims ? &a->pieces->box : NULL;
}

/* The number of units from unit k on whose section i is boxes alike, each further on than the one before:
 * tiles of one row of tiles, columns of a matrix. Block by block they are in order, and each touches the next
 * one mostly, while all blocks of one and then of the next would have to be sorted. */
static unsigned side_by_side(const struct ag_batch *batch, unsigned i, unsigned k) {
  const struct ag_box *first = box_of(&batch->units[k]->access[i]), *last = first;
  unsigned n = 1;
  for (; first && k + n < batch->n_units; ++n) {
    const struct ag_box *next = box_of(&batch->units[k + n]->access[i]);
    if (!next || next->n_dims != first->n_dims || next->first < last->first + last->block ||
        next->first + next->block > first->first + first->dim[first->n_dims - 1].pitch ||
        memcmp(next->dim, first->dim, first->n_dims * sizeof *first->dim) != 0)
      break;
    last = next;
  }
  return n;
}

/* Adds the pieces of section i of n units from unit k on, which are side_by_side() unless n is 1. */
static void append_pieces(struct ag_interval *set, size_t *n_set, const struct ag_batch *batch, unsigned i,
                          unsigned k, unsigned n, unsigned tag) {
  const struct ag_access *a = &batch->units[k]->access[i];
  if (!a->pieces) {
    if (a->lo < a->hi) /* entries() leaves no room for empty ones */
      append(set, n_set, (struct ag_interval){a->lo, a->hi, tag, 0});
    return;
  }
  for (size_t p = 0; p < ag_access_pieces(a); ++p) {
    struct ag_interval piece = ag_access_piece(a, p);
    piece.tag = tag;
    append(set, n_set, piece);
    for (unsigned next = k + 1; next < k + n; ++next) {
      const struct ag_box *box = box_of(&batch->units[next]->access[i]);
      uintptr_t at = piece.lo + (box->first - box_of(a)->first);
      append(set, n_set, (struct ag_interval){at, at + box->block, tag, 0});
    }
  }
}

/* What section i of all units reads and writes, and the regions that it needs. */
static void collect_section(struct ag_stage *stage, const struct ag_batch *batch, unsigned i) {
  unsigned mode = batch->task->sections[i].mode, n;
  /* What a unit may leave unwritten must be sent, or the commit would bring garbage back. */
  bool sums = (mode & AGGLOM_ACCUMULATE) != 0;
  bool reads = (mode & AGGLOM_IN) || !(mode & AGGLOM_OVERWRITES), writes = sums || (mode & AGGLOM_OUT);
  /* Between pieces nothing is known of the device's bytes, but nothing is copied back there either. */
  unsigned tag = (reads ? AG_READ : 0u) | (writes ? AG_WRITTEN : 0u);
  for (unsigned k = 0; k < batch->n_units && !sums; k += n) {
    n = side_by_side(batch, i, k);
    if (k && same_run(&batch->units[k]->access[i], &batch->units[k - 1]->access[i]))
      continue;
    if (reads)
      append_pieces(stage->ins, &stage->n_ins, batch, i, k, n, 0);
    if (writes)
      append_pieces(stage->outs, &stage->n_outs, batch, i, k, n, 0);
  }
  for (unsigned k = 0; k < batch->n_units; ++k) {
    const struct ag_access *a = &batch->units[k]->access[i];
    struct ag_access hull;
    bool again = k && same_run(a, &batch->units[k - 1]->access[i]);
    if (a->lo < a->hi && !again)
      stage->regions[stage->n_regions++] = (struct ag_interval){a->lo, a->hi, tag, 0};
    if (a->lo < a->hi && a->pieces && a->pieces->holder)
      stage->patches[stage->n_patches++] =
          (struct ag_patch){(uintptr_t)a->pieces->holder, a->lo, a->hi, a->pieces->pointer, 0};
    if (ag_unit_hull(batch->units[k], i, &hull) && (hull.lo != a->lo || hull.hi != a->hi))
      stage->regions[stage->n_regions++] = (struct ag_interval){hull.lo, hull.hi, 0, 0};
  }
}

/* The accumulated bytes, merged for each operation and its section: several units have one partial result. */
static void collect_sums(struct ag_stage *stage, const struct ag_batch *batch) {
  const struct agglom_task *task = batch->task;
  stage->n_sums = 0;
  for (unsigned i = 0; i < task->n_sections; ++i) {
    size_t first = stage->n_sums;
    unsigned mode = task->sections[i].mode & ~(unsigned)AGGLOM_SHAPED, before = 0;
    if (!(mode & AGGLOM_ACCUMULATE))
      continue;
    while ((task->sections[before].mode & ~(unsigned)AGGLOM_SHAPED) != mode)
      ++before;
    if (before < i)
      continue; /* was collected with section `before` */
    for (unsigned j = i; j < task->n_sections; ++j)
      for (unsigned k = 0, n;
           k < batch->n_units && (task->sections[j].mode & ~(unsigned)AGGLOM_SHAPED) == mode; k += n) {
        n = side_by_side(batch, j, k);
        if (!k || !same_run(&batch->units[k]->access[j], &batch->units[k - 1]->access[j]))
          append_pieces(stage->sums, &stage->n_sums, batch, j, k, n, i);
      }
    stage->n_sums = first + ag_intervals_merge(stage->sums + first, stage->n_sums - first);
  }
}

/* Of the region that holds the address. */
static void hide(struct ag_stage *stage, uintptr_t address) {
  size_t r = ag_intervals_find(stage->regions, stage->n_regions, address);
  if (r < stage->n_regions)
    stage->places[r].hidden = true;
}

/* All that units name, to divide regions by. */
static void collect_named(struct ag_stage *stage) {
  size_t n = stage->n_uses;
  memcpy(stage->named, stage->uses, n * sizeof *stage->named);
  if (stage->n_sums + stage->n_patches == 0) {
    stage->n_named = n;
    return;
  }
  for (size_t i = 0; i < stage->n_sums; ++i)
    stage->named[n++] = (struct ag_interval){stage->sums[i].lo, stage->sums[i].hi, 0, 0};
  for (size_t i = 0; i < stage->n_patches; ++i) {
    uintptr_t holder = stage->patches[i].holder;
    if (ag_intervals_find(stage->regions, stage->n_regions, holder) < stage->n_regions)
      stage->named[n++] = (struct ag_interval){holder, holder + sizeof(void *), 0, 0};
  }
  stage->n_named = ag_intervals_merge(stage->named, n);
}

/* Notes in which distance rows stand in each region: as in the box with most of them. */
static void collect_pitches(struct ag_stage *stage, const struct ag_batch *batch) {
  for (unsigned k = 0; k < batch->n_units; ++k)
    for (unsigned i = 0; i < batch->task->n_sections; ++i) {
      const struct ag_access *a = &batch->units[k]->access[i];
      const struct ag_box *box = box_of(a);
      if (!box)
        continue;
      const struct ag_box_dim *dim = &box->dim[box->n_dims - 1];
      struct ag_place *place = &stage->places[ag_intervals_find(stage->regions, stage->n_regions, a->lo)];
      if (dim->n > place->rows) {
        place->rows = dim->n;
        place->pitch = dim->pitch;
      }
    }
}

static void collect(struct ag_stage *stage, const struct ag_batch *batch) {
  const struct agglom_task *task = batch->task;
  stage->n_regions = stage->n_ins = stage->n_outs = stage->n_patches = 0;
  for (unsigned i = 0; i < task->n_sections; ++i)
    collect_section(stage, batch, i);
  merge_patches(stage);
  collect_sums(stage, batch);
  stage->n_regions = ag_intervals_merge(stage->regions, stage->n_regions);
  stage->n_ins = ag_intervals_merge(stage->ins, stage->n_ins);
  stage->n_outs = ag_intervals_merge(stage->outs, stage->n_outs);
  stage->n_uses = ag_intervals_union(stage->uses, stage->ins, stage->n_ins, stage->outs, stage->n_outs);
  memset(stage->places, 0, stage->n_regions * sizeof *stage->places);
  stage->n_moves = stage->n_direct = stage->bytes_reused = stage->bytes_direct = 0;
  for (size_t i = 0; i < stage->n_patches; ++i)
    hide(stage, stage->patches[i].holder);
  for (size_t i = 0; i < stage->n_sums; ++i)
    hide(stage, stage->sums[i].lo);
  collect_named(stage);
  if (task->state->shaped)
    collect_pitches(stage, batch);
}

int ag_stage_collect(struct ag_stage *stage, const struct ag_batch *batch) {
  if (reserve(stage, entries(batch)))
    return -ENOMEM;
  stage->sections = batch->task->sections;
  collect(stage, batch);
  return 0;
}

size_t ag_stage_pieces(const struct ag_interval *region, const struct ag_interval *set, size_t n,
                       size_t *first) {
  while (*first < n && set[*first].hi <= region->lo)
    ++*first;
  size_t end = *first;
  while (end < n && set[end].lo < region->hi)
    ++end;
  return end - *first;
}

void ag_stage_free(struct ag_stage *stage) {
  free(stage->regions);
  free(stage->ins);
  free(stage->outs);
  free(stage->sums);
  free(stage->patches);
  free(stage->places);
  free(stage->uses);
  free(stage->spans);
  free(stage->pieces);
  free(stage->order);
  free(stage->columns);
  free(stage->named);
  free(stage->cuts);
  free(stage->parts);
  free(stage->rows);
  free(stage->fills);
  *stage = (struct ag_stage){0};
}
