// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that never waits: units still in flight run before the process ends, and their memory is written, here
// seen by a function that runs at exit after the runtime's own.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: mark: 500 units in
#include <stdio.h>
#include <stdlib.h>

static int x[500][4];

#pragma agglom task inout(x[0:n])
void mark(int n, int *x, int k) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = k * 10 + i;
}
static void last(void) {
  for (int u = 0; u < 500; u++)
    printf("%d %d\n", x[u][0], x[u][3]);
}

int main(void) {
  atexit(last); // registered before the first unit, so it runs after everything that the runtime registers
  for (int u = 0; u < 500; u++)
    mark(4, x[u], u);
  if (x[0][0] > 10000)
    exit(1);
  exit(0);
}
