/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sizes and offsets as multiples of an alignment, and counts in parts. No state; callable from any thread. */
#ifndef AG_ALIGN_H
#define AG_ALIGN_H

#include <stddef.h>
#include <stdint.h>

/* What is written by different threads again and again stands so far apart. */
enum { AG_CACHE_LINE = 64 };

/* `to` is a power of two. */
static inline size_t ag_align_up(size_t n, size_t to) { return (n + to - 1) & ~(to - 1); }

/* n / parts, which is not 0, rounded up. */
static inline uint64_t ag_ceil(uint64_t n, uint64_t parts) { return n / parts + (n % parts != 0); }

#endif /* AG_ALIGN_H */
