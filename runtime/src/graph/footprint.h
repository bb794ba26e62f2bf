/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device memory that several units need together: what they share counts once. An upper bound, kept as
 * units come and go.
 *
 * Sections of some size (AG_SHARED_LEAST) are looked up in a table, and what is there with the same first and
 * last byte is not counted again; smaller ones cost less than the look and count for each unit. There may be
 * many that are nearly the same, as of units that gather from all over an array: a few extents cover all
 * large ones that came since the last ag_footprint_clear(), and what these cover is a bound as well. The
 * lower of the two counts. Without memory for the table all that is not in it counts.
 *
 * The caller's lock protects it. */
#ifndef AG_FOOTPRINT_H
#define AG_FOOTPRINT_H

#include "graph/unit.h"

enum { AG_SHARED_LEAST = 1024, AG_FOOTPRINT_EXTENTS = 8 };

struct ag_footprint {
  size_t bytes;   /* of all units that are in it, with each large hull once */
  size_t apart;   /* of them without the large hulls, but for what these lose by alignment */
  size_t covered; /* by the extents; SIZE_MAX: not known */
  struct ag_interval extents[AG_FOOTPRINT_EXTENTS]; /* sorted, disjoint */
  unsigned n_extents;
  struct ag_footprint_hull {
    uintptr_t lo, hi;
    unsigned era;   /* one more than that of the table in which it was put there; else the place is free */
    unsigned units; /* that have it now; 0: it will perhaps come again */
  } *at;
  size_t room, used; /* places, a power of two or 0; those that are not free */
  unsigned era;
};

/* Upper bound of the bytes that a unit's argument structure and regions take in a slot. *large: some of them
 * may be shared with others at a profit. */
size_t ag_unit_footprint(const struct ag_unit *u, bool *large);

/* What all units that are in it need. */
static inline size_t ag_footprint_bytes(const struct ag_footprint *f) {
  size_t by_extents;
  return __builtin_add_overflow(f->apart, f->covered, &by_extents) || f->bytes < by_extents ? f->bytes
                                                                                            : by_extents;
}

/* A unit whose footprint and `large` are known comes, or goes that has come. */
void ag_footprint_add(struct ag_footprint *f, const struct ag_unit *u);
void ag_footprint_remove(struct ag_footprint *f, const struct ag_unit *u);

/* All go. Its memory is kept, and given back by ag_footprint_free(). */
void ag_footprint_clear(struct ag_footprint *f);
void ag_footprint_free(struct ag_footprint *f);

#endif /* AG_FOOTPRINT_H */
