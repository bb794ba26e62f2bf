/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one clock of the runtime: monotonic, in nanoseconds since some moment before the program. */
#ifndef AG_CLOCK_H
#define AG_CLOCK_H

#include <stdint.h>

/* From one moment to another; end is 0 while it is not known. */
struct ag_clock_span {
  uint64_t begin, end;
};

/* Now. Safe from any thread and from signal handlers. */
uint64_t ag_clock_ns(void);

/* A number that is another one every few ms: to read it costs a fifth of what the clock does. */
uint64_t ag_clock_tick(void);

/* An estimated time as a whole number of ns: 0 where it is not positive, a day at most. */
static inline uint64_t ag_clock_believed(double ns) {
  return !(ns > 0) ? 0 : ns < 86400e9 ? (uint64_t)ns : UINT64_C(86400000000000);
}

/* Returns at or after the given ag_clock_ns() value: sleeps while it is far away and spins for the last
 * few dozen microseconds, because a short sleep would oversleep more than the emulated device's delays. */
void ag_clock_wait_until(uint64_t deadline_ns);

#endif /* AG_CLOCK_H */
