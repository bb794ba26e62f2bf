// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cellular automaton in two boards: a strip of one board waits for three of the other, and may only be overwritten when
// three have read it.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: step: 720 units in [[#]] launch
#include <stdio.h>

enum { STRIPS = 18, ROWS = 3, COLUMNS = 30, STEPS = 40, H = STRIPS * ROWS };

// from: the strip with a row more on either side.
#pragma agglom task in(from[0:ROWS + 2][0:COLUMNS]) out(to[0:ROWS][0:COLUMNS])
static void step(const unsigned char (*from)[COLUMNS], unsigned char (*to)[COLUMNS]) {
#pragma agglom loop
  for (int k = 0; k < ROWS * COLUMNS; k++) {
    int r = k / COLUMNS, c = k % COLUMNS, around = 0;
    for (int dr = 0; dr < 3; dr++)
      for (int dc = -1; dc <= 1; dc++)
        around += from[r + dr][(c + dc + COLUMNS) % COLUMNS];
    int me = from[r + 1][c];
    to[r][c] = (unsigned char)(around == 3 || (around == 4 && me));
  }
}

int main(void) {
  static unsigned char boards[2][H + 2][COLUMNS];
  unsigned r = 41;
  for (int i = 1; i <= H; i++)
    for (int c = 0; c < COLUMNS; c++)
      boards[0][i][c] = (r = r * 1664525 + 1013904223) >> 30 == 0;
  for (int s = 0; s < STEPS; s++)
    for (int k = 0; k < STRIPS; k++)
      step(boards[s % 2] + k * ROWS, boards[(s + 1) % 2] + 1 + k * ROWS);
#pragma agglom wait
  for (int i = 1; i <= H; i++) {
    for (int c = 0; c < COLUMNS; c++)
      putchar(boards[STEPS % 2][i][c] ? '#' : '.');
    putchar('\n');
  }
  return 0;
}
