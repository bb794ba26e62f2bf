// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// device(cpu) tasks submit units, wait for them inside, and read their results; some wait for nobody. A wait covers the
// units that were created by the task itself, and the outermost wait covers them all.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: fill: 96 units in {{[0-9]+}} launch{{(es)?}} on emulated:0
// CHECK-DAG: tree: 0 units in 0 launches, 31 on the CPU
// CHECK-DAG: total: 0 units in 0 launches, 16 on the CPU
#include <stdio.h>

#pragma agglom task out(x[0:n])
void fill(int n, int k, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = i * k + 1;
}

// Reads what units wrote: it runs when they are done.
#pragma agglom task device(cpu) in(x[0:n]) inout(sum[0:1])
void total(int n, const int *x, long *sum) {
  for (int i = 0; i < n; i++)
    *sum += x[i];
}

// Level by level down to leaves, each of which makes six units and waits, or leaves them to a callback.
#pragma agglom task device(cpu) inout(x[0:n], sums[0:n / 60])
void tree(int n, int *x, long *sums) {
  if (n > 60) {
    tree(n / 2, x, sums);
    tree(n - n / 2, x + n / 2, sums + n / 120);
    return;
  }
  for (int k = 0; k < 6; k++)
    fill(10, k, x + 10 * k);
  if (x == (void *)0)
    return;
  total(60, x, sums);
#pragma agglom wait
  sums[0] *= 2;
}

int main(void) {
  static int x[16 * 60];
  static long sums[16];
  tree(16 * 60, x, sums);
#pragma agglom wait
  for (int k = 0; k < 16; k++)
    printf("%ld ", sums[k]);
  for (int i = 0; i < 16 * 60; i++)
    printf("%d%c", x[i], i % 60 == 59 ? '\n' : ' ');
  return 0;
}
