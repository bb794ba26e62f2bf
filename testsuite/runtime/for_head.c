// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A write in the head of a sequential loop around a parallel one.
// RUN: %compare %s %t -w
#include <stdio.h>
#pragma agglom task inout(x[0 : n])
void f(int n, int *x) {
  int k = 0;
  for (x[0] = 1; k < 3; k++) {
#pragma agglom loop
    for (int i = 1; i < n; ++i)
      x[i] += x[0];
  }
}
int main(void) {
  int x[10] = {0};
  f(10, x);
#pragma agglom wait
  printf("%d\n", x[9]);
  return 0;
}
