/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "sys/log.h"

#include "sys/writing.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(const char *prefix, const char *format, va_list args) {
  int saved_errno = errno;
  char line[AG_LOG_LINE];
  size_t used = strlen(prefix);
  memcpy(line, prefix, used);
  size_t room = sizeof line - used - 1; /* the newline replaces the NUL, or follows the text */
  int wanted = vsnprintf(line + used, room, format, args);
  if (wanted < 0) {
    wanted = snprintf(line + used, room, "%s", format);
  }
  if ((size_t)wanted < room) {
    used += (size_t)wanted;
  } else {
    used += room - 1;
    memcpy(line + used - 3, "...", 3);
  }
  if (line[used - 1] != '\n')
    line[used++] = '\n';
  struct ag_writing w;
  ag_writing_begin(&w);
  /* A pipe or terminal may take less than the whole line; only then does the line need a second call. */
  for (size_t at = 0; at < used;) {
    ssize_t n = write(STDERR_FILENO, line + at, used - at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break; /* nobody to tell */
    at += (size_t)n;
  }
  ag_writing_end(&w);
  errno = saved_errno;
}

void ag_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  say("agglom: error: ", format, args);
  va_end(args);
}

void ag_warn(const char *format, ...) {
  va_list args;
  va_start(args, format);
  say("agglom: warning: ", format, args);
  va_end(args);
}

void ag_warn_once(atomic_flag *said, const char *format, ...) {
  if (atomic_flag_test_and_set_explicit(said, memory_order_relaxed))
    return;
  va_list args;
  va_start(args, format);
  say("agglom: warning: ", format, args);
  va_end(args);
}
