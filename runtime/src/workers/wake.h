/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that sleep, and waking them. Any thread; waking also with a worker's lock held. */
#ifndef AG_WAKE_H
#define AG_WAKE_H

#include <stdint.h>

struct ag_runtime;

/* Work has arrived: wakes one sleeping thread if there is any, or all where some sleep that may not run all
 * work; cheap when there is none. */
void ag_wake_one(struct ag_runtime *rt);
/* The same, but while one that was woken has not got up yet no other is: for what comes in great numbers. */
void ag_wake_for(struct ag_runtime *rt);
/* Something that a certain thread waits for has happened: wakes all. */
void ag_wake_all(struct ag_runtime *rt);

/* Sleeps until any are woken, since `key` was read from rt->wakes, or the runtime stops, or now and then for
 * no reason; at most so many microseconds, 0 = for ever. Who sleeps for ever has counted itself as a sleeper,
 * has fenced all threads and has looked for work since it read `key`. */
void ag_sleep(struct ag_runtime *rt, unsigned key, uint64_t at_most_us);

#endif /* AG_WAKE_H */
