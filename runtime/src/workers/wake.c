/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "workers/wake.h"

#include "shared/runtime.h"

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
  pthread_mutex_lock(&rt->sleep_lock);
  atomic_fetch_add(&rt->wakes, 1); /* who is about to lie down looks once more */
  if (rt->lying) {
    atomic_store(&rt->waking, true);
    pthread_cond_signal(&rt->sleep_cond);
  }
  pthread_mutex_unlock(&rt->sleep_lock);
}

void ag_wake_for(struct ag_runtime *rt) { wake(rt, true); }

void ag_wake_one(struct ag_runtime *rt) { wake(rt, false); }

void ag_wake_all(struct ag_runtime *rt) {
  pthread_mutex_lock(&rt->sleep_lock);
  atomic_fetch_add(&rt->wakes, 1);
  pthread_cond_broadcast(&rt->sleep_cond);
  pthread_mutex_unlock(&rt->sleep_lock);
}
