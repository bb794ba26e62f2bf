/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wait/idle.h"
#include "dispatch/dispatch.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/relaxed.h"
#include "sys/thread.h"
#include "workers/load.h"
#include "workers/streams.h"
#include "workers/wake.h"

#include <sched.h>
#include <time.h>

enum {
  YIELDS = 32,       /* looks for work, or at a busy device, before a thread sleeps */
  LOOK_NS = 1500,    /* and one of them looks around so often */
  YIELD_NS = 10000,  /* who spins lets another thread have the CPU so often; */
  WANTED_NS = 50000, /* if that took so long, one wanted it, and for so long there is no more spinning: */
  NO_SPIN_NS = 10000000,
  MOST_DEALT = 16,     /* times in a row that a thread is handed work; then it looks for that of others */
  MOST_SPINS = 64,     /* pauses between two looks then: each disturbs who submits */
  NAP_US = 20,         /* of a thread that waits for a busy device */
  POOL_NAP_US = 200,   /* of a pool worker that looks after a busy device, or FIFOs for a timed policy */
  FLUSH_NAP_US = 1000, /* of a thread that waits for units of all threads, of which no one tells it */
  CPU_NAP_US = 1000    /* of a thread that has found only what was not worth its while */
};

bool ag_idle_relieve(struct ag_worker *w) {
  const struct ag_domain *outer = w->tied;
  w->tied = w->current;
  bool did = ag_help_once(w, AG_HELP_LOOP) || (!w->running && ag_help_thoroughly(w, AG_HELP_LOOP));
  w->tied = outer;
  if (did)
    return true;
  if (!w->running) { /* what is left is of other threads, whose units it has run: not for it to wait for */
    ag_lock(&w->lock);
    bool over = ag_domain_over(&w->root);
    ag_unlock(&w->lock);
    if (over)
      return false;
  }
  /* Inside a unit, all that is left may be waiting for this very unit; at the top level it cannot be. */
  if (w->running && !ag_runtime_busy(w->rt))
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

/* Microseconds that a thread may sleep at most, 0 = until it is woken. Somebody must look after a device, and
 * after what busy threads leave in their FIFOs. */
static uint64_t nap(struct ag_runtime *rt, enum ag_help why) {
  return ag_runtime_busy(rt)     ? POOL_NAP_US
         : why == AG_HELP_FLUSH  ? FLUSH_NAP_US
         : why == AG_HELP_PARENT ? AG_QUIET_MS * 1000
         : !anything_queued(rt)  ? 0
         : !rt->n_accelerators   ? CPU_NAP_US
         : rt->policy->timed     ? POOL_NAP_US
                                 : AG_QUIET_MS * 1000;
}

/* Of the threads that hold out their hands one looks around at a time, now and then: who submits may have
 * gone away. */
static bool may_look(struct ag_runtime *rt, uint64_t now) {
  uint64_t before = ag_get(&rt->looked_ns);
  return (int64_t)(now - before) >= LOOK_NS && atomic_compare_exchange_strong(&rt->looked_ns, &before, now);
}

static void run_dealt(struct ag_worker *w) {
  if (w->takes)
    ag_help_run(w);
  else
    ag_dispatch_dealt(w);
}

/* Whether there may be something new for w to find: threads were woken, or a short loop has begun. */
static bool is_called(const struct ag_worker *w, unsigned key) {
  const struct ag_runtime *rt = w->rt;
  return atomic_load_explicit(&rt->wakes, memory_order_relaxed) != key ||
         (rt->loops.awaits && rt->loops.awaits(w));
}

/* Whether others have wanted the CPU of w's thread of late. */
static bool is_wanted(const struct ag_worker *w, uint64_t now) { return now < ag_get(&w->spins_from_ns); }

/* Whether w may spin: as long as was asked for, or where nobody else wants the CPU, as the thread that is to
 * bring work may. */
static bool may_spin(struct ag_worker *w, uint64_t now) {
  if (w->rt->config.linger_ns != AG_LINGER_AUTO)
    return true;
  if (is_wanted(w, now))
    return false;
  if (now - w->yielded_ns < YIELD_NS)
    return true;
  sched_yield();
  w->yielded_ns = ag_clock_ns();
  if (w->yielded_ns - now < WANTED_NS)
    return true;
  ag_set(&w->spins_from_ns, w->yielded_ns + NO_SPIN_NS);
  return false;
}

/* Holds out the hand of w, until there is work in it, which is run, or it is time to look around. */
static void hold_out(struct ag_worker *w, unsigned *rounds, unsigned key, uint64_t now) {
  enum { PAUSES = 16 };
  ++*rounds;
  struct ag_load_before before = ag_load_begin(w, AG_DOES_LOOK, 0);
  ag_hand_open(&w->hand);
  while (!ag_hand_is(&w->hand, AG_HAND_FULL) && now - w->idle_ns < w->rt->linger_ns &&
         !may_look(w->rt, now) && !is_called(w, key)) {
    for (int i = 0; i < PAUSES && !ag_hand_is(&w->hand, AG_HAND_FULL); ++i)
      ag_pause();
    now = ag_clock_ns();
  }
  bool full = ag_hand_close(&w->hand);
  ag_load_end(w, before);
  w->dealt = full ? w->dealt + 1 : 0;
  if (!full)
    return;
  run_dealt(w);
  *rounds = 0;
}

/* Spins for a moment where units have just come: more may. */
static bool expects_units(struct ag_worker *w, enum ag_help why, unsigned *rounds, unsigned key) {
  struct ag_runtime *rt = w->rt;
  uint64_t now = ag_clock_ns();
  if (!*rounds)
    w->idle_ns = w->yielded_ns = now;
  if (now - w->idle_ns >= rt->linger_ns || !may_spin(w, now))
    return false;
  if (why == AG_HELP_LOOP) {
    hold_out(w, rounds, key, now);
    return true;
  }
  unsigned spins = ++*rounds < MOST_SPINS ? *rounds : MOST_SPINS;
  for (unsigned i = 0; i < spins && atomic_load_explicit(&rt->wakes, memory_order_relaxed) == key; ++i)
    ag_pause();
  if (now - w->idle_ns + MOST_SPINS * 100 >= rt->linger_ns)
    *rounds = 1; /* what follows counts from here */
  return true;
}

/* Spins for a moment where a loop is about to come, or to end. */
static bool lingers_for_loop(struct ag_worker *w, unsigned key) {
  enum { SPINS = 256 };
  struct ag_runtime *rt = w->rt;
  uint64_t until = atomic_load_explicit(&rt->loops.linger_until, memory_order_relaxed);
  bool may = w->pool ? w->number < rt->staying : rt->linger_ns > 0;
  if (!may || !until || ag_clock_ns() >= until)
    return false;
  for (int i = 0; i < SPINS && atomic_load_explicit(&rt->wakes, memory_order_relaxed) == key; ++i) {
    if (rt->loops.join(w))
      return true;
    ag_pause();
  }
  return true;
}

void ag_idle(struct ag_worker *w, enum ag_help why, unsigned *rounds, unsigned key) {
  struct ag_runtime *rt = w->rt;
  bool busy = ag_runtime_busy(rt);
  if (lingers_for_loop(w, key) || expects_units(w, why, rounds, key))
    return;
  bool wanted = ag_get(&w->spins_from_ns) && is_wanted(w, ag_clock_ns());
  /* Work may come soon, and falling asleep and waking up take longer; only a second look says what is waited
   * for. */
  if (!busy && ++*rounds <= (wanted ? 1 : YIELDS)) {
    sched_yield();
    return;
  }
  if (busy && why != AG_HELP_LOOP) {
    if (++*rounds <= YIELDS)
      sched_yield();
    else if (!w->tied || !ag_help_thoroughly(w, why))
      nanosleep(&(struct timespec){0, NAP_US * 1000}, NULL);
    return;
  }
  /* Announce first, look again, then sleep: whoever brings work after the look sees a sleeper. */
  struct ag_load_before before = ag_load_begin(w, AG_DOES_NOTHING, 0);
  bool outer = w->announced; /* true: this wait is in a unit that such a look has found */
  const bool tied = w->tied, waits = why != AG_HELP_LOOP;
  atomic_fetch_add(&rt->waiters, waits);
  atomic_fetch_add(&rt->tied_sleepers, tied);
  atomic_fetch_add(&rt->sleepers, 1);
  w->announced = true;
  bool did = ag_help_thoroughly(w, why);
  uint64_t us = did ? 0 : nap(rt, why);
  if (!did && !us && !rt->must_fence) {
    ag_fence_all(); /* instead of one in each submission; who sleeps but for a while needs none */
    did = ag_help_thoroughly(w, why);
    us = nap(rt, why);
  }
  if (!did) {
    atomic_store(&w->asleep, true);
    atomic_fetch_add(&rt->resting, !tied);
    ag_sleep(rt, key, us);
    atomic_fetch_sub(&rt->resting, !tied);
    atomic_store(&w->asleep, false);
  }
  w->announced = outer;
  atomic_fetch_sub(&rt->sleepers, 1);
  atomic_fetch_sub(&rt->tied_sleepers, tied);
  atomic_fetch_sub(&rt->waiters, waits);
  ag_load_end(w, before);
}

/* Drops what the graphs that the thread submits to remember of complete units, if these are enough by now for
 * that to be worth a look at all records. Lock held. */
static void sweep(struct ag_worker *w) {
  enum { SHARE = 4 };
  uint64_t live = atomic_load_explicit(&w->live, memory_order_relaxed), complete = w->seq - live;
  if (complete - w->swept <= live / SHARE)
    return;
  w->swept = complete;
  for (struct ag_domain *d = w->current; d && d->home == w; d = d->parent)
    ag_graph_sweep(&d->graph, &w->store);
}

/* Back-pressure. Lock held; is let go for a while. */
void ag_throttle_locked(struct ag_worker *w) {
  bool again = true;
  while (again && ag_throttle_due(w)) {
    if (ag_throttle_fills(w))
      sweep(w);
    if (!ag_throttle_due(w))
      return;
    AG_UNCANCELLED;
    ag_unlock(&w->lock);
    again = ag_idle_relieve(w);
    ag_lock(&w->lock);
  }
}

void ag_throttle(struct ag_worker *w) {
  ag_lock(&w->lock);
  ag_throttle_locked(w);
  ag_unlock(&w->lock);
}

void *ag_idle_main(void *worker) {
  struct ag_worker *w = worker;
  ag_worker_adopt(w);
  if (w->rt->binding)
    ag_binding_bind(w->rt->binding, w->core);
  ag_load_begin(w, AG_DOES_TURN, 0);
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&w->rt->wakes);
    if (atomic_load(&w->rt->stopping))
      return NULL;
    if (w->dealt && w->dealt < MOST_DEALT && ag_get(&w->helped->deals) &&
        expects_units(w, AG_HELP_LOOP, &rounds, key))
      continue; /* there will be more */
    w->dealt = 0;
    if (ag_help_once(w, AG_HELP_LOOP))
      rounds = 0;
    else
      ag_idle(w, AG_HELP_LOOP, &rounds, key);
  }
}
