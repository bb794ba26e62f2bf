/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Throughput as a function of the size of a chunk: y = a ln x + b, fitted to samples. */
#ifndef AG_FIT_H
#define AG_FIT_H

#include <stdbool.h>

struct ag_fit {
  double a, b;
};

/* The natural logarithm, so that programs need not link a mathematics library for it; 0 for x that is not a
 * positive number. */
double ag_ln(double x);

/* Least squares over n samples. False when they do not determine a curve: less than two different sizes,
 * sizes or throughputs that are not positive numbers. */
bool ag_fit_log(struct ag_fit *fit, const double *size, const double *throughput, unsigned n);

double ag_fit_at(const struct ag_fit *fit, double size);

#endif /* AG_FIT_H */
