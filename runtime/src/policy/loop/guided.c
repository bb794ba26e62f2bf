/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* guided_sizes, guided_runtime (Gonzalez Tallada and Morancho, see static_pcf.c): consecutive chunks,
 * one for each unit, equal at first. Before each further execution their ends are moved towards equal sums of
 * the iterations' sizes, or of the times that they took. It is not foreseen that they take another time on
 * another kind of unit. */
#include "policy/loop/cells.h"

struct guided {
  struct ag_cells cells;
  uint64_t executions;
  bool moved; /* by the last adjustment */
};

static size_t bytes(const struct ag_loop_view *view) {
  return sizeof(struct guided) + ag_loop_units(&view->machine) * sizeof(uint64_t) + ag_cells_bytes(view);
}

static uint64_t *ends(const struct ag_loop *loop) { return (uint64_t *)((struct guided *)loop->mine + 1); }

static struct guided *enter(struct ag_loop *loop, bool fresh) {
  struct guided *g = loop->mine;
  uint64_t *end = ends(loop);
  ag_cells_begin(&g->cells, end + loop->units, &loop->view);
  for (unsigned u = 0; u < loop->units && fresh; ++u)
    end[u] = ag_loop_part(g->cells.count, loop->units, u + 1);
  return g;
}

static void adjust(struct ag_loop *loop, struct guided *g) {
  g->moved = ag_cells_balance(g->cells.work, 0, g->cells.count, ends(loop), loop->units);
  ++g->executions;
}

static bool settled(const struct ag_loop *loop) {
  const struct guided *g = loop->mine;
  return g->executions && !g->moved;
}

static void begin_by_size(struct ag_loop *loop, bool fresh) {
  struct guided *g = enter(loop, fresh);
  if (!fresh) {
    ag_cells_by_size(&g->cells, &loop->view);
    adjust(loop, g);
  }
  ag_cells_deal(loop, ends(loop));
}

static void begin_by_time(struct ag_loop *loop, bool fresh) {
  enter(loop, fresh);
  ag_cells_deal(loop, ends(loop));
}

static void end_by_time(struct ag_loop *loop) {
  struct guided *g = loop->mine;
  ag_cells_end(&g->cells);
  adjust(loop, g);
}

_Static_assert(sizeof(uint64_t) % _Alignof(double) == 0, "the arrays follow each other");

const struct ag_loop_policy ag_loop_guided_sizes = {
    .name = "guided_sizes", .by_items = true, .bytes = bytes, .begin = begin_by_size, .settled = settled};
const struct ag_loop_policy ag_loop_guided_runtime = {.name = "guided_runtime",
                                                      .by_items = true,
                                                      .bytes = bytes,
                                                      .begin = begin_by_time,
                                                      .items = ag_cells_items,
                                                      .done = ag_cells_done,
                                                      .end = end_by_time,
                                                      .settled = settled};
