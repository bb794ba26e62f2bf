/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where in a loop the work is: the cost of iterations relative to the mean, for up to AG_PROFILE_CELLS parts
 * of the loop, and single iterations that are heavier than whole parts; learnt from chunks that took longer
 * or shorter than was expected. Work is counted in mean iterations. */
#ifndef AG_PROFILE_H
#define AG_PROFILE_H

#include <stdint.h>

enum { AG_PROFILE_CELLS = 512, AG_PROFILE_HEAVY = 32 };

/* All zero at first: nothing is known. */
struct ag_profile {
  uint64_t n, per; /* iterations, and those in a cell */
  uint64_t known;  /* cells up to the last one that was measured */
  double recent;   /* density where it was measured last; cells behind the known ones count as that */
  double density[AG_PROFILE_CELLS]; /* of known ones; those not measured are as the next one that was */
  double weight[AG_PROFILE_CELLS];  /* of what is known, up to 1; 0: not measured */
  unsigned heavy;                   /* single iterations that are much work, besides what is usual there */
  struct ag_profile_heavy {
    uint64_t first; /* of the chunk that has shown it */
    double work;
  } at[AG_PROFILE_HEAVY];
};

/* The loop has n iterations. What was known of another n is forgotten. */
void ag_profile_begin(struct ag_profile *profile, uint64_t n);

/* Work in from .. to - 1; above 0 where there is an iteration. */
double ag_profile_work(const struct ag_profile *profile, uint64_t from, uint64_t to);

/* The first heavy iteration of from .. to - 1 that is more work than that; `to`: there is none. */
uint64_t ag_profile_heavy(const struct ag_profile *profile, uint64_t from, uint64_t to, double work);

/* How many iterations from `from` on are `work`, in fractions, if none is heavy; at most to - from. */
double ag_profile_size(const struct ag_profile *profile, uint64_t from, uint64_t to, double work);

/* The work in from .. to - 1 was `ratio` times what is known. `weight` (0 to 1) says how much that
 * measurement counts beside those before. */
void ag_profile_learn(struct ag_profile *profile, uint64_t from, uint64_t to, double ratio, double weight);

/* Parts that were not measured become what lies on a line between those on both sides. */
void ag_profile_bridge(struct ag_profile *profile);

/* Makes the mean of what is known 1 again, and says what it was. */
double ag_profile_level(struct ag_profile *profile);

#endif /* AG_PROFILE_H */
