/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sys/writing.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static const int raised[AG_WRITE_SIGNALS] = {SIGXFSZ, SIGPIPE};

void ag_writing_begin(struct ag_writing *w) {
  sigset_t block, pending;
  int saved_errno = errno;
  sigemptyset(&block);
  sigemptyset(&pending);
  for (int i = 0; i < AG_WRITE_SIGNALS; ++i)
    sigaddset(&block, raised[i]);
  pthread_sigmask(SIG_BLOCK, &block, &w->before);
  sigpending(&pending);
  for (int i = 0; i < AG_WRITE_SIGNALS; ++i)
    w->pending[i] = sigismember(&pending, raised[i]) == 1;
  errno = saved_errno;
}

/* Both are sent to the thread that writes, so nobody else can have taken them. */
void ag_writing_end(const struct ag_writing *w) {
  static const struct timespec at_once = {0, 0};
  sigset_t one;
  int saved_errno = errno;
  for (int i = 0; i < AG_WRITE_SIGNALS; ++i) {
    sigemptyset(&one);
    sigaddset(&one, raised[i]);
    while (!w->pending[i] && sigtimedwait(&one, NULL, &at_once) < 0 && errno == EINTR)
      ;
  }
  pthread_sigmask(SIG_SETMASK, &w->before, NULL);
  errno = saved_errno;
}
