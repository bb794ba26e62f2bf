// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 3,000 units over a graph drawn at random: few cells are read by many units, many by few, and units are of very
// different lengths.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: mix: 3000 units in [[#]] launch
#include <stdint.h>
#include <stdio.h>

enum { CELLS = 600, UNITS = 3000, MOST = 96 };

#pragma agglom task in(a[0:n], b[0:n]) inout(c[0:n])
static void mix(int n, const uint32_t *a, const uint32_t *b, uint32_t *c) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    c[i] = c[i] * 5 + (a[i] ^ b[i] >> 3) + 1;
}

static uint32_t state = 7;
static uint32_t draw(uint32_t below) {
  state = state * 1664525 + 1013904223;
  return (uint32_t)((uint64_t)state * below >> 32);
}
// Cell 0 is taken most often: the smallest of three draws.
static uint32_t cell(void) {
  uint32_t least = draw(CELLS);
  for (int k = 0; k < 2; k++) {
    uint32_t other = draw(CELLS);
    least = other < least ? other : least;
  }
  return least;
}

int main(void) {
  static uint32_t x[CELLS][MOST];
  for (uint32_t c = 0; c < CELLS; c++)
    for (uint32_t i = 0; i < MOST; i++)
      x[c][i] = c * 31 + i;
  for (int u = 0; u < UNITS; u++) {
    uint32_t to = cell(), a = cell(), b = cell();
    int n = u % 50 ? 1 + (int)draw(6) : MOST;
    // A unit may not read what it writes under another name.
    mix(n, x[a == to ? (a + 1) % CELLS : a], x[b == to ? (b + 1) % CELLS : b], x[to]);
  }
#pragma agglom wait
  uint32_t sum = 0;
  for (uint32_t c = 0; c < CELLS; c++) {
    for (uint32_t i = 0; i < MOST; i++)
      sum = sum * 16777619 + x[c][i];
    printf("%08x%c", sum, c % 10 == 9 ? '\n' : ' ');
  }
  return 0;
}
