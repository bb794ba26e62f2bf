// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call in a return statement of a unit is done once.
// RUN: %compare %s %t -w
#include <stdio.h>
static void bump(int *x) { x[0] += 1; }
#pragma agglom task inout(x[0 : n])
void f(int n, int *x) {
#pragma agglom loop
  for (int i = 1; i < n; ++i)
    x[i] = i;
  return bump(x);
}
int main(void) {
  int x[10] = {0};
  f(10, x);
#pragma agglom wait
  printf("%d\n", x[0]);
  return 0;
}
