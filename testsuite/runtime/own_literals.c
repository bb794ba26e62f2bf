// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compound literals whose address is taken belong to the unit.
// RUN: %compare %s %t -w
#include <stdio.h>
struct P {
  double a, b;
};
#pragma agglom task inout(x[0 : n])
void f(int n, double *x) {
  struct P *p = &(struct P){0, 0};
  int *q = (int[2]){0, 0};
  p->a = x[0];
  q[1] = n;
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] = p->a + q[1];
}
int main(void) {
  double x[10] = {3};
  f(10, x);
#pragma agglom wait
  printf("%g\n", x[9]);
  return 0;
}
