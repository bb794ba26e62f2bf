/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A launch of n units that begins at `now` ends at
 *   max(when the device is free, now + there(n)) + t(n),
 * and its units are committed back(n) later. If no other thread has time it puts off by thread(n) / active
 * what is still to come. What is left then is taken to be shared, when all has come, by as many devices as
 * are of use; or, as the end may be far, to follow in a rhythm: behind the next launch it is a fluid, and
 * arrivals, devices or threads are what all waits for. The sooner end of the two counts.
 *
 * With 100 units of 1 us each that wait, 300 to come within 300 us, launches that take 10 us, and an idle
 * device: a launch now ends at 110 us, the next one of the 110 that have come by then at 230, and what is
 * left is through 200 us after the last unit has come, at 500; if it waits for all, at 300 + 410. */
#include "policy/batch/course.h"
#include "policy/model/numbers.h"

#include <math.h> /* INFINITY; nothing that needs the mathematics library */

/* Parts of the time that a launch takes of its thread: what it has to gain, as threads may have other things
 * to do, and as of equal ends that with fewer launches is to be preferred. */
#define PRICE 0.05
/* A batch that fills the device and takes so many times what its launch does is large enough where devices
 * share the units: they may be through at other times than was believed. */
#define ENOUGH 20

struct course {
  const struct ag_outlook *o;
  double least, most;            /* units of a batch */
  double now;                    /* when a thread can launch again */
  double off;                    /* what launches have put off arrivals by */
  double taken;                  /* units that have been launched, */
  double done;                   /* and when these are committed */
  double price;                  /* of the launches */
  double free[AG_MODEL_DEVICES]; /* when each device is through, the first one first */
  unsigned devices;
};

/* Whole numbers; larger ones are whole already. */
static double down(double x) { return x < 1e15 ? (double)(int64_t)x : x; }
static double up(double x) { return down(x + 1 - 1e-9); }

static struct ag_host_times sum(struct ag_host_times a, struct ag_host_times b) {
  return (struct ag_host_times){a.launch_ns + b.launch_ns, a.unit_ns + b.unit_ns};
}

static double enough(const struct ag_outlook *o) {
  const struct ag_batch_view *v = o->view;
  if (v->devices < 2)
    return 1e15; /* nobody else could have what is left */
  double launch = o->launch_ns + o->thread.launch_ns;
  double n = ag_most(ENOUGH * launch / o->unit_ns, o->fill * ag_most(1, v->longest / o->mean));
  return ag_least(o->fill > 0 ? (down(n / o->fill) + 1) * o->fill : ag_most(n, 1), 1e15);
}

void ag_outlook_complete(struct ag_outlook *o) {
  const struct ag_batch_view *v = o->view;
  o->fill = (double)v->fill;
  o->mean = v->items / (double)v->waiting;
  o->thread = sum(v->host, v->commit);
  o->there = sum(v->host, v->in);
  o->back = sum(v->out, v->commit);
  o->price_ns = PRICE * o->thread.launch_ns;
  o->launch_ns = v->device.launch_ns;
  o->unit_ns = v->device.item_ns * o->mean;
  o->alone = ag_times_alone_ns(&v->device);
  o->waves = v->device.form == AG_FORM_WAVES && v->device.fill > 0 ? 1 / v->device.fill : 0;
  o->enough = enough(o);
}

double ag_outlook_whole(const struct ag_outlook *o, double n) {
  return o->fill > 0 && n > o->fill ? down(n / o->fill) * o->fill : n;
}

/* n units behind the first `from` of those that wait and come. Of what is to come nobody knows the longest
 * one: it is as long as usual. */
static double device_ns(const struct ag_outlook *o, double from, double n) {
  bool first = from < o->units && (!(from > 0) || !(o->rest > 0)), comes = from + n > o->units && o->rest > 0;
  double longest = first ? ag_most(o->view->longest, o->mean) : o->mean;
  if (comes || !first)
    longest = ag_most(longest, ag_longest_of(&o->view->usual, n));
  double each = o->waves > 0 ? up(n * o->waves) / o->waves * o->unit_ns : n * o->unit_ns;
  return o->launch_ns + ag_most(each, o->alone * longest);
}

static void begin(struct course *c, const struct ag_outlook *o, double wait, double least, double most) {
  const struct ag_batch_view *v = o->view;
  c->o = o; /* one by one, as most of free[] is not used */
  c->least = least;
  c->most = most;
  c->now = wait;
  c->off = c->taken = c->done = c->price = 0;
  c->devices = v->devices < 1 ? 1 : v->devices < AG_MODEL_DEVICES ? v->devices : AG_MODEL_DEVICES;
  for (unsigned k = 0; k < c->devices; ++k)
    c->free[k] = v->free_ns[k];
}

static double left(const struct course *c) { return c->o->units + c->o->rest - c->taken; }
static double last_at(const struct course *c) { return c->o->rest * c->o->gap_ns + c->off; }

static double come_by(const struct course *c, double ns) {
  const struct ag_outlook *o = c->o;
  double more = o->gap_ns > 0 ? ag_most(ns - c->off, 0) / o->gap_ns : o->rest;
  return o->units + ag_least(more, o->rest);
}

/* n units go to the device that is through first. */
static void launch(struct course *c, double n, bool puts_off) {
  const struct ag_outlook *o = c->o;
  double thread = ag_host_ns(&o->thread, n);
  double end = ag_most(c->free[0], c->now + ag_host_ns(&o->there, n)) + device_ns(o, c->taken, n);
  unsigned k = 0;
  for (; k + 1 < c->devices && c->free[k + 1] < end; ++k)
    c->free[k] = c->free[k + 1];
  c->free[k] = end;
  c->done = ag_most(c->done, end + ag_host_ns(&o->back, n));
  c->taken += n;
  c->price += o->price_ns;
  c->off += puts_off ? thread / o->active : 0;
  c->now += thread / (o->stagers > 0 ? o->stagers + puts_off : o->active);
}

/* When all is done if what is left is shared, when it has come, by as many devices as are of use. */
static double shared(const struct course *c) {
  const struct ag_outlook *o = c->o;
  double n = left(c), now = ag_most(c->now, last_at(c)), free = 0, best = INFINITY;
  if (n < 0.5)
    return c->done + c->price;
  for (unsigned m = 1, k = 0; m <= c->devices;
       m = m < c->devices && 2 * m > c->devices ? c->devices : 2 * m) {
    for (; k < m; ++k)
      free += ag_most(c->free[k], now);
    double part = n / m, batches = part > c->most ? up(part / c->most) : 1,
           each = batches > 1 ? part / batches : part;
    double rounds = m > 1 ? up(m / o->end_stagers) : 1;
    double there = ag_host_ns(&o->there, each), t = device_ns(o, c->taken, each);
    double by_device =
        ag_most(free / m, now + (rounds - 1) * ag_host_ns(&o->view->host, each) + there) + batches * t;
    double before =
        ag_most(rounds, m * batches / o->end_stagers) - 1; /* launches of the thread of the last one */
    double by_host = now + before * ag_host_ns(&o->thread, each) + there + t;
    double end = ag_most(c->done, ag_most(by_device, by_host) + ag_host_ns(&o->back, each));
    best = ag_least(best, end + m * batches * o->price_ns);
  }
  return best + c->price;
}

/* The same if what is left comes for long yet: batches grow until a device takes as long for one as the next
 * one takes to come, or as far as they may. */
static double fluid(const struct course *c) {
  const struct ag_outlook *o = c->o;
  double n = left(c), m = c->devices, free = 0, gap = o->gap_ns * m;
  double most = ag_least(c->most, n), size = device_ns(o, c->taken, 1) / gap;
  for (unsigned k = 0; k < c->devices; ++k)
    free += c->free[k];
  if (gap > o->unit_ns)
    size = ag_most(size, o->launch_ns / (gap - o->unit_ns));
  if (!(gap > o->unit_ns) || device_ns(o, c->taken, size) > size * gap)
    size = most;
  size = ag_most(ag_least(ag_most(size, c->least), most), 1);
  double launches = n / size, t = device_ns(o, c->taken, size), thread = ag_host_ns(&o->thread, size);
  double put_off = o->stagers > 0 ? 0 : launches * thread / o->active;
  double come = last_at(c) + put_off + ag_host_ns(&o->there, size) + t;
  double work = ag_most(free / m, c->now) + launches / m * t;
  double staged = c->now + launches * thread / o->end_stagers + ag_host_ns(&o->view->in, size) + t;
  double end = ag_most(ag_most(come, work), staged) + ag_host_ns(&o->back, size);
  return ag_most(c->done, end) + c->price + launches * o->price_ns;
}

/* The next launch of the rhythm: when a device is soon through, and enough has come. */
static void go_on(struct course *c) {
  const struct ag_outlook *o = c->o;
  double want = ag_least(ag_most(ag_least(c->least, c->most), 1), left(c));
  double lacks = c->taken + want - come_by(c, c->now);
  double now = ag_most(c->now, c->free[0] - o->there.launch_ns); /* to have it in time */
  c->now = lacks > 0 ? ag_most(now, ag_most(c->now, c->off) + lacks * o->gap_ns) : now;
  double there = ag_least(come_by(c, c->now) - c->taken, left(c)),
         n = ag_most(ag_least(there, c->most), want);
  launch(c, n + 0.5 < left(c) ? ag_outlook_whole(o, n) : n, !(o->stagers > 0));
}

double ag_course_end_ns(const struct ag_outlook *o, const struct ag_rhythm *r, double best) {
  struct course c;
  begin(&c, o, r->wait_ns, r->units, r->most);
  launch(&c, ag_least(r->units, r->most), r->puts_off);
  if (!(c.done + c.price < best))
    return INFINITY;
  double end = shared(&c);
  if (left(&c) < 0.5)
    return end;
  go_on(&c);
  return ag_least(end, left(&c) < 0.5 ? c.done + c.price : fluid(&c));
}

double ag_course_late_ns(const struct ag_outlook *o) {
  struct course c;
  begin(&c, o, 0, 1, o->enough);
  return shared(&c);
}
