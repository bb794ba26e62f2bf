// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulation into all forms of sections: gathers of the nodes that a chunk of edges touches, strided columns, blocks
// of a matrix, arrays of variable size, objects of the file.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: gathered: 50 units in
#include <stdio.h>

enum { NODES = 300, ROWS = 24, COLUMNS = 16 };
static long counts[8];
static double grid[ROWS][COLUMNS];

#pragma agglom task in(nodes[0:n]) accumulate(+: f[nodes[0:n]], counts[0:8])
void gathered(int n, const int *nodes, double *f) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    f[nodes[i]] += nodes[i] & 3;
    counts[nodes[i] & 7]++;
  }
}
#pragma agglom task accumulate(max: m[first:ROWS:COLUMNS])
void column(int first, int *m, int by) {
  for (int r = 0; r < ROWS; r++)
    m[first + r * COLUMNS] = m[first + r * COLUMNS] < by * r ? by * r : m[first + r * COLUMNS];
}
#pragma agglom task accumulate(+: a[r:4][c:n])
void block(int n, int r, int c, short (*a)[COLUMNS]) {
#pragma agglom loop
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < n; j++)
      a[r + i][c + j] += (short)(i * j + 1);
}
#pragma agglom task accumulate(+: grid[r:2][0:COLUMNS]) accumulate(*: p[0:1])
void file_scope(int r, float *p) {
  for (int c = 0; c < COLUMNS; c++)
    grid[r + (c & 1)][c] -= 0.5 * c;
  p[0] *= r & 1 ? 2 : 0.5f;
}
#pragma agglom task accumulate(^: v[0:n][0:m])
void variable(int n, int m, unsigned v[n][m], unsigned by) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      v[i][j] ^= by << ((i + j) & 15);
}

int main(void) {
  static int nodes[50][20], m[ROWS * COLUMNS];
  static double f[NODES];
  static short a[ROWS][COLUMNS];
  static unsigned v[7][9];
  float p = 3;
  unsigned r = 1;
  for (int k = 0; k < 50; k++) {
    for (int i = 0; i < 20; i++)
      nodes[k][i] = (int)((r = r * 1664525 + 1013904223) >> 12) % NODES;
    gathered(20, nodes[k], f);
    column(k % COLUMNS, m, k - 20);
    block(1 + k % 5, k % (ROWS - 3), k % 11, a);
    file_scope(k % (ROWS - 1), &p);
    variable(7, 9, v, r >> 3);
  }
#pragma agglom wait
  for (int i = 0; i < NODES; i++)
    printf("%g ", f[i]);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      printf("%d %d %g\n", m[i * COLUMNS + j], a[i][j], grid[i][j]);
  for (int i = 0; i < 63; i++)
    printf("%u ", v[i / 9][i % 9]);
  for (int i = 0; i < 8; i++)
    printf("%ld ", counts[i]);
  printf("%g\n", p);
  return 0;
}
