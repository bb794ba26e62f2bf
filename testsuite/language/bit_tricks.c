// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Population counts, reversals, leading and trailing zeros, parity, Gray code, Morton order, isolated bits, averages
// without overflow: in unsigned arithmetic of 32 and 64 bits.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 11, N = 33, OUT = 14 };

static unsigned count(uint32_t v) {
  v -= v >> 1 & 0x55555555u;
  v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
  return ((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
static uint32_t reverse(uint32_t v) {
  v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
  v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
  v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
  v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
  return v >> 16 | v << 16;
}
static int leading(uint64_t v) {
  int n = 0;
  if (!v)
    return 64;
  for (int step = 32; step; step >>= 1)
    if (!(v >> (64 - step)))
      n += step, v <<= step;
  return n;
}
static int trailing(uint32_t v) {
  static const unsigned char position[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                             31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};
  return v ? position[(v & -v) * 0x077cb531u >> 27] : 32;
}
static uint64_t spread(uint32_t v) {
  uint64_t x = v;
  x = (x | x << 16) & 0x0000ffff0000ffffu;
  x = (x | x << 8) & 0x00ff00ff00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x << 2) & 0x3333333333333333u;
  return (x | x << 1) & 0x5555555555555555u;
}

#pragma agglom task in(x[0:n]) out(y[0:n * OUT])
static void tricks(int n, const uint64_t *x, uint64_t *y) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    uint32_t a = (uint32_t)x[i], b = (uint32_t)(x[i] >> 32);
    uint64_t *o = &y[i * OUT];
    *o++ = count(a) + 100 * count(b);
    *o++ = reverse(a);
    *o++ = (uint64_t)leading(x[i]);
    *o++ = (uint64_t)trailing(a);
    *o++ = spread(a) | spread(b) << 1;
    *o++ = x[i] ^ x[i] >> 1;
    *o++ = x[i] & -x[i];
    *o++ = x[i] & (x[i] - 1);
    *o++ = (a & b) + ((a ^ b) >> 1);
    *o++ = (uint64_t)(count(a ^ b) & 1);
    *o++ = (x[i] - 0x0101010101010101u) & ~x[i] & 0x8080808080808080u;
    *o++ = (uint64_t)((int32_t)a < 0 ? 0u - a : a);
    *o++ = a ^ ((a ^ b) & -(uint32_t)(a < b));
    *o++ = (a >> 24) | (a >> 8 & 0xff00) | (a << 8 & 0xff0000) | a << 24;
  }
}

int main(void) {
  static uint64_t x[UNITS][N], y[UNITS][N][OUT];
  uint64_t v = 88172645463325252u;
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      v ^= v << 13, v ^= v >> 7, v ^= v << 17;
      x[u][i] = i < 4 ? (uint64_t)i - 2 : v >> (i * u % 64);
    }
  for (int u = 0; u < UNITS; u++)
    tricks(N, x[u], y[u][0]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++, printf("\n"))
      for (int k = 0; k < OUT; k++)
        printf("%llx ", (unsigned long long)y[u][i][k]);
  return 0;
}
