/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a region is divided between what is copied and what is not. A region is one part, with all its bytes,
 * where that costs less than to leave some out. Else it is cut: pieces in regular distances, as the columns
 * of a matrix are, become rows that one copy brings; of other pieces those that lie close together become one
 * part.
 *
 * 3 columns of 16 rows of a matrix of doubles, 100,000 of them a row: 16 parts of 24 bytes, side by side in
 * the staging buffer, and one copy of 384 bytes instead of 12 million. */
#ifndef AG_PARTS_H
#define AG_PARTS_H

#include "stage/stage.h"

enum {
  AG_APART = 64 << 10, /* bytes: fewer are copied in less time than another copy takes to begin */
  AG_ROW_COST = 64     /* bytes that another row of a copy costs */
};

/* Divides region r, whose place in the block is known, by the pieces of a merged set that it has, n from
 * `set` on; what reaches beyond it is left out. `fills`: the parts are to be copied to the block. Its bytes
 * stand in the staging buffer from `at` on; returns their end. */
size_t ag_parts_divide(struct ag_stage *stage, size_t r, const struct ag_interval *set, size_t n, bool fills,
                       size_t at);

/* Adds a copy of one row. It continues the last one where both sides do. */
void ag_parts_fill(struct ag_stage *stage, size_t from, size_t to, size_t bytes);

/* Where one is among the parts, for addresses in ascending order. Begins as 0. */
struct ag_part_cursor {
  size_t region, part;
};

/* Takes the cursor to the region that holds the address. */
static inline size_t ag_part_region(const struct ag_stage *stage, uintptr_t address,
                                    struct ag_part_cursor *c) {
  while (stage->regions[c->region].hi <= address)
    *c = (struct ag_part_cursor){c->region + 1, 0};
  return c->region;
}

/* Takes the cursor, which is in the region of the address, to the part that holds it. */
static inline const struct ag_staged_part *ag_part_at(const struct ag_stage *stage, uintptr_t address,
                                                      struct ag_part_cursor *c) {
  const struct ag_staged_part *parts = stage->parts + stage->places[c->region].first;
  while (parts[c->part].hi <= address)
    ++c->part;
  return &parts[c->part];
}

#endif /* AG_PARTS_H */
