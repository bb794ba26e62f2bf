/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which order a device gets the chains of a launch. It begins them in that order and the others as these
 * end, so a dear one that comes last keeps it busy alone: longest processing time first (R. L. Graham, Bounds
 * on Multiprocessing Timing Anomalies, 1969) leaves such an end no longer than a cheap one takes. */
#ifndef AG_ORDER_H
#define AG_ORDER_H

#include <stdint.h>
#include <string.h>

/* Costs of one class differ by a 16th at most: in an order by classes, which takes no comparisons, an end
 * is hardly longer than in one by costs. */
enum { AG_ORDER_CLASSES = 1024 };

/* Larger for larger costs: exponent and first four bits of the mantissa. What is less than 1 counts as 1,
 * what is 2^64 or more as that. */
static inline unsigned ag_order_class(double cost) {
  uint64_t bits, one = UINT64_C(1023) << 4;
  if (!(cost > 1))
    return 0;
  memcpy(&bits, &cost, sizeof bits);
  bits = (bits >> 48) - one;
  return bits < AG_ORDER_CLASSES ? (unsigned)bits : AG_ORDER_CLASSES - 1;
}

/* How many there are in each class; afterwards, the place of the first of each when the dearest go first. */
static inline void ag_order_places(unsigned count[AG_ORDER_CLASSES]) {
  unsigned at = 0;
  for (unsigned c = AG_ORDER_CLASSES; c-- > 0;) {
    unsigned n = count[c];
    count[c] = at;
    at += n;
  }
}

#endif /* AG_ORDER_H */
