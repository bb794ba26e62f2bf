/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/batch/outline.h"

static void halve(struct ag_outline *o) {
  o->n /= 2;
  o->apart *= 2;
  for (unsigned i = 0; i < o->n; ++i)
    o->at[i] = o->at[2 * i + 1];
  uint32_t looked = o->looked;
  o->looked = 0;
  for (unsigned i = 0; i < AG_OUTLINE_PLACES; ++i)
    o->looked |= (looked >> i & 1) << i / 2;
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
  o->looked |= UINT32_C(1) << (units - 1) / o->apart;
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
  uint64_t last = o->units - 1;
  if (to < end) /* also of a unit of which only a part is before `to` */
    last = (double)(uint64_t)to < to ? (uint64_t)to : (uint64_t)to - 1;
  last /= o->apart;
  for (uint64_t i = (uint64_t)from / o->apart; i <= last; ++i) {
    double unit = unit_at(o, i);
    dearest = unit > dearest ? unit : dearest;
  }
  return dearest;
}

double ag_outline_smooth(const struct ag_outline *o) {
  /* Places between two looks are alike as nobody saw how they differ: together they are one. */
  double unit[AG_OUTLINE_PLACES], mean = 0, before = 0, variance = 0, successive = 0;
  unsigned n = 0, from = 0;
  for (unsigned i = 0; i < o->n; ++i) {
    if (i + 1 < o->n && !(o->looked >> i & 1))
      continue;
    unit[n] = ((double)o->at[i] - before) / (double)((i + 1 - from) * o->apart);
    mean += unit[n++];
    before = (double)o->at[i];
    from = i + 1;
  }
  for (unsigned i = 0; i < n; ++i) {
    double off = unit[i] - mean / n, step = i ? unit[i] - unit[i - 1] : 0;
    variance += off * off;
    successive += step * step;
  }
  return successive < variance ? 1 - successive / variance : 0;
}
