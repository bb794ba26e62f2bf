// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of every width: wrap, promotion, shifts, conversions, division towards zero.
// RUN: %compare %s %t -fwrapv
// RUN: FileCheck %s < %t.report
// CHECK: bytes: 12 units in {{[0-9]+}} launch{{(es)?}} on emulated:0
#include <stdint.h>
#include <stdio.h>

enum { N = 64, UNITS = 12 };

#define WIDTH(name, S, U, bits)                                                                     \
  struct name##_io { S s; U u, quotient, rest, left, right, mixed; S arithmetic, negated, product; };
WIDTH(bytes, int8_t, uint8_t, 8)
WIDTH(shorts, int16_t, uint16_t, 16)
WIDTH(words, int32_t, uint32_t, 32)
WIDTH(longs, int64_t, uint64_t, 64)

#define BODY(U, S, bits)                                                                            \
  U u = x[i].u, k = (U)(i % bits);                                                                  \
  S s = x[i].s;                                                                                     \
  x[i].quotient = (U)(u / (U)(i + 1));                                                              \
  x[i].rest = (U)(u % (U)(i + 1));                                                                  \
  x[i].left = (U)(u << k);                                                                          \
  x[i].right = (U)(u >> k);                                                                         \
  x[i].mixed = (U)((u + s) * 2654435761u ^ ~u);                                                     \
  x[i].arithmetic = (S)(s >> k);                                                                    \
  x[i].negated = (S)-s;                                                                             \
  x[i].product = (S)((U)s * (U)(s - 1) + (s / 7) * 3 - s % 5);                                      \
  x[i].u = (U)(u - 1);                                                                              \
  x[i].s = (S)(x[i].u + 1);

#pragma agglom task inout(x[0:n])
void bytes(int n, struct bytes_io *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    BODY(uint8_t, int8_t, 8)
  }
}
#pragma agglom task inout(x[0:n])
void shorts(int n, struct shorts_io *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    BODY(uint16_t, int16_t, 16)
  }
}
#pragma agglom task inout(x[0:n])
void words(int n, struct words_io *x) {
  for (int i = 0; i < n; i++) {
    BODY(uint32_t, int32_t, 32)
  }
}
#pragma agglom task inout(x[0:n])
void longs(int n, struct longs_io *x) {
  for (int i = 0; i < n; i++) {
    BODY(uint64_t, int64_t, 64)
  }
}

static struct bytes_io b[UNITS][N];
static struct shorts_io h[UNITS][N];
static struct words_io w[UNITS][N];
static struct longs_io l[UNITS][N];

#define SHOW(x)                                                                                     \
  for (int k = 0; k < UNITS; k++)                                                                   \
    for (int i = 0; i < N; i++)                                                                     \
      printf(#x " %d %d: %lld %llu %llu %llu %llu %llu %llu %lld %lld %lld\n", k, i,                \
             (long long)x[k][i].s, (unsigned long long)x[k][i].u,                                   \
             (unsigned long long)x[k][i].quotient, (unsigned long long)x[k][i].rest,                \
             (unsigned long long)x[k][i].left, (unsigned long long)x[k][i].right,                   \
             (unsigned long long)x[k][i].mixed, (long long)x[k][i].arithmetic,                      \
             (long long)x[k][i].negated, (long long)x[k][i].product);

int main(void) {
  uint64_t r = 88172645463325252u;
  for (int k = 0; k < UNITS; k++)
    for (int i = 0; i < N; i++) {
      r ^= r << 13, r ^= r >> 7, r ^= r << 17;
      // The ends of each type stand in front.
      uint64_t v = i < 4 ? (uint64_t[]){0, ~0ull, ~0ull >> 1, 1ull << 63}[i] : r;
      b[k][i].u = (uint8_t)(v ^ v >> 56), b[k][i].s = (int8_t)(v >> 56);
      h[k][i].u = (uint16_t)(v ^ v >> 48), h[k][i].s = (int16_t)(v >> 48);
      w[k][i].u = (uint32_t)(v ^ v >> 32), w[k][i].s = (int32_t)(v >> 32);
      l[k][i].u = v * 3, l[k][i].s = (int64_t)v;
    }
  for (int k = 0; k < UNITS; k++) {
    bytes(N, b[k]);
    shorts(N, h[k]);
    words(N, w[k]);
    longs(N, l[k]);
  }
#pragma agglom wait
  SHOW(b)
  SHOW(h)
  SHOW(w)
  SHOW(l)
  return 0;
}
