/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/fit.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

/* x = m * 2^e with m in [sqrt(1/2), sqrt(2)); ln m = 2 artanh((m - 1) / (m + 1)), whose series converges at
 * once. */
double ag_ln(double x) {
  if (!(x > 0) || x > DBL_MAX)
    return 0;
  int e = 0;
  if (x < DBL_MIN) {
    x *= 0x1p54;
    e = -54;
  }
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  e += (int)(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffff) | (uint64_t)1023 << 52;
  double m;
  memcpy(&m, &bits, sizeof m);
  if (m > 1.4142135623730951) {
    m /= 2;
    ++e;
  }
  double s = (m - 1) / (m + 1), square = s * s, sum = 0;
  for (int k = 21; k > 0; k -= 2)
    sum = sum * square + 1.0 / k;
  return 2 * s * sum + e * 0.69314718055994531;
}

bool ag_fit_log(struct ag_fit *fit, const double *size, const double *throughput, unsigned n) {
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (unsigned i = 0; i < n; ++i) {
    if (!(size[i] > 0 && size[i] < DBL_MAX && throughput[i] > 0 && throughput[i] < DBL_MAX / 1e10))
      return false;
    mean_x += ag_ln(size[i]) / n;
    mean_y += throughput[i] / n;
  }
  for (unsigned i = 0; i < n; ++i) {
    double dx = ag_ln(size[i]) - mean_x;
    xx += dx * dx;
    xy += dx * (throughput[i] - mean_y);
  }
  if (!(xx > 1e-9))
    return false;
  fit->a = xy / xx;
  fit->b = mean_y - fit->a * mean_x;
  return true;
}

double ag_fit_at(const struct ag_fit *fit, double size) { return fit->a * ag_ln(size) + fit->b; }
