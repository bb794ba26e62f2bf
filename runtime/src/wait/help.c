/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding work for a thread that has time. */
#include "wait/help.h"
#include "commit/commit.h"
#include "dispatch/decide.h"
#include "dispatch/dispatch.h"
#include "observe/trace.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/relaxed.h"
#include "wait/idle.h"
#include "workers/make.h"
#include "workers/streams.h"

static bool help_loops(struct ag_worker *w) {
  return !w->choosy && w->rt->loops.help && w->rt->loops.help(w);
}

/* The worker of whose ready units the thread is to take one. Where all priorities are the same these are its
 * own, if it has some; but others have a turn. NULL: there are none. */
static struct ag_worker *ready_worker(struct ag_worker *w, enum ag_urgency of, bool differ) {
  bool own = ag_ready_count(&w->ready, of);
  struct ag_worker *best = NULL, *first = w->helped ? w->helped : w, *v = first;
  if (own && !differ && w->ready_run < AG_OWN_BURST)
    return w;
  do {
    v = v->next ? v->next : atomic_load(&w->rt->workers);
    if (v == w || !ag_ready_count(&v->ready, of))
      continue;
    if (!differ)
      return v;
    long long top = atomic_load_explicit(&v->ready.at[of].top, memory_order_relaxed);
    if (!best || top > atomic_load_explicit(&best->ready.at[of].top, memory_order_relaxed))
      best = v;
  } while (v != first);
  if (own && best && w->ready_run < AG_OWN_BURST &&
      atomic_load_explicit(&best->ready.at[of].top, memory_order_relaxed) <=
          atomic_load_explicit(&w->ready.at[of].top, memory_order_relaxed))
    return w;
  return best ? best : own ? w : NULL;
}

/* The next unit of a worker whose lock is held, for a thread that waits for something else: NULL unless it is
 * known to be short. */
static struct ag_unit *take_brief(struct ag_ready *ready, enum ag_urgency of) {
  struct ag_unit *u = ag_ready_first(ready, of);
  uint64_t ns = u ? atomic_load_explicit(&u->task->state->longest.ns, memory_order_relaxed) : 0;
  if (!ns || ns > AG_BRIEF_NS)
    return NULL;
  ag_ready_take_unit(ready, u);
  return u;
}

static struct ag_unit *take_any(struct ag_worker *w, enum ag_urgency of) {
  bool differ = atomic_load_explicit(&w->rt->priorities_differ, memory_order_relaxed);
  struct ag_unit *u = NULL;
  for (struct ag_worker *v; !u && (v = ready_worker(w, of, differ));) {
    ag_lock(&v->lock);
    u = w->choosy ? take_brief(&v->ready, of) : ag_ready_take(&v->ready, of, differ);
    ag_unlock(&v->lock);
    if (!u && w->choosy)
      return NULL;
    w->ready_run = v == w ? w->ready_run + 1 : 0;
    if (v != w)
      w->helped = v;
  }
  return u;
}

/* For a thread that is tied: its own first, then those that units within the domain have submitted, which may
 * be with any worker. */
static struct ag_unit *take_tied(struct ag_worker *w, enum ag_urgency of) {
  struct ag_unit *u = NULL;
  if (ag_ready_count(&w->ready, of)) {
    ag_lock(&w->lock);
    u = ag_ready_take_of(&w->ready, of, w->tied);
    if (!u)
      u = ag_ready_take_within(&w->ready, of, w->tied, w->thorough);
    ag_unlock(&w->lock);
  }
  for (struct ag_worker *v = atomic_load(&w->rt->workers); v && !u; v = v->next) {
    if (v == w || !ag_ready_count(&v->ready, of))
      continue;
    ag_lock(&v->lock);
    u = ag_ready_take_within(&v->ready, of, w->tied, w->thorough);
    ag_unlock(&v->lock);
  }
  return u;
}

/* Runs a CPU-only unit that the thread has taken. */
static void run(struct ag_worker *w, struct ag_unit *u) {
  bool thorough = w->thorough, choosy = w->choosy;
  bool sleepers = atomic_load_explicit(&w->rt->sleepers, memory_order_relaxed);
  if (sleepers && (ag_worker_ready(w->rt, AG_URGENT) || ag_worker_ready(w->rt, AG_NOT_URGENT)))
    ag_wake_one(w->rt);
  ag_commit_left(w);
  w->awaits = NULL; /* the unit's body may wait as well */
  w->urgent = NULL;
  w->thorough = w->choosy = false;
  ag_commit_run(w, u);
  w->thorough = thorough;
  w->choosy = choosy;
}

void ag_help_run(struct ag_worker *w) {
  struct ag_unit *u = w->takes;
  w->takes = NULL;
  run(w, u);
}

static bool run_ready(struct ag_worker *w, enum ag_urgency of) {
  struct ag_unit *u = w->tied ? take_tied(w, of) : take_any(w, of);
  if (!u)
    return false;
  run(w, u);
  return true;
}

/* Work of the thread's own FIFOs and streams, by turns. */
static bool run_own(struct ag_worker *w, enum ag_batch_event event, enum ag_reason reason) {
  w->stream_first = !w->stream_first;
  return (w->stream_first && ag_commit_claim(w, w, reason)) || ag_dispatch_one(w, w, event, false) ||
         (!w->stream_first && ag_commit_claim(w, w, reason));
}

/* Work of the worker whose units the thread waits for, as if it were the thread's own. */
static bool run_awaited(struct ag_worker *w, enum ag_batch_event event, enum ag_reason reason) {
  struct ag_worker *v = w->awaits;
  return v && v != w && (ag_dispatch_one(w, v, event, false) || ag_commit_claim(w, v, reason));
}

/* Work of other workers that runs on the CPU anyway, or that nobody else will launch: the worker's thread has
 * ended, or it sleeps, and a third thread has released units since. Begins behind the worker that was helped
 * last. */
static bool run_others(struct ag_worker *w, enum ag_help why, enum ag_batch_event event,
                       enum ag_reason reason) {
  bool busy = event == AG_ON_BURST && w->rt->policy->timed; /* units of high priority may be left to run */
  struct ag_worker *first = w->helped ? w->helped : w, *v = first;
  do {
    v = v->next ? v->next : atomic_load(&w->rt->workers);
    bool flush = why == AG_HELP_FLUSH || atomic_load(&v->orphan);
    bool all = flush || atomic_load(&v->asleep);
    enum ag_batch_event here = flush ? AG_ON_WAIT : busy ? AG_ON_BURST : AG_ON_NO_HIGH;
    if (v == w || (!ag_dispatch_one(w, v, here, !all) && (w->choosy || !ag_commit_claim(w, v, reason))))
      continue;
    w->helped = v;
    return true;
  } while (v != first);
  return false;
}

bool ag_help_others(struct ag_worker *w, enum ag_help why, enum ag_reason reason) {
  if (w->own_run < AG_OWN_BURST)
    return false;
  w->own_run = 0;
  return run_others(w, why, AG_ON_NO_HIGH, reason);
}

/* Loops and units by turns. The thread's own units go first, but after AG_OWN_BURST in a row those of others
 * have a turn. */
static bool run_medium(struct ag_worker *w, enum ag_help why, enum ag_batch_event event) {
  enum ag_reason reason = event == AG_ON_WAIT ? AG_REASON_FLUSH : AG_REASON_NO_HIGH_PRIORITY;
  w->loop_first = !w->loop_first;
  if ((w->loop_first && help_loops(w)) || ag_help_others(w, why, reason))
    return true;
  if (run_awaited(w, event, reason) || run_own(w, event, reason)) {
    ++w->own_run;
    return true;
  }
  w->own_run = 0;
  return run_others(w, why, event, reason) || (!w->loop_first && help_loops(w));
}

/* Launches from FIFOs of busy threads into which nothing has come for AG_QUIET_MS. It may run units, which
 * wait for anything, so no lock keeps other threads out but a time stamp: one thread at a time looks, unless
 * it takes longer than AG_QUIET_MS. */
static bool run_quiet(struct ag_worker *w) {
  struct ag_runtime *rt = w->rt;
  bool did = false;
  if (!rt->n_accelerators)
    return false;
  uint64_t now = ag_clock_ns(), last = atomic_load(&rt->quiet_ns);
  if (now < last + (uint64_t)AG_QUIET_MS * 1000000 ||
      !atomic_compare_exchange_strong(&rt->quiet_ns, &last, now))
    return false;
  for (struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next) {
    uint64_t arrivals = atomic_load(&v->arrivals) + atomic_load(&v->streamed);
    if (v != w && arrivals == atomic_load(&v->seen))
      did |= ag_dispatch_one(w, v, AG_ON_QUIET, false);
    atomic_store(&v->seen, arrivals);
  }
  return did;
}

static bool slot_is_free(const struct ag_runtime *rt) {
  for (int d = 0; d < rt->n_accelerators; ++d)
    if (ag_accelerator_usable(&rt->accelerators[d]) && ag_accelerator_room(&rt->accelerators[d]))
      return true;
  return false;
}

/* Launches a step all of whose units have come before more of high priority is run, or a free device would
 * wait meanwhile. */
static bool launch_whole(struct ag_worker *w) {
  struct ag_runtime *rt = w->rt;
  if (!rt->policy->common || !w->n_queues || !ag_runtime_uses_devices(rt) ||
      !ag_worker_ready(rt, AG_URGENT) || !slot_is_free(rt))
    return false;
  ag_lock(&w->lock);
  bool whole = ag_decide_any_whole(w);
  ag_unlock(&w->lock);
  if (!whole)
    return false;
  if (ag_dispatch_one(w, w, AG_ON_WHOLE, false))
    return true;
  for (struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next)
    if (v != w && ag_dispatch_one(w, v, AG_ON_WHOLE, false))
      return true;
  return false;
}

bool ag_help_thoroughly(struct ag_worker *w, enum ag_help why) {
  bool thorough = w->thorough;
  w->thorough = true;
  bool did = ag_help_once(w, why);
  w->thorough = thorough;
  return did;
}

bool ag_help_once(struct ag_worker *w, enum ag_help why) {
  enum ag_class order[AG_N_CLASSES];
  enum ag_batch_event event = AG_ON_BURST;
  ag_add(&w->looks, 1);
  if (ag_commit_ended(w) || ag_commit_poll(w->rt, w) || ag_dispatch_trial(w, false) || launch_whole(w))
    return true;
  ag_turn_order(&w->turn, order);
  for (unsigned i = 0; i < AG_N_CLASSES; ++i) {
    bool did = false;
    switch (order[i]) {
    case AG_CLASS_HIGH:
      did = run_ready(w, AG_URGENT);
      if (!did)
        event = why == AG_HELP_LOOP || (why == AG_HELP_UNITS && !w->urgent) ? AG_ON_NO_HIGH : AG_ON_WAIT;
      break;
    case AG_CLASS_MEDIUM:
      did = run_medium(w, why, event);
      break;
    case AG_CLASS_LOW:
      did = run_ready(w, AG_NOT_URGENT);
      break;
    case AG_N_CLASSES:
      break;
    }
    if (did) {
      ag_turn_took(&w->turn, order[i]);
      return true;
    }
  }
  ag_turn_none(&w->turn);
  /* While certain units are waited for (UNITS), others go on accruing. */
  return (why != AG_HELP_UNITS && ag_dispatch_one(w, w, AG_ON_NOTHING, false)) || run_quiet(w);
}
