// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// max_units bounds each launch, name() is the name in the report, and both leave results alone.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: capped_by_six: 100 units in {{(1[7-9]|[2-9][0-9]|100)}} launches on emulated:0
// CHECK-DAG: launches {{.*}} max 6 units a launch
// CHECK-DAG: alone: 12 units in 12 launches on emulated:0
// CHECK-NOT: {{^}}work:
#include <stdio.h>

enum { MOST = 3 };
#pragma agglom task inout(x[0:n]) max_units(2 * MOST) name(capped_by_six)
void work(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] += i;
}
#pragma agglom task inout(x[0:1]) max_units(1) name(alone)
void first(int *x) { x[0] = -x[0]; }

int main(void) {
  static int x[100][7];
  for (int u = 0; u < 100; u++)
    work(7, x[u]);
  for (int u = 0; u < 12; u++)
    first(x[u] + 3);
#pragma agglom wait
  for (int u = 0; u < 100; u++)
    for (int i = 0; i < 7; i++)
      printf("%d\n", x[u][i]);
  return 0;
}
