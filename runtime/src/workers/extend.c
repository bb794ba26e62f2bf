/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "workers/extend.h"

#include "fifo/queues.h"

#include <string.h>

enum { MOST_ARGS = 256 }; /* bytes of the argument structure of a call that is worth adding */

bool ag_call_is_free(struct ag_domain *d, const struct agglom_task *task, const struct agglom_range *ranges,
                     const struct ag_unit *beside, bool *follows) {
  struct ag_pieces room;
  struct ag_access access;
  *follows = false;
  for (unsigned i = 0; i < task->n_sections; ++i) {
    unsigned mode = task->sections[i].mode;
    if ((mode & AGGLOM_ACCUMULATE) || !ag_section_glance(&task->sections[i], &ranges[i], &room, &access) ||
        !ag_graph_is_free(&d->graph, &access, mode & AGGLOM_OUT, i, beside, follows))
      return false;
  }
  return true;
}

/* How long a unit may take and still get another call: what is worth another thread's while, or more where
 * enough waits for all of them. */
static uint64_t most_ns(const struct ag_unit *u) {
  enum { MUCH = 3 };
  bool much =
      ag_queue_worth(u->queue, u->queue->lane[u->lane].calls, AG_CPU_SHARE * u->queue->worker->rt->cpus);
  return much ? MUCH * AG_CPU_WORTH_NS : AG_CPU_WORTH_NS;
}

/* Whether unit u, the last of its domain, may get one more call of the task. Not if some calls take long: of
 * a unit that has several of these others could run none meanwhile. */
static bool may_grow(const struct ag_unit *u, const struct agglom_task *task, long long priority) {
  uint64_t ns = ag_get(&u->queue->cpu_ns);
  return u->task == task && u->priority == priority && !u->whole && ag_unit_calls(u) < AG_MOST_CALLS &&
         (u->state == AG_UNIT_QUEUED || u->state == AG_UNIT_WAITING) && ns &&
         ag_unit_calls(u) * ns < most_ns(u) && ag_get(&task->state->longest.ns) < AG_CPU_WORTH_NS &&
         !task->max_units && task->args_size <= MOST_ARGS;
}

struct ag_unit *ag_unit_extend(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                               const void *args, const struct agglom_range *ranges, long long priority,
                               unsigned long long cost) {
  struct ag_unit *u = d->live; /* the last one that is not complete */
  bool follows;
  if (!u || !ag_for_cpus_alone(w, task) || !may_grow(u, task, priority) ||
      !ag_call_is_free(d, task, ranges, u, &follows))
    return NULL;
  if (u->state == AG_UNIT_WAITING && !follows) /* the call need not wait for what u waits for */
    return NULL;
  struct ag_pool *pool = &u->queue->more;
  if (!u->more) {
    if (!(u->more = ag_pool_take(pool)))
      return NULL;
    *u->more = (struct ag_more){0};
    w->live_bytes += pool->size;
  }
  ++u->more->calls;
  for (unsigned i = 0; i < task->n_sections; ++i) {
    struct ag_pieces room;
    struct ag_access access;
    ag_section_glance(&task->sections[i], &ranges[i], &room, &access);
    if (ag_graph_extend(&d->graph, &w->store, u, &access, task->sections[i].mode & AGGLOM_OUT, i)) {
      /* What was recorded makes later units wait for u, which they need not. */
      --u->more->calls;
      return NULL;
    }
  }
  memcpy(ag_unit_args_of(u, u->more->calls), args, task->args_size);
  if (u->state == AG_UNIT_QUEUED)
    ++u->queue->lane[u->lane].calls;
  u->more->cost += cost;
  ++u->queue->untold;
  return u;
}

void ag_unit_forget_more(struct ag_worker *w, struct ag_unit *u) {
  struct ag_pool *pool = &u->queue->more;
  w->live_bytes -= pool->size;
  ag_pool_give(pool, u->more);
  u->more = NULL;
}
