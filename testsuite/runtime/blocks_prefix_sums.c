// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefix sums over 128 segments by a tree, up and down: near the root all blocks wait for one.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: up: 127 units in [[#]] launch
// CHECK-DAG: down: 127 units in [[#]] launch
#include <stdint.h>
#include <stdio.h>

enum { SEGMENTS = 128, N = 11 };

#pragma agglom task in(from[0:N]) inout(to[0:N])
static void up(const uint32_t *from, uint32_t *to) {
#pragma agglom loop
  for (int i = 0; i < N; i++)
    to[i] = from[i] * 3 + to[i];
}
#pragma agglom task inout(low[0:N], high[0:N])
static void down(uint32_t *low, uint32_t *high) {
#pragma agglom loop
  for (int i = 0; i < N; i++) {
    uint32_t sum = low[i] + high[i];
    low[i] = high[i];
    high[i] = sum * 5 + 1;
  }
}

int main(void) {
  static uint32_t x[SEGMENTS][N];
  for (uint32_t s = 0; s < SEGMENTS; s++)
    for (uint32_t i = 0; i < N; i++)
      x[s][i] = s * s + i;
  for (int apart = 1; apart < SEGMENTS; apart *= 2)
    for (int s = apart - 1; s + apart < SEGMENTS; s += 2 * apart)
      up(x[s], x[s + apart]);
  for (int apart = SEGMENTS / 2; apart; apart /= 2)
    for (int s = apart - 1; s + apart < SEGMENTS; s += 2 * apart)
      down(x[s], x[s + apart]);
#pragma agglom wait
  for (int s = 0; s < SEGMENTS; s++)
    for (int i = 0; i < N; i++)
      printf("%u%c", x[s][i], i == N - 1 ? '\n' : ' ');
  return 0;
}
