/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of the runtime's own. */
#ifndef AG_THREAD_H
#define AG_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts a thread that takes no signals meant for the program, but those that its own faults raise and those
 * that are to end the process: main() may have left by pthread_exit(). Of these it blocks what the caller
 * blocks. 0 or a positive errno. */
int ag_thread_start(pthread_t *thread, void *(*body)(void *), void *arg);

/* The same with a stack of so many bytes; 0: as large as usual. */
int ag_thread_start_on(pthread_t *thread, void *(*body)(void *), void *arg, size_t stack);

/* A memory fence in all threads of the process at once, so that those who pass often need none
 * (membarrier(2)). ag_fence_all_works() is asked first; where it says no, both sides must fence themselves.
 */
bool ag_fence_all_works(void);
void ag_fence_all(void);

/* A thread that is cancelled must not end in here, with units in its hands that others wait for, or a lock:
 * until the scope of AG_UNCANCELLED is left, its cancellation is put off (pthread_setcancelstate(3)). */
static inline int ag_put_off_cancellation(void) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}
static inline void ag_take_cancellation(const int *before) { pthread_setcancelstate(*before, NULL); }
#define AG_UNCANCELLED                                                                                       \
  __attribute__((cleanup(ag_take_cancellation), unused)) const int ag_cancels = ag_put_off_cancellation()

/* Tells the processor that the thread spins. */
static inline void ag_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

#endif /* AG_THREAD_H */
