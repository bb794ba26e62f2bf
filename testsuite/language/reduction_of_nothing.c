// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A variable that no iteration updates keeps its value, also one that && and || never give; one that is updated gets
// 0 or 1.
// RUN: %compare %s %t
// RUN: %agglomcc --emit-cuda %s -o - | FileCheck %s
// CHECK: r = (int)(ag_before_0 == ag_result_0 ? ag_before_0 : (ag_before_0 || ag_result_0));
#include <stdio.h>

#pragma agglom task out(o[0:7])
static void in_task(int n, int m, int *o) {
  int r = 7, q = 7, c = 7, d = 7, e = 7, f = 0, g = 7;
#pragma agglom loop collapse(2) reduction(||: r)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      r = r || i > j;
#pragma agglom loop reduction(||: q)
  for (int i = 0; i < m; ++i)
    q = q || i > 2;
#pragma agglom loop reduction(||: c) reduction(&&: d)
  for (int i = 0; i < n; ++i)
    if (i > 90) {
      c = c || i > 2;
      d = d && i > 2;
    }
#pragma agglom loop reduction(||: e, f) reduction(&&: g)
  for (int i = 0; i < n; ++i) {
    e = e || i > 90;
    f = f || i == 3;
    g = g && i < 3;
  }
  int all[] = {r, q, c, d, e, f, g};
  for (int i = 0; i < 7; ++i)
    o[i] = all[i];
}

int main(int argc, char **argv) {
  int o[7], m = argc - 1, r = 7, q = 7, c = 7, d = 7, e = 7, f = 0, g = 7;
  _Bool b = 1;
  double s = -0.0;
  (void)argv;
  in_task(100, m, o);
#pragma agglom for collapse(2) reduction(||: r)
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < m; ++j)
      r = r || i > j;
#pragma agglom for reduction(||: q)
  for (int i = 0; i < m; ++i)
    q = q || i > 2;
#pragma agglom for reduction(||: c) reduction(&&: d, b)
  for (int i = 0; i < 64; ++i)
    if (i > 90) {
      c = c || i > 2;
      d = d && i > 2;
      b = b && i > 2;
    }
#pragma agglom for reduction(||: e, f) reduction(&&: g)
  for (int i = 0; i < 64; ++i) {
    e = e || i > 90;
    f = f || i == 3;
    g = g && i < 3;
  }
#pragma agglom for collapse(2) reduction(+: s)
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < m; ++j)
      s += i;
#pragma agglom wait
  for (int i = 0; i < 7; ++i)
    printf("%d ", o[i]);
  printf("%d %d %d %d %d %d %d %d %g\n", r, q, c, d, e, f, g, b, s);
  return 0;
}
