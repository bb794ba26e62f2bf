// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An out section that the body also reads is sent.
// RUN: %compare %s %t -w
#include <stdio.h>
#pragma agglom task out(y[0 : n]) inout(c[0 : 1])
void f(int n, int *y, int *c) {
  int cnt = 0;
#pragma agglom loop reduction(+ : cnt)
  for (int i = 0; i < n; i++) {
    cnt += y[i] > 3;
    y[i] = i;
  }
  c[0] += cnt;
}
int main(void) {
  int y[10], c = 0;
  for (int i = 0; i < 10; i++)
    y[i] = i;
  f(10, y, &c);
  f(10, y, &c);
#pragma agglom wait
  printf("%d\n", c);
  return 0;
}
