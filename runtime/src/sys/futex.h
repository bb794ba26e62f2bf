/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sleeping until a word changes (futex(2)), within the process. Not a cancellation point. Any thread.
 *
 * Where several threads sleep and one at a time is woken, this is used instead of a condition variable:
 * pthread_cond_signal() of glibc before 2.41 can fail to wake any (sourceware.org, bug 25847). */
#ifndef AG_FUTEX_H
#define AG_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* Sleeps if *at is `value`: until somebody wakes it, until the time of CLOCK_MONOTONIC (NULL: for as long as
 * that takes) or, now and then, for no reason. */
void ag_futex_wait(_Atomic uint32_t *at, uint32_t value, const struct timespec *until);

/* Wakes so many of those that sleep there at most. Returns how many. */
unsigned ag_futex_wake(_Atomic uint32_t *at, int most);

#endif /* AG_FUTEX_H */
