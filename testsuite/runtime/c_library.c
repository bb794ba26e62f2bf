// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function of each name: sqrt(float) is computed in double, abs(long) of an int.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: compute: 6 units in
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#pragma agglom task out(out[0 : 20])
void compute(double *out, float f, int i, long l) {
  int k = 0;
  out[k++] = sqrt(f);
  out[k++] = sqrtf(f + 1e-9);
  out[k++] = sqrt(i);
  out[k++] = fabs(f) * fabs(-i);
  out[k++] = floor(f / 3) + ceil(f / 3) + trunc(i / 7.f) + rint(f);
  out[k++] = fmax(f, i) + fmin(i, l);
  out[k++] = fma(f, f, 1e-12);
  out[k++] = fmaf(f, f, 1e-12);
  out[k++] = abs((int)l) + labs(l) + llabs(-l);
  out[k++] = copysign(i, -f);
  out[k++] =
      isnan(f) + 2 * isinf(f) + 4 * !!signbit(-f) + 8 * (fpclassify(f) == FP_NORMAL) + 16 * isgreater(f, i);
  out[k++] = ldexp(f, i) + fmod(f, 3);
  out[k++] = sizeof(sqrt(f)) + sizeof(fabsf(f));
  out[k++] = sqrt(f) == sqrtf(f);
  while (k < 20)
    out[k++] = 0;
}

int main(void) {
  static double out[6][20];
  for (int u = 0; u < 6; u++)
    compute(out[u], 1.1f + u, u, -5000000000L * u);
#pragma agglom wait
  for (int u = 0; u < 6; u++)
    for (int i = 0; i < 20; i++)
      printf("%.17g%c", out[u][i], i == 19 ? '\n' : ' ');
  return 0;
}
