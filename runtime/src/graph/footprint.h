/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device memory that several units need together: what they share counts once. An upper bound, kept as
 * units come and go: the lower of two sums.
 *
 * First sum: sections of some size (AG_SHARED_LEAST) are looked up in a table, and one with the same first
 * and last byte as another is not counted again; smaller sections cost less than the look-up and count for
 * each unit. Without memory for the table, sections that are not in it count for each unit.
 *
 * Second sum: there may be many large sections that are nearly the same, as of units that gather from all
 * over an array. A few extents cover all large sections that came since the last ag_footprint_clear(); the
 * bytes of these extents count instead of the large sections.
 *
 * The caller's lock protects it. */
#ifndef AG_FOOTPRINT_H
#define AG_FOOTPRINT_H

#include "graph/unit.h"

enum { AG_SHARED_LEAST = 16384, AG_FOOTPRINT_EXTENTS = 8 };

struct ag_footprint {
  size_t bytes;   /* first sum: of all units in it, each large hull once */
  size_t apart;   /* of these units without large hulls, but with AG_REGION_KEEP for each */
  size_t covered; /* bytes of the extents; SIZE_MAX: not known */
  struct ag_interval extents[AG_FOOTPRINT_EXTENTS]; /* sorted, disjoint */
  unsigned n_extents;
  struct ag_footprint_hull {
    uintptr_t lo, hi;
    unsigned era;   /* the place is taken if this is the table's era + 1; else it is free */
    unsigned units; /* units that have the hull now; 0: it is kept, as it may come again */
  } *at;
  size_t room, used; /* places, a power of two or 0; places that are taken */
  unsigned era;
};

/* Upper bound of the bytes that a unit's argument structure and regions take in a slot; SIZE_MAX where the
 * sum is larger. *large: whether it has a hull of AG_SHARED_LEAST bytes or more, which others may have as
 * well. */
size_t ag_unit_footprint(const struct ag_unit *u, bool *large);

/* Bytes of device memory that all units in it need at most: the lower of the two sums. */
static inline size_t ag_footprint_bytes(const struct ag_footprint *f) {
  size_t by_extents;
  return __builtin_add_overflow(f->apart, f->covered, &by_extents) || f->bytes < by_extents ? f->bytes
                                                                                            : by_extents;
}

/* Adds a unit whose fields footprint and large are filled in; removes one that was added. */
void ag_footprint_add(struct ag_footprint *f, const struct ag_unit *u);
void ag_footprint_remove(struct ag_footprint *f, const struct ag_unit *u);

/* Removes all units; the table's memory is kept for later ones. ag_footprint_free() gives it back, too. */
void ag_footprint_clear(struct ag_footprint *f);
void ag_footprint_free(struct ag_footprint *f);

#endif /* AG_FOOTPRINT_H */
