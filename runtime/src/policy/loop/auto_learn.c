/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What auto learns from chunks. How much work there is where is what CPU units say, for they take as long as
 * it is work; a device's time tells of its curve as well as of the work. */
#include "policy/loop/auto.h"

#include <string.h>

/* What older executions count in the speed of a CPU unit. */
#define OLDER 0.7
/* What a chunk tells of the work in it, 1 at most: the chunks of devices are large, and their curves known
 * less well; but where CPU units have said nothing, nobody else tells. */
#define OF_CPUS 1
#define OF_DEVICES 0.3
#define OF_DEVICES_ALONE 0.65
#define LEAST_TRUST 0.4
/* And of how much slower the device is than others like it. */
#define OF_DEVICE 0.1
/* Single iterations are looked for that take a CPU unit this part of an execution, or more. */
#define PEAK (1.0 / 4)
/* Of errors: before there are any, and what each counts. */
#define FIRST_ERROR 0.2
#define NEW_ERROR 0.1

size_t ag_auto_bytes(const struct ag_loop_view *view) {
  size_t units = (size_t)view->machine.cpus + view->machine.devices;
  return sizeof(struct ag_auto) + units * sizeof(struct ag_auto_unit) +
         view->machine.devices * sizeof(struct ag_auto_course);
}

void ag_auto_begin(struct ag_loop *loop, bool fresh) {
  (void)fresh;
  struct ag_auto *all = ag_auto(loop);
  all->complete = all->complete && all->profile.n == loop->view.n;
  ag_profile_begin(&all->profile, loop->view.n);
  all->since = all->until = 0;
  for (unsigned u = 0; u < loop->units; ++u) {
    struct ag_auto_unit *k = ag_auto_unit(loop, u);
    k->busy_until = 0;
    k->chunks = 0;
    k->out = false;
    k->span *= OLDER;
    k->like = u;
    if (!ag_loop_is_device(loop, u))
      continue;
    for (unsigned other = loop->view.machine.cpus; other < u; ++other)
      if (ag_loop_lanes(loop, other) == ag_loop_lanes(loop, u) && k->like == u)
        k->like = other;
    ag_auto_own(loop, u)->seen = 0;
    ag_auto_own(loop, u)->fresh = !ag_auto_is_known(loop, u);
  }
}

/* --- What is known -----------------------------------------------------------------------------------------
 */

double ag_auto_ms(const struct ag_loop *loop, unsigned u, double size, double work) {
  return ag_loop_is_device(loop, u)
             ? ag_auto_slower(loop, u) * ag_curve_ms(ag_auto_curve(loop, u), size, work / size)
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

static unsigned log_of(double size) {
  unsigned i = 0;
  while (i + 1 < AG_AUTO_SIZES && size >= 2) {
    size /= 2;
    ++i;
  }
  return i;
}

/* Where it is not known, that of the next smaller chunks: larger ones are foretold better. */
double ag_auto_error(const struct ag_auto *all, double size) {
  for (unsigned i = log_of(size) + 1; i-- > 0;)
    if (all->told[i] > 3)
      return all->error[i];
  return FIRST_ERROR;
}

/* --- A chunk -----------------------------------------------------------------------------------------------
 */

static void learn_error(struct ag_auto *all, double size, double ratio) {
  unsigned i = log_of(size);
  double off = ratio > 1 ? 1 - 1 / ratio : 1 - ratio, weight = 1.0 / ++all->told[i];
  all->error[i] += (weight > NEW_ERROR ? weight : NEW_ERROR) * (off - all->error[i]);
}

/* It took ratio times what was foretold. A short one tells less, for taking it costs, too. */
static void learn_work_of_cpu(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, double ratio,
                              double ms) {
  if (ag_auto(loop)->complete)
    learn_error(ag_auto(loop), (double)(to - from), ratio);
  double least = ag_auto_unit(loop, u)->rate * PEAK * (ag_auto(loop)->until - ag_auto(loop)->since);
  if (least > 0)
    ratio = ag_profile_peaks(ag_auto_profile(loop), from, to, ratio, least);
  ag_profile_learn(ag_auto_profile(loop), from, to, ratio, OF_CPUS * ag_least(1, ms / AG_AUTO_LEAST_CPU_MS),
                   false);
}

static void learn_work_of_device(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, double ratio) {
  double trust = ag_most(1 - 3 * ag_auto_curve(loop, u)->error, LEAST_TRUST),
         part = (double)(to - from) / (double)loop->view.n,
         own = ag_profile_own(ag_auto_profile(loop), from, to),
         tells = OF_DEVICES_ALONE + own * (OF_DEVICES - OF_DEVICES_ALONE);
  ag_profile_learn(ag_auto_profile(loop), from, to, ratio, tells * (1 - part) * trust, true);
}

static void learn_rate(struct ag_auto_unit *k, double work, double ms) {
  double weight = ms / (ms + k->span);
  k->rate = k->rate > 0 ? 1 / ((1 - weight) / k->rate + weight * ms / work) : work / ms;
  k->span += ms;
}

/* Devices that are alike, this one included. Their mean is 1: what they have in common is the curve's, which
 * says it of sizes that none of them has now, too. */
static void level_slower(const struct ag_loop *loop, unsigned u) {
  double sum = 0;
  unsigned n = 0;
  for (unsigned other = loop->view.machine.cpus; other < loop->units; ++other)
    if (ag_auto_unit(loop, other)->like == ag_auto_unit(loop, u)->like) {
      sum += ag_auto_slower(loop, other);
      ++n;
    }
  for (unsigned other = loop->view.machine.cpus; other < loop->units; ++other)
    if (ag_auto_unit(loop, other)->like == ag_auto_unit(loop, u)->like)
      ag_auto_unit(loop, other)->slower = ag_auto_slower(loop, other) * n / sum;
}

static void learn_device(struct ag_loop *loop, unsigned u, double size, double work, double ms) {
  if (ag_auto_is_known(loop, u)) {
    double ratio = ms / ag_auto_ms(loop, u, size, work);
    ag_auto_unit(loop, u)->slower =
        ag_auto_slower(loop, u) * ag_least(ag_most(1 + OF_DEVICE * (ratio - 1), 0.5), 2);
    level_slower(loop, u);
  }
  ag_curve_learn(ag_auto_curve(loop, u), size, work / size, ms / ag_auto_slower(loop, u));
}

/* Whether a device's time says nothing of the work for now: the curve is new, and CPU units are there to say
 * it. */
static bool is_mute(const struct ag_loop *loop, unsigned u) {
  bool cpus = false;
  for (unsigned other = 0; other < loop->view.machine.cpus; ++other)
    cpus |= ag_loop_works(loop, other);
  return cpus && ag_loop_is_device(loop, u) && ag_auto_course(loop, u)->fresh;
}

void ag_auto_done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  struct ag_auto_unit *k = ag_auto_unit(loop, u);
  struct ag_profile *p = ag_auto_profile(loop);
  bool device = ag_loop_is_device(loop, u);
  double ms = (double)ns / 1e6, size = (double)(to - from), work = ag_profile_work(p, from, to);
  k->busy_until = 0;
  if (!(ag_loop_rate(to - from, ns) > 0))
    return;
  if (!device && !(k->rate > 0)) { /* most likely as fast as the others */
    k->rate = ag_auto_mean_rate(loop);
    k->span = 3 * ms;
  }
  if (ag_auto_is_known(loop, u) && !is_mute(loop, u)) {
    double ratio = ms / ag_auto_ms(loop, u, size, work);
    if (device)
      learn_work_of_device(loop, u, from, to, ratio);
    else
      learn_work_of_cpu(loop, u, from, to, ratio, ms);
    work = ag_profile_work(p, from, to);
  }
  if (!device) {
    learn_rate(k, work, ms);
    return;
  }
  struct ag_auto_course *course = ag_auto_own(loop, u);
  if (course->seen < AG_AUTO_SEEN)
    course->at[course->seen] = (struct ag_auto_seen){from, to, ms};
  ++course->seen;
  learn_device(loop, u, size, work, ms);
}

/* --- An execution ------------------------------------------------------------------------------------------
 */

/* Calls what() with each chunk of mute devices, in the order in which each of them had them. */
static void for_each_seen(struct ag_loop *loop,
                          void (*what)(struct ag_loop *, unsigned, const struct ag_auto_seen *)) {
  for (unsigned i = 0; i < AG_AUTO_SEEN; ++i)
    for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
      if (i < ag_auto_own(loop, u)->seen && is_mute(loop, u))
        what(loop, u, &ag_auto_own(loop, u)->at[i]);
}

static void see_curve(struct ag_loop *loop, unsigned u, const struct ag_auto_seen *s) {
  double size = (double)(s->to - s->from), work = ag_profile_work(ag_auto_profile(loop), s->from, s->to);
  ag_curve_learn(ag_auto_curve(loop, u), size, work / size, s->ms);
}

static void see_work(struct ag_loop *loop, unsigned u, const struct ag_auto_seen *s) {
  double size = (double)(s->to - s->from), work = ag_profile_work(ag_auto_profile(loop), s->from, s->to);
  learn_work_of_device(loop, u, s->from, s->to, s->ms / ag_auto_ms(loop, u, size, work));
}

/* When the chunks of a new device were done it was not known yet how much work was in them. Now the CPU units
 * have said what is beside them, so the curve is learnt anew; unless there were many, the last of which it
 * was learnt from with what was known by then. */
static void look_back(struct ag_loop *loop) {
  bool few = true;
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
    few &= ag_auto_own(loop, u)->seen <= AG_AUTO_SEEN;
  ag_profile_bridge(ag_auto_profile(loop));
  for (unsigned u = loop->view.machine.cpus; u < loop->units && few; ++u)
    if (is_mute(loop, u)) {
      ag_auto_unit(loop, u)->slower = 0;
      ag_auto_own(loop, u)->curve = (struct ag_curve){0};
    }
  if (few)
    for_each_seen(loop, see_curve);
  for_each_seen(loop, see_work);
}

void ag_auto_end(struct ag_loop *loop) {
  if (!ag_auto(loop)->complete)
    look_back(loop);
  double mean = ag_profile_level(ag_auto_profile(loop));
  ag_auto(loop)->complete = true;
  for (unsigned u = 0; u < loop->units; ++u)
    if (!ag_loop_is_device(loop, u))
      ag_auto_unit(loop, u)->rate /= mean;
    else if (ag_auto_unit(loop, u)->like == u)
      ag_curve_scale(ag_auto_curve(loop, u), mean);
}

/* --- Between runs of a program -----------------------------------------------------------------------------
 */

static const char curve_memo[] = "curve", speed_memo[] = "speed";

void ag_auto_keep(const struct ag_loop *loop, unsigned u, const struct ag_loop_keeper *keeper) {
  const struct ag_auto_unit *k = ag_auto_unit(loop, u);
  double x[AG_CURVE_NUMBERS];
  if (ag_loop_is_device(loop, u)) {
    const struct ag_curve *c = &ag_auto_own(loop, u)->curve;
    if (ag_curve_known(c))
      ag_loop_put(keeper, curve_memo, u, x, ag_curve_keep(c, x));
  } else if (k->rate > 0)
    ag_loop_put(keeper, speed_memo, u, (double[]){k->rate, k->span}, 2);
}

bool ag_auto_seed(struct ag_loop *loop, const struct ag_loop_memo *memo) {
  struct ag_auto_unit *k = ag_auto_unit(loop, memo->unit);
  if (ag_loop_is_device(loop, memo->unit))
    return !strcmp(memo->what, curve_memo) &&
           ag_curve_seed(&ag_auto_own(loop, memo->unit)->curve, memo->x, memo->n);
  if (!ag_loop_memo_is(memo, speed_memo, 2, 1e-18, 1e18))
    return false;
  k->rate = memo->x[0];
  k->span = memo->x[1];
  return true;
}
