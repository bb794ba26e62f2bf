// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The longest common subsequence of two texts in tiles: a tile gets its upper and left edge from the tiles above and on the
// left, and hands its own on in their place.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: tile: 400 units in [[#]] launch
#include <stdio.h>

enum { TILES = 20, B = 9 };

// across: B + 1 lengths above the tile, its corner first; down: B on its left, below the corner.
#pragma agglom task in(a[0:B], b[0:B]) inout(across[0:B], down[0:B], corner[0:1])
static void tile(const char *a, const char *b, int *across, int *down, int *corner) {
  int row[B + 1];
  int next = across[B - 1];
  row[0] = *corner;
  for (int j = 0; j < B; j++)
    row[j + 1] = across[j];
  for (int i = 0; i < B; i++) {
    int before = row[0];
    row[0] = down[i];
    for (int j = 0; j < B; j++) {
      int above = row[j + 1], longest = above > row[j] ? above : row[j];
      row[j + 1] = a[i] == b[j] ? before + 1 : longest;
      before = above;
    }
    down[i] = row[B];
  }
  for (int j = 0; j < B; j++)
    across[j] = row[j + 1];
  *corner = next; // of the tile on the right
}

int main(void) {
  static char a[TILES * B], b[TILES * B];
  static int across[TILES][B], down[TILES][B], corner[TILES];
  unsigned r = 5;
  for (int i = 0; i < TILES * B; i++) {
    a[i] = "acgt"[(r = r * 1664525 + 1013904223) >> 30];
    b[i] = "acgt"[(r = r * 1664525 + 1013904223) >> 30];
  }
  for (int i = 0; i < TILES; i++)
    for (int j = 0; j < TILES; j++)
      tile(a + i * B, b + j * B, across[j], down[i], &corner[i]);
#pragma agglom wait
  for (int k = 0; k < TILES; k++)
    printf("%d %d\n", across[k][B - 1], down[k][B - 1]);
  return 0;
}
