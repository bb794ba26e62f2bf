/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the runtime's life is, and whose turn it is to change that.
 *
 * One lock guards the answer. It is held for a few instructions: neither starting nor ending, which call the
 * driver and run units, happens under it, so whatever these call may fork, exit, ask and submit. Who must not
 * go on before another thread has started or ended the runtime sleeps. All functions may be called by any
 * thread. */
#ifndef AG_LIFE_H
#define AG_LIFE_H

#include <stdatomic.h>
#include <stdbool.h>

struct ag_runtime;

/* The runtime that runs, or NULL. Also while it is being ended, until nobody may find it any more. Each
 * submission asks. */
extern struct ag_runtime *_Atomic ag_life_runs __attribute__((visibility("hidden"))); /* life.c's own */
static inline struct ag_runtime *ag_life_running(void) {
  return atomic_load_explicit(&ag_life_runs, memory_order_acquire);
}

/* A number of the runtime that runs, or of the next one. What a thread has of a runtime with another number
 * is gone. */
extern _Atomic unsigned ag_life_eras __attribute__((visibility("hidden"))); /* life.c's own */
static inline unsigned ag_life_era(void) { return atomic_load_explicit(&ag_life_eras, memory_order_relaxed); }

/* Whether the process is ending, or is a forked child: task functions are plain calls. */
bool ag_life_over(void);

/* Whether some thread may be using a runtime: it runs, or was forsaken. */
bool ag_life_lives_on(void);

/* True: the caller starts the runtime, and says ag_life_started(). False: it runs, or cannot be started. */
bool ag_life_may_start(void);
void ag_life_started(struct ag_runtime *rt); /* NULL: it could not be */

/* The runtime that the caller is to end: it goes on with ag_life_close() and ag_life_ended(). NULL: there is
 * none, and for_good keeps it so. */
struct ag_runtime *ag_life_may_end(bool for_good);

/* Nobody finds the runtime any more, and whoever held it has let go of it. False: it stays, because keep()
 * said so, which is asked with the lock held, or because somebody holds it; not with keep NULL. */
bool ag_life_close(struct ag_runtime *rt, bool (*keep)(struct ag_runtime *rt));

/* All of it has been given back. */
void ag_life_ended(bool for_good);

/* The process ends with units that will never be complete, or this is a forked child: nobody finds the
 * runtime any more, which stays as it is. NULL: there was none. */
struct ag_runtime *ag_life_forsake(void);

/* The runtime that runs, which is not freed before ag_life_let_go(); NULL: none does. */
struct ag_runtime *ag_life_hold(void);
void ag_life_let_go(struct ag_runtime *held);

/* Locks out all who change anything here. Only workers' locks and those of sleepers may be taken meanwhile.
 */
void ag_life_lock(void);
void ag_life_unlock(void);

/* In a forked child, with the lock held by the thread that forked: it is let go of. The runtime that the
 * parent had, or NULL. */
struct ag_runtime *ag_life_in_child(void);

#endif /* AG_LIFE_H */
