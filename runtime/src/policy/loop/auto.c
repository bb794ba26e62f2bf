/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* auto, ours. A model foretells how long each unit takes for a chunk: the curve of each device
 * (policy/loop/curve.h), the speed of each CPU unit, and where in the loop the work is
 * (policy/loop/profile.h). One question is asked of it: when is all done if this unit gets this chunk? The
 * earliest end wins.
 *
 * A CPU unit is as fast with small chunks as with large ones, so all chunks that it is through with by the
 * end are as good, and it gets such a one, less a margin for the error of what is foretold. That error is
 * measured: the better the loop is known, the larger and fewer the chunks. For a device two chunks are
 * compared: one that ends together with all others, and one of the size with which the device is fastest.
 * Where a single iteration is heavy more sizes are, and CPU units' chunks end before it: a device that is
 * back in time has it among many others. Where all is done sooner without the unit it gets nothing, and a
 * device gets no chunk with which all would be done later than without it if that takes longer by the error
 * of its curve. */
#include "policy/loop/auto.h"

#include <float.h>

/* Two ends, in parts of them, that are taken to be the same: how exact an end is. */
#define SAME 5e-4
/* How exact the size of a device's chunk is, in parts of it: its time is foretold with 2 % at best. */
#define EXACT_SIZE 0.01
/* The end is foretold anew when that part of what was left then is gone. */
#define GONE 0.1
/* As long as the loop has never been executed as a whole a CPU unit's chunk is this part of what it could do
 * until the end: the iterations to come may be eight times as heavy without harm. */
#define PART_AT_FIRST (1.0 / 8)
/* Later the margin is that many times the mean error, for many units end together, and the last one counts.
 * It is half of the chunk at most. */
#define MARGIN 5
#define MOST_MARGIN 0.5
/* ms that a CPU unit's chunk takes at least: twenty times what it costs to take one. */
#define LEAST_MS 0.01

enum {
  GROWTH = 4,         /* a unit gets that many times what it has shown so far, and not more */
  AGAIN = 2,          /* times the fastest size is a device's first chunk: larger ones may be faster by now */
  TRIALS = 2,         /* chunks of a device before there is a curve to go by: two points make a line */
  FIRST_PER_LANE = 2, /* iterations for each compute unit of a device in its first chunk */
  FIRST_OF_SHARE = 4, /* a trial is that part of the device's share of what is left at most, */
  FIRST_OF_CPUS = 32, /* and the first chunk of a CPU unit that part */
  FIRST_ITEMS = 64,   /* or so many iterations */
  SIZES = 32,         /* of a device's chunk are compared where some iterations are heavy */
  DOUBLINGS = 60,     /* of a time that is too short for all: from 1 us to 30,000 years */
  HALVINGS = 40       /* that narrow down a time between two */
};

/* --- When is all done? -------------------------------------------------------------------------------------
 */

/* What is left at a moment, and what is foretold of the CPU units. Of the devices that is in their state. */
struct moment {
  double now;           /* ms on the clock of the calls */
  double work, density; /* of what is left: all, and for each iteration */
  double each;          /* rate of a CPU unit that is not known itself; 0: none is known */
  double rate, owed;    /* of all CPU units together, and the work that they are busy with still */
};

/* What later chunks of the device take is foretold by a straight line, its curve without r, for that is soon
 * computed; what r says of sizes is in the best one. */
static void foretell_device(const struct ag_loop *loop, unsigned u, const struct moment *m) {
  struct ag_auto_device *d = ag_auto_device(loop, u);
  const struct ag_auto_unit *k = ag_auto_unit(loop, u);
  bool works = ag_loop_works(loop, u) && !k->out && ag_auto_is_known(loop, u);
  d->wait = works ? ag_most(k->busy_until - m->now, 0) : DBL_MAX;
  d->empty = d->curve.launch + m->density * d->curve.fill;
  d->per = m->density * d->curve.per;
  d->best = ag_curve_best(&d->curve, m->density, &d->best_rate);
}

static struct moment moment_of(const struct ag_loop *loop, double now) {
  struct moment m = {.now = now,
                     .work = ag_profile_work(&ag_auto(loop)->profile, loop->low, loop->high),
                     .each = ag_auto_mean_rate(loop)};
  m.density = m.work / (double)ag_loop_pool(loop);
  for (unsigned u = 0; u < loop->view.machine.cpus; ++u) {
    const struct ag_auto_unit *k = ag_auto_unit(loop, u);
    double rate = k->rate > 0 ? k->rate : m.each;
    if (!ag_loop_works(loop, u))
      continue;
    m.rate += rate;
    m.owed += rate * ag_most(k->busy_until - now, 0);
  }
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
    foretell_device(loop, u, &m);
  return m;
}

/* The work that all units can do in the next ms milliseconds. A device has one chunk in that time, of up to
 * GROWTH times what it has shown, or many of the best size. */
static double capacity(const struct ag_loop *loop, const struct moment *m, double ms) {
  double work = ag_most(m->rate * ms - m->owed, 0);
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u) {
    const struct ag_auto_device *d = ag_auto_device(loop, u);
    double time = ms - d->wait;
    if (!(time > 0))
      continue;
    double one = ag_least((time - d->empty) / d->per, GROWTH * ag_curve_largest(&d->curve));
    work += m->density * ag_most(d->best < one ? ag_most(one, time * d->best_rate) : one, 0);
  }
  return work;
}

/* In how many ms all can be done; 0: nothing is known of any unit. */
static double end_of(const struct ag_loop *loop, const struct moment *m) {
  double low = 0, high = ag_most(ag_auto(loop)->until - m->now, 1e-3);
  if (!(m->work > 0))
    return 0;
  for (int i = 0; capacity(loop, m, high) < m->work; ++i) {
    if (i == DOUBLINGS)
      return 0;
    low = high;
    high *= 2;
  }
  for (int i = 0; i < HALVINGS && high - low > SAME * high; ++i) {
    double middle = (low + high) / 2;
    *(capacity(loop, m, middle) < m->work ? &low : &high) = middle;
  }
  return high;
}

/* The end is kept, for CPU units that ask soon. */
static double look_ahead(struct ag_loop *loop, const struct moment *m) {
  double ms = end_of(loop, m);
  ag_auto(loop)->until = ms > 0 ? m->now + ms : 0;
  ag_auto(loop)->left_then = ag_loop_pool(loop);
  return ms;
}

/* The work in the next iterations, one at least. */
static double front(const struct ag_loop *loop, double size) {
  return ag_profile_work(&ag_auto(loop)->profile, loop->low,
                         loop->low + ag_loop_count(size, 1, ag_loop_pool(loop)));
}

/* What the unit, which is known, takes for the next iteration in ms: by itself, or in a device's chunk of the
 * best size, for one that is heavy takes long by itself. */
static double time_of_next(const struct ag_loop *loop, unsigned u) {
  double best = ag_loop_is_device(loop, u) ? ag_auto_device(loop, u)->best : 1,
         n = (double)ag_loop_count(best, 1, ag_loop_pool(loop));
  return ag_least(ag_auto_ms(loop, u, 1, front(loop, 1)), ag_auto_ms(loop, u, n, front(loop, n)));
}

/* In how many ms all that is left, less `work`, is done if the unit is not free for so many ms; 0: nobody
 * knows. A CPU unit is then not counted at all. */
static double end_of_rest(const struct ag_loop *loop, unsigned u, const struct moment *m, double work,
                          double busy) {
  bool device = ag_loop_is_device(loop, u);
  double was = device ? ag_auto_device(loop, u)->wait : 0;
  struct moment rest = *m;
  rest.work -= work;
  if (device)
    ag_auto_device(loop, u)->wait = busy;
  else
    rest.rate = ag_most(m->rate - ag_auto_unit(loop, u)->rate, 0);
  double ms = end_of(loop, &rest);
  if (device)
    ag_auto_device(loop, u)->wait = was;
  return ms;
}

/* For how many ms the CPU units wait if the device that is to do an iteration that is too heavy for them is
 * busy for so long with all before it: they come to it sooner. */
static double idle(const struct ag_loop *loop, const struct moment *m, double size, double busy) {
  const struct ag_profile *p = &ag_auto(loop)->profile;
  uint64_t end = loop->low + ag_loop_count(size, 1, ag_loop_pool(loop)),
           heavy = ag_profile_heavy(p, end, loop->high, m->each * (ag_auto(loop)->until - m->now));
  return heavy < loop->high && m->rate > 0 ? ag_most(busy - ag_profile_work(p, end, heavy) / m->rate, 0) : 0;
}

/* In how many ms all is done if the device gets so many iterations now; *own: when it is through with them
 * itself. */
static double end_with(const struct ag_loop *loop, unsigned u, const struct moment *m, double size,
                       double *own) {
  double work = front(loop, size);
  *own = ag_auto_ms(loop, u, ag_most(size, 1), work);
  return ag_most(end_of_rest(loop, u, m, work, *own) + idle(loop, m, size, *own), *own);
}

/* The same if the unit, which is free, gets nothing any more; infinite if nothing is known of others. The
 * fastest of them may begin last of all with the iteration that it would have got. */
static double end_without(const struct ag_loop *loop, unsigned u, const struct moment *m) {
  double ms = end_of_rest(loop, u, m, 0, DBL_MAX), last = DBL_MAX;
  for (unsigned other = 0; other < loop->units && ms > 0; ++other)
    if (other != u && ag_loop_works(loop, other) && ag_auto_is_known(loop, other) &&
        !ag_auto_unit(loop, other)->out)
      last = ag_least(last, time_of_next(loop, other));
  return ms + last;
}

/* --- Dealing out -------------------------------------------------------------------------------------------
 */

static struct ag_loop_want run(struct ag_loop *loop, unsigned u, double now, double size) {
  uint64_t n = ag_loop_count(size, 1, ag_loop_pool(loop));
  if (ag_auto_is_known(loop, u))
    ag_auto_unit(loop, u)->busy_until = now + ag_auto_ms(loop, u, (double)n, front(loop, (double)n));
  return (struct ag_loop_want){AG_LOOP_RUN, n};
}

static struct ag_loop_want nothing(struct ag_loop *loop, unsigned u) {
  ag_auto_unit(loop, u)->out = true;
  return (struct ag_loop_want){AG_LOOP_NONE, 0};
}

/* The chunk with which the device is through when all are; or the largest that it may have or that takes no
 * longer than `safe`, if it is sooner through with that. Below 1: there is none. */
static double with_all(const struct ag_loop *loop, unsigned u, const struct moment *m, double most,
                       double safe) {
  double low = 0, high = most, own;
  if (end_with(loop, u, m, most, &own) > own && own <= safe)
    return most;
  while (high - low > ag_most(1, EXACT_SIZE * high)) {
    double middle = (low + high) / 2, end = end_with(loop, u, m, middle, &own);
    *(end > own && own <= safe ? &low : &high) = middle;
  }
  double end = end_with(loop, u, m, high, &own);
  return own <= safe && (low < 1 || end < end_with(loop, u, m, low, &own)) ? high : low;
}

static struct ag_loop_want for_device(struct ag_loop *loop, unsigned u, double now) {
  const struct ag_auto_device *d = ag_auto_device(loop, u);
  const struct ag_curve *c = &d->curve;
  struct moment m = moment_of(loop, now);
  double pool = (double)ag_loop_pool(loop), without = end_without(loop, u, &m), own;
  (void)look_ahead(loop, &m);
  if (c->known < TRIALS) {
    if (c->known && end_with(loop, u, &m, 1, &own) > without)
      return nothing(loop, u);
    double size = (double)FIRST_PER_LANE * ag_loop_lanes(loop, u) * (c->known ? GROWTH : 1);
    return run(loop, u, now, ag_least(size, pool / FIRST_OF_SHARE / loop->units));
  }
  double most = ag_most(ag_least(GROWTH * ag_curve_largest(c), pool), 1), safe = without / (1 + c->error),
         size = with_all(loop, u, &m, most, safe), end = size < 1 ? safe : end_with(loop, u, &m, size, &own);
  if (d->best < size && end_with(loop, u, &m, d->best, &own) < end * (1 - 2 * SAME))
    size = ag_least(size, d->seen ? d->best : AGAIN * d->best);
  for (int i = 1; i < SIZES && ag_auto(loop)->profile.heavy; ++i) {
    double one = most * i / SIZES, then = end_with(loop, u, &m, one, &own);
    if (then < end * (1 - 2 * SAME)) {
      end = then;
      size = one;
    }
  }
  return size < 1 ? nothing(loop, u) : run(loop, u, now, size);
}

/* When all is done changes little while little is handed out, so it is not computed for each small chunk. */
static struct ag_loop_want for_cpu(struct ag_loop *loop, unsigned u, double now) {
  const struct ag_auto *all = ag_auto(loop);
  const struct ag_auto_unit *k = ag_auto_unit(loop, u);
  double left = (double)ag_loop_pool(loop), ms = all->until - now, rate = k->rate;
  if (!(ms > 0) || left < (1 - GONE) * (double)all->left_then || !(rate > 0)) {
    struct moment m = moment_of(loop, now);
    ms = look_ahead(loop, &m);
    rate = rate > 0 ? rate : m.each;
  }
  if (!(rate > 0)) /* nothing is known: little, to know something soon */
    return run(loop, u, now, ag_least(left / FIRST_OF_CPUS / loop->units, FIRST_ITEMS));
  double one = front(loop, 1) / rate;
  if (one > ms) {
    struct moment m = moment_of(loop, now);
    if (one > end_without(loop, u, &m))
      return (struct ag_loop_want){AG_LOOP_LATER, 0};
  }
  double part = all->complete ? 1 - ag_least(MARGIN * all->error, MOST_MARGIN) : PART_AT_FIRST,
         time = all->complete ? part * ms : ag_least(part * ms, GROWTH * k->span);
  time = ag_most(time, ag_least(ms, LEAST_MS));
  uint64_t second = loop->low + 1, end = ag_profile_heavy(&all->profile, second, loop->high, 0);
  return run(loop, u, now, 1 + ag_profile_size(&all->profile, second, end, rate * (time - one)));
}

static struct ag_loop_want want(struct ag_loop *loop, unsigned u, uint64_t now_ns) {
  double now = (double)now_ns / 1e6;
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
