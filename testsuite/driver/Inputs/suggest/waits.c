/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
enum { N = 8, M = 6 };
static void fill(int n, int m, double A[n][m], double v) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i][j] = v * i + j;
}
static void smooth(int n, int m, double A[n][m], double B[n][m]) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
}
static void add_rows(int n, int m, double A[n][m][2], double *sum) {
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < m; ++j)
      s += A[i][j][1];
    sum[i] = s;
  }
}
int main(void) {
  double (*A)[M] = malloc(N * sizeof *A), (*B)[M] = calloc(N, sizeof *B);
  double (*C)[M][2] = calloc(N, sizeof *C);
  double sums[N];
  for (int t = 0; t < 3; ++t)
    fill(N, M, A, t);
  for (int t = 0; t < 3; ++t)
    smooth(N, M, A, B);
  for (int t = 0; t < 3; ++t)
    add_rows(N, M, C, sums);
  double all = 0;
  for (int i = 0; i < N; ++i)
    all += sums[i] + B[i][2];
  printf("%g\n", all);
  all = A[1][0];
  free(B);
  free(C);
  return 0;
}
