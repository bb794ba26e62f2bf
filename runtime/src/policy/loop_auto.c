/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* auto, ours. It is known how long each device takes for chunks of any size (policy/curve.h), how fast each
 * CPU unit is, where in the loop the work is (policy/profile.h), and until when each unit is busy with what
 * it has. So the time T can be computed at which all would be through together. A unit that asks gets what it
 * can do until T, less a margin for the error of what is foretold. That error is measured: the better the
 * loop is known, the larger and fewer the chunks. A device's chunks are not larger than the size with the
 * best throughput, where larger ones were slower, nor than four times the largest tried so far, nor so large
 * that the loop would take longer than without the device if it is slower than foretold. A unit that would
 * still have a single iteration when the others are through with all of them gets none. */
#include "policy/curve.h"
#include "policy/loop_state.h"
#include "policy/profile.h"

#include <string.h>

/* A CPU unit's chunk takes that time at least, for taking one costs, too. */
#define LEAST_CPU_MS 0.01
/* And as long as the loop has never been executed as a whole, not more than this part of T; nor later where
 * less than OWN of what is known comes from CPU units: what devices say of the work may be out by a factor.
 */
#define PART_AT_FIRST (1.0 / 8)
#define OWN 0.5
/* The margin for a CPU unit is so many times the mean error of what was foretold: many units end together,
 * and the last one counts. */
#define MARGIN_CPU 3.5
/* A device may take longer than foretold by its mean error times this without harm. */
#define RISK 1
/* Single iterations may cost so many standard deviations more than the part of the loop that they are in. */
#define ROUGH 2
/* A chunk of the best size is worth it when the size at hand has less than this of its throughput. */
#define GOOD_RATE 0.96
/* And so many times the error less than it, for the rates may not be what they seem. */
#define DOUBT 1.5
/* What older executions count in the speed of a CPU unit. */
#define OLDER 0.7
/* What a chunk tells of the work in it, 1 at most: the chunks of devices are large, and their curves known
 * less well. */
#define OF_CPUS 1
#define OF_DEVICES 0.3
#define LEAST_TRUST 0.4
/* And of how much slower the device is than others like it. */
#define OF_DEVICE 0.1
/* Of errors: before there are any, and what each counts. */
#define FIRST_ERROR 0.2
#define NEW_ERROR 0.1
/* How exact T is. */
#define EXACT 2e-3
enum {
  DOUBLINGS = 60,
  STEPS_TO_IT = 40,
  ROOTS = 20,
  FIRST_PER_LANE = 2,
  GROWTH = 4,
  MOST_GROWTH = 8,
  TRIED = 2,
  TRIALS = 2,
  STEPS = 64,
  SIZES = 48
};

struct known {
  double busy_until; /* ms on the clock of the calls */
  double rate, span; /* of a CPU unit: work per ms, and the time over which that is the mean */
  double slower;     /* of a device: times what the course says; 0: unknown */
  unsigned chunks;   /* in this execution */
  unsigned like;     /* see below */
  bool out;          /* of this execution: it has been told NONE */
};

/* Of a device. Those with as many compute units are taken to be alike but for `slower`, so the first of them
 * has the course of all: `like` is its unit. */
struct course {
  struct ag_curve curve;
  double best, best_rate; /* at this moment: the size with the best throughput, and iterations per ms */
  unsigned tried;         /* chunks granted so far, as long as they are few */
};

struct everything {
  struct ag_profile profile;
  double until;        /* ms on the clock of the calls: when all are through together; 0: unknown */
  uint64_t left_then;  /* iterations in the pool when that was computed */
  bool complete;       /* the loop has been executed as a whole, so the work of all its parts is known */
  double error[SIZES]; /* mean relative one of what was foretold of CPU units' chunks, by log2 of the size */
  unsigned told[SIZES];
  struct known unit[]; /* and behind them a course of each device */
};

static size_t bytes(const struct ag_loop_view *view) {
  size_t units = (size_t)view->machine.cpus + view->machine.devices;
  return sizeof(struct everything) + units * sizeof(struct known) +
         view->machine.devices * sizeof(struct course);
}

static struct everything *all(const struct ag_loop *loop) { return loop->mine; }

static struct known *of(const struct ag_loop *loop, unsigned u) { return &all(loop)->unit[u]; }

/* A device's own. */
static struct course *own(const struct ag_loop *loop, unsigned u) {
  struct course *first = (void *)(all(loop)->unit + loop->units);
  return first + (u - loop->view.machine.cpus);
}

/* Devices only, too. */
static struct course *like(const struct ag_loop *loop, unsigned u) { return own(loop, of(loop, u)->like); }

static const struct ag_curve *curve(const struct ag_loop *loop, unsigned u) { return &like(loop, u)->curve; }

static struct ag_profile *profile(const struct ag_loop *loop) { return &all(loop)->profile; }

static void begin(struct ag_loop *loop, bool fresh) {
  (void)fresh;
  all(loop)->complete = all(loop)->complete && profile(loop)->n == loop->view.n;
  ag_profile_begin(profile(loop), loop->view.n);
  all(loop)->until = 0;
  for (unsigned u = 0; u < loop->units; ++u) {
    of(loop, u)->busy_until = 0;
    of(loop, u)->chunks = 0;
    of(loop, u)->out = false;
    of(loop, u)->span *= OLDER;
    of(loop, u)->like = u;
    for (unsigned other = loop->view.machine.cpus; other < u; ++other)
      if (ag_loop_lanes(loop, other) == ag_loop_lanes(loop, u) && of(loop, u)->like == u)
        of(loop, u)->like = other;
  }
}

/* --- Learning ----------------------------------------------------------------------------------------------
 */

static double slower(const struct ag_loop *loop, unsigned u) {
  return of(loop, u)->slower > 0 ? of(loop, u)->slower : 1;
}

static double ms_of(const struct ag_loop *loop, unsigned u, double size, double work) {
  const struct known *k = of(loop, u);
  return ag_loop_is_device(loop, u) ? slower(loop, u) * ag_curve_ms(curve(loop, u), size, work / size)
                                    : work / k->rate;
}

static bool is_known(const struct ag_loop *loop, unsigned u) {
  return ag_loop_is_device(loop, u) ? ag_curve_known(curve(loop, u)) : of(loop, u)->rate > 0;
}

/* Of the CPU units whose rate is known, in the mean; 0: of none. */
static double mean_rate(const struct ag_loop *loop) {
  double sum = 0;
  unsigned known = 0;
  for (unsigned u = 0; u < loop->view.machine.cpus; ++u)
    if (of(loop, u)->rate > 0) {
      sum += of(loop, u)->rate;
      ++known;
    }
  return known ? sum / known : 0;
}

static unsigned log_of(double size) {
  unsigned i = 0;
  while (i + 1 < SIZES && size >= 2) {
    size /= 2;
    ++i;
  }
  return i;
}

static void learn_error(struct everything *e, double size, double ratio) {
  unsigned i = log_of(size);
  double off = ratio > 1 ? 1 - 1 / ratio : 1 - ratio, weight = 1.0 / ++e->told[i];
  e->error[i] += (weight > NEW_ERROR ? weight : NEW_ERROR) * (off - e->error[i]);
}

/* Where it is not known, that of the next smaller chunks: larger ones are foretold better. */
static double error_of(const struct everything *e, double size) {
  for (unsigned i = log_of(size) + 1; i-- > 0;)
    if (e->told[i] > 3)
      return e->error[i];
  return FIRST_ERROR;
}

/* Whether other devices are like it. Of one alone the course says all. */
static bool is_one_of_many(const struct ag_loop *loop, unsigned u) {
  for (unsigned other = loop->view.machine.cpus; other < loop->units; ++other)
    if (other != u && of(loop, other)->like == of(loop, u)->like)
      return true;
  return false;
}

static void done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  struct known *k = of(loop, u);
  struct ag_profile *p = profile(loop);
  bool device = ag_loop_is_device(loop, u);
  double ms = (double)ns / 1e6, size = (double)(to - from), work = ag_profile_work(p, from, to);
  k->busy_until = 0;
  if (!(ag_loop_rate(to - from, ns) > 0))
    return;
  if (!device && !(k->rate > 0)) { /* most likely as fast as the others */
    k->rate = mean_rate(loop);
    k->span = 3 * ms;
  }
  if (is_known(loop, u)) {
    double ratio = ms / ms_of(loop, u, size, work),
           trust = device ? ag_most(1 - 3 * curve(loop, u)->error, LEAST_TRUST) : 1;
    if (!device && all(loop)->complete)
      learn_error(all(loop), size, ratio);
    ag_profile_learn(p, from, to, ratio,
                     device ? OF_DEVICES * (1 - size / (double)loop->view.n) * trust : OF_CPUS, device);
    work = ag_profile_work(p, from, to);
  }
  if (device) {
    if (is_known(loop, u) && is_one_of_many(loop, u))
      k->slower =
          slower(loop, u) * ag_least(ag_most(1 + OF_DEVICE * (ms / ms_of(loop, u, size, work) - 1), 0.5), 2);
    ag_curve_learn(&like(loop, u)->curve, size, work / size, ms / slower(loop, u));
  } else {
    double weight = ms / (ms + k->span);
    k->rate = k->rate > 0 ? 1 / ((1 - weight) / k->rate + weight * ms / work) : work / ms;
    k->span += ms;
  }
}

static void end(struct ag_loop *loop) {
  double mean = ag_profile_level(profile(loop));
  all(loop)->complete = true;
  for (unsigned u = 0; u < loop->units; ++u)
    if (!ag_loop_is_device(loop, u))
      of(loop, u)->rate /= mean;
    else if (of(loop, u)->like == u)
      ag_curve_scale(&own(loop, u)->curve, mean);
}

/* --- Until when --------------------------------------------------------------------------------------------
 */

/* What a device would get next: chunks of i + 1 parts of the largest that is sensible. */
struct next {
  unsigned unit;
  double step; /* iterations in a part */
  double ms[STEPS], work[STEPS];
  double empty; /* ms of a chunk with nothing in it */
};

struct moment {
  double now;           /* ms */
  double each;          /* rate of a CPU unit that is not known itself; 0: none is known */
  double work, density; /* of what is left: all, and for each iteration */
  const struct next *next;
};

static struct moment moment_of(const struct ag_loop *loop, double now) {
  struct moment m = {now, mean_rate(loop), ag_profile_work(profile(loop), loop->low, loop->high), 0, NULL};
  m.density = m.work / (double)ag_loop_pool(loop);
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
    if (of(loop, u)->like == u)
      own(loop, u)->best = ag_curve_best(&own(loop, u)->curve, m.density, &own(loop, u)->best_rate);
  return m;
}

/* Iterations of the largest chunk that is through in so many ms. Larger ones may take less time, where light
 * iterations follow heavy ones that do not fill the device. */
static double size_by(const struct next *next, double ms, double *work) {
  unsigned i = STEPS;
  while (i && next->ms[i - 1] > ms)
    --i;
  *work = i ? next->work[i - 1] : 0;
  if (i == STEPS)
    return i * next->step;
  double before = i ? next->ms[i - 1] : next->empty,
         part = ag_most((ms - before) / (next->ms[i] - before), 0);
  *work += part * (next->work[i] - *work);
  return (i + part) * next->step;
}

/* The work that the unit can do in the next ms milliseconds besides what it has; whole iterations only. */
static double capacity(const struct ag_loop *loop, unsigned u, const struct moment *m, double ms) {
  const struct known *k = of(loop, u);
  ms -= ag_most(k->busy_until - m->now, 0);
  if (!(ms > 0) || k->out || !ag_loop_works(loop, u))
    return 0;
  double work = 0;
  if (!ag_loop_is_device(loop, u))
    work = (k->rate > 0 ? k->rate : m->each) * ms;
  else if (is_known(loop, u)) {
    const struct ag_curve *c = curve(loop, u);
    ms /= slower(loop, u);
    double one = ag_least(ag_curve_size(c, m->density, ms), GROWTH * c->largest),
           many = ms * like(loop, u)->best_rate;
    bool better = like(loop, u)->best < one && one < many;
    work = m->density * one;
    if (m->next && m->next->unit == u)
      (void)size_by(m->next, ms, &work);
    work = better ? ag_most(work, m->density * many) : work;
  }
  return work < m->density ? 0 : work;
}

static double all_capacity(const struct ag_loop *loop, const struct moment *m, double ms) {
  double sum = 0;
  for (unsigned u = 0; u < loop->units; ++u)
    sum += capacity(loop, u, m, ms);
  return sum;
}

/* In how many ms all can be through with what is left; 0: nothing is known of them. What they can do grows
 * with the time nearly in a straight line, so it is looked for a little to both sides of where that leads to,
 * and now and then in the middle, for where it does not. */
static double horizon(const struct ag_loop *loop, const struct moment *m) {
  double low = 0, high = all(loop)->until > m->now ? all(loop)->until - m->now : 1e-3, at_low = 0,
         at_high = all_capacity(loop, m, high);
  for (int i = 0; at_high < m->work; ++i) {
    if (i == DOUBLINGS)
      return 0;
    low = high;
    at_low = at_high;
    high *= 2;
    at_high = all_capacity(loop, m, high);
  }
  for (int i = 0; i < STEPS_TO_IT && high - low > EXACT * high; ++i) {
    double line = low + (high - low) * (m->work - at_low) / (at_high - at_low),
           aside = line + (i % 3 ? -EXACT : EXACT) / 3 * high, middle = (low + high) / 2;
    if (i % 3 < 2 && aside > low && aside < high)
      middle = aside;
    double there = all_capacity(loop, m, middle);
    if (there < m->work) {
      low = middle;
      at_low = there;
    } else {
      high = middle;
      at_high = there;
    }
  }
  return high;
}

static double look_ahead(struct ag_loop *loop, const struct moment *m) {
  double ms = horizon(loop, m);
  all(loop)->until = ms > 0 ? m->now + ms : 0;
  all(loop)->left_then = ag_loop_pool(loop);
  return ms;
}

/* --- Dealing out -------------------------------------------------------------------------------------------
 */

static struct ag_loop_want run(struct ag_loop *loop, unsigned u, double now, double size) {
  uint64_t n = ag_loop_count(size, 1, ag_loop_pool(loop));
  double work = ag_profile_work(profile(loop), loop->low, loop->low + n);
  if (is_known(loop, u))
    of(loop, u)->busy_until = now + ms_of(loop, u, (double)n, work);
  return (struct ag_loop_want){AG_LOOP_RUN, n};
}

/* Whether the unit would still have the next iteration when the others are through with all of them: with
 * this one, too, the fastest of them beginning last with it. */
static bool too_slow(const struct ag_loop *loop, unsigned u, double ms) {
  if (!(ms > 0) || !is_known(loop, u))
    return false;
  double one = ag_profile_work(profile(loop), loop->low, loop->low + 1), mine = ms_of(loop, u, 1, one),
         best = mine;
  if (mine <= ms)
    return false;
  for (unsigned other = 0; other < loop->units; ++other)
    if (ag_loop_works(loop, other) && is_known(loop, other))
      best = ag_least(best, ms_of(loop, other, 1, one));
  return mine > ms + best;
}

/* Iterations at the front that are so much work. */
static double front(const struct ag_loop *loop, double work) {
  return ag_profile_size(profile(loop), loop->low, loop->high, work);
}

/* Work per iteration in the next `size` ones. */
static double density_of(const struct ag_loop *loop, double size) {
  uint64_t n = ag_loop_count(size, 1, ag_loop_pool(loop));
  return ag_profile_work(profile(loop), loop->low, loop->low + n) / (double)n;
}

/* Of a device whose curve is known. */
static void look_at_next(const struct ag_loop *loop, unsigned u, struct next *next) {
  const struct ag_curve *c = curve(loop, u);
  double most = ag_least(GROWTH * c->largest, (double)ag_loop_pool(loop)), work = 0;
  next->unit = u;
  next->step = most / STEPS;
  uint64_t from = loop->low;
  for (unsigned i = 0; i < STEPS; ++i) {
    double size = (i + 1) * next->step;
    uint64_t to = loop->low + ag_loop_count(size, 1, ag_loop_pool(loop));
    work += ag_profile_work(profile(loop), from, to);
    from = to;
    next->work[i] = work;
    next->ms[i] = ag_curve_ms(c, size, work / (double)(to - loop->low));
  }
  next->empty = ag_least(ag_curve_ms(c, 0, next->work[0] / next->step), next->ms[0]);
}

/* The square root, well enough. */
static double root(double x) {
  double r = x > 1 ? x : 1;
  for (int i = 0; i < ROOTS && x > 0; ++i)
    r = (r + x / r) / 2;
  return x > 0 ? r : 0;
}

/* In how many ms the others would be through with what is left without the device; 0: nothing is known of
 * them. */
static double without(struct ag_loop *loop, unsigned u, const struct moment *m) {
  of(loop, u)->out = true;
  double ms = horizon(loop, m);
  of(loop, u)->out = false;
  return ms;
}

/* So much of a chunk that the loop does not take longer than without the device even when the device takes
 * longer than foretold, as it may where iterations are heavier than any that it has had. In chunks of a size
 * that was tried, the error says how much single iterations differ. */
static double safe(struct ag_loop *loop, unsigned u, const struct moment *m, double part) {
  const struct ag_curve *c = curve(loop, u);
  const struct next *next = m->next;
  double ms = without(loop, u, m) / slower(loop, u);
  for (unsigned i = STEPS; i-- > 0 && ms > 0;) {
    double size = ag_most((i + 1) * next->step, 1);
    if (size >= part + ag_most(next->step, 1) || next->ms[i] > ms)
      continue;
    double rough = ag_curve_tried(c, size) ? 0 : ROUGH * root(profile(loop)->rough / size),
           heavy = ag_most((next->work[i] / size + rough) / c->densest, 1);
    if (next->ms[i] * heavy * (1 + RISK * ag_curve_error(c, size)) <= ms)
      return ag_least(part, size);
  }
  return ms > 0 ? 0 : part;
}

/* The first sizes, each larger than the one before: two points make a line. After the first, as many
 * iterations as would be through with the others even if no launch were the shorter for having fewer. */
static double first(struct ag_loop *loop, unsigned u, const struct moment *m) {
  const struct ag_curve *c = curve(loop, u);
  double size = ag_loop_lanes(loop, u) * FIRST_PER_LANE, pool = (double)ag_loop_pool(loop),
         part = pool / (4 * loop->units);
  for (unsigned i = 0; i < like(loop, u)->tried && i < TRIALS; ++i)
    size *= GROWTH;
  ++like(loop, u)->tried;
  if (is_known(loop, u)) {
    double ms = without(loop, u, m) / slower(loop, u),
           rate = c->largest / ag_curve_ms(c, c->largest, m->density);
    part = ag_most(part, ag_least(ms * rate, MOST_GROWTH * c->largest));
  }
  return ag_least(size, ag_least(part, pool));
}

/* Whether nobody else takes any of what is left. */
static bool is_alone(const struct ag_loop *loop, unsigned u) {
  for (unsigned other = 0; other < loop->units; ++other)
    if (other != u && ag_loop_works(loop, other) && !of(loop, other)->out)
      return false;
  return true;
}

static struct ag_loop_want for_device(struct ag_loop *loop, unsigned u, double now) {
  const struct ag_curve *c = curve(loop, u);
  struct moment m = moment_of(loop, now);
  if (c->known < 2 && !too_slow(loop, u, look_ahead(loop, &m)))
    return run(loop, u, now, first(loop, u, &m));
  struct next next;
  look_at_next(loop, u, &next);
  m.next = &next;
  double ms = look_ahead(loop, &m);
  double work, size = size_by(&next, ms / slower(loop, u), &work);
  double margin = ag_least(2 * ag_curve_error(c, size) + 0.02, 0.5);
  if (size < 1 && too_slow(loop, u, ms)) {
    of(loop, u)->out = true;
    return (struct ag_loop_want){AG_LOOP_NONE, 0};
  }
  if (size < 1)
    return run(loop, u, now, 1);
  double d = density_of(loop, size), part = size * (1 - margin);
  double whole = ag_curve_ms(c, size, d),
         more = ag_curve_ms(c, part, d) + ag_curve_ms(c, size - part, d) - whole;
  if (more > margin / 2 * whole || is_alone(loop, u))
    part = size; /* another launch would cost more than the error, or nobody waits for it */
  double best_rate, best = ag_curve_best(c, d, &best_rate);
  best *= of(loop, u)->chunks++ ? 1 : TRIED; /* it may have changed */
  double error = ag_least(ag_curve_error(c, best), ag_curve_error(c, part));
  if (part > best && part / ag_curve_ms(c, part, d) < ag_least(GOOD_RATE, 1 - DOUBT * error) * best_rate)
    part = best;
  part = safe(loop, u, &m, ag_most(part, 1));
  if (part < 1) {
    of(loop, u)->out = true;
    return (struct ag_loop_want){AG_LOOP_NONE, 0};
  }
  return run(loop, u, now, part);
}

/* When all are through changes little while little is handed out, so it is not computed for each small chunk.
 */
static struct ag_loop_want for_cpu(struct ag_loop *loop, unsigned u, double now) {
  const struct everything *e = all(loop);
  double left = (double)ag_loop_pool(loop), ms = e->until - now, rate = of(loop, u)->rate;
  if (!(ms > 0) || left < 0.9 * (double)e->left_then || !(rate > 0)) {
    struct moment m = moment_of(loop, now);
    ms = look_ahead(loop, &m);
    rate = rate > 0 ? rate : m.each;
  }
  if (!(rate > 0)) { /* nothing is known: little, to know something soon */
    double part = left / (32.0 * loop->units);
    return run(loop, u, now, part < 64 ? part : 64);
  }
  if (too_slow(loop, u, ms))
    return (struct ag_loop_want){AG_LOOP_LATER, 0};
  double size = front(loop, rate * ms);
  if (!e->complete) {
    double part = front(loop, rate * ms * PART_AT_FIRST),
           least = front(loop, rate * ag_least(ms, LEAST_CPU_MS));
    size = ag_least(left / (4.0 * loop->units), ag_most(part, least));
  } else {
    double margin = ag_least(MARGIN_CPU * error_of(e, size), 0.5);
    if (ag_profile_own(profile(loop), loop->low, loop->low + ag_loop_count(size, 1, ag_loop_pool(loop))) <
        OWN)
      margin = ag_most(margin, 1 - PART_AT_FIRST);
    if (margin * ms > LEAST_CPU_MS / 2)
      size *= ag_most(1 - margin, ag_least(1, LEAST_CPU_MS / ms));
  }
  return run(loop, u, now, size);
}

static struct ag_loop_want want(struct ag_loop *loop, unsigned u, uint64_t now_ns) {
  double now = (double)now_ns / 1e6;
  return ag_loop_is_device(loop, u) ? for_device(loop, u, now) : for_cpu(loop, u, now);
}

/* --- Between runs of a program ------------------------------------------------------------------------ */

static const char curve_memo[] = "curve", speed_memo[] = "speed";

static void keep(const struct ag_loop *loop, unsigned u, const struct ag_loop_keeper *keeper) {
  const struct known *k = of(loop, u);
  double x[AG_CURVE_NUMBERS];
  if (ag_loop_is_device(loop, u)) {
    if (ag_curve_known(&own(loop, u)->curve))
      ag_loop_put(keeper, curve_memo, u, x, ag_curve_keep(&own(loop, u)->curve, x));
  } else if (k->rate > 0)
    ag_loop_put(keeper, speed_memo, u, (double[]){k->rate, k->span}, 2);
}

static bool seed(struct ag_loop *loop, const struct ag_loop_memo *memo) {
  struct known *k = of(loop, memo->unit);
  if (ag_loop_is_device(loop, memo->unit))
    return !strcmp(memo->what, curve_memo) && ag_curve_seed(&own(loop, memo->unit)->curve, memo->x, memo->n);
  if (!ag_loop_memo_is(memo, speed_memo, 2, 1e-18, 1e18))
    return false;
  k->rate = memo->x[0];
  k->span = memo->x[1];
  return true;
}

const struct ag_loop_policy ag_loop_auto = {.name = "auto",
                                            .bytes = bytes,
                                            .begin = begin,
                                            .want = want,
                                            .done = done,
                                            .end = end,
                                            .keep = keep,
                                            .seed = seed};
