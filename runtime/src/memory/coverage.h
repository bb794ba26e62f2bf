/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many of many intervals of addresses lie over each byte. Intervals come and go in any order; each costs
 * the logarithm of how many there are, and the pieces that others have cut it into. Not thread-safe. */
#ifndef AG_COVERAGE_H
#define AG_COVERAGE_H

#include "memory/pool.h"
#include "memory/tree.h"
#include <stdbool.h>

struct ag_coverage {
  struct ag_tree tree;
  struct ag_pool pool;
};

void ag_coverage_init(struct ag_coverage *c);
void ag_coverage_destroy(struct ag_coverage *c);

/* Adds lo .. hi-1. 0; -ENOMEM: nothing was added. */
int ag_coverage_add(struct ag_coverage *c, uintptr_t lo, uintptr_t hi);

/* Takes lo .. hi-1 away, which was added. Without memory, bytes may count as not covered any more that others
 * cover. */
void ag_coverage_remove(struct ag_coverage *c, uintptr_t lo, uintptr_t hi);

/* Whether the byte lo is covered. *end: up to there, and not beyond hi, this holds of those that follow. */
bool ag_coverage_at(const struct ag_coverage *c, uintptr_t lo, uintptr_t hi, uintptr_t *end);

#endif /* AG_COVERAGE_H */
