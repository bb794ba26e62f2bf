// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of variable size whose inner dimensions are constants, and const objects of the file.
// RUN: %compare %s %t -O1
#include <stdio.h>

enum { N = 5, M = 4 };

#pragma agglom task in(A[0:n][0:m][0:2][0:3]) out(sum[0:n])
void add(int n, int m, int A[n][m][2][3], int *sum) {
  for (int i = 0; i < n; ++i) {
    sum[i] = 0;
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < 3; ++k)
        sum[i] += A[i][j][1][k] - (*A[i])[0][k] + *A[i][j][0] + (*(A[i] + j))[1][k] + (&A[i][0])[j][1][2];
    sum[i] += (int)sizeof A[i][0] + (int)(&A[i][1][0] - &A[i][0][0]) + (int)(A[i] + 2 - &A[i][0]);
  }
}

static const int width = 7;

#pragma agglom task inout(a[0:n][0:3])
void raise(int n, double a[n][width]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 3; ++j)
      a[i][j] += i * j + (double)sizeof a[0];
}

static void in_loops(int n) {
  double b[n][width];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < width; ++j)
      b[i][j] = i - j;
#pragma agglom for inout(b[i][0:3])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 3; ++j)
      b[i][j] *= i + j;
  raise(n, b);
#pragma agglom wait
  for (int i = 0; i < n; ++i)
    printf("%g %g %g %g\n", b[i][0], b[i][1], b[i][2], b[i][3]);
}

int main(void) {
  static int A[N][M][2][3], sum[N];
  for (int i = 0; i < N * M * 6; ++i)
    (&A[0][0][0][0])[i] = i * i % 101;
  add(N, M, A, sum);
#pragma agglom wait
  for (int i = 0; i < N; ++i)
    printf("%d\n", sum[i]);
  in_loops(N);
  return 0;
}
