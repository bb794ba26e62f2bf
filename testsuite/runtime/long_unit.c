// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A unit ten thousand times as long as its 400 neighbours is shared by several blocks; a unit whose order inside matters is
// not; the results are the same.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: scale: 401 units in
// CHECK: chains {{.*}} {{[1-9][0-9]*}} blocks share split units
// CHECK: ordered: 393 units in
// CHECK: chains {{.*}} 0 blocks share split units
#include <stdio.h>

enum { LONG = 1000000 };

#pragma agglom task in(x[0:n]) out(y[0:n])
void scale(int n, const int *x, int *y, int k) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    y[i] = x[i] * k + i;
}
// Reads before its loop what the loop writes: one block must do all of it.
#pragma agglom task inout(x[0:n])
void ordered(int n, int *x) {
  int first = x[0];
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] += first;
}

static unsigned hash(const int *x, int n) {
  unsigned h = 0;
  for (int i = 0; i < n; i++)
    h = h * 31 + (unsigned)x[i];
  return h;
}

int main(void) {
  static int x[LONG], y[LONG], small[400][100];
  for (int i = 0; i < LONG; i++)
    x[i] = i % 1000;
  for (int u = 0; u < 200; u++)
    scale(100, x + u, small[u], u);
  scale(LONG, x, y, 3);
  for (int u = 200; u < 400; u++)
    scale(100, x + u, small[u], u);
#pragma agglom wait
  ordered(LONG, y);
  for (int u = 8; u < 400; u++)
    ordered(100, small[u]);
#pragma agglom wait
  printf("%08x %08x %d %d\n", hash(y, LONG), hash(small[0], 400 * 100), y[0], y[LONG - 1]);
  return 0;
}
