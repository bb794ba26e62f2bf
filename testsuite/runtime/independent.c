// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// independent: units that the program itself keeps apart; a wait makes everything visible.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: slice: 300 units in {{[0-9]+}} launch{{(es)?}} on emulated:0
#include <stdio.h>

#pragma agglom task in(a[0:n]) inout(x[0:n]) independent
void slice(int n, const int *a, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] += a[i] * 2;
}

int main(void) {
  static int a[1000], x[1000];
  for (int i = 0; i < 1000; i++)
    a[i] = i, x[i] = -i;
  for (int round = 0; round < 3; round++) {
    for (int u = 0; u < 100; u++)
      slice(10, a + 10 * u, x + 10 * u);
#pragma agglom wait
    a[round] = x[999 - round];
  }
  for (int i = 0; i < 1000; i++)
    printf("%d\n", x[i]);
  return 0;
}
