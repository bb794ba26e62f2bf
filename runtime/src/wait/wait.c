/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wait/wait.h"

#include "commit/commit.h"
#include "device/device.h"
#include "dispatch/deal.h"
#include "dispatch/dispatch.h"
#include "observe/trace.h"
#include "shared/life.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/relaxed.h"
#include "wait/help.h"
#include "wait/idle.h"
#include "workers/make.h"
#include "workers/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Goals -------------------------------------------------------------------------------------------- */

bool ag_goals_add(struct ag_goals *goals, struct ag_goal goal) {
  if (!goals->at) {
    goals->at = goals->few;
    goals->room = sizeof goals->few / sizeof goals->few[0];
  }
  if (goals->n == goals->room) {
    size_t room = goals->room * 2;
    struct ag_goal *grown = realloc(goals->at == goals->few ? NULL : goals->at, room * sizeof *grown);
    if (!grown)
      return false;
    if (goals->at == goals->few)
      memcpy(grown, goals->few, sizeof goals->few);
    goals->at = grown;
    goals->room = room;
  }
  goal.drops = goal.of->drops;
  goals->at[goals->n++] = goal;
  return true;
}

void ag_goals_free(struct ag_goals *goals) {
  if (goals->at != goals->few)
    free(goals->at);
  goals->at = NULL;
  goals->n = 0;
}

static struct ag_stream *stream_of(const struct ag_goal *g) {
  struct ag_task_queue *q = g->task < g->of->n_queues ? g->of->queues[g->task] : NULL;
  return q && q->task ? &q->stream : NULL;
}

/* Asks to be woken when the worker's units up to this number are complete. Lock held. */
static void sleep_for(struct ag_worker *of, uint64_t number) {
  if (!of->root.waited_to || number < of->root.waited_to)
    of->root.waited_to = number;
}

/* Whether all that the goal names is complete. If not and `sleeps` is set, the thread will be woken then.
 * Lock held. */
static bool is_reached(struct ag_goal *g, bool sleeps) {
  struct ag_worker *of = g->of;
  if (g->drops != of->drops) /* queues were freed since, while no unit was incomplete */
    return true;
  if (g->kind == AG_GOAL_UNIT)
    return g->unit->seq != g->number;
  if (g->kind == AG_GOAL_STREAM) {
    struct ag_stream *s = stream_of(g);
    if (s && !ag_stream_done_to(s, g->number)) {
      if (sleeps)
        ag_stream_sleep_for(s, g->number);
      if (sleeps && s->to_fifo) /* the stream's records may yet become units */
        sleep_for(of, of->seq);
      return false;
    }
    if (!s || !s->to_fifo)
      return true;
    g->kind = AG_GOAL_ALL; /* the records may have become units, as there is memory again */
    g->number = of->seq;
  }
  const struct ag_unit *oldest = of->root.oldest;
  if (!oldest || oldest->seq > g->number)
    return true;
  if (sleeps)
    sleep_for(of, g->number);
  return false;
}

/* What is waited for goes first: if u is ready, the thread is to run it next. How to help otherwise. Lock
 * held. */
static enum ag_help takes_itself(struct ag_worker *w, struct ag_unit *u) {
  if (u->state == AG_UNIT_READY) {
    ag_ready_take_unit(&u->domain->home->ready, u);
    w->takes = u;
  }
  return u->state == AG_UNIT_RUNNING ? AG_HELP_PARENT : AG_HELP_UNITS;
}

/* What must happen before u, or a joint, can be complete: a FIFO has to go (*urgent), a CPU-only unit and its
 * children have to run, or a batch has to end, of which devices and other threads take care. Lock held. */
static enum ag_help holds_up(struct ag_worker *w, struct ag_unit *u, struct ag_fifo **urgent) {
  while (u->preds &&
         u->state != AG_UNIT_QUEUED) /* a queued unit follows only units of its FIFO or of batches */
    u = u->preds->pred;
  u->awaited = true;
  *urgent = u->state == AG_UNIT_QUEUED ? &u->queue->lane[u->lane] : NULL;
  return takes_itself(w, u);
}

/* The thread waits for certain units, for which others do not have to wait as well: see struct ag_worker. A
 * thread of the pool, at least, runs all else. */
static void be_choosy(struct ag_worker *w, bool choosy) {
  w->choosy = choosy && w->rt->cpus > 1;
  if (w->choosy && !atomic_load_explicit(&w->rt->choosy, memory_order_relaxed))
    atomic_store(&w->rt->choosy, true);
}

/* How to help until the goal, which is not reached, is. Notes in w which worker, FIFO and number it is about.
 * Lock of the goal's worker held. */
static enum ag_help attend(struct ag_worker *w, const struct ag_goal *g) {
  w->awaits = g->of;
  w->urgent = NULL;
  w->awaits_to = 0;
  be_choosy(w, g->kind != AG_GOAL_ALL);
  if (g->kind == AG_GOAL_UNIT)
    return holds_up(w, g->unit, &w->urgent);
  if (g->kind == AG_GOAL_STREAM)
    return AG_HELP_UNITS;
  w->awaits_to = g->number;
  return g->of->root.oldest->state == AG_UNIT_RUNNING ? AG_HELP_PARENT : AG_HELP_WAIT;
}

/* Drops goals that are reached. False when there is none left, else *why tells how to help. */
static bool look(struct ag_worker *w, struct ag_goals *goals, bool sleeps, enum ag_help *why, bool *stream) {
  struct ag_worker *locked = NULL;
  while (goals->n) {
    struct ag_goal *g = &goals->at[goals->n - 1];
    if (!locked || g->of != locked) {
      if (locked)
        ag_unlock(&locked->lock);
      locked = g->of;
      ag_lock(&locked->lock);
    }
    if (!is_reached(g, sleeps)) {
      *why = attend(w, g);
      *stream = g->kind == AG_GOAL_STREAM;
      break;
    }
    --goals->n;
  }
  if (locked)
    ag_unlock(&locked->lock);
  return goals->n;
}

/* Whether AG_QUIET_MS are not over yet. Children of a CPU-only unit may wait in any FIFO, held back by a
 * policy: after this time all FIFOs are flushed. */
static bool has_patience(uint64_t *since) {
  uint64_t now = ag_clock_ns();
  if (*since && now - *since >= (uint64_t)AG_QUIET_MS * 1000000) {
    *since = now;
    return false;
  }
  if (!*since)
    *since = now;
  return true;
}

/* Launches from all FIFOs, also units that came to the awaited worker after the wait began. */
static bool flush(struct ag_worker *w) {
  w->awaits = NULL;
  w->urgent = NULL;
  w->choosy = false; /* what is waited for may be behind any of it */
  return ag_help_once(w, AG_HELP_FLUSH);
}

void ag_wait_goals(struct ag_worker *w, struct ag_goals *goals, const struct ag_domain *tied) {
  uint64_t begin = 0, since = 0;
  enum ag_help why = AG_HELP_WAIT;
  bool stream = false;
  const struct ag_domain *outer = w->tied;
  bool choosy = w->choosy;
  w->tied = tied;
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&w->rt->wakes);
    struct ag_worker *of = goals->n ? goals->at[goals->n - 1].of : NULL;
    if (goals->n)
      ag_commit_ended(goals->at[goals->n - 1].of);
    if (!look(w, goals, rounds > 0, &why, &stream))
      break;
    if (!begin)
      begin = ag_trace_begin(w->track);
    if (why != AG_HELP_PARENT || of != w->awaits)
      since = 0;
    if (w->takes) {
      ag_help_run(w);
      rounds = 0;
      continue;
    }
    if ((why == AG_HELP_PARENT && !has_patience(&since) && flush(w)) ||
        (stream && ag_commit_claim(w, w->awaits, AG_REASON_FLUSH)) || ag_help_once(w, why))
      rounds = 0;
    else
      ag_idle(w, why, &rounds, key);
  }
  w->awaits = NULL;
  w->urgent = NULL;
  w->awaits_to = 0;
  w->tied = outer;
  w->choosy = choosy;
  if (begin)
    ag_trace_wait(w->track, begin);
  ag_goals_free(goals);
}

/* --- All units ---------------------------------------------------------------------------------------- */

/* tied: see struct ag_worker. */
static void wait_domain(struct ag_worker *w, struct ag_domain *d, const struct ag_domain *tied) {
  uint64_t begin = 0;
  const struct ag_domain *outer = w->tied;
  bool choosy = w->choosy;
  w->tied = tied;
  be_choosy(w, tied && !w->running);
  ag_dispatch_pauses(w); /* also if all is complete already, or soon */
  ag_set(&w->deals, 0);  /* it will run units itself, and others are to look */
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&w->rt->wakes);
    ag_commit_ended(w);
    ag_lock(&w->lock);
    bool over = ag_domain_over(d);
    d->waited_for = !over && rounds; /* nobody sleeps in the first round */
    ag_deal(w);
    ag_unlock(&w->lock);
    if (over)
      break;
    if (!begin)
      begin = ag_trace_begin(w->track);
    if (ag_help_once(w, AG_HELP_WAIT))
      rounds = 0;
    else
      ag_idle(w, AG_HELP_WAIT, &rounds, key);
  }
  w->tied = outer;
  w->choosy = choosy;
  if (begin)
    ag_trace_wait(w->track, begin);
}

void ag_wait_domain(struct ag_worker *w, struct ag_domain *d) { wait_domain(w, d, d); }

void ag_wait_and_give(struct ag_worker *w, struct ag_domain *d) {
  ag_wait_domain(w, d);
  ag_lock(&w->lock);
  ag_pool_give(&w->domains, d);
  ag_unlock(&w->lock);
}

/* Adds goals for all incomplete units that v's thread has submitted. False: no memory; *from says where to go
 * on. */
static bool add_all(struct ag_goals *goals, struct ag_worker *v, unsigned *from) {
  bool fine = true;
  ag_lock(&v->lock);
  if (!*from) {
    ag_make_from_streams(v, true);
    uint64_t number = v->root.loop_from ? v->root.loop_from - 1 : v->seq;
    if (v->root.oldest && v->root.oldest->seq <= number)
      fine = ag_goals_add(goals, (struct ag_goal){.of = v, .number = number, .kind = AG_GOAL_ALL});
    *from = fine;
  }
  for (; fine && *from && *from - 1 < v->n_queues; ++*from) {
    unsigned task = *from - 1;
    const struct ag_task_queue *q = v->queues[task];
    uint64_t end = q && q->stream.open ? ag_stream_end(&q->stream) : 0;
    if (end && !ag_stream_done_to(&q->stream, end))
      fine =
          ag_goals_add(goals, (struct ag_goal){.of = v, .task = task, .number = end, .kind = AG_GOAL_STREAM});
    if (!fine)
      break;
  }
  ag_unlock(&v->lock);
  return fine;
}

/* Adds goals for the units of all host threads but w's. Without memory for more, the goals so far are waited
 * for at once, and then units that come meanwhile are waited for, too. Begins behind w, so that threads that
 * wait at the same time do not all look at the same worker. */
static void add_others(struct ag_goals *goals, struct ag_worker *w) {
  struct ag_worker *first = atomic_load(&w->rt->hosts);
  for (struct ag_worker *v = w; (v = v->next_host ? v->next_host : first) != w;) {
    unsigned from = 0;
    while (!ag_worker_idle_now(v) && !add_all(goals, v, &from))
      ag_wait_goals(w, goals, NULL);
  }
}

bool ag_wait_needless(const struct ag_worker *w) {
  bool idle = ag_worker_idle_now(w);
  for (struct ag_worker *v = atomic_load(&w->rt->hosts); v && idle; v = v->next_host)
    idle = ag_worker_idle_now(v);
  return idle;
}

void ag_wait_all(struct ag_worker *w) {
  ++w->waits;
  if (ag_wait_needless(w)) {
    ag_dispatch_pauses(w);
    return;
  }
  struct ag_goals goals = {0};
  add_others(&goals, w);
  wait_domain(w, &w->root, NULL);
  ag_wait_goals(w, &goals, NULL);
}

int ag_wait_begins(struct ag_worker **w) {
  *w = ag_worker_here();
  if (*w || ag_emulated_here())
    return 0;
  struct ag_runtime *rt = ag_life_hold();
  if (rt)
    *w = ag_worker_mine(rt);
  ag_life_let_go(rt);
  if (*w || !rt)
    return 0;
  ag_error("there is no memory for this thread to wait for units of others; they may not be complete");
  return -ENOMEM;
}

void ag_runtime_flush(struct ag_runtime *rt, struct ag_worker *w, bool (*done)(struct ag_runtime *, void *),
                      void *context) {
  for (struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next) {
    ag_lock(&v->lock);
    v->goal = ag_worker_submitted(v);
    ag_unlock(&v->lock);
  }
  for (unsigned rounds = 0; !done(rt, context);) {
    unsigned key = atomic_load(&rt->wakes);
    if (ag_help_once(w, AG_HELP_FLUSH)) {
      rounds = 0;
      continue;
    }
    ag_idle(w, AG_HELP_FLUSH, &rounds, key);
  }
}
