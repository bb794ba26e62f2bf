// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tiled LU factorisation modulo a prime, so that each number is exact: four tasks, whose units follow those of the
// others and, for the updates of a tile, one another.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: update: 140 units in [[#]] launch
// CHECK-DAG: factorise: 8 units in
#include <stdint.h>
#include <stdio.h>

enum { T = 8, B = 6, P = 65521 };

static uint32_t inverse(uint32_t x) {
  uint32_t y = 1;
  for (uint32_t e = P - 2; e; e >>= 1, x = x * x % P)
    y = e & 1 ? y * x % P : y;
  return y;
}

#pragma agglom task inout(a[0:B * B])
static void factorise(uint32_t *a) {
  for (int k = 0; k < B; k++) {
    uint32_t by = inverse(a[k * B + k]);
#pragma agglom loop
    for (int i = k + 1; i < B; i++) {
      uint32_t f = a[i * B + k] * by % P;
      a[i * B + k] = f;
      for (int j = k + 1; j < B; j++)
        a[i * B + j] = (a[i * B + j] + (P - f) * a[k * B + j]) % P;
    }
  }
}
// Columns of the tiles to the right.
#pragma agglom task in(l[0:B * B]) inout(u[0:B * B])
static void solve_upper(const uint32_t *l, uint32_t *u) {
#pragma agglom loop
  for (int j = 0; j < B; j++)
    for (int k = 0; k < B; k++)
      for (int i = k + 1; i < B; i++)
        u[i * B + j] = (u[i * B + j] + (P - l[i * B + k]) * u[k * B + j]) % P;
}
// Rows of the tiles below.
#pragma agglom task in(u[0:B * B]) inout(l[0:B * B])
static void solve_lower(const uint32_t *u, uint32_t *l) {
#pragma agglom loop
  for (int i = 0; i < B; i++)
    for (int k = 0; k < B; k++) {
      uint32_t f = l[i * B + k] * inverse(u[k * B + k]) % P;
      l[i * B + k] = f;
      for (int j = k + 1; j < B; j++)
        l[i * B + j] = (l[i * B + j] + (P - f) * u[k * B + j]) % P;
    }
}
#pragma agglom task in(l[0:B * B], u[0:B * B]) inout(a[0:B * B])
static void update(const uint32_t *l, const uint32_t *u, uint32_t *a) {
#pragma agglom loop
  for (int i = 0; i < B; i++)
    for (int k = 0; k < B; k++)
      for (int j = 0; j < B; j++)
        a[i * B + j] = (a[i * B + j] + (P - l[i * B + k]) * u[k * B + j]) % P;
}

int main(void) {
  static uint32_t a[T][T][B * B];
  uint32_t r = 3;
  for (int i = 0; i < T; i++)
    for (int j = 0; j < T; j++)
      for (int e = 0; e < B * B; e++)
        a[i][j][e] = (r = r * 1664525 + 1013904223) >> 16;
  for (int i = 0; i < T; i++)
    for (int j = 0; j < T; j++)
      for (int e = 0; e < B * B; e++)
        a[i][j][e] %= P;
  for (int k = 0; k < T; k++) {
    factorise(a[k][k]);
    for (int j = k + 1; j < T; j++) {
      solve_upper(a[k][k], a[k][j]);
      solve_lower(a[k][k], a[j][k]);
    }
    for (int i = k + 1; i < T; i++)
      for (int j = k + 1; j < T; j++)
        update(a[i][k], a[k][j], a[i][j]);
  }
#pragma agglom wait
  for (int i = 0; i < T; i++)
    for (int j = 0; j < T; j++)
      for (int e = 0; e < B * B; e++)
        printf("%u%c", a[i][j][e], e == B * B - 1 ? '\n' : ' ');
  return 0;
}
