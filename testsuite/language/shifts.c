// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shifts by 0 to width - 1 of all widths, the count of every type, rotations, compound shifts of narrow types.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 8 };
struct row {
  uint8_t b[8];
  int16_t s[16];
  uint32_t left[32], right[32], turned[32];
  int32_t signed_right[32];
  uint64_t left64[64], right64[64], turned64[64];
  int64_t signed_right64[64];
};

static inline uint32_t turn(uint32_t v, unsigned k) { return v << (k & 31) | v >> (-k & 31); }
static inline uint64_t turn64(uint64_t v, unsigned char k) { return v << k % 64 | v >> (64 - k) % 64; }

#pragma agglom task inout(r[0:1])
static void shift(uint64_t seed, struct row *r) {
  uint32_t v = (uint32_t)(seed >> 17);
  for (unsigned short k = 0; k < 8; ++k) {
    r->b[k] = (uint8_t)seed;
    r->b[k] <<= k;
    r->b[k] |= (uint8_t)seed >> (7 - k);
  }
  for (long k = 0; k < 16; ++k) {
    r->s[k] = (int16_t)(v & 0x7fff);
    r->s[k] >>= k;
    r->s[k] = (int16_t)(r->s[k] - (1 << (k % 15)));
    r->s[k] >>= 1;
  }
#pragma agglom loop
  for (int k = 0; k < 32; k++) {
    r->left[k] = v << k;
    r->right[k] = v >> (int8_t)k;
    r->turned[k] = turn(v, (unsigned)k);
    r->signed_right[k] = (int32_t)v >> (uint64_t)k;
  }
#pragma agglom loop
  for (uint8_t k = 0; k < 64; k++) {
    r->left64[k] = seed << k;
    r->right64[k] = seed >> k;
    r->turned64[k] = turn64(seed, k);
    r->signed_right64[k] = (int64_t)seed >> k;
  }
}

int main(void) {
  static struct row r[UNITS];
  uint64_t seed = 0x9e3779b97f4a7c15u;
  for (int u = 0; u < UNITS; u++, seed = seed * 6364136223846793005u + 1442695040888963407u)
    shift(seed, &r[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int k = 0; k < 8; k++)
      printf("%u %d ", r[u].b[k], r[u].s[2 * k]);
    for (int k = 0; k < 32; k++)
      printf("%x %x %x %d\n", r[u].left[k], r[u].right[k], r[u].turned[k], r[u].signed_right[k]);
    for (int k = 0; k < 64; k++)
      printf("%llx %llx %llx %lld\n", (unsigned long long)r[u].left64[k], (unsigned long long)r[u].right64[k],
             (unsigned long long)r[u].turned64[k], (long long)r[u].signed_right64[k]);
  }
  return 0;
}
