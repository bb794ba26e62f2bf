/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long a device takes for a chunk of x iterations with d times the mean work each, as measured:
 *
 *     (launch + d (fill + per x)) r(x)
 *
 * with a launch that takes its time whatever the work is, as many iterations as it takes to fill the device,
 * and a constant time for each one beyond; r, about 1, is what remains, for each power of two of x. */
#ifndef AG_CURVE_H
#define AG_CURVE_H

#include "policy/model/numbers.h"
#include <stdbool.h>
#include <stdint.h>

enum { AG_CURVE_POINTS = 48 };

/* All zero at first. */
struct ag_curve {
  struct ag_curve_point {
    double size, density, work, ms; /* means of what was measured */
    double place;                   /* of the size, between points */
    double rest, weight;            /* r, and what the point counts in the fit */
    double error;                   /* mean relative one of what was foretold of such chunks */
    unsigned known;                 /* such chunks that were measured */
  } at[AG_CURVE_POINTS];
  unsigned points;          /* measured ones, the smallest sizes first */
  double launch, fill, per; /* ms */
  double error;             /* mean relative error of what was foretold */
  double largest, densest;  /* chunk that was measured */
  unsigned known;           /* chunks that were measured */
};

/* A chunk of so many times the mean work per iteration took so long. */
void ag_curve_learn(struct ag_curve *curve, double size, double density, double ms);

static inline bool ag_curve_known(const struct ag_curve *curve) { return curve->largest > 0; }

/* Known curves only. */
double ag_curve_ms(const struct ag_curve *curve, double size, double density);
/* The largest chunk that takes no more than that. */
double ag_curve_size(const struct ag_curve *curve, double density, double ms);

/* Whether chunks of about that size were measured, more than once; and the mean relative error of what is
 * foretold of them, or of all while they were not. The longer ago they were, the more it is that of all. */
bool ag_curve_tried(const struct ag_curve *curve, double size);
double ag_curve_error(const struct ag_curve *curve, double size);

/* What such a chunk takes at least, by measured ones that were not larger: as long as these, or the part of
 * that which its iterations cost of theirs. */
double ag_curve_least_ms(const struct ag_curve *curve, double size, double density);

/* The unit of work is `factor` times what it was. */
void ag_curve_scale(struct ag_curve *curve, double factor);

/* The size with the best throughput among those measured, and that throughput in iterations per ms. */
double ag_curve_best(const struct ag_curve *curve, double density, double *rate);

/* As numbers, so many at most, and back; false: these are not of a curve. */
enum { AG_CURVE_HEAD = 7, AG_CURVE_NUMBERS = AG_CURVE_HEAD + 2 * AG_CURVE_POINTS };
unsigned ag_curve_keep(const struct ag_curve *curve, double x[AG_CURVE_NUMBERS]);
bool ag_curve_seed(struct ag_curve *curve, const double *x, unsigned n);

#endif /* AG_CURVE_H */
