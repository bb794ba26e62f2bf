/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the units of a step cost, one after the other: the sum up to each of some places in it. */
#ifndef AG_OUTLINE_H
#define AG_OUTLINE_H

#include <stdint.h>

enum { AG_OUTLINE_PLACES = 32 };

/* All zero: nothing has come. */
struct ag_outline {
  uint64_t apart, units; /* units from one place to the next; all that have come, */
  double cost;           /* and what they cost */
  unsigned n;            /* places that have been passed */
  uint32_t looked;       /* a bit for each place: what had come was seen in it, or at its end */
  float at[AG_OUTLINE_PLACES];
};

/* So many have come in all, which cost so much: those since the last call are taken to have cost alike. */
void ag_outline_learn(struct ag_outline *outline, uint64_t units, double cost);

/* What the first `units` cost; those behind the end as much as the others in the mean. 0: nothing is known.
 */
double ag_outline_cost(const struct ag_outline *outline, double units);

/* What a unit costs where those from .. to - 1 are dearest, in the mean of its place; 0: nothing is known. */
double ag_outline_dearest(const struct ag_outline *outline, double from, double to);

/* How far the place of a unit tells what it costs, 0 to 1: 0 where places differ as by chance. By the ratio
 * of the mean square successive difference of places to their variance (von Neumann, 1941), which is 2 for
 * chance. What came between two looks counts as one place. */
double ag_outline_smooth(const struct ag_outline *outline);

#endif /* AG_OUTLINE_H */
