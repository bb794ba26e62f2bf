/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/model/longest.h"
#include "policy/model/numbers.h"

/* What the newest batch counts. */
#define NEWEST 0.125F

/* Of a class of which nothing is known: between its neighbours of which something is. */
static double between(const struct ag_longest *l, int at) {
  uint32_t below = l->known & ((UINT32_C(2) << at) - 1), above = l->known >> at << at;
  int low = below ? 31 - __builtin_clz(below) : __builtin_ctz(above);
  int high = above ? __builtin_ctz(above) : low;
  double from = (double)l->items[low], to = (double)l->items[high];
  return high > low ? from + (to - from) * (at - low) / (high - low) : from;
}

void ag_longest_learn(struct ag_longest *l, double units, double items) {
  int class = ag_longest_class(units);
  uint32_t bit = UINT32_C(1) << class;
  if (!ag_believable(items))
    return;
  float known = l->known & bit ? l->items[class] : (float)items;
  l->items[class] = known + NEWEST * ((float)items - known);
  l->known |= bit;
  for (int at = 0; at < AG_LONGEST_CLASSES; ++at)
    if (!(l->known >> at & 1))
      l->items[at] = (float)between(l, at);
}
