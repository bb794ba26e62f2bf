// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulation with every operator and type, by many units at a time, into memory whose sections overlap.
// RUN: %compare %s %t -fwrapv
// RUN: FileCheck %s < %t.report
// CHECK: integers: 60 units in
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 60, CELLS = 40 };

#pragma agglom task in(x[0:n]) accumulate(+: c[0:8], s[0:8], i[0:CELLS], l[0:CELLS]) accumulate(^: uc[0:8]) \
    accumulate(|: us[0:8]) accumulate(&: u[0:CELLS]) accumulate(*: ul[0:8])
void integers(int n, const int *x, int8_t *c, uint8_t *uc, int16_t *s, uint16_t *us, int *i, unsigned *u, long *l,
              unsigned long long *ul) {
#pragma agglom loop
  for (int k = 0; k < n; k++) {
    c[k & 7] += (int8_t)x[k];
    uc[x[k] & 7] ^= (uint8_t)k;
    s[k & 7]--;
    us[k & 7] |= (uint16_t)(1 << (x[k] & 15));
    i[(unsigned)x[k] % CELLS] += x[k];
    u[(unsigned)x[k] % CELLS] &= ~(1u << (k & 31));
    l[k % CELLS] = x[k] * 100000000000l + l[k % CELLS];
    ul[k & 7] *= 2 * (unsigned)x[k] + 1;
  }
  i[0] += 1;
}

#pragma agglom task in(x[0:n]) accumulate(min: lc[0:4], li[0:4], ld[0:CELLS]) \
    accumulate(max: mu[0:4], ml[0:4], mf[0:CELLS]) accumulate(+: d[0:CELLS], f[0:CELLS]) accumulate(*: p[0:2])
void extremes(int n, const int *x, signed char *lc, int *li, double *ld, unsigned short *mu, long long *ml, float *mf,
              double *d, float *f, double *p) {
#pragma agglom loop
  for (int k = 0; k < n; k++) {
    int at = (int)((unsigned)x[k] % CELLS);
    if (lc[k & 3] > x[k] % 100)
      lc[k & 3] = (signed char)(x[k] % 100);
    li[k & 3] = li[k & 3] < x[k] ? li[k & 3] : x[k];
    ld[at] = fmin(x[k] * 0.5, ld[at]);
    mu[k & 3] = (unsigned short)(k * 7 > mu[k & 3] ? k * 7 : mu[k & 3]);
    if (ml[k & 3] < x[k]) {
      ml[k & 3] = x[k];
    }
    mf[at] = x[k] >= mf[at] ? x[k] : mf[at];
    d[at] += x[k] * 0.25;
    f[k % CELLS] -= 2;
    if (k == 7)
      p[x[k] & 1] *= 2;
  }
}

/* One thread a unit, sections of their own that overlap by half. */
#pragma agglom task accumulate(+: window[0:2 * n])
void windows(int n, double *window, double by) {
  for (int i = 0; i < 2 * n; i++)
    window[i] += by * (i + 1);
}
#pragma agglom task accumulate(max: row[0:2])
void rows(int (*row)[5], int by) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 5; j++)
      row[i][j] = by * j > row[i][j] ? by * j : row[i][j];
}

int main(void) {
  static int x[UNITS][500], i[CELLS], li[4], row[UNITS + 1][5];
  static int8_t c[8];
  static uint8_t uc[8];
  static int16_t s[8];
  static uint16_t us[8];
  static unsigned u[CELLS];
  static long l[CELLS];
  static unsigned long long ul[8];
  static signed char lc[4];
  static unsigned short mu[4];
  static long long ml[4];
  static double ld[CELLS], d[CELLS], p[2] = {1, -3}, window[UNITS * 4 + 4];
  static float mf[CELLS], f[CELLS];
  unsigned r = 5;
  for (int k = 0; k < 8; k++)
    ul[k] = 3;
  for (int k = 0; k < CELLS; k++) {
    u[k] = ~0u;
    ld[k] = k - 20;
    mf[k] = 20 - k;
    d[k] = -0.0;
  }
  for (int k = 0; k < UNITS; k++) {
    int n = k < 4 ? k : k * 8;
    for (int j = 0; j < n; j++)
      x[k][j] = (int)((r = r * 1664525 + 1013904223) >> 16) % 2000 - 900;
    integers(n, x[k], c, uc, s, us, i, u, l, ul);
    extremes(n, x[k], lc, li, ld, mu, ml, mf, d, f, p);
    windows(4, window + 4 * k - (k ? 4 : 0), k);
    rows(row + k, k - 30);
  }
#pragma agglom wait
  for (int k = 0; k < CELLS; k++) {
    printf("%d %u %ld %g %g %g %g %d\n", i[k], u[k], l[k], ld[k], mf[k], d[k], f[k], row[k][k % 5]);
    if (k < 8)
      printf("%d %d %d %d %llu\n", c[k], uc[k], s[k], us[k], ul[k]);
    if (k < 4)
      printf("%d %d %d %lld %g\n", lc[k], li[k], mu[k], ml[k], p[k & 1]);
  }
  for (int k = 0; k < UNITS * 4 + 4; k++)
    printf("%g ", window[k]);
  printf("\n");
  return 0;
}
