// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole wavefront of 128 x 128 units, each after its left and its upper neighbour, is a few launches (two on a quiet
// machine; a submitter that loses its core for long is waited for by none) and not one for each of 255 diagonals; the result
// is the serial one, bit for bit; and its rows are chains that run side by side. With scalar bodies (a thread runs a
// chain) and with a loop (a block does).
// RUN: %agglomcc -O2 -ffp-contract=off %s -o %t
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_REPORT=1 %t 2> %t.report
// RUN: FileCheck %s < %t.report
// CHECK: relax: 16384 units in {{[1-9][0-9]?}} launch{{(es)?}} on emulated:0 {{.*}}, 0 on the CPU
// CHECK: chains {{[1-9][0-9][0-9]+}} (
// CHECK: tile: 16384 units in {{[1-9][0-9]?}} launch{{(es)?}} on emulated:0 {{.*}}, 0 on the CPU
// CHECK: chains {{[1-9][0-9][0-9]+}} (
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 %t
// RUN: %run-software AGGLOM_REPORT=1 %t 2> %t.gpu-report
// RUN: FileCheck --check-prefix=GPU %s < %t.gpu-report
// GPU: relax: 16384 units in {{[1-9][0-9]?}} launch
// GPU: chains {{[1-9][0-9][0-9]+}} (
#include <stdio.h>
#include <string.h>

enum { N = 128, T = 3 };

#pragma agglom task in(left[0:1], up[0:1]) out(cell[0:1])
static void relax(const double *left, const double *up, double *cell, double weight) {
  cell[0] = 0.5 * left[0] + 0.25 * up[0] + weight / (1.0 + left[0] * left[0]);
}

#pragma agglom task in(left[0:T], up[0:T]) out(own[0:T])
static void tile(const float *left, const float *up, float *own, float weight) {
#pragma agglom loop
  for (int k = 0; k < T; ++k)
    own[k] = left[T - 1 - k] * 0.4f + up[k] / (weight + k);
}

static double grid[N + 1][N + 1], serial[N + 1][N + 1];
static float tiles[N + 1][N + 1][T], serial_tiles[N + 1][N + 1][T];

int main(void) {
  for (int i = 0; i <= N; ++i) {
    serial[0][i] = serial[i][0] = grid[0][i] = grid[i][0] = 1.0 / (1 + i);
    for (int k = 0; k < T; ++k)
      serial_tiles[0][i][k] = serial_tiles[i][0][k] = tiles[0][i][k] = tiles[i][0][k] = (float)(k + 1) / (float)(1 + i);
  }
  for (int i = 1; i <= N; ++i)
    for (int j = 1; j <= N; ++j) {
      relax(&grid[i][j - 1], &grid[i - 1][j], &grid[i][j], i * 0.001 + j);
      tile(tiles[i][j - 1], tiles[i - 1][j], tiles[i][j], (float)(i + j));
    }
#pragma agglom wait
  for (int i = 1; i <= N; ++i)
    for (int j = 1; j <= N; ++j) {
      double left = serial[i][j - 1], up = serial[i - 1][j], weight = i * 0.001 + j;
      serial[i][j] = 0.5 * left + 0.25 * up + weight / (1.0 + left * left);
      for (int k = 0; k < T; ++k)
        serial_tiles[i][j][k] = serial_tiles[i][j - 1][T - 1 - k] * 0.4f + serial_tiles[i - 1][j][k] / ((float)(i + j) + k);
    }
  if (memcmp(grid, serial, sizeof grid) || memcmp(tiles, serial_tiles, sizeof tiles)) {
    printf("another result than the serial one\n");
    return 1;
  }
  return 0;
}
