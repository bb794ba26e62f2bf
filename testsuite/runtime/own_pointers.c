// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that a unit keeps in objects of its own, to its sections and to other objects, around parallel loops and in their
// iterations: what is written through them is written once.
// RUN: %compare %s %t -w
// RUN: FileCheck %s < %t.report
// CHECK: gather: 30 units in
#include <stdio.h>

enum { N = 40 };
struct sink {
  int *at, *end, count;
};
struct link {
  struct link *next;
  int v;
};

static void put(struct sink *s, int v) {
  if (s->at < s->end)
    *s->at++ += v;
  s->count++;
}
static int sum(const struct link *l) {
  int s = 0;
  for (; l; l = l->next)
    s = s * 3 + l->v;
  return s;
}
static void swap(int **a, int **b) {
  int *t = *a;
  *a = *b;
  *b = t;
}

#pragma agglom task in(x[0:n]) inout(y[0:n], count[0:1])
static void gather(int n, const int *x, int *y, int *count) {
  struct sink s = {y, y + n / 2};
  for (int i = 0; i < n; i++)
    if (x[i] % 3 == 0)
      put(&s, x[i]);
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    struct link a = {0, x[i]}, b = {&a, i}, c = {&b, 2};
    struct sink own = {&y[i], &y[i] + 1};
    int *low = &a.v, *high = &b.v;
    if (*high < *low)
      swap(&low, &high);
    put(&own, sum(&c) + *low);
  }
  put(&s, 1000), put(&s, 2000);
  *count += s.count;
}

int main(void) {
  static int x[30][N], y[30][N], count[3];
  for (int u = 0; u < 30; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = (i * 7 + u) % 23, y[u][i] = i;
  for (int u = 0; u < 30; u++)
    gather(N - u % 7, x[u], y[u], &count[u % 3]);
#pragma agglom wait
  for (int u = 0; u < 30; u++)
    for (int i = 0; i < N; i++)
      printf("%d%c", y[u][i], i == N - 1 ? '\n' : ' ');
  printf("%d %d %d\n", count[0], count[1], count[2]);
  return 0;
}
