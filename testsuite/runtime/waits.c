// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits: with nothing submitted, several in a row, between units that the host's own changes part, in a function, in a
// loop, under a condition.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: grow: 105 units in
#include <stdio.h>

#pragma agglom task inout(x[0:n])
void grow(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 2 + 1;
}
static void settle(int when) {
  if (when) {
#pragma agglom wait
  }
  printf("settled %d\n", when);
}

int main(void) {
  static int x[5][8];
#pragma agglom wait
#pragma agglom wait
  for (int round = 0; round < 20; round++) {
    for (int u = 0; u < 5; u++)
      grow(8, x[u]);
#pragma agglom wait
#pragma agglom wait
    for (int u = 0; u < 5; u++) {
      x[u][round % 8] -= x[u][(round + 1) % 8] / 2 + u;
      printf("%d ", x[u][round % 8]);
    }
  }
  for (int u = 0; u < 5; u++)
    grow(8, x[u]);
  settle(1);
  settle(0);
  for (int i = 0; i < 40; i++)
    printf("%d ", x[i / 8][i % 8]);
  return 3; // the exit status passes through
}
