/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops that threads run directly, without chunks that are objects, locks and a schedule that is asked: those
 * so short that all this costs more than it brings, by what is known of them (policy/loop/fork.h), and those
 * of chunks of one size on CPUs. */
#ifndef AG_DIRECT_H
#define AG_DIRECT_H

#include "loops/hybrid.h"

/* What is known of all loops. NULL: no memory. */
struct ag_direct *ag_direct_new(void);
void ag_direct_free(struct ag_direct *all);

/* Runs the loop, if it is one of these. False: nothing was run. */
bool ag_direct_run(struct ag_worker *w, const struct ag_for *call);

/* CPUs have run so many iterations of the loop in chunks, in so many nanoseconds of all threads together.
 * in_turn: the chunks had to wait for one another, so that one thread alone would have been as fast. */
void ag_direct_learn(struct ag_runtime *rt, const struct ag_for *call, uint64_t iterations, uint64_t ns,
                     bool in_turn);

/* The same of a loop whose units were all submitted at once, which took so long from its begin to its end. */
void ag_direct_learn_units(struct ag_worker *w, const struct ag_for *call, uint64_t ns);

#endif /* AG_DIRECT_H */
