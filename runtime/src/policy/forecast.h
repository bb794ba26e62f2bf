/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the units of a step will all be done, if a launch is made now, or later. */
#ifndef AG_FORECAST_H
#define AG_FORECAST_H

#include "policy/batch.h"
#include "policy/numbers.h"

/* A busy device gets its next batch so many launches before it is through with what it has. */
#define AG_HOSTS_AHEAD 2

/* --- What the units that wait take, and the device -------------------------------------------------------
 */

/* Cost of a unit. */
static inline double ag_batch_mean(const struct ag_batch_view *v) {
  return v->waiting ? v->items / (double)v->waiting : 1;
}

/* Until the device has done what it has. */
static inline double ag_batch_busy_ns(const struct ag_batch_view *v) { return v->in_flight ? v->busy_ns : 0; }

/* Launches take no time of threads that submit: the one that asks does not, or others have time. */
static inline bool ag_batch_helped(const struct ag_batch_view *v) {
  return v->lookers || (v->others && v->event != AG_ON_SUBMIT);
}

/* So many units like those that wait, the longest of them among them. */
static inline double ag_batch_time_ns(const struct ag_batch_view *v, double units) {
  return ag_times_longest(&v->device, units, units * ag_batch_mean(v), v->longest);
}

/* --- What is to come -------------------------------------------------------------------------------------
 */

/* Units of a step: all of them but those that have gone, one every gap_ns, the last one after come_ns. */
struct ag_rest {
  double units, gap_ns, come_ns;
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

#endif /* AG_FORECAST_H */
