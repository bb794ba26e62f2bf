/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "submit/at_once.h"

#include "commit/commit.h"
#include "fifo/queues.h"
#include "observe/ranges.h"
#include "observe/trace.h"
#include "shared/runtime.h"
#include "sys/relaxed.h"
#include "sys/thread.h"
#include "wait/wait.h"
#include "workers/make.h"

enum {
  /* Ready units of the worker that are enough for others while the thread is busy: MOST where a unit submits
   * that a host thread has called, half as many with each level below, as units there are short beside those
   * that wait further up. */
  ENOUGH_MOST = 64,
  ENOUGH_LEAST = 4,
  LEAST_FROM = 4,
  MOST_NESTED = 64 /* calls on the stack that run at once; so a chain of tasks needs no more of it */
};

/* Whether other threads do not need the unit, which is at this depth; `ready` units wait. */
static bool others_have_enough(const struct ag_runtime *rt, uint64_t depth, size_t ready) {
  if (ag_is_alone(rt))
    return true;
  size_t enough = depth < LEAST_FROM ? ENOUGH_MOST >> depth : ENOUGH_LEAST;
  return ready >= enough && !atomic_load_explicit(&rt->resting, memory_order_relaxed);
}

/* Whether no ready unit goes before one of this priority. */
static bool is_first(const struct ag_worker *w, long long priority) {
  return (priority == 1 || (priority == 0 && !ag_ready_count(&w->ready, AG_URGENT))) &&
         !atomic_load_explicit(&w->rt->priorities_differ, memory_order_relaxed);
}

/* Whether the sections are right, as a glance tells. */
static bool are_plain(const struct agglom_task *task, const struct agglom_range *ranges) {
  struct ag_access access;
  for (unsigned i = 0; i < task->n_sections; ++i)
    if ((task->sections[i].mode & (AGGLOM_SHAPED | AGGLOM_ACCUMULATE)) ||
        !ag_section_run(&task->sections[i], &ranges[i], &access))
      return false;
  return true;
}

/* Whether all that the running unit has submitted is complete: then the call depends on nothing. */
static bool is_over(struct ag_worker *w) {
  if (!w->current)
    return true;
  pthread_mutex_lock(&w->lock);
  bool over = ag_domain_over(w->current);
  pthread_mutex_unlock(&w->lock);
  return over;
}

static bool may_run(struct ag_worker *w, struct agglom_task *task, const struct agglom_range *ranges,
                    long long priority) {
  unsigned index = task->state->index;
  if (!(task->flags & (AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_INDEPENDENT)) || w->rt->n_accelerators ||
      w->nested == MOST_NESTED)
    return false;
  size_t ready = ag_ready_count(&w->ready, AG_URGENT) + ag_ready_count(&w->ready, AG_NOT_URGENT);
  if (!others_have_enough(w->rt, w->level + w->nested, ready) || !is_first(w, priority))
    return false;
  if (task->n_sections &&
      (!are_plain(task, ranges) || !((task->flags & AGGLOM_TASK_INDEPENDENT) || is_over(w))))
    return false;
  return (index < w->n_queues && w->queues[index]) || ag_queue_ready(w, task);
}

bool ag_at_once(struct ag_worker *w, struct agglom_task *task, const void *args,
                const struct agglom_range *ranges, long long priority, unsigned long long cost) {
  if (!may_run(w, task, ranges, priority))
    return false;
  struct ag_unit call; /* of which these fields are enough while it runs */
  call.task = task;
  call.priority = priority;
  call.domain = w->current;
  call.back = w->running;
  ++w->nested;
  struct ag_domain *d = ag_commit_body(w, &call, args);
  --w->nested;
  w->current = call.domain;
  ag_add(&w->queues[task->state->index]->at_once, 1);
  if (!d)
    return true;
  struct ag_unit *u = NULL;
  int err;
  pthread_mutex_lock(&w->lock);
  bool over = ag_domain_over(d);
  if (!over && (u = ag_unit_make(w, call.domain, task, args, ranges, NULL, priority, cost, &err))) {
    ag_unit_join(w, call.domain, u); /* its last child completes it */
    u->state = AG_UNIT_RUNNING;
    d->owner = u;
    d->finished = true;
  }
  pthread_mutex_unlock(&w->lock);
  if (u)
    return true;
  if (!over) /* there is no memory for a unit */
    ag_wait_domain(w, d);
  pthread_mutex_lock(&w->lock);
  ag_pool_give(&w->domains, d);
  pthread_mutex_unlock(&w->lock);
  return true;
}

/* Whether the sections are right; if not, whoever makes a unit of the call says so. */
static bool are_right(const struct agglom_task *task, const struct agglom_range *ranges) {
  enum { HERE = 8 };
  struct ag_access here[HERE];
  _Atomic bool silent = true;
  if (are_plain(task, ranges))
    return true;
  if (task->n_sections > HERE || ag_unit_check(task, ranges, here, &silent))
    return false;
  ag_unit_release(task, here);
  return true;
}

bool ag_at_once_alone(struct ag_worker *w, struct agglom_task *task, const void *args,
                      const struct agglom_range *ranges) {
  unsigned index = task->state->index;
  if (w->rt->n_accelerators || w->team || !ag_is_alone(w->rt) ||
      (task->flags & (AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_INDEPENDENT)) ||
      !(w->running ? is_over(w) : ag_worker_idle_now(w)) || !are_right(task, ranges) ||
      !((index < w->n_queues && w->queues[index]) || ag_queue_ready(w, task)))
    return false;
  AG_UNCANCELLED;
  uint64_t begin = ag_tracing() ? ag_trace_begin(w->track) : 0;
  bool range = ag_range(NULL, task, 1);
  w->plain = true;
  task->cpu(&args, 1);
  w->plain = false;
  if (range)
    ag_range_end();
  if (begin)
    ag_trace_unit(w->track, task->state->observe, begin);
  ag_add(&w->queues[index]->at_once, 1);
  return true;
}
