/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long a device takes for a chunk of x iterations with d times the mean work each, as measured:
 *
 *     (launch + d (fill + per x)) r(x)
 *
 * with a launch that takes its time whatever the work is, as many iterations as it takes to fill the device,
 * and a constant time for each one beyond. r, about 1, is what remains, for each power of two of x: with it
 * a device may be slower with large chunks than with those of middle size. */
#ifndef AG_CURVE_H
#define AG_CURVE_H

#include "policy/model/numbers.h"
#include <stdbool.h>
#include <stdint.h>

enum { AG_CURVE_POINTS = 48 };

/* All zero at first. */
struct ag_curve {
  struct ag_curve_point {
    double size, density, ms; /* means of what was measured */
    double rest;              /* r */
  } at[AG_CURVE_POINTS];
  unsigned points;          /* measured ones, the smallest sizes first */
  unsigned known;           /* chunks that were measured, up to a thousand */
  double error;             /* mean relative one of what was foretold */
  double launch, fill, per; /* ms; the last two for iterations of mean work */
};

/* A chunk of `size` iterations, of `density` times the mean work each, took ms. Nonsense is left out. */
void ag_curve_learn(struct ag_curve *curve, double size, double density, double ms);

/* The size of the largest chunks that were measured; 0: the curve is not known. */
static inline double ag_curve_largest(const struct ag_curve *curve) {
  return curve->points ? curve->at[curve->points - 1].size : 0;
}

/* What a chunk takes by a curve that is known, in ms. */
double ag_curve_ms(const struct ag_curve *curve, double size, double density);

/* The size with the best throughput among those measured, and that throughput in iterations per ms; 0: the
 * curve is not known. */
double ag_curve_best(const struct ag_curve *curve, double density, double *rate);

/* The unit of work is `factor` times what it was. */
void ag_curve_scale(struct ag_curve *curve, double factor);

/* As numbers, so many at most, and back; false: these are not of a curve, which stays as it was. */
enum { AG_CURVE_HEAD = 4, AG_CURVE_NUMBERS = AG_CURVE_HEAD + 2 * AG_CURVE_POINTS };
unsigned ag_curve_keep(const struct ag_curve *curve, double x[AG_CURVE_NUMBERS]);
bool ag_curve_seed(struct ag_curve *curve, const double *x, unsigned n);

#endif /* AG_CURVE_H */
