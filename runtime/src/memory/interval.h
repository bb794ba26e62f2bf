/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets of byte intervals of host memory. Pure functions over arrays the caller owns. */
#ifndef AG_INTERVAL_H
#define AG_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

/* The bytes lo .. hi-1. tag is the caller's: a set of bits that merging or-s together. */
struct ag_interval {
  uintptr_t lo, hi;
  unsigned tag;
  unsigned reserved;
};

/* The part of a piece that lies in the region. */
static inline struct ag_interval ag_interval_within(const struct ag_interval *region,
                                                    struct ag_interval piece) {
  piece.lo = piece.lo > region->lo ? piece.lo : region->lo;
  piece.hi = piece.hi < region->hi ? piece.hi : region->hi;
  return piece;
}

/* Sorts the intervals and merges those that overlap, and those that touch while they carry the same tag.
 * Empty ones are dropped. The result is sorted and disjoint and stands in place[0 .. returned-1]. */
size_t ag_intervals_merge(struct ag_interval *place, size_t n);

/* The union of two merged sets, merged, into `to`, which has room for both. Tags are those of `a` and `b`,
 * or-ed where intervals become one. */
size_t ag_intervals_union(struct ag_interval *to, const struct ag_interval *a, size_t n_a,
                          const struct ag_interval *b, size_t n_b);

/* The index of the first interval of a merged set that ends behind the address, or n. */
size_t ag_intervals_behind(const struct ag_interval *set, size_t n, uintptr_t address);

/* The index of the interval of a merged set that holds the address, or n. */
size_t ag_intervals_find(const struct ag_interval *set, size_t n, uintptr_t address);

#endif /* AG_INTERVAL_H */
