/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What comes back from the device, in how many copies. */
#include "stage/inside.h"
#include "stage/parts.h"

#include <stdlib.h>

/* Rows stand together: their tag is the number of the rows, 0 for all else. */
static int by_source(const void *a, const void *b) {
  const struct ag_fetch *x = a, *y = b;
  uintptr_t p = (uintptr_t)x->from, q = (uintptr_t)y->from;
  if (x->tag != y->tag)
    return x->tag < y->tag ? -1 : 1;
  return p < q ? -1 : p > q;
}

/* Adds a piece for each interval of a merged set, cut where parts end. */
static void add_pieces(struct ag_stage *stage, const struct ag_interval *set, size_t n, char *host) {
  struct ag_part_cursor at = {0, 0};
  for (size_t i = 0; i < n; ++i)
    for (uintptr_t lo = set[i].lo, hi; lo < set[i].hi; lo = hi) {
      if (i && lo < set[i - 1].lo) /* the sets of several operations begin anew */
        at = (struct ag_part_cursor){ag_intervals_find(stage->regions, stage->n_regions, lo), 0};
      const struct ag_place *place = &stage->places[ag_part_region(stage, lo, &at)];
      const struct ag_staged_part *part = ag_part_at(stage, lo, &at);
      hi = part->hi < set[i].hi ? part->hi : set[i].hi;
      /* NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are computed with */
      const void *from = (const void *)(lo + place->shift);
      stage->pieces[stage->n_pieces++] =
          (struct ag_fetch){host + part->at + (lo - part->lo), from, hi - lo, part->rows};
    }
}

/* From the beginning of a piece to that of the next one, on the device and in the staging buffer. */
static size_t on_device(const struct ag_fetch *p) { return (size_t)((char *)p[1].from - (char *)p->from); }
static size_t on_host(const struct ag_fetch *p) { return (size_t)((char *)p[1].to - (char *)p->to); }

/* Whether the piece and the next one come in one copy. */
static bool joins(const struct ag_fetch *p) {
  return on_device(p) == on_host(p) && on_device(p) - p->bytes <= AG_BRIDGE;
}

/* The number of pieces that are rows, n at most, and how they lie. */
static size_t rows_at(const struct ag_fetch *p, size_t n, struct ag_rows *rows) {
  *rows = (struct ag_rows){.n = 1, .bytes = p->bytes};
  if (n < 2 || p[1].from <= p->from || p[1].to <= p->to)
    return 1;
  rows->device_pitch = on_device(p);
  rows->host_pitch = on_host(p);
  while (rows->n < n && p[rows->n].bytes == rows->bytes && p[rows->n].tag == p->tag &&
         on_device(p + rows->n - 1) == rows->device_pitch && on_host(p + rows->n - 1) == rows->host_pitch)
    ++rows->n;
  return rows->n;
}

void ag_stage_find_spans(struct ag_stage *stage, char *host) {
  struct ag_fetch *pieces = stage->pieces;
  stage->n_pieces = stage->n_spans = stage->bytes_out = 0;
  add_pieces(stage, stage->outs, stage->n_outs, host);
  add_pieces(stage, stage->sums, stage->n_sums, host);
  bool sorted = true;
  for (size_t i = 1; i < stage->n_pieces && sorted; ++i)
    sorted = by_source(&pieces[i - 1], &pieces[i]) <= 0;
  if (!sorted)
    qsort(pieces, stage->n_pieces, sizeof *pieces, by_source);
  for (size_t i = 0, end; i < stage->n_pieces; i = end) {
    struct ag_span span = {.first = i};
    for (end = i + 1; end < stage->n_pieces && joins(&pieces[end - 1]);)
      ++end;
    if (end == i + 1)
      end = i + rows_at(&pieces[i], stage->n_pieces - i, &span.rows);
    span.n = end - i;
    if (span.rows.n < 2) {
      span.rows.n = 0;
      stage->bytes_out +=
          (size_t)((char *)pieces[end - 1].from - (char *)pieces[i].from) + pieces[end - 1].bytes;
    } else {
      stage->bytes_out += span.rows.n * span.rows.bytes;
    }
    stage->spans[stage->n_spans++] = span;
  }
}
