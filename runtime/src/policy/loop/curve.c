/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/curve.h"

#include <string.h>

/* Weight of a new measurement beside those before, in the point of about its size and in the mean error. */
#define NEW 0.3
/* The relative error before there is any. */
#define FIRST_ERROR 0.25
/* How much the last solution counts in a fit, where a point counts 1: with one or two points it says what
 * these do not. */
#define PROXIMITY 0.002
/* Bounds of r: a measurement that went wrong does not make a size look ten times as fast. */
#define LEAST_REST 0.25
#define MOST_REST 4
enum { SWEEPS = 60, MOST_KNOWN = 1000 };

/* The logarithm of a size to the base of 2, linear between the powers of 2. */
static double place_of(double size) {
  int64_t bits; /* exponent + 1023, and 52 bits of the mantissa */
  memcpy(&bits, &size, sizeof bits);
  return (double)bits / 0x1p52 - 1023;
}

/* The power of 2 up to a size. */
static unsigned power_of(double size) { return (unsigned)ag_within(place_of(size), 0, AG_CURVE_POINTS - 1); }

/* --- The course --------------------------------------------------------------------------------------------
 */

static double model(const struct ag_curve *c, double size, double density) {
  return c->launch + density * (c->fill + size * c->per);
}

/* Between points by their places. */
static double rest(const struct ag_curve *c, double size) {
  unsigned i = 0;
  while (i < c->points && c->at[i].size < size)
    ++i;
  if (!i || i == c->points)
    return c->points ? c->at[i ? i - 1 : 0].rest : 1;
  const struct ag_curve_point *a = &c->at[i - 1], *b = &c->at[i];
  double from = place_of(a->size);
  return a->rest + (b->rest - a->rest) * (place_of(size) - from) / (place_of(b->size) - from);
}

double ag_curve_ms(const struct ag_curve *c, double size, double density) {
  return model(c, size, density) * rest(c, size);
}

double ag_curve_best(const struct ag_curve *c, double density, double *rate) {
  double best = 0;
  *rate = 0;
  for (unsigned i = 0; i < c->points; ++i) {
    double x = c->at[i].size, ms = model(c, x, density) * c->at[i].rest;
    if (x > *rate * ms) {
      *rate = x / ms;
      best = x;
    }
  }
  return best;
}

/* --- Learning ----------------------------------------------------------------------------------------------
 */

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
  for (const struct ag_curve_point *p = c->at; p < c->at + c->points; ++p) {
    double row[3] = {scale[0] / p->ms, scale[1] * p->density / p->ms,
                     scale[2] * p->density * p->size / p->ms};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        a[i][j] += row[i] * row[j];
      b[i] += row[i];
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

/* The point for a power of 2; a new one has size 0. */
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

/* Before the first fit a third each is taken to be the launch, the filling and the iterations. */
void ag_curve_learn(struct ag_curve *c, double size, double density, double ms) {
  if (!(size >= 1 && ms > 0 && density > 0))
    return;
  if (!c->points) {
    c->launch = ms / 3;
    c->fill = ms / 3 / density;
    c->per = ms / 3 / density / size;
    c->error = FIRST_ERROR;
  } else {
    double ratio = ms / ag_curve_ms(c, size, density);
    c->error += NEW * ((ratio > 1 ? 1 - 1 / ratio : 1 - ratio) - c->error);
  }
  c->known += c->known < MOST_KNOWN;
  struct ag_curve_point *p = point(c, power_of(size));
  double weight = p->size > 0 ? NEW : 1;
  p->size += weight * (size - p->size);
  p->density += weight * (density - p->density);
  p->ms += weight * (ms - p->ms);
  fit(c, size, density, ms);
  for (p = c->at; p < c->at + c->points; ++p)
    p->rest = ag_within(p->ms / model(c, p->size, p->density), LEAST_REST, MOST_REST);
}

void ag_curve_scale(struct ag_curve *c, double factor) {
  c->fill *= factor;
  c->per *= factor;
  for (unsigned i = 0; i < c->points; ++i)
    c->at[i].density /= factor;
}

/* --- Between runs of a program ---------------------------------------------------------------------- */

unsigned ag_curve_keep(const struct ag_curve *c, double x[AG_CURVE_NUMBERS]) {
  const double head[AG_CURVE_HEAD] = {c->known, c->launch, c->fill, c->per};
  unsigned n = AG_CURVE_HEAD;
  memcpy(x, head, sizeof head);
  for (unsigned i = 0; i < c->points; ++i) {
    x[n++] = c->at[i].size;
    x[n++] = c->at[i].rest;
  }
  return n;
}

/* Points lie where the kept curve has them for iterations of mean cost. The curve's error is found out anew
 * in this run. */
bool ag_curve_seed(struct ag_curve *curve, const double *x, unsigned n) {
  const double most_size = 1e18, most_ms = 1e12;
  if (n < AG_CURVE_HEAD + 2 || n > AG_CURVE_NUMBERS || (n - AG_CURVE_HEAD) % 2)
    return false;
  if (!ag_is_in(x[0], 1, MOST_KNOWN) || !ag_is_in(x[1], 0, most_ms) || !ag_is_in(x[2], 0, most_ms) ||
      !ag_is_in(x[3], 1 / (most_ms * most_size), most_ms))
    return false;
  struct ag_curve c = {
      .known = (unsigned)x[0], .error = FIRST_ERROR, .launch = x[1], .fill = x[2], .per = x[3]};
  for (unsigned i = AG_CURVE_HEAD; i < n; i += 2) {
    double size = x[i], r = x[i + 1];
    if (!ag_is_in(size, 1, most_size) || !ag_is_in(r, LEAST_REST, MOST_REST))
      return false;
    struct ag_curve_point *p = point(&c, power_of(size));
    if (p->size > 0)
      return false;
    *p = (struct ag_curve_point){.size = size, .density = 1, .ms = model(&c, size, 1) * r, .rest = r};
  }
  *curve = c;
  return true;
}
