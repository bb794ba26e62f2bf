/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A meter's power when nothing works, and how much more it is when all of its side does, learnt from
 * intervals with known shares of busy time. For eight ranges of that share there are means, of which late
 * measurements count most, and a line goes through them: what was seen of idle times long ago stays. */
#ifndef AG_POWER_H
#define AG_POWER_H

#include <stdbool.h>

enum { AG_POWER_RANGES = 8, AG_POWER_NUMBERS = 3 * AG_POWER_RANGES };

/* All zero at first. */
struct ag_power {
  struct {
    double share, watts; /* means */
    double seconds;      /* over which */
  } at[AG_POWER_RANGES];
};

/* In so many seconds the side was busy for this part of the time, and its meter counted so many joules.
 * Nonsense is not believed. */
void ag_power_learn(struct ag_power *power, double seconds, double share, double joules);

/* The line through the means: watts when idle, and watts more when all is busy. False as long as all
 * intervals had about the same share. */
bool ag_power_line(const struct ag_power *power, double *idle, double *busy);

/* Between runs of a program: as numbers, and back; false: nothing is known, or they make no sense. */
bool ag_power_keep(const struct ag_power *power, double x[AG_POWER_NUMBERS]);
bool ag_power_seed(struct ag_power *power, const double *x, unsigned n);

#endif /* AG_POWER_H */
