/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether units that have come while a batch was staged join it. */
#ifndef AG_LAUNCH_JOIN_H
#define AG_LAUNCH_JOIN_H

#include "policy/batch/batch.h"

struct ag_join_facts {
  uint64_t units, most; /* of the batch: those that are staged, and to how many it may grow */
  bool busy;            /* its device has something else to do, so that staging on keeps nobody waiting */
  bool shared_out;      /* CPUs have got a part of what was there: what comes later is shared out anew */
  uint64_t own;         /* units that wait in the FIFO from which it was formed, */
  uint64_t for_cpus;    /* of which so many at most are left to CPUs; */
  uint64_t come;        /* units that its thread has submitted since, which may follow units of the batch; */
  uint64_t others;      /* and units that wait in FIFOs of others, if these may join */
};

/* Whether any may join, however many have come. */
static inline bool ag_join_may(const struct ag_batch_policy *policy, const struct ag_join_facts *facts) {
  return policy->grows && !facts->shared_out && facts->busy && facts->units < facts->most;
}

/* The batch is staged anew with them, which costs what its staging has cost so far: so for as many again, or
 * more. A batch of 100 units waits for 100, then one of 200 for 200. */
static inline bool ag_join_wanted(const struct ag_batch_policy *policy, const struct ag_join_facts *facts) {
  uint64_t own = facts->own > facts->for_cpus ? facts->own - facts->for_cpus : 0;
  uint64_t there = facts->others + (own > facts->come ? own : facts->come);
  return ag_join_may(policy, facts) && there >= facts->units;
}

#endif /* AG_LAUNCH_JOIN_H */
