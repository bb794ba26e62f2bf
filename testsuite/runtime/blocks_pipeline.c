// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline: each item passes through all stages, each stage keeps what it has seen, so a unit waits for its item to come
// out of the stage before and for its stage to be done with the item before.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: pass: 480 units in [[#]] launch
#include <stdint.h>
#include <stdio.h>

enum { ITEMS = 60, STAGES = 8, N = 20 };

#pragma agglom task inout(item[0:N], stage[0:N])
static void pass(uint16_t *item, uint64_t *stage, unsigned by) {
#pragma agglom loop
  for (int i = 0; i < N; i++) {
    uint64_t seen = stage[i] * 6364136223846793005u + item[i] + by;
    stage[i] = seen;
    item[i] = (uint16_t)(item[i] * 3 + (seen >> 40));
  }
}

int main(void) {
  static uint16_t items[ITEMS][N];
  static uint64_t stages[STAGES][N];
  for (int k = 0; k < ITEMS; k++)
    for (int i = 0; i < N; i++)
      items[k][i] = (uint16_t)(k * N + i);
  for (int k = 0; k < ITEMS; k++)
    for (unsigned s = 0; s < STAGES; s++)
      pass(items[k], stages[s], s);
#pragma agglom wait
  for (int k = 0; k < ITEMS; k++)
    for (int i = 0; i < N; i++)
      printf("%d%c", items[k][i], i == N - 1 ? '\n' : ' ');
  for (int s = 0; s < STAGES; s++)
    printf("%llu\n", (unsigned long long)stages[s][N - 1]);
  return 0;
}
