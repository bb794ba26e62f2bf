// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections that do not begin at their pointer: beyond it, before it, around it; several sections of one pointer;
// expressions of the parameters, also of members and enumerators.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: after: 25 units in
// CHECK-DAG: before: 25 units in
// CHECK-DAG: halo: 25 units in
#include <stdio.h>

enum { HEAD = 4 };
struct shape {
  int rows, columns;
};

#pragma agglom task inout(x[HEAD + lo:n]) in(y[lo / 2:2 * n])
void after(int lo, unsigned n, int *x, const short *y) {
#pragma agglom loop
  for (unsigned i = 0; i < n; i++)
    x[HEAD + lo + (int)i] += y[lo / 2 + 2 * (int)i] * 10;
}
#pragma agglom task inout(end[-(long)n:n])
void before(unsigned char n, int *end) {
#pragma agglom loop
  for (int i = -n; i < 0; i++)
    end[i] = end[i] * 2 - i;
}
#pragma agglom task in(c[-s.columns - 1:2 * (s.columns + 1) + 1]) out(o[0:1])
void halo(struct shape s, const int *c, int *o) {
  *o = c[-s.columns - 1] + c[-1] * 2 + c[0] * 3 + c[1] * 4 + c[s.columns + 1] * 5;
}

int main(void) {
  static int x[25][64], o[25];
  static short y[128];
  for (int i = 0; i < 128; i++)
    y[i] = (short)(i * i % 97);
  for (int u = 0; u < 25; u++)
    for (int i = 0; i < 64; i++)
      x[u][i] = 100 * u + i;
  for (int u = 0; u < 25; u++) {
    after(u, 20u + (unsigned)u % 3, x[u], y);
    before((unsigned char)(u + 1), x[u] + 40);
    halo((struct shape){7, 7}, &x[u][20 + u % 5], &o[u]);
  }
#pragma agglom wait
  for (int u = 0; u < 25; u++) {
    for (int i = 0; i < 64; i++)
      printf("%d ", x[u][i]);
    printf("%d\n", o[u]);
  }
  return 0;
}
