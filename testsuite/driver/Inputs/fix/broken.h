// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma agglom task
static inline void negate(int n, double *x) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] = -x[i];
}
