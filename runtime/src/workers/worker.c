/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "workers/worker.h"

#include "fifo/queues.h"
#include "observe/trace.h"
#include "shared/life.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/relaxed.h"
#include "workers/streams.h"
#include "workers/wake.h"

#include <stdlib.h>
#include <string.h>

/* --- The calling thread's worker ------------------------------------------------------------------ */

static _Thread_local struct ag_worker *mine;
static _Thread_local unsigned mine_era;

struct ag_worker *ag_worker_here(void) { return mine && mine_era == ag_life_era() ? mine : NULL; }

static pthread_key_t at_thread_end;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

/* Other threads look after the units that a host thread leaves behind; the next host thread takes over its
 * worker. The thread that ends the runtime frees the worker when no host thread is left: under the same lock,
 * so not before this one has woken another. */
static void thread_ends(void *ignored) {
  (void)ignored;
  ag_life_lock();
  struct ag_worker *w = ag_worker_here();
  mine = NULL;
  if (w && !w->pool) {
    atomic_store(&w->orphan, true);
    ag_wake_one(w->rt);
  }
  ag_life_unlock();
}

static void make_key(void) { pthread_key_create(&at_thread_end, thread_ends); }

void ag_worker_adopt(struct ag_worker *w) {
  mine = w;
  mine_era = ag_life_era();
}

static struct ag_worker *take_over(struct ag_runtime *rt) {
  for (struct ag_worker *w = atomic_load(&rt->workers); w; w = w->next) {
    if (!atomic_load(&w->orphan))
      continue;
    ag_lock(&w->lock);
    bool mine_now = !ag_worker_incomplete(w) && atomic_load(&w->orphan);
    if (mine_now) {
      int none = 0, left = atomic_exchange(&w->root.error, 0);
      atomic_store(&w->orphan, false);
      atomic_compare_exchange_strong(&rt->left_error, &none, left);
      w->root.waited_for = false;
      w->plain = false; /* where a signal's handler was, its thread may have been cancelled in a unit */
    }
    ag_unlock(&w->lock);
    if (mine_now)
      return w;
  }
  return NULL;
}

static void join_hosts(struct ag_worker *w) {
  struct ag_runtime *rt = w->rt;
  pthread_mutex_lock(&rt->growing);
  w->next_host = atomic_load(&rt->hosts);
  atomic_store(&rt->hosts, w);
  pthread_mutex_unlock(&rt->growing);
}

static void enlist(struct ag_worker *w) {
  struct ag_runtime *rt = w->rt;
  pthread_mutex_lock(&rt->growing);
  w->next = atomic_load(&rt->workers);
  atomic_store(&rt->workers, w);
  pthread_mutex_unlock(&rt->growing);
  if (!w->pool)
    join_hosts(w);
}

/* A new worker, not yet in the runtime's list; NULL: no memory. */
static struct ag_worker *make(struct ag_runtime *rt, bool pool) {
  struct ag_worker *w = aligned_alloc(AG_CACHE_LINE, sizeof *w);
  if (!w)
    return NULL;
  memset(w, 0, sizeof *w);
  w->rt = rt;
  w->pool = pool;
  w->root.home = w;
  ag_domain_begin(&w->root);
  w->current = &w->root;
  ag_graph_store_init(&w->store);
  ag_pool_init(&w->domains, sizeof(struct ag_domain), 0);
  return w;
}

/* Gives the worker what it needs only once it is used: a team, a track of the trace. */
static void equip(struct ag_worker *w) {
  w->team = w->pool ? NULL : atomic_exchange(&w->rt->host_team, NULL);
  w->track = ag_trace_track(w->pool);
}

struct ag_worker *ag_worker_mine(struct ag_runtime *rt) {
  struct ag_worker *w = ag_worker_here();
  if (w)
    return w;
  pthread_once(&key_once, make_key);
  struct ag_worker *fresh = make(NULL, false);
  ag_life_lock();
  bool runs = ag_life_running() == rt; /* else it is over, and perhaps gone */
  w = runs ? take_over(rt) : NULL;
  bool is_fresh = runs && !w && fresh;
  if (is_fresh) {
    w = fresh;
    w->rt = rt;
    enlist(w);
  }
  if (w)
    ag_worker_adopt(w);
  ag_life_unlock();
  if (is_fresh)
    equip(w);
  else if (fresh)
    ag_worker_free(fresh);
  if (w)
    pthread_setspecific(at_thread_end, w); /* any value: it makes thread_ends() be called */
  return w;
}

struct ag_worker *ag_worker_new(struct ag_runtime *rt, bool pool) {
  struct ag_worker *w = make(rt, pool);
  if (!w)
    return NULL;
  equip(w);
  enlist(w);
  return w;
}

void ag_worker_offer(struct ag_worker *w) {
  w->pool = false;
  join_hosts(w);
  atomic_store(&w->orphan, true);
}

void ag_worker_free(struct ag_worker *w) {
  ag_graph_clear(&w->root.graph, &w->store);
  ag_graph_store_destroy(&w->store);
  ag_pool_destroy(&w->domains);
  for (unsigned q = 0; q < w->n_queues; ++q)
    if (w->queues[q])
      ag_queue_free(w->queues[q]);
  free(w->queues);
  free(w->scratch);
  ag_batch_free(&w->cpu_batch);
  ag_team_free(w->team);
  free(w);
}

/* The domain of what the unit submits, which w's thread runs; NULL: no memory. */
static struct ag_domain *new_domain(struct ag_worker *w, struct ag_unit *owner) {
  ag_lock(&w->lock);
  struct ag_domain *d = ag_pool_take(&w->domains);
  ag_unlock(&w->lock);
  if (d) {
    d->home = w;
    d->owner = owner;
    ag_domain_begin(d);
  }
  return d;
}

struct ag_domain *ag_worker_domain(struct ag_worker *w) {
  if (w->current)
    return w->current;
  while (!w->running->domain) { /* units that run at once get theirs now, the outermost one first */
    struct ag_unit *u = w->running;
    while (!u->back->domain)
      u = u->back;
    if (!(u->domain = new_domain(w, u->back)))
      return NULL;
  }
  return w->current = new_domain(w, w->running);
}

/* --- Entering --------------------------------------------------------------------------------------- */

/* u has entered the FIFO: appends its successors that may enter now. Returns how many. */
static uint64_t let_in(struct ag_fifo *fifo, const struct ag_unit *u) {
  uint64_t n = 0;
  for (struct ag_edge *e = u->succs; e; e = e->next_succ)
    if (e->succ->state == AG_UNIT_WAITING && e->succ->queue == u->queue && ag_unit_may_enter(e->succ)) {
      ag_fifo_push(fifo, e->succ);
      ++n;
    }
  return n;
}

void ag_worker_enter(struct ag_worker *w, struct ag_unit *u) {
  if (u->task->flags & AGGLOM_TASK_CPU_ONLY) {
    if (u->priority != 0 && u->priority != 1)
      atomic_store_explicit(&w->rt->priorities_differ, true, memory_order_relaxed);
    ag_ready_push(&w->ready, u);
    return;
  }
  struct ag_fifo *fifo = &u->queue->lane[u->lane];
  struct ag_unit *last = fifo->tail;
  if (w->rt->config.coalesce && u->task->state->gather >= 0)
    ag_fifo_insert(fifo, u);
  else if (ag_runtime_shares(w->rt, u->task))
    ag_fifo_insert_dear(fifo, u);
  else
    ag_fifo_push(fifo, u);
  uint64_t n = 1 + let_in(fifo, u);
  for (struct ag_unit *v = last ? last->next : u; v; v = v->next)
    n += let_in(fifo, v);
  ag_worker_count(w, n);
  atomic_store_explicit(&w->arrivals, atomic_load_explicit(&w->arrivals, memory_order_relaxed) + n,
                        memory_order_release);
}

/* The last units of the batch that are of one FIFO go back to it. */
static void return_last(struct ag_batch *batch, unsigned most) {
  struct ag_unit *u = batch->units[batch->n_units - 1];
  struct ag_worker *home = u->domain->home;
  ag_lock(&home->lock);
  struct ag_task_queue *queue = u->queue;
  struct ag_fifo *fifo = &queue->lane[u->lane];
  uint64_t before = fifo->count;
  for (; batch->n_units && (u = batch->units[batch->n_units - 1])->queue == queue; --batch->n_units) {
    u->batch = 0;
    if (most)
      u->most_units = most;
    ag_fifo_push_front(fifo, u);
  }
  fifo->stalled = false;
  ag_worker_count(home, fifo->count - before);
  ag_unlock(&home->lock);
}

void ag_worker_return(struct ag_runtime *rt, struct ag_batch *batch, unsigned most) {
  while (batch->n_units) /* from the end, so that what units follow is put before them */
    return_last(batch, most);
  ag_wake_all(rt); /* somebody may have gone to sleep until the batch is over */
}

bool ag_worker_is_away(struct ag_presence *presence, const _Atomic uint64_t *number) {
  enum { AWAY_NS = 5000 };
  uint64_t now = ag_clock_ns(), is = ag_get(number);
  if (is != ag_get(&presence->seen)) {
    ag_set(&presence->seen, is);
    ag_set(&presence->since_ns, now);
  }
  return !is || (int64_t)(now - ag_get(&presence->since_ns)) >= AWAY_NS;
}

size_t ag_worker_ready(const struct ag_runtime *rt, enum ag_urgency of) {
  size_t n = 0;
  for (const struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next)
    n += ag_ready_count(&v->ready, of);
  return n;
}

uint64_t ag_worker_queued(struct ag_runtime *rt) {
  uint64_t n = 0;
  for (struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next)
    n += atomic_load_explicit(&v->queued, memory_order_relaxed) + ag_stream_waiting(v);
  return n;
}
