/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the units of a step will all be done, if a launch is made now, or later. */
#ifndef AG_FORECAST_H
#define AG_FORECAST_H

#include "policy/batch/view.h"

/* Units of a step: all of them but those that have gone, one every gap_ns, the last one after come_ns. */
struct ag_rest {
  double units, gap_ns, come_ns;
  unsigned devices; /* that get batches of it by turns until all have come; 0 or 1: the one of the view */
};

/* What so many units cost behind the first `from` of those that wait and come: these as in the step before,
 * at the same place. */
double ag_forecast_cost(const struct ag_batch_state *state, const struct ag_batch_view *view, double from,
                        double units);

/* When all of the rest is done, commits included, if the device of the view, of which something is known,
 * gets n units after wait_ns, and what follows goes as well as can be; `helped`: by other devices, too, if
 * the end of the step is far. n 0: nothing is launched before all have come. */
double ag_forecast_ns(const struct ag_batch_state *state, const struct ag_batch_view *view,
                      const struct ag_rest *rest, double n, double wait_ns, bool helped);

/* Whether many batches are to follow, so that only formulas tell. */
bool ag_forecast_is_far(const struct ag_batch_view *view, const struct ag_rest *rest);

#endif /* AG_FORECAST_H */
