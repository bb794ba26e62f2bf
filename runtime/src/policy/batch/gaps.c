/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/batch/gaps.h"

static unsigned bin_of(uint64_t ns) {
  unsigned i = 0;
  while (i + 1 < AG_GAP_BINS && ns >> (i + 1))
    ++i;
  return i;
}

void ag_gaps_learn(struct ag_gaps *g, uint64_t ns, uint64_t n) {
  unsigned more = n < AG_GAPS_KEPT ? (unsigned)n : AG_GAPS_KEPT;
  g->count[bin_of(ns)] = (uint16_t)(g->count[bin_of(ns)] + more);
  g->total += more;
  if (g->total < 2 * AG_GAPS_KEPT)
    return;
  g->total = 0;
  for (unsigned i = 0; i < AG_GAP_BINS; ++i)
    g->total += g->count[i] /= 2;
}

uint64_t ag_gaps_quantile(const struct ag_gaps *g, double part) {
  double below = part * g->total;
  int left = (int)below;
  left += left < below; /* rounded up */
  for (unsigned i = 0; i < AG_GAP_BINS; ++i)
    if (g->count[i] && (left -= g->count[i]) <= 0)
      return (uint64_t)2 << i;
  return 0;
}
