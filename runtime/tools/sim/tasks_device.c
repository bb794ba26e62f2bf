/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Devices: batches follow one another through copies to the device, kernels, and copies back, each of which
 * works on one of them at a time. */
#include "policy/launch/order.h"
#include "policy/launch/retry.h"
#include "tasks_state.h"

#include <limits.h>
#include <math.h>

double sim_noisy(struct sim_tasks *r, double ns) {
  return r->m->noise > 0 ? ns * exp(r->m->noise * sim_gauss(r->m->seed, r->number++)) : ns;
}

static struct ag_batch_times believed(const struct sim_tasks *r, unsigned device) {
  return ag_times_believed(ag_model_times(&r->model, device, (double)sim_fill(r->m)), r->model.cpu_ns);
}

/* --- Slots ------------------------------------------------------------------------------------------------
 */

static bool expects(const struct sim_tasks *r, const struct sim_device *d) {
  for (unsigned s = 0; s < r->m->slots; ++s)
    if (d->slot[s].used && d->slot[s].expected_ns > 0)
      return true;
  return false;
}

struct ag_device_facts sim_device_facts(const struct sim_tasks *r, unsigned device) {
  const struct sim_device *d = &r->device[device];
  return (struct ag_device_facts){.usable = !d->lost,
                                  .full = d->used == r->m->slots,
                                  .taken = d->used,
                                  .known = expects(r, d),
                                  .left_ns = fmax(0, d->believed_free - r->now),
                                  .late_ns = fmax(0, r->now - d->since)};
}

void sim_look_at_devices(const struct sim_tasks *r, struct ag_device_facts facts[SIM_MOST_TASK_DEVICES]) {
  for (unsigned d = 0; d < r->m->devices; ++d)
    facts[d] = sim_device_facts(r, d);
}

unsigned sim_device_for(const struct sim_tasks *r, unsigned t) {
  struct ag_device_facts facts[SIM_MOST_TASK_DEVICES];
  unsigned n = r->m->devices, own = n ? t % n : 0;
  sim_look_at_devices(r, facts);
  if (r->m->own && r->devices_left == n && n)
    return own;
  int next = n ? ag_device_next(facts, n, 0, r->batch->timed || r->policies.split > AG_SPLIT_CPU) : -1;
  return next < 0 ? UINT_MAX : (unsigned)next;
}

struct sim_batch *sim_slot_take(struct sim_tasks *r, unsigned device) {
  struct sim_device *d = &r->device[device];
  for (unsigned s = 0; s < r->m->slots; ++s)
    if (!d->slot[s].used) {
      d->slot[s] = (struct sim_batch){.used = true, .device = device, .since = r->now};
      ++d->used;
      return &d->slot[s];
    }
  return NULL;
}

void sim_slot_give(struct sim_tasks *r, struct sim_batch *b) {
  b->used = false;
  --r->device[b->device].used;
  r->poke = true;
}

/* --- Kernels ----------------------------------------------------------------------------------------------
 */

/* The block that is free first takes the next one: block[0] is it. */
static void next_block(double *block, unsigned n, double ns) {
  unsigned i = 0;
  double at = block[0] + ns;
  for (;;) {
    unsigned child = 2 * i + 1;
    if (child + 1 < n && block[child + 1] < block[child])
      ++child;
    if (child >= n || block[child] >= at)
      break;
    block[i] = block[child];
    i = child;
  }
  block[i] = at;
}

/* The units of a launch in the order in which they are begun. */
static const uint32_t *in_order(struct sim_tasks *r, const struct sim_chain *c) {
  unsigned place[AG_ORDER_CLASSES] = {0};
  enum sim_order order = r->m->order;
  bool dear_first = order == SIM_AS_POLICY ? r->batch->dear_first : order == SIM_DEAR_FIRST;
  uint32_t unit = c->head;
  for (uint64_t i = 0; i < c->n; ++i, unit = r->next[unit])
    ++place[dear_first ? ag_order_class(sim_items(r, unit)) : 0];
  ag_order_places(place);
  unit = c->head;
  for (uint64_t i = 0; i < c->n; ++i, unit = r->next[unit])
    r->sorted[place[dear_first ? ag_order_class(sim_items(r, unit)) : 0]++] = unit;
  return r->sorted;
}

/* Each unit is so many blocks of equal cost; they become resident in their order as others end. A block gets
 * its part of the device's speed, but not more than it could use alone. */
static double kernel_ns(struct sim_tasks *r, const struct sim_chain *c) {
  const struct sim_task_machine *m = r->m;
  double most = 0, all = 0, least = INFINITY;
  uint32_t unit = c->head;
  for (uint64_t i = 0; i < c->n; ++i, unit = r->next[unit]) {
    double ns = (double)r->p->ns[unit];
    most = fmax(most, ns);
    least = fmin(least, ns);
    all += ns;
  }
  double blocks = (double)c->n * m->blocks, running = fmin(blocks, m->fill);
  double speed = fmin(m->speed / running, m->speed / m->saturated); /* of a block */
  if (blocks <= m->fill)
    return most / m->blocks / speed;
  if (m->blocks >= m->fill)
    return all / m->speed;
  if (most <= least)
    return ceil(blocks / m->fill) * most / m->blocks / speed;
  for (unsigned i = 0; i < m->fill; ++i)
    r->block[i] = 0;
  const uint32_t *sorted = in_order(r, c);
  for (uint64_t i = 0; i < c->n; ++i)
    for (unsigned b = 0; b < m->blocks; ++b)
      next_block(r->block, m->fill, (double)r->p->ns[sorted[i]] / m->blocks / speed);
  double end = 0;
  for (unsigned i = 0; i < m->fill; ++i)
    end = fmax(end, r->block[i]);
  return end;
}

static double copy_ns(const struct sim_task_machine *m, double bytes) {
  return m->copy_ns + (m->bytes_per_ns > 0 ? bytes / m->bytes_per_ns : 0);
}

void sim_device_expect(struct sim_tasks *r, struct sim_batch *b, bool staging) {
  struct sim_device *d = &r->device[b->device];
  struct ag_batch_times times = believed(r, b->device);
  double run = ag_times_longest(&times, (double)b->units.n, b->units.items, b->units.longest);
  const struct ag_device_model *m = ag_model_of(&r->model, b->device, (double)sim_fill(r->m));
  double n = (double)b->units.n;
  struct ag_slowest slowest = ag_times_slowest(ag_host_ns(&m->in, n), run, ag_host_ns(&m->out, n));
  double before = slowest.before_ns + (staging ? ag_host_ns(&m->host, n) : 0);
  /* It begins when it is staged, or when those before it are done. */
  d->believed_free = fmax(d->believed_free - b->expected_ns, r->now + before) + slowest.ns;
  b->expected_ns = slowest.ns;
  if (staging ? d->used == 1 : d->first == b)
    d->since = r->now + before;
}

void sim_device_launch(struct sim_tasks *r, struct sim_batch *b) {
  const struct sim_task_machine *m = r->m;
  struct sim_device *d = &r->device[b->device];
  double in = copy_ns(m, b->units.items * m->bytes_in), out = copy_ns(m, b->units.items * m->bytes_out);
  double begin = fmax(r->now, d->in_free), before = d->last ? d->last->finish : d->finished;
  d->in_free = begin + in;
  b->in_ns = in;
  b->out_ns = out;
  b->kernel_ns = sim_noisy(r, m->launch_ns + kernel_ns(r, &b->units));
  d->kernel_free = fmax(d->in_free, d->kernel_free) + b->kernel_ns;
  d->out_free = fmax(d->kernel_free, d->out_free) + out;
  b->launched = r->now;
  b->finish = d->out_free;
  b->service_ns = b->finish - fmax(r->now, before);
  b->own_ns = b->finish - fmax(begin + in + out, before);
  b->failed = m->fails > 0 && sim_uniform(m->seed + 77, r->number++) < m->fails;
  b->next = NULL;
  if (d->first)
    d->last->next = b;
  else
    d->first = b;
  d->last = b;
  r->result->copy_ns += in + out;
  r->result->busy_device_ns += b->kernel_ns;
  sim_device_expect(r, b, false);
  sim_heap_set(&r->clock, sim_device_clock(r, b->device), d->first->finish);
}

void sim_device_finished(struct sim_tasks *r, unsigned device) {
  struct sim_device *d = &r->device[device];
  struct sim_batch *b = d->first;
  d->first = b->next;
  d->last = d->first ? d->last : NULL;
  d->finished = d->since = r->now;
  b->expected_ns = 0;
  d->believed_free = r->now;
  for (unsigned s = 0; s < r->m->slots; ++s)
    d->believed_free += d->slot[s].used ? d->slot[s].expected_ns : 0;
  sim_heap_set(&r->clock, sim_device_clock(r, device), d->first ? d->first->finish : SIM_NEVER);
  sim_map(r, b->failed ? "failed" : "batch", "device", device, fmax(b->launched, r->now - b->service_ns),
          b->units.n);
  b->next = NULL;
  if (b->blocks) {
    for (unsigned t = 0; t < r->m->cpus; ++t)
      if (r->thread[t].doing == SIM_BLOCKED && r->thread[t].batch == b)
        sim_thread_goes_on(r, t);
    return;
  }
  if (r->done)
    r->done_last->next = b;
  else
    r->done = b;
  r->done_last = b;
  r->poke = true;
}

/* --- Failures ---------------------------------------------------------------------------------------------
 */

void sim_batch_return(struct sim_tasks *r, struct sim_batch *b) {
  struct sim_fifo *fifo = &r->thread[b->owner].fifo;
  uint64_t n = b->units.n;
  /* A device that is lost says nothing of its units. */
  unsigned most = b->failed ? ag_retry_most((unsigned)n, ++r->device[b->device].failed) : 0;
  bool for_cpus = b->failed && !most;
  uint32_t unit = b->units.head;
  for (uint64_t i = 0; i < n; ++i, unit = r->next[unit])
    r->state[unit] = SIM_QUEUED;
  sim_chain_return(r, for_cpus ? &fifo->cpu : &fifo->units, &b->units);
  *(for_cpus ? &r->for_cpus : &r->waiting) += n;
  if (most) {
    fifo->limit = most;
    fifo->limited = n;
  }
  ++r->result->failed;
  ++r->failed;
  sim_slot_give(r, b);
}

void sim_device_lost(struct sim_tasks *r, unsigned device) {
  struct sim_device *d = &r->device[device];
  d->lost = true;
  --r->devices_left;
  sim_heap_set(&r->clock, sim_loss_clock(r, device), SIM_NEVER);
  sim_heap_set(&r->clock, sim_device_clock(r, device), SIM_NEVER);
  /* The last first, so that the units are in their order again. */
  while (d->first) {
    struct sim_batch **last = &d->first;
    while ((*last)->next)
      last = &(*last)->next;
    struct sim_batch *b = *last;
    *last = NULL;
    sim_map(r, "lost", "device", device, b->launched, b->units.n);
    sim_batch_return(r, b);
    for (unsigned t = 0; t < r->m->cpus && b->blocks; ++t)
      if (r->thread[t].doing == SIM_BLOCKED && r->thread[t].batch == b) {
        r->thread[t].batch = NULL;
        sim_thread_goes_on(r, t);
      }
  }
  d->last = NULL;
}
