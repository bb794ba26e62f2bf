/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small arithmetic that several policies need; nothing of it needs the mathematics library. */
#ifndef AG_NUMBERS_H
#define AG_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

static inline double ag_least(double a, double b) { return a < b ? a : b; }
static inline double ag_most(double a, double b) { return a > b ? a : b; }

static inline double ag_within(double x, double least, double most) {
  return x < least ? least : x > most ? most : x;
}
static inline bool ag_is_in(double x, double least, double most) { return x >= least && x <= most; }

/* Whether a time or a cost that was measured makes sense: it is positive, finite and not absurd. */
static inline bool ag_believable(double x) { return x > 0 && x < 1e300; }

/* The whole number below x, or the nearest there is; 0 for NaN. */
static inline uint64_t ag_whole(double x) { return x >= 0x1p64 ? UINT64_MAX : x > 0 ? (uint64_t)x : 0; }

#endif /* AG_NUMBERS_H */
