// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections that overlap in part, at each end, one inside the other: what was written before is read, what is read before
// is not overwritten, and the last writer wins. Random, so that all orders and shapes come.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: copy: {{[0-9]+}} units in {{[0-9]+}} launch{{(es)?}} on emulated:0
// CHECK-DAG: add: {{[0-9]+}} units in {{[0-9]+}} launch{{(es)?}} on emulated:0
#include <stdio.h>

static unsigned r = 12345;
static int upto(int n) { return (int)((r = r * 1664525 + 1013904223) >> 8) % n; }

#pragma agglom task in(from[0:n]) out(to[0:n])
void copy(int n, const int *from, int *to) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    to[i] = from[i] + 1;
}
#pragma agglom task in(from[0:n]) inout(to[0:m])
void add(int n, const int *from, int m, int *to, int k) {
#pragma agglom loop
  for (int i = 0; i < m; i++)
    to[i] = (int)(to[i] * 5u + (unsigned)(from[i % n] + k));
}
#pragma agglom task in(x[0:n]) out(sum[0:1])
void sum(int n, const int *x, long *sum) {
  *sum = 0;
  for (int i = 0; i < n; i++)
    *sum = (long)(*sum * 3ul + (unsigned long)x[i]);
}

int main(void) {
  static int x[200];
  static long sums[600];
  for (int i = 0; i < 200; i++)
    x[i] = i;
  for (int u = 0; u < 600; u++) {
    int n = 1 + upto(30), a = upto(200 - n), m = 1 + upto(20), b = upto(200 - m);
    switch (upto(3)) {
    case 0: // the two do not overlap each other, but all the others
      if (a + n <= b)
        copy(m < n ? m : n, x + a, x + b);
      break;
    case 1:
      if (a + n <= b || b + m <= a)
        add(n, x + a, m, x + b, u);
      break;
    default:
      sum(n, x + a, &sums[u]);
    }
    if (u % 251 == 250) {
#pragma agglom wait
      x[u % 200] += 7; // the host's own
    }
  }
#pragma agglom wait
  for (int i = 0; i < 200; i++)
    printf("%d ", x[i]);
  for (int u = 0; u < 600; u++)
    printf("%ld\n", sums[u]);
  return 0;
}
