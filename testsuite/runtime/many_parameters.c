// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many parameters of all types and sizes, mixed sections, an argument structure of more than a kilobyte.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: everything: 37 units in
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct big {
  int64_t v[130];
};

#pragma agglom task in(a[0:n], b[0:n], c[0:n]) inout(d[0:n], e[0:n]) out(f[0:n], g[0:n], h[0:n])
void everything(char p1, short p2, int n, long p4, long long p5, unsigned char p6, unsigned short p7, unsigned p8,
                unsigned long p9, float p10, double p11, bool p12, const int8_t *a, const uint16_t *b, const float *c,
                double *d, struct big big, int64_t *e, bool *f, char *g, uint32_t *h, signed char last) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    d[i] = d[i] * p11 + (double)p10 + c[i];
    e[i] += p1 + p2 + p4 + p5 + p6 + p7 + big.v[i % 130] + a[i] + b[i];
    f[i] = p12 ^ (i & 1);
    g[i] = (char)(last + i);
    h[i] = p8 ^ (uint32_t)(p9 >> 7) ^ (uint32_t)big.v[129];
  }
}

int main(void) {
  enum { N = 23, U = 37 };
  static int8_t a[U][N];
  static uint16_t b[U][N];
  static float c[U][N];
  static double d[U][N];
  static int64_t e[U][N];
  static bool f[U][N];
  static char g[U][N];
  static uint32_t h[U][N];
  struct big big;
  for (int k = 0; k < 130; k++)
    big.v[k] = 1LL << (k % 62);
  for (int u = 0; u < U; u++)
    for (int i = 0; i < N; i++)
      a[u][i] = (int8_t)(i * 11 - u), b[u][i] = (uint16_t)(u * 7777), c[u][i] = (float)i / 8, d[u][i] = u, e[u][i] = -i;
  for (int u = 0; u < U; u++) {
    big.v[129] = u * 1000003;
    everything((char)u, (short)-u, N, 1L << 40, -(1LL << 50), 255, 65535, 4000000000u, ~0ul, 0.1f, 1.25, u % 3 == 0, a[u],
               b[u], c[u], d[u], big, e[u], f[u], g[u], h[u], (signed char)-u);
  }
#pragma agglom wait
  for (int u = 0; u < U; u++)
    for (int i = 0; i < N; i++)
      printf("%a %lld %d %d %u\n", d[u][i], (long long)e[u][i], f[u][i], g[u][i], h[u][i]);
  return 0;
}
