/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What schedules that look at single iterations know of them: the time or size of each, or of each cell of a
 * few where there are very many; and how chunks of consecutive cells are moved towards equal work. */
#ifndef AG_LOOP_CELLS_H
#define AG_LOOP_CELLS_H

#include "policy/loop/state.h"

enum { AG_LOOP_MOST_CELLS = 1 << 16 };

/* The policy's own bytes begin with this. */
struct ag_cells {
  uint64_t per, count;          /* iterations in a cell (the last may have fewer); cells */
  uint64_t told_from, told_end; /* iterations whose times are known one by one, before their chunk is done */
  double *work;                 /* of each cell; 0: unknown */
  double *now;                  /* the same, of this execution */
};

/* Memory for the arrays, which begin at a multiple of the alignment of double. */
size_t ag_cells_bytes(const struct ag_loop_view *view);

/* To be called in each begin(): the memory may have moved. */
void ag_cells_begin(struct ag_cells *cells, void *arrays, const struct ag_loop_view *view);

/* Gives each unit a chunk, the cells up to its end; nothing is left in the pool. */
void ag_cells_deal(struct ag_loop *loop, const uint64_t *end);

/* What becomes the policy's items() and done(). */
void ag_cells_items(struct ag_loop *loop, uint64_t from, uint64_t to, const double *ns);
void ag_cells_done(struct ag_loop *loop, unsigned unit, uint64_t from, uint64_t to, uint64_t ns);

/* Takes over what was measured in this execution as the cells' work. */
void ag_cells_end(struct ag_cells *cells);

/* Sets each cell's work to the sizes of its iterations in the view, 1 for each where the view has none. */
void ag_cells_by_size(struct ag_cells *cells, const struct ag_loop_view *view);

/* Chunk i of `chunks` is the cells end[i - 1] .. end[i] - 1, or from first on for i = 0; the last one ends at
 * last. Moves the ends towards equal sums of work, as long as each step gets nearer to it. True: some end has
 * moved. */
bool ag_cells_balance(const double *work, uint64_t first, uint64_t last, uint64_t *end, unsigned chunks);

#endif /* AG_LOOP_CELLS_H */
