// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Odd-even transposition over sorted segments: each unit merges two neighbours and splits them again, so what one round
// writes the next one reads from both sides. One thread a unit.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: part: 1128 units in [[#]] launch
#include <stdio.h>

enum { SEGMENTS = 48, N = 8 };

#pragma agglom task inout(low[0:N], high[0:N])
static void part(int *low, int *high) {
  int all[2 * N], i = 0, j = 0;
  for (int k = 0; k < 2 * N; k++)
    all[k] = j == N || (i < N && low[i] <= high[j]) ? low[i++] : high[j++];
  for (int k = 0; k < N; k++) {
    low[k] = all[k];
    high[k] = all[N + k];
  }
}

int main(void) {
  static int x[SEGMENTS][N];
  for (int s = 0; s < SEGMENTS; s++)
    for (int i = 0; i < N; i++)
      x[s][i] = (SEGMENTS - s) * 31 % 101 * 16 + i;
  for (int round = 0; round < SEGMENTS; round++)
    for (int s = round % 2; s + 1 < SEGMENTS; s += 2)
      part(x[s], x[s + 1]);
#pragma agglom wait
  for (int s = 0; s < SEGMENTS; s++)
    for (int i = 0; i < N; i++)
      printf("%d%c", x[s][i], i == N - 1 ? '\n' : ' ');
  return 0;
}
