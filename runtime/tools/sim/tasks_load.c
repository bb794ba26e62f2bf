/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What CPU units have to do: what the runtime's workers/load.c does, in virtual time. */
#include "tasks_state.h"

#include <math.h>

void sim_task_took(struct sim_tasks *r, enum sim_class class, double ns) {
  if (class <= SIM_LOW)
    r->task_ns[class] += (ns - r->task_ns[class]) / (r->task_ns[class] > 0 ? 8 : 1);
}

unsigned sim_sharers(const struct sim_tasks *r) {
  unsigned n = 0;
  for (unsigned t = 0; t < r->m->cpus; ++t)
    n += r->thread[t].doing == SIM_CPU_BATCH;
  return n;
}

unsigned sim_lookers(const struct sim_tasks *r, unsigned w) {
  return r->idle - (r->thread[w].doing == SIM_IDLE) + sim_sharers(r); /* it is about to do something */
}

struct ag_split_cpus sim_load(const struct sim_tasks *r, unsigned w, double here, bool submits) {
  struct ag_split_cpus load = {.ready = r->idle + (r->thread[w].doing != SIM_IDLE && !submits)};
  double all = 0;
  for (unsigned t = 0; t < r->m->cpus; ++t) {
    const struct sim_thread *x = &r->thread[t];
    double left = fmax(0, x->until - r->now);
    all += x->fifo.units.items;
    if (t == w && !submits)
      continue;
    if (x->doing == SIM_CPU_BATCH) {
      ++load.ready;
      load.ready_ns += left;
    } else if (x->doing == SIM_LAUNCHES || x->doing == SIM_COMMITS) {
      ++load.others;
    } else if (x->doing == SIM_RUNS && x->task != SIM_NONE && r->p->task[x->task].class <= SIM_LOW) {
      ++load.others;
      load.begun_ns += left;
    }
  }
  load.before_ns = (double)r->ready_n[SIM_HIGH] * ag_split_ready_ns(r->task_ns[SIM_HIGH]);
  load.after_ns = (double)r->ready_n[SIM_LOW] * ag_split_ready_ns(r->task_ns[SIM_LOW]);
  load.more = here > 0 ? fmax(0, all / here - 1) : 0;
  return load;
}
