/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where in a loop the work is: the cost of iterations relative to the mean, for up to AG_PROFILE_CELLS parts
 * of the loop, learnt from chunks that took longer or shorter than was expected. Work is counted in mean
 * iterations. */
#ifndef AG_PROFILE_H
#define AG_PROFILE_H

#include "policy/loop/peaks.h"
#include <stdbool.h>
#include <stdint.h>

enum { AG_PROFILE_CELLS = 512, AG_PROFILE_BLOCK = 32 };

/* All zero at first: nothing is known. */
struct ag_profile {
  uint64_t n, per, count; /* iterations, those in a cell, cells */
  uint64_t known;         /* cells up to the last one that was measured */
  double recent;          /* density where it was measured last; cells behind the known ones count as that */
  double rough;           /* variance of the cost of single iterations, as neighbouring cells show it */
  double
      density[AG_PROFILE_CELLS]; /* of known ones; cells among them that were not measured are as the next */
  double weight[AG_PROFILE_CELLS];                   /* of what is known, up to 1; 0: not measured */
  double own[AG_PROFILE_CELLS];                      /* part of it that comes from CPU units */
  double block[AG_PROFILE_CELLS / AG_PROFILE_BLOCK]; /* sums of densities */
  struct ag_peaks peaks;                             /* besides the densities */
};

/* The loop has n iterations. What was known of another n is forgotten. */
void ag_profile_begin(struct ag_profile *profile, uint64_t n);

/* Work in from .. to - 1. */
double ag_profile_work(const struct ag_profile *profile, uint64_t from, uint64_t to);

/* How many iterations from `from` on are `work`, in fractions; at most to - from. A peak is in it or is not.
 */
double ag_profile_size(const struct ag_profile *profile, uint64_t from, uint64_t to, double work);

/* The work in from .. to - 1 was `ratio` times what is known. `weight` (0 to 1) says how much that
 * measurement counts beside those before. foreign: it is a device's. */
void ag_profile_learn(struct ag_profile *profile, uint64_t from, uint64_t to, double ratio, double weight,
                      bool foreign);

/* The work in from .. to - 1 was `ratio` times what is known, as a CPU unit says. Returns how many times it
 * is what is known when what is to be said of peaks is said: a single iteration is taken to be the reason
 * where there is `least` too much work, and several times what was expected. */
double ag_profile_peaks(struct ag_profile *profile, uint64_t from, uint64_t to, double ratio, double least);

/* Cells that were not measured become what those on both sides say, on a line from the mean of some before to
 * that of as many behind. At an end of the loop it is the mean of those beside them. */
void ag_profile_bridge(struct ag_profile *profile);

/* Which part of what is known of from .. to - 1 comes from CPU units, 0 to 1. */
double ag_profile_own(const struct ag_profile *profile, uint64_t from, uint64_t to);

/* Makes the mean of what is known 1 again, and says what it was. */
double ag_profile_level(struct ag_profile *profile);

#endif /* AG_PROFILE_H */
