// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Walsh-Hadamard transform over 64 segments, forth and back: each unit takes two segments, and in each round others.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: cross: 384 units in [[#]] launch
#include <stdio.h>

enum { SEGMENTS = 64, N = 37 };

#pragma agglom task inout(x[0:N], y[0:N])
static void cross(int *x, int *y) {
#pragma agglom loop
  for (int i = 0; i < N; i++) {
    int a = x[i], b = y[i];
    x[i] = a + b;
    y[i] = a - b;
  }
}

static void transform(int x[SEGMENTS][N]) {
  for (int apart = 1; apart < SEGMENTS; apart *= 2)
    for (int s = 0; s < SEGMENTS; s++)
      if (!(s & apart))
        cross(x[s], x[s + apart]);
}

int main(void) {
  static int x[SEGMENTS][N];
  for (int s = 0; s < SEGMENTS; s++)
    for (int i = 0; i < N; i++)
      x[s][i] = (s * 7 + i * 13) % 101;
  transform(x);
  transform(x);
#pragma agglom wait
  for (int s = 0; s < SEGMENTS; s++)
    for (int i = 0; i < N; i++)
      printf("%d%c", x[s][i], i == N - 1 ? '\n' : ' ');
  return 0;
}
