/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A lock that is held for a microsecond or less and wanted by many threads at a time. Who finds it held
 * spins, and only looks at it while it is: with a mutex of pthreads each failed attempt takes the cache line
 * away from who holds it, and where several wait, most of them sleep, so that each hand-over costs a system
 * call and a wake-up, tens of microseconds. Who has spun for some 50 us sleeps, as a thread may have
 * been suspended with the lock (futex(2); the three states are those of U. Drepper, Futexes Are Tricky,
 * 2011).
 *
 * Not fair, not recursive. Nothing of the program's or the driver's runs while it is held. */
#ifndef AG_LOCK_H
#define AG_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: free. */
struct ag_lock {
  _Atomic uint32_t state;   /* AG_LOCK_FREE, ... */
  _Atomic uint32_t waiting; /* threads that spin */
};

enum { AG_LOCK_FREE = 0, AG_LOCK_HELD, AG_LOCK_HELD_SLEEPERS };

void ag_lock(struct ag_lock *lock);
bool ag_lock_try(struct ag_lock *lock); /* false: somebody has it */
void ag_unlock(struct ag_lock *lock);

/* The same by who will soon take it again, and so often that nobody else would get in for long: gives way to
 * who spins. */
void ag_unlock_giving_way(struct ag_lock *lock);

#endif /* AG_LOCK_H */
