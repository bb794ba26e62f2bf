/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* auto, ours. It is known how long each device takes for chunks of any size (policy/curve.h), how fast each
 * CPU unit is, where in the loop the work is (policy/profile.h), and until when each unit is busy with what
 * it has. So the time T can be computed at which all would be through together. A unit that asks gets what it
 * can do until T, less a margin: for a device the error of what was foretold; a CPU unit's chunks cost so
 * little that they are small anyway. A device's chunks are not larger than the size with the best throughput,
 * where larger ones were slower, nor than four times the largest tried so far. A unit that would not be
 * through with a single iteration before the others are with all of it gets none. */
#include "policy/curve.h"
#include "policy/loop_state.h"
#include "policy/profile.h"

/* A CPU unit's chunk takes this part of T, but not less than that time, for taking one costs, too. */
#define CPU_PART (1.0 / 16)
#define LEAST_CPU_MS 0.02
/* The same where there are CPU units alone, which are known better, and of one kind. */
#define CPU_PART_ALONE (1.0 / 4)
#define LEAST_CPU_MS_ALONE 0.05
/* A chunk of the best size is worth it when the size at hand has less than this of its throughput. */
#define GOOD_RATE 0.96
/* What older executions count in the speed of a CPU unit. */
#define OLDER 0.25
/* How much of what a chunk took more or less than foretold is taken to be the work's doing: the chunks of
 * devices are large, and their curves known less well. */
#define OF_CPUS 0.5
#define OF_DEVICES 0.3
enum { BISECTIONS = 24, FIRST_PER_LANE = 2, GROWTH = 4, TRIED = 2 };

struct known {
  double busy_until;     /* ms on the clock of the calls */
  double rate, span;     /* of a CPU unit: work per ms, and the time over which that is the mean */
  unsigned chunks;       /* of a device, in this execution */
  struct ag_curve curve; /* of a device, for iterations of mean cost */
};

struct everything {
  struct ag_profile profile;
  double until;       /* ms on the clock of the calls: when all are through together; 0: unknown */
  uint64_t left_then; /* iterations in the pool when that was computed */
  struct known unit[];
};

static size_t bytes(const struct ag_loop_view *view) {
  return sizeof(struct everything) +
         ((size_t)view->machine.cpus + view->machine.devices) * sizeof(struct known);
}

static struct everything *all(const struct ag_loop *loop) { return loop->mine; }

static struct known *of(const struct ag_loop *loop, unsigned u) { return &all(loop)->unit[u]; }

static struct ag_profile *profile(const struct ag_loop *loop) { return &all(loop)->profile; }

static void begin(struct ag_loop *loop, bool fresh) {
  (void)fresh;
  ag_profile_begin(profile(loop), loop->view.n);
  all(loop)->until = 0;
  for (unsigned u = 0; u < loop->units; ++u) {
    of(loop, u)->busy_until = 0;
    of(loop, u)->chunks = 0;
    of(loop, u)->span *= OLDER;
  }
}

/* --- Learning ----------------------------------------------------------------------------------------------
 */

static double ms_of(const struct ag_loop *loop, unsigned u, double size, double work) {
  const struct known *k = of(loop, u);
  return ag_loop_is_device(loop, u) ? ag_curve_ms(&k->curve, size) * work / size : work / k->rate;
}

static bool is_known(const struct ag_loop *loop, unsigned u) {
  const struct known *k = of(loop, u);
  return ag_loop_is_device(loop, u) ? ag_curve_known(&k->curve) : k->rate > 0;
}

static void done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  struct known *k = of(loop, u);
  struct ag_profile *p = profile(loop);
  double ms = (double)ns / 1e6, size = (double)(to - from), work = ag_profile_work(p, from, to);
  k->busy_until = 0;
  if (!(ag_loop_rate(to - from, ns) > 0))
    return;
  if (is_known(loop, u)) {
    double belief = ag_loop_is_device(loop, u) ? OF_DEVICES * (1 - size / (double)loop->view.n) : OF_CPUS;
    ag_profile_learn(p, from, to, ms / ms_of(loop, u, size, work), belief);
    work = ag_profile_work(p, from, to);
  }
  if (ag_loop_is_device(loop, u))
    ag_curve_learn(&k->curve, size, ms * size / work);
  else {
    double weight = ms / (ms + k->span);
    k->rate = k->rate > 0 ? 1 / ((1 - weight) / k->rate + weight * ms / work) : work / ms;
    k->span += ms;
  }
}

static void end(struct ag_loop *loop) {
  double mean = ag_profile_level(profile(loop));
  for (unsigned u = 0; u < loop->units; ++u) {
    of(loop, u)->rate /= mean;
    ag_curve_scale(&of(loop, u)->curve, mean);
  }
}

/* --- Until when --------------------------------------------------------------------------------------------
 */

struct moment {
  double now;           /* ms */
  double each;          /* rate of a CPU unit that is not known itself; 0: none is known */
  double work, density; /* of what is left: all, and for each iteration */
};

static struct moment moment_of(const struct ag_loop *loop, double now) {
  struct moment m = {now, 0, ag_profile_work(profile(loop), loop->low, loop->high), 0};
  unsigned known = 0;
  m.density = m.work / (double)ag_loop_pool(loop);
  for (unsigned u = 0; u < loop->view.machine.cpus; ++u)
    if (of(loop, u)->rate > 0) {
      m.each += of(loop, u)->rate;
      ++known;
    }
  if (known)
    m.each /= known;
  return m;
}

/* The work that the unit can do in the next ms milliseconds besides what it has; whole iterations only. */
static double capacity(const struct ag_loop *loop, unsigned u, const struct moment *m, double ms) {
  const struct known *k = of(loop, u);
  if (k->busy_until > m->now)
    ms -= k->busy_until - m->now;
  if (loop->unit[u].lost || !(ms > 0))
    return 0;
  double work = 0;
  if (!ag_loop_is_device(loop, u))
    work = (k->rate > 0 ? k->rate : m->each) * ms;
  else if (ag_curve_known(&k->curve)) {
    double size = ag_curve_size(&k->curve, ms / m->density), most = GROWTH * k->curve.largest;
    work = m->density * (size < most ? size : most);
  }
  return work < m->density ? 0 : work;
}

static double all_capacity(const struct ag_loop *loop, const struct moment *m, double ms) {
  double sum = 0;
  for (unsigned u = 0; u < loop->units && sum < m->work; ++u)
    sum += capacity(loop, u, m, ms);
  return sum;
}

/* In how many ms all can be through with what is left; 0: nothing is known of them. */
static double horizon(const struct ag_loop *loop, const struct moment *m) {
  double low = 0, high = all(loop)->until > m->now ? all(loop)->until - m->now : 1e-3;
  for (int i = 0; all_capacity(loop, m, high) < m->work; ++i) {
    if (i == 60)
      return 0;
    low = high;
    high *= 2;
  }
  for (int i = 0; i < BISECTIONS && high - low > 2e-3 * high; ++i) {
    double middle = (low + high) / 2;
    if (all_capacity(loop, m, middle) < m->work)
      low = middle;
    else
      high = middle;
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

/* Whether the unit would still have the next iteration when the others are through with all of them. */
static bool too_slow(const struct ag_loop *loop, unsigned u, double ms) {
  double one = ag_profile_work(profile(loop), loop->low, loop->low + 1);
  return ms > 0 && is_known(loop, u) && ms_of(loop, u, 1, one) > ms;
}

/* Iterations at the front that are so much work. */
static double front(const struct ag_loop *loop, double work) {
  return ag_profile_size(profile(loop), loop->low, loop->high, work);
}

static struct ag_loop_want for_device(struct ag_loop *loop, unsigned u, double now) {
  const struct ag_curve *c = &of(loop, u)->curve;
  struct moment m = moment_of(loop, now);
  if (c->known < 2) { /* two points make a line */
    uint64_t part = ag_loop_pool(loop) / (4 * (uint64_t)loop->units);
    uint64_t first = (uint64_t)ag_loop_lanes(loop, u) * FIRST_PER_LANE * (c->known ? GROWTH : 1);
    return run(loop, u, now, (double)(part < first ? part : first));
  }
  double ms = look_ahead(loop, &m), size = front(loop, capacity(loop, u, &m, ms)),
         margin = 2 * c->error + 0.02;
  if (size < 1 && too_slow(loop, u, ms))
    return (struct ag_loop_want){AG_LOOP_NONE, 0};
  if (size < 1)
    return run(loop, u, now, 1);
  double part = size * (1 - (margin < 0.5 ? margin : 0.5));
  double whole = ag_curve_ms(c, size), more = ag_curve_ms(c, part) + ag_curve_ms(c, size - part) - whole;
  if (more > margin / 2 * whole)
    part = size; /* another launch would cost more than the error */
  double best = ag_curve_best(c) * (of(loop, u)->chunks++ ? 1 : TRIED); /* it may have changed */
  if (part > best && part / ag_curve_ms(c, part) < GOOD_RATE * ag_curve_best_rate(c))
    part = best;
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
  bool alone = !loop->view.machine.devices;
  double least = alone ? LEAST_CPU_MS_ALONE : LEAST_CPU_MS, part = ms * (alone ? CPU_PART_ALONE : CPU_PART);
  least = ms > least ? least : ms;
  part = part > least ? part : least;
  return run(loop, u, now, front(loop, rate * part));
}

static struct ag_loop_want want(struct ag_loop *loop, unsigned u, uint64_t now_ns) {
  double now = (double)now_ns / 1e6;
  return ag_loop_is_device(loop, u) ? for_device(loop, u, now) : for_cpu(loop, u, now);
}

const struct ag_loop_policy ag_loop_auto = {
    .name = "auto", .bytes = bytes, .begin = begin, .want = want, .done = done, .end = end};
