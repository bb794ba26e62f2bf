/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* concord (Kaleem et al., as Vilches et al. compare with it). Profiling: each device has a chunk of fixed
 * size, the CPU units take small ones until all devices are through; again and again, until the speed of the
 * devices relative to the CPU has changed by less than 5 % since the last round, or half of the loop is done.
 * Then what is left is split once, by relative speed: a chunk for each device, the rest for the CPU units on
 * demand. The next execution begins with the split. */
#include "policy/loop/state.h"

#define STABLE 0.05
enum { PROFILE_SIZE = 2048 }; /* at most an eighth of a device's even part of the loop */

struct concord {
  double relative; /* speed of all devices : that of all CPU units, of the last round; 0: there was none */
  bool split, known;
  unsigned running; /* devices that are in this round's chunk */
  uint64_t round;   /* bit for each device (the first 64): has had its chunk */
  double part[];    /* of each device, of what is split; once known */
};

static size_t bytes(const struct ag_loop_view *view) {
  return sizeof(struct concord) + view->machine.devices * sizeof(double);
}

static double device_speeds(const struct ag_loop *loop) {
  double sum = 0;
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
    sum += loop->unit[u].lost ? 0 : ag_loop_speed(loop, u);
  return sum;
}

static void split(struct ag_loop *loop, struct concord *c) {
  double devices = device_speeds(loop), cpus = ag_loop_cpu_rate(loop), left = (double)ag_loop_pool(loop);
  c->split = true;
  if (!(cpus > 0))
    cpus = ag_loop_cpus_alive(loop);
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u) {
    double *part = &c->part[u - loop->view.machine.cpus];
    if (!c->known)
      *part = ag_loop_speed(loop, u) / (devices + cpus);
    if (!loop->unit[u].lost)
      ag_loop_reserve(loop, u, ag_loop_count(left * *part, 0, UINT64_MAX));
  }
}

static void begin(struct ag_loop *loop, bool fresh) {
  struct concord *c = loop->mine;
  (void)fresh;
  c->split = false;
  c->running = 0;
  c->round = 0;
  if (c->known || !loop->view.machine.devices || !loop->view.machine.cpus)
    split(loop, c);
}

static uint64_t profile_size(const struct ag_loop *loop) {
  uint64_t size = loop->view.chunk ? loop->view.chunk : PROFILE_SIZE, part = loop->view.n / loop->units / 8;
  return size < part ? size : part + !part;
}

static uint64_t bit_of(const struct ag_loop *loop, unsigned u) {
  return (uint64_t)1 << (u - loop->view.machine.cpus) % 64;
}

static struct ag_loop_want want(struct ag_loop *loop, unsigned u, uint64_t now_ns) {
  (void)now_ns;
  struct concord *c = loop->mine;
  uint64_t size = profile_size(loop);
  if (c->split)
    return ag_loop_is_device(loop, u) ? ag_loop_want_reserved(loop, u) : ag_loop_want_rest(loop);
  if (!ag_loop_is_device(loop, u))
    return (struct ag_loop_want){AG_LOOP_RUN, size / 16 + !(size / 16)};
  if (c->round & bit_of(loop, u))
    return (struct ag_loop_want){AG_LOOP_LATER, 0};
  c->round |= bit_of(loop, u);
  ++c->running;
  return (struct ag_loop_want){AG_LOOP_RUN, size};
}

/* A round ends when the devices that took part are through; those that did not ask do not count. */
static void done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  struct concord *c = loop->mine;
  (void)from, (void)to, (void)ns;
  if (c->split || !ag_loop_is_device(loop, u) || !c->running)
    return;
  if (--c->running)
    return;
  double cpus = ag_loop_cpu_rate(loop), now = cpus > 0 ? device_speeds(loop) / cpus : 0,
         change = now - c->relative;
  c->round = 0;
  bool stable = c->relative > 0 && now > 0 && change < STABLE * c->relative && -change < STABLE * c->relative;
  c->relative = now;
  if (!stable && loop->done < loop->view.n / 2)
    return;
  split(loop, c);
  c->known = now > 0;
}

/* Between runs of a program: the device's part, and the speed of all devices relative to the CPU. */
static const char part[] = "part";

static void keep(const struct ag_loop *loop, unsigned u, const struct ag_loop_keeper *keeper) {
  const struct concord *c = loop->mine;
  if (ag_loop_is_device(loop, u) && c->known)
    ag_loop_put(keeper, part, u, (double[]){c->part[u - loop->view.machine.cpus], c->relative}, 2);
}

/* The split is known once the parts of all devices are. */
static bool seed(struct ag_loop *loop, const struct ag_loop_memo *memo) {
  struct concord *c = loop->mine;
  if (!ag_loop_is_device(loop, memo->unit) || !ag_loop_memo_is(memo, part, 2, 1e-18, 1e18) || memo->x[0] > 1)
    return false;
  c->part[memo->unit - loop->view.machine.cpus] = memo->x[0];
  c->relative = memo->x[1];
  c->known = true;
  for (unsigned i = 0; i < loop->view.machine.devices; ++i)
    c->known &= c->part[i] > 0;
  return true;
}

const struct ag_loop_policy ag_loop_concord = {.name = "concord",
                                               .bytes = bytes,
                                               .begin = begin,
                                               .want = want,
                                               .done = done,
                                               .keep = keep,
                                               .seed = seed};
