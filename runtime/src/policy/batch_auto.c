/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* auto: an idle device gets what there is, a busy one makes units accrue.
 *
 *   full                                                     -> launch
 *   fewer than two batches on the device, and the thread has
 *     time, or so much has come that the launch is worth its while -> launch
 *   the units are worth a launch many times over (the knee)  -> launch
 *   nothing has come for a while, or the oldest is too old   -> launch
 *
 * So no size has to be chosen: batches are as large as what arrives while the device works on two others. The
 * batch grows until it is launched. */
#include "policy/batch.h"

#include <math.h> /* INFINITY; nothing that needs the mathematics library */

/* Host time for launches beside the time in which the units come, where the thread has better things to do.
 */
#define HOST_PART 0.1
/* The knee: a launch costs this part of the batch's time. */
#define LAUNCH_PART 0.05
/* A quiet FIFO: no arrival in so many times what nine of ten gaps do not exceed. */
#define QUIET_GAPS 4
#define LATENCY_CAP_NS 2e6
/* A launch that fills the device and takes so many times what it takes of the host: a smaller one can be
 * waited with behind another one; on an idle device for this part of that time. */
#define FULL_HOSTS 16
#define FULL_PART 0.25
/* As long as nothing is measured. */
#define HOST_NS 10e3
enum { IN_FLIGHT = 2, LEAST_PATIENCE = 8, MOST_PATIENCE = 4096, FILLS = 4 };

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

static double host_ns(const struct ag_batch_view *v) { return v->host_ns > 0 ? v->host_ns : HOST_NS; }

double ag_batch_knee(const struct ag_batch_view *v) {
  if (!(v->item_ns > 0))
    return INFINITY;
  double by_launch = v->launch_ns / v->item_ns * (1 - LAUNCH_PART) / LAUNCH_PART;
  /* Where blocks are all there is to fill, a few times as many as are resident level out their differences.
   */
  double mean = v->waiting ? v->items / (double)v->waiting : 1;
  double by_fill = v->fill ? FILLS * (double)v->fill * mean : INFINITY;
  return least(by_launch > 0 ? by_launch : INFINITY, by_fill);
}

/* How old the oldest unit must be before a busy thread stops to launch. */
static double worth_ns(const struct ag_batch_view *v) { return host_ns(v) / HOST_PART; }

static double age_ns(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  return s->oldest_ns && v->now_ns > s->oldest_ns ? (double)(v->now_ns - s->oldest_ns) : 0;
}

/* No more is to be expected soon. */
static bool quiet(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double gap = QUIET_GAPS * (double)ag_gaps_quantile(&s->gaps, 0.9);
  double enough = least(most(gap, host_ns(v)), LATENCY_CAP_NS);
  return v->now_ns > s->last_ns && (double)(v->now_ns - s->last_ns) > enough;
}

/* A launch that leaves blocks of the device empty may take as long as one that fills it: behind another
 * batch, or when it fills within a part of that time, it can wait for more. */
static bool fills_soon(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  if (v->waiting >= v->fill || v->event == AG_ON_WAIT || v->event == AG_ON_NOTHING || !(v->item_ns > 0))
    return false;
  double full = v->launch_ns + (double)v->fill * v->items / (double)v->waiting * v->item_ns;
  if (v->in_flight)
    return full > FULL_HOSTS * host_ns(v);
  double gap = (double)ag_gaps_quantile(&s->gaps, 0.5), rest = (double)(v->fill - v->waiting) * gap;
  return gap > 0 && rest < FULL_PART * full && age_ns(s, v) < 2 * FULL_PART * full;
}

/* After how many more arrivals it is of use to ask again; launched: what is there has gone by then. */
static uint64_t patience(const struct ag_batch_state *s, const struct ag_batch_view *v, bool launched) {
  double gap = (double)ag_gaps_quantile(&s->gaps, 0.5);
  double until_worth = worth_ns(v) - (launched || v->in_flight >= IN_FLIGHT ? 0 : age_ns(s, v));
  double mean = v->waiting && v->items > 0 ? v->items / (double)v->waiting : 1;
  double to_knee = (ag_batch_knee(v) - (launched ? 0 : v->items)) / mean;
  double n = least(gap > 0 ? until_worth / gap : LEAST_PATIENCE, to_knee);
  return n < LEAST_PATIENCE ? LEAST_PATIENCE : n < MOST_PATIENCE ? (uint64_t)n : MOST_PATIENCE;
}

static enum ag_reason why(const struct ag_batch_view *v) {
  return v->event == AG_ON_WAIT ? AG_REASON_FLUSH
         : !v->in_flight        ? AG_REASON_IDLE
                                : AG_REASON_NO_HIGH_PRIORITY;
}

/* Whether to launch now, and why. */
static bool now(const struct ag_batch_state *s, const struct ag_batch_view *v, enum ag_reason *reason) {
  *reason = v->full ? AG_REASON_FULL : AG_REASON_AGE;
  if (v->full || v->event == AG_ON_BURST || v->event == AG_ON_QUIET)
    return true;
  if (v->in_flight < IN_FLIGHT) {
    double age = age_ns(s, v);
    if (age > most(LATENCY_CAP_NS, worth_ns(v)))
      return true;
    *reason = why(v);
    if (fills_soon(s, v))
      return false;
    if (v->event == AG_ON_SUBMIT ? age >= worth_ns(v)
                                 : v->event != AG_ON_LOOK || age >= host_ns(v) || quiet(s, v))
      return true;
  }
  *reason = AG_REASON_POLICY;
  return v->items >= ag_batch_knee(v);
}

static struct ag_batch_decision decide(const struct ag_batch_choice *choice, const struct ag_batch_state *s,
                                       const struct ag_batch_view *v) {
  struct ag_batch_decision d = {0, AG_REASON_POLICY, 0};
  (void)choice;
  if (v->waiting && now(s, v, &d.reason))
    d.units = v->waiting;
  if (v->event == AG_ON_SUBMIT)
    d.patience = patience(s, v, d.units);
  return d;
}

const struct ag_batch_policy ag_batch_auto = {.name = "auto", .decide = decide, .grows = true, .timed = true};
