/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* single: one unit a launch, as soon as it is there. The baseline without agglomeration. */
#include "policy/batch/batch.h"

static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  (void)choice, (void)state;
  return (struct ag_batch_decision){.units = view->waiting > 0, .reason = AG_REASON_POLICY};
}

const struct ag_batch_policy ag_batch_single = {.name = "single", .decide = decide, .due = 1};
