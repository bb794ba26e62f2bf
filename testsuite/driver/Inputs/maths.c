// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that needs device maths.
#include <math.h>
#pragma agglom task in(x[0:n]) out(y[0:n])
void waves(int n, const double *x, double *y) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    y[i] = exp(-x[i]) * sin(x[i]);
}
