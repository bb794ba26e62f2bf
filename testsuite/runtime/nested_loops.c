// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in loops: sequential inside parallel, parallel inside sequential, parallel inside parallel, triangular, with
// bounds read from memory, and a parallel loop under a condition.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: product: 27 units in
// CHECK: relax: 27 units in
// CHECK: rows: 27 units in
#include <stdio.h>

enum { N = 12 };

#pragma agglom task in(a[0:n * n], b[0:n * n]) out(c[0:n * n])
void product(int n, const double *a, const double *b, double *c) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
#pragma agglom loop
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// Each sweep reads what the one before wrote.
#pragma agglom task inout(c[0:n * n], d[0:n * n])
void relax(int n, int sweeps, double *c, double *d) {
  for (int s = 0; s < sweeps; s++) {
#pragma agglom loop
    for (int k = n; k < n * n - n; k++)
      d[k] = (c[k - n] + c[k + n] + c[k - 1]) / 3;
    if (s % 2 == 0) {
#pragma agglom loop
      for (int k = 0; k < n * n; k++)
        c[k] = d[k];
    } else {
      int k = 3;
      while (k-- > 0) {
#pragma agglom loop
        for (int i = k; i < n; i += 2)
          c[i] += d[i + n * (k + 1)];
      }
    }
  }
}

#pragma agglom task in(start[0:n + 1]) inout(v[0:start[n]])
void rows(int n, const int *start, long *v) {
  long total = 0;
#pragma agglom loop reduction(+: total)
  for (int r = 0; r < n; r++)
    for (int k = start[r]; k < start[r + 1]; k++) {
      total += v[k] * r;
      for (int j = k; j > start[r]; j -= 3)
        v[k] += j;
    }
#pragma agglom loop
  for (int k = start[0]; k < start[n]; k++)
    v[k] += total;
}

int main(void) {
  static double a[27][N * N], b[N * N], c[27][N * N], d[27][N * N];
  static int start[27][N + 1];
  static long v[27][N * 9];
  for (int k = 0; k < N * N; k++)
    b[k] = (k * 7 % 11) / 4.0;
  for (int u = 0; u < 27; u++)
    for (int k = 0; k < N * N; k++)
      a[u][k] = (k * u % 13) - 6;
  for (int u = 0; u < 27; u++) {
    for (int r = 0; r < N; r++)
      start[u][r + 1] = start[u][r] + (r * 5 + u) % 9;
    product(N, a[u], b, c[u]);
    relax(N, u % 6, c[u], d[u]);
    rows(N, start[u], v[u]);
  }
#pragma agglom wait
  for (int u = 0; u < 27; u++) {
    for (int k = 0; k < N * N; k++)
      printf("%a %a ", c[u][k], d[u][k]);
    for (int k = 0; k < start[u][N]; k++)
      printf("%ld ", v[u][k]);
    printf("\n");
  }
  return 0;
}
