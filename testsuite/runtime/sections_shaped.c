// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections that are no run of elements: several dimensions, of constant and of variable size, strides, single rows and
// columns. Only the named elements move: units of other elements run at the same time.
// RUN: %compare %s %t -Wno-pointer-arith
// RUN: FileCheck %s < %t.report
// CHECK-DAG: column: 196 units in {{[0-9]+}} launch{{(es)?}} on emulated:0
// CHECK-DAG: block: 24 units in {{[0-9]+}} launch{{(es)?}} on emulated:0
#include <stdio.h>
#include <stdlib.h>

enum { N = 6, M = 7 };

static double row_sum(int m, double row[m]) {
  double s = 0;
  for (int j = 0; j < m; j++)
    s += row[j];
  return s;
}
static double corner(int n, int m, double A[n][m]) { return A[n - 1][m - 1] + *(*A + 1) + (*(A + 1))[0]; }

#pragma agglom task inout(A[r0:rn][c0:cn])
static void block(int n, int m, double A[n][m], int r0, int rn, int c0, int cn, double x) {
  (void)n;
  for (int i = r0; i < r0 + rn; i++)
    for (int j = c0; j < c0 + cn; j++)
      A[i][j] += x;
}
#pragma agglom task inout(p[lo:len:stride])
static void column(double *p, int lo, int len, int stride, double x) {
#pragma agglom loop
  for (int i = 0; i < len; i++)
    p[lo + i * stride] += x;
}
/* Sizes are those at the entry of the function. */
#pragma agglom task in(A[0:n][0:m]) out(s[0:3])
static void sums(int n, int m, double A[n][m], double *s) {
  int rows = n;
  n = m = 0;
  s[0] = s[1] = 0;
  for (int i = 0; i < rows; i++)
    s[0] += row_sum(sizeof A[0] / sizeof(double), A[i]);
  s[1] = corner(6, 7, A);
  s[2] = (double)sizeof A[0] + (&A[2] > &A[0]) + (double)(&A[rows - 1] - (A + 1)) + n;
}
#pragma agglom task inout(m[0:rows][1:2])
static void middle(int rows, double (*m)[4]) {
  for (int i = 0; i < rows; i++) {
    m[i][1] += 1;
    m[i][2] += 2;
  }
}
#pragma agglom task inout(c[plane][0:3:2][1:2])
static void cube(int (*c)[5][4], int plane, int k) {
  for (int i = 0; i < 5; i += 2)
    for (int j = 1; j < 3; j++)
      c[plane][i][j] += k;
}
#pragma agglom task inout(A[0:len][col])
static void one_column(int n, int m, long A[n][m], int len, int col) {
  (void)n;
#pragma agglom loop
  for (int i = 0; i < len; i++)
    A[i][col] = A[i][col] * 3 + col;
}

int main(void) {
  double(*A)[M] = malloc(sizeof(double[N][M])), s[3], m[3][4] = {{0}};
  int c[2][5][4] = {{{0}}};
  long L[N][M];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      A[i][j] = i * 10 + j;
      L[i][j] = i - j;
    }
  for (int t = 0; t < 4; t++) {
    block(N, M, A, 0, 3, 0, 3, 1);
    block(N, M, A, 3, 3, 0, 3, 2);
    block(N, M, A, 0, 3, 3, 4, 3);
    block(N, M, A, 1, 4, 1, 5, 0.5);
    block(N, M, A, 2, 0, 1, 5, 9);
    block(N, M, A, 0, N, 0, M, 0.25);
    for (int k = 0; k < 7; k++)
      for (int j = 0; j < M; j++)
        column(&A[0][0], j, N, M, j + k);
    for (int k = 0; k < M; k++)
      one_column(N, M, L, N - t, k);
  }
  sums(N, M, A, s);
  middle(3, m);
  middle(2, m);
  for (int k = 0; k < 6; k++)
    cube(c, k % 2, k);
#pragma agglom wait
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      printf("%g %ld%s", A[i][j], L[i][j], j + 1 < M ? " " : "\n");
  printf("%g %g %g\n", s[0], s[1], s[2]);
  for (int i = 0; i < 12; i++)
    printf("%g ", m[i / 4][i % 4]);
  for (int i = 0; i < 40; i++)
    printf("%d ", c[i / 20][i / 4 % 5][i % 4]);
  printf("\n");
  free(A);
  return 0;
}
