/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a thread does when there is nothing to do, or when it has submitted too much: it sleeps, or helps. w
 * is the calling thread's own worker; no lock is held but where that is said. */
#ifndef AG_IDLE_H
#define AG_IDLE_H

#include "shared/runtime.h"
#include "wait/help.h"
#include "workers/wake.h"

/* When ag_help_once() has found nothing: sleeps until something may have happened since the runtime's wakes
 * were `key`, which the caller read before it looked. rounds counts such calls in a row. */
void ag_idle(struct ag_worker *w, enum ag_help why, unsigned *rounds, unsigned key);

/* Back-pressure: does some work, or lets a little time pass. False: all that is left may be waiting for the
 * very unit that the thread runs, so it is no use to ask again. */
bool ag_idle_relieve(struct ag_worker *w);

enum {
  /* Back-pressure: a thread that has so many incomplete units helps to run work before it submits more.
   * Without devices large batches win nothing, and few units for each CPU stay in its caches. */
  AG_MOST_LIVE = 1 << 16,
  AG_MOST_LIVE_PER_CPU = 1 << 11,
  AG_MOST_BYTES = 256 << 20 /* likewise, for what they take */
};

/* Whether the units of w that count for back-pressure take so much memory with what the graph remembers of
 * them; records of complete units count until they are swept. Lock held. */
static inline bool ag_throttle_fills(const struct ag_worker *w) {
  return w->live_bytes + ag_graph_bytes(&w->store) >= w->rt->most_bytes;
}

/* Whether they are so many, or take so much. Those in streams for CPUs have a limit of their own. Lock held.
 */
static inline bool ag_throttle_due(const struct ag_worker *w) {
  const struct ag_runtime *rt = w->rt;
  uint64_t units = ag_runtime_uses_devices(rt) ? ag_worker_incomplete(w)
                                               : atomic_load_explicit(&w->live, memory_order_relaxed);
  return units >= rt->most_live || ag_throttle_fills(w);
}

/* Before the thread submits more: back-pressure. locked: the lock of w is held, and is let go for a while. */
void ag_throttle(struct ag_worker *w);
void ag_throttle_locked(struct ag_worker *w);

/* What the thread of a pool worker runs: it helps, and sleeps, until the runtime stops. */
void *ag_idle_main(void *worker);

#endif /* AG_IDLE_H */
