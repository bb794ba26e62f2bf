/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of the runtime's own. */
#ifndef AG_THREAD_H
#define AG_THREAD_H

#include <pthread.h>

/* Starts a thread that takes no signals meant for the program, but those that its own faults raise and those
 * that are to end the process: main() may have left by pthread_exit(). 0 or a positive errno. */
int ag_thread_start(pthread_t *thread, void *(*body)(void *), void *arg);

#endif /* AG_THREAD_H */
