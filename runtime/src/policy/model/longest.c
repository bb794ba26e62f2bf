/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/model/longest.h"
#include "policy/model/numbers.h"

/* What the newest batch counts. */
#define NEWEST 0.125F

static int class_of(double units) {
  const double most = (double)(1 << (AG_LONGEST_CLASSES - 1));
  return units < 2 ? 0 : units < most ? 31 - __builtin_clz((unsigned)units) : AG_LONGEST_CLASSES - 1;
}

void ag_longest_learn(struct ag_longest *l, double units, double items) {
  int class = class_of(units);
  uint32_t bit = UINT32_C(1) << class;
  if (!ag_believable(items))
    return;
  l->items[class] += (l->known & bit ? NEWEST : 1) * ((float)items - l->items[class]);
  l->known |= bit;
}

double ag_longest_of(const struct ag_longest *l, double units) {
  int at = class_of(units);
  uint32_t below = l->known & ((UINT32_C(2) << at) - 1), above = l->known >> at << at;
  if (!l->known)
    return 0;
  int low = below ? 31 - __builtin_clz(below) : __builtin_ctz(above);
  int high = above ? __builtin_ctz(above) : low;
  double from = (double)l->items[low], to = (double)l->items[high];
  return high > low ? from + (to - from) * (at - low) / (high - low) : from;
}
