// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Priorities, of any sign and computed at the call, and costs change when units run, never what they compute.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: step: 400 units in
// CHECK-DAG: urgent: 40 units in
#include <limits.h>
#include <stdio.h>

#pragma agglom task inout(x[0:n]) priority(p * 2 - 7) cost(n > 2 ? n * 3 : 1)
void step(int n, unsigned *x, long p) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 7 + (unsigned)p;
}
#pragma agglom task inout(x[0:1]) priority(LLONG_MAX - (late ? 1 : 0)) cost(~0ull)
void urgent(unsigned *x, int late) { *x ^= 0xabcdu + (unsigned)late; }

int main(void) {
  static unsigned x[20][9];
  for (int u = 0; u < 400; u++) {
    step(9, x[u % 20], (u * 7919) % 23 - 11);
    if (u % 10 == 9)
      urgent(x[u * 3 % 20], u & 16);
  }
#pragma agglom wait
  for (int u = 0; u < 20; u++) {
    for (int i = 0; i < 9; i++)
      printf("%u ", x[u][i]);
    printf("\n");
  }
  return 0;
}
