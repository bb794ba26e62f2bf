// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, conditions and classification of special values, in float and double, by operators and by macros.
// RUN: %compare %s %t -w
#include <float.h>
#include <math.h>
#include <stdio.h>

enum { V = 16 };

static int relate(double x, double y) {
  int r = 0;
  r |= (x < y) << 0, r |= (x <= y) << 1, r |= (x > y) << 2, r |= (x >= y) << 3, r |= (x == y) << 4, r |= (x != y) << 5;
  r |= !(x < y) << 6 | !(x >= y) << 7;
  r |= isless(x, y) << 8 | islessequal(x, y) << 9 | isgreater(x, y) << 10 | isgreaterequal(x, y) << 11;
  r |= islessgreater(x, y) << 12 | isunordered(x, y) << 13;
  return r | (x ? 1 << 14 : 0) | (!y ? 1 << 15 : 0) | (x && y) << 16 | (x || y) << 17;
}
static int kind(double x) {
  int k;
  switch (fpclassify(x)) {
  case FP_NAN: k = 1; break;
  case FP_INFINITE: k = 2; break;
  case FP_ZERO: k = 3; break;
  case FP_SUBNORMAL: k = 4; break;
  case FP_NORMAL: k = 5; break;
  default: k = 6;
  }
  return k * 100 + !!isnan(x) + 2 * !!isinf(x) + 4 * !!isfinite(x) + 8 * !!isnormal(x) + 16 * !!signbit(x);
}
static int kindf(float x) {
  return (fpclassify(x) == FP_SUBNORMAL) + 2 * !!isnan(x) + 4 * (isinf(x) != 0) + 8 * !!isfinite(x) +
         16 * !!isnormal(x) + 32 * !!signbit(x) + 64 * (x < 0) + 128 * (x == 0);
}

#pragma agglom task in(v[0:n]) out(table[0:n], kinds[0:2], order[0:1])
static void compare(int n, double x, const double *v, int *table, int *kinds, double *order) {
  double least = x, most = x;
  int i = 0;
  while (i < n) {
    table[i] = relate(x, v[i]);
    least = v[i] < least ? v[i] : least;
    most = fmax(most, v[i]);
    ++i;
  }
  kinds[0] = kind(x), kinds[1] = kindf((float)x);
  *order = least + (isnan(most) ? 0 : fmin(most, 8));
}

int main(void) {
  static const double v[V] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, DBL_MIN, DBL_MIN / 2, -DBL_MIN / 4, FLT_MIN / 2,
                              FLT_MAX, DBL_MAX, 1e-45, 2.5, -1e300};
  static int table[V][V], kinds[V][2];
  static double order[V];
  for (int k = 0; k < V; k++)
    compare(V, v[k], v, table[k], kinds[k], &order[k]);
#pragma agglom wait
  for (int k = 0; k < V; k++) {
    for (int i = 0; i < V; i++)
      printf("%x ", table[k][i]);
    printf("| %d %d %a\n", kinds[k][0], kinds[k][1], isnan(order[k]) ? -77 : order[k]);
  }
  return 0;
}
