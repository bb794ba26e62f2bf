/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* maximal: as long as there is high-priority work, units accrue; when a worker finds none left, it launches
 * the largest prefix that one kernel can take. The rest stays in the FIFO, which a worker looks at again
 * before it turns to low-priority work. The batch size so follows the rate at which units arrive; what
 * arrives before the launch belongs to it too. */
#include "policy/batch/batch.h"

static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  (void)choice, (void)state;
  struct ag_batch_decision all = {.units = view->waiting, .reason = AG_REASON_FULL};
  if (view->full)
    return all;
  switch (view->event) {
  case AG_ON_SUBMIT:
  case AG_ON_LOOK:
  case AG_ON_WHOLE:
  case AG_N_BATCH_EVENTS:
    all.units = 0;
    break;
  case AG_ON_NO_HIGH:
  case AG_ON_NOTHING:
    all.reason = AG_REASON_NO_HIGH_PRIORITY;
    break;
  case AG_ON_WAIT:
    all.reason = AG_REASON_FLUSH;
    break;
  case AG_ON_BURST:
  case AG_ON_QUIET:
    all.reason = AG_REASON_AGE;
    break;
  }
  return all;
}

const struct ag_batch_policy ag_batch_maximal = {.name = "maximal", .decide = decide, .grows = true};
