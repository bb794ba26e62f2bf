/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "sys/clock.h"

#include <sched.h>
#include <time.h>

static const uint64_t SPIN_NS = 80000; /* Linux wakes a sleeper up to about 60 us late */

uint64_t ag_clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t ag_clock_tick(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void ag_clock_wait_until(uint64_t deadline_ns) {
  for (;;) {
    uint64_t now = ag_clock_ns();
    if (now >= deadline_ns)
      return;
    if (deadline_ns - now > SPIN_NS) {
      uint64_t wake = deadline_ns - SPIN_NS;
      struct timespec until = {.tv_sec = (time_t)(wake / 1000000000u), .tv_nsec = (long)(wake % 1000000000u)};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL); /* a signal only means one more round */
    } else {
      sched_yield();
    }
  }
}
