/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/profile.h"

#include "policy/model/numbers.h"
#include "sys/align.h"
#include <string.h>

/* What a guess counts beside the first measurement, which counts 1. */
#define PRIOR 0.1
/* Of what is believed: a chunk may be a thousand times as much work as was known, and a cell 10^100 times the
 * mean, so that no sum or product of a few of them is infinite or 0. */
#define LEAST_RATIO 1e-3
#define LEAST_DENSITY 1e-100
/* A heavy iteration is so many times as much work as all the rest of the chunk that shows it, and as a cell
 * in the mean. Where cells have less than MANY iterations they say it themselves. */
enum { HEAVY = 2, MANY = 4 };

void ag_profile_begin(struct ag_profile *p, uint64_t n) {
  if (p->n == n)
    return;
  memset(p, 0, sizeof *p);
  p->n = n;
  p->per = ag_ceil(n, AG_PROFILE_CELLS);
  p->recent = 1;
}

static double density(const struct ag_profile *p, uint64_t cell) {
  return cell < p->known ? p->density[cell] : p->recent;
}

/* The end of a cell, or `most` if that comes first. */
static uint64_t end_of(const struct ag_profile *p, uint64_t cell, uint64_t most) {
  return cell < most / p->per ? (cell + 1) * p->per : most;
}

/* Without heavy iterations. */
static double level_work(const struct ag_profile *p, uint64_t from, uint64_t to) {
  if (from >= to)
    return 0;
  uint64_t first = from / p->per, last = to / p->per;
  if (first == last || first >= p->known)
    return (double)(to - from) * density(p, first);
  double whole = 0, work = (double)((first + 1) * p->per - from) * density(p, first);
  uint64_t cell = first + 1, end = last < p->known ? last : p->known;
  for (; cell < end; ++cell)
    whole += p->density[cell];
  return work + (double)p->per * whole + (double)(to - cell * p->per) * density(p, cell);
}

double ag_profile_work(const struct ag_profile *p, uint64_t from, uint64_t to) {
  double work = level_work(p, from, to);
  for (unsigned i = 0; i < p->heavy; ++i)
    work += p->at[i].first >= from && p->at[i].first < to ? p->at[i].work : 0;
  return work;
}

uint64_t ag_profile_heavy(const struct ag_profile *p, uint64_t from, uint64_t to, double work) {
  for (unsigned i = 0; i < p->heavy; ++i)
    to = p->at[i].first >= from && p->at[i].first < to && p->at[i].work > work ? p->at[i].first : to;
  return to;
}

double ag_profile_size(const struct ag_profile *p, uint64_t from, uint64_t to, double work) {
  double size = 0;
  for (uint64_t cell = from < to ? from / p->per : 0; from < to; ++cell) {
    uint64_t end = cell < p->known ? end_of(p, cell, to) : to;
    double here = (double)(end - from) * density(p, cell);
    if (here >= work)
      return size + work / density(p, cell);
    work -= here;
    size += (double)(end - from);
    from = end;
  }
  return size;
}

/* The ratio without heavy iterations. A heavy iteration in this chunk stays one if at least half of its work
 * shows in the measurement. A new one is told by a measurement of full weight alone: a device may be slow for
 * other reasons. */
static double learn_heavy(struct ag_profile *p, uint64_t from, uint64_t to, double ratio, double weight) {
  double level = level_work(p, from, to), above = ag_profile_work(p, from, to) * ratio - level;
  for (unsigned i = p->heavy; i-- > 0;)
    if (p->at[i].first < from || p->at[i].first >= to)
      continue;
    else if (above > p->at[i].work / 2) {
      level += p->at[i].work;
      above -= p->at[i].work;
    } else
      p->at[i] = p->at[--p->heavy];
  if (p->heavy == AG_PROFILE_HEAVY || p->per < MANY || to - from > p->per || weight < 1 ||
      above < HEAVY * ag_most(level, (double)p->per))
    return (level + above) / level;
  p->at[p->heavy++] = (struct ag_profile_heavy){from, above};
  return 1;
}

void ag_profile_learn(struct ag_profile *p, uint64_t from, uint64_t to, double ratio, double weight) {
  if (from >= to || !(weight > 0))
    return;
  ratio = ratio > LEAST_RATIO ? ag_within(ratio, LEAST_RATIO, 1 / LEAST_RATIO) : LEAST_RATIO;
  ratio = learn_heavy(p, from, to, ratio, weight);
  double was = level_work(p, from, to) / (double)(to - from);
  uint64_t first = from / p->per, last = (to - 1) / p->per;
  for (uint64_t i = first; i <= last; ++i) {
    uint64_t begin = i == first ? from : i * p->per, end = end_of(p, i, to);
    double here = weight * (double)(end - begin) / (double)p->per,
           gain = here / (here + p->weight[i] + PRIOR);
    p->density[i] = ag_within(density(p, i) * (1 + gain * (ratio - 1)), LEAST_DENSITY, 1 / LEAST_DENSITY);
    p->weight[i] = p->weight[i] + here < 1 ? p->weight[i] + here : 1;
  }
  p->known = last < p->known ? p->known : last + 1;
  while (first && !(p->weight[first - 1] > 0)) {
    --first;
    p->density[first] = p->density[first + 1];
  }
  p->recent += weight / (1 + weight) * (was * ratio - p->recent);
}

void ag_profile_bridge(struct ag_profile *p) {
  for (uint64_t i = 0, before = p->known; i < p->known; ++i) { /* before the first one there is none */
    if (!(p->weight[i] > 0))
      continue;
    for (uint64_t k = before + 1; k < i; ++k)
      p->density[k] = p->density[before] +
                      (p->density[i] - p->density[before]) * (double)(k - before) / (double)(i - before);
    before = i;
  }
}

double ag_profile_level(struct ag_profile *p) {
  double mean = p->n ? ag_profile_work(p, 0, p->n) / (double)p->n : 1;
  for (uint64_t i = 0; i < p->known; ++i)
    p->density[i] = ag_within(p->density[i] / mean, LEAST_DENSITY, 1 / LEAST_DENSITY);
  for (unsigned i = 0; i < p->heavy; ++i)
    p->at[i].work = ag_within(p->at[i].work / mean, LEAST_DENSITY, 1 / LEAST_DENSITY);
  p->recent = 1;
  return mean;
}
