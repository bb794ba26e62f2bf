// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units that conflict take effect in program order: nine on each cell, with operations whose order shows, split over
// two tasks, in launches of any size.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: triple: 602 units in {{[0-9]+}} launch{{(es)?}} on emulated:0
// CHECK-DAG: halve: 334 units in
#include <stdio.h>

#pragma agglom task inout(x[0:n])
void triple(int n, unsigned k, unsigned *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 3 + k;
}
// One unit a thread.
#pragma agglom task inout(x[0:n])
void halve(int n, unsigned k, unsigned *x) {
  for (int i = 0; i < n; i++)
    x[i] = x[i] / 2 + k * 1000;
}

int main(void) {
  static unsigned x[64][13];
  for (unsigned round = 0; round < 9; round++)
    for (unsigned c = 0; c < 64; c++)
      triple(13, round * 64 + c, x[c]);
  // In another order of cells, and from one task to the other and back.
  for (unsigned round = 0; round < 5; round++)
    for (int c = 63; c >= 0; c--)
      halve(13, round, x[c]);
#pragma agglom wait
  for (int c = 0; c < 64; c++) {
    for (int i = 0; i < 13; i++)
      printf("%u ", x[c][i]);
    printf("\n");
  }
  unsigned one = 1;
  for (unsigned k = 0; k < 40; k++) {
    if (k % 3)
      triple(1, k, &one);
    else
      halve(1, k, &one);
  }
#pragma agglom wait
  printf("%u\n", one);
  return 0;
}
