// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that both the host and a unit call: its calls to tasks submit on the host and are plain in the
// unit. RUN: %compare %s %t -w
#include <stdio.h>
#pragma agglom task inout(a[0 : n])
void add(int n, int *a) { a[n - 1]++; }
static void helper(int n, int *a) {
  add(n, a);
  add(n, a);
}
#pragma agglom task inout(a[0 : n])
void f(int n, int *a) {
  helper(n, a);
  a[0] += 10 * a[n - 1];
}
int main(void) {
  int x[10] = {0};
  f(5, x);
  f(5, x);
  helper(5, x);
#pragma agglom wait
  for (int i = 0; i < 10; i++)
    printf("%d ", x[i]);
  return 0;
}
