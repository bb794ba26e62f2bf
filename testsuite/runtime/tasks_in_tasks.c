// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call to a task inside the body of a task with a kernel is a plain call: it counts as no unit of its own.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: outer: 21 units in
// CHECK-DAG: inner: 4 units in
#include <stdio.h>

#pragma agglom task inout(x[0:n])
void inner(int n, int k, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 3 + k;
}
#pragma agglom task inout(x[0:n * m])
void outer(int n, int m, int *x) {
  for (int r = 0; r < m; r++)
    inner(n, r, x + r * n);
  if (m > 2)
    inner(n * m, 1, x);
}
int main(void) {
  static int x[21][5 * 8];
  for (int u = 0; u < 21; u++)
    outer(8, u % 6, x[u]);
  for (int u = 0; u < 4; u++)
    inner(40, u, x[u]);
#pragma agglom wait
  for (int u = 0; u < 21; u++) {
    for (int i = 0; i < 40; i++)
      printf("%d ", x[u][i]);
    printf("\n");
  }
  return 0;
}
