/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a thread does when there is nothing to do, or when it has submitted too much: it sleeps, or helps. w
 * is the calling thread's own worker; no lock is held but where that is said. */
#ifndef AG_IDLE_H
#define AG_IDLE_H

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

/* Before the thread submits more: back-pressure. locked: the lock of w is held, and is let go for a while. */
void ag_throttle(struct ag_worker *w);
void ag_throttle_locked(struct ag_worker *w);

/* What the thread of a pool worker runs: it helps, and sleeps, until the runtime stops. */
void *ag_idle_main(void *worker);

#endif /* AG_IDLE_H */
