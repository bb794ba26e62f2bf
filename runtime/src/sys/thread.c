/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sys/thread.h"

#include <linux/membarrier.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int ag_thread_start(pthread_t *thread, void *(*body)(void *), void *arg) {
  return ag_thread_start_on(thread, body, arg, 0);
}

int ag_thread_start_on(pthread_t *thread, void *(*body)(void *), void *arg, size_t stack) {
  pthread_attr_t attr;
  int err = pthread_attr_init(&attr);
  if (!err && stack)
    err = pthread_attr_setstacksize(&attr, stack);
  if (err)
    return err;
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  static const int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  sigset_t block, before;
  sigfillset(&block);
  for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
    sigdelset(&block, own[i]);
  pthread_sigmask(SIG_BLOCK, NULL, &before);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i)
    if (!sigismember(&before, ends[i])) /* or the program waits for it in its own way */
      sigdelset(&block, ends[i]);
  pthread_sigmask(SIG_SETMASK, &block, NULL);
  err = pthread_create(thread, &attr, body, arg);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  return err;
}

bool ag_fence_all_works(void) {
  return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

void ag_fence_all(void) { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }
