/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How large the largest of some units is, while units come and go: counts and sums by powers of two. */
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

void ag_sizes_add(struct ag_sizes *sizes, double items);

/* One that was added. */
void ag_sizes_remove(struct ag_sizes *sizes, double items);

/* The mean of the highest class: what the largest one has, within a factor of 2; exact when all have as many.
 * 0: there is none. */
double ag_sizes_longest(const struct ag_sizes *sizes);

#endif /* AG_SIZES_H */
