/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "workers/wake.h"

#include "shared/runtime.h"
#include "sys/futex.h"

#include <limits.h>
#include <time.h>

/* Number of sleepers. A thread that is about to sleep for good counts itself in and then fences all threads,
 * so a plain read will do here; where it cannot fence them (must_fence), each reader fences. */
static unsigned sleepers(struct ag_runtime *rt) {
  return rt->must_fence ? atomic_fetch_add(&rt->sleepers, 0)
                        : atomic_load_explicit(&rt->sleepers, memory_order_relaxed);
}

/* Wakes one, or all where not each of them may run the work. unless_woken: see ag_wake_for(). */
static void wake(struct ag_runtime *rt, bool unless_woken) {
  if (!sleepers(rt) || (unless_woken && atomic_load(&rt->waking)))
    return;
  if (atomic_load_explicit(&rt->tied_sleepers, memory_order_relaxed)) {
    ag_wake_all(rt);
    return;
  }
  atomic_fetch_add(&rt->wakes, 1); /* who is about to lie down looks once more */
  if (!atomic_load(&rt->lying))
    return;
  atomic_store(&rt->waking, true);
  if (ag_futex_wake(&rt->wakes, 1))
    return;
  /* They have just got up; or one is about to lie down that has seen what was counted, but not what has come
   * since, by others who relied on `waking`. */
  atomic_store(&rt->waking, false);
  atomic_fetch_add(&rt->wakes, 1);
  ag_futex_wake(&rt->wakes, 1);
}

void ag_wake_for(struct ag_runtime *rt) { wake(rt, true); }

void ag_wake_one(struct ag_runtime *rt) { wake(rt, false); }

void ag_wake_all(struct ag_runtime *rt) {
  atomic_fetch_add(&rt->wakes, 1);
  if (atomic_load(&rt->lying))
    ag_futex_wake(&rt->wakes, INT_MAX);
}

void ag_sleep(struct ag_runtime *rt, unsigned key, uint64_t at_most_us) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  uint64_t ns = (uint64_t)until.tv_nsec + at_most_us * 1000;
  until.tv_sec += (time_t)(ns / 1000000000);
  until.tv_nsec = (long)(ns % 1000000000);
  atomic_fetch_add(&rt->lying, 1);
  if (atomic_load(&rt->wakes) == key && !atomic_load(&rt->stopping))
    ag_futex_wait(&rt->wakes, key, at_most_us ? &until : NULL);
  /* It was woken, it may be for what it had seen before it lay down: it gets up in any case. */
  atomic_fetch_sub(&rt->lying, 1);
  atomic_store(&rt->waking, false);
}
