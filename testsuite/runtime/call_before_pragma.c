// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call after a plain declaration and before the pragma is a unit too.
// RUN: %compare %s %t -w
#include <stdio.h>
void f(int n, int *a);
int early(int *x) {
  f(5, x);
  return 0;
}
#pragma agglom task inout(a[0 : n])
void f(int n, int *a) { a[n - 1]++; }
int main(void) {
  int x[10] = {0};
  early(x);
#pragma agglom wait
  for (int i = 0; i < 10; i++)
    printf("%d ", x[i]);
  return 0;
}
