/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/model/power.h"
#include "policy/model/numbers.h"

/* A mean is over MOST_SECONDS at most; one over less than LEAST_SECONDS counts as not known yet. */
#define MOST_SECONDS 5.0
#define LEAST_SECONDS 0.05
/* Shares that differ by less say nothing of the line. */
#define LEAST_SPREAD 0.2
#define MOST_WATTS 1e6

void ag_power_learn(struct ag_power *p, double seconds, double share, double joules) {
  double watts = joules / seconds;
  if (!(seconds > 0 && seconds < 1e6 && share >= 0 && watts >= 0 && watts < MOST_WATTS))
    return;
  share = ag_least(share, 1);
  unsigned i = (unsigned)ag_least(share * AG_POWER_RANGES, AG_POWER_RANGES - 1);
  double known = p->at[i].seconds, weight = seconds / (known + seconds);
  p->at[i].share += weight * (share - p->at[i].share);
  p->at[i].watts += weight * (watts - p->at[i].watts);
  p->at[i].seconds = ag_least(known + seconds, MOST_SECONDS);
}

/* Least squares, weighted by time. Nothing takes less than no power. */
bool ag_power_line(const struct ag_power *p, double *idle, double *busy) {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, low = 1, high = 0;
  for (unsigned i = 0; i < AG_POWER_RANGES; ++i) {
    double w = p->at[i].seconds, share = p->at[i].share;
    if (w < LEAST_SECONDS)
      continue;
    low = ag_least(share, low);
    high = ag_most(share, high);
    weight += w;
    x += w * share;
    y += w * p->at[i].watts;
    xx += w * share * share;
    xy += w * share * p->at[i].watts;
  }
  if (high - low < LEAST_SPREAD)
    return false;
  x /= weight;
  y /= weight;
  *busy = (xy / weight - x * y) / (xx / weight - x * x);
  *busy = ag_most(*busy, 0);
  *idle = y - *busy * x;
  if (*idle < 0) { /* all of it is work's */
    *idle = 0;
    *busy = y / x;
  }
  return true;
}

/* --- Between runs of a program ---------------------------------------------------------------------- */

bool ag_power_keep(const struct ag_power *p, double x[AG_POWER_NUMBERS]) {
  bool any = false;
  for (unsigned i = 0; i < AG_POWER_RANGES; ++i) {
    any |= p->at[i].seconds > 0;
    x[3 * i] = p->at[i].share;
    x[3 * i + 1] = p->at[i].watts;
    x[3 * i + 2] = p->at[i].seconds;
  }
  return any;
}

bool ag_power_seed(struct ag_power *power, const double *x, unsigned n) {
  struct ag_power p = {0};
  if (n != AG_POWER_NUMBERS)
    return false;
  for (unsigned i = 0; i < AG_POWER_RANGES; ++i) {
    double share = x[3 * i], watts = x[3 * i + 1], seconds = x[3 * i + 2];
    if (!ag_is_in(share, 0, 1) || !ag_is_in(watts, 0, MOST_WATTS) || !ag_is_in(seconds, 0, MOST_SECONDS))
      return false;
    p.at[i].share = share;
    p.at[i].watts = watts;
    p.at[i].seconds = seconds;
  }
  *power = p;
  return true;
}
