// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point numbers taken apart and put together by hand: half precision, next number, rounding modes, float sums in
// the order of the source.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { UNITS = 12, N = 40 };
union real {
  float f;
  uint32_t u;
  struct {
    uint32_t mantissa : 23, exponent : 8, sign : 1;
  } part;
};

static uint16_t to_half(float f) {
  union real r = {f};
  uint32_t sign = r.part.sign << 15;
  int e = (int)r.part.exponent - 127 + 15;
  uint32_t m = r.part.mantissa;
  if (r.part.exponent == 255)
    return (uint16_t)(sign | 0x7c00 | (m ? 0x200 : 0));
  if (e >= 31)
    return (uint16_t)(sign | 0x7c00);
  if (e <= 0) {
    if (e < -10)
      return (uint16_t)sign;
    m |= 0x800000;
    uint32_t shift = (uint32_t)(14 - e), half = m >> shift, rest = m & ((1u << shift) - 1), tie = 1u << (shift - 1);
    return (uint16_t)(sign | (half + (rest > tie || (rest == tie && (half & 1)))));
  }
  uint32_t half = (uint32_t)e << 10 | m >> 13, rest = m & 0x1fff;
  return (uint16_t)(sign | (half + (rest > 0x1000 || (rest == 0x1000 && (half & 1)))));
}
static float from_half(uint16_t h) {
  union real r = {.part = {.sign = h >> 15, .mantissa = (uint32_t)(h & 0x3ff) << 13}};
  unsigned e = h >> 10 & 31;
  if (e == 31)
    r.part.exponent = 255;
  else if (e)
    r.part.exponent = e - 15 + 127;
  else
    return (r.part.sign ? -1.f : 1.f) * (float)(h & 0x3ff) * 0x1p-24f;
  return r.f;
}
static float next(float f) {
  union real r = {.f = f};
  r.u += r.part.sign ? -1u : 1u;
  return r.u == 0x7fffffffu ? 0.f : r.f;
}

#pragma agglom task in(x[0:n]) out(h[0:n], y[0:n], sums[0:2])
static void take_apart(int n, const float *x, uint16_t *h, float *y, float *sums) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    h[i] = to_half(x[i]);
    y[i] = from_half(h[i]) + next(x[i]) - x[i];
  }
  float sum = 0, lost = 0, plain = 0;
  for (int i = 0; i < n; i++) { // Kahan
    float term = x[i] * 1e-6f - lost, total = sum + term;
    lost = total - sum - term;
    sum = total;
    plain += x[i] * 1e-6f;
  }
  sums[0] = sum, sums[1] = plain;
}

int main(void) {
  static float x[UNITS][N], y[UNITS][N], sums[UNITS][2];
  static uint16_t h[UNITS][N];
  float f = 3e-9f;
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = i % 11 == 10 ? (float)(i - 20) : (f *= i & 1 ? 1.21f : -1.03f);
  for (int u = 0; u < UNITS; u++)
    take_apart(N, x[u], h[u], y[u], sums[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++, printf("%a %a\n", sums[u - 1][0], sums[u - 1][1]))
    for (int i = 0; i < N; i++)
      printf("%04x %a ", h[u][i], y[u][i]);
  return 0;
}
