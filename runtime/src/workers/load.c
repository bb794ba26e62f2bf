/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "workers/load.h"

#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/relaxed.h"
#include "workers/worker.h"

bool ag_load_wanted(const struct ag_runtime *rt) {
  return rt->n_accelerators && rt->config.split == AG_SPLIT_AUTO;
}

struct ag_load_before ag_load_begin(struct ag_worker *w, enum ag_doing doing, uint64_t ns) {
  struct ag_load *l = &w->load;
  struct ag_load_before before = {atomic_load_explicit(&l->doing, memory_order_relaxed),
                                  ag_get(&l->until_ns)};
  ag_set(&l->until_ns, ns ? ag_clock_ns() + ns : 0);
  atomic_store_explicit(&l->doing, doing, memory_order_relaxed);
  return before;
}

void ag_load_end(struct ag_worker *w, struct ag_load_before before) {
  atomic_store_explicit(&w->load.doing, before.doing, memory_order_relaxed);
  ag_set(&w->load.until_ns, before.until_ns);
}

static _Atomic uint64_t *mean_of(struct ag_runtime *rt, bool high) {
  return high ? &rt->cpu_only.high_ns : &rt->cpu_only.low_ns;
}

struct ag_load_unit ag_load_unit_begins(struct ag_worker *w, bool high) {
  if (!ag_load_wanted(w->rt))
    return (struct ag_load_unit){0};
  return (struct ag_load_unit){ag_load_begin(w, AG_DOES_OTHERS, ag_get(mean_of(w->rt, high))), ag_clock_ns()};
}

void ag_load_unit_ends(struct ag_worker *w, bool high, struct ag_load_unit unit) {
  if (!unit.begun_ns)
    return;
  ag_load_end(w, unit.before);
  _Atomic uint64_t *mean = mean_of(w->rt, high);
  uint64_t now = ag_clock_ns() - unit.begun_ns, old = ag_get(mean);
  ag_set(mean, 1 + (!old ? now : now > old ? old + (now - old) / 8 : old - (old - now) / 8));
}

void ag_load_queued(struct ag_worker *of, struct ag_fifo *fifo, double item_ns) {
  uint64_t now = ag_clock_believed((double)fifo->cost * item_ns);
  fifo->item_ns = item_ns;
  ag_set(&of->load.queued_ns, ag_get(&of->load.queued_ns) - fifo->queued_ns + now);
  fifo->queued_ns = now;
}

unsigned ag_load_back_soon(const struct ag_runtime *rt) {
  unsigned n = 0;
  for (const struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next) {
    int doing = atomic_load_explicit(&v->load.doing, memory_order_relaxed);
    n += doing == AG_DOES_SHARE || doing == AG_DOES_LOOK;
  }
  return n;
}

unsigned ag_load_lookers(const struct ag_runtime *rt) {
  return atomic_load_explicit(&rt->sleepers, memory_order_relaxed) + ag_load_back_soon(rt);
}

struct ag_split_cpus ag_load_show(struct ag_runtime *rt, double here_ns, const struct ag_worker *self) {
  struct ag_split_cpus load = {.ready = atomic_load_explicit(&rt->sleepers, memory_order_relaxed)};
  uint64_t now = ag_clock_ns();
  double all = 0;
  for (struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next) {
    int doing = atomic_load_explicit(&v->load.doing, memory_order_relaxed);
    uint64_t until = ag_get(&v->load.until_ns), left = until > now ? until - now : 0;
    all += (double)ag_get(&v->load.queued_ns);
    load.ready += (doing == AG_DOES_SHARE || doing == AG_DOES_LOOK) && v != self;
    load.ready_ns += doing == AG_DOES_SHARE ? (double)left : 0;
    load.others += (doing == AG_DOES_OTHERS || doing == AG_DOES_LAUNCH || doing == AG_DOES_TURN) && v != self;
    load.begun_ns += doing == AG_DOES_OTHERS ? (double)left : 0;
  }
  load.ready += self && !self->announced;
  load.ready = load.ready < rt->cpus ? load.ready : rt->cpus;
  load.others = load.others < rt->cpus - load.ready ? load.others : rt->cpus - load.ready;
  load.before_ns =
      (double)ag_worker_ready(rt, AG_URGENT) * ag_split_ready_ns((double)ag_get(&rt->cpu_only.high_ns));
  load.after_ns =
      (double)ag_worker_ready(rt, AG_NOT_URGENT) * ag_split_ready_ns((double)ag_get(&rt->cpu_only.low_ns));
  double here = (double)ag_clock_believed(here_ns);
  load.more = here > 0 && all > here ? all / here - 1 : 0;
  return load;
}
