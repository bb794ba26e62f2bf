/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device memory that several units need together: what they share counts once. An upper bound, kept as
 * units come and go.
 *
 * Sections of some size (AG_SHARED_LEAST) are looked up in a table, and what is there with the same first and
 * last byte is not counted again. Smaller ones cost less than the look, and those that overlap without being
 * equal are rare among large ones: both count for each unit. Without memory for the table all count.
 *
 * The caller's lock protects it. */
#ifndef AG_FOOTPRINT_H
#define AG_FOOTPRINT_H

#include "units/unit.h"

enum { AG_SHARED_LEAST = 1024 };

struct ag_footprint {
  size_t bytes; /* of all units that are in it */
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

void ag_footprint_share(struct ag_footprint *f, const struct ag_unit *u);
void ag_footprint_unshare(struct ag_footprint *f, const struct ag_unit *u);

/* A unit whose footprint and `large` are known comes, or goes that has come. */
static inline void ag_footprint_add(struct ag_footprint *f, const struct ag_unit *u) {
  f->bytes += u->footprint;
  if (u->large)
    ag_footprint_share(f, u);
}
static inline void ag_footprint_remove(struct ag_footprint *f, const struct ag_unit *u) {
  f->bytes -= u->footprint;
  if (u->large)
    ag_footprint_unshare(f, u);
}

/* All go. Its memory is kept, and given back by ag_footprint_free(). */
void ag_footprint_clear(struct ag_footprint *f);
void ag_footprint_free(struct ag_footprint *f);

#endif /* AG_FOOTPRINT_H */
