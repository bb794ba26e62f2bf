/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which phase of its life the runtime is, and which thread may change that.
 *
 * One lock guards the phase. It is held for a few instructions: neither starting nor ending the runtime,
 * which call the driver and run units, happens under it, so whatever they call may fork, exit, ask for the
 * phase and submit. A thread that must not go on before another one has started or ended the runtime sleeps.
 * All functions may be called by any thread. */
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

/* True: the caller is to start the runtime, and to call ag_life_started() then. False: it runs already, or
 * cannot be started. Sleeps while another thread starts or ends it. */
bool ag_life_may_start(void);
void ag_life_started(struct ag_runtime *rt); /* NULL: the start has failed */

/* The runtime that the caller is to end: it goes on with ag_life_close() and ag_life_ended(). NULL: there is
 * none, and for_good keeps it so. */
struct ag_runtime *ag_life_may_end(bool for_good);

/* Takes the runtime away from all who look for it, and waits until all who hold it have let go. False: it
 * stays the running one, as somebody holds it, or as keep(rt) wants it, which is called with the lock held.
 * With keep NULL it never stays. */
bool ag_life_close(struct ag_runtime *rt, bool (*keep)(struct ag_runtime *rt));

/* The runtime has been freed. for_good: none is started any more. */
void ag_life_ended(bool for_good);

/* The process ends with units that will never be complete, or this is a forked child: nobody finds the
 * runtime any more, which stays as it is. NULL: there was none. */
struct ag_runtime *ag_life_forsake(void);

/* The runtime that runs, which is not freed before ag_life_let_go(); NULL: none does. */
struct ag_runtime *ag_life_hold(void);
void ag_life_let_go(struct ag_runtime *held);

/* Takes the lock: phase, runtime and holds stay as they are until ag_life_unlock(). Only workers' locks and
 * those of sleepers may be taken meanwhile. */
void ag_life_lock(void);
void ag_life_unlock(void);

/* In a forked child, whose one thread holds the lock since before the fork: releases it, and returns the
 * runtime that the parent had, or NULL. */
struct ag_runtime *ag_life_in_child(void);

#endif /* AG_LIFE_H */
