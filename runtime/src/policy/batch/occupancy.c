/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* occupancy: as many units as the device can have resident are launched as soon as they are there; what is
 * there is launched when nothing has arrived for twice the longest gap so far. (G-Charm's combination of work
 * requests by occupancy and rate of arrival.) */
#include "policy/batch/batch.h"

enum { GAPS = 2 };

static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  (void)choice;
  if (view->fill && view->waiting >= view->fill)
    return (struct ag_batch_decision){.units = view->fill, .reason = AG_REASON_POLICY};
  /* Of a FIFO into which one unit came there is no gap yet: it waits for a second one. */
  if (!view->full && view->waiting && state->longest_ns &&
      view->now_ns - state->last_ns > GAPS * state->longest_ns)
    return (struct ag_batch_decision){.units = view->waiting, .reason = AG_REASON_AGE};
  return ag_batch_rest(view);
}

const struct ag_batch_policy ag_batch_occupancy = {
    .name = "occupancy", .decide = decide, .due = 1, .timed = true};
