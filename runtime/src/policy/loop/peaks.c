/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/peaks.h"

#include <string.h>

double ag_peaks_work(const struct ag_peaks *p, uint64_t from, uint64_t to) {
  double sum = 0;
  for (unsigned i = 0; i < p->count; ++i)
    if (p->at[i].from >= from && p->at[i].from < to)
      sum += p->at[i].work;
  return sum;
}

const struct ag_peak *ag_peaks_first(const struct ag_peaks *p, uint64_t from, uint64_t to) {
  const struct ag_peak *first = NULL;
  for (unsigned i = 0; i < p->count; ++i)
    if (p->at[i].from >= from && p->at[i].from < to && (!first || p->at[i].from < first->from))
      first = &p->at[i];
  return first;
}

const struct ag_peak *ag_peaks_around(const struct ag_peaks *p, uint64_t at) {
  for (unsigned i = 0; i < p->count; ++i)
    if (p->at[i].from <= at && at < p->at[i].to)
      return &p->at[i];
  return NULL;
}

static void take_out(struct ag_peaks *p, unsigned i) {
  memmove(&p->at[i], &p->at[i + 1], (--p->count - i) * sizeof p->at[i]);
}

/* It is not in from .. to - 1. Of what is on both sides the larger part is kept. False: nothing is left. */
static bool cut(struct ag_peak *peak, uint64_t from, uint64_t to) {
  uint64_t before = from > peak->from ? from - peak->from : 0, behind = peak->to > to ? peak->to - to : 0;
  if (before > behind)
    peak->to = from;
  else
    peak->from = to;
  return before || behind;
}

static void narrow(struct ag_peak *peak, uint64_t from, uint64_t to) {
  peak->from = peak->from > from ? peak->from : from;
  peak->to = peak->to < to ? peak->to : to;
}

/* Whether `above` is rather the chunk's part of a range that is heavy as a whole. */
static bool is_spread(const struct ag_peak *peak, uint64_t from, uint64_t to, double above) {
  struct ag_peak common = *peak;
  narrow(&common, from, to);
  double part = peak->work * (double)(common.to - common.from) / (double)(peak->to - peak->from),
         off = part < above ? above - part : part - above;
  return off < above && off < peak->work - above;
}

double ag_peaks_learn(struct ag_peaks *p, uint64_t from, uint64_t to, double above, double *found,
                      struct ag_peak *spread) {
  *found = 0;
  *spread = (struct ag_peak){0, 0, 0};
  for (unsigned i = 0; i < p->count;) {
    struct ag_peak *peak = &p->at[i];
    bool stays = true;
    if (peak->to > from && peak->from < to) {
      if (!(spread->work > 0) && is_spread(peak, from, to, above)) {
        *spread = *peak;
        stays = false;
      } else if (above > peak->work / 2) {
        narrow(peak, from, to);
        *found += peak->work;
        above -= peak->work;
      } else
        stays = cut(peak, from, to);
    }
    if (stays)
      ++i;
    else
      take_out(p, i);
  }
  return above;
}

void ag_peaks_add(struct ag_peaks *p, struct ag_peak peak) {
  unsigned i = p->count;
  while (i && p->at[i - 1].work < peak.work)
    --i;
  if (i == AG_PEAKS)
    return;
  if (p->count == AG_PEAKS)
    --p->count;
  memmove(&p->at[i + 1], &p->at[i], (p->count++ - i) * sizeof p->at[i]);
  p->at[i] = peak;
}

void ag_peaks_scale(struct ag_peaks *p, uint64_t from, uint64_t to, double factor) {
  struct ag_peaks was = *p;
  p->count = 0;
  for (unsigned i = 0; i < was.count; ++i) {
    struct ag_peak peak = was.at[i];
    if (peak.from >= from && peak.from < to)
      peak.work *= factor;
    ag_peaks_add(p, peak);
  }
}
