/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Times between arrivals, the late ones above all: a histogram by powers of two of which all counts are
 * halved now and then. A single long pause moves no quantile of it, unlike a running maximum. */
#ifndef AG_GAPS_H
#define AG_GAPS_H

#include <stdint.h>

enum { AG_GAP_BINS = 48, AG_GAPS_KEPT = 256 };

/* All zero at first. */
struct ag_gaps {
  uint16_t count[AG_GAP_BINS]; /* gaps of 2^i to 2^(i+1) ns */
  unsigned total;              /* up to 2 * AG_GAPS_KEPT */
};

/* n gaps of this length. */
void ag_gaps_learn(struct ag_gaps *gaps, uint64_t ns, uint64_t n);

/* A length that this part of the gaps (0 to 1) does not exceed, within a factor of 2; 0: nothing is known. */
uint64_t ag_gaps_quantile(const struct ag_gaps *gaps, double part);

#endif /* AG_GAPS_H */
