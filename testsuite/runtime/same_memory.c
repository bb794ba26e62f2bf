// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same memory in two parameters of one unit: both names reach the same device memory.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: both: 40 units in
// CHECK-DAG: inside: 20 units in
#include <stdio.h>

// Sequential: each write through y is seen through x.
#pragma agglom task in(x[0:n]) inout(y[0:n])
void both(int n, const int *x, int *y) {
  for (int i = 0; i < n; i++)
    y[i] += x[n - 1 - i] + 1;
}
#pragma agglom task inout(all[0:n], part[0:m]) out(last[0:1])
void inside(int n, int *all, int m, int *part, int *last) {
  for (int i = 0; i < n; i++)
    all[i] = all[i] * 3 + part[i % m];
  *last = all[0] + part[m - 1];
}

int main(void) {
  static int x[20][30], y[20][30], z[20][50];
  for (int u = 0; u < 20; u++)
    for (int i = 0; i < 50; i++)
      z[u][i] = u + i, x[u][i % 30] = i, y[u][i % 30] = u;
  for (int u = 0; u < 20; u++) {
    both(30, x[u], x[u]);
    both(30, x[u], y[u]);
    inside(50, z[u], 10 + u % 7, z[u] + 2 * (u % 10), z[u] + u);
  }
#pragma agglom wait
  for (int u = 0; u < 20; u++) {
    for (int i = 0; i < 50; i++)
      printf("%d %d %d ", x[u][i % 30], y[u][i % 30], z[u][i]);
    printf("\n");
  }
  return 0;
}
