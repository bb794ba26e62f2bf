/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/curve.h"

/* Newer measurements count that much. */
#define NEW 0.3
#define NEW_WHEN_CHANGED 0.7
/* A point that is off by more than this factor says something of the others, too: the work has changed. */
#define CHANGED 1.4

static unsigned point_of(double size) {
  unsigned i = 0;
  while (i + 1 < AG_CURVE_POINTS && size >= 2) {
    size /= 2;
    ++i;
  }
  return i;
}

void ag_curve_learn(struct ag_curve *c, double size, double ms) {
  if (!(size >= 1 && ms > 0))
    return;
  unsigned i = point_of(size);
  double weight = NEW;
  c->known += c->known < 1000;
  if (ag_curve_known(c)) {
    double told = ag_curve_ms(c, size), ratio = ms / told, off = ratio > 1 ? 1 - 1 / ratio : 1 - ratio;
    c->error += NEW * (off - c->error);
    bool changed = c->at[i].size > 0 && (ratio > CHANGED || ratio < 1 / CHANGED);
    weight = changed ? NEW_WHEN_CHANGED : NEW;
    for (unsigned k = 0; k < AG_CURVE_POINTS && changed; ++k)
      if (k != i)
        c->at[k].ms *= (1 + ratio) / 2;
  } else
    c->error = 0.25;
  c->largest = size > c->largest ? size : c->largest;
  if (!(c->at[i].size > 0)) {
    c->at[i].size = size;
    c->at[i].ms = ms;
    return;
  }
  double per = c->at[i].ms / c->at[i].size;
  per += weight * (ms / size - per);
  c->at[i].size += weight * (size - c->at[i].size);
  c->at[i].ms = per * c->at[i].size;
}

/* The course of the curve in pieces: before the first point half of its time is taken to be there whatever
 * the size; behind the last one the curve goes on as it rose before, within reason. */
struct line {
  double size, ms; /* a point of it */
  double slope;    /* ms for each iteration more; above 0 */
};

static double within(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

/* The line on which `size`, or with by_time `ms`, lies. */
static struct line line_at(const struct ag_curve *c, double size, double ms, bool by_time) {
  struct line l = {0, 0, 0};
  unsigned points = 0;
  for (unsigned i = 0; i < AG_CURVE_POINTS; ++i) {
    double x = c->at[i].size, t = c->at[i].ms;
    if (!(x > 0))
      continue;
    double per = t / x;
    if (l.size > 0)
      l.slope = within((t - l.ms) / (x - l.size), 0.2 * per, 5 * per);
    else
      l.slope = per / 2;
    l.size = x;
    l.ms = t;
    ++points;
    if (by_time ? ms <= t : size <= x)
      return l;
  }
  double per = l.ms / l.size;
  l.slope = points > 1 ? within(l.slope, 0.05 * per, 1.5 * per) : per / 2;
  return l;
}

double ag_curve_ms(const struct ag_curve *c, double size) {
  struct line l = line_at(c, size, 0, false);
  double ms = l.ms + (size - l.size) * l.slope;
  return ms > 0 ? ms : 0;
}

double ag_curve_size(const struct ag_curve *c, double ms) {
  struct line l = line_at(c, 0, ms, true);
  double size = l.size + (ms - l.ms) / l.slope;
  return size > 0 ? size : 0;
}

void ag_curve_scale(struct ag_curve *c, double factor) {
  for (unsigned i = 0; i < AG_CURVE_POINTS; ++i)
    c->at[i].ms *= factor;
}

static unsigned best_point(const struct ag_curve *c) {
  unsigned best = 0;
  double rate = 0;
  for (unsigned i = 0; i < AG_CURVE_POINTS; ++i)
    if (c->at[i].size > 0 && c->at[i].size > rate * c->at[i].ms) {
      rate = c->at[i].size / c->at[i].ms;
      best = i;
    }
  return best;
}

double ag_curve_best(const struct ag_curve *c) { return c->at[best_point(c)].size; }

double ag_curve_best_rate(const struct ag_curve *c) {
  unsigned best = best_point(c);
  return c->at[best].size / c->at[best].ms;
}
