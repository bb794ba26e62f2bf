// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a unit does not write of an out section keeps its value, also when units write different parts of it, or none.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: scatter: 60 units in
// CHECK-DAG: flag: 30 units in
#include <stdio.h>

#pragma agglom task in(index[0:k]) out(x[0:n])
void scatter(int k, const int *index, int n, int *x, int v) {
#pragma agglom loop
  for (int i = 0; i < k; i++)
    if (index[i] < n)
      x[index[i]] = v;
}
struct state {
  char pad[3];
  int hits;
  struct {
    short a, b;
  } edge;
};
#pragma agglom task out(s[0:n]) in(x[0:n])
void flag(int n, struct state *s, const int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    if (x[i] % 3 == 0)
      s[i].hits = x[i];
    s[i].edge.b = (short)i;
  }
}

int main(void) {
  static int x[30][40], index[60][5];
  static struct state s[30][40];
  for (int u = 0; u < 30; u++)
    for (int i = 0; i < 40; i++)
      x[u][i] = -i, s[u][i] = (struct state){{1, 2, 3}, i * u, {5, 6}};
  for (int u = 0; u < 60; u++) {
    for (int i = 0; i < 5; i++)
      index[u][i] = (u * 13 + i * 29) % 43;
    scatter(u % 6, index[u], 40, x[u % 30], u);
  }
  for (int u = 0; u < 30; u++)
    flag(40, s[u], x[u]);
#pragma agglom wait
  for (int u = 0; u < 30; u++) {
    for (int i = 0; i < 40; i++)
      printf("%d %d %d %d %d, ", x[u][i], s[u][i].pad[1], s[u][i].hits, s[u][i].edge.a, s[u][i].edge.b);
    printf("\n");
  }
  return 0;
}
