/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/outline.h"

static void halve(struct ag_outline *o) {
  o->n /= 2;
  o->apart *= 2;
  for (unsigned i = 0; i < o->n; ++i)
    o->at[i] = o->at[2 * i + 1];
}

void ag_outline_learn(struct ag_outline *o, uint64_t units, double cost) {
  if (units <= o->units)
    return;
  double each = cost > o->cost ? (cost - o->cost) / (double)(units - o->units) : 0;
  o->apart = o->apart ? o->apart : 1;
  while (units / o->apart >= AG_OUTLINE_PLACES) {
    if (o->n == 0)
      o->apart *= 2;
    else
      halve(o);
  }
  for (; o->n < units / o->apart; ++o->n)
    o->at[o->n] = (float)(o->cost + each * (double)((o->n + 1) * o->apart - o->units));
  o->cost = o->cost + each * (double)(units - o->units);
  o->units = units;
}

double ag_outline_cost(const struct ag_outline *o, double units) {
  if (!o->units || units <= 0)
    return 0;
  if (units >= (double)o->units)
    return o->cost * units / (double)o->units;
  uint64_t i = (uint64_t)units / o->apart; /* places before it */
  i = i < o->n ? i : o->n;
  double from = (double)(i * o->apart), to = i < o->n ? from + (double)o->apart : (double)o->units;
  double low = i ? (double)o->at[i - 1] : 0, high = i < o->n ? (double)o->at[i] : o->cost;
  return to > from ? low + (high - low) * (units - from) / (to - from) : low;
}
