/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sys/thread.h"

#include <linux/membarrier.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int ag_thread_start(pthread_t *thread, void *(*body)(void *), void *arg) {
  static const int open[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL, SIGTRAP, SIGSYS,
                             SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  sigset_t block, before;
  sigfillset(&block);
  for (size_t i = 0; i < sizeof open / sizeof open[0]; ++i)
    sigdelset(&block, open[i]);
  pthread_sigmask(SIG_SETMASK, &block, &before);
  int err = pthread_create(thread, NULL, body, arg);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return err;
}

bool ag_fence_all_works(void) {
  return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

void ag_fence_all(void) { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }
