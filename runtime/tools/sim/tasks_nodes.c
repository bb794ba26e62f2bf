/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes of a program: when they may go, and what becomes possible when they are complete. */
#include "tasks_state.h"

#include <math.h>
#include <stdlib.h>

/* --- Chains of units --------------------------------------------------------------------------------------
 */

/* Behind this one; SIM_NONE: at the front. */
static void link_behind(struct sim_tasks *r, struct sim_chain *c, uint32_t unit, uint32_t before) {
  uint32_t *at = before == SIM_NONE ? &c->head : &r->next[before];
  r->next[unit] = before == c->tail || !c->n ? SIM_NONE : *at;
  if (r->next[unit] == SIM_NONE)
    c->tail = unit;
  *at = unit;
  ++c->n;
}

/* Behind those of its class, and all that are dearer. */
static uint32_t place(struct sim_tasks *r, struct sim_chain *c, uint32_t unit) {
  unsigned class = ag_size_class(sim_items(r, unit));
  uint64_t dearer = c->dear->used >> class;
  uint32_t before = dearer ? c->dear->last[class + (unsigned)__builtin_ctzll(dearer)] : SIM_NONE;
  c->dear->last[class] = unit;
  c->dear->used |= (uint64_t)1 << class;
  return before;
}

void sim_chain_push(struct sim_tasks *r, struct sim_chain *c, uint32_t unit) {
  link_behind(r, c, unit, c->dear ? place(r, c, unit) : c->n ? c->tail : SIM_NONE);
  c->items += sim_items(r, unit);
  c->longest = fmax(c->n > 1 ? c->longest : 0, sim_items(r, unit));
  if (c->sizes)
    ag_sizes_add(c->sizes, sim_items(r, unit));
}

uint32_t sim_chain_pop(struct sim_tasks *r, struct sim_chain *c) {
  uint32_t unit = c->head;
  c->head = r->next[unit];
  c->items = --c->n ? c->items - sim_items(r, unit) : 0;
  if (c->sizes)
    ag_sizes_remove(c->sizes, sim_items(r, unit));
  unsigned class = ag_size_class(sim_items(r, unit));
  if (c->dear && c->dear->last[class] == unit)
    c->dear->used &= ~((uint64_t)1 << class);
  return unit;
}

void sim_chain_return(struct sim_tasks *r, struct sim_chain *c, const struct sim_chain *first) {
  uint32_t unit = first->head;
  if (!first->n)
    return;
  uint64_t used = c->dear ? c->dear->used : 0;
  for (uint64_t i = 0; c->sizes && i < first->n; ++i, unit = r->next[unit]) {
    unsigned class = ag_size_class(sim_items(r, unit));
    ag_sizes_add(c->sizes, sim_items(r, unit));
    if (c->dear && !(used >> class & 1)) {
      c->dear->last[class] = unit;
      c->dear->used |= (uint64_t)1 << class;
    }
  }
  r->next[first->tail] = c->n ? c->head : SIM_NONE;
  c->tail = c->n ? c->tail : first->tail;
  c->head = first->head;
  c->n += first->n;
  c->items += first->items;
}

/* --- Ready tasks ------------------------------------------------------------------------------------------
 */

static void append(struct sim_tasks *r, uint32_t *first, uint32_t *last, uint32_t task) {
  r->task_next[task] = SIM_NONE;
  if (*first == SIM_NONE)
    *first = task;
  else
    r->task_next[*last] = task;
  *last = task;
}

static void task_ready(struct sim_tasks *r, uint32_t task) {
  const struct sim_task *t = &r->p->task[task];
  if (t->thread >= 0 && r->m->cpus) {
    struct sim_thread *thread = &r->thread[(unsigned)t->thread % r->m->cpus];
    append(r, &thread->ready[t->class], &thread->ready_end[t->class], task);
  } else {
    append(r, &r->ready[t->class], &r->ready_end[t->class], task);
  }
  if (t->class <= SIM_LOW)
    ++r->ready_n[t->class];
  r->poke = true;
}

uint32_t sim_ready_take(struct sim_tasks *r, unsigned t, enum sim_class class) {
  struct sim_thread *thread = &r->thread[t];
  uint32_t *first = &thread->ready[class], task = *first;
  if (task == SIM_NONE && class <= SIM_LOW) {
    first = &r->ready[class];
    task = *first;
  }
  if (task == SIM_NONE)
    return task;
  *first = r->task_next[task];
  if (class <= SIM_LOW)
    --r->ready_n[class];
  return task;
}

/* --- Entering ---------------------------------------------------------------------------------------------
 */

static void enter(struct sim_tasks *r, unsigned of, uint32_t unit) {
  struct sim_fifo *fifo = &r->thread[of].fifo;
  r->poke |= !fifo->units.n;
  sim_chain_push(r, &fifo->units, unit);
  r->state[unit] = SIM_QUEUED;
  ++fifo->policy.arrivals;
  ++r->waiting;
  if (r->policies.batch.rule == AG_BATCH_OCCUPANCY)
    ag_batch_tick(&fifo->policy, fifo->units.n, (uint64_t)r->now + 1);
}

void sim_submit(struct sim_tasks *r, unsigned t, uint32_t unit) {
  ++r->live;
  r->result->waited_ns -= r->now;
  if (!r->preds_left || !r->preds_left[r->p->tasks + unit])
    enter(r, t, unit);
}

static void node_ready(struct sim_tasks *r, uint32_t node) {
  if (node < r->p->tasks) {
    task_ready(r, node);
    return;
  }
  uint32_t unit = node - r->p->tasks;
  sim_submit(r, (unsigned)r->p->home[unit] % r->m->cpus, unit);
}

static void node_done(struct sim_tasks *r, uint32_t node) {
  --r->left;
  for (uint64_t i = r->p->succ ? r->p->succ_at[node] : 0; r->p->succ && i < r->p->succ_at[node + 1]; ++i)
    if (!--r->preds_left[r->p->succ[i]])
      node_ready(r, r->p->succ[i]);
}

void sim_task_done(struct sim_tasks *r, uint32_t task) { node_done(r, task); }

void sim_units_done(struct sim_tasks *r, struct sim_chain *c) {
  r->result->units += c->n;
  r->result->waited_ns += (double)c->n * r->now;
  r->poke |= r->live >= r->m->live; /* threads that were held may go on */
  r->live -= c->n;
  while (c->n) {
    uint32_t unit = sim_chain_pop(r, c);
    if (r->state[unit] == SIM_TAKEN) /* otherwise the check at the end finds it */
      r->state[unit] = SIM_DONE;
    else
      r->state[unit] = SIM_WAITING;
    node_done(r, r->p->tasks + unit);
  }
}

/* --- Steps ------------------------------------------------------------------------------------------------
 */

static int by_time(const void *a, const void *b, void *context) {
  const struct sim_task *task = context;
  uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
  double x = task[i].not_before, y = task[k].not_before;
  return x < y ? -1 : x > y ? 1 : i < k ? -1 : i > k;
}

void sim_release_timed(struct sim_tasks *r) {
  while (r->timed_at < r->timed_n) {
    uint32_t task = r->timed[r->timed_at];
    double at = r->step_begun + r->p->task[task].not_before;
    if (at > r->now) {
      sim_heap_set(&r->clock, sim_release_clock(r), at);
      return;
    }
    ++r->timed_at;
    task_ready(r, task);
  }
  sim_heap_set(&r->clock, sim_release_clock(r), SIM_NEVER);
}

bool sim_step_begin(struct sim_tasks *r) {
  const struct sim_program *p = r->p;
  if (r->step == p->steps)
    return false;
  uint32_t from = r->next_step_task, to = from;
  r->left = 0;
  r->step_begun = r->now;
  r->timed_n = r->timed_at = 0;
  for (; to < p->tasks && p->task[to].step == r->step; ++to)
    r->left += 1 + p->task[to].n;
  for (uint32_t t = from; t < to; ++t) {
    if (p->task[t].not_before > 0)
      r->timed[r->timed_n++] = t;
    else if (!r->preds_left || !r->preds_left[t])
      task_ready(r, t);
  }
  qsort_r(r->timed, r->timed_n, sizeof *r->timed, by_time, p->task);
  for (uint32_t u = 0; !r->step && p->home && u < p->units; ++u)
    if (p->home[u] >= 0) {
      ++r->left;
      if (!r->preds_left || !r->preds_left[p->tasks + u])
        node_ready(r, p->tasks + u);
    }
  for (unsigned t = 0; t < r->m->cpus; ++t)
    r->thread[t].waits = t == 0 || r->thread[t].ready[SIM_PROGRAM] != SIM_NONE;
  r->next_step_task = to;
  ++r->step;
  sim_release_timed(r);
  return true;
}
