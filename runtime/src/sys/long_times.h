/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AG_LONG_TIMES_H
#define AG_LONG_TIMES_H

#include <stdatomic.h>
#include <stdint.h>

/* The longest that things alike have taken of late, but once: a thread may have lost its CPU. What is still
 * longer is forgotten by an eighth with each look, and with each 16 things that were looked at together. All
 * zero at first. No lock. */
struct ag_long_times {
  _Atomic uint64_t ns;   /* 0: not known */
  _Atomic uint64_t once; /* the longest of all, at least ns */
};

/* Notes that n things took so long each, or in the mean. */
static inline void ag_long_times_note(struct ag_long_times *longest, uint64_t ns, uint64_t n) {
  enum { TOGETHER = 16, MOST = 64 };
  ns += !ns; /* 0 stands for something else */
  uint64_t second = atomic_load_explicit(&longest->ns, memory_order_relaxed),
           first = atomic_load_explicit(&longest->once, memory_order_relaxed);
  for (uint64_t k = 0; k <= n / TOGETHER && k < MOST && ns < first; ++k) {
    first -= (first - ns + 7) / 8;
    second -= ns < second ? (second - ns + 7) / 8 : 0;
  }
  if (ns >= first || !second) {
    second = second ? first : ns;
    first = ns;
  } else if (ns > second) {
    second = ns;
  }
  atomic_store_explicit(&longest->ns, second, memory_order_relaxed);
  atomic_store_explicit(&longest->once, first, memory_order_relaxed);
}

#endif /* AG_LONG_TIMES_H */
