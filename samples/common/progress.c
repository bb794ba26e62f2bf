/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct progress progress_of(const char *what, long long total) {
  double now = seconds_now();
  return (struct progress){.what = what, .total = total, .begin = now, .last = now + 0.4};
}

void progress_at(struct progress *p, long long done) {
  double now = seconds_now();
  if (now - p->last < 0.1 || done <= 0 || !isatty(STDERR_FILENO))
    return;
  p->last = now;
  p->shown = 1;
  double rate = (double)done / (now - p->begin);
  long long left = (long long)((double)(p->total - done) / rate + 0.5);
  fprintf(stderr, "\r\033[K%lld of %lld %s, %.3g a second, %lld:%02lld left", done, p->total, p->what, rate,
          left / 60, left % 60);
  fflush(stderr);
}

void progress_end(struct progress *p) {
  if (p->shown)
    fputs("\r\033[K", stderr);
  p->shown = 0;
}
