/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks defined in a header, included by two units. */
#ifndef BOTH_H
#define BOTH_H

static inline int both_half(int v) { return v / 2; }

#pragma agglom task inout(x[0:n])
static inline void both_static(int n, int *x, int k) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = both_half(x[i]) + k;
}

#pragma agglom task in(x[0:n]) out(sum[0:1])
void both_declared(int n, const int *x, long *sum);

void other(int (*x)[16], long *sum);

#endif
