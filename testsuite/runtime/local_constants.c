// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop bounds made of constants that only the body knows.
// RUN: %compare %s %t -w
#include <stdio.h>
#pragma agglom task inout(x[0 : 8])
void f(int *x) {
  enum { K = 8 };
  struct loc {
    int a, b;
  };
#pragma agglom loop
  for (int i = 0; i < K; ++i)
    x[i]++;
#pragma agglom loop
  for (int i = 0; i < (int)sizeof(struct loc); ++i)
    x[i]++;
}
int main(void) {
  int x[10] = {0};
  f(x);
#pragma agglom wait
  for (int i = 0; i < 10; i++)
    printf("%d ", x[i]);
  puts("");
  return 0;
}
