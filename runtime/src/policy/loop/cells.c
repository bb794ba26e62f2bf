/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/cells.h"
#include "policy/model/numbers.h"

#include <float.h>

static uint64_t per_cell(uint64_t n) {
  uint64_t per = ag_ceil(n, AG_LOOP_MOST_CELLS);
  return per + !per;
}

static uint64_t cells_of(uint64_t n) { return ag_ceil(n, per_cell(n)); }

size_t ag_cells_bytes(const struct ag_loop_view *view) { return 2 * cells_of(view->n) * sizeof(double); }

void ag_cells_begin(struct ag_cells *cells, void *arrays, const struct ag_loop_view *view) {
  *cells = (struct ag_cells){.per = per_cell(view->n), .count = cells_of(view->n), .work = arrays};
  cells->now = cells->work + cells->count;
  for (uint64_t i = 0; i < cells->count; ++i)
    cells->now[i] = 0;
}

static double sound(double x) { return x > 0 && x < DBL_MAX / 1e20 ? x : 0; }

void ag_cells_items(struct ag_loop *loop, uint64_t from, uint64_t to, const double *ns) {
  struct ag_cells *cells = loop->mine;
  for (uint64_t i = from; i < to; ++i)
    cells->now[i / cells->per] += sound(ns[i - from]);
  cells->told_from = from;
  cells->told_end = to;
}

static double size_of(const struct ag_loop_view *view, uint64_t from, uint64_t to) {
  double sum = 0;
  if (!view->cost)
    return (double)(to - from);
  for (uint64_t i = from; i < to; ++i)
    sum += sound(view->cost[i]);
  return sum;
}

/* The time of the chunk, by size. */
void ag_cells_done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  struct ag_cells *cells = loop->mine;
  const struct ag_loop_view *view = &loop->view;
  (void)u;
  bool told = cells->told_from == from && cells->told_end == to;
  cells->told_from = cells->told_end = 0;
  if (told || !(ag_loop_rate(to - from, ns) > 0))
    return;
  double all = size_of(view, from, to);
  for (uint64_t i = from, stop; i < to; i = stop) {
    uint64_t cell = i / cells->per, in_cell = cells->per - i % cells->per;
    stop = in_cell < to - i ? i + in_cell : to;
    double part = all > 0 ? size_of(view, i, stop) / all : (double)(stop - i) / (double)(to - from);
    cells->now[cell] += (double)ns * part;
  }
}

void ag_cells_end(struct ag_cells *cells) {
  for (uint64_t i = 0; i < cells->count; ++i)
    if (cells->now[i] > 0)
      cells->work[i] = cells->now[i];
}

/* The first iteration of a cell; n for cells->count. */
static uint64_t from_of(const struct ag_cells *cells, uint64_t n, uint64_t cell) {
  return cell < cells->count ? cell * cells->per : n;
}

void ag_cells_deal(struct ag_loop *loop, const uint64_t *end) {
  const struct ag_cells *cells = loop->mine;
  for (unsigned u = 0; u < loop->units; ++u)
    ag_loop_give(loop, u, u ? from_of(cells, loop->view.n, end[u - 1]) : 0,
                 from_of(cells, loop->view.n, end[u]));
  loop->low = loop->high;
}

void ag_cells_by_size(struct ag_cells *cells, const struct ag_loop_view *view) {
  for (uint64_t i = 0; i < cells->count; ++i)
    cells->work[i] = size_of(view, from_of(cells, view->n, i), from_of(cells, view->n, i + 1));
}

/* --- Balance ----------------------------------------------------------------------------------------------
 */

static double distance(double a, double b) { return a < b ? b - a : a - b; }

/* Figure 7 of Gonzalez Tallada and Morancho, with two slips of the figure mended: the work of a chunk is that
 * of the cells it has after the one before was moved, and no chunk takes the last cells from those behind it,
 * one for each, where there are so many. */
bool ag_cells_balance(const double *work, uint64_t first, uint64_t last, uint64_t *end, unsigned chunks) {
  double all = 0;
  bool moved = false;
  for (uint64_t i = first; i < last; ++i)
    all += work[i];
  double even = all / ag_most(chunks, 1);
  uint64_t from = first;
  for (unsigned k = 0; k < chunks; ++k) {
    uint64_t behind = chunks - 1 - k, most = last - from > behind ? last - behind : from, was = end[k],
             to = was;
    if (k == chunks - 1)
      most = to = last;
    if (to <= from)
      to = from + 1;
    if (to > most)
      to = most;
    double sum = 0;
    for (uint64_t i = from; i < to; ++i)
      sum += work[i];
    while (sum < even && to < most && distance(even, sum + work[to]) < even - sum)
      sum += work[to++];
    while (k < chunks - 1 && sum > even && to > from + 1 && distance(even, sum - work[to - 1]) < sum - even)
      sum -= work[--to];
    moved |= to != was;
    end[k] = from = to;
  }
  return moved;
}
