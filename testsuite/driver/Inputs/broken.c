// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong C in an annotated unit.
#pragma agglom task in(x[0:n]) inout(y[0:n])
void scale(int n, const float *x, float *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] * undeclared;
}
