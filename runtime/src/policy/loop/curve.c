/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/curve.h"

#include <string.h>

/* Newer measurements count that much, those that are off by more than that factor. */
#define NEW 0.3
#define NEW_WHEN_CHANGED 0.7
#define CHANGED 1.4
/* What is left of a point's weight with each chunk of another size, and at least. */
#define OLDER 0.95
#define LEAST_WEIGHT 0.1
/* How much the last solution counts. */
#define PROXIMITY 0.002
#define FIRST_ERROR 0.25
/* Of r. */
#define LEAST_REST 0.5
#define MOST_REST 2
enum { SWEEPS = 60, TIMES = 4, MOST_KNOWN = 1000, KNOWN_WELL = 2 };

static double within(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

/* The logarithm of a size to the base of 2, linear between the powers of 2. */
static double place_of(double size) {
  const double steps = 0x1p52;
  const int64_t one = 1023;
  int64_t bits;
  memcpy(&bits, &size, sizeof bits);
  return (double)bits / steps - (double)one;
}

/* The power of 2 up to a size. */
static unsigned power_of(double size) { return (unsigned)within(place_of(size), 0, AG_CURVE_POINTS - 1); }

/* --- The course --------------------------------------------------------------------------------------------
 */

static double model(const struct ag_curve *c, double density, double work) {
  return c->launch + density * c->fill + work * c->per;
}

/* Between points by their places. */
static double rest(const struct ag_curve *c, double size) {
  unsigned i = 0;
  while (i < c->points && c->at[i].size < size)
    ++i;
  if (!i || i == c->points)
    return c->points ? c->at[i ? i - 1 : 0].rest : 1;
  const struct ag_curve_point *a = &c->at[i - 1], *b = &c->at[i];
  return a->rest + (b->rest - a->rest) * (place_of(size) - a->place) / (b->place - a->place);
}

double ag_curve_ms(const struct ag_curve *c, double size, double density) {
  return model(c, density, size * density) * rest(c, size);
}

/* r changes slowly with the size. */
double ag_curve_size(const struct ag_curve *c, double density, double ms) {
  double size = c->largest;
  for (int i = 0; i < TIMES; ++i)
    size = ag_most(((ms / rest(c, size) - c->launch) / density - c->fill) / c->per, 0);
  return size;
}

/* NULL: not known well. */
static const struct ag_curve_point *tried(const struct ag_curve *c, double size) {
  unsigned power = power_of(size);
  for (unsigned i = 0; i < c->points; ++i)
    if (power_of(c->at[i].size) == power)
      return c->at[i].known >= KNOWN_WELL ? &c->at[i] : NULL;
  return NULL;
}

bool ag_curve_tried(const struct ag_curve *c, double size) { return tried(c, size) != NULL; }

double ag_curve_error(const struct ag_curve *c, double size) {
  const struct ag_curve_point *p = tried(c, size);
  return p ? c->error + p->weight * (p->error - c->error) : c->error;
}

double ag_curve_least_ms(const struct ag_curve *c, double size, double density) {
  double ms = 0;
  for (unsigned i = 0; i < c->points && c->at[i].size <= size; ++i)
    ms = ag_most(ms, c->at[i].ms * ag_least(1, density / c->at[i].density));
  return ms;
}

/* --- Learning ----------------------------------------------------------------------------------------------
 */

/* How much more or less than foretold: 0 to 1. */
static double off(double ratio) { return ratio > 1 ? 1 - 1 / ratio : 1 - ratio; }

/* Least squares of the relative errors over all points, with no coefficient below 0: by coordinates, which
 * are taken relative to what the last chunk would make them. */
static void fit(struct ag_curve *c, double size, double density, double ms) {
  double scale[3] = {ms, ms / density, ms / density / size},
         x[3] = {c->launch / scale[0], c->fill / scale[1], c->per / scale[2]};
  double a[3][3] = {{0}}, b[3];
  for (int i = 0; i < 3; ++i) {
    a[i][i] = PROXIMITY;
    b[i] = PROXIMITY * x[i];
  }
  for (unsigned k = 0; k < c->points; ++k) {
    double row[3] = {scale[0] / c->at[k].ms, scale[1] * c->at[k].density / c->at[k].ms,
                     scale[2] * c->at[k].work / c->at[k].ms};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        a[i][j] += c->at[k].weight * row[i] * row[j];
      b[i] += c->at[k].weight * row[i];
    }
  }
  for (int sweep = 0; sweep < SWEEPS; ++sweep)
    for (int i = 0; i < 3; ++i) {
      double sum = b[i];
      for (int j = 0; j < 3; ++j)
        sum -= j != i ? a[i][j] * x[j] : 0;
      x[i] = ag_most(sum / a[i][i], 0);
    }
  c->launch = x[0] * scale[0];
  c->fill = x[1] * scale[1];
  c->per = ag_most(x[2], 1e-6) * scale[2];
}

/* That of a power of 2; a new one has size 0. */
static struct ag_curve_point *point(struct ag_curve *c, unsigned power) {
  unsigned i = 0;
  while (i < c->points && power_of(c->at[i].size) < power)
    ++i;
  if (i == c->points || power_of(c->at[i].size) > power) {
    memmove(&c->at[i + 1], &c->at[i], (c->points++ - i) * sizeof c->at[i]);
    c->at[i] = (struct ag_curve_point){0};
  }
  return &c->at[i];
}

void ag_curve_learn(struct ag_curve *c, double size, double density, double ms) {
  if (!(size >= 1 && ms > 0 && density > 0))
    return;
  double ratio = 1;
  if (ag_curve_known(c)) {
    ratio = ms / ag_curve_ms(c, size, density);
    c->error += NEW * (off(ratio) - c->error);
  } else {
    c->launch = ms / 3;
    c->fill = ms / 3 / density;
    c->per = ms / 3 / density / size;
    c->error = FIRST_ERROR;
  }
  c->known += c->known < MOST_KNOWN;
  c->largest = ag_most(c->largest, size);
  c->densest = ag_most(c->densest, density);
  for (unsigned k = 0; k < c->points; ++k)
    c->at[k].weight = ag_most(c->at[k].weight * OLDER, LEAST_WEIGHT);
  struct ag_curve_point *p = point(c, power_of(size));
  double weight = !(p->size > 0) ? 1 : ratio > CHANGED || ratio < 1 / CHANGED ? NEW_WHEN_CHANGED : NEW;
  p->known += p->known < MOST_KNOWN;
  p->error += ag_most(1.0 / p->known, NEW) * (off(ratio) - p->error);
  p->size += weight * (size - p->size);
  p->density += weight * (density - p->density);
  p->work += weight * (density * size - p->work);
  p->ms += weight * (ms - p->ms);
  p->place = place_of(p->size);
  p->weight = 1;
  fit(c, size, density, ms);
  for (unsigned k = 0; k < c->points; ++k)
    c->at[k].rest = within(c->at[k].ms / model(c, c->at[k].density, c->at[k].work), LEAST_REST, MOST_REST);
}

void ag_curve_scale(struct ag_curve *c, double factor) {
  c->fill *= factor;
  c->per *= factor;
  c->densest /= factor;
  for (unsigned i = 0; i < c->points; ++i) {
    c->at[i].density /= factor;
    c->at[i].work /= factor;
  }
}

double ag_curve_best(const struct ag_curve *c, double density, double *rate) {
  double best = 0;
  *rate = 0;
  for (unsigned i = 0; i < c->points; ++i) {
    double x = c->at[i].size, ms = model(c, density, x * density) * c->at[i].rest;
    if (x > *rate * ms) {
      *rate = x / ms;
      best = x;
    }
  }
  return best;
}

/* --- Between runs of a program ---------------------------------------------------------------------- */

unsigned ag_curve_keep(const struct ag_curve *c, double x[AG_CURVE_NUMBERS]) {
  const double head[AG_CURVE_HEAD] = {c->known, c->largest, c->densest, c->error, c->launch, c->fill, c->per};
  unsigned n = 0;
  for (; n < AG_CURVE_HEAD; ++n)
    x[n] = head[n];
  for (unsigned i = 0; i < c->points; ++i) {
    x[n++] = c->at[i].size;
    x[n++] = c->at[i].rest;
  }
  return n;
}

static bool is_in(double x, double least, double most) { return x >= least && x <= most; }

/* The points are where the curve has them for iterations of mean cost. */
bool ag_curve_seed(struct ag_curve *curve, const double *x, unsigned n) {
  const double most_size = 1e18, most_ms = 1e12;
  if (n < AG_CURVE_HEAD + 2 || n > AG_CURVE_NUMBERS || (n - AG_CURVE_HEAD) % 2)
    return false;
  if (!is_in(x[0], 1, MOST_KNOWN) || !is_in(x[1], 1, most_size) || !is_in(x[2], 1 / most_size, most_size) ||
      !is_in(x[3], 0, 1) || !is_in(x[4], 0, most_ms) || !is_in(x[5], 0, most_ms) ||
      !is_in(x[6], 1 / (most_ms * most_size), most_ms))
    return false;
  struct ag_curve c = {.known = (unsigned)x[0],
                       .largest = x[1],
                       .densest = x[2],
                       .error = x[3],
                       .launch = x[4],
                       .fill = x[5],
                       .per = x[6]};
  for (unsigned i = AG_CURVE_HEAD; i < n; i += 2) {
    double size = x[i], rest = x[i + 1];
    if (!is_in(size, 1, most_size) || !is_in(rest, LEAST_REST, MOST_REST))
      return false;
    struct ag_curve_point *p = point(&c, power_of(size));
    if (p->size > 0)
      return false;
    *p = (struct ag_curve_point){.size = size,
                                 .density = 1,
                                 .work = size,
                                 .ms = model(&c, 1, size) * rest,
                                 .place = place_of(size),
                                 .rest = rest,
                                 .weight = LEAST_WEIGHT};
  }
  *curve = c;
  return true;
}
