/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stage/parts.h"

#include <stdlib.h>

/* Tag of a cut that is moved there in another way than through the staging buffer, at least in part. */
#define MOVED (~0U)

void ag_parts_fill(struct ag_stage *stage, size_t from, size_t to, size_t bytes) {
  struct ag_fill *last = stage->n_fills ? &stage->fills[stage->n_fills - 1] : NULL;
  if (last && !stage->apart && last->to - last->from == to - from) {
    last->rows.bytes = from + bytes - last->from;
    return;
  }
  stage->apart = false;
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): collecting has made room for all of them */
  stage->fills[stage->n_fills++] = (struct ag_fill){from, to, {.n = 1, .bytes = bytes}};
}

/* The smallest offset from `at` on that is `address` modulo AG_REGION_KEEP. */
static size_t keep(size_t at, uintptr_t address) { return at + (address - at) % AG_REGION_KEEP; }

static int by_key(const void *a, const void *b) {
  const struct ag_order *x = a, *y = b;
  return x->device < y->device ? -1 : x->device > y->device;
}

/* Sorts the n cuts by column, and by row in each column. */
static void sort_by_column(struct ag_stage *stage, const struct ag_interval *region, size_t n, size_t pitch) {
  size_t height = (region->hi - region->lo) / pitch + 1;
  bool sorted = true;
  for (size_t i = 0; i < n; ++i) {
    size_t at = stage->cuts[i].lo - region->lo;
    stage->columns[i] = (struct ag_order){at % pitch * height + at / pitch, i};
    sorted = sorted && (!i || stage->columns[i - 1].device <= stage->columns[i].device);
  }
  if (!sorted)
    qsort(stage->columns, n, sizeof *stage->columns, by_key);
}

/* Finds rows among the n cuts: as many of one size in one distance as there are, where one copy of them costs
 * less than one of all from the first to the last. Their tag says which rows they belong to. */
static void find_rows(struct ag_stage *stage, const struct ag_interval *region, size_t n, size_t pitch) {
  const struct ag_order *order = stage->columns;
  struct ag_interval *cuts = stage->cuts;
  sort_by_column(stage, region, n, pitch);
  for (size_t i = 0, end; i < n; i = end) {
    const struct ag_interval *first = &cuts[order[i].index];
    size_t bytes = first->hi - first->lo, step = 0;
    for (end = i + 1; end < n && first->tag != MOVED; ++end) {
      const struct ag_interval *next = &cuts[order[end].index], *last = &cuts[order[end - 1].index];
      size_t distance = next->lo - last->lo;
      if (next->tag == MOVED || next->hi - next->lo != bytes || next->lo < last->lo ||
          (step && distance != step))
        break;
      step = distance;
    }
    size_t rows = end - i;
    if (rows < 2 || (rows - 1) * (step - bytes) < (size_t)AG_APART + rows * AG_ROW_COST)
      continue;
    stage->rows[stage->n_rows++] = (struct ag_piece_rows){.rows = {rows, bytes, bytes, step}};
    for (size_t k = i; k < end; ++k)
      cuts[order[k].index].tag = (unsigned)stage->n_rows;
  }
}

/* Copies the pieces, as far as they lie in the region, to the cuts. Returns how many bytes they have. */
static size_t take_cuts(struct ag_stage *stage, const struct ag_interval *region,
                        const struct ag_interval *set, size_t n) {
  size_t bytes = 0;
  for (size_t i = 0, m = 0; i < n; ++i) {
    struct ag_interval cut = ag_interval_within(region, set[i]);
    while (m < stage->n_moves && stage->moves[m].hi <= cut.lo)
      ++m;
    cut.tag = m < stage->n_moves && stage->moves[m].lo < cut.hi ? MOVED : 0;
    stage->cuts[i] = cut;
    bytes += cut.hi - cut.lo;
  }
  return bytes;
}

/* Adds the cut as one of its rows. Returns where the staging buffer is free then. */
static size_t add_row(struct ag_stage *stage, const struct ag_interval *cut, size_t block, bool fills,
                      size_t at) {
  struct ag_piece_rows *of = &stage->rows[cut->tag - 1];
  size_t bytes = of->rows.bytes;
  if (!of->at) { /* the first one: the launch arrays stand at 0 */
    of->at = at = keep(at, cut->lo);
    if (fills)
      stage->fills[stage->n_fills++] = (struct ag_fill){at, block, of->rows};
    stage->parts[stage->n_parts++] = (struct ag_staged_part){cut->lo, cut->hi, at, cut->tag};
    of->next = at + bytes;
    return at + of->rows.n * bytes;
  }
  stage->parts[stage->n_parts++] = (struct ag_staged_part){cut->lo, cut->hi, of->next, cut->tag};
  of->next += bytes;
  return at;
}

/* Whether one move brings lo - 1, hi and what lies between. *next: index of the first move that may, kept
 * from call to call. */
static bool bridged(const struct ag_stage *stage, uintptr_t lo, uintptr_t hi, size_t *next) {
  while (*next < stage->n_moves && stage->moves[*next].hi <= hi)
    ++*next;
  return *next < stage->n_moves && stage->moves[*next].lo < lo;
}

/* Adds parts for the n cuts. */
static size_t add_cuts(struct ag_stage *stage, size_t r, size_t n, bool fills, size_t at) {
  const struct ag_interval *region = &stage->regions[r];
  struct ag_staged_part *last = NULL; /* that the next cut may become a part of */
  bool moved = false;                 /* that is moved */
  size_t next = 0;
  for (size_t i = 0; i < n; ++i) {
    const struct ag_interval *cut = &stage->cuts[i];
    size_t block = stage->places[r].offset + (cut->lo - region->lo);
    if (cut->tag && cut->tag != MOVED) {
      at = add_row(stage, cut, block, fills, at);
      last = NULL;
      continue;
    }
    if (last && (moved ? bridged(stage, last->hi, cut->lo, &next)
                       : cut->tag != MOVED && cut->lo - last->hi < (size_t)AG_APART)) {
      at += cut->hi - last->hi;
      if (fills)
        stage->fills[stage->n_fills - 1].rows.bytes += cut->hi - last->hi;
      last->hi = cut->hi;
      continue;
    }
    at = keep(at, cut->lo);
    stage->apart = true;
    if (fills)
      ag_parts_fill(stage, at, block, cut->hi - cut->lo);
    stage->parts[stage->n_parts++] = (struct ag_staged_part){cut->lo, cut->hi, at, 0};
    moved = cut->tag == MOVED;
    last = &stage->parts[stage->n_parts - 1];
    at += cut->hi - cut->lo;
  }
  stage->apart = true;
  return at;
}

size_t ag_parts_divide(struct ag_stage *stage, size_t r, const struct ag_interval *set, size_t n, bool fills,
                       size_t at) {
  const struct ag_interval *region = &stage->regions[r];
  struct ag_place *place = &stage->places[r];
  size_t bytes = region->hi - region->lo, first = stage->n_parts;
  if (n < 2 || bytes - take_cuts(stage, region, set, n) <= (size_t)AG_APART) {
    if (fills)
      ag_parts_fill(stage, at, place->offset, bytes);
    stage->parts[stage->n_parts++] = (struct ag_staged_part){region->lo, region->hi, at, 0};
    at += bytes;
  } else {
    if (place->pitch)
      find_rows(stage, region, n, place->pitch);
    at = add_cuts(stage, r, n, fills, at);
    stage->cut |= fills;
  }
  place->first = first;
  place->n = stage->n_parts - first;
  return at;
}

const struct ag_staged_part *ag_stage_part(const struct ag_stage *stage, uintptr_t address) {
  size_t r = ag_intervals_find(stage->regions, stage->n_regions, address);
  if (r == stage->n_regions)
    return NULL;
  const struct ag_staged_part *parts = stage->parts + stage->places[r].first;
  size_t lo = 0, hi = stage->places[r].n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (parts[mid].hi <= address)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < stage->places[r].n && parts[lo].lo <= address ? &parts[lo] : NULL;
}
