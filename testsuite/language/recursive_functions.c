// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursive functions: structures returned, arrays of variable size, permutations, a call in an argument of itself.
// RUN: %compare %s %t -w
#include <stdio.h>

struct range {
  int lo, hi;
};
static struct range span(const int *x, int n) {
  if (n == 1)
    return (struct range){x[0], x[0]};
  struct range a = span(x, n / 2), b = span(x + n / 2, n - n / 2);
  return (struct range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}
static void fill(int rows, int m, int a[rows][m], int r, int c, int v) {
  if (r < 0 || c < 0 || r >= rows || c >= m || a[r][c] != 0)
    return;
  a[r][c] = v;
  fill(rows, m, a, r + 1, c, v), fill(rows, m, a, r - 1, c, v), fill(rows, m, a, r, c + 1, v),
      fill(rows, m, a, r, c - 1, v);
}
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static void permute(int *p, int k, int n, long *count) {
  if (k == n) {
    *count = (long)(*count * 31ul + (unsigned long)(p[0] * 7 + p[n - 1]));
    return;
  }
  for (int i = k; i < n; i++) {
    int t = p[k];
    p[k] = p[i], p[i] = t;
    permute(p, k + 1, n, count);
    t = p[k];
    p[k] = p[i], p[i] = t;
  }
}
#pragma agglom task in(x[0 : n])inout(a[0 : rows][0 : m]) out(o[0 : 5])
void all(int n, const int *x, int rows, int m, int a[rows][m], long *o) {
  struct range r = span(x, n);
  o[0] = r.lo, o[1] = r.hi;
  o[2] = ack(2, n % 3);
  fill(rows, m, a, 1, 1, n);
  int p[5] = {1, 2, 3, 4, 5};
  long count = 1;
  permute(p, 0, 5, &count);
  o[3] = count;
  o[4] = a[rows - 1][m - 1];
}
#pragma agglom task in(x[0 : n])out(o[0 : n])
void each(int n, const int *x, long *o) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    struct range r = span(x + i, n - i);
    o[i] = r.hi - r.lo + ack(1, i % 4);
  }
}
int main(void) {
  static int x[30][40], a[30][6][7];
  static long o[30][5], e[30][40];
  for (int u = 0; u < 30; u++)
    for (int i = 0; i < 42; i++) {
      a[u][i / 7][i % 7] = (i * u) % 3 ? 0 : -1;
      if (i < 40)
        x[u][i] = (i * 37 + u * 11) % 101;
    }
  for (int u = 0; u < 30; u++) {
    all(40 - u, x[u], 6, 7, a[u], o[u]);
    each(40 - u, x[u], e[u]);
  }
#pragma agglom wait
  for (int u = 0; u < 30; u++) {
    for (int i = 0; i < 5; i++)
      printf("%ld ", o[u][i]);
    printf("%ld %ld %d\n", e[u][0], e[u][9], a[u][2][3]);
  }
}
