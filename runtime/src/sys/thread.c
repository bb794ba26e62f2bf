/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sys/thread.h"

#include <signal.h>
#include <stddef.h>

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
