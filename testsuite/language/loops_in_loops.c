// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel loops inside parallel loops, inside sequential ones, with sequential ones and reductions inside; triangular bounds;
// variables of the outer iteration used by the inner.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 8, R = 12, C = 9, D = 5 };

static int weight(int r, int c) {
  int w = 1;
  for (int k = 0; k < c; k++)
    w = (w * (r + 2) + k) % 997;
  return w;
}

#pragma agglom task inout(m[0:rows]) out(sums[0:rows], total[0:3])
static void nest(int rows, int (*m)[C], int *sums, int *total) {
  int all = 0, big = 0;
#pragma agglom loop
  for (int r = 0; r < rows; r++) {
    const int scale = r % 3 + 1;
    int own[C], sum = 0;
#pragma agglom loop
    for (int c = 0; c < C; c++)
      own[c] = m[r][c] * scale + weight(r, c);
#pragma agglom loop reduction(+: sum)
    for (int c = C - 1; c >= 0; c--) {
      m[r][c] = own[c];
      for (int k = 0; k <= c; k++)
        sum += own[k] ^ k;
    }
    sums[r] = sum;
  }
  for (int pass = 0; pass < 2; pass++) {
#pragma agglom loop reduction(+: all) reduction(max: big)
    for (int r = pass; r < rows; r += 2) {
      int row = 0;
      for (int c = r % C; c < C; c++) {
        if (m[r][c] % 3 == pass)
          continue;
        row += m[r][c];
        if (row > 5000)
          break;
      }
      all += row, big = row > big ? row : big;
    }
  }
  total[0] = all, total[1] = big;
  int cube[D][D][D];
#pragma agglom loop
  for (int x = 0; x < 1; x++) {
#pragma agglom loop
    for (int y = 0; y < D; y++)
#pragma agglom loop
      for (int z = y; z < D; z++)
        m[y][z] += x + y * z;
  }
  for (int x = 0; x < D; x++)
    for (int y = 0; y < D; y++)
      for (int z = 0; z < D; z++)
        cube[x][y][z] = x ? y ? z ? cube[x - 1][y][z] + cube[x][y - 1][z] + cube[x][y][z - 1] : y : x + z : y * z;
  total[2] = cube[D - 1][D - 1][D - 1];
}

int main(void) {
  static int m[UNITS][R][C], sums[UNITS][R], total[UNITS][3];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < R * C; i++)
      m[u][i / C][i % C] = (i * 13 + u) % 50;
  for (int u = 0; u < UNITS; u++)
    nest(R - u % 4, m[u], sums[u], total[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < R * C; i++)
      printf("%d ", m[u][i / C][i % C]);
    for (int r = 0; r < R; r++)
      printf("%d ", sums[u][r]);
    printf("%d %d %d\n", total[u][0], total[u][1], total[u][2]);
  }
  return 0;
}
