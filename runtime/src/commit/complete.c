/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "commit/complete.h"

#include "commit/commit.h"
#include "fifo/queues.h"
#include "measure/measure.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/relaxed.h"
#include "workers/extend.h"
#include "workers/wake.h"

static void release(struct ag_unit *succ, void *worker) {
  if (succ->state == AG_UNIT_QUEUED)
    ag_fifo_released(&succ->queue->lane[succ->lane], succ);
  else if (succ->state == AG_UNIT_WAITING && ag_unit_may_enter(succ))
    ag_worker_enter(worker, succ);
}

struct ag_unit *ag_complete_one_less(struct ag_worker *h, struct ag_domain *d) {
  if (!d->live)
    ag_graph_clear(&d->graph, &h->store);
  if (!d->finished || !ag_domain_over(d))
    return NULL;
  struct ag_unit *owner = d->owner;
  ag_pool_give(&h->domains, d);
  return owner;
}

/* u, of worker h (locked), is complete. Returns as ag_complete_one_less(). */
static struct ag_unit *complete_locked(struct ag_worker *h, struct ag_unit *u, bool on_cpu) {
  struct ag_domain *d = u->domain;
  if (u->live_prev)
    u->live_prev->live_next = u->live_next;
  else
    d->live = u->live_next;
  *(u->live_next ? &u->live_next->live_prev : &d->oldest) = u->live_prev;
  d->independent -= (u->task->flags & AGGLOM_TASK_INDEPENDENT) != 0;
  ag_worker_lives(h, -(size_t)1);
  h->live_bytes -= ag_unit_bytes(u);
  --u->queue->live;
  /* From now on records of u are stale. Its successors may enter, and see that its edges are gone. */
  ag_graph_complete(&h->store, u, release, h);
  ag_unit_release(u->task, u->access);
  if (u->whole)
    u->whole->part_done(u->whole, on_cpu);
  if (u->more)
    ag_unit_forget_more(h, u);
  u->seq = 0;
  u->state = AG_UNIT_FREE;
  ag_pool_give(&u->queue->units, u);
  return ag_complete_one_less(h, d);
}

/* Some units of h (locked) are complete: whether a thread that sleeps for units of h has to look again. The
 * units up to waited_to may be complete; or units wait in FIFOs of h that no other thread may launch. */
static bool wakes_others(struct ag_worker *h) {
  struct ag_domain *d = &h->root;
  if (!d->waited_to)
    return false;
  bool complete = !d->oldest || d->oldest->seq > d->waited_to;
  if (!complete && !atomic_load_explicit(&h->queued, memory_order_relaxed))
    return false;
  d->waited_to = 0;
  return true;
}

/* Units that waited for those that are complete may go now. Lock of their worker held. */
static void go_on(struct ag_fifos *fifos) {
  for (struct ag_fifo *fifo = fifos->stalled ? fifos->first : NULL; fifo; fifo = fifo->next)
    atomic_store_explicit(&fifo->stalled, false, memory_order_relaxed);
  fifos->stalled = false;
}

/* Whether other threads should come for what is in h's FIFOs: h's thread has left, or one has enough. Of many
 * FIFOs those are looked at that got their units last. Lock of h held. */
static bool is_more(const struct ag_worker *h, bool leaves) {
  enum { LOOK_AT = 8 };
  const struct ag_fifo *fifo = h->fifos.last;
  if (leaves)
    return fifo;
  for (int i = 0; fifo && i < LOOK_AT; ++i, fifo = fifo->prev)
    if (ag_queue_worth(fifo->head->queue, fifo->calls, h->rt->cpus))
      return true;
  return false;
}

/* What is found out while units are completed: all that sleep are to look again; there is work for one. */
struct found {
  bool wake, more;
};

/* u, of worker h (locked), is complete. Returns as ag_complete_one_less(). */
static struct ag_unit *complete_one(struct ag_worker *h, struct ag_unit *u, bool on_cpu,
                                    struct found *found) {
  struct ag_domain *d = u->domain;
  bool waited_for = d->waited_for;
  found->wake |= u->awaited;
  struct ag_unit *above = complete_locked(h, u, on_cpu);
  found->wake |= waited_for && !above && ag_domain_over(d);
  return above;
}

/* Some units of h (locked) are complete. leaves: the thread that has completed them will not look at h again.
 */
static void look_around(struct ag_worker *h, bool leaves, struct found *found) {
  go_on(&h->fifos);
  found->more = found->more || is_more(h, leaves) || ag_ready_any(&h->ready);
  found->wake |= wakes_others(h);
}

static void tell_sleepers(struct ag_runtime *rt, const struct found *found) {
  if (found->wake)
    ag_wake_all(rt);
  else if (found->more)
    ag_wake_for(rt);
}

bool ag_complete_upwards(struct ag_unit *above) {
  struct found found = {0};
  while (above) {
    struct ag_worker *its = above->domain->home;
    ag_lock(&its->lock);
    above = complete_one(its, above, true, &found);
    found.wake |= wakes_others(its);
    /* Units that it released may be for a thread that sleeps, and its worker's thread may be another one. */
    found.wake |= atomic_load_explicit(&its->queued, memory_order_relaxed) || ag_ready_any(&its->ready);
    ag_unlock(&its->lock);
  }
  return found.wake;
}

/* Completes units that are linked by next, as ag_complete(). */
static void complete_all(struct ag_runtime *rt, struct ag_unit *u, const struct ag_commit *commit) {
  struct found found = {.more = u && rt->n_accelerators};
  const struct ag_worker *here = ag_worker_here();
  while (u) {
    struct ag_worker *h = u->domain->home;
    struct ag_unit *above = NULL;
    bool leaves = h != here && !here->pool; /* this thread may have waited for these, and look at h no more */
    ag_lock(&h->lock);
    for (struct ag_unit *next; u && !above && u->domain->home == h; u = next) {
      next = u->next;
      u->next = NULL;
      if (!next && commit && ag_measure_devices(rt))
        ag_measure_commit(u->task, commit->where, commit->units, ag_clock_ns() - commit->begin_ns);
      above = complete_one(h, u, !commit, &found);
    }
    look_around(h, leaves, &found);
    ag_unlock(&h->lock);
    found.wake |= ag_complete_upwards(above);
  }
  tell_sleepers(rt, &found);
}

void ag_complete(struct ag_runtime *rt, struct ag_unit **units, unsigned n, const struct ag_commit *commit) {
  for (unsigned i = 0; i + 1 < n; ++i)
    units[i]->next = units[i + 1];
  units[n - 1]->next = NULL;
  complete_all(rt, units[0], commit);
}

/* --- Units that are left to the thread that submitted them -----------------------------------------------
 */

/* The other way round: those that ended first come first. */
static struct ag_unit *turned(struct ag_unit *list) {
  struct ag_unit *first = NULL;
  for (struct ag_unit *u = list, *next; u; u = next) {
    next = u->next;
    u->next = first;
    first = u;
  }
  return first;
}

bool ag_commit_ended(struct ag_worker *of) {
  if (!atomic_load(&of->ended)) /* who is about to sleep has said so before: see ag_complete_later() */
    return false;
  struct ag_unit *u = turned(atomic_exchange(&of->ended, NULL));
  bool any = u;
  complete_all(of->rt, u, NULL);
  return any;
}

bool ag_commit_ended_of_other(const struct ag_worker *w, struct ag_worker *of) {
  if (!atomic_load(&of->ended))
    return false;
  bool away = ag_worker_is_away(&of->looking, &of->looks) || w->announced ||
              atomic_load_explicit(&of->asleep, memory_order_relaxed);
  return away && ag_commit_ended(of);
}

void ag_commit_left(struct ag_worker *w) {
  struct ag_worker *of = w->left_to;
  w->left_to = NULL;
  if (of)
    ag_commit_ended(of);
}

/* Whether the thread will look again soon for what it leaves now: not where it goes on in a unit's body, and
 * not the one that minds loops. */
static bool may_leave(const struct ag_worker *here) { return here->pool && here->number && !here->running; }

/* The order of the last two steps is that of ag_idle(), turned round: who sleeps until they are complete is
 * seen here, or sees them. */
bool ag_complete_later(struct ag_runtime *rt, struct ag_unit **units, unsigned n) {
  struct ag_worker *here = ag_worker_here(), *h = units[0]->domain->home;
  if (h == here || !may_leave(here))
    return false;
  for (unsigned i = 1; i < n; ++i)
    if (units[i]->domain->home != h)
      return false;
  if (here->left_to != h)
    ag_commit_left(here);
  here->left_to = h;
  for (unsigned i = n - 1; i > 0; --i)
    units[i]->next = units[i - 1];
  struct ag_unit *before = atomic_load_explicit(&h->ended, memory_order_relaxed);
  do
    units[0]->next = before;
  while (!atomic_compare_exchange_weak(&h->ended, &before, units[n - 1]));
  if (atomic_load(&rt->waiters))
    ag_commit_ended(h);
  return true;
}
