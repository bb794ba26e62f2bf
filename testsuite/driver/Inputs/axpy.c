// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An annotated program. SIZE, MAIN: see the tests that define them.
#include <stdio.h>
#ifndef SIZE
#define SIZE 4
#endif
#ifndef MAIN
#define MAIN main
#endif

#pragma agglom task in(x[0:n]) inout(y[0:n])
static void axpy(int n, float a, const float *x, float *y) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

int MAIN(void) {
  float x[SIZE], y[SIZE];
  for (int i = 0; i < SIZE; i++) {
    x[i] = (float)i;
    y[i] = 1.0f;
  }
  axpy(SIZE, 2.0f, x, y);
#pragma agglom wait
  printf("axpy %g %g\n", y[0], y[SIZE - 1]);
  return 0;
}
