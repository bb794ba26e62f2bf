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
  float *known = &l->items[class_of(units)];
  if (ag_believable(items))
    *known += (*known > 0 ? NEWEST : 1) * ((float)items - *known);
}

double ag_longest_of(const struct ag_longest *l, double units) {
  int at = class_of(units), low = at, high = at;
  while (low >= 0 && !(l->items[low] > 0))
    --low;
  while (high < AG_LONGEST_CLASSES && !(l->items[high] > 0))
    ++high;
  if (low < 0)
    return high < AG_LONGEST_CLASSES ? (double)l->items[high] : 0;
  if (high == AG_LONGEST_CLASSES || high == low)
    return (double)l->items[low];
  return (double)l->items[low] + (double)(l->items[high] - l->items[low]) * (at - low) / (high - low);
}
