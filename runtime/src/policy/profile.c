/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/profile.h"

#include <string.h>

void ag_profile_begin(struct ag_profile *p, uint64_t n) {
  if (p->n == n)
    return;
  memset(p, 0, sizeof *p);
  p->n = n;
  p->per = n / AG_PROFILE_CELLS + (n % AG_PROFILE_CELLS != 0);
  p->per += !p->per;
  p->count = n / p->per + (n % p->per != 0);
  p->recent = 1;
}

static double density(const struct ag_profile *p, uint64_t cell) {
  return p->density[cell] > 0 ? p->density[cell] : p->recent;
}

/* Iterations of the cell of `from` that are before `to`. */
static uint64_t in_cell(const struct ag_profile *p, uint64_t from, uint64_t to) {
  uint64_t rest = p->per - from % p->per;
  return rest < to - from ? rest : to - from;
}

double ag_profile_work(const struct ag_profile *p, uint64_t from, uint64_t to) {
  double work = 0;
  for (uint64_t n; from < to; from += n) {
    n = in_cell(p, from, to);
    work += (double)n * density(p, from / p->per);
  }
  return work;
}

double ag_profile_size(const struct ag_profile *p, uint64_t from, uint64_t to, double work) {
  double size = 0;
  for (uint64_t n; from < to; from += n) {
    n = in_cell(p, from, to);
    double here = density(p, from / p->per);
    if ((double)n * here >= work)
      return size + work / here;
    work -= (double)n * here;
    size += (double)n;
  }
  return size;
}

void ag_profile_learn(struct ag_profile *p, uint64_t from, uint64_t to, double ratio, double belief) {
  if (!(ratio > 1e-3))
    ratio = 1e-3;
  if (ratio > 1e3)
    ratio = 1e3;
  double was = ag_profile_work(p, from, to) / (double)(to - from), recent = p->recent;
  for (uint64_t n; from < to; from += n) {
    n = in_cell(p, from, to);
    double *cell = &p->density[from / p->per], weight = (double)n / (double)p->per;
    if (*cell > 0)
      *cell *= 1 + belief * weight * (ratio - 1);
    else
      *cell = recent * (1 + belief * (ratio - 1));
  }
  p->recent += belief * (was * ratio - p->recent);
}

double ag_profile_level(struct ag_profile *p) {
  double mean = ag_profile_work(p, 0, p->n) / (double)p->n;
  if (!(mean > 1e-100 && mean < 1e100)) {
    uint64_t n = p->n;
    p->n = 0;
    ag_profile_begin(p, n);
    return 1;
  }
  for (uint64_t i = 0; i < p->count; ++i)
    p->density[i] /= mean;
  p->recent = 1;
  return mean;
}
