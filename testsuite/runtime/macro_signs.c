// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Macros that bring signs together in a clause.
// RUN: %compare %s %t -w
#include <stdio.h>
#define NEG -1
#define POS +1
#define AND &mask
static int mask = 7;
#pragma agglom task inout(x[0 : n - NEG]) inout(y[+POS : n + POS])
void f(int n, int *x, int *y) {
  x[n]++;
  y[2]++;
}
int main(void) {
  int x[10] = {0}, y[20] = {0};
  f(5, x, y);
#pragma agglom wait
  for (int i = 0; i < 10; i++)
    printf("%d ", x[i]);
  printf("%d\n", y[2]);
  return 0;
}
