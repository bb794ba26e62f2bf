// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between floating-point types and integers of every width, where C defines the result: cut towards zero, rounded to even.
// RUN: %compare %s %t -w
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 16, N = 18 };
struct to {
  int8_t i8;
  uint8_t u8;
  int16_t i16;
  uint16_t u16;
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
  _Bool b;
  float f;
  char c;
};
struct from {
  double d[8];
  float f[8];
};

// v is at most 127 in magnitude times 2 to the power.
#pragma agglom task in(v[0:n]) out(t[0:n], f[0:n])
static void convert(int n, int power, const double *v, struct to *t, struct from *f) {
  double scale = 1;
  for (int k = 0; k < power; k++)
    scale *= 2;
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    double big = v[i] * scale, positive = big < 0 ? -big : big;
    struct to *o = t + i;
    o->i8 = (int8_t)v[i], o->u8 = positive < 256 ? (uint8_t)positive : 255;
    o->i16 = fabs(big) < 32768 ? (int16_t)big : -1, o->u16 = positive < 65536 ? positive : 1;
    o->i32 = positive < 2147483648.0 ? big : 7, o->u32 = positive < 4294967296.0 ? (uint32_t)positive : 8;
    o->i64 = (int64_t)big, o->u64 = (uint64_t)positive * 2;
    o->b = big, o->f = (float)big / 3, o->c = (char)(int)v[i];
    float fbig = (float)big;
    o->i64 += (int64_t)fbig - (int32_t)(float)v[i];
    int64_t whole = o->i64 ^ (int64_t)(o->u64 << (i % 7));
    uint64_t bits = (uint64_t)whole * 0x9e3779b97f4a7c15u;
    double *d = f[i].d;
    float *s = f[i].f;
    d[0] = o->i8, d[1] = o->u8, d[2] = o->i16 * 1.5, d[3] = o->u16, d[4] = (int32_t)bits, d[5] = (uint32_t)bits;
    d[6] = (double)whole, d[7] = (double)bits;
    s[0] = o->i8, s[1] = o->u8, s[2] = o->i16, s[3] = o->u16, s[4] = (float)(int32_t)bits, s[5] = (float)(uint32_t)bits;
    s[6] = whole, s[7] = bits;
  }
}

int main(void) {
  static double v[UNITS][N];
  static struct to t[UNITS][N];
  static struct from f[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      v[u][i] = (i - N / 2) * 13.999 + u * 0.001 + (i == 3 ? -0.0625 : 0);
  for (int u = 0; u < UNITS; u++)
    convert(N, u * 3, v[u], t[u], f[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      struct to *o = &t[u][i];
      printf("%d %u %d %u %d %u %lld %llu %d %a %d", o->i8, o->u8, o->i16, o->u16, o->i32, o->u32, (long long)o->i64,
             (unsigned long long)o->u64, o->b, o->f, o->c);
      for (int k = 0; k < 8; k++)
        printf(" %a %a", f[u][i].d[k], f[u][i].f[k]);
      printf("\n");
    }
  return 0;
}
