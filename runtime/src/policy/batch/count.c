/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* count:N: after every N submissions, what is there is combined, however many that are. */
#include "policy/batch/batch.h"

static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  if (state->arrivals - state->mark >= choice->n)
    return (struct ag_batch_decision){.units = view->waiting, .reason = AG_REASON_POLICY};
  return ag_batch_rest(view);
}

/* A combination that came late, because the device was busy, counts for all submissions before it. */
static void launched(const struct ag_batch_choice *choice, struct ag_batch_state *state, uint64_t units) {
  (void)units;
  state->mark = state->arrivals - (state->arrivals - state->mark) % choice->n;
}

const struct ag_batch_policy ag_batch_count = {.name = "count", .decide = decide, .launched = launched};
