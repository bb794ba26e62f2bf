/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What auto learns from chunks. How much work there is where is what CPU units say, for they take as long as
 * it is work; a device's time tells of its curve as well as of the work. */
#include "policy/loop/auto.h"

#include <string.h>

/* What older executions count in the speed of a CPU unit: the last three or so are its mean. */
#define OLDER 0.7
/* What a device's chunk tells of the work in it, where one of a CPU unit counts 1: its curve is known less
 * well than a rate. */
#define OF_DEVICES 0.3
/* Of what is foretold of CPU units' chunks: the relative error before there is any, and what each new one
 * counts. */
#define FIRST_ERROR 0.2
#define NEW_ERROR 0.1

size_t ag_auto_bytes(const struct ag_loop_view *view) {
  return sizeof(struct ag_auto) + ag_loop_units(&view->machine) * sizeof(struct ag_auto_unit) +
         view->machine.devices * sizeof(struct ag_auto_device);
}

void ag_auto_begin(struct ag_loop *loop, bool fresh) {
  struct ag_auto *all = ag_auto(loop);
  if (fresh)
    all->error = FIRST_ERROR;
  all->complete = all->complete && all->profile.n == loop->view.n;
  ag_profile_begin(&all->profile, loop->view.n);
  all->until = 0;
  for (unsigned u = 0; u < loop->units; ++u) {
    struct ag_auto_unit *k = ag_auto_unit(loop, u);
    k->busy_until = 0;
    k->out = false;
    k->span *= OLDER;
    if (!ag_loop_is_device(loop, u))
      continue;
    ag_auto_device(loop, u)->seen = 0;
    ag_auto_device(loop, u)->fresh = !ag_auto_is_known(loop, u);
  }
}

/* --- What is known -----------------------------------------------------------------------------------------
 */

double ag_auto_ms(const struct ag_loop *loop, unsigned u, double size, double work) {
  return ag_loop_is_device(loop, u) ? ag_curve_ms(&ag_auto_device(loop, u)->curve, size, work / size)
                                    : work / ag_auto_unit(loop, u)->rate;
}

double ag_auto_mean_rate(const struct ag_loop *loop) {
  double sum = 0;
  unsigned known = 0;
  for (unsigned u = 0; u < loop->view.machine.cpus; ++u)
    if (ag_auto_unit(loop, u)->rate > 0) {
      sum += ag_auto_unit(loop, u)->rate;
      ++known;
    }
  return known ? sum / known : 0;
}

/* --- A chunk -----------------------------------------------------------------------------------------------
 */

static void learn_rate(struct ag_auto_unit *k, double work, double ms) {
  double weight = ms / (ms + k->span);
  k->rate = k->rate > 0 ? 1 / ((1 - weight) / k->rate + weight * ms / work) : work / ms;
  k->span += ms;
}

/* A unit that is new is most likely as fast as the others, so its first chunk tells of the work, too. */
static void done_by_cpu(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, double ms) {
  struct ag_auto *all = ag_auto(loop);
  struct ag_auto_unit *k = ag_auto_unit(loop, u);
  if (!(k->rate > 0)) {
    k->rate = ag_auto_mean_rate(loop);
    k->span = ms;
  }
  if (k->rate > 0) {
    double ratio = ms * k->rate / ag_profile_work(&all->profile, from, to),
           off = ratio > 1 ? 1 - 1 / ratio : 1 - ratio;
    if (all->complete)
      all->error += NEW_ERROR * (off - all->error);
    ag_profile_learn(&all->profile, from, to, ratio, 1);
  }
  learn_rate(k, ag_profile_work(&all->profile, from, to), ms);
}

static void teach_work(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, double ms) {
  struct ag_profile *p = &ag_auto(loop)->profile;
  double foretold = ag_auto_ms(loop, u, (double)(to - from), ag_profile_work(p, from, to));
  ag_profile_learn(p, from, to, ms / foretold, OF_DEVICES);
}

static void teach_curve(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, double ms) {
  double size = (double)(to - from), work = ag_profile_work(&ag_auto(loop)->profile, from, to);
  ag_curve_learn(&ag_auto_device(loop, u)->curve, size, work / size, ms);
}

/* Whether a device's time says nothing of the work for now: the curve is new, and CPU units are there to say
 * it. */
static bool is_mute(const struct ag_loop *loop, unsigned u) {
  return ag_auto_device(loop, u)->fresh && ag_loop_cpus_alive(loop) && loop->sides != AG_SIDES_DEVICES;
}

void ag_auto_done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  double ms = (double)ns / 1e6;
  ag_auto_unit(loop, u)->busy_until = 0;
  if (!(ag_loop_rate(to - from, ns) > 0))
    return;
  if (!ag_loop_is_device(loop, u)) {
    done_by_cpu(loop, u, from, to, ms);
    return;
  }
  struct ag_auto_device *d = ag_auto_device(loop, u);
  if (d->seen < AG_AUTO_SEEN)
    d->at[d->seen++] = (struct ag_auto_seen){from, to, ms};
  if (ag_auto_is_known(loop, u) && !is_mute(loop, u))
    teach_work(loop, u, from, to, ms);
  teach_curve(loop, u, from, to, ms);
}

/* --- An execution ------------------------------------------------------------------------------------------
 */

/* When the chunks of a new device were done it was not known yet how much work was in them: one with four
 * times the mean work looks like a device that is four times as slow. Now the CPU units have said what is
 * beside them, so the curve is learnt anew. */
static void look_back(struct ag_loop *loop, unsigned u) {
  struct ag_auto_device *d = ag_auto_device(loop, u);
  const struct ag_auto_seen *end = d->at + d->seen;
  d->curve = (struct ag_curve){0};
  for (const struct ag_auto_seen *s = d->at; s < end; ++s)
    teach_curve(loop, u, s->from, s->to, s->ms);
  for (const struct ag_auto_seen *s = d->at; s < end; ++s)
    teach_work(loop, u, s->from, s->to, s->ms);
}

void ag_auto_end(struct ag_loop *loop) {
  struct ag_auto *all = ag_auto(loop);
  if (!all->complete)
    ag_profile_bridge(&all->profile);
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
    if (!all->complete && is_mute(loop, u))
      look_back(loop, u);
  double mean = ag_profile_level(&all->profile);
  all->complete = true;
  for (unsigned u = 0; u < loop->units; ++u)
    if (ag_loop_is_device(loop, u))
      ag_curve_scale(&ag_auto_device(loop, u)->curve, mean);
    else
      ag_auto_unit(loop, u)->rate /= mean;
}

/* --- Between runs of a program -----------------------------------------------------------------------------
 */

static const char curve_memo[] = "curve", speed_memo[] = "speed";

void ag_auto_keep(const struct ag_loop *loop, unsigned u, const struct ag_loop_keeper *keeper) {
  const struct ag_auto_unit *k = ag_auto_unit(loop, u);
  double x[AG_CURVE_NUMBERS];
  if (!ag_auto_is_known(loop, u))
    return;
  if (ag_loop_is_device(loop, u))
    ag_loop_put(keeper, curve_memo, u, x, ag_curve_keep(&ag_auto_device(loop, u)->curve, x));
  else
    ag_loop_put(keeper, speed_memo, u, (double[]){k->rate, k->span}, 2);
}

bool ag_auto_seed(struct ag_loop *loop, const struct ag_loop_memo *memo) {
  struct ag_auto_unit *k = ag_auto_unit(loop, memo->unit);
  if (ag_loop_is_device(loop, memo->unit))
    return !strcmp(memo->what, curve_memo) &&
           ag_curve_seed(&ag_auto_device(loop, memo->unit)->curve, memo->x, memo->n);
  if (!ag_loop_memo_is(memo, speed_memo, 2, 1e-18, 1e18))
    return false;
  k->rate = memo->x[0];
  k->span = memo->x[1];
  return true;
}
