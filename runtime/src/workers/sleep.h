/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Falling asleep when there is nothing to do, and waking others when there is. A thread sleeps as its own
 * worker, without a lock; all may wake others, also with a worker's lock held. */
#ifndef AG_SLEEP_H
#define AG_SLEEP_H

#include "workers/help.h"

/* Work has arrived: wakes one sleeping thread if there is any; cheap when there is none. */
void ag_wake_one(struct ag_runtime *rt);
/* The same, but while one thread is on its way no other is woken: for what comes in great numbers. */
void ag_wake_for(struct ag_runtime *rt);
/* Something that a certain thread waits for has happened: wakes all. */
void ag_wake_all(struct ag_runtime *rt);

/* When ag_worker_help() has found nothing: sleeps until something may have happened since the runtime's wakes
 * were `key`, which the caller read before it looked. rounds counts such calls in a row. */
void ag_worker_idle(struct ag_worker *w, enum ag_help why, unsigned *rounds, unsigned key);

/* Back-pressure: does some work, or lets a little time pass. False when it is no use to ask again. */
bool ag_worker_relieve(struct ag_worker *w);

#endif /* AG_SLEEP_H */
