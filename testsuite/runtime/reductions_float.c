// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of floating point, on values where every order of the operations is exact.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: floats: 30 units in
// CHECK: statistics: 30 units in
#include <float.h>
#include <math.h>
#include <stdio.h>

#pragma agglom task in(x[0:n]) out(o[0:8])
void floats(int n, const float *x, double *o) {
  float sum = 0.5f, product = 3, least = FLT_MAX, most = -FLT_MAX;
  double dsum = -1, dproduct = 1, dleast = INFINITY, dmost = -INFINITY;
#pragma agglom loop reduction(+: sum, dsum) reduction(*: product, dproduct) reduction(min: least, dleast) reduction(max: most, dmost)
  for (int i = 0; i < n; i++) {
    sum += x[i];
    dsum += (double)x[i] * 1024;
    product *= i % 50 == 3 ? 2.0f : i % 50 == 4 ? 0.5f : 1.0f;
    dproduct *= x[i] > 0 ? -1 : 1;
    least = fminf(least, x[i]);
    dleast = x[i] < dleast ? x[i] : dleast;
    if (x[i] > most)
      most = x[i];
    dmost = fmax(dmost, (double)x[i] / 8);
  }
  o[0] = sum, o[1] = product, o[2] = least, o[3] = most;
  o[4] = dsum, o[5] = dproduct, o[6] = dleast, o[7] = dmost;
}

// One loop needs the result of the one before.
#pragma agglom task inout(x[0:n]) out(o[0:3])
void statistics(int n, float *x, double *o) {
  double mean = 0, square = 0, top = 0;
#pragma agglom loop reduction(+: mean)
  for (int i = 0; i < n; i++)
    mean += x[i];
  mean = floor(mean / n);
#pragma agglom loop reduction(+: square) reduction(max: top)
  for (int i = 0; i < n; i++) {
    double d = x[i] - mean;
    square += d * d;
    top = fabs(d) > top ? fabs(d) : top;
    x[i] = (float)d;
  }
  o[0] = mean;
  o[1] = square;
  o[2] = top;
}

// What a thread starts from does not show.
#pragma agglom task out(o[0:2])
static void zeros(int n, double *o) {
  double sum = -0.0;
  float sumf = -0.0f;
#pragma agglom loop reduction(+: sum, sumf)
  for (int i = 0; i < n; i++) {
    sum += -0.0;
    sumf += -0.0f;
  }
  o[0] = sum;
  o[1] = sumf;
}

int main(void) {
  static float x[30][700];
  static double o[30][8], s[30][3], z[30][2];
  unsigned r = 3;
  for (int u = 0; u < 30; u++)
    for (int i = 0; i < 700; i++)
      x[u][i] = (float)((int)((r = r * 1664525 + 1013904223) >> 20) - 2048) / 4;
  for (int u = 0; u < 30; u++) {
    floats(u < 3 ? u : 22 * u + 60, x[u], o[u]);
    statistics(22 * u + 1, x[u], s[u]);
    zeros(u * 9, z[u]);
  }
#pragma agglom wait
  for (int u = 0; u < 30; u++) {
    for (int k = 0; k < 8; k++)
      printf("%a ", o[u][k]);
    printf("%a %a %a %a ", s[u][0], s[u][1], s[u][2], (double)x[u][u]);
    printf("%g %g\n", z[u][0], z[u][1]);
  }
  return 0;
}
