// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defines them: a unit without tasks, which uses one of another unit itself.
#include "law.h"
#include <math.h>

const double strength[] = {1.5, -0.25, 4};
static const struct {
  double least;
} limits = {0.125};

#pragma agglom declare
double soften(double x);

static double distance(const struct particle *a, const struct particle *b) { return fabs(a->x - b->x); }

double force(const struct particle *a, const struct particle *b) {
  double d = soften(distance(a, b));
  return a->charge * b->charge * strength[a->more.kind] / (d < limits.least ? limits.least : d);
}
