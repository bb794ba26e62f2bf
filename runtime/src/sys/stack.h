/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much is left of a thread's stack, and another one for what it may not be enough for. */
#ifndef AG_STACK_H
#define AG_STACK_H

#include <stdbool.h>

/* Whether little is left of the stack that the calling thread is on. On a stack that is not the thread's own,
 * as a program may make with makecontext(3), nothing is known: false. */
bool ag_stack_is_short(void);

/* Calls body(arg) in a thread of its own with a large stack, and waits for it. False, and nothing has
 * happened, if there is no memory for such a thread. */
bool ag_stack_elsewhere(void (*body)(void *arg), void *arg);

#endif /* AG_STACK_H */
