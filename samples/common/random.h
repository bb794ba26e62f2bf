/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood 2014). */
#ifndef SAMPLES_RANDOM_H
#define SAMPLES_RANDOM_H

#include <stdint.h>

/* All 64 bits. Any state is a good seed. */
static inline uint64_t random_bits(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* In [0, 1). */
static inline double random_unit(uint64_t *state) { return (double)(random_bits(state) >> 11) * 0x1p-53; }

/* In [-1, 1). */
static inline double random_pm1(uint64_t *state) { return (double)(random_bits(state) >> 11) * 0x1p-52 - 1; }

#endif
