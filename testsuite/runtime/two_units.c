// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task in a header that two units include, and one that the header declares and the other unit defines.
// RUN: %compare %s %t -I%S/Inputs %S/Inputs/both_other.c
// RUN: FileCheck %s < %t.report
// CHECK-DAG: both_static: 60 units in
// CHECK-DAG: both_declared: 60 units in
#include "both.h"
#include <stdio.h>

int main(void) {
  static int x[40][16];
  static long sum[40];
  for (int u = 0; u < 40; u++) {
    for (int i = 0; i < 16; i++)
      x[u][i] = 1000 * u + i;
    both_static(16, x[u], u);
  }
  other(x, sum);
  for (int u = 0; u < 40; u++)
    both_declared(16, x[u], &sum[u]);
#pragma agglom wait
  for (int u = 0; u < 40; u++) {
    for (int i = 0; i < 16; i++)
      printf("%d ", x[u][i]);
    printf("%ld\n", sum[u]);
  }
  return 0;
}
