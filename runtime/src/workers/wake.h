/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waking threads that sleep. Any thread, also with a worker's lock held. */
#ifndef AG_WAKE_H
#define AG_WAKE_H

struct ag_runtime;

/* Work has arrived: wakes one sleeping thread if there is any, or all where some sleep that may not run all
 * work; cheap when there is none. */
void ag_wake_one(struct ag_runtime *rt);
/* The same, but while one that was woken has not got up yet no other is: for what comes in great numbers. */
void ag_wake_for(struct ag_runtime *rt);
/* Something that a certain thread waits for has happened: wakes all. */
void ag_wake_all(struct ag_runtime *rt);

#endif /* AG_WAKE_H */
