// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 64-bit multiplication, division and remainder by variables and constants; 128-bit products and quotients by hand.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 9, N = 30 };
typedef struct {
  uint64_t hi, lo;
} wide;
typedef struct {
  int64_t q, r;
} pair;

static wide multiply(uint64_t a, uint64_t b) {
  uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
  uint64_t low = al * bl, mid = ah * bl + (low >> 32), mid2 = al * bh + (uint32_t)mid;
  return (wide){ah * bh + (mid >> 32) + (mid2 >> 32), mid2 << 32 | (uint32_t)low};
}
static pair divide(int64_t a, int64_t b) {
  pair p = {a / b, a % b};
  if (p.r < 0) // towards minus infinity
    p.q += b > 0 ? -1 : 1, p.r += b > 0 ? b : -b;
  return p;
}
// Restoring division of 128 by 64 bits; the quotient fits.
static uint64_t long_divide(wide n, uint64_t d, uint64_t *rest) {
  uint64_t r = n.hi, q = 0;
  for (int i = 63; i >= 0; --i) {
    uint64_t carry = r >> 63;
    r = r << 1 | (n.lo >> i & 1);
    q <<= 1;
    if (carry || r >= d)
      r -= d, q |= 1;
  }
  *rest = r;
  return q;
}

#pragma agglom task in(x[0:n]) out(y[0:n * 12])
static void divisions(int n, const uint64_t *x, uint64_t *y) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    uint64_t a = x[i], b = x[(i + 1) % n] >> (i % 50) | 1, rest, *o = y + 12 * i;
    int64_t s = (int64_t)a, t = (int64_t)(b | 2);
    wide w = multiply(a, b);
    pair p = divide(s, t);
    o[0] = a * b;
    o[1] = w.hi ^ w.lo;
    o[2] = a / b;
    o[3] = a % b;
    o[4] = (uint64_t)p.q;
    o[5] = (uint64_t)p.r;
    o[6] = a / 10 + a % 10 * 7 + a / 1000000007 + a % 641;
    o[7] = (uint64_t)(s / 16 + s % 16 + s / -3 + s % -1000);
    o[8] = (uint64_t)((int32_t)a / ((int32_t)(b & 0xfff) + 1)) + (uint32_t)a % 97u;
    o[9] = b > 1 && w.hi < b ? long_divide(w, b, &rest) - a : 5;
    o[10] = a > b ? long_divide((wide){b - 1, a}, b, &rest) + rest : 6;
    o[11] = (uint64_t)(s % 7 * (t % 5)) + (uint64_t)((int16_t)a / ((int16_t)(a >> 50) | 1));
  }
}

int main(void) {
  static uint64_t x[UNITS][N], y[UNITS][N][12];
  uint64_t v = 12345;
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = (v = v * 2862933555777941757u + 3037000493u) >> (i % 5 * 11);
  for (int u = 0; u < UNITS; u++)
    divisions(N, x[u], y[u][0]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < 12; k++)
        printf("%llx ", (unsigned long long)y[u][i][k]);
      printf("\n");
    }
  return 0;
}
