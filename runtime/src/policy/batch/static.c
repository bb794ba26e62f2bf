/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* static:N: launches of exactly N units; fewer only when somebody waits or nothing else can arrive. */
#include "policy/batch/batch.h"

static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  (void)state;
  if (view->waiting >= choice->n)
    return (struct ag_batch_decision){.units = choice->n, .reason = AG_REASON_POLICY};
  return ag_batch_rest(view);
}

const struct ag_batch_policy ag_batch_static = {.name = "static", .decide = decide};
