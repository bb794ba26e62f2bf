// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Infinities, NaN, minus zero, denormals, float against double, division, conversions: bit for bit.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: corners: 22 units in
#include <float.h>
#include <math.h>
#include <stdio.h>

enum { N = 22, OPS = 20 };

#pragma agglom task in(a[0:n]) out(d[0:20 * n], f[0:12 * n])
void corners(int n, double x, const double *a, double *d, float *f) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    double y = a[i];
    d[20 * i + 0] = x + y;
    d[20 * i + 1] = x - y;
    d[20 * i + 2] = x * y;
    d[20 * i + 3] = x / y;
    d[20 * i + 4] = sqrt(fabs(x) + fabs(y));
    d[20 * i + 5] = -x;
    d[20 * i + 6] = x * y + x; // not fused
    d[20 * i + 7] = (float)x + (float)y;
    d[20 * i + 8] = (float)x * y;
    d[20 * i + 9] = x < y;
    d[20 * i + 10] = x <= y;
    d[20 * i + 11] = x == y;
    d[20 * i + 12] = x != y;
    d[20 * i + 13] = !(x > y) + 2 * !(x >= y);
    d[20 * i + 14] = isnan(x) ? 4 : isinf(x) ? 3 : signbit(x) != 0;
    d[20 * i + 15] = floor(x) + ceil(y) - trunc(x);
    d[20 * i + 16] = copysign(y, x);
    d[20 * i + 17] = x ? 1 : 2;
    d[20 * i + 18] = (fabs(x) < 1e9 ? (int)x : -1) + (fabs(y) < 1e9 ? (long)y % 3 : 9);
    d[20 * i + 19] = x > y ? x : y;
    float s = (float)x, t = (float)y;
    f[12 * i + 0] = s + t;
    f[12 * i + 1] = s - t;
    f[12 * i + 2] = s * t;
    f[12 * i + 3] = s / t;
    f[12 * i + 4] = sqrtf(fabsf(s));
    f[12 * i + 5] = s * t - s;
    f[12 * i + 6] = s / 3;
    f[12 * i + 7] = s / 3.0;
    f[12 * i + 8] = (float)i / 7 + 0.1f;
    f[12 * i + 9] = 1.0f / s;
    f[12 * i + 10] = (float)(unsigned)(fabsf(t) < 4e9f ? fabsf(t) : 0);
    f[12 * i + 11] = (float)16777217 + (float)(i + 123456789012345LL);
  }
}

// NaN has a sign and a payload on some machines only.
static void show(double v) {
  if (v != v)
    printf(" nan");
  else
    printf(" %a", v);
}

int main(void) {
  static double d[N][N][OPS];
  static float f[N][N][12];
  const double a[N] = {0.0, -0.0, 1, -1, 1.5, INFINITY, -INFINITY, NAN, DBL_MIN, DBL_MAX, -DBL_MAX,
                       DBL_TRUE_MIN, FLT_TRUE_MIN, FLT_MIN, FLT_MAX, 1.1, 1e-310, 3.5e-40, 1e300,
                       0.1, 2147483648.0, -1e-5};
  for (int u = 0; u < N; u++)
    corners(N, a[u], a, d[u][0], f[u][0]);
#pragma agglom wait
  for (int u = 0; u < N; u++)
    for (int i = 0; i < N; i++) {
      printf("%d %d:", u, i);
      for (int k = 0; k < OPS; k++)
        show(d[u][i][k]);
      for (int k = 0; k < 12; k++)
        show(f[u][i][k]);
      printf("\n");
    }
  return 0;
}
