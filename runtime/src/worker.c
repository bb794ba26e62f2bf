/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "worker.h"

#include "commit.h"
#include "observe/ranges.h"
#include "observe/trace.h"
#include "runtime.h"
#include "sys/clock.h"
#include "sys/thread.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  CPU_MOST = 1024,     /* units of a CPU batch */
  CPU_AWAY_NS = 50000, /* who has submitted nothing for so long is busy with other things */
  CPU_NAP_US = 1000,   /* of a thread that has found only what was not worth its while */
  YIELDS = 32,         /* looks at a busy device before a waiting thread starts to nap */
  NAP_US = 20,         /* of a thread that waits for a busy device */
  POOL_NAP_US = 200,   /* of a pool worker that looks after a busy device */
  FLUSH_NAP_US = 1000  /* of a thread that waits for units of all threads, of which no one tells it */
};

/* --- The calling thread's worker ------------------------------------------------------------------ */

static _Thread_local struct ag_worker *mine;
static _Thread_local unsigned mine_era;
static _Atomic unsigned era = 1; /* workers of earlier eras are gone */

struct ag_worker *ag_worker_here(void) {
  return mine && mine_era == atomic_load_explicit(&era, memory_order_relaxed) ? mine : NULL;
}

void ag_worker_forget_all(void) { atomic_fetch_add(&era, 1); }

static pthread_key_t at_thread_end;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

/* What a host thread leaves behind is looked after by the others; the next host thread takes it over. */
static void thread_ends(void *ignored) {
  (void)ignored;
  struct ag_worker *w = ag_worker_here();
  mine = NULL;
  if (!w || w->pool)
    return;
  atomic_store(&w->orphan, true);
  ag_wake_one(w->rt);
}

static void make_key(void) { pthread_key_create(&at_thread_end, thread_ends); }

static void adopt(struct ag_worker *w) {
  mine = w;
  mine_era = atomic_load(&era);
}

static struct ag_worker *take_over(struct ag_runtime *rt) {
  for (struct ag_worker *w = atomic_load(&rt->workers); w; w = w->next) {
    if (!atomic_load(&w->orphan))
      continue;
    pthread_mutex_lock(&w->lock);
    bool mine_now = !ag_worker_incomplete(w) && atomic_load(&w->orphan);
    if (mine_now) {
      atomic_store(&w->orphan, false);
      w->root.error = 0;
      w->root.waited_for = false;
    }
    pthread_mutex_unlock(&w->lock);
    if (mine_now)
      return w;
  }
  return NULL;
}

struct ag_worker *ag_worker_mine(struct ag_runtime *rt) {
  struct ag_worker *w = ag_worker_here();
  if (w)
    return w;
  pthread_once(&key_once, make_key);
  w = take_over(rt);
  if (!w)
    w = ag_worker_new(rt, false);
  if (!w)
    return NULL;
  adopt(w);
  pthread_setspecific(at_thread_end, w); /* any value: it makes thread_ends() be called */
  return w;
}

struct ag_worker *ag_worker_new(struct ag_runtime *rt, bool pool) {
  struct ag_worker *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  pthread_mutex_init(&w->lock, NULL);
  w->rt = rt;
  w->pool = pool;
  w->team = pool ? NULL : atomic_exchange(&rt->host_team, NULL);
  w->track = ag_trace_track(pool);
  w->root.home = w;
  w->current = &w->root;
  ag_graph_store_init(&w->store);
  ag_pool_init(&w->domains, sizeof(struct ag_domain), 0);
  pthread_mutex_lock(&rt->growing);
  w->next = atomic_load(&rt->workers);
  atomic_store(&rt->workers, w);
  pthread_mutex_unlock(&rt->growing);
  return w;
}

void ag_worker_free(struct ag_worker *w) {
  ag_graph_clear(&w->root.graph, &w->store);
  ag_graph_store_destroy(&w->store);
  ag_pool_destroy(&w->domains);
  for (unsigned q = 0; q < w->n_queues; ++q)
    if (w->queues[q]) {
      ag_pool_destroy(&w->queues[q]->units);
      ag_stream_destroy(&w->queues[q]->stream);
      free(w->queues[q]);
    }
  free(w->queues);
  ag_batch_free(&w->cpu_batch);
  ag_team_free(w->team);
  pthread_mutex_destroy(&w->lock);
  free(w);
}

bool ag_domain_is_within(const struct ag_domain *domain, const struct ag_domain *outer) {
  while (domain && domain != outer)
    domain = domain->owner ? domain->owner->domain : NULL;
  return domain != NULL;
}

struct ag_domain *ag_worker_domain(struct ag_worker *w) {
  if (w->current)
    return w->current;
  pthread_mutex_lock(&w->lock);
  struct ag_domain *d = ag_pool_take(&w->domains);
  pthread_mutex_unlock(&w->lock);
  if (d)
    *d = (struct ag_domain){.home = w, .owner = w->running};
  return w->current = d;
}

/* --- Entering --------------------------------------------------------------------------------------- */

void ag_worker_enter(struct ag_worker *w, struct ag_unit *u) {
  if (u->task->flags & AGGLOM_TASK_CPU_ONLY) {
    ag_ready_push(&w->rt->ready, u);
    return;
  }
  struct ag_fifo *fifo = &u->queue->lane[u->lane];
  ag_fifo_push(fifo, u);
  uint64_t n = 1;
  /* A unit that has entered lets those behind it enter; they are appended, so this loop reaches them too. */
  for (struct ag_unit *v = u; v; v = v->next)
    for (struct ag_edge *e = v->succs; e; e = e->next_succ)
      if (e->succ->state == AG_UNIT_WAITING && e->succ->queue == u->queue && ag_unit_may_enter(e->succ)) {
        ag_fifo_push(fifo, e->succ);
        ++n;
      }
  atomic_store_explicit(&w->queued, atomic_load_explicit(&w->queued, memory_order_relaxed) + n,
                        memory_order_release);
  atomic_store_explicit(&w->arrivals, atomic_load_explicit(&w->arrivals, memory_order_relaxed) + n,
                        memory_order_release);
}

/* --- Dispatching ------------------------------------------------------------------------------------ */

struct ag_batch_view ag_worker_view(const struct ag_worker *w, const struct ag_fifo *fifo,
                                    enum ag_batch_event event) {
  const struct ag_caps *caps = &w->rt->caps;
  unsigned most = fifo->head ? fifo->head->task->max_units : 0;
  size_t overhead = ag_batch_overhead(fifo->count, 0, caps);
  bool full =
      (most && fifo->count >= most) || overhead >= caps->bytes || fifo->bytes >= caps->bytes - overhead;
  return (struct ag_batch_view){event, fifo->count, full};
}

/* A FIFO that may go now, where, and how much of it. */
struct choice {
  struct ag_fifo *fifo;
  struct ag_slot *slot; /* NULL: the CPU */
  struct ag_batch_decision decision;
};

static bool sooner(const struct ag_unit *a, const struct ag_unit *b) {
  return a->priority != b->priority ? a->priority > b->priority : a->seq < b->seq;
}

bool ag_worker_away(struct ag_left *left, uint64_t arrivals) {
  uint64_t now = ag_clock_ns();
  if (left->ns && left->arrivals == arrivals)
    return now - left->ns >= CPU_AWAY_NS;
  *left = (struct ag_left){arrivals, now};
  return false;
}

void ag_worker_measured(struct ag_queue *queue, uint64_t units, uint64_t ns) {
  uint64_t old = atomic_load_explicit(&queue->cpu_ns, memory_order_relaxed), now = ns / units + 1;
  uint64_t lately = !old || now < old ? now : old + (now - old) / 8;
  atomic_store_explicit(&queue->cpu_ns, lately, memory_order_relaxed);
}

/* How many units of a FIFO of `of` a CPU takes: a share, so that others find some too. Another thread leaves
 * what is not worth its while, unless the one that submits has gone away. */
static uint64_t cpu_share(const struct ag_worker *w, const struct ag_worker *of, struct ag_fifo *fifo) {
  uint64_t n = w->rt->cpus > 1 ? fifo->count / (AG_CPU_SHARE * w->rt->cpus) : fifo->count;
  n = n < 1 ? 1 : n < CPU_MOST ? n : CPU_MOST;
  return w == of || ag_worker_worth(fifo->head->queue, n, 1) ||
                 ag_worker_away(&fifo->left, fifo->policy.arrivals)
             ? n
             : 0;
}

/* Whether the fifo may go, and if so how. Takes a slot for it. */
static bool consider(struct ag_worker *w, struct ag_worker *of, struct ag_fifo *fifo, enum ag_lane lane,
                     enum ag_batch_event event, bool cpu_side, struct choice *choice) {
  struct ag_runtime *rt = w->rt;
  *choice = (struct choice){.fifo = fifo};
  /* Who waits for some units waits for one FIFO; who waits in a unit's body does not wait for what others
   * left here before. */
  if (event == AG_ON_WAIT && of == w && (w->urgent ? fifo != w->urgent : fifo->head->domain != w->current))
    event = AG_ON_NO_HIGH;
  if (!ag_runtime_on_device(rt, fifo->head->task, lane)) {
    choice->decision.units = event == AG_ON_SUBMIT ? 0 : cpu_share(w, of, fifo);
    choice->decision.reason = event == AG_ON_WAIT    ? AG_REASON_FLUSH
                              : event == AG_ON_BURST ? AG_REASON_AGE
                                                     : AG_REASON_NO_HIGH_PRIORITY;
    return choice->decision.units > 0;
  }
  if (cpu_side)
    return false;
  struct ag_batch_view view = ag_worker_view(of, fifo, event);
  choice->decision = rt->policy->decide(&rt->config.batch, &fifo->policy, &view);
  if (choice->decision.units)
    choice->slot = ag_launch_slot(rt, fifo->head->task);
  return choice->slot != NULL;
}

/* The FIFO of `of` that goes first among those that may go. */
static bool choose(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event, bool cpu_side,
                   struct choice *best) {
  bool found = false;
  for (unsigned q = 0; q < of->n_queues; ++q)
    for (unsigned lane = 0; of->queues[q] && lane < AG_N_LANES; ++lane) {
      struct ag_fifo *fifo = &of->queues[q]->lane[lane];
      struct choice other;
      if (!fifo->count || fifo->stalled || (found && !sooner(fifo->head, best->fifo->head)) ||
          !consider(w, of, fifo, (enum ag_lane)lane, event, cpu_side, &other))
        continue;
      if (found && best->slot)
        ag_slot_release(&w->rt->accelerators[best->slot->where], best->slot, false);
      *best = other;
      found = true;
    }
  return found;
}

/* Forms the batch that was chosen; false when there was none to form. Lock of `of` held. */
static bool form(struct ag_worker *w, struct ag_worker *of, const struct choice *choice,
                 struct ag_batch *batch) {
  struct ag_runtime *rt = w->rt;
  struct ag_fifo *fifo = choice->fifo;
  struct ag_caps caps = rt->caps;
  caps.units = choice->decision.units;
  int err = choice->slot ? ag_agglomerate(batch, fifo, &caps, ++of->stamps)
                         : ag_agglomerate_for_cpu(batch, fifo, &caps, ++of->stamps);
  if (err) {
    fifo->stalled = err == -EAGAIN;
    if (choice->slot)
      ag_slot_release(&rt->accelerators[choice->slot->where], choice->slot, false);
    return false;
  }
  if (rt->policy->launched)
    rt->policy->launched(&rt->config.batch, &fifo->policy, batch->n_units);
  uint64_t left = atomic_load_explicit(&of->queued, memory_order_relaxed) - batch->n_units;
  atomic_store(&of->queued, left);
  batch->worker = of;
  batch->record = (struct ag_batch_record){.reason = choice->decision.reason};
  return true;
}

uint64_t ag_worker_queued(struct ag_runtime *rt) {
  uint64_t n = 0;
  for (struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next)
    n += atomic_load_explicit(&v->queued, memory_order_relaxed) + ag_stream_waiting(v);
  return n;
}

bool ag_worker_dispatch(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event, bool cpu_side) {
  struct choice choice = {0};
  struct ag_batch *batch = NULL;
  bool left = false;
  if (!atomic_load(&of->queued))
    return false;
  pthread_mutex_lock(&of->lock);
  while (!batch && choose(w, of, event, cpu_side, &choice)) {
    batch = choice.slot ? &choice.slot->batch : &w->cpu_batch;
    if (!form(w, of, &choice, batch)) {
      batch = NULL;
      if (!choice.fifo->stalled)
        break; /* out of memory: later */
    }
  }
  left = batch && !choice.slot &&
         ag_worker_worth(batch->units[0]->queue, choice.fifo->count, AG_CPU_SHARE * w->rt->cpus);
  pthread_mutex_unlock(&of->lock);
  if (!batch)
    return false;
  batch->record.begin_ns = batch->formed_ns = ag_clock_ns();
  batch->record.begun_on = w->track;
  ag_energy_tick(batch->formed_ns);
  batch->record.queued = ag_tracing() ? ag_worker_queued(w->rt) : 0;
  if (!choice.slot) {
    if (left)
      ag_wake_one(w->rt); /* others may take their share meanwhile */
    ag_commit_on_cpu(w, batch);
    return true;
  }
  bool broken;
  bool range = ag_range("stage", batch->task, batch->n_units);
  int err = ag_launch(w->rt, choice.slot, &broken);
  if (range)
    ag_range_end();
  if (err)
    ag_commit_failed(w, choice.slot, err, broken);
  else
    ag_wake_one(w->rt); /* this thread may have better things to do than to look after the device */
  return true;
}

/* --- Helping ---------------------------------------------------------------------------------------- */

static bool run_ready(struct ag_worker *w, bool high) {
  struct ag_ready *ready = &w->rt->ready;
  struct ag_unit *u = ag_ready_pop(ready, high, w->nested >= AG_MOST_NESTED ? w->current : NULL);
  if (!u)
    return false;
  if (atomic_load(&ready->high.count) || atomic_load(&ready->low.count))
    ag_wake_one(w->rt);
  ++w->nested;
  w->urgent = NULL; /* the unit's body may wait as well */
  ag_commit_run(w, u);
  --w->nested;
  return true;
}

/* Its own FIFOs first; then what others have that runs on the CPU anyway, or that nobody else will launch:
 * the thread has ended, or it sleeps and units have come since because a third one has released them. */
static bool run_medium(struct ag_worker *w, enum ag_help why, enum ag_batch_event event) {
  enum ag_reason reason = event == AG_ON_WAIT ? AG_REASON_FLUSH : AG_REASON_NO_HIGH_PRIORITY;
  w->stream_first = !w->stream_first;
  if ((w->stream_first && ag_commit_claim(w, w, reason)) || ag_worker_dispatch(w, w, event, false) ||
      (!w->stream_first && ag_commit_claim(w, w, reason)))
    return true;
  for (struct ag_worker *v = atomic_load(&w->rt->workers); v; v = v->next) {
    bool flush = why == AG_HELP_FLUSH || atomic_load(&v->orphan);
    bool all = flush || atomic_load(&v->asleep);
    if (v != w &&
        (ag_worker_dispatch(w, v, flush ? AG_ON_WAIT : AG_ON_NO_HIGH, !all) || ag_commit_claim(w, v, reason)))
      return true;
  }
  return false;
}

/* FIFOs of busy threads into which nothing has come for a while. */
static bool run_quiet(struct ag_worker *w) {
  struct ag_runtime *rt = w->rt;
  bool did = false;
  if (!rt->n_accelerators || pthread_mutex_trylock(&rt->quiet_lock))
    return false;
  uint64_t now = ag_clock_ns();
  if (now - rt->quiet_ns >= (uint64_t)AG_QUIET_MS * 1000000) {
    rt->quiet_ns = now;
    for (struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next) {
      uint64_t arrivals = atomic_load(&v->arrivals);
      if (v != w && arrivals == atomic_load(&v->seen))
        did |= ag_worker_dispatch(w, v, AG_ON_QUIET, false);
      atomic_store(&v->seen, arrivals);
    }
  }
  pthread_mutex_unlock(&rt->quiet_lock);
  return did;
}

bool ag_worker_help(struct ag_worker *w, enum ag_help why) {
  enum ag_class order[AG_N_CLASSES];
  enum ag_batch_event event = AG_ON_BURST;
  if (ag_commit_poll(w->rt, w))
    return true;
  ag_turn_order(&w->turn, order);
  for (unsigned i = 0; i < AG_N_CLASSES; ++i) {
    bool did = false;
    switch (order[i]) {
    case AG_CLASS_HIGH:
      did = run_ready(w, true);
      if (!did)
        event = why == AG_HELP_LOOP || (why == AG_HELP_UNITS && !w->urgent) ? AG_ON_NO_HIGH : AG_ON_WAIT;
      break;
    case AG_CLASS_MEDIUM:
      did = run_medium(w, why, event);
      break;
    case AG_CLASS_LOW:
      did = run_ready(w, false);
      break;
    case AG_N_CLASSES:
      break;
    }
    if (did) {
      ag_turn_took(&w->turn, order[i]);
      return true;
    }
  }
  /* While some units are waited for, others keep accruing. */
  return (why != AG_HELP_UNITS && ag_worker_dispatch(w, w, AG_ON_NOTHING, false)) || run_quiet(w);
}

void ag_worker_wait(struct ag_worker *w, struct ag_domain *d) {
  uint64_t begin = 0;
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&w->rt->wakes);
    pthread_mutex_lock(&w->lock);
    bool over = ag_domain_over(d);
    d->waited_for = !over;
    pthread_mutex_unlock(&w->lock);
    if (over)
      break;
    if (!begin)
      begin = ag_trace_begin(w->track);
    if (ag_worker_help(w, AG_HELP_WAIT))
      rounds = 0;
    else
      ag_worker_idle(w, AG_HELP_WAIT, &rounds, key);
  }
  if (begin)
    ag_trace_wait(w->track, begin);
}

void ag_worker_wait_streamed(struct ag_worker *w, struct ag_domain *d,
                             bool (*test)(const struct agglom_task *task, const struct ag_access *access,
                                          void *context),
                             void *context) {
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&w->rt->wakes);
    pthread_mutex_lock(&w->lock);
    bool over = !ag_stream_any(w, d, test, context);
    d->watched = !over;
    pthread_mutex_unlock(&w->lock);
    if (over)
      return;
    if (ag_commit_claim(w, w, AG_REASON_FLUSH) || ag_worker_help(w, AG_HELP_UNITS))
      rounds = 0;
    else
      ag_worker_idle(w, AG_HELP_UNITS, &rounds, key);
  }
}

/* What must happen before u, or a joint, can be complete: a FIFO has to go (*urgent), a CPU-only unit and its
 * children have to run, or a batch has to end, of which devices and other threads take care. Lock held. */
static enum ag_help holds_up(struct ag_unit *u, struct ag_fifo **urgent) {
  while (u->preds &&
         u->state != AG_UNIT_QUEUED) /* what is queued follows only units before it, or in batches */
    u = u->preds->pred;
  u->awaited = true;
  *urgent = u->state == AG_UNIT_QUEUED ? &u->queue->lane[u->lane] : NULL;
  return u->state == AG_UNIT_READY ? AG_HELP_WAIT : AG_HELP_UNITS;
}

void ag_worker_wait_for(struct ag_worker *w, const struct ag_unit_ref *units, size_t n) {
  enum ag_help why = AG_HELP_UNITS;
  uint64_t begin = 0;
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&w->rt->wakes);
    pthread_mutex_lock(&w->lock);
    while (n && units[n - 1].unit->seq != units[n - 1].seq)
      --n;
    if (n)
      why = holds_up(units[n - 1].unit, &w->urgent);
    pthread_mutex_unlock(&w->lock);
    if (!n)
      break;
    if (!begin)
      begin = ag_trace_begin(w->track);
    if (ag_worker_help(w, why))
      rounds = 0;
    else
      ag_worker_idle(w, why, &rounds, key);
    w->urgent = NULL;
  }
  if (begin)
    ag_trace_wait(w->track, begin);
}

/* --- Sleeping --------------------------------------------------------------------------------------- */

/* Whoever is about to sleep has announced it and then fenced all threads, or else each of them does it here.
 */
static unsigned sleepers(struct ag_runtime *rt) {
  return rt->must_fence ? atomic_fetch_add(&rt->sleepers, 0)
                        : atomic_load_explicit(&rt->sleepers, memory_order_relaxed);
}

void ag_wake_for(struct ag_runtime *rt) {
  if (sleepers(rt) && !atomic_load_explicit(&rt->waking, memory_order_relaxed) &&
      !atomic_exchange(&rt->waking, true))
    ag_wake_one(rt);
}

void ag_wake_one(struct ag_runtime *rt) {
  if (!sleepers(rt))
    return;
  pthread_mutex_lock(&rt->sleep_lock);
  atomic_fetch_add(&rt->wakes, 1);
  pthread_cond_signal(&rt->sleep_cond);
  pthread_mutex_unlock(&rt->sleep_lock);
}

void ag_wake_all(struct ag_runtime *rt) {
  pthread_mutex_lock(&rt->sleep_lock);
  atomic_fetch_add(&rt->wakes, 1);
  pthread_cond_broadcast(&rt->sleep_cond);
  pthread_mutex_unlock(&rt->sleep_lock);
}

static bool device_busy(const struct ag_runtime *rt) {
  for (int d = 0; d < rt->n_accelerators; ++d)
    if (ag_accelerator_busy(&rt->accelerators[d]))
      return true;
  return false;
}

bool ag_worker_relieve(struct ag_worker *w) {
  if (ag_worker_help(w, AG_HELP_LOOP))
    return true;
  /* Inside a unit, all that is left may be waiting for this very unit; at the top level it cannot be. */
  if (w->running && !device_busy(w->rt))
    return false;
  nanosleep(&(struct timespec){0, NAP_US * 1000}, NULL);
  return true;
}

static bool anything_queued(struct ag_runtime *rt) {
  for (struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next)
    if (atomic_load(&v->queued) || ag_stream_waiting(v))
      return true;
  return false;
}

/* Sleeps until woken; at most so long, 0 = for ever. */
static void sleep_until_woken(struct ag_runtime *rt, unsigned key, uint64_t at_most_us) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  uint64_t ns = (uint64_t)until.tv_nsec + at_most_us * 1000;
  until.tv_sec += (time_t)(ns / 1000000000);
  until.tv_nsec = (long)(ns % 1000000000);
  pthread_mutex_lock(&rt->sleep_lock);
  while (atomic_load(&rt->wakes) == key && !atomic_load(&rt->stopping)) {
    if (!at_most_us)
      pthread_cond_wait(&rt->sleep_cond, &rt->sleep_lock);
    else if (pthread_cond_timedwait(&rt->sleep_cond, &rt->sleep_lock, &until))
      break;
  }
  pthread_mutex_unlock(&rt->sleep_lock);
}

/* Microseconds that a thread may sleep at most, 0 = until it is woken. Somebody must look after a device, and
 * after what busy threads leave in their FIFOs. */
static uint64_t nap(struct ag_runtime *rt, enum ag_help why) {
  return device_busy(rt)        ? POOL_NAP_US
         : why == AG_HELP_FLUSH ? FLUSH_NAP_US
         : !anything_queued(rt) ? 0
         : rt->n_accelerators   ? AG_QUIET_MS * 1000
                                : CPU_NAP_US;
}

void ag_worker_idle(struct ag_worker *w, enum ag_help why, unsigned *rounds, unsigned key) {
  struct ag_runtime *rt = w->rt;
  bool busy = device_busy(rt);
  if (!busy && ++*rounds <= YIELDS) { /* work may come soon: falling asleep and waking up take longer */
    sched_yield();
    return;
  }
  if (busy && why != AG_HELP_LOOP) {
    if (++*rounds <= YIELDS)
      sched_yield();
    else
      nanosleep(&(struct timespec){0, NAP_US * 1000}, NULL);
    return;
  }
  /* Announce first, look again, then sleep: whoever brings work after the look sees a sleeper. */
  atomic_fetch_add(&rt->sleepers, 1);
  bool did = ag_worker_help(w, why);
  uint64_t us = did ? 0 : nap(rt, why);
  if (!did && !us && !rt->must_fence) {
    ag_fence_all(); /* instead of one in each submission; who sleeps but for a while needs none */
    did = ag_worker_help(w, why);
    us = nap(rt, why);
  }
  if (!did) {
    atomic_store(&w->asleep, true);
    sleep_until_woken(rt, key, us);
    atomic_store(&w->asleep, false);
  }
  atomic_fetch_sub(&rt->sleepers, 1);
  atomic_store(&rt->waking, false);
}

void *ag_worker_pool_main(void *worker) {
  struct ag_worker *w = worker;
  adopt(w);
  if (w->rt->binding)
    ag_binding_bind(w->rt->binding, w->core);
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&w->rt->wakes);
    if (atomic_load(&w->rt->stopping))
      return NULL;
    if (ag_worker_help(w, AG_HELP_LOOP))
      rounds = 0;
    else
      ag_worker_idle(w, AG_HELP_LOOP, &rounds, key);
  }
}
