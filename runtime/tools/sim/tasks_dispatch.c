/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether units of a FIFO are launched, or run on a CPU: what the runtime's dispatch/dispatch.c does, in
 * virtual time.
 */
#include "policy/launch/join.h"
#include "tasks_state.h"

#include <limits.h>
#include <math.h>

static void begin_launch(struct sim_tasks *r, unsigned w, struct sim_batch *b) {
  const struct sim_task_machine *m = r->m;
  double units = (double)b->units.n * m->host_unit_ns, all = m->host_ns + units, ns = sim_noisy(r, all);
  b->host_ns = ns;
  b->staged_ns = all > 0 ? ns * units / all : 0;
  r->thread[w].batch = b;
  sim_device_expect(r, b, true);
  sim_begin(r, w, SIM_LAUNCHES, ns);
}

/* --- What waits -------------------------------------------------------------------------------------------
 */

static bool is_shared_out(const struct sim_tasks *r) {
  return r->policies.split == AG_SPLIT_COUNT || r->policies.split == AG_SPLIT_ITEMS;
}

static bool is_common(const struct sim_tasks *r) {
  return r->batch->common && !r->m->own && !is_shared_out(r);
}

static struct ag_batch_state *state_of(struct sim_tasks *r, unsigned of) {
  return is_common(r) ? &r->common : &r->thread[of].fifo.policy;
}

static struct ag_fifo_facts fifo_facts(const struct sim_tasks *r, unsigned w, unsigned of) {
  const struct sim_fifo *fifo = &r->thread[of].fifo;
  enum sim_doing doing = r->thread[of].doing;
  return (struct ag_fifo_facts){.units = fifo->units.n,
                                .arrivals = fifo->policy.arrivals,
                                .cost = fifo->units.items,
                                .longest = fifo->units.n ? ag_sizes_longest(&fifo->sizes) : 0,
                                .active = fifo->policy.arrivals > fifo->paused && doing != SIM_IDLE &&
                                          doing != SIM_CPU_BATCH,
                                .own = of == w};
}

/* What the batch policy decides about when w asks: a FIFO, or all of them. */
static struct ag_waiting waiting_of(const struct sim_tasks *r, unsigned w, unsigned of) {
  struct ag_waiting all = {0};
  struct ag_fifo_facts facts = fifo_facts(r, w, of);
  if (!is_common(r))
    return ag_waiting_of_one(&facts);
  for (unsigned t = 0; t < r->m->cpus; ++t) {
    facts = fifo_facts(r, w, t);
    ag_waiting_add(&all, &facts);
  }
  ag_waiting_complete(&all);
  return all;
}

/* What each of the units costs that wait. */
static struct ag_sizes sizes_of(const struct sim_tasks *r, unsigned of) {
  struct ag_sizes sizes = {0};
  for (unsigned t = is_common(r) ? 0 : of; t < (is_common(r) ? r->m->cpus : of + 1); ++t)
    ag_sizes_join(&sizes, &r->thread[t].fifo.sizes);
  return sizes;
}

/* Moves up to n units, as many as fit a launch, from the FIFO to the batch, but for those
 * that are kept for CPUs. */
static void take(struct sim_tasks *r, struct sim_fifo *fifo, struct sim_batch *b, uint64_t n) {
  const struct sim_task_machine *m = r->m;
  struct sim_chain front = {0};
  for (uint64_t i = 0; i < fifo->kept_for_cpus; ++i)
    sim_chain_push(r, &front, sim_chain_pop(r, &fifo->units));
  double bytes = m->bytes_in > m->bytes_out ? m->bytes_in : m->bytes_out;
  if (m->most && n > m->most - b->units.n)
    n = m->most - b->units.n;
  if (fifo->limited && fifo->limit && n > fifo->limit)
    n = fifo->limit;
  while (fifo->units.n && n--) {
    uint32_t unit = fifo->units.head;
    if (b->units.n && bytes * (b->units.items + sim_items(r, unit)) > m->slot_bytes)
      break;
    sim_chain_push(r, &b->units, sim_chain_pop(r, &fifo->units));
    r->state[unit] = SIM_TAKEN;
    --r->waiting;
    fifo->kept_for_devices -= fifo->kept_for_devices > 0;
    fifo->limited -= fifo->limited > 0;
  }
  sim_chain_return(r, &fifo->units, &front);
}

/* What is known of devices and of the units, when one FIFO is asked about. */
static struct ag_launch_facts facts_of(const struct sim_tasks *r, unsigned of,
                                       struct ag_device_facts devices[SIM_MOST_TASK_DEVICES]) {
  unsigned next = sim_device_for(r, of);
  sim_look_at_devices(r, devices);
  return (struct ag_launch_facts){.device = devices,
                                  .devices = r->m->devices,
                                  .next = next == UINT_MAX ? -1 : (int)next,
                                  .fill = (double)sim_fill(r->m),
                                  .model = &r->model,
                                  .failed = r->failed,
                                  .cpus = r->m->cpus};
}

/* --- Splits -----------------------------------------------------------------------------------------------
 */

static struct ag_split_view split_view(const struct sim_tasks *r, unsigned of, uint64_t units, double items) {
  struct ag_device_facts devices[SIM_MOST_TASK_DEVICES];
  struct ag_launch_facts facts = facts_of(r, of, devices);
  return ag_launch_split_view(units, items, &facts);
}

/* count and items: of the n units that are about to be launched the first ones are for CPUs, but for those
 * that were left to devices before. How many are left. */
static uint64_t leave_to_cpus(struct sim_tasks *r, unsigned of, uint64_t n) {
  struct sim_fifo *fifo = &r->thread[of].fifo;
  enum ag_split_choice choice = r->policies.split;
  if (!is_shared_out(r))
    return n;
  uint64_t kept = fifo->kept_for_devices < n ? fifo->kept_for_devices : n;
  struct sim_chain before = {0};
  for (uint64_t i = 0; i < kept; ++i)
    sim_chain_push(r, &before, sim_chain_pop(r, &fifo->units));
  double items = 0;
  uint32_t unit = fifo->units.head;
  for (uint64_t i = kept; i < n; ++i, unit = r->next[unit])
    items += sim_items(r, unit);
  struct ag_split_view view = split_view(r, of, n - kept, items);
  struct ag_split_share share = ag_split_front(choice, &r->split, &view);
  double sum = 0;
  uint64_t units = 0;
  while (units < n - kept && ag_split_share_takes(&share, units, sum, sim_items(r, fifo->units.head))) {
    sum += sim_items(r, fifo->units.head);
    ++units;
    sim_chain_push(r, &fifo->cpu, sim_chain_pop(r, &fifo->units));
    --r->waiting;
    ++r->for_cpus;
  }
  sim_chain_return(r, &fifo->units, &before);
  fifo->kept_for_devices = fifo->kept_for_devices > n - units ? fifo->kept_for_devices : n - units;
  r->poke |= units > 0;
  return n - units;
}

/* Whether the thread has gone away that submits into this FIFO. */
static bool is_away(const struct sim_tasks *r, struct sim_fifo *fifo) {
  return ag_is_away(&fifo->away, fifo->policy.arrivals, (uint64_t)r->now + 1);
}

/* Others than the thread that submits leave what is not worth their while, unless that has gone away. */
static bool is_worth(struct sim_tasks *r, unsigned w, unsigned of, uint64_t units) {
  struct sim_fifo *fifo = &r->thread[of].fifo;
  return w == of || ag_cpu_worth(fifo->cpu_ns, units, 1) || is_away(r, fifo);
}

/* auto: what w sees, which is deciding. */
static struct ag_split_view open_view(struct sim_tasks *r, unsigned w, unsigned of,
                                      const struct ag_waiting *waiting, const struct ag_sizes *sizes,
                                      bool submits) {
  struct ag_split_view v = split_view(r, of, waiting->units, waiting->cost);
  v.sizes = sizes;
  v.load = sim_load(r, w, waiting->cost, submits);
  const struct sim_thread *t = &r->thread[w];
  const struct ag_batch_state *state = state_of(r, of);
  uint64_t now = (uint64_t)r->now + 1;
  if (submits && r->p->task[t->task].class == SIM_PROGRAM)
    ag_split_submits(&v.load, ag_batch_until_pause(state, now), ag_batch_waited(state, now));
  return v;
}

/* auto: the units at the front of a FIFO that w takes. Others than the thread that submits leave what is not
 * worth their while, unless that has gone away. */
static uint64_t cpu_part(struct sim_tasks *r, unsigned w, unsigned of, const struct ag_cpu_part *part,
                         bool *to_owner) {
  struct sim_fifo *fifo = &r->thread[of].fifo;
  struct ag_front front = {.items = part->items};
  bool other = w != of && !is_away(r, fifo);
  uint32_t unit = fifo->units.head;
  while (front.n < fifo->units.n && ag_front_takes(&front, sim_items(r, unit)))
    unit = r->next[unit];
  *to_owner = other && front.n && !ag_split_worth(part->cpu_ns, front.cost);
  return *to_owner ? 0 : front.n;
}

/* Others may take their share meanwhile, if what is left is worth so many. */
static void tell_others(struct sim_tasks *r, const struct sim_fifo *fifo, const struct sim_chain *left,
                        unsigned shares) {
  r->poke |= left->n && ag_cpu_worth(fifo->cpu_ns, left->n, shares);
}

/* Who takes from a FIFO keeps the others from it meanwhile. */
static void wait_for_fifo(struct sim_tasks *r, unsigned w, struct sim_fifo *fifo) {
  struct sim_thread *t = &r->thread[w];
  double from = r->now + t->asked_ns;
  fifo->free_ns = (fifo->free_ns > from ? fifo->free_ns : from) + r->m->take_ns;
  t->asked_ns = fifo->free_ns - r->now;
}

static bool begin_cpu(struct sim_tasks *r, unsigned w, unsigned of, struct sim_chain *from, uint64_t units) {
  struct sim_thread *t = &r->thread[w];
  double ns = 0;
  wait_for_fifo(r, w, &r->thread[of].fifo);
  t->cpu = (struct sim_chain){0};
  t->cpu_of = of;
  while (from->n && units--) {
    uint32_t unit = sim_chain_pop(r, from);
    r->state[unit] = SIM_TAKEN;
    ns += (double)r->p->ns[unit];
    sim_chain_push(r, &t->cpu, unit);
  }
  ++r->result->cpu_batches;
  t->until = r->now + t->cpu.items * r->model.cpu_ns;
  sim_begin(r, w, SIM_CPU_BATCH, sim_noisy(r, ns));
  return true;
}

static uint64_t share_of(const struct sim_tasks *r, uint64_t n) {
  return ag_cpu_share(n, n, r->m->cpus, 0).units;
}

bool sim_take_for_cpu(struct sim_tasks *r, unsigned w, unsigned of) {
  struct sim_fifo *fifo = &r->thread[of].fifo;
  if (fifo->cpu.n) {
    uint64_t n = share_of(r, fifo->cpu.n);
    if (!is_worth(r, w, of, n))
      return false;
    begin_cpu(r, w, of, &fifo->cpu, n);
    tell_others(r, fifo, &fifo->cpu, AG_CPU_SHARE * r->m->cpus);
    r->for_cpus -= r->thread[w].cpu.n;
    return true;
  }
  if (!fifo->units.n)
    return false;
  if (!r->devices_left || r->policies.split == AG_SPLIT_CPU) {
    uint64_t n = share_of(r, fifo->units.n);
    if (!is_worth(r, w, of, n))
      return false;
    begin_cpu(r, w, of, &fifo->units, n);
    tell_others(r, fifo, &fifo->units, AG_CPU_SHARE * r->m->cpus);
    r->waiting -= r->thread[w].cpu.n;
    return true;
  }
  return false;
}

/* auto: units of what a device could have. */
static bool take_mine(struct sim_tasks *r, unsigned w, unsigned of, uint64_t n) {
  struct sim_fifo *fifo = &r->thread[of].fifo;
  if (!n)
    return false;
  begin_cpu(r, w, of, &fifo->units, n);
  tell_others(r, fifo, &fifo->units, 1);
  r->waiting -= n;
  fifo->kept_for_cpus -= fifo->kept_for_cpus < n ? fifo->kept_for_cpus : n;
  return true;
}

bool sim_try_on_cpu(struct sim_tasks *r, unsigned w) {
  struct sim_fifo *fifo = &r->thread[w].fifo;
  if (r->policies.split != AG_SPLIT_AUTO || r->model.cpu_ns > 0 || r->tries || !fifo->units.n)
    return false;
  r->tries = true;
  --r->waiting;
  return begin_cpu(r, w, w, &fifo->units, 1);
}

/* --- Launches ---------------------------------------------------------------------------------------------
 */

static double filled(const struct sim_tasks *r, const struct sim_fifo *fifo) {
  const struct sim_task_machine *m = r->m;
  double bytes = m->bytes_in > m->bytes_out ? m->bytes_in : m->bytes_out;
  return bytes * fifo->units.items / m->slot_bytes;
}

static bool is_full(const struct sim_tasks *r, const struct sim_fifo *fifo) {
  return (r->m->most && fifo->units.n >= r->m->most) || filled(r, fifo) >= 1 ||
         (fifo->limited && fifo->limit && fifo->units.n >= fifo->limit);
}

static struct ag_batch_view batch_view(const struct sim_tasks *r, unsigned w, unsigned of,
                                       const struct ag_waiting *waiting, enum ag_batch_event event) {
  struct ag_device_facts devices[SIM_MOST_TASK_DEVICES];
  struct ag_launch_facts facts = facts_of(r, of, devices);
  for (unsigned d = 0; d < facts.devices && r->m->own; ++d) /* the thread has no other one */
    devices[d].usable &= (int)d == facts.next;
  const struct sim_fifo *fifo = &r->thread[of].fifo;
  struct ag_batch_view view = {.event = event,
                               .full = is_full(r, fifo),
                               .most = r->m->most,
                               .slot_bytes = isfinite(r->m->slot_bytes) ? r->m->slot_bytes : 0,
                               .filled = filled(r, fifo)};
  if (fifo->limited && fifo->limit && (!view.most || fifo->limit < view.most))
    view.most = fifo->limit;
  ag_launch_show_waiting(&view, waiting, fifo->units.n);
  ag_launch_show(&view, r->batch->timed, &facts);
  if (r->batch->timed) {
    view.now_ns = (uint64_t)r->now + 1;
    view.lookers = facts.next < 0 ? 0 : sim_lookers(r, w);
  }
  return view;
}

/* Units go from the FIFO of `of` into the batch, then from those of others: n in all, but for the dearest of
 * each. */
static void gather(struct sim_tasks *r, struct sim_batch *b, uint64_t n, struct ag_sizes_front front) {
  double carry = 0;
  for (unsigned i = 0; i < (is_common(r) ? r->m->cpus : 1) && b->units.n < n; ++i) {
    unsigned of = (b->owner + i) % r->m->cpus;
    struct sim_fifo *fifo = &r->thread[of].fifo;
    double for_cpus = ag_sizes_in_front(&fifo->sizes, front);
    carry += i ? for_cpus : 0;
    fifo->kept_for_cpus = (uint64_t)(i ? carry : for_cpus);
    carry -= i ? (double)fifo->kept_for_cpus : 0;
    r->poke |= fifo->kept_for_cpus > 0;
    take(r, fifo, b, n - b->units.n);
    ag_batch_gone(&fifo->policy, fifo->units.n);
  }
}

/* The thread of the FIFO submits nothing for now. */
static void pauses(struct sim_tasks *r, unsigned w) {
  struct sim_fifo *fifo = &r->thread[w].fifo;
  fifo->paused = fifo->policy.arrivals;
  struct ag_fifo_facts facts = fifo_facts(r, w, w);
  struct ag_waiting waiting = waiting_of(r, w, w);
  struct ag_batch_state *state = state_of(r, w);
  state->arrivals = waiting.arrivals;
  if (is_common(r) ? !waiting.active : !facts.active)
    ag_batch_pause(state);
}

/* A thread that has submitted nothing since the launch before this one is busy with other things. */
static void look_who_submits(struct sim_tasks *r) {
  for (unsigned t = 0; t < r->m->cpus; ++t) {
    struct sim_fifo *fifo = &r->thread[t].fifo;
    if (r->thread[t].doing == SIM_LAUNCHES) /* it will go on */
      continue;
    if (fifo->launched == fifo->policy.arrivals)
      fifo->paused = fifo->launched;
    fifo->launched = fifo->policy.arrivals;
  }
}

/* What the policies say of the FIFO: the steps of the runtime's ag_decide(), and what they take w. */
static struct ag_decided decide(struct sim_tasks *r, unsigned w, unsigned of, enum ag_batch_event event) {
  struct sim_fifo *fifo = &r->thread[of].fifo;
  struct ag_batch_state *state = state_of(r, of);
  uint64_t now = (uint64_t)r->now + 1;
  enum ag_batch_event told = ag_batch_event(&fifo->policy, event);
  bool submits = event == AG_ON_SUBMIT, busy = ag_batch_is_busy(event), to_owner = ag_batch_is_busy(told),
       full = is_full(r, fifo), due = true;
  struct ag_decided d = ag_launch_undecided();
  if (!full && is_common(r) && ag_batch_asked(r->batch, state, told, now)) {
    d.mine = busy ? 0 : cpu_part(r, w, of, &r->part, &to_owner);
    return d;
  }
  struct ag_waiting waiting = waiting_of(r, w, of);
  state->arrivals = waiting.arrivals;
  if (r->batch->timed)
    ag_batch_tick(state, waiting.units, now);
  struct ag_batch_view view = batch_view(r, w, of, &waiting, told);
  bool open = r->policies.split == AG_SPLIT_AUTO && !ag_batch_for_others(r->batch, &view);
  double ask_ns = r->batch->timed ? r->m->ask_ns : 0, before = r->thread[w].asked_ns;
  if (ag_launch_asks_first(open, busy, &fifo->ask)) {
    d.batch = ag_batch_ask(r->batch, &r->policies.batch, state, &view);
    r->thread[w].asked_ns += ask_ns;
    due = d.batch.units > 0;
  }
  if (open && due) {
    struct ag_sizes sizes = sizes_of(r, of);
    struct ag_split_view split = open_view(r, w, of, &waiting, &sizes, submits);
    struct ag_cpu_part part = ag_launch_part(&split, busy);
    d.mine = busy ? 0 : cpu_part(r, w, of, &part, &to_owner);
    if (!busy)
      r->part = part;
    ag_launch_leave(&d, &view, &split, &fifo->sizes, fifo->units.n, d.mine || to_owner);
    r->thread[w].asked_ns += r->batch->timed ? r->m->ask_split_ns : 0;
  }
  if (due) {
    d.batch = ag_batch_ask(r->batch, &r->policies.batch, state, &view);
    r->thread[w].asked_ns += ask_ns;
  }
  ag_launch_conclude(&d, &view, waiting.units);
  if (submits)
    fifo->ask = ag_batch_again(&d.batch, fifo->policy.arrivals, fifo->units.n);
  if (submits && d.batch.units) /* it is asked whether a launch is due, and for what to launch */
    r->thread[w].asked_ns += r->thread[w].asked_ns - before;
  return d;
}

/* What was decided begins, if there is room for it. */
static bool launch(struct sim_tasks *r, unsigned w, unsigned of, const struct ag_decided *d) {
  struct sim_fifo *fifo = &r->thread[of].fifo;
  struct ag_batch_state *state = state_of(r, of);
  unsigned device = sim_device_for(r, of);
  r->refused = r->device[device].used == r->m->slots;
  if (r->refused)
    return false;
  uint64_t n = leave_to_cpus(r, of, d->batch.units);
  struct sim_batch *b = n ? sim_slot_take(r, device) : NULL;
  if (b) {
    b->owner = of;
    b->reason = d->batch.reason;
    b->most = d->batch.most ? d->batch.most : UINT64_MAX;
    ++r->result->reasons[d->batch.reason];
    gather(r, b, n, d->front);
    n = b->units.n;
  }
  if (r->batch->launched)
    r->batch->launched(&r->policies.batch, state, n);
  if (!d->rest && is_common(r))
    look_who_submits(r);
  if (!d->rest)
    ag_batch_gone(state, d->waiting - n);
  r->poke |= d->rest; /* others may stage the rest meanwhile */
  uint64_t due = ag_batch_due(&r->policies.batch);
  bool soon = r->batch->timed || due > UINT32_MAX;
  fifo->ask = (struct ag_batch_again){soon ? 0 : fifo->policy.arrivals - fifo->units.n + due, UINT64_MAX};
  if (!b)
    return sim_take_for_cpu(r, w, of);
  r->whole_at = 0; /* the rest may be due */
  begin_launch(r, w, b);
  return true;
}

bool sim_dispatch(struct sim_tasks *r, unsigned w, unsigned of, enum ag_batch_event event) {
  struct sim_fifo *fifo = &r->thread[of].fifo;
  if (r->batch->timed && w == of && (event == AG_ON_WAIT || event == AG_ON_NOTHING))
    pauses(r, w);
  if (!fifo->units.n || !r->devices_left || r->policies.split == AG_SPLIT_CPU)
    return false;
  if (event == AG_ON_BURST && w == of)
    ag_batch_look(&fifo->policy);
  struct ag_decided d = decide(r, w, of, event);
  return (d.batch.units && launch(r, w, of, &d)) || take_mine(r, w, of, d.mine);
}

bool sim_launch_whole(struct sim_tasks *r, unsigned w) {
  if (!r->batch->timed || !is_common(r) || !r->thread[w].fifo.policy.arrivals || r->now < r->whole_at)
    return false;
  double until = ag_batch_until_whole(&r->common, waiting_of(r, w, w).arrivals);
  for (unsigned i = 0; i < r->m->cpus && until <= 0; ++i)
    if (sim_dispatch(r, w, (w + i) % r->m->cpus, AG_ON_WHOLE))
      return true;
  r->whole_at = r->now + (until > 0 ? until : AG_ASK_NS);
  return false;
}

/* No unit follows one of the same batch here. */
static struct ag_join_facts join_facts(const struct sim_tasks *r, const struct sim_batch *b) {
  const struct sim_device *d = &r->device[b->device];
  const struct sim_fifo *fifo = &r->thread[b->owner].fifo;
  struct ag_join_facts facts = {
      .units = b->units.n, .most = b->most, .busy = d->first && !d->lost, .shared_out = is_shared_out(r)};
  facts.own = fifo->units.n;
  facts.for_cpus = fifo->kept_for_cpus;
  for (unsigned t = 0; t < r->m->cpus && is_common(r); ++t)
    facts.others += t != b->owner ? r->thread[t].fifo.units.n : 0;
  return facts;
}

bool sim_grow(struct sim_tasks *r, unsigned t) {
  struct sim_batch *b = r->thread[t].batch;
  struct ag_join_facts facts = join_facts(r, b);
  uint64_t waiting = waiting_of(r, t, b->owner).units;
  if (!ag_join_wanted(r->batch, &facts))
    return false;
  uint64_t before = b->units.n;
  for (unsigned i = 0; i < (is_common(r) ? r->m->cpus : 1) && b->units.n < b->most; ++i) {
    struct sim_fifo *fifo = &r->thread[(b->owner + i) % r->m->cpus].fifo;
    if (!fifo->limited && fifo->units.n > fifo->kept_for_cpus)
      take(r, fifo, b, b->most - b->units.n);
  }
  if (b->units.n == before)
    return false;
  ag_batch_gone(state_of(r, b->owner), waiting - (b->units.n - before));
  double ns = sim_noisy(r, (double)b->units.n * r->m->host_unit_ns); /* it is staged anew */
  b->host_ns += ns;
  b->staged_ns += ns;
  sim_begin(r, t, SIM_LAUNCHES, ns);
  return true;
}
