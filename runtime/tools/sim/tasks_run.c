/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events in the order of virtual time, and the beginning and the end of a run. */
#include "tasks_state.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { QUIET_LOOK_NS = 10000000 };
/* The longer nothing else happens the less often somebody looks: next after this part of that time. */
#define LOOK_PART 1e-4

void sim_map(const struct sim_tasks *r, const char *what, const char *where, unsigned number, double since,
             uint64_t units) {
  if (r->map)
    (void)fprintf(r->map, "%s,%s,%u,%.0f,%.0f,%llu\n", what, where, number, since, r->now,
                  (unsigned long long)units);
}

/* Somebody looks again later, as long as units wait and a thread has time. */
static void look_later(struct sim_tasks *r) {
  unsigned clock = sim_look_clock(r);
  if (!r->idle || !(r->waiting + r->for_cpus) || r->clock.at[clock] < SIM_NEVER)
    return;
  bool often = r->batch->timed || r->policies.split != AG_SPLIT_GPU;
  double ns = often ? r->m->look_ns : QUIET_LOOK_NS, later = LOOK_PART * (r->now - r->happened);
  sim_heap_set(&r->clock, clock, r->now + (later > ns ? later : ns));
}

static void event(struct sim_tasks *r, unsigned clock) {
  unsigned cpus = r->m->cpus, devices = r->m->devices;
  if (clock != sim_look_clock(r))
    r->happened = r->now;
  if (clock < cpus) {
    sim_thread_goes_on(r, clock);
  } else if (clock < cpus + devices) {
    sim_device_finished(r, clock - cpus);
  } else if (clock < cpus + 2 * devices) {
    sim_device_lost(r, clock - cpus - devices);
    r->poke = true;
  } else if (clock == sim_look_clock(r)) {
    sim_heap_set(&r->clock, clock, SIM_NEVER);
    r->poke = true;
  } else {
    sim_release_timed(r);
  }
}

/* Whether nothing is to come but looks. */
static bool only_looks(struct sim_tasks *r) {
  sim_heap_set(&r->clock, sim_look_clock(r), SIM_NEVER);
  return r->clock.at[sim_heap_next(&r->clock)] >= SIM_NEVER;
}

static int step(struct sim_tasks *r, const char **why) {
  r->poke = true;
  for (;;) {
    while (r->poke && r->idle)
      sim_look(r);
    r->poke = false;
    if (!r->left)
      return 0;
    look_later(r);
    unsigned clock = sim_heap_next(&r->clock);
    if (r->clock.at[clock] >= SIM_NEVER) {
      *why = "nothing can go on: nodes follow each other in a circle, or a unit is for no thread";
      return -EDEADLK;
    }
    if (r->clock.at[clock] > SIM_MOST_NS) {
      *why = only_looks(r) ? "the policy holds back units for ever" : SIM_TOO_LONG;
      return -ERANGE;
    }
    r->now = r->clock.at[clock];
    event(r, clock);
  }
}

/* Each unit has been complete once, and all of them are. */
static bool conserved(const struct sim_tasks *r) {
  for (uint32_t u = 0; u < r->p->units; ++u)
    if (r->state[u] != SIM_DONE)
      return false;
  return r->result->units == r->p->units && !r->live && !r->waiting && !r->for_cpus;
}

static int run(struct sim_tasks *r, const char **why) {
  for (unsigned d = 0; d < r->m->devices; ++d)
    sim_heap_set(&r->clock, sim_loss_clock(r, d), r->m->lost_ns[d]);
  while (sim_step_begin(r)) {
    int err = step(r, why);
    if (err)
      return err;
  }
  r->result->ns = r->now;
  if (conserved(r))
    return 0;
  *why = "units were lost or run twice: this is a mistake in agglom-sim, please report it";
  return -EPROTO;
}

static bool make(struct sim_tasks *r) {
  const struct sim_program *p = r->p;
  const struct sim_task_machine *m = r->m;
  size_t nodes = (size_t)p->tasks + p->units;
  r->thread = calloc(m->cpus, sizeof *r->thread);
  r->device = calloc(m->devices + 1, sizeof *r->device);
  r->next = malloc(((size_t)p->units + 1) * sizeof *r->next);
  r->state = calloc((size_t)p->units + 1, sizeof *r->state);
  r->task_next = malloc(((size_t)p->tasks + 1) * sizeof *r->task_next);
  r->timed = malloc(((size_t)p->tasks + 1) * sizeof *r->timed);
  r->block = malloc((size_t)m->fill * sizeof *r->block);
  r->sorted = malloc(((size_t)p->units + 1) * sizeof *r->sorted);
  if (!r->thread || !r->device || !r->next || !r->state || !r->task_next || !r->timed || !r->block ||
      !r->sorted || !sim_heap_make(&r->clock, m->cpus + 2 * m->devices + 2))
    return false;
  if (p->preds) {
    r->preds_left = malloc(nodes * sizeof *r->preds_left);
    if (!r->preds_left)
      return false;
    memcpy(r->preds_left, p->preds, nodes * sizeof *r->preds_left);
  }
  for (unsigned d = 0; d < m->devices; ++d)
    if (!(r->device[d].slot = calloc(m->slots, sizeof *r->device[d].slot)))
      return false;
  for (unsigned t = 0; t < m->cpus; ++t) {
    r->thread[t].task = SIM_NONE;
    r->thread[t].fifo.units.sizes = &r->thread[t].fifo.sizes;
    if (r->policies.split == AG_SPLIT_AUTO)
      r->thread[t].fifo.units.dear = &r->thread[t].fifo.dear;
    for (unsigned c = 0; c < SIM_N_CLASSES; ++c)
      r->thread[t].ready[c] = SIM_NONE;
  }
  r->ready[SIM_HIGH] = r->ready[SIM_LOW] = SIM_NONE;
  return true;
}

static void destroy(struct sim_tasks *r) {
  for (unsigned d = 0; r->device && d < r->m->devices; ++d)
    free(r->device[d].slot);
  free(r->thread);
  free(r->device);
  free(r->next);
  free(r->state);
  free(r->task_next);
  free(r->timed);
  free(r->block);
  free(r->sorted);
  free(r->preds_left);
  sim_heap_free(&r->clock);
}

int sim_tasks_run(const struct sim_program *program, const struct sim_task_machine *machine,
                  const struct sim_policies *policies, struct sim_tasks_result *result, FILE *map,
                  const char **why) {
  struct sim_tasks r = {.p = program,
                        .m = machine,
                        .policies = *policies,
                        .batch = ag_batch_policy(policies->batch.rule),
                        .idle = machine->cpus,
                        .devices_left = machine->devices,
                        .result = result,
                        .map = map};
  *result = (struct sim_tasks_result){0};
  *why = "there is no memory for the run";
  int err = make(&r) ? run(&r, why) : -ENOMEM;
  destroy(&r);
  return err;
}
