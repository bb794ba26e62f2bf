// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary operators between operands of different widths and signedness: the usual arithmetic conversions decide.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 7, N = 12, OPS = 18 };

// Unsigned arithmetic of the common type wherever the signed one could overflow.
#define PAIR(name, A, B)                                                                            \
  _Pragma("agglom task in(a[0:n], b[0:n]) out(r[0:n * n * 18])")                                    \
  static void name(int n, const A *a, const B *b, int64_t *r) {                                     \
    _Pragma("agglom loop")                                                                          \
    for (int ij = 0; ij < n * n; ij++) {                                                            \
      A x = a[ij / n];                                                                              \
      B y = b[ij % n];                                                                              \
      int64_t *o = r + 18 * ij;                                                                     \
      o[0] = (int64_t)((uint64_t)x + (uint64_t)y);                                                  \
      o[1] = (int64_t)((uint64_t)x - (uint64_t)y);                                                  \
      o[2] = (int64_t)((uint64_t)x * (uint64_t)y);                                                  \
      o[3] = y == 0 || (y == (B)-1 && (B)-1 < 0) ? 77 : (int64_t)(x / y);                           \
      o[4] = y == 0 || (y == (B)-1 && (B)-1 < 0) ? 77 : (int64_t)(x % y);                           \
      o[5] = (int64_t)(x & y);                                                                      \
      o[6] = (int64_t)(x | y);                                                                      \
      o[7] = (int64_t)(x ^ y);                                                                      \
      o[8] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5; \
      o[9] = (x && y) + 2 * (x || y) + 4 * !x;                                                      \
      o[10] = (int64_t)~x;                                                                          \
      o[11] = (int64_t)(x ? x : y);                                                                 \
      o[12] = (int64_t)(A)y;                                                                        \
      o[13] = (int64_t)(B)x;                                                                        \
      o[14] = (int64_t)(sizeof(x + y) * 100 + sizeof(x << 1) * 10 + sizeof(+x));                    \
      o[15] = (x | y) >= 0 ? 1 : -1;                                                                \
      A z = x;                                                                                      \
      z &= y;                                                                                       \
      z |= 5;                                                                                       \
      z ^= (A)y;                                                                                    \
      o[16] = (int64_t)z;                                                                           \
      o[17] = (int64_t)(B)(A)(unsigned char)(x ^ y);                                                \
    }                                                                                               \
  }                                                                                                 \
  static void try_##name(void) {                                                                    \
    static A a[UNITS][N];                                                                           \
    static B b[UNITS][N];                                                                           \
    static int64_t r[UNITS][N * N * OPS];                                                           \
    for (int u = 0; u < UNITS; u++)                                                                 \
      for (int i = 0; i < N; i++) {                                                                 \
        uint64_t v = i < 4 ? (uint64_t)(i - 2) : (0x8000000080008080u >> (i * 5)) + (uint64_t)(i & 1) * 0xffff; \
        a[u][i] = (A)(v * (uint64_t)(u + 1));                                                       \
        b[u][i] = (B)(v ^ (uint64_t)u << 7);                                                        \
      }                                                                                             \
    for (int u = 0; u < UNITS; u++)                                                                 \
      name(N, a[u], b[u], r[u]);                                                                    \
    _Pragma("agglom wait") show(#name, r[0], r[UNITS - 1]);                                         \
    uint64_t h = 0;                                                                                 \
    for (int u = 0; u < UNITS; u++)                                                                 \
      for (int i = 0; i < N * N * OPS; i++)                                                         \
        h = (h ^ (uint64_t)r[u][i]) * 1099511628211u;                                               \
    printf("%s %016llx\n", #name, (unsigned long long)h);                                           \
  }

static void show(const char *name, const int64_t *first, const int64_t *last) {
  for (int i = 0; i < N * N * OPS; i += 37)
    printf("%s[%d] %lld %lld\n", name, i, (long long)first[i], (long long)last[i]);
}

PAIR(i8_u8, int8_t, uint8_t)
PAIR(i8_i64, int8_t, int64_t)
PAIR(u16_i16, uint16_t, int16_t)
PAIR(u16_i32, uint16_t, int32_t)
PAIR(i32_u32, int32_t, uint32_t)
PAIR(u32_i64, uint32_t, int64_t)
PAIR(i64_u64, int64_t, uint64_t)
PAIR(u64_i8, uint64_t, int8_t)

int main(void) {
  try_i8_u8();
  try_i8_i64();
  try_u16_i16();
  try_u16_i32();
  try_i32_u32();
  try_u32_i64();
  try_i64_u64();
  try_u64_i8();
  return 0;
}
