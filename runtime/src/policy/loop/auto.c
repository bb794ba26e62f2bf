/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* auto, ours. It is known how long each device takes for chunks of any size (policy/loop/curve.h), how fast
 * each CPU unit is, where in the loop the work is (policy/loop/profile.h), and until when each unit is busy
 * with what it has. So the time T can be computed at which all would be through together. A unit that asks
 * gets what it can do until T, less a margin for the error of what is foretold. That error is measured: the
 * better the loop is known, the larger and fewer the chunks. A device's chunks are not larger than the size
 * with the best throughput, where larger ones were slower, nor than four times the largest tried so far, nor
 * so large that the loop would take longer than without the device if it is slower than foretold. A unit that
 * would still have a single iteration when the others are through with all of them gets none. */
#include "policy/loop/auto.h"

#include <float.h>

/* As long as the loop has never been executed as a whole a CPU unit's chunk is not more than this part of T;
 * nor later where less than OWN of what is known comes from CPU units: what devices say of the work may be
 * out by a factor. */
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
  STEPS = 64
};

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
  struct moment m = {now, ag_auto_mean_rate(loop),
                     ag_profile_work(ag_auto_profile(loop), loop->low, loop->high), 0, NULL};
  m.density = m.work / (double)ag_loop_pool(loop);
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
    if (ag_auto_unit(loop, u)->like == u)
      ag_auto_own(loop, u)->best =
          ag_curve_best(&ag_auto_own(loop, u)->curve, m.density, &ag_auto_own(loop, u)->best_rate);
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
  const struct ag_auto_unit *k = ag_auto_unit(loop, u);
  ms -= ag_most(k->busy_until - m->now, 0);
  if (!(ms > 0) || k->out || !ag_loop_works(loop, u))
    return 0;
  double work = 0;
  if (!ag_loop_is_device(loop, u))
    work = (k->rate > 0 ? k->rate : m->each) * ms;
  else if (ag_auto_is_known(loop, u)) {
    const struct ag_curve *c = ag_auto_curve(loop, u);
    ms /= ag_auto_slower(loop, u);
    double one = ag_least(ag_curve_size(c, m->density, ms), GROWTH * c->largest),
           many = ms * ag_auto_course(loop, u)->best_rate;
    bool better = ag_auto_course(loop, u)->best < one && one < many;
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
  double low = 0, high = ag_auto(loop)->until > m->now ? ag_auto(loop)->until - m->now : 1e-3, at_low = 0,
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
  ag_auto(loop)->until = ms > 0 ? m->now + ms : 0;
  ag_auto(loop)->left_then = ag_loop_pool(loop);
  return ms;
}

/* --- Dealing out -------------------------------------------------------------------------------------------
 */

static struct ag_loop_want run(struct ag_loop *loop, unsigned u, double now, double size) {
  uint64_t n = ag_loop_count(size, 1, ag_loop_pool(loop));
  double work = ag_profile_work(ag_auto_profile(loop), loop->low, loop->low + n);
  if (ag_auto_is_known(loop, u))
    ag_auto_unit(loop, u)->busy_until = now + ag_auto_ms(loop, u, (double)n, work);
  return (struct ag_loop_want){AG_LOOP_RUN, n};
}

/* How long the unit has the next iteration at least, and the size of the chunk that it is through with so
 * soon. One that is much work needs others beside it on a device, or it would be as if all of them were. */
static double soonest(const struct ag_loop *loop, unsigned u, double *size) {
  const struct ag_profile *p = ag_auto_profile(loop);
  double ms = ag_auto_ms(loop, u, 1, ag_profile_work(p, loop->low, loop->low + 1));
  *size = 1;
  if (!ag_loop_is_device(loop, u) || !(ag_peaks_work(&p->peaks, loop->low, loop->low + 1) > 0))
    return ms;
  for (uint64_t n = 2; n <= ag_loop_pool(loop) / 2 &&
                       ag_auto_ms(loop, u, (double)n, ag_profile_work(p, loop->low, loop->low + n)) < ms;
       n *= 2) {
    ms = ag_auto_ms(loop, u, (double)n, ag_profile_work(p, loop->low, loop->low + n));
    *size = (double)n;
  }
  return ms;
}

/* Whether the unit would still have the next iteration when the others are through with all of them: with
 * this one, too, the fastest of them beginning last with it. */
static bool too_slow(const struct ag_loop *loop, unsigned u, double ms) {
  if (!(ms > 0) || !ag_auto_is_known(loop, u))
    return false;
  double size, mine = soonest(loop, u, &size), best = mine;
  if (mine <= ms)
    return false;
  for (unsigned other = 0; other < loop->units; ++other)
    if (ag_loop_works(loop, other) && ag_auto_is_known(loop, other))
      best = ag_least(best, soonest(loop, other, &size));
  return mine > ms + best;
}

/* Iterations at the front that are so much work. */
static double front(const struct ag_loop *loop, double work) {
  return ag_profile_size(ag_auto_profile(loop), loop->low, loop->high, work);
}

/* Work per iteration in the next `size` ones. */
static double density_of(const struct ag_loop *loop, double size) {
  uint64_t n = ag_loop_count(size, 1, ag_loop_pool(loop));
  return ag_profile_work(ag_auto_profile(loop), loop->low, loop->low + n) / (double)n;
}

/* Of a device whose curve is known. */
static void look_at_next(const struct ag_loop *loop, unsigned u, struct next *next) {
  const struct ag_curve *c = ag_auto_curve(loop, u);
  double most = ag_least(GROWTH * c->largest, (double)ag_loop_pool(loop)), work = 0;
  next->unit = u;
  next->step = most / STEPS;
  uint64_t from = loop->low;
  for (unsigned i = 0; i < STEPS; ++i) {
    double size = (i + 1) * next->step;
    uint64_t to = loop->low + ag_loop_count(size, 1, ag_loop_pool(loop));
    work += ag_profile_work(ag_auto_profile(loop), from, to);
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
  ag_auto_unit(loop, u)->out = true;
  double ms = horizon(loop, m);
  ag_auto_unit(loop, u)->out = false;
  return ms;
}

/* How long a device may take for a chunk. One that is smaller than all that were tried is not taken to be the
 * faster for it; and where iterations may be heavier than any that it has had, all of the time grows with
 * them. Nor is it faster than it was with fewer. In chunks of a size that was tried, the error says how much
 * single iterations differ. */
static double at_worst(const struct ag_loop *loop, const struct ag_curve *c, double size, double density) {
  double rough = ag_curve_tried(c, size) ? 0 : ROUGH * root(ag_auto_profile(loop)->rough / size),
         heavy = ag_most((density + rough) / c->densest, 1), tried = ag_most(size, c->at[0].size),
         ms = ag_curve_ms(c, tried, ag_least(density, c->densest));
  return ag_most(ms * heavy * (1 + RISK * ag_curve_error(c, size)), ag_curve_least_ms(c, tried, density));
}

/* So much of a chunk that the loop does not take longer than without the device even at worst. */
static double safe(struct ag_loop *loop, unsigned u, const struct moment *m, double part) {
  const struct next *next = m->next;
  double ms = without(loop, u, m) / ag_auto_slower(loop, u);
  for (unsigned i = STEPS; i-- > 0 && ms > 0;) {
    double size = ag_most((i + 1) * next->step, 1);
    if (size < part + ag_most(next->step, 1) && next->ms[i] <= ms &&
        at_worst(loop, ag_auto_curve(loop, u), size, next->work[i] / size) <= ms)
      return ag_least(part, size);
  }
  return ms > 0 ? 0 : part;
}

/* The first two sizes: two points make a line. The second is for as many iterations as would be through with
 * the others even if no launch were the shorter for having fewer. Where these are about as many as the first
 * ones, half of those say as much and cost less. */
static double first(struct ag_loop *loop, unsigned u, const struct moment *m) {
  const struct ag_curve *c = ag_auto_curve(loop, u);
  double size = ag_loop_lanes(loop, u) * FIRST_PER_LANE, pool = (double)ag_loop_pool(loop),
         part = pool / (4 * loop->units);
  for (unsigned i = 0; i < ag_auto_course(loop, u)->tried && i < TRIALS; ++i)
    size *= GROWTH;
  ++ag_auto_course(loop, u)->tried;
  size = ag_least(size, pool);
  if (!ag_auto_is_known(loop, u))
    return ag_least(size, part);
  double ms = without(loop, u, m) / ag_auto_slower(loop, u),
         rate = c->largest / ag_curve_ms(c, c->largest, m->density);
  size = ag_least(size, ag_most(part, ag_least(ms * rate, MOST_GROWTH * c->largest)));
  return size < 2 * c->largest ? ag_least(size, c->largest / 2) : size;
}

/* Whether nobody else takes any of what is left. */
static bool is_alone(const struct ag_loop *loop, unsigned u) {
  for (unsigned other = 0; other < loop->units; ++other)
    if (other != u && ag_loop_works(loop, other) && !ag_auto_unit(loop, other)->out)
      return false;
  return true;
}

/* The next peak from `from` on that a CPU unit would have longer than ms; NULL: there is none. */
static const struct ag_peak *next_high(const struct ag_loop *loop, const struct moment *m, uint64_t from,
                                       double ms) {
  const struct ag_peaks *peaks = &ag_auto_profile(loop)->peaks;
  const struct ag_peak *peak;
  while ((peak = ag_peaks_first(peaks, from, loop->high)) && peak->work <= m->each * ms)
    from = peak->from + 1;
  return peak;
}

/* So much of a chunk that the device, unless another one is, is back when the CPU units come to the next peak
 * behind it that is not for them, and need not wait. */
static double back_in_time(const struct ag_loop *loop, unsigned u, const struct moment *m, double part,
                           double ms) {
  double rate = 0, others = DBL_MAX;
  for (unsigned other = 0; other < loop->units; ++other)
    if (!ag_loop_works(loop, other) || ag_auto_unit(loop, other)->out || other == u)
      continue;
    else if (ag_loop_is_device(loop, other))
      others = ag_least(others, ag_most(ag_auto_unit(loop, other)->busy_until - m->now, 0));
    else
      rate += ag_auto_unit(loop, other)->rate > 0 ? ag_auto_unit(loop, other)->rate : m->each;
  const struct next *next = m->next;
  for (unsigned i = STEPS; i-- > 0 && rate > 0;) {
    double size = (i + 1) * next->step;
    uint64_t end = loop->low + ag_loop_count(size, 1, ag_loop_pool(loop));
    if (size >= part + next->step)
      continue;
    const struct ag_peak *peak = next_high(loop, m, end, ms);
    if (!peak)
      return part;
    double until = ag_profile_work(ag_auto_profile(loop), end, peak->from) / rate;
    if (ag_least(ag_auto_slower(loop, u) * next->ms[i], others) <= until)
      return ag_least(part, size);
  }
  return part;
}

/* The chunk does not end where a peak may be on either side. */
static double with_peak(const struct ag_loop *loop, double size) {
  uint64_t end = loop->low + ag_loop_count(size, 1, ag_loop_pool(loop));
  const struct ag_peak *peak = ag_peaks_around(&ag_auto_profile(loop)->peaks, end);
  return peak && peak->from < end ? (double)(peak->to - loop->low) : size;
}

/* It may be needed again for a peak. */
static struct ag_loop_want nothing_for(struct ag_loop *loop, unsigned u, const struct moment *m, double ms) {
  if (next_high(loop, m, loop->low, ms))
    return (struct ag_loop_want){AG_LOOP_LATER, 0};
  ag_auto_unit(loop, u)->out = true;
  return (struct ag_loop_want){AG_LOOP_NONE, 0};
}

static struct ag_loop_want for_device(struct ag_loop *loop, unsigned u, double now) {
  const struct ag_curve *c = ag_auto_curve(loop, u);
  struct moment m = moment_of(loop, now);
  if (c->known < 2 && !too_slow(loop, u, look_ahead(loop, &m)))
    return run(loop, u, now, first(loop, u, &m));
  struct next next;
  look_at_next(loop, u, &next);
  m.next = &next;
  double ms = look_ahead(loop, &m);
  double work, size = size_by(&next, ms / ag_auto_slower(loop, u), &work);
  double margin = ag_least(2 * ag_curve_error(c, size) + 0.02, 0.5);
  if (size < 1 && too_slow(loop, u, ms))
    return nothing_for(loop, u, &m, ms);
  double at_least;
  (void)soonest(loop, u, &at_least);
  size = ag_most(size, at_least);
  double d = density_of(loop, size), part = size * (1 - margin);
  double whole = ag_curve_ms(c, size, d),
         more = ag_curve_ms(c, part, d) + ag_curve_ms(c, size - part, d) - whole;
  if (more > margin / 2 * whole || is_alone(loop, u))
    part = size; /* another launch would cost more than the error, or nobody waits for it */
  double best_rate, best = ag_curve_best(c, d, &best_rate);
  best *= ag_auto_unit(loop, u)->chunks++ ? 1 : TRIED; /* it may have changed */
  double error = ag_least(ag_curve_error(c, best), ag_curve_error(c, part));
  if (part > best && part / ag_curve_ms(c, part, d) < ag_least(GOOD_RATE, 1 - DOUBT * error) * best_rate)
    part = best;
  part = back_in_time(loop, u, &m, part, ms);
  part = ag_most(safe(loop, u, &m, ag_most(part, at_least)), at_least > 1 ? at_least : 0);
  if (part < 1)
    return nothing_for(loop, u, &m, ms);
  return run(loop, u, now, with_peak(loop, part));
}

/* When all are through changes little while little is handed out, so it is not computed for each small chunk.
 */
static struct ag_loop_want for_cpu(struct ag_loop *loop, unsigned u, double now) {
  const struct ag_auto *all = ag_auto(loop);
  double left = (double)ag_loop_pool(loop), ms = all->until - now, rate = ag_auto_unit(loop, u)->rate;
  if (!(ms > 0) || left < 0.9 * (double)all->left_then || !(rate > 0)) {
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
  if (!all->complete) {
    double part = front(loop, rate * ag_least(ms * PART_AT_FIRST, GROWTH * ag_auto_unit(loop, u)->span)),
           least = front(loop, rate * ag_least(ms, AG_AUTO_LEAST_CPU_MS));
    size = ag_least(left / (4.0 * loop->units), ag_most(part, least));
  } else {
    double margin = ag_least(MARGIN_CPU * ag_auto_error(all, size), 0.5);
    if (ag_profile_own(ag_auto_profile(loop), loop->low,
                       loop->low + ag_loop_count(size, 1, ag_loop_pool(loop))) < OWN)
      margin = ag_most(margin, 1 - PART_AT_FIRST);
    if (margin * ms > AG_AUTO_LEAST_CPU_MS / 2)
      size *= ag_most(1 - margin, ag_least(1, AG_AUTO_LEAST_CPU_MS / ms));
  }
  const struct ag_peak *peak = ag_peaks_around(&ag_auto_profile(loop)->peaks, loop->low);
  if (peak) /* it is known better by and by: half of where it may be */
    size = ag_most(size, (double)(peak->to - loop->low) / 2);
  return run(loop, u, now, size);
}

static struct ag_loop_want want(struct ag_loop *loop, unsigned u, uint64_t now_ns) {
  double now = (double)now_ns / 1e6;
  if (!(ag_auto(loop)->until > 0) && loop->low == 0)
    ag_auto(loop)->since = now;
  return ag_loop_is_device(loop, u) ? for_device(loop, u, now) : for_cpu(loop, u, now);
}

const struct ag_loop_policy ag_loop_auto = {.name = "auto",
                                            .bytes = ag_auto_bytes,
                                            .begin = ag_auto_begin,
                                            .want = want,
                                            .done = ag_auto_done,
                                            .end = ag_auto_end,
                                            .keep = ag_auto_keep,
                                            .seed = ag_auto_seed};
