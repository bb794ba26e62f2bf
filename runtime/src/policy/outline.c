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

/* What a unit of one of the places costs; the last place may not have been passed. */
static double unit_at(const struct ag_outline *o, uint64_t place) {
  double before = place ? (double)o->at[place - 1] : 0;
  if (place < o->n)
    return ((double)o->at[place] - before) / (double)o->apart;
  double units = (double)(o->units - place * o->apart);
  return units > 0 ? (o->cost - before) / units : 0;
}

double ag_outline_dearest(const struct ag_outline *o, double from, double to) {
  double end = (double)o->units, dearest = 0;
  if (!o->units || from >= end)
    return o->units ? o->cost / end : 0;
  from = from > 0 ? from : 0;
  to = to > from ? to : from + 1;
  uint64_t last = (uint64_t)(to < end ? to - 1 : end - 1) / o->apart;
  for (uint64_t i = (uint64_t)from / o->apart; i <= last; ++i) {
    double unit = unit_at(o, i);
    dearest = unit > dearest ? unit : dearest;
  }
  return dearest;
}

double ag_outline_smooth(const struct ag_outline *o) {
  if (!o->n)
    return 0;
  double mean = (double)o->at[o->n - 1] / (double)(o->n * o->apart), variance = 0, successive = 0;
  for (unsigned i = 0; i < o->n; ++i) {
    double unit = unit_at(o, i), step = i ? unit - unit_at(o, i - 1) : 0;
    variance += (unit - mean) * (unit - mean);
    successive += step * step;
  }
  return successive < variance ? 1 - successive / variance : 0;
}
