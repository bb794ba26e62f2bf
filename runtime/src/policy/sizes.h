/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How large the largest of some units is, while units come and go: counts and sums by powers of two. Each
 * unit that is submitted comes and goes here, so that is inline. */
#ifndef AG_SIZES_H
#define AG_SIZES_H

#include <stdint.h>

enum { AG_SIZE_CLASSES = 64 };

/* All zero: none. */
struct ag_sizes {
  uint64_t used; /* bit i: there are some in class i */
  struct {
    uint64_t n;
    double items;
  } of[AG_SIZE_CLASSES]; /* class i: 2^i items or more and less than 2^(i+1); class 0: whatever is less than 2
                          */
};

static inline unsigned ag_size_class(double items) {
  uint64_t n = items >= 0x1p63 ? UINT64_MAX : items >= 1 ? (uint64_t)items : 1;
  return 63 - (unsigned)__builtin_clzll(n);
}

static inline void ag_sizes_add(struct ag_sizes *sizes, double items) {
  unsigned i = ag_size_class(items);
  ++sizes->of[i].n;
  sizes->of[i].items += items;
  sizes->used |= (uint64_t)1 << i;
}

/* One that was added. */
static inline void ag_sizes_remove(struct ag_sizes *sizes, double items) {
  unsigned i = ag_size_class(items);
  sizes->of[i].items -= items;
  if (--sizes->of[i].n)
    return;
  sizes->of[i].items = 0; /* what rounding has left */
  sizes->used &= ~((uint64_t)1 << i);
}

/* The mean of the highest class: what the largest one has, within a factor of 2; exact when all have as many.
 * 0: there is none. */
double ag_sizes_longest(const struct ag_sizes *sizes);

#endif /* AG_SIZES_H */
