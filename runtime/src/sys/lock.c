/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sys/lock.h"

#include "sys/futex.h"
#include "sys/thread.h"

#include <sched.h>

/* Attempts before a thread sleeps: the pauses between them grow to MOST_PAUSES, a microsecond or so, and all
 * of them take some 50 us; then the processor is offered to who may hold the lock a few times. */
enum { ATTEMPTS = 64, MOST_PAUSES = 16, YIELDS = 4 };

static bool take(struct ag_lock *l) {
  uint32_t free = AG_LOCK_FREE;
  return atomic_compare_exchange_strong_explicit(&l->state, &free, AG_LOCK_HELD, memory_order_acquire,
                                                 memory_order_relaxed);
}

static bool is_held(const struct ag_lock *l) {
  return atomic_load_explicit(&l->state, memory_order_relaxed) != AG_LOCK_FREE;
}

static bool spin(struct ag_lock *l) {
  for (int i = 0, pauses = 1; i < ATTEMPTS + YIELDS;
       ++i, pauses = pauses < MOST_PAUSES ? 2 * pauses : pauses) {
    if (i >= ATTEMPTS)
      sched_yield();
    for (int p = 0; p < pauses && is_held(l); ++p)
      ag_pause();
    if (!is_held(l) && take(l))
      return true;
  }
  return false;
}

static void wait_for(struct ag_lock *l) {
  atomic_fetch_add_explicit(&l->waiting, 1, memory_order_relaxed);
  bool got = spin(l);
  atomic_fetch_sub_explicit(&l->waiting, 1, memory_order_relaxed);
  while (!got) {
    got = atomic_exchange_explicit(&l->state, AG_LOCK_HELD_SLEEPERS, memory_order_acquire) == AG_LOCK_FREE;
    if (!got)
      ag_futex_wait(&l->state, AG_LOCK_HELD_SLEEPERS, NULL);
  }
}

static void leave(struct ag_lock *l) {
  if (atomic_exchange_explicit(&l->state, AG_LOCK_FREE, memory_order_release) == AG_LOCK_HELD_SLEEPERS)
    ag_futex_wake(&l->state, 1);
}

void ag_lock(struct ag_lock *l) {
  if (!take(l))
    wait_for(l);
}

bool ag_lock_try(struct ag_lock *l) { return take(l); }

void ag_unlock(struct ag_lock *l) { leave(l); }

void ag_unlock_giving_way(struct ag_lock *l) {
  enum { PAUSES = 16 };
  leave(l);
  for (int i = 0; i < PAUSES && atomic_load_explicit(&l->waiting, memory_order_relaxed) && !is_held(l); ++i)
    ag_pause();
}
