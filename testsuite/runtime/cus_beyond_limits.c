// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute units whose threads a limit of the system keeps from being started: one warning for all of them, and the
// program goes on with those that there are.
// RUN: %agglomcc -O2 %s -o %t
// RUN: (ulimit -v 300000; AGGLOM_CUS=8x64 AGGLOM_DEVICES=none %t) >%t.out 2>%t.err
// RUN: FileCheck %s < %t.out
// CHECK: sum 4950
// RUN: grep -c "compute units cannot be started (AGGLOM_CUS=8x64); one core does the work of each" %t.err | grep -x 1
// RUN: test $(grep -c warning %t.err) -le 3
#include <stdio.h>

#pragma agglom task out(y[0])
void fill(int i, int *y) { y[0] = i; }

int main(void) {
  static int y[100];
  int sum = 0;
  for (int i = 0; i < 100; ++i)
    fill(i, y + i);
#pragma agglom wait
  for (int i = 0; i < 100; ++i)
    sum += y[i];
  printf("sum %d\n", sum);
}
