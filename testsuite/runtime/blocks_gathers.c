// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells of a mesh that move with their neighbours, whose elements lie anywhere: units conflict where their lists meet.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: settle: 600 units in [[#]] launch
#include <stdint.h>
#include <stdio.h>

enum { NODES = 500, CELLS = 200, CORNERS = 6, ROUNDS = 3 };

#pragma agglom task in(list[0:CORNERS]) inout(x[list[0:CORNERS]])
static void settle(const int *list, uint32_t *x) {
  uint32_t sum = 1;
  for (int k = 0; k < CORNERS; k++)
    sum = sum * 33 + x[list[k]];
#pragma agglom loop
  for (int k = 0; k < CORNERS; k++)
    x[list[k]] += sum >> k;
}

int main(void) {
  static int lists[CELLS][CORNERS];
  static uint32_t x[NODES];
  unsigned r = 23;
  for (int c = 0; c < CELLS; c++)
    for (int k = 0; k < CORNERS; k++) // no node twice in a cell
      lists[c][k] = (int)((r = r * 1664525 + 1013904223) >> 8) % (NODES / CORNERS) * CORNERS + k;
  for (uint32_t i = 0; i < NODES; i++)
    x[i] = i * i;
  for (int round = 0; round < ROUNDS; round++)
    for (int c = 0; c < CELLS; c++)
      settle(lists[c], x);
#pragma agglom wait
  for (int i = 0; i < NODES; i++)
    printf("%u%c", x[i], i % 10 == 9 ? '\n' : ' ');
  return 0;
}
