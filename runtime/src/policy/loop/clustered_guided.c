/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* clustered_guided (Gonzalez Tallada and Morancho, see static_pcf.c). The first iterations, up to the
 * pivot, are for the CPU units, the others for the devices; within each of the two clusters every unit has a
 * chunk of consecutive iterations. At first each CPU unit has one iteration. The pivot moves towards the
 * slower cluster by steps that are halved; where it has moved, chunks are equal in a first execution (MOVE)
 * and a second one, which is measured (PROBE); then they are moved towards equal time within each cluster
 * (BALANCE), and measured again (PROBE). When the pivot has nowhere to go, the best distribution that was
 * measured is kept (STEADY).
 *
 * What the authors leave out: a cluster may be empty, which is tried when the search ends beside it. With
 * units of one kind only there is nothing but the balance among them. When one cluster would be slower than
 * the other however well its iterations were spread, no balance could turn the direction, and BALANCE is left
 * out; so it is after the first move, which is but a rough one. An execution whose times are not known is
 * repeated. */
#include "policy/loop/cells.h"

#include <string.h>

enum phase { MOVE = 0, PROBE, BALANCE, PROBE_AGAIN, STEADY };
enum { MOST_BALANCES = 8 }; /* with one cluster */

struct clustered {
  struct ag_cells cells;
  enum phase phase;
  uint64_t pivot;     /* cells before it are the CPUs' */
  uint64_t low, high; /* the CPUs are ahead at low, the devices at high; at the ends that is but believed */
  bool low_tried, high_tried;
  uint64_t best; /* ns of the fastest execution so far; 0: there was none */
  unsigned balances, moves;
};

/* The ends of the units' chunks, and those of the fastest execution. */
static uint64_t *ends(const struct ag_loop *loop) { return (uint64_t *)((struct clustered *)loop->mine + 1); }
static uint64_t *best_ends(const struct ag_loop *loop) { return ends(loop) + loop->units; }

static size_t bytes(const struct ag_loop_view *view) {
  return sizeof(struct clustered) + 2 * ag_loop_units(&view->machine) * sizeof(uint64_t) +
         ag_cells_bytes(view);
}

static void place(struct ag_loop *loop, struct clustered *c, uint64_t pivot) {
  uint64_t *end = ends(loop);
  unsigned cpus = loop->view.machine.cpus;
  c->pivot = pivot;
  for (unsigned u = 0; u < cpus; ++u)
    end[u] = ag_loop_part(pivot, cpus, u + 1);
  for (unsigned u = cpus; u < loop->units; ++u)
    end[u] = pivot + ag_loop_part(c->cells.count - pivot, loop->units - cpus, u - cpus + 1);
}

static uint64_t first_pivot(const struct ag_loop *loop, uint64_t count) {
  uint64_t cpus = loop->view.machine.cpus, devices = loop->view.machine.devices;
  if (!cpus || !devices)
    return cpus ? count : 0;
  return cpus < count ? cpus : count - (count > 0);
}

static void begin(struct ag_loop *loop, bool fresh) {
  struct clustered *c = loop->mine;
  ag_cells_begin(&c->cells, best_ends(loop) + loop->units, &loop->view);
  if (fresh) {
    place(loop, c, first_pivot(loop, c->cells.count));
    c->high = c->cells.count;
    c->phase = PROBE_AGAIN; /* one iteration each: nothing to balance */
  }
  ag_cells_deal(loop, ends(loop));
}

/* --- After an execution -----------------------------------------------------------------------------------
 */

/* ns of the units of a cluster. at_best: the least that `longest` can become, which is no less than the mean,
 * and no less than the dearest cell. */
struct times {
  double longest, mean, at_best;
};

static struct times times_of(const struct ag_loop *loop, unsigned first, unsigned end) {
  const struct clustered *c = loop->mine;
  struct times t = {0, 0, 0};
  for (unsigned u = first; u < end; ++u) {
    double ns = (double)loop->unit[u].ns;
    t.longest = ns > t.longest ? ns : t.longest;
    t.mean += ns / (end - first);
  }
  t.at_best = t.mean;
  uint64_t from = first ? c->pivot : 0, to = first ? c->cells.count : c->pivot;
  for (uint64_t i = from; i < to; ++i)
    t.at_best = c->cells.work[i] > t.at_best ? c->cells.work[i] : t.at_best;
  return t;
}

static bool all_timed(const struct ag_loop *loop) {
  for (unsigned u = 0; u < loop->units; ++u)
    if (loop->unit[u].done && !(ag_loop_rate(loop->unit[u].done, loop->unit[u].ns) > 0))
      return false;
  return true;
}

static void steady(struct ag_loop *loop, struct clustered *c) {
  memcpy(ends(loop), best_ends(loop), loop->units * sizeof(uint64_t));
  c->phase = STEADY;
}

/* True: no distribution was faster. */
static bool remember(const struct ag_loop *loop, struct clustered *c, double ns) {
  if (c->best && ns >= (double)c->best)
    return false;
  c->best = (uint64_t)ns;
  memcpy(best_ends(loop), ends(loop), loop->units * sizeof(uint64_t));
  return true;
}

/* Where to go from here. */
static void decide(struct ag_loop *loop, struct clustered *c, struct times cpu, struct times device) {
  if (cpu.longest > device.longest) {
    c->high = c->pivot;
    c->high_tried = true;
  } else {
    c->low = c->pivot;
    c->low_tried = true;
  }
  c->phase = MOVE;
  ++c->moves;
  if (c->high > c->low + 1)
    place(loop, c, c->low + (c->high - c->low) / 2);
  else if (c->high > c->low && !(c->low_tried && c->high_tried))
    place(loop, c, c->low_tried ? c->high : c->low);
  else
    steady(loop, c);
}

static bool balance(struct ag_loop *loop, struct clustered *c) {
  unsigned cpus = loop->view.machine.cpus, devices = loop->view.machine.devices;
  bool moved = ag_cells_balance(c->cells.work, 0, c->pivot, ends(loop), cpus);
  return ag_cells_balance(c->cells.work, c->pivot, c->cells.count, ends(loop) + cpus, devices) || moved;
}

/* One cluster only: balance as long as it helps. */
static void end_of_one(struct ag_loop *loop, struct clustered *c, double longest) {
  if (!remember(loop, c, longest) || c->balances++ == MOST_BALANCES || !balance(loop, c))
    steady(loop, c);
}

static void end(struct ag_loop *loop) {
  struct clustered *c = loop->mine;
  unsigned cpus = loop->view.machine.cpus;
  if (c->phase == STEADY || !all_timed(loop))
    return;
  ag_cells_end(&c->cells);
  struct times cpu = times_of(loop, 0, cpus), device = times_of(loop, cpus, loop->units);
  double longest = cpu.longest > device.longest ? cpu.longest : device.longest;
  bool clear = cpu.at_best > device.longest || device.at_best > cpu.longest;
  if (!cpus || cpus == loop->units) {
    end_of_one(loop, c, longest);
    return;
  }
  if (c->phase == MOVE || c->phase == BALANCE) {
    ++c->phase;
    return;
  }
  remember(loop, c, longest);
  if (c->phase == PROBE && !clear && c->moves > 1 && balance(loop, c))
    c->phase = BALANCE;
  else
    decide(loop, c, cpu, device);
}

static bool settled(const struct ag_loop *loop) {
  return ((const struct clustered *)loop->mine)->phase == STEADY;
}

const struct ag_loop_policy ag_loop_clustered_guided = {.name = "clustered_guided",
                                                        .by_items = true,
                                                        .bytes = bytes,
                                                        .begin = begin,
                                                        .items = ag_cells_items,
                                                        .done = ag_cells_done,
                                                        .end = end,
                                                        .settled = settled};
