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
  float items[AG_LONGEST_CLASSES]; /* of 2^i units or more and less than 2^(i+1), in the mean */
};

/* The longest unit of a batch. */
void ag_longest_learn(struct ag_longest *longest, double units, double items);

/* Items of the longest of so many units: as in batches of as many, or between those of fewer and of more, by
 * powers of two; 0: unknown. */
double ag_longest_of(const struct ag_longest *longest, double units);

#endif /* AG_LONGEST_H */
