/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops that are so short that chunks, a schedule and locks cost more than they bring. What is known of a
 * loop says whether it is one: policy/loop/fork.h. */
#ifndef AG_BRIEF_H
#define AG_BRIEF_H

#include "loops/hybrid.h"

/* What is known of all loops. NULL: no memory. */
struct ag_brief *ag_brief_new(void);
void ag_brief_free(struct ag_brief *brief);

/* Runs the loop, if it is known to be short. False: nothing was run. */
bool ag_brief_run(struct ag_worker *w, const struct ag_for *call);

/* CPUs have run so many iterations of the loop in chunks, in so many nanoseconds of all threads together. */
void ag_brief_learn(struct ag_runtime *rt, const struct ag_for *call, uint64_t iterations, uint64_t ns);

#endif /* AG_BRIEF_H */
