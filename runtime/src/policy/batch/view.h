/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What follows from what auto is shown of the units that wait, and of the device. */
#ifndef AG_BATCH_VIEW_H
#define AG_BATCH_VIEW_H

#include "policy/batch/batch.h"
#include "policy/model/numbers.h"

/* A busy device gets its next batch so many launches before it is through with what it has. */
#define AG_HOSTS_AHEAD 2

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

/* From the launch of so many units until they are on the device, and from when they are done until they are
 * committed. */
static inline double ag_batch_there_ns(const struct ag_batch_view *v, double units) {
  return ag_host_ns(&v->host, units) + ag_host_ns(&v->in, units);
}

static inline double ag_batch_back_ns(const struct ag_batch_view *v, double units) {
  return ag_host_ns(&v->out, units) + ag_host_ns(&v->commit, units);
}

/* Threads that stage what is left when all has come: those that submit have time then, too. */
static inline unsigned ag_batch_stagers(const struct ag_batch_view *v) {
  return 1 + v->lookers > v->active ? 1 + v->lookers : v->active;
}

/* So many units like those that wait, the longest of them among them. */
static inline double ag_batch_time_ns(const struct ag_batch_view *v, double units) {
  return ag_times_longest(&v->device, units, units * ag_batch_mean(v), v->longest);
}

#endif /* AG_BATCH_VIEW_H */
