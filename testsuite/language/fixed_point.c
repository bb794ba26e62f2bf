// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 16.16 and 8.24 fixed point: products through 64 bits, rounding, saturation, square root, sine by CORDIC.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

typedef int32_t fixed;
#define ONE 65536
#define FIX(x) ((fixed)((x) * ONE))
enum { UNITS = 13, N = 24 };
static const int32_t angles[16] = {51472, 30386, 16055, 8150, 4091, 2047, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2};

static inline fixed saturate(int64_t v) {
  return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (fixed)v;
}
static fixed times(fixed a, fixed b) { return saturate(((int64_t)a * b + (ONE >> 1)) >> 16); }
static fixed over(fixed a, fixed b) {
  return b ? saturate((int64_t)a * ONE / b) : a < 0 ? INT32_MIN : INT32_MAX;
}
static fixed root(fixed a) {
  if (a <= 0)
    return 0;
  uint64_t v = (uint64_t)a << 16, r = 0;
  for (uint64_t bit = 1ull << 46; bit; bit >>= 2) {
    uint64_t t = r + bit;
    r >>= 1;
    if (v >= t) {
      v -= t;
      r += bit;
    }
  }
  return (fixed)r;
}
static void rotate(fixed angle, fixed *restrict c, fixed *restrict s) {
  fixed x = 39797, y = 0;
  for (int k = 0; k < 16; ++k) {
    fixed dx = y >> k, dy = x >> k;
    if (angle >= 0)
      x -= dx, y += dy, angle -= angles[k];
    else
      x += dx, y -= dy, angle += angles[k];
  }
  *c = x;
  *s = y;
}

#pragma agglom task in(a[0:n], b[0:n]) out(r[0:n * 6])
static void compute(int n, const fixed *a, const fixed *b, fixed *r) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    fixed(*o)[6] = (fixed(*)[6])(r + 6 * i);
    (*o)[0] = times(a[i], b[i]);
    (*o)[1] = over(a[i], b[i]);
    (*o)[2] = root(a[i]);
    rotate(a[i] % FIX(1.5), &(*o)[3], *o + 4);
    (*o)[5] = times((*o)[3], (*o)[3]) + times((*o)[4], (*o)[4]);
  }
}

int main(void) {
  static fixed a[UNITS][N], b[UNITS][N], r[UNITS][N][6];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      a[u][i] = (i - 8) * FIX(0.37) * (u + 1);
      b[u][i] = FIX(3.25) - i * FIX(.5) + (i == 7 ? FIX(16000) : u);
    }
  for (int u = 0; u < UNITS; u++)
    compute(N, a[u], b[u], r[u][0]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++, printf("\n"))
      for (int k = 0; k < 6; k++)
        printf("%d ", r[u][i][k]);
  return 0;
}
