/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* maximal: as long as there is high-priority work, units accrue; when a worker finds none left, it launches
 * the largest prefix that one kernel can take. The rest stays in the FIFO, which a worker looks at again
 * before it turns to low-priority work. The batch size so follows the rate at which units arrive; what
 * arrives before the launch belongs to it too. */
#include "policy/batch/batch.h"

static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  (void)choice, (void)state;
  struct ag_batch_decision all = {.units = view->waiting, .reason = AG_REASON_NO_HIGH_PRIORITY};
  if (!view->full && (view->event == AG_ON_NO_HIGH || view->event == AG_ON_NOTHING))
    return all;
  all.reason = AG_REASON_AGE;
  return !view->full && view->event == AG_ON_BURST ? all : ag_batch_rest(view);
}

const struct ag_batch_policy ag_batch_maximal = {
    .name = "maximal", .decide = decide, .due = UINT64_MAX, .grows = true};
