// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generators of random numbers, whose state lives in structures and local arrays: xorshift, PCG by 64- and 128-bit steps,
// splitmix, Mersenne twister, a lagged Fibonacci, and numbers and shuffles made from them.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 8, N = 40 };
typedef struct {
  uint64_t state, inc;
} pcg;
struct twister {
  uint32_t mt[624];
  unsigned at;
};

static uint32_t pcg_next(pcg *g) {
  uint64_t old = g->state;
  g->state = old * 6364136223846793005u + (g->inc | 1);
  uint32_t x = (uint32_t)((old >> 18 ^ old) >> 27), r = (uint32_t)(old >> 59);
  return x >> r | x << (-r & 31);
}
static void seed(struct twister *t, uint32_t s) {
  t->mt[0] = s;
  for (t->at = 1; t->at < 624; t->at++)
    t->mt[t->at] = 1812433253u * (t->mt[t->at - 1] ^ t->mt[t->at - 1] >> 30) + t->at;
}
static uint32_t twist(struct twister *t) {
  if (t->at >= 624) {
    for (int i = 0; i < 624; i++) {
      uint32_t y = (t->mt[i] & 0x80000000u) | (t->mt[(i + 1) % 624] & 0x7fffffff);
      t->mt[i] = t->mt[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    t->at = 0;
  }
  uint32_t y = t->mt[t->at++];
  y ^= y >> 11, y ^= y << 7 & 0x9d2c5680u, y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}
static inline uint64_t splitmix(uint64_t *s) {
  uint64_t z = *s += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

#pragma agglom task inout(state[0:1]) out(r[0:n * 4], d[0:n], deck[0:52])
static void draw(uint32_t s, int n, pcg *state, uint32_t *r, double *d, unsigned char *deck) {
  struct twister t;
  seed(&t, s);
  uint32_t x = s | 1, lag[17];
  uint64_t mix = s;
  for (int i = 0; i < 17; i++)
    lag[i] = (uint32_t)splitmix(&mix);
  for (int i = 0; i < n; i++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    r[4 * i] = x, r[4 * i + 1] = pcg_next(state), r[4 * i + 2] = twist(&t);
    r[4 * i + 3] = lag[i % 17] += lag[(i + 12) % 17] ^ (uint32_t)(mix >> i);
    d[i] = (double)(splitmix(&mix) >> 11) * 0x1p-53;
  }
  for (unsigned i = 0; i < 52; i++) {
    unsigned j = (unsigned)((uint64_t)pcg_next(state) * (i + 1) >> 32);
    deck[i] = deck[j], deck[j] = (unsigned char)i;
  }
}

int main(void) {
  static pcg state[3] = {{42, 54}, {1, 3}, {0xfffffffffffffffu, 7}};
  static uint32_t r[UNITS][N * 4];
  static double d[UNITS][N];
  static unsigned char deck[UNITS][52];
  for (int u = 0; u < UNITS; u++)
    draw(5489 + (uint32_t)u * u, N, &state[u % 3], r[u], d[u], deck[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < N; i++)
      printf("%08x %08x %08x %08x %a\n", r[u][4 * i], r[u][4 * i + 1], r[u][4 * i + 2], r[u][4 * i + 3], d[u][i]);
    for (int i = 0; i < 52; i++)
      printf("%d%c", deck[u][i], i == 51 ? '\n' : ' ');
  }
  return 0;
}
