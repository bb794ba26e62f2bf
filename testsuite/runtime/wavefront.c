// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wavefront: unit (i, j) needs its left and its upper neighbour. All of it may stand in one launch.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: tile: 576 units in {{[0-9]+}} launch{{(es)?}} on emulated:0
#include <stdio.h>

enum { N = 24, T = 6 };

#pragma agglom task in(left[0:n], up[0:n]) out(own[0:n])
void tile(int n, const unsigned *left, const unsigned *up, unsigned *own, unsigned seed) {
#pragma agglom loop
  for (int k = 0; k < n; k++)
    own[k] = left[n - 1 - k] * 5 ^ (up[k] + seed) * 3;
}

// Gauss-Seidel: the right and lower neighbours' old values too.
#pragma agglom task in(l[0:1], r[0:1], u[0:1], d[0:1]) inout(c[0:1])
void sweep(const int *l, const int *r, const int *u, const int *d, int *c) { *c = (*c + *l * 2 + *r + *u * 3 - *d) % 1009; }

int main(void) {
  static unsigned grid[N + 1][N + 1][T];
  static int s[N + 2][N + 2];
  for (int k = 0; k <= N; k++)
    for (int t = 0; t < T; t++)
      grid[0][k][t] = (unsigned)(k * t), grid[k][0][t] = (unsigned)(k + t);
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++)
      tile(T, grid[i][j - 1], grid[i - 1][j], grid[i][j], (unsigned)(i * N + j));
  for (int i = 0; i < N + 2; i++)
    for (int j = 0; j < N + 2; j++)
      s[i][j] = i * 31 + j * 17;
  for (int round = 0; round < 2; round++)
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++)
        sweep(&s[i][j - 1], &s[i][j + 1], &s[i - 1][j], &s[i + 1][j], &s[i][j]);
#pragma agglom wait
  for (int i = 1; i <= N; i++) {
    for (int j = 1; j <= N; j++)
      printf("%08x %d ", grid[i][j][i % T], s[i][j]);
    printf("\n");
  }
  return 0;
}
