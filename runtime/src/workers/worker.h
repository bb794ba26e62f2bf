/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that submit and run work: every host thread that submits gets a worker of its own, and the pool has
 * some more. A worker owns accelerator FIFOs, the domains of what its thread runs, and one lock for all that.
 *
 * Locks, in the order they may be taken: the one of life.h; a worker's lock; then the sleepers' lock. No
 * thread ever holds two workers' locks. */
#ifndef AG_WORKER_H
#define AG_WORKER_H

#include "agglomerate/agglomerate.h"
#include "fifo/fifo.h"
#include "fifo/ready.h"
#include "graph/domain.h"
#include "shared/load.h"
#include "sys/align.h"
#include "sys/lock.h"
#include "sys/thread.h"
#include "workers/hand.h"
#include "workers/team.h"
#include <pthread.h>
#include <stdatomic.h>

/* Receives each call of a task that the thread would submit, in place of the submission: see loops/. */
struct ag_capture {
  int (*take)(struct ag_capture *capture, struct agglom_task *task, const void *args,
              const struct agglom_range *ranges, long long priority, unsigned long long cost);
  bool exactly; /* see agglom_for_exactly() */
  bool asked;   /* it was asked: of some sections that are read only the ends have been looked at */
};
struct ag_runtime;
struct ag_slot;

/* What others have seen of a number that a thread counts up while it is about, and when they first saw it. */
struct ag_presence {
  _Atomic uint64_t seen, since_ns;
};

/* In groups that do not share lines of caches, by who writes them. */
struct ag_worker {
  _Alignas(AG_CACHE_LINE) struct ag_lock lock;

  /* Threads that have time. */
  _Alignas(AG_CACHE_LINE) _Atomic bool looked_at; /* one looks at the FIFOs: others do not meanwhile */
  _Atomic uint64_t seen; /* arrivals when an idle worker looked last for FIFOs that are quiet */
  /* Units that other threads have run, linked by next, and are to be completed: commit/commit.h. */
  struct ag_unit *_Atomic ended;
  struct ag_presence looking, dealing; /* by `looks`, and `deals` */

  /* Its thread, or whoever has the lock; read without it. */
  _Alignas(AG_CACHE_LINE) _Atomic uint64_t queued; /* units in its FIFOs */
  _Atomic uint64_t arrivals;                       /* units that ever entered them */
  _Atomic size_t live;                             /* incomplete units of all its domains */
  /* Units in streams: ever submitted, by its thread alone; claimed; and complete: both under the lock. */
  _Atomic uint64_t streamed, streamed_taken, streamed_done;
  _Atomic uint64_t looks;      /* how often its thread has looked for units that have ended, and, since it */
  _Atomic uint64_t deals;      /* waited last, whether others have nothing to do: dispatch/deal.h */
  _Atomic bool orphan;         /* its thread has ended */
  _Atomic bool asleep;         /* its thread found nothing to do and sleeps: others launch for it */
  _Atomic bool streams_differ; /* a record had another priority than 0; stored by its thread */

  /* Hardly ever written. */
  _Alignas(AG_CACHE_LINE) struct ag_runtime *rt;
  struct ag_worker *next;        /* all workers; constant once the worker is in the list */
  struct ag_worker *next_host;   /* the workers of host threads, likewise */
  struct ag_task_queue **queues; /* by task index; NULL where this worker has submitted none */
  unsigned n_queues;
  bool pool;
  unsigned number;      /* of a pool worker, from 1 */
  unsigned core;        /* that it is bound to, if threads are */
  pthread_t thread;     /* of a pool worker */
  struct ag_team *team; /* of a compute unit of several cores; or NULL */

  /* Under the lock, or its thread's own. */
  _Alignas(AG_CACHE_LINE) unsigned n_known; /* queues in which ag_dispatch_trial() has nothing to try;
                                               n_queues: all */
  struct ag_graph_store store;
  struct ag_pool domains;
  struct ag_domain root; /* of the host thread */
  uint64_t seq;          /* submissions so far */
  uint64_t swept;        /* units that were complete when records were dropped for their bytes; the lock */
  uint64_t goal;         /* submissions, streams included, when somebody began to flush; see runtime.c */
  uint64_t rounds;       /* decisions so far which of its FIFOs goes next */
  size_t live_bytes;     /* that these take, without what the graph remembers of them; the lock */
  uint64_t moved;    /* records that ever became units of FIFOs: `seq` and `streamed` count both; the lock */
  unsigned drops;    /* times that queues were freed, with no unit incomplete; the lock */
  bool stream_first; /* its thread's own: whether its next look goes to the streams before the FIFOs */
  bool loop_first;   /* likewise: whether it goes to loops before units */
  bool announced;    /* likewise: it counts as a sleeper, and looks once more before it sleeps */
  unsigned stream_turn;  /* index behind that of the stream from which records were claimed last; the lock */
  struct ag_fifos fifos; /* those of its queues that have units; the lock */
  struct ag_worker *dealt_to;     /* whose hand its thread has filled, or seen, last; dispatch/deal.c */
  uint64_t waits;                 /* of its thread, for all that it has submitted */
  uint64_t deal_from, deal_again; /* arrivals from which it tries so again, as many more as that; likewise */
  _Alignas(
      AG_CACHE_LINE) struct ag_ready ready; /* CPU-only units of its domains that may run now; the lock */
  struct ag_hand hand;                      /* of a pool worker */
  _Alignas(AG_CACHE_LINE) struct ag_load load;
  /* The thread's own. */
  struct ag_turn turn;
  uint64_t idle_ns;          /* when it found nothing to do first, after it had done something */
  unsigned dealt;            /* how often in a row it was handed work, without having looked itself */
  uint64_t paused;           /* arrivals, and units in streams, at the last pause; see ag_dispatch_pauses() */
  unsigned own_run;          /* medium actions of its own in a row */
  struct ag_worker *helped;  /* whose work it did last; NULL: nobody's yet */
  struct ag_worker *left_to; /* to whose thread it has left units that it has run; see ag_commit_left() */
  struct ag_batch cpu_batch;
  struct ag_slot *launches; /* a batch that it was handed is formed there, for a device; NULL: in cpu_batch */
  struct ag_domain *current; /* where submissions go; NULL: the running unit has not submitted yet */
  struct ag_unit *running;   /* the CPU-only unit that runs */
  /* Units that run at once (submit/at_once.h): so many lie on top of one that does not, whose domain has the
   * depth `level`. */
  unsigned nested;
  uint64_t level;
  /* The domain whose units are waited for in a unit, or by a thread of those that it has submitted itself: on
   * top of such a wait only CPU-only units within that domain run. NULL: any may. */
  const struct ag_domain *tied;
  bool thorough;      /* the thread looks at all domains for one within that, not only where it may be */
  bool choosy;        /* it waits for certain units: of what others may run as well, it takes what is short */
  uint64_t in_vain;   /* `looks` when it looked on in vain in a call; submit/submit.c */
  unsigned ready_run; /* CPU-only units of its own in a row */
  struct ag_trace_track *track; /* NULL: nothing is traced */
  /* What the thread waits for. awaits: the worker of the units, NULL: a whole domain of its own; urgent: the
   * FIFO that holds these up, NULL: none does; awaits_to: all units up to this number, 0: other ones. */
  struct ag_worker *awaits;
  struct ag_fifo *urgent;
  struct ag_unit *takes; /* a CPU-only unit that is waited for: the thread has taken it, to run it next */
  uint64_t awaits_to;
  struct ag_capture *capture; /* calls of tasks are captured for a hybrid loop; else NULL */
  void *scratch;              /* for private copies of what loops accumulate; or NULL */
  size_t scratch_bytes;
  bool plain; /* a unit with a kernel runs on this CPU: calls in it are plain calls */
  /* Units that have run so in their calls, and leaves: of these, submit/at_once.c times some. When the clock
   * ticked last (ag_clock_tick()), how many had run by then, and how often they were slow. */
  uint64_t in_place, tick, in_place_then;
  unsigned slow;
  uint64_t yielded_ns;            /* when it last let others have its CPU, while it spins */
  _Atomic uint64_t spins_from_ns; /* before that it does not spin, as others want the CPU */
};

/* The calling thread's worker, or NULL when it has none yet. ag_worker_mine() makes one: NULL when there is
 * no memory, or the runtime is not the one that runs; then it may be gone. */
struct ag_worker *ag_worker_here(void);
struct ag_worker *ag_worker_mine(struct ag_runtime *rt);

struct ag_worker *ag_worker_new(struct ag_runtime *rt,
                                bool pool); /* in the runtime's list; NULL: no memory */
void ag_worker_free(struct ag_worker *w);

/* A pool worker whose thread could not be started: a host thread may have it. */
void ag_worker_offer(struct ag_worker *w);

/* Number of incomplete units of all its domains, records of streams included. Lock held. */
static inline uint64_t ag_worker_incomplete(const struct ag_worker *w) {
  return atomic_load_explicit(&w->live, memory_order_relaxed) +
         (atomic_load(&w->streamed) - atomic_load(&w->streamed_done));
}

/* Adds to the number of w's incomplete units, modulo 2^64. Lock held. */
static inline void ag_worker_lives(struct ag_worker *w, size_t more) {
  atomic_store_explicit(&w->live, atomic_load_explicit(&w->live, memory_order_relaxed) + more,
                        memory_order_release);
}

/* Whether all that w's domains had submitted by now, as the calling thread knows, is complete. No lock. */
static inline bool ag_worker_idle_now(const struct ag_worker *w) {
  uint64_t done = atomic_load_explicit(&w->streamed_done, memory_order_acquire);
  return done == atomic_load_explicit(&w->streamed, memory_order_acquire) &&
         !atomic_load_explicit(&w->live, memory_order_acquire);
}

/* Whether the number is 0, or has not changed for some 5 us. Any thread. */
bool ag_worker_is_away(struct ag_presence *presence, const _Atomic uint64_t *number);

/* Units in its streams that nobody has claimed. Any thread; exact for the worker's own. */
static inline uint64_t ag_stream_waiting(const struct ag_worker *w) {
  return ag_stream_rest(&w->streamed, &w->streamed_taken);
}

/* Submissions so far, streams included. Lock held. */
static inline uint64_t ag_worker_submitted(const struct ag_worker *w) {
  return w->seq - w->moved + atomic_load(&w->streamed);
}

/* Units in the FIFOs and streams of all workers. */
uint64_t ag_worker_queued(struct ag_runtime *rt);

/* The domain that submissions of w's thread belong to; NULL when there is no memory. */
struct ag_domain *ag_worker_domain(struct ag_worker *w);

/* CPU-only units of all workers that may run now, of one class. */
size_t ag_worker_ready(const struct ag_runtime *rt, enum ag_urgency of);

/* Puts a unit where it belongs if nothing stands in its way: its FIFO, or the ready units. Lock held. */
void ag_worker_enter(struct ag_worker *w, struct ag_unit *u);

/* Adds to the number of units in w's FIFOs, modulo 2^64. Lock held. */
static inline void ag_worker_count(struct ag_worker *w, uint64_t more) {
  uint64_t now = atomic_load_explicit(&w->queued, memory_order_relaxed) + more;
  atomic_store_explicit(&w->queued, now, memory_order_release);
}

/* The units of a device batch that took no effect are queued again, each in the FIFO that it came from,
 * before all others; most: how many of them a batch may have from now on, 0 = as many as before. The batch is
 * empty afterwards. */
void ag_worker_return(struct ag_runtime *rt, struct ag_batch *batch, unsigned most);

/* The calling thread is the worker's from now on. */
void ag_worker_adopt(struct ag_worker *w);

#endif /* AG_WORKER_H */
