/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The expected cost of the longest of some units before they have come: means over late batches, by powers of
 * two of their number of units. */
#ifndef AG_LONGEST_H
#define AG_LONGEST_H

#include <stdint.h>

enum { AG_LONGEST_CLASSES = 24 };

/* All zero at first: nothing is known. */
struct ag_longest {
  uint32_t known;                  /* a bit for each class of which something is known */
  float items[AG_LONGEST_CLASSES]; /* of 2^i units or more and less than 2^(i+1), in the mean; between others,
                                      where that is not known */
};

/* The longest unit of a batch. */
void ag_longest_learn(struct ag_longest *longest, double units, double items);

static inline int ag_longest_class(double units) {
  const double most = (double)(1 << (AG_LONGEST_CLASSES - 1));
  return units < 2 ? 0 : units < most ? 31 - __builtin_clz((unsigned)units) : AG_LONGEST_CLASSES - 1;
}

/* Items of the longest of so many units: as in batches of as many, or between those of fewer and of more, by
 * powers of two; 0: unknown. */
static inline double ag_longest_of(const struct ag_longest *longest, double units) {
  return (double)longest->items[ag_longest_class(units)];
}

#endif /* AG_LONGEST_H */
