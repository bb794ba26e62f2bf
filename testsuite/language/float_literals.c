// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants: hexadecimal, suffixes, denormal and huge ones, folded by the compiler or computed, float against double.
// RUN: %compare %s %t -w
#include <float.h>
#include <math.h>
#include <stdio.h>

enum { UNITS = 6, OUT = 40 };
#define TENTH .1
#define NEXT(x) ((x) * (1 + DBL_EPSILON))
static const float small[] = {0x1p-149f, 1e-45f, FLT_MIN, 0x1.fffffep-1f, 3.402823466e+38F, 1.f / 3, 7, -0.f};
static const double large[4] = {0x.8p+1, 1e308, 0X1.8P-1074, 1e-400 + 5e-324};
static const double pi = 3.14159265358979323846, two_pi = 2 * 3.14159265358979323846;

#pragma agglom task out(o[0:OUT])
static void literals(double one, double *o) {
  int n = 0;
  o[n++] = 0.1f == 0.1, o[n++] = 0.1f + 0.2f == 0.3f, o[n++] = 0.1 + 0.2 == 0.3, o[n++] = 0.5f == 0.5;
  o[n++] = TENTH * 3 * one, o[n++] = 1e16 + one, o[n++] = 1e16 + one + one, o[n++] = 1e16 + (one + one);
  o[n++] = 16777216.f + (float)one, o[n++] = (float)(16777216 + (int)one), o[n++] = 1.f / 3.f, o[n++] = 1.f / 3.;
  o[n++] = NEXT(one) - one, o[n++] = FLT_EPSILON / 2 + (float)one, o[n++] = DBL_EPSILON / 2 + one;
  for (unsigned k = 0; k < sizeof small / sizeof *small; ++k)
    o[n++] = small[k] * one + (small[k] < FLT_MIN ? FLT_TRUE_MIN : 0);
  for (unsigned k = 0; k < sizeof large / sizeof large[0]; k++)
    o[n++] = large[k] / 2;
  o[n++] = pi * one, o[n++] = two_pi - pi, o[n++] = (float)pi, o[n++] = (double)(float)one * 0x1.921fb6p+1f;
  o[n++] = HUGE_VAL * one, o[n++] = -INFINITY * one, o[n++] = isnan(NAN * one) ? -5 : 5;
  o[n++] = (1 ? 2 : 3.5) / 4, o[n++] = 7 / 2 * 2.0, o[n++] = 7 / 2. * 2;
  o[n++] = 'A' * 1.0f, o[n++] = 1u - 2 + 0.0, o[n++] = -1 / 2u * 1.0;
}

int main(void) {
  static double o[UNITS][OUT];
  for (int u = 0; u < UNITS; u++)
    literals(1 + u * 1e-3, o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int k = 0; k < OUT; k++)
      printf("%d %d %a\n", u, k, o[u][k]);
  return 0;
}
