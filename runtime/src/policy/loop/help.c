/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What several policies of loops need. */
#include "policy/loop/state.h"

unsigned ag_loop_lanes(const struct ag_loop *loop, unsigned device_unit) {
  const unsigned *lanes = loop->view.machine.lanes;
  unsigned n = lanes ? lanes[device_unit - loop->view.machine.cpus] : 1;
  return n ? n : 1;
}

unsigned ag_loop_cpus_alive(const struct ag_loop *loop) { return loop->view.machine.cpus - loop->lost_cpus; }

void ag_loop_give(struct ag_loop *loop, unsigned unit, uint64_t from, uint64_t to) {
  uint64_t size = loop->view.chunk ? loop->view.chunk : UINT64_MAX;
  loop->unit[unit].share = (struct ag_loop_share){.next = from, .end = to, .size = size, .step = size};
}

void ag_loop_give_evenly(struct ag_loop *loop, uint64_t from, uint64_t to, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    ag_loop_give(loop, first + i, from + ag_loop_part(to - from, count, i),
                 from + ag_loop_part(to - from, count, i + 1));
}

void ag_loop_reserve(struct ag_loop *loop, unsigned unit, uint64_t size) {
  loop->reserved -= loop->unit[unit].reserved;
  uint64_t free = ag_loop_pool(loop) - loop->reserved;
  loop->unit[unit].reserved = size < free ? size : free;
  loop->reserved += loop->unit[unit].reserved;
}

struct ag_loop_want ag_loop_want_reserved(const struct ag_loop *loop, unsigned unit) {
  uint64_t size = loop->unit[unit].reserved;
  return (struct ag_loop_want){size ? AG_LOOP_RUN : AG_LOOP_NONE, size};
}

struct ag_loop_want ag_loop_want_rest(const struct ag_loop *loop) {
  uint64_t rest = ag_loop_pool(loop) - loop->reserved, parts = 2 * (uint64_t)ag_loop_cpus_alive(loop);
  return (struct ag_loop_want){rest ? AG_LOOP_RUN : AG_LOOP_LATER, ag_ceil(rest, parts)};
}

/* The first parts have one iteration more than the last. */
uint64_t ag_loop_part(uint64_t n, uint64_t parts, uint64_t i) {
  uint64_t size = n / parts, rest = n % parts;
  return i * size + (i < rest ? i : rest);
}

uint64_t ag_loop_count(double x, uint64_t least, uint64_t most) {
  if (!(x > (double)least)) /* NaN, too */
    return least;
  if (x >= (double)most)
    return most;
  uint64_t whole = (uint64_t)(x + 0.5);
  return whole < most ? whole : most;
}

/* Faster than 1000 iterations in each nanosecond, or slower than one in 30 years: the clock is broken. */
double ag_loop_rate(uint64_t iterations, uint64_t ns) {
  if (!ns || ns > (uint64_t)1000000000 * 1000000000 || ns < iterations / 1000)
    return 0;
  return (double)iterations * 1e6 / (double)ns;
}

void ag_loop_learn(struct ag_loop_unit *unit, double rate, uint64_t ns) {
  double time = (double)ns;
  if (!(unit->rate > 0)) {
    unit->rate = rate;
    unit->span = time;
    return;
  }
  double weight = time / (time + unit->span);
  unit->rate = 1 / ((1 - weight) / unit->rate + weight / rate);
  unit->span += weight * (time - unit->span);
}

double ag_loop_speed(const struct ag_loop *loop, unsigned unit) {
  double cpus = ag_loop_cpu_rate(loop), one = cpus > 0 ? cpus / ag_loop_cpus_alive(loop) : 1;
  return loop->unit[unit].rate > 0 ? loop->unit[unit].rate : one;
}

double ag_loop_cpu_rate(const struct ag_loop *loop) {
  double sum = 0;
  unsigned known = 0;
  for (unsigned u = 0; u < loop->view.machine.cpus; ++u)
    if (!loop->unit[u].lost && loop->unit[u].rate > 0) {
      sum += loop->unit[u].rate;
      ++known;
    }
  return known ? sum / known * ag_loop_cpus_alive(loop) : 0;
}
