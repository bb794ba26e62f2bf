// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recursive function that updates what its pointer leads to: a variable of the thread, for which a GPU has no atomic
// instructions, or memory that all threads share.
// RUN: %compare %s %t -Wno-agglom-recursion
// RUN: FileCheck %s < %t.report
// CHECK: work: 40 units in [[#]] launch
#include <stdio.h>

static int bump(int *p, int by, int depth) {
  if (depth > 0)
    return bump(p, by, depth - 1) + bump(p, by + 1, depth - 2);
#pragma agglom atomic
  *p += by;
  return 1;
}

#pragma agglom task in(n[0:1]) inout(x[0:1]) accumulate(+: all[0:1])
static void work(const int *n, int *x, int *all) {
  int own[2] = {0, 0};
  for (int i = 0; i < *n; ++i) {
    bump(&own[i & 1], i, 3);
    bump(x, 1, 2);
    *all += i;
  }
  *x += own[0] - own[1];
}

int main(void) {
  int n[40], x[40], all = 0;
  for (int u = 0; u < 40; ++u) {
    n[u] = u % 13;
    x[u] = u;
    work(&n[u], &x[u], &all);
  }
#pragma agglom wait
  for (int u = 0; u < 40; ++u)
    printf("%d ", x[u]);
  printf("%d\n", all);
  return 0;
}
