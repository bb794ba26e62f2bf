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

/* Whether unit u, the last of its domain, may get one more call of the task, if no call takes long. */
static bool may_grow(const struct ag_unit *u, const struct agglom_task *task, long long priority) {
  return u->task == task && u->priority == priority && !u->whole && u->calls < AG_MOST_CALLS &&
         (u->state == AG_UNIT_QUEUED || u->state == AG_UNIT_WAITING) && !task->max_units &&
         task->args_size <= MOST_ARGS;
}

/* Which calls unit u may get, as long as it takes with those that it has. */
enum growth {
  NO_CALL,
  ONE_THAT_FOLLOWS, /* u itself: while u runs nobody could run it in any case */
  ANY_CALL
};

/* A unit takes up to what is worth another thread's while, or MUCH times that where enough waits for all of
 * them, or CHAIN times with calls that follow one another. Not if some calls take that long by themselves: of
 * a unit that has several of these others could run none meanwhile. */
static enum growth growth_of(const struct ag_unit *u) {
  enum { MUCH = 3, CHAIN = 10 };
  uint64_t ns = ag_get(&u->queue->cpu_ns), longest_ns = ag_get(&u->task->state->longest.ns);
  uint64_t all_ns = u->calls * ns;
  if (!ns || all_ns >= CHAIN * AG_CPU_WORTH_NS || longest_ns >= CHAIN * AG_CPU_WORTH_NS)
    return NO_CALL;
  if (all_ns < AG_CPU_WORTH_NS && longest_ns < AG_CPU_WORTH_NS)
    return ANY_CALL;
  if (!ag_queue_worth(u->queue, u->queue->lane[u->lane].calls, AG_CPU_SHARE * u->queue->worker->rt->cpus))
    return NO_CALL;
  return all_ns < MUCH * AG_CPU_WORTH_NS && longest_ns < AG_CPU_WORTH_NS ? ANY_CALL : ONE_THAT_FOLLOWS;
}

struct ag_unit *ag_unit_extend(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                               const void *args, const struct agglom_range *ranges, long long priority,
                               unsigned long long cost) {
  struct ag_unit *u = d->live; /* the last one that is not complete */
  if (!u || !ag_for_cpus_alone(w, task) || !may_grow(u, task, priority))
    return NULL;
  enum growth growth = growth_of(u);
  bool follows;
  if (growth == NO_CALL || !ag_call_is_free(d, task, ranges, u, &follows))
    return NULL;
  /* where u waits, the call need not wait for what u waits for */
  if ((growth == ONE_THAT_FOLLOWS || u->state == AG_UNIT_WAITING) && !follows)
    return NULL;
  struct ag_pool *pool = &u->queue->more;
  if (!u->more) {
    if (!(u->more = ag_pool_take(pool)))
      return NULL;
    w->live_bytes += pool->size;
  }
  ++u->calls;
  for (unsigned i = 0; i < task->n_sections; ++i) {
    struct ag_pieces room;
    struct ag_access access;
    ag_section_glance(&task->sections[i], &ranges[i], &room, &access);
    if (ag_graph_extend(&d->graph, &w->store, u, &access, task->sections[i].mode & AGGLOM_OUT, i)) {
      /* What was recorded makes later units wait for u, which they need not. */
      --u->calls;
      return NULL;
    }
  }
  memcpy(ag_unit_args_of(u, u->calls - 1), args, task->args_size);
  if (u->state == AG_UNIT_QUEUED)
    ++u->queue->lane[u->lane].calls;
  u->more_cost += cost;
  ++u->queue->untold;
  return u;
}

void ag_unit_forget_more(struct ag_worker *w, struct ag_unit *u) {
  struct ag_pool *pool = &u->queue->more;
  w->live_bytes -= pool->size;
  ag_pool_give(pool, u->more);
  u->more = NULL;
}
