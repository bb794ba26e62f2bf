/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AG_TEST_IN_A_PROCESS_H
#define AG_TEST_IN_A_PROCESS_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs a function in a child process, which is to be made before the runtime is started here; returns its
 * exit status, or 1000 and the signal that ended it. */
static inline int in_a_process(void (*function)(void)) {
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    alarm(60); /* who hangs ends by SIGALRM */
    function();
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

#endif /* AG_TEST_IN_A_PROCESS_H */
