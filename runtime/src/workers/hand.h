/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a thread of the pool that has nothing to do holds out, for those who submit to put work in: what each
 * of them would look for in FIFOs that others write, and lock, comes to it in a line of caches of its own.
 *
 * Its thread opens and closes it. While it is open, any thread may reach for it; who has got it puts work
 * into the worker's `takes`, `launches` or `cpu_batch`, or nothing. */
#ifndef AG_HAND_H
#define AG_HAND_H

#include "sys/align.h"
#include "sys/thread.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ag_hand {
  _Alignas(AG_CACHE_LINE) _Atomic int state;
};
enum { AG_HAND_CLOSED = 0, AG_HAND_OPEN, AG_HAND_REACHED, AG_HAND_FULL };

static inline void ag_hand_open(struct ag_hand *h) {
  atomic_store_explicit(&h->state, AG_HAND_OPEN, memory_order_release);
}

static inline bool ag_hand_is(const struct ag_hand *h, int state) {
  return atomic_load_explicit(&h->state, memory_order_relaxed) == state;
}

/* Closes it. True: there is work in it. */
static inline bool ag_hand_close(struct ag_hand *h) {
  for (unsigned spins = 1;; ++spins) {
    int state = AG_HAND_OPEN;
    if (atomic_compare_exchange_strong_explicit(&h->state, &state, AG_HAND_CLOSED, memory_order_acquire,
                                                memory_order_acquire))
      return false;
    if (state == AG_HAND_FULL) {
      atomic_store_explicit(&h->state, AG_HAND_CLOSED, memory_order_relaxed);
      return true;
    }
    if (spins % 64) /* somebody is about to put work in it */
      ag_pause();
    else
      sched_yield();
  }
}

/* Reaches for it; true: it was open, and waits until it is left, with work in it or without. */
static inline bool ag_hand_reach(struct ag_hand *h) {
  int state = AG_HAND_OPEN;
  return ag_hand_is(h, AG_HAND_OPEN) &&
         atomic_compare_exchange_strong_explicit(&h->state, &state, AG_HAND_REACHED, memory_order_acquire,
                                                 memory_order_relaxed);
}
static inline void ag_hand_leave(struct ag_hand *h, bool full) {
  atomic_store_explicit(&h->state, full ? AG_HAND_FULL : AG_HAND_OPEN, memory_order_release);
}

#endif /* AG_HAND_H */
