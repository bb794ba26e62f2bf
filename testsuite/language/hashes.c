// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hash functions over bytes: FNV-1a in two widths, djb2, murmur3, SipHash-2-4, xxhash's finish; and a table with linear probing.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { UNITS = 10, N = 64, SLOTS = 32 };
#define ROTATE(v, k) ((v) << (k) | (v) >> (8 * sizeof(v) - (k)))
#define ROUND                                                                                       \
  do {                                                                                              \
    v0 += v1, v1 = ROTATE(v1, 13), v1 ^= v0, v0 = ROTATE(v0, 32);                                   \
    v2 += v3, v3 = ROTATE(v3, 16), v3 ^= v2;                                                        \
    v0 += v3, v3 = ROTATE(v3, 21), v3 ^= v0;                                                        \
    v2 += v1, v1 = ROTATE(v1, 17), v1 ^= v2, v2 = ROTATE(v2, 32);                                   \
  } while (0)

static uint64_t sip(const uint64_t key[2], const unsigned char *p, size_t n) {
  uint64_t v0 = key[0] ^ 0x736f6d6570736575u, v1 = key[1] ^ 0x646f72616e646f6du, v2 = key[0] ^ 0x6c7967656e657261u,
           v3 = key[1] ^ 0x7465646279746573u, m;
  size_t left = n;
  for (; left >= 8; left -= 8, p += 8) {
    memcpy(&m, p, 8);
    v3 ^= m;
    ROUND;
    ROUND;
    v0 ^= m;
  }
  m = (uint64_t)n << 56;
  while (left--)
    m |= (uint64_t)p[left] << (8 * left);
  v3 ^= m;
  ROUND;
  ROUND;
  v0 ^= m, v2 ^= 0xff;
  for (int i = 0; i < 4; i++)
    ROUND;
  return v0 ^ v1 ^ v2 ^ v3;
}
static uint32_t murmur(const unsigned char *p, unsigned n, uint32_t h) {
  for (unsigned i = 0; i + 4 <= n; i += 4) {
    uint32_t k = p[i] | (uint32_t)p[i + 1] << 8 | (uint32_t)p[i + 2] << 16 | (uint32_t)p[i + 3] << 24;
    k *= 0xcc9e2d51, k = ROTATE(k, 15), k *= 0x1b873593;
    h ^= k, h = ROTATE(h, 13), h = h * 5 + 0xe6546b64;
  }
  uint32_t k = 0;
  switch (n & 3) {
  case 3: k ^= (uint32_t)p[(n & ~3u) + 2] << 16; // fall through
  case 2: k ^= (uint32_t)p[(n & ~3u) + 1] << 8;  // fall through
  case 1: k ^= p[n & ~3u], k *= 0xcc9e2d51, k = ROTATE(k, 15), h ^= k * 0x1b873593;
  }
  h ^= n, h ^= h >> 16, h *= 0x85ebca6b, h ^= h >> 13, h *= 0xc2b2ae35;
  return h ^ h >> 16;
}

#pragma agglom task in(text[0:n]) out(h[0:6], table[0:SLOTS])
static void hash(unsigned n, const unsigned char *text, uint64_t *h, int *table) {
  uint32_t fnv = 2166136261u, djb = 5381;
  uint64_t fnv64 = 14695981039346656037u;
  for (const unsigned char *p = text; p < text + n; ++p) {
    fnv = (fnv ^ *p) * 16777619u;
    fnv64 = (fnv64 ^ *p) * 1099511628211u;
    djb = (djb << 5) + djb + *p;
  }
  const uint64_t key[] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
  h[0] = fnv, h[1] = fnv64, h[2] = djb, h[3] = murmur(text, n, 42), h[4] = sip(key, text, n);
  uint64_t x = fnv64;
  x ^= x >> 33, x *= 0xc2b2ae3d27d4eb4fu, x ^= x >> 29, x *= 0x165667b19e3779f9u, x ^= x >> 32;
  h[5] = x;
  memset(table, -1, SLOTS * sizeof *table);
  for (unsigned i = 0; i + 3 < n && i < SLOTS * 3 / 4; i++) {
    unsigned slot = murmur(text + i, 3, i) % SLOTS;
    while (table[slot] != -1)
      slot = (slot + 1) & (SLOTS - 1);
    table[slot] = (int)i;
  }
}

int main(void) {
  static unsigned char text[UNITS][N];
  static uint64_t h[UNITS][6];
  static int table[UNITS][SLOTS];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      text[u][i] = (unsigned char)(u ? i * u + 'a' : i);
  for (int u = 0; u < UNITS; u++)
    hash(u ? 17 + 5 * (unsigned)u : 15, text[u], h[u], table[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int k = 0; k < 6; k++)
      printf("%llx ", (unsigned long long)h[u][k]);
    for (int k = 0; k < SLOTS; k++)
      printf("%d%c", table[u][k], k == SLOTS - 1 ? '\n' : ' ');
  }
  return 0;
}
