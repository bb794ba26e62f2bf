/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* As long as many batches are to follow nobody knows how the last ones will meet the end of the step, so
 * there are formulas: batches grow to where the device takes as long for one as the units of the next one
 * take to come. When few are to follow it matters whether the device is free when the last units have come,
 * and how many waves these are: the batches are gone through one by one. */
#include "policy/batch/forecast.h"

#include <math.h> /* INFINITY; nothing that needs the mathematics library */

/* Few batches: the last unit comes before so many of the least ones are done, one after the other. */
#define NEAR 4
enum { MOST_BATCHES = 16 };

double ag_forecast_cost(const struct ag_batch_state *s, const struct ag_batch_view *v, double from,
                        double units) {
  const struct ag_outline *before = &s->phase.last;
  double waiting = (double)v->waiting, here = from < waiting ? ag_least(waiting - from, units) : 0;
  double at = (double)(s->arrivals - s->phase.begun) + ag_most(from - waiting, 0), later = units - here;
  if (!(later > 0) || !before->units)
    return units * ag_batch_mean(v);
  double cost = ag_outline_cost(before, at + later) - ag_outline_cost(before, at);
  return here * ag_batch_mean(v) + ag_most(cost, 0);
}

/* Of units that are still to come nobody knows the longest one: it is taken to be as long as usual, or, as
 * far as the place in the step tells what a unit costs, as at the dearest of their places in the last one. */
static double longest_of(const struct ag_batch_state *s, const struct ag_batch_view *v, double from,
                         double units) {
  double usual = ag_longest_of(&v->usual, units), waiting = (double)v->waiting;
  if (!(s->phase.smooth > 0) || !(usual > 0))
    return usual;
  double at = (double)(s->arrivals - s->phase.begun) + ag_most(from - waiting, 0);
  double later = units - (from < waiting ? ag_least(waiting - from, units) : 0);
  double there = later > 0 ? ag_outline_dearest(&s->phase.last, at, at + later) : 0;
  there = ag_most(there, from < waiting ? v->longest : 0);
  return there > 0 ? usual + s->phase.smooth * (there - usual) : usual;
}

/* How long the device takes for so many units from there on. */
static double usual_ns(const struct ag_batch_state *s, const struct ag_batch_view *v, double from,
                       double units, double cost) {
  return ag_times_longest(&v->device, units, cost, longest_of(s, v, from, units));
}

/* --- Far from the end ------------------------------------------------------------------------------------
 */

/* What launches take of the threads until all units are on the device, if the first has n of them and the
 * last one `last`. Where no thread has time they put off what comes, and those between are as large as the
 * first. */
static double launches_ns(const struct ag_batch_view *v, double n, double last, double all) {
  if (ag_batch_helped(v))
    return ag_batch_there_ns(v, last);
  double launches = 1 + ag_most(1, (all - n) / n);
  return (launches * v->host.launch_ns + all * v->host.unit_ns) / (v->active > 1 ? v->active : 1) +
         ag_host_ns(&v->in, last);
}

/* When so many units are done, which cost so much, that go to this device when it is done, or that all share
 * then; no part takes less than a batch does. */
static double shared_ns(const struct ag_batch_state *s, const struct ag_batch_view *v, double from,
                        double units, double cost, double done, bool helped) {
  double alone = done + usual_ns(s, v, from, units, cost), others = v->all_busy_ns - v->busy_ns;
  if (!helped || v->devices < 2)
    return alone;
  double m = v->devices, each = usual_ns(s, v, from, units / m, cost / m), other = others / (m - 1);
  double all = ag_most((done + others) / m + each, ag_most(done, other));
  return ag_least(ag_least(alone, other + usual_ns(s, v, from, units / (m - 1), cost / (m - 1))), all);
}

/* What comes while one batch runs is the next one, so they grow until the device takes as long for one as the
 * units of the next one take to come, or as far as there is time for; and the last one is still to be done,
 * and to be committed, when its last unit has come. Of several devices that get batches by turns each sees
 * its part of what comes. */
static double by_formula(const struct ag_batch_state *s, const struct ag_batch_view *v,
                         const struct ag_rest *r, double n, double wait, bool helped) {
  double m = r->devices > 1 ? r->devices : 1, rest = r->units - n, own = rest / m, gap = r->gap_ns * m;
  double batch = ag_times_longest(&v->device, n, ag_forecast_cost(s, v, 0, n), v->longest);
  double done = ag_most(ag_batch_busy_ns(v), wait + ag_batch_there_ns(v, n)) + batch;
  if (!(rest > 0) || !(gap > 0))
    return done + ag_batch_back_ns(v, n);
  double cost = ag_forecast_cost(s, v, n, rest), unit = v->device.item_ns * cost / rest;
  double one = ag_batch_time_ns(v, 1);
  double grown = ag_most(one / gap, n + v->device.launch_ns / gap * ag_most(0, r->come_ns - wait) / batch);
  double last = ag_least(gap > unit ? ag_least(grown, one / (gap - unit)) : grown, own);
  double shared = shared_ns(s, v, n, rest, cost, done, helped || m > 1);
  double staged = r->come_ns + launches_ns(v, n, last, r->units) +
                  usual_ns(s, v, r->units - last, last, ag_forecast_cost(s, v, r->units - last, last));
  return ag_most(ag_most(done, shared), staged) + ag_batch_back_ns(v, last);
}

/* --- Near the end ----------------------------------------------------------------------------------------
 */

/* Times from now on. */
struct course {
  const struct ag_batch_state *s;
  const struct ag_batch_view *v;
  struct ag_rest rest;
  double now, taken;             /* when a thread may launch again; units that have been launched by then */
  double free[AG_MODEL_DEVICES]; /* when each device is through, the first one first */
  unsigned devices;
};

/* The first device gets a batch. */
static void occupy(struct course *c, double until) {
  unsigned k = 0;
  for (; k + 1 < c->devices && c->free[k + 1] < until; ++k)
    c->free[k] = c->free[k + 1];
  c->free[k] = until;
}

/* n units are launched at that time, and take so long. Other threads that have time stage what follows. */
static void launch(struct course *c, double n, double ns) {
  double host = ag_host_ns(&c->v->host, n);
  occupy(c, ag_most(c->free[0], c->now + host + ag_host_ns(&c->v->in, n)) + ns);
  c->now += host / (1 + c->v->lookers);
  c->taken += n;
}

/* When the first device gets its next batch. */
static double next_at(const struct course *c) {
  return ag_most(c->now, c->free[0] - AG_HOSTS_AHEAD * c->v->host.launch_ns - c->v->in.launch_ns);
}

static double next_ns(const struct course *c, double units) {
  return usual_ns(c->s, c->v, c->taken, units, ag_forecast_cost(c->s, c->v, c->taken, units));
}

/* What has come until now is launched, at least one unit; what would begin another wave is left for the next
 * batch. */
static void launch_next(struct course *c) {
  double waiting = (double)c->v->waiting, wave = (double)c->v->fill;
  double n = ag_least(c->rest.units, waiting + c->now / c->rest.gap_ns) - c->taken;
  if (n < 1) {
    n = 1;
    c->now = (c->taken + 1 - waiting) * c->rest.gap_ns;
  }
  double ns = next_ns(c, n);
  if (wave > 0 && n > wave && n < c->rest.units - c->taken) {
    double whole = (double)(uint64_t)(n / wave) * wave, less = next_ns(c, whole);
    if (ns - less > c->v->device.launch_ns) {
      n = whole;
      ns = less;
    }
  }
  launch(c, n, ns);
  if (!ag_batch_helped(c->v)) /* the launch has put off what is to come */
    c->rest.come_ns += c->v->host.launch_ns;
}

/* When all is done if what is left, which has come, is shared by as many devices as are of use. */
static double share_rest(const struct course *c) {
  const struct ag_batch_view *v = c->v;
  double n = c->rest.units - c->taken, last = c->free[c->devices - 1], sum = 0, best = INFINITY, commit = 0;
  if (!(n > 0))
    return last + ag_batch_back_ns(v, c->taken);
  unsigned stage = ag_batch_stagers(v);
  double now = stage > 1 ? c->rest.come_ns : ag_most(c->now, c->rest.come_ns);
  double cost = ag_forecast_cost(c->s, v, c->taken, n);
  for (unsigned m = 1; m <= c->devices; ++m) {
    double part = n / m, staged = stage > m ? ag_most(n / stage, ag_least(part, (double)v->fill)) : part;
    unsigned rounds = (m + stage - 1) / stage;
    sum += ag_most(c->free[m - 1], now);
    double end = ag_most(sum / m, now + rounds * ag_host_ns(&v->host, staged) + ag_host_ns(&v->in, staged)) +
                 usual_ns(c->s, v, c->taken, part, cost / m);
    if (end < best) {
      best = end;
      commit = ag_batch_back_ns(v, staged);
    }
  }
  return ag_most(last, best) + commit;
}

/* Whichever device is through first gets what has come meanwhile; the others are through at even intervals.
 */
static double one_by_one(const struct ag_batch_state *s, const struct ag_batch_view *v,
                         const struct ag_rest *rest, double n, double wait) {
  struct course c = {.s = s, .v = v, .rest = *rest, .now = wait, .devices = v->devices ? v->devices : 1};
  c.devices = c.devices < AG_MODEL_DEVICES ? c.devices : AG_MODEL_DEVICES;
  c.free[0] = ag_batch_busy_ns(v);
  for (unsigned k = 1; k < c.devices; ++k)
    c.free[k] = (v->all_busy_ns - v->busy_ns) / (c.devices - 1) * 2 * k / c.devices;
  if (!(n > 0))
    return share_rest(&c);
  if (!ag_batch_helped(v) && v->event == AG_ON_SUBMIT) /* it submits the last ones after the launch */
    c.rest.come_ns += ag_host_ns(&v->host, n);
  launch(&c, n, ag_times_longest(&v->device, n, ag_forecast_cost(s, v, 0, n), v->longest));
  double soonest = share_rest(&c);
  for (int i = 0; i < MOST_BATCHES && c.taken < c.rest.units && next_at(&c) < c.rest.come_ns; ++i) {
    c.now = next_at(&c);
    launch_next(&c);
    soonest = ag_least(soonest, share_rest(&c));
  }
  return soonest;
}

bool ag_forecast_is_far(const struct ag_batch_view *v, const struct ag_rest *rest) {
  return !(rest->gap_ns > 0 && rest->come_ns < NEAR * ag_batch_time_ns(v, 1));
}

double ag_forecast_ns(const struct ag_batch_state *s, const struct ag_batch_view *v,
                      const struct ag_rest *rest, double n, double wait, bool helped) {
  return !ag_forecast_is_far(v, rest) || !(n > 0) ? one_by_one(s, v, rest, n, wait)
                                                  : by_formula(s, v, rest, n, wait, helped);
}
