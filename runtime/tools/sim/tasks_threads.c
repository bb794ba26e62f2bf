/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What threads do, one thing after the other: what the runtime's wait/help.c does, in virtual time. */
#include "tasks_state.h"

#include <limits.h>
#include <math.h>

enum { QUIET_NS = AG_QUIET_MS * 1000000 };

void sim_begin(struct sim_tasks *r, unsigned t, enum sim_doing doing, double ns) {
  struct sim_thread *thread = &r->thread[t];
  r->idle -= thread->doing == SIM_IDLE && doing != SIM_IDLE;
  thread->doing = doing;
  thread->since = r->now + thread->asked_ns;
  sim_heap_set(&r->clock, t, thread->since + ns);
  thread->asked_ns = 0;
}

static void rest(struct sim_tasks *r, unsigned t) {
  struct sim_thread *thread = &r->thread[t];
  r->idle += thread->doing != SIM_IDLE;
  thread->doing = SIM_IDLE;
  thread->asked_ns = 0;
  sim_heap_set(&r->clock, t, SIM_NEVER);
}

/* --- CPU-only units, and the program's own way ------------------------------------------------------------
 */

static void run_on(struct sim_tasks *r, unsigned t) {
  struct sim_thread *thread = &r->thread[t];
  const struct sim_task *task = &r->p->task[thread->task];
  bool last = thread->child == task->n;
  double ns =
      last ? sim_noisy(r, task->ns) : (r->p->gap ? (double)r->p->gap[task->first + thread->child] : 0);
  sim_begin(r, t, SIM_RUNS, ns);
}

static bool run_ready(struct sim_tasks *r, unsigned t, enum sim_class class) {
  struct sim_thread *thread = &r->thread[t];
  if (thread->task != SIM_NONE) /* it has one, and helps before it goes on */
    return false;
  thread->task = sim_ready_take(r, t, class);
  thread->child = 0;
  if (thread->task == SIM_NONE)
    return false;
  thread->begun = r->now;
  thread->until = class <= SIM_LOW ? r->now + r->task_ns[class] : 0;
  run_on(r, t);
  return true;
}

static bool commit(struct sim_tasks *r, unsigned w) {
  struct sim_batch *b = r->done;
  if (!b)
    return false;
  r->done = b->next;
  r->thread[w].batch = b;
  double units = b->failed ? 0 : (double)b->units.n;
  sim_begin(r, w, SIM_COMMITS, sim_noisy(r, r->m->commit_ns + units * r->m->commit_unit_ns));
  return true;
}

/* --- Looking for work -------------------------------------------------------------------------------------
 */

static bool owner_sleeps(const struct sim_tasks *r, unsigned of) { return r->thread[of].doing == SIM_IDLE; }

static bool slot_is_free(const struct sim_tasks *r) {
  for (unsigned d = 0; d < r->m->devices; ++d)
    if (!r->device[d].lost && r->device[d].used < r->m->slots)
      return true;
  return false;
}

static bool run_others(struct sim_tasks *r, unsigned w, enum ag_batch_event event) {
  bool busy = event == AG_ON_BURST && r->batch->timed; /* it has better things to do */
  bool takes = r->policies.split == AG_SPLIT_AUTO, looks = r->batch->timed || takes;
  if (!takes && !slot_is_free(r))
    return false;
  for (unsigned i = 1; i < r->m->cpus; ++i) {
    unsigned of = (w + i) % r->m->cpus;
    if (!r->thread[of].fifo.units.n)
      continue;
    if (owner_sleeps(r, of) ? sim_dispatch(r, w, of, busy ? AG_ON_BURST : AG_ON_NO_HIGH)
                            : looks && sim_dispatch(r, w, of, busy ? AG_ON_BURST : AG_ON_LOOK))
      return true;
  }
  return false;
}

/* Devices first. */
static bool run_medium(struct sim_tasks *r, unsigned w, enum ag_batch_event event) {
  if (r->waiting && (sim_dispatch(r, w, w, event) || run_others(r, w, event)))
    return true;
  for (unsigned i = 0; i < r->m->cpus && (r->for_cpus || r->waiting); ++i)
    if (sim_take_for_cpu(r, w, (w + i) % r->m->cpus))
      return true;
  return false;
}

static bool run_quiet(struct sim_tasks *r, unsigned w) {
  if (r->now < r->quiet_at || !r->waiting)
    return false;
  r->quiet_at = r->now + QUIET_NS;
  bool did = false;
  for (unsigned of = 0; of < r->m->cpus; ++of) {
    struct sim_fifo *fifo = &r->thread[of].fifo;
    if (!did && of != w && fifo->policy.arrivals == fifo->seen)
      did = sim_dispatch(r, w, of, AG_ON_QUIET);
    fifo->seen = fifo->policy.arrivals;
  }
  return did;
}

/* By class, in the order in which a worker of the runtime looks. */
static bool help(struct sim_tasks *r, unsigned w) {
  struct sim_thread *t = &r->thread[w];
  enum ag_class order[AG_N_CLASSES];
  enum ag_batch_event event = AG_ON_BURST;
  if (commit(r, w) || sim_try_on_cpu(r, w) ||
      (r->ready_n[SIM_HIGH] && slot_is_free(r) && sim_launch_whole(r, w)))
    return true;
  ag_turn_order(&t->turn, order);
  for (unsigned i = 0; i < AG_N_CLASSES; ++i) {
    bool did = false;
    if (order[i] == AG_CLASS_HIGH) {
      did = run_ready(r, w, SIM_HIGH);
      if (!did)
        event = t->waits && !t->held ? AG_ON_WAIT : AG_ON_NO_HIGH;
    } else {
      did = order[i] == AG_CLASS_MEDIUM ? run_medium(r, w, event) : run_ready(r, w, SIM_LOW);
    }
    if (did) {
      ag_turn_took(&t->turn, order[i]);
      return true;
    }
  }
  return sim_dispatch(r, w, w, AG_ON_NOTHING) || run_quiet(r, w);
}

void sim_find(struct sim_tasks *r, unsigned w) {
  struct sim_thread *t = &r->thread[w];
  if (t->task != SIM_NONE && (!t->held || r->live < r->m->live)) {
    t->held = false;
    run_on(r, w);
    return;
  }
  if (!run_ready(r, w, SIM_PROGRAM) && !help(r, w))
    rest(r, w);
}

void sim_look(struct sim_tasks *r) {
  r->poke = false;
  for (unsigned t = 0; t < r->m->cpus && r->idle; ++t)
    if (r->thread[t].doing == SIM_IDLE)
      sim_find(r, t);
}

/* --- The end of something ---------------------------------------------------------------------------------
 */

/* Its next unit comes; false when the thread then has something else to do. */
static bool submits(struct sim_tasks *r, unsigned w) {
  struct sim_thread *t = &r->thread[w];
  uint32_t unit = r->p->task[t->task].first + t->child++;
  struct sim_fifo *fifo = &t->fifo;
  sim_submit(r, w, unit);
  r->refused = false;
  /* Policies that do not look at the time say beforehand when they may want something. */
  bool never = !r->batch->timed && ag_batch_due(&r->policies.batch) > UINT32_MAX && r->m->slot_bytes >= 1e300;
  bool full = r->m->most && fifo->units.n >= r->m->most;
  if ((!never || full) && ag_batch_asks(&fifo->ask, fifo->policy.arrivals, fifo->units.n, full))
    /* When all slots are in use, or the policy would have something else launched if it knew what is over,
     * maybe a batch is. */
    if (sim_dispatch(r, w, w, AG_ON_SUBMIT) ||
        (t->asks_again = (r->refused || (r->batch->timed && !sim_sharers(r))) && commit(r, w)))
      return false;
  t->held = r->live >= r->m->live;
  return !t->held;
}

static void end_of_cpu_batch(struct sim_tasks *r, unsigned w) {
  struct sim_thread *t = &r->thread[w];
  double ns = r->now - t->since, units = (double)t->cpu.n, items = t->cpu.items;
  struct sim_fifo *fifo = &r->thread[t->cpu_of].fifo;
  r->result->busy_cpu_ns += ns;
  fifo->cpu_ns = ag_cpu_lately(fifo->cpu_ns, (uint64_t)(ns / units) + 1);
  ag_model_cpu(&r->model, items, ns);
  r->tries = false;
  ag_split_told(&r->split, AG_SIDE_CPU, units, items, ns);
  sim_map(r, "units", "thread", w, t->since, t->cpu.n);
  sim_units_done(r, &t->cpu);
}

static void end_of_launch(struct sim_tasks *r, unsigned w) {
  struct sim_batch *b = r->thread[w].batch;
  if (sim_grow(r, w))
    return;
  r->result->host_ns += b->host_ns;
  sim_map(r, "launch", "thread", w, b->since, b->units.n);
  ++r->result->launches;
  r->result->largest = b->units.n > r->result->largest ? b->units.n : r->result->largest;
  b->blocks = r->m->blocking;
  if (r->device[b->device].lost) {
    sim_batch_return(r, b);
  } else {
    sim_device_launch(r, b);
    if (b->blocks) {
      sim_begin(r, w, SIM_BLOCKED, SIM_NEVER);
      return;
    }
  }
  sim_find(r, w);
}

static void end_of_commit(struct sim_tasks *r, unsigned w) {
  struct sim_batch *b = r->thread[w].batch;
  r->result->host_ns += r->now - r->thread[w].since;
  sim_map(r, "commit", "thread", w, r->thread[w].since, b->units.n);
  if (b->failed) {
    sim_batch_return(r, b);
    return;
  }
  double units = (double)b->units.n, items = b->units.items;
  struct ag_measured_batch measured = {.units = units,
                                       .items = items,
                                       .longest = b->units.longest,
                                       .chains = units,
                                       .fill = (double)sim_fill(r->m),
                                       .ns = b->own_ns,
                                       .in_ns = b->in_ns,
                                       .out_ns = b->out_ns,
                                       .host_ns = b->host_ns,
                                       .staged_ns = b->staged_ns};
  r->device[b->device].failed = r->failed = 0;
  ag_model_batch(&r->model, b->device, &measured);
  ag_model_committed(&r->model, b->device, units, r->now - r->thread[w].since);
  ag_split_told(&r->split, AG_SIDE_DEVICE, units, items, b->service_ns);
  r->result->on_devices += b->units.n;
  sim_units_done(r, &b->units);
  sim_slot_give(r, b);
}

void sim_thread_goes_on(struct sim_tasks *r, unsigned w) {
  struct sim_thread *t = &r->thread[w];
  switch (t->doing) {
  case SIM_RUNS: {
    const struct sim_task *task = &r->p->task[t->task];
    r->result->busy_cpu_ns += r->now - t->since;
    if (t->child < task->n) {
      if (submits(r, w))
        run_on(r, w);
      else if (t->doing == SIM_RUNS)
        sim_find(r, w);
      return;
    }
    sim_map(r,
            task->class == SIM_HIGH  ? "high"
            : task->class == SIM_LOW ? "low"
                                     : "program",
            "thread", w, t->since, task->n);
    sim_task_took(r, task->class, r->now - t->begun);
    uint32_t done = t->task;
    t->task = SIM_NONE;
    sim_task_done(r, done);
    break;
  }
  case SIM_LAUNCHES:
    end_of_launch(r, w);
    return;
  case SIM_COMMITS:
    end_of_commit(r, w);
    if (t->asks_again) { /* a launch has waited for the slot */
      t->asks_again = false;
      if (sim_dispatch(r, w, w, AG_ON_SUBMIT))
        return;
    }
    break;
  case SIM_CPU_BATCH:
    end_of_cpu_batch(r, w);
    break;
  case SIM_BLOCKED:
    if (t->batch) { /* it is finished; else it was lost */
      double ns = r->m->commit_ns + (double)t->batch->units.n * r->m->commit_unit_ns;
      sim_begin(r, w, SIM_COMMITS, sim_noisy(r, ns));
      return;
    }
    break;
  case SIM_IDLE:
    break;
  }
  sim_find(r, w);
}
