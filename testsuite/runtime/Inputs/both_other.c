/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The other unit: defines the task that the header declares, and submits units of both. */
#include "both.h"

void both_declared(int n, const int *x, long *sum) {
  long s = 0;
#pragma agglom loop reduction(+: s)
  for (int i = 0; i < n; i++)
    s += x[i];
  *sum = s;
}

void other(int (*x)[16], long *sum) {
  for (int u = 0; u < 20; u++) {
    both_static(16, x[u], 3 * u);
    both_declared(16, x[u], &sum[u]);
  }
}
