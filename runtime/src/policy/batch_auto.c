/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* auto: a batch that leaves blocks of the device empty takes as long as one that fills them. So what is lost
 * by launching n units now, if as many come later, is
 *
 *   loss(n) = 2 t(n) - t(2 n)          t: what a batch takes of the device, as measured
 *
 * and units wait for more only as long as that costs less:
 *
 *   full                                                           -> launch
 *   the device is idle; loss is small beside t(n), or the units have waited for as long as they would lose,
 * or nothing has come for a while                                 -> launch it has one batch; loss is small,
 * or it has soon done with it   -> launch the units are worth a launch many times over (the knee)        ->
 * launch the oldest unit is too old                                     -> launch
 *
 * A thread that has better things to do launches only when it has not done so for many times as long as that
 * takes, or the device needs longer for the units than they took to come. So no size has to be chosen.
 * Several idle devices share what there is. The batch grows until it is launched. */
#include "policy/batch.h"

#include <math.h> /* INFINITY; nothing that needs the mathematics library */

/* Host time for launches beside the time in which the units come, where the thread has better things to do.
 */
#define HOST_PART 0.03
#define HOST_MOST 0.5
/* The knee: a launch costs this part of the batch's time. */
#define LAUNCH_PART 0.05
/* What may be lost of a batch's time. */
#define LOSS_PART 0.3
/* An idle device waits for this part of what would be lost. */
#define WAIT_PART 0.5
/* A busy one gets its next batch so many launches before it is through with what it has. */
#define HOSTS_AHEAD 2
/* Other threads that have time come so often. */
#define LOOKERS_NS 100e3
/* A quiet FIFO: no arrival in so many times what nine of ten gaps do not exceed. */
#define QUIET_GAPS 4
#define LATENCY_CAP_NS 2e6
/* As long as nothing is measured: what a launch takes of its thread, and how many of these the first units
 * wait.
 */
#define HOST_NS 10e3
#define FIRST_HOSTS 5
enum { IN_FLIGHT = 2, LEAST_PATIENCE = 8, MOST_PATIENCE = 4096, FILLS = 4, BUSY_MOST = 4 };

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

static double host_ns(const struct ag_batch_view *v) {
  double ns = ag_host_ns(&v->host, (double)v->waiting);
  return ns > 0 ? ns : HOST_NS;
}

static bool known(const struct ag_batch_view *v) { return v->device.item_ns > 0; }

static double mean(const struct ag_batch_view *v) { return v->waiting ? v->items / (double)v->waiting : 1; }

static double time_ns(const struct ag_batch_view *v, double units) {
  return ag_times_ns(&v->device, units, units * mean(v));
}

/* Items beside which a launch is of no importance; infinite when that is not known. */
static double by_launch(const struct ag_batch_view *v) {
  double items =
      v->device.item_ns > 0 ? v->device.launch_ns / v->device.item_ns * (1 - LAUNCH_PART) / LAUNCH_PART : 0;
  return items > 0 ? items : INFINITY;
}

/* Where blocks are all there is to fill, a few times as many as are resident level out their differences. */
static double by_fill(const struct ag_batch_view *v) {
  return v->fill ? FILLS * (double)v->fill * mean(v) : INFINITY;
}

double ag_batch_knee(const struct ag_batch_view *v) {
  return v->device.item_ns > 0 ? least(by_launch(v), by_fill(v)) : INFINITY;
}

static double age_ns(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  return s->oldest_ns && v->now_ns > s->oldest_ns ? (double)(v->now_ns - s->oldest_ns) : 0;
}

/* More than that in one batch win nothing, and their staging keeps the device waiting. */
static uint64_t enough(const struct ag_batch_view *v) {
  double items = known(v) ? most(by_launch(v), by_fill(v)) : by_fill(v), units = items / mean(v);
  return units < 1e18 ? (uint64_t)units + 1 : UINT64_MAX;
}

/* The part of its time that the device needs for what comes, in good batches. */
static double load(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double n = (double)v->waiting, good = most(n, least((double)enough(v), 1e15)), age = age_ns(s, v);
  return age > 0 && known(v) ? time_ns(v, good) / good * n / age : 1;
}

/* How old the oldest unit must be before a busy thread stops to launch. */
static double worth_ns(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double worth = host_ns(v) / least(most(HOST_PART, HOST_MOST * load(s, v)), HOST_MOST);
  return v->lookers ? most(worth, LOOKERS_NS) : worth;
}

/* Somebody waits, or has nothing else to do. */
static bool ends(const struct ag_batch_view *v) {
  return v->event == AG_ON_WAIT || v->event == AG_ON_NOTHING || v->event == AG_ON_NO_HIGH;
}

/* No more is to be expected soon. */
static bool quiet(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double gap = QUIET_GAPS * (double)ag_gaps_quantile(&s->gaps, 0.9);
  double enough = least(most(gap, host_ns(v)), LATENCY_CAP_NS);
  return v->now_ns > s->last_ns && (double)(v->now_ns - s->last_ns) > enough;
}

/* What is lost when these units, or those that fill the device so and so often, are launched and as many
 * later.
 */
static double loss_ns(const struct ag_batch_view *v) {
  double n = (double)(v->fill && v->waiting > v->fill ? v->waiting / v->fill * v->fill : v->waiting);
  return most(0, 2 * time_ns(v, n) - time_ns(v, 2 * n));
}

static bool small_loss(const struct ag_batch_view *v) {
  if (!known(v))
    return v->fill && v->waiting >= v->fill;
  return loss_ns(v) <= LOSS_PART * time_ns(v, (double)v->waiting);
}

/* The device will soon have nothing to do, or has not, and the units have waited for as long as they would
 * lose. As long as nothing is known of it, one batch has to be complete before it is given the next one for
 * that. */
static bool needs_some(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  if (!known(v))
    return !v->in_flight && age_ns(s, v) >= FIRST_HOSTS * HOST_NS;
  return v->busy_ns <= HOSTS_AHEAD * host_ns(v) && age_ns(s, v) >= WAIT_PART * loss_ns(v);
}

/* After how many more arrivals it is of use to ask again; launched: what is there has gone by then. */
static uint64_t patience(const struct ag_batch_state *s, const struct ag_batch_view *v, bool launched) {
  double gap = (double)ag_gaps_quantile(&s->gaps, 0.5);
  double until_worth = worth_ns(s, v) - (launched || v->in_flight >= IN_FLIGHT ? 0 : age_ns(s, v));
  double to_knee = (ag_batch_knee(v) - (launched ? 0 : v->items)) / mean(v);
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
  double age = age_ns(s, v);
  *reason = why(v);
  if (v->in_flight && known(v) && v->busy_ns > HOSTS_AHEAD * host_ns(v) &&
      (v->lookers || v->in_flight >= IN_FLIGHT))
    return false; /* there is time */
  if (v->event == AG_ON_SUBMIT && age < worth_ns(s, v)) {
    *reason = AG_REASON_POLICY;
    return !(v->lookers && age < LOOKERS_NS) && v->items >= ag_batch_knee(v);
  }
  if (v->in_flight >= IN_FLIGHT)
    return known(v) && small_loss(v);
  return age > LATENCY_CAP_NS || small_loss(v) || (v->event != AG_ON_SUBMIT && (ends(v) || quiet(s, v))) ||
         needs_some(s, v);
}

/* How many of these units to launch now: not so many that their staging keeps the device waiting; as many as
 * fill it once or more, if others may come; and only a part of them where several devices are idle: so that
 * all have done as soon as possible, if one after the other is given its part. */
static uint64_t part(const struct ag_batch_view *v) {
  uint64_t n = v->waiting, whole;
  double soonest = INFINITY;
  for (unsigned m = 1; !v->in_flight && m <= v->idle; ++m) {
    uint64_t each = (v->waiting + m - 1) / m;
    double ns = m * ag_host_ns(&v->host, (double)each) +
                (known(v) ? time_ns(v, (double)each) : (double)each * HOST_NS);
    if (m > 1 && each < v->fill)
      break;
    if (ns < soonest) {
      soonest = ns;
      n = each;
    }
  }
  if (n / (v->in_flight ? BUSY_MOST : 2) >= enough(v))
    n = (v->in_flight ? BUSY_MOST : 1) * enough(v);
  whole = v->fill && !ends(v) ? n / v->fill * v->fill : 0;
  return whole && time_ns(v, (double)n) - time_ns(v, (double)whole) > v->device.launch_ns ? whole : n;
}

static struct ag_batch_decision decide(const struct ag_batch_choice *choice, const struct ag_batch_state *s,
                                       const struct ag_batch_view *v) {
  struct ag_batch_decision d = {0, AG_REASON_POLICY, 0, 0};
  (void)choice;
  if (v->waiting && now(s, v, &d.reason)) {
    d.units = part(v);
    d.most = d.units < v->waiting ? d.units : d.units > enough(v) ? d.units : enough(v);
  }
  if (v->event == AG_ON_SUBMIT)
    d.patience = patience(s, v, d.units);
  return d;
}

const struct ag_batch_policy ag_batch_auto = {.name = "auto", .decide = decide, .grows = true, .timed = true};
