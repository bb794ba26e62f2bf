/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long a device takes for a chunk of x iterations, as measured: a point for each power of two of x,
 * straight lines between them, so that a launch cost with a constant rate is met exactly, and any other
 * course as well as it was sampled. */
#ifndef AG_CURVE_H
#define AG_CURVE_H

#include <stdbool.h>
#include <stdint.h>

enum { AG_CURVE_POINTS = 48 };

/* All zero at first. */
struct ag_curve {
  struct {
    double size, ms; /* means of what was measured; size 0: nothing */
  } at[AG_CURVE_POINTS];
  double error;   /* mean relative error of what was foretold */
  double largest; /* chunk that was measured */
  unsigned known; /* chunks that were measured */
};

/* A chunk took so long. */
void ag_curve_learn(struct ag_curve *curve, double size, double ms);

static inline bool ag_curve_known(const struct ag_curve *curve) { return curve->largest > 0; }

/* Known curves only. Both rise. */
double ag_curve_ms(const struct ag_curve *curve, double size);
double ag_curve_size(const struct ag_curve *curve, double ms);

/* All times are `factor` times what they were. */
void ag_curve_scale(struct ag_curve *curve, double factor);

/* The size with the best throughput among those measured. */
double ag_curve_best(const struct ag_curve *curve);
double ag_curve_best_rate(const struct ag_curve *curve); /* iterations per ms there */

#endif /* AG_CURVE_H */
