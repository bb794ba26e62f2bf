/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers that one thread at a time stores and any thread reads. Relaxed: a reader learns the number, and
 * nothing about other memory. */
#ifndef AG_RELAXED_H
#define AG_RELAXED_H

#include <stdatomic.h>
#include <stdint.h>

static inline uint64_t ag_get(const _Atomic uint64_t *x) {
  return atomic_load_explicit(x, memory_order_relaxed);
}
static inline void ag_set(_Atomic uint64_t *x, uint64_t to) {
  atomic_store_explicit(x, to, memory_order_relaxed);
}

/* By the thread that may store. */
static inline void ag_add(_Atomic uint64_t *x, uint64_t n) { ag_set(x, ag_get(x) + n); }

#endif /* AG_RELAXED_H */
