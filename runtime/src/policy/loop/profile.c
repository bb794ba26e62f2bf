/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/profile.h"

#include <stdbool.h>
#include <string.h>

/* What a guess counts beside the first measurement. */
#define PRIOR 0.1
/* A peak is so many times all the rest of the chunk that shows it. */
#define TALL 3
/* Of what is believed. */
#define LEAST_RATIO 1e-3
#define LEAST_DENSITY 1e-100
/* Cells beside a gap that say what is in it. */
enum { BESIDE = 8 };
/* Peaks are looked for where cells have so many iterations: smaller ones say it themselves. */
enum { MANY = 8 };

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
  return cell < p->known ? p->density[cell] : p->recent;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Whether a block begins with the cell, and has nothing but known cells before `end`. */
static bool block_at(const struct ag_profile *p, uint64_t cell, uint64_t end) {
  return cell % AG_PROFILE_BLOCK == 0 && cell + AG_PROFILE_BLOCK <= least(end, p->known);
}

/* The density of all of cells from .. to - 1 together. */
static double sum(const struct ag_profile *p, uint64_t from, uint64_t to) {
  double all = 0;
  while (from < to && from < p->known)
    if (block_at(p, from, to)) {
      all += p->block[from / AG_PROFILE_BLOCK];
      from += AG_PROFILE_BLOCK;
    } else
      all += p->density[from++];
  return all + (double)(to - from) * p->recent;
}

/* Blocks are added up anew from this cell to that one. */
static void add_up(struct ag_profile *p, uint64_t from, uint64_t to) {
  for (uint64_t b = from / AG_PROFILE_BLOCK; b * AG_PROFILE_BLOCK <= to; ++b) {
    p->block[b] = 0;
    for (uint64_t i = b * AG_PROFILE_BLOCK; i < least((b + 1) * AG_PROFILE_BLOCK, p->known); ++i)
      p->block[b] += p->density[i];
  }
}

/* Without peaks. */
static double level_work(const struct ag_profile *p, uint64_t from, uint64_t to) {
  if (from >= to)
    return 0;
  uint64_t first = from / p->per, last = to / p->per;
  if (first == last)
    return (double)(to - from) * density(p, first);
  uint64_t before = from - first * p->per, rest = to - last * p->per;
  double work = (double)p->per * sum(p, first, last) - (double)before * density(p, first);
  return rest ? work + (double)rest * density(p, last) : work;
}

double ag_profile_work(const struct ag_profile *p, uint64_t from, uint64_t to) {
  return level_work(p, from, to) + ag_peaks_work(&p->peaks, from, to);
}

static double level_size(const struct ag_profile *p, uint64_t from, uint64_t to, double work) {
  if (from >= to)
    return 0;
  double size = 0;
  for (uint64_t cell = from / p->per, end = to / p->per, in_cell = from % p->per; from < to; in_cell = 0) {
    uint64_t cells = 1, n = cell < p->known ? least(p->per - in_cell, to - from) : to - from;
    double here = (double)n * density(p, cell);
    if (!in_cell && block_at(p, cell, end) && (double)p->per * p->block[cell / AG_PROFILE_BLOCK] < work) {
      cells = AG_PROFILE_BLOCK;
      n = cells * p->per;
      here = (double)p->per * p->block[cell / AG_PROFILE_BLOCK];
    } else if (here >= work)
      return size + work / density(p, cell);
    work -= here;
    size += (double)n;
    from += n;
    cell += cells;
  }
  return size;
}

double ag_profile_size(const struct ag_profile *p, uint64_t from, uint64_t to, double work) {
  double size = 0;
  uint64_t after = from; /* peaks before it are counted */
  for (const struct ag_peak *peak; (peak = ag_peaks_first(&p->peaks, after, to)); after = peak->from + 1) {
    double here = level_work(p, from, peak->from),
           high = ag_peaks_work(&p->peaks, peak->from, peak->from + 1);
    if (here >= work)
      break;
    size += (double)(peak->from - from);
    from = peak->from;
    work -= here + high;
    if (work <= 0)
      return size;
  }
  return size + level_size(p, from, to, work);
}

static double within(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

void ag_profile_learn(struct ag_profile *p, uint64_t from, uint64_t to, double ratio, double weight,
                      bool foreign) {
  if (from >= to || !(weight > 0))
    return;
  ratio = ratio > LEAST_RATIO ? within(ratio, LEAST_RATIO, 1 / LEAST_RATIO) : LEAST_RATIO;
  double was = level_work(p, from, to) / (double)(to - from);
  /* What is out by much has changed, or was a measurement that went wrong: it counts little from now on. */
  double agree = ratio < 1 ? ratio : 1 / ratio;
  uint64_t first = from / p->per, last = (to - 1) / p->per;
  for (uint64_t i = first; i <= last; ++i) {
    uint64_t begin = i == first ? from : i * p->per, n = (i == last ? to : (i + 1) * p->per) - begin;
    double here = weight * (double)n / (double)p->per,
           gain = here / (here + p->weight[i] * agree * agree + PRIOR);
    p->density[i] = within(density(p, i) * (1 + gain * (ratio - 1)), LEAST_DENSITY, 1 / LEAST_DENSITY);
    p->own[i] += gain * ((foreign ? 0 : 1) - p->own[i]);
    p->weight[i] = p->weight[i] + here < 1 ? p->weight[i] + here : 1;
  }
  p->known = last < p->known ? p->known : last + 1;
  while (first && !(p->weight[first - 1] > 0)) {
    --first;
    p->density[first] = p->density[first + 1];
  }
  add_up(p, first, last);
  p->recent += weight / (1 + weight) * (was * ratio - p->recent);
}

/* What was a peak is spread over its range. */
static void spread_out(struct ag_profile *p, const struct ag_peak *peak) {
  double was = level_work(p, peak->from, peak->to);
  ag_profile_learn(p, peak->from, peak->to, (was + peak->work) / was, 1, false);
}

double ag_profile_peaks(struct ag_profile *p, uint64_t from, uint64_t to, double ratio, double least) {
  double level = level_work(p, from, to), found, all = ag_profile_work(p, from, to) * ratio;
  struct ag_peak spread;
  double rest = ag_peaks_learn(&p->peaks, from, to, all - level, &found, &spread);
  if (spread.work > 0) {
    spread_out(p, &spread);
    level = level_work(p, from, to);
    rest = all - level - found;
  }
  if (p->per >= MANY && rest > least && rest > TALL * (level + found)) {
    ag_peaks_add(&p->peaks, (struct ag_peak){from, to, rest});
    return 1;
  }
  ratio = (level + found + rest) / (level + found);
  if (found > 0)
    ag_peaks_scale(&p->peaks, from, to, (1 + within(ratio, 0, 2)) / 2);
  return ratio;
}

double ag_profile_level(struct ag_profile *p) {
  double mean = ag_profile_work(p, 0, p->n) / (double)p->n;
  if (!(mean > 1e-100 && mean < 1e100)) {
    uint64_t n = p->n;
    p->n = 0;
    ag_profile_begin(p, n);
    return 1;
  }
  for (uint64_t i = 0; i < p->known; ++i)
    p->density[i] /= mean;
  ag_peaks_scale(&p->peaks, 0, p->n, 1 / mean);
  p->recent = 1;
  if (p->known)
    add_up(p, 0, p->known - 1);
  double squares = 0;
  for (uint64_t i = 1; i < p->count; ++i) {
    double step = density(p, i) - density(p, i - 1);
    squares += step * step;
  }
  p->rough = p->count > 1 ? squares / 2 / (double)(p->count - 1) * (double)p->per : 0;
  return mean;
}

static bool is_measured(const struct ag_profile *p, uint64_t cell) {
  return cell < p->known && p->weight[cell] > 0;
}

/* The mean of `most` measured cells in a row, or as many as there are, from `at` on and up or down; 0: there
 * are none. */
static double mean_beside(const struct ag_profile *p, uint64_t at, bool up, uint64_t most) {
  double all = 0;
  uint64_t n = 0;
  for (; n < most && is_measured(p, at); ++n) {
    all += p->density[at];
    at += up ? 1 : UINT64_MAX; /* one less than 0 is not a cell */
  }
  return n ? all / (double)n : 0;
}

void ag_profile_bridge(struct ag_profile *p) {
  for (uint64_t i = 0, end; i < p->known; i = end) {
    for (end = i + 1; end < p->known && is_measured(p, end) == is_measured(p, i);)
      ++end;
    if (is_measured(p, i))
      continue;
    uint64_t gap = end - i, most = least(gap, BESIDE);
    double before = mean_beside(p, i - 1, false, most), behind = mean_beside(p, end, true, most);
    before = before > 0 ? before : behind;
    behind = behind > 0 ? behind : before;
    for (uint64_t k = 0; k < gap && before > 0; ++k)
      p->density[i + k] = before + (behind - before) * ((double)k + 0.5) / (double)gap;
  }
  if (p->known)
    add_up(p, 0, p->known - 1);
}

double ag_profile_own(const struct ag_profile *p, uint64_t from, uint64_t to) {
  if (from >= to)
    return 0;
  uint64_t first = from / p->per, last = (to - 1) / p->per;
  double sum = 0;
  for (uint64_t i = first; i <= last; ++i)
    sum += p->own[i];
  return sum / (double)(last - first + 1);
}
