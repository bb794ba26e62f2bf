// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop bound that only the body may evaluate.
// RUN: %compare %s %t -w
#include <stdio.h>
#pragma agglom task inout(x[0 : n])
void f(int n, int k, int *x) {
  if (k == 0)
    return;
#pragma agglom loop
  for (int i = 0; i < n / k; ++i)
    x[i]++;
}
int main(void) {
  int x[10] = {0};
  f(10, 0, x);
  f(10, 2, x);
#pragma agglom wait
  for (int i = 0; i < 10; i++)
    printf("%d ", x[i]);
  puts("");
  return 0;
}
