/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random numbers that are the same everywhere, and how many to take. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>
#include <stdlib.h>

/* The state must not be 0. */
static inline uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* The number in an environment variable. */
static inline unsigned long from_environment(const char *name, unsigned long otherwise) {
  const char *text = getenv(name);
  return text ? strtoul(text, NULL, 10) : otherwise;
}

/* How often something is repeated: `few` times, and STRESS_ROUNDS times as often where that is set. */
static inline unsigned long repeats(unsigned long few) { return few * from_environment("STRESS_ROUNDS", 1); }

#endif /* RANDOM_H */
