/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded into agglomcc this sends it the signal SIGNAL, a number, where that is worst for a file whose
 * name fits SIGNAL_FILE. SIGNAL_AT tells where. made: agglomcc has just made the file. named: it has just
 * given it its name. begun: the copy of it that is to be the compiler is about to open the file, and goes on
 * when agglomcc has removed it. clang: the program clang, which agglomcc has started, is about to open it,
 * and stays there until it is ended. waited: agglomcc has waited for what it has started; no file matters
 * there. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t agglomcc;

__attribute__((constructor)) static void begin(void) { agglomcc = getpid(); }

static bool at(const char *moment) {
  const char *asked = getenv("SIGNAL_AT");
  return asked && !strcmp(asked, moment);
}

static bool is_the_file(const char *path) {
  const char *asked = getenv("SIGNAL_FILE"), *slash = strrchr(path, '/');
  return asked && !fnmatch(asked, slash ? slash + 1 : path, 0);
}

static int asked_signal(void) { return atoi(getenv("SIGNAL")); }

static int real_open(const char *path, int flags, va_list more) {
  bool makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
  return openat(AT_FDCWD, path, flags, makes ? va_arg(more, mode_t) : 0);
}

/* Ends agglomcc, and waits until the file is gone. */
static void have_removed(const char *path) {
  kill(agglomcc, asked_signal());
  for (int ms = 0; ms < 10000 && !access(path, F_OK); ++ms)
    usleep(1000);
}

static void stay(void) {
  kill(getppid(), asked_signal());
  sleep(10);
  fputs("clang was not ended\n", stderr);
}

int open(const char *path, int flags, ...) {
  bool the_file = is_the_file(path);
  if (the_file && getpid() != agglomcc && at("begun"))
    have_removed(path);
  if (the_file && at("clang") && strstr(program_invocation_short_name, "clang"))
    stay();
  va_list more;
  va_start(more, flags);
  int fd = real_open(path, flags, more);
  va_end(more);
  if (the_file && fd >= 0 && flags & O_EXCL && at("made"))
    raise(asked_signal());
  return fd;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int rename(const char *from, const char *to) {
  int result = renameat(AT_FDCWD, from, AT_FDCWD, to);
  if (!result && is_the_file(to) && at("named"))
    raise(asked_signal());
  return result;
}

static pid_t waited_for;

pid_t waitpid(pid_t pid, int *status, int options) {
  pid_t ended = wait4(pid, status, options, NULL);
  if (ended > 0 && !waited_for && at("waited")) {
    waited_for = ended;
    raise(asked_signal());
  }
  return ended;
}

int kill(pid_t pid, int sig) {
  if (pid == waited_for)
    fputs("a number that may be another's by now was sent a signal\n", stderr);
  return (int)syscall(SYS_kill, pid, sig);
}
