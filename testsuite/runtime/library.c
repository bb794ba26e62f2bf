// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library functions whose results are exact, and those of <string.h>: the host's bits.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: exact: 20 units in
// CHECK: blocks: 20 units in
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma agglom task in(x[0:n]) out(o[0:14 * n])
void exact(int n, const double *x, double *o) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    double v = x[i], w = x[n - 1 - i];
    float s = (float)v;
    double *r = &o[14 * i];
    r[0] = sqrt(fabs(v)) + (double)sqrtf(fabsf(s));
    r[1] = floor(v) + (double)floorf(s);
    r[2] = ceil(v) + (double)ceilf(s);
    r[3] = trunc(v) + (double)truncf(s);
    r[4] = rint(v) + (double)rintf(s);
    r[5] = nearbyint(v);
    r[6] = round(v) + (double)roundf(s);
    r[7] = copysign(v, w) + (double)copysignf(s, -1);
    r[8] = fmin(v, w) + (double)fminf(s, 2);
    r[9] = fmax(v, w) + (double)fmaxf(s, -2);
    r[10] = fma(v, w, 0.1) + (double)fmaf(s, s, s);
    r[11] = abs((int)v) + (double)labs((long)w) + (double)llabs(-7LL);
    r[12] = isnan(v) + 2 * !!isinf(v) + 4 * isfinite(w) + 8 * isnormal(w) + 16 * !!signbit(v) + 32 * isgreater(v, w) +
            64 * isunordered(v, w) + 128 * isless(s, 1.0f) + 256 * (fpclassify(v) == FP_ZERO);
    r[13] = v < 1 ? INFINITY : (double)HUGE_VALF;
  }
}

struct record {
  char name[12];
  int value;
};
#pragma agglom task inout(r[0:n]) out(order[0:n])
void blocks(size_t n, struct record *r, int *order) {
  struct record spare;
  memset(&spare, 'x', sizeof spare);
  for (size_t i = 0; i + 1 < n; i++) {
    order[i] = memcmp(r[i].name, r[i + 1].name, sizeof r[i].name);
    order[i] = (order[i] > 0) - (order[i] < 0);
    if (order[i] > 0) {
      memcpy(&spare, &r[i], sizeof spare);
      memmove(&r[i], &r[i + 1], sizeof *r);
      memcpy(&r[i + 1], &spare, sizeof spare);
    }
  }
  order[n - 1] = spare.name[3];
  memmove(r[0].name + 1, r[0].name, 5);
  memset(r[n - 1].name + 6, '-', 3);
}

int main(void) {
  enum { U = 20, N = 24 };
  static double x[U][N], o[U][14 * N];
  static struct record r[U][N];
  static int order[U][N];
  for (int u = 0; u < U; u++)
    for (int i = 0; i < N; i++) {
      x[u][i] = (u * N + i) * 0.25 - 60.5 + (i % 5 == 0) * 0.1;
      if (u == 3 && i < 6)
        x[u][i] = (double[]){0.0, -0.0, 0.5, -0.5, 1.5, 2.5}[i];
      r[u][i].value = i;
      for (int k = 0; k < 12; k++)
        r[u][i].name[k] = (char)('a' + (u * 7 + i * 5 + k * i) % 26);
    }
  for (int u = 0; u < U; u++) {
    exact(N, x[u], o[u]);
    blocks(N, r[u], order[u]);
  }
#pragma agglom wait
  for (int u = 0; u < U; u++)
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < 14; k++)
        printf("%a ", o[u][14 * i + k]);
      printf("%.12s %d %d\n", r[u][i].name, r[u][i].value, order[u][i]);
    }
  return 0;
}
