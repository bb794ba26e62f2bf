// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays in structs, pointers to arrays, local arrays in iterations, arrays as parameters, indexing backwards.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: grid: 25 units in
// CHECK: sort: 25 units in
#include <stdio.h>

struct block {
  int cell[3][4][5];
  struct {
    unsigned char name[6];
    float corner[2][3];
  } edge[2];
};

#pragma agglom task inout(b[0:n]) in(w[0:3]) inout(line[0:8 * n])
void grid(int n, struct block b[], const float (*w)[2], int line[8]) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    int sum[3][4] = {{0}};
    for (int x = 0; x < 3; x++)
      for (int y = 0; y < 4; y++)
        for (int z = 0; z < 5; z++) {
          sum[x][y] += b[i].cell[x][y][z] * (x + y - z);
          z[b[i].cell[x][y]] -= sum[x][y] / 3;
        }
    for (int k = 0; k < 6; k++)
      b[i].edge[k & 1].name[k] = (unsigned char)(sum[k % 3][k % 4] + 'a');
    for (int k = 0; k < 3; k++)
      b[i].edge[1].corner[k & 1][k] += w[k][i & 1] * (float)sum[2][k];
    line[8 * i + (sum[0][0] & 7)] += *(*(sum + 1) + 2);
  }
}

// One thread a unit, with an array of its own.
#pragma agglom task inout(x[0:16])
void sort(int *x) {
  int own[16] = {[15] = 1}, n = 0;
  for (int i = 0; i < 16; i++) {
    int k = n++;
    for (; k > 0 && own[k - 1] > x[i]; k--)
      own[k] = own[k - 1];
    own[k] = x[i];
  }
  for (int i = 0; i < 16; i++)
    x[i] = own[i];
}

int main(void) {
  static struct block b[25][6];
  static int line[25][48];
  static const float w[3][2] = {{1, 2}, {.5f, -1}, {3, 4}};
  for (int u = 0; u < 25; u++)
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < 60; k++)
        (&b[u][i].cell[0][0][0])[k] = (u * 37 + i * 11 + k * k) % 101 - 50;
  for (int u = 0; u < 25; u++) {
    grid(6, b[u], w, line[u]);
    sort(line[u] + 16);
  }
#pragma agglom wait
  for (int u = 0; u < 25; u++) {
    for (int i = 0; i < 6; i++) {
      for (int k = 0; k < 60; k++)
        printf("%d ", (&b[u][i].cell[0][0][0])[k]);
      printf("%.6s %g %g %g\n", (const char *)b[u][i].edge[1].name + 0, (double)b[u][i].edge[1].corner[0][0],
             (double)b[u][i].edge[1].corner[1][1], (double)b[u][i].edge[1].corner[0][2]);
    }
    for (int k = 0; k < 48; k++)
      printf("%d ", line[u][k]);
    printf("\n");
  }
  return 0;
}
