/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events in the order of virtual time: a chunk is complete, a unit fails. */
#include "sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a unit is doing. */
struct unit {
  bool busy, waits, lost;
  uint64_t from, to;
  double since, until;
};

struct run {
  struct sim_options *o;
  struct ag_loop *loop;
  struct unit *unit;
  unsigned units;
  unsigned *heap, busy; /* units with a chunk, the one that is through first at the root */
  double now, *times;   /* times: of single iterations */
  bool mapped;          /* the chunks of this time step are written down */
  bool too_long;
  uint64_t number; /* of chunks so far */
  struct sim_step result;
};

/* --- The heap
 * ----------------------------------------------------------------------------------------------- */

static bool before(const struct run *r, unsigned a, unsigned b) {
  double x = r->unit[a].until, y = r->unit[b].until;
  return x < y || (x == y && a < b);
}

static void swap(struct run *r, unsigned i, unsigned k) {
  unsigned u = r->heap[i];
  r->heap[i] = r->heap[k];
  r->heap[k] = u;
}

static void push(struct run *r, unsigned u) {
  unsigned i = r->busy++;
  r->heap[i] = u;
  for (; i && before(r, r->heap[i], r->heap[(i - 1) / 2]); i = (i - 1) / 2)
    swap(r, i, (i - 1) / 2);
}

static void sink(struct run *r, unsigned i) {
  for (;;) {
    unsigned least = i;
    for (unsigned child = 2 * i + 1; child <= 2 * i + 2 && child < r->busy; ++child)
      if (before(r, r->heap[child], r->heap[least]))
        least = child;
    if (least == i)
      return;
    swap(r, i, least);
    i = least;
  }
}

static unsigned pop(struct run *r) {
  unsigned u = r->heap[0];
  r->heap[0] = r->heap[--r->busy];
  sink(r, 0);
  return u;
}

static void drop(struct run *r, unsigned u) {
  unsigned left = 0;
  for (unsigned i = 0; i < r->busy; ++i)
    if (r->heap[i] != u)
      r->heap[left++] = r->heap[i];
  r->busy = left;
  for (unsigned i = left / 2; i-- > 0;)
    sink(r, i);
}

/* --- Units
 * -------------------------------------------------------------------------------------------------- */

static void ask(struct run *r, unsigned u) {
  struct unit *unit = &r->unit[u];
  if (unit->busy || unit->lost)
    return;
  struct ag_loop_grant g = ag_loop_next(r->loop, u, (uint64_t)r->now);
  unit->waits = g.what == AG_LOOP_LATER;
  if (g.what != AG_LOOP_RUN)
    return;
  const struct sim_options *o = r->o;
  *unit = (struct unit){.busy = true, .from = g.from, .to = g.to, .since = r->now};
  unit->until = r->now + sim_chunk_ns(&o->machine, &o->work, u, g.from, g.to, r->number++);
  r->too_long |= !(unit->until <= SIM_MOST_NS);
  push(r, u);
}

static void ask_all(struct run *r, bool only_waiting) {
  for (unsigned i = 0; i < r->units; ++i) { /* devices first: they need the most time to begin */
    unsigned u = (i + r->o->machine.cpus) % r->units;
    if (!only_waiting || r->unit[u].waits)
      ask(r, u);
  }
}

/* The time of each iteration is its part of the chunk's, by cost. */
static void tell_items(struct run *r, const struct unit *unit) {
  const struct sim_work *w = &r->o->work;
  double all = w->sum[unit->to] - w->sum[unit->from], ns = unit->until - unit->since;
  for (uint64_t i = unit->from; i < unit->to; ++i)
    r->times[i - unit->from] = all > 0 ? ns * w->cost[i] / all : ns / (double)(unit->to - unit->from);
  ag_loop_items(r->loop, unit->from, unit->to, r->times);
}

static void complete(struct run *r) {
  unsigned u = pop(r);
  struct unit *unit = &r->unit[u];
  bool device = u >= r->o->machine.cpus;
  double ns = unit->until - unit->since;
  unit->busy = false;
  r->now = unit->until;
  ++r->result.chunks;
  r->result.device_chunks += device;
  r->result.on_devices += device ? unit->to - unit->from : 0;
  *(device ? &r->result.busy_device_ns : &r->result.busy_cpu_ns) += ns;
  if (r->mapped)
    (void)fprintf(r->o->map, "%llu,%llu,%u,%.0f,%.0f\n", (unsigned long long)unit->from,
                  (unsigned long long)unit->to, u, unit->since, unit->until);
  if (r->times)
    tell_items(r, unit);
  ag_loop_done(r->loop, u, unit->from, unit->to, (uint64_t)(ns + 0.5));
  ask(r, u);
  ask_all(r, true);
}

static void fail(struct run *r, const struct sim_failure *f) {
  struct unit *unit = &r->unit[f->unit];
  r->now = f->ns;
  if (unit->lost)
    return;
  if (unit->busy)
    drop(r, f->unit);
  *unit = (struct unit){.lost = true};
  if (ag_loop_lost(r->loop, f->unit))
    ask_all(r, false);
}

/* --- Time steps
 * --------------------------------------------------------------------------------------------- */

/* The next failure of this step that is due before anything is complete. */
static const struct sim_failure *next_failure(const struct run *r, uint64_t step) {
  const struct sim_failure *next = NULL;
  for (unsigned i = 0; i < r->o->failures; ++i) {
    const struct sim_failure *f = &r->o->failure[i];
    if (f->step == step && !r->unit[f->unit].lost && (!next || f->ns < next->ns))
      next = f;
  }
  return next && (!r->busy || next->ns < r->unit[r->heap[0]].until) ? next : NULL;
}

static int execute(struct run *r, uint64_t step, const char **why) {
  ask_all(r, false);
  while (ag_loop_left(r->loop)) {
    const struct sim_failure *f = next_failure(r, step);
    if (r->too_long) {
      *why = SIM_TOO_LONG;
      return -ERANGE;
    }
    if (f)
      fail(r, f);
    else if (r->busy)
      complete(r);
    else {
      *why = "no unit is left to go on";
      return -ENODEV;
    }
  }
  r->result.ns = r->now;
  r->result.ideal_ns = sim_ideal_ns(&r->o->machine, &r->o->work);
  ag_loop_end(r->loop);
  r->result.settled = ag_loop_settled(r->loop);
  return 0;
}

static int time_step(struct run *r, uint64_t step, struct ag_loop_view *view, void *state, const char **why) {
  int err = sim_work_make(&r->o->work, step, why);
  if (err)
    return err;
  r->now = 0;
  r->busy = 0;
  r->result = (struct sim_step){0};
  memset(r->unit, 0, r->units * sizeof *r->unit);
  view->cost = r->o->tell_sizes ? r->o->work.cost : NULL;
  r->loop = ag_loop_begin(state, view);
  return execute(r, step, why);
}

static int run_in(struct run *r, struct ag_loop_view *view, void *state, sim_report *report, void *context,
                  const char **why) {
  for (uint64_t step = 0; step < r->o->steps; ++step) {
    r->mapped = r->o->map && step + 1 == r->o->steps;
    int err = time_step(r, step, view, state, why);
    if (err)
      return err;
    report(context, step, &r->result);
  }
  return 0;
}

int sim_run(struct sim_options *o, const struct ag_schedule_choice *schedule, sim_report *report,
            void *context, const char **why) {
  unsigned lanes[SIM_MOST_DEVICES];
  uint64_t most[SIM_MOST_DEVICES];
  struct run r = {.o = o, .units = o->machine.cpus + o->machine.devices};
  for (unsigned d = 0; d < o->machine.devices; ++d) {
    lanes[d] = o->machine.lanes;
    most[d] = o->machine.most;
  }
  struct ag_loop_view view = {.machine = {o->machine.cpus, o->machine.devices, lanes, most},
                              .n = o->work.n,
                              .kind = schedule->kind,
                              .chunk = schedule->chunk,
                              .ratio = schedule->ratio};
  void *state = calloc(1, ag_loop_state_bytes(&view));
  r.unit = calloc(r.units, sizeof *r.unit);
  r.heap = calloc(r.units, sizeof *r.heap);
  r.times = o->tell_items ? calloc(o->work.n, sizeof *r.times) : NULL;
  int err = -ENOMEM;
  *why = "there is no memory for the run";
  if (state && r.unit && r.heap && (r.times || !o->tell_items))
    err = run_in(&r, &view, state, report, context, why);
  free(state);
  free(r.unit);
  free(r.heap);
  free(r.times);
  return err;
}
