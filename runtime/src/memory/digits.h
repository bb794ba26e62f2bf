/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sort by addresses, digit by digit from the lowest (least significant digit radix sort). */
#ifndef AG_DIGITS_H
#define AG_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sorts the n records of `size` bytes at `at`, each of which begins with an address from least to most; bits
 * below bit `low` of what they are apart are 0. other: room for n more, of no use afterwards. To be called
 * with a size that is known when it is compiled. */
static inline void ag_digits_sort(void *at, void *other, size_t n, size_t size, uintptr_t least,
                                  uintptr_t most, unsigned low) {
  enum { BITS = 8, DIGITS = 1 << BITS };
  char *from = at, *to = other;
  for (unsigned shift = low; shift < 8 * sizeof least && (most - least) >> shift; shift += BITS) {
    size_t place[DIGITS] = {0}, before = 0;
    uintptr_t key;
    for (size_t i = 0; i < n; ++i) {
      memcpy(&key, from + i * size, sizeof key);
      ++place[(key - least) >> shift & (DIGITS - 1)];
    }
    for (size_t d = 0; d < DIGITS; ++d) {
      size_t here = place[d];
      place[d] = before;
      before += here;
    }
    for (size_t i = 0; i < n; ++i) {
      memcpy(&key, from + i * size, sizeof key);
      memcpy(to + place[(key - least) >> shift & (DIGITS - 1)]++ * size, from + i * size, size);
    }
    char *swap = from;
    from = to;
    to = swap;
  }
  if (from != at)
    memcpy(at, from, n * size);
}

#endif /* AG_DIGITS_H */
