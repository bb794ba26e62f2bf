// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where memory holds a NaN before the loop, what comes of it is what the program's own formula makes of it, whether a piece
// has a private copy, a device has one, or there is none.
// RUN: %compare %s %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 %t.agglom > %t.one && cmp %t.one %t.serial.out
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 %t.agglom > %t.four && cmp %t.four %t.serial.out
#include <math.h>
#include <stdio.h>

enum { N = 1000 };

static void called(double *kept, double v) {
  if (v > *kept)
    *kept = v;
}

static void largest(int n, const double *v, float *call, double *kept) {
#pragma agglom for in(v[i]) accumulate(max: call[0:2], kept[0:2])
  for (int i = 0; i < n; ++i) {
    call[i % 2] = fmaxf(call[i % 2], (float)v[i]);
    kept[i % 2] = v[i] > kept[i % 2] ? v[i] : kept[i % 2];
  }
#pragma agglom for in(v[i]) accumulate(max: kept[0:2])
  for (int i = 0; i < n; ++i)
    called(&kept[i % 2], v[i]);
}

static void smallest(int n, const double *v, double *lost) {
#pragma agglom for in(v[i]) accumulate(min: lost[0:2])
  for (int i = 0; i < n; ++i)
    lost[i % 2] = lost[i % 2] <= v[i] ? lost[i % 2] : v[i];
}

int main(void) {
  static double v[N];
  for (int i = 0; i < N; ++i)
    v[i] = i * 7919 % 1009 - 500;
  for (int t = 0; t < 10; ++t) {
    float call[2] = {NAN, 3};
    double kept[2] = {NAN, 3}, lost[2] = {NAN, 3};
    largest(N, v, call, kept);
    smallest(N, v, lost);
    printf("%g %g %d %g %g %g\n", call[0], call[1], kept[0] != kept[0], kept[1], lost[0], lost[1]);
  }
  return 0;
}
