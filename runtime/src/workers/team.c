/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "workers/team.h"

#include "device/device.h"
#include "sys/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LOOKS = 64 /* for the next unit, before a helper falls asleep */ };

struct member {
  struct ag_team *team;
  unsigned part;
  pthread_t thread;
};

struct ag_team {
  unsigned cores;
  const struct ag_binding *binding;
  unsigned first;
  /* The unit at hand. */
  const struct agglom_task *task;
  struct agglom_launch launch;
  unsigned *start, *end, *part, *parts; /* cores entries each: shares of unit 0 */
  _Atomic unsigned turn;                /* units so far */
  _Atomic unsigned busy;                /* helpers that are not done with the unit at hand */
  _Atomic bool over;
  pthread_mutex_t lock; /* for sleepers */
  pthread_cond_t cond;
  unsigned n_helpers;
  struct member helper[];
};

/* Waits for another turn than the last one; false when there will be none. */
static bool next_turn(struct ag_team *team, unsigned last) {
  for (unsigned i = 0; i < LOOKS; ++i) {
    if (atomic_load(&team->turn) != last)
      return !atomic_load(&team->over);
    sched_yield();
  }
  pthread_mutex_lock(&team->lock);
  while (atomic_load(&team->turn) == last)
    pthread_cond_wait(&team->cond, &team->lock);
  pthread_mutex_unlock(&team->lock);
  return !atomic_load(&team->over);
}

static void *help(void *member) {
  struct member *m = member;
  struct ag_team *team = m->team;
  if (team->binding)
    ag_binding_bind(team->binding, team->first + m->part);
  ag_emulated_set_here(true); /* calls of tasks in the body are plain calls */
  for (unsigned turn = 0; next_turn(team, turn); ++turn) {
    team->task->emulated(&team->launch, m->part);
    atomic_fetch_sub(&team->busy, 1);
  }
  return NULL;
}

static void call(struct ag_team *team) {
  pthread_mutex_lock(&team->lock);
  atomic_fetch_add(&team->turn, 1);
  pthread_cond_broadcast(&team->cond);
  pthread_mutex_unlock(&team->lock);
}

struct ag_team *ag_team_new(unsigned cores, const struct ag_binding *binding, unsigned first) {
  struct ag_team *team = calloc(1, sizeof *team + (cores - 1) * sizeof team->helper[0]);
  unsigned *arrays = calloc(cores, 4 * sizeof *arrays);
  if (!team || !arrays) {
    free(team);
    free(arrays);
    return NULL;
  }
  team->cores = cores;
  team->binding = binding;
  team->first = first;
  team->start = arrays;
  team->end = arrays + cores;
  team->part = arrays + 2ul * cores;
  team->parts = arrays + 3ul * cores;
  for (unsigned c = 0; c < cores; ++c) {
    team->end[c] = 1;
    team->part[c] = c;
    team->parts[c] = cores;
  }
  team->launch = (struct agglom_launch){.start = team->start,
                                        .end = team->end,
                                        .part = team->part,
                                        .parts = team->parts,
                                        .epoch = 1,
                                        .n_chains = cores,
                                        .n_units = 1};
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->cond, NULL);
  for (unsigned h = 1; h < cores; ++h) {
    struct member *m = &team->helper[h - 1];
    *m = (struct member){.team = team, .part = h};
    if (ag_thread_start(&m->thread, help, m)) {
      ag_team_free(team);
      return NULL;
    }
    ++team->n_helpers;
  }
  return team;
}

void ag_team_free(struct ag_team *team) {
  if (!team)
    return;
  atomic_store(&team->over, true);
  call(team);
  for (unsigned h = 0; h < team->n_helpers; ++h)
    pthread_join(team->helper[h].thread, NULL);
  pthread_mutex_destroy(&team->lock);
  pthread_cond_destroy(&team->cond);
  free(team->start);
  free(team);
}

unsigned ag_team_cores(const struct ag_team *team) { return team->cores; }

void ag_team_run(struct ag_team *team, const struct agglom_task *task, const void *args) {
  team->task = task;
  team->launch.units = args;
  atomic_store(&team->busy, team->n_helpers);
  call(team);
  task->emulated(&team->launch, 0);
  for (unsigned looks = 0; atomic_load(&team->busy); ++looks)
    if (looks > LOOKS)
      sched_yield();
}
