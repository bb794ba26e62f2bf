/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The beginning of a unit's life, and waiting for its end. */
#include "units/submit.h"
#include "device/device.h"
#include "dispatch/decide.h"
#include "dispatch/dispatch.h"
#include "launch/commit.h"
#include "loops/hybrid.h"
#include "observe/trace.h"
#include "queues/queues.h"
#include "runtime.h"
#include "sys/thread.h"
#include "units/registry.h"
#include "workers/help.h"
#include "workers/sleep.h"
#include "workers/wait.h"
#include <agglom/rt.h>

#include <errno.h>
#include <stdlib.h>

static int plain_call(struct agglom_task *task, const void *args) {
  task->cpu(&args, 1);
  return 0;
}

/* Without memory for a unit: the call in its turn, after all that was submitted before it. */
static int call_in_turn(struct ag_worker *w, struct agglom_task *task, const void *args) {
  AG_UNCANCELLED;
  bool kernel = !(task->flags & AGGLOM_TASK_CPU_ONLY);
  if (w->current)
    ag_worker_wait(w, w->current);
  ag_coherence_forget(w->rt);
  uint64_t begin = ag_tracing() ? ag_trace_begin(w->track) : 0;
  w->plain = kernel;
  plain_call(task, args);
  w->plain = false;
  if (begin)
    ag_trace_unit(w->track, task->state->observe, begin);
  if (w->current && !kernel)
    ag_worker_wait(w, w->current);
  ag_observe_submitted(task->state->observe, 1);
  ag_observe_cpu_units(task->state->observe, 1);
  return 0;
}

/* The worker's queue for the task, made on first use. NULL: no memory. Lock held; is let go for a while. */
static __attribute__((noinline)) struct ag_queue *make_queue(struct ag_worker *w, struct agglom_task *task) {
  struct ag_runtime *rt = w->rt;
  unsigned index = task->state->index;
  if (!(task->flags & AGGLOM_TASK_CPU_ONLY)) {
    /* Loading the kernel may take long; better now than when a batch is formed. */
    AG_UNCANCELLED;
    pthread_mutex_unlock(&w->lock);
    ag_runtime_on_device(rt, task, AG_LANE_DEVICE);
    ag_runtime_miss_device(rt, task);
    pthread_mutex_lock(&w->lock);
  }
  if (index >= w->n_queues) {
    unsigned n = index + 8;
    struct ag_queue **grown = realloc(w->queues, n * sizeof *grown);
    if (!grown)
      return NULL;
    for (unsigned i = w->n_queues; i < n; ++i)
      grown[i] = NULL;
    w->queues = grown;
    w->n_queues = n;
  }
  struct ag_queue *q = calloc(1, sizeof *q);
  if (!q)
    return NULL;
  q->task = task;
  q->worker = w;
  w->n_known = 0;
  ag_stream_init(rt, q);
  ag_pool_init(&q->units, task->state->unit_size, task->state->unit_align);
  ag_queue_enlist(q);
  return w->queues[index] = q;
}

static struct ag_queue *queue_for(struct ag_worker *w, struct agglom_task *task) {
  unsigned index = task->state->index;
  return index < w->n_queues && w->queues[index] ? w->queues[index] : make_queue(w, task);
}

bool ag_submit_ready(struct ag_worker *w, struct agglom_task *task) {
  pthread_mutex_lock(&w->lock);
  bool ready = queue_for(w, task);
  pthread_mutex_unlock(&w->lock);
  return ready;
}

/* A new unit, not yet part of anything; NULL with *err. Its accesses come from the ranges, unless they are
 * known already. Lock held. */
static inline __attribute__((always_inline)) struct ag_unit *
make(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task, const void *args,
     const struct agglom_range *ranges, const struct ag_access *known, long long priority,
     unsigned long long cost, int *err) {
  struct ag_runtime *rt = w->rt;
  struct ag_queue *q = queue_for(w, task);
  struct ag_unit *u = q ? ag_pool_take(&q->units) : NULL;
  *err = -ENOMEM;
  if (!u)
    return NULL;
  *err = known ? ag_sections_copy(u->access, known, task->n_sections)
               : ag_unit_check(task, ranges, u->access, d->said);
  bool cpu_only = (task->flags & AGGLOM_TASK_CPU_ONLY) != 0;
  if (!*err && cpu_only) {
    *err = ag_ready_promise(&rt->ready);
    if (*err)
      ag_unit_release(task, u->access);
  }
  if (*err) {
    ag_pool_give(&q->units, u);
    return NULL;
  }
  ag_unit_fill(u, task, args, priority, cost, rt->n_accelerators && !cpu_only);
  u->queue = q;
  u->domain = d;
  u->seq = ++w->seq;
  if (rt->n_accelerators && !cpu_only && !ag_batch_fits_alone(u->footprint, &rt->caps))
    u->lane = AG_LANE_CPU;
  if (!(task->flags & AGGLOM_TASK_INDEPENDENT))
    *err = ag_graph_insert(&d->graph, &w->store, u);
  if (*err) {
    ag_graph_detach(&w->store, u);
    ag_unit_release(task, u->access);
    u->seq = 0; /* what was recorded of it is stale */
    u->state = AG_UNIT_FREE;
    ag_pool_give(&q->units, u);
    if (cpu_only)
      ag_ready_cancel(&rt->ready);
    return NULL;
  }
  return u;
}

/* u is part of the domain from now on. */
static inline void join(struct ag_worker *w, struct ag_domain *d, struct ag_unit *u) {
  u->live_prev = NULL;
  u->live_next = d->live;
  *(d->live ? &d->live->live_prev : &d->oldest) = u;
  d->live = u;
  d->independent += (u->task->flags & AGGLOM_TASK_INDEPENDENT) != 0;
  ag_worker_lives(w, 1);
  ++u->queue->live;
}

/* How many more units it takes until the policy is asked again. */
static uint64_t until_asked(const struct ag_fifo *fifo) {
  return ag_batch_until(&fifo->ask, fifo->policy.arrivals, fifo->count);
}

/* What whoever submits is to do for the queue's FIFO for devices: launch something of it, if that is
 * possible; or look whether a batch is over first, as the policy would perhaps have it launch then. Threads
 * that will soon have time do that. Lock held. */
enum duty { NOTHING = 0, A_LOOK, A_LAUNCH };
static enum duty duty_of(struct ag_worker *w, struct ag_queue *queue) {
  struct ag_fifo *fifo = &queue->lane[AG_LANE_DEVICE];
  if (!fifo->count || fifo->stalled || (until_asked(fifo) && !ag_worker_full(w, fifo)))
    return NOTHING;
  struct ag_decided d = ag_decide(w, queue, AG_ON_SUBMIT);
  fifo->ask = ag_batch_again(&d.batch, fifo->policy.arrivals, fifo->count);
  if (d.batch.units)
    return A_LAUNCH;
  return d.batch.patience && d.in_flight && !ag_load_sharers(w->rt) ? A_LOOK : NOTHING;
}

struct ag_unit *ag_submit_captured(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                                   const void *args, const struct ag_access *access, long long priority,
                                   unsigned long long cost) {
  int err;
  struct ag_unit *u = make(w, d, task, args, NULL, access, priority, cost, &err);
  if (!u)
    return NULL;
  join(w, d, u);
  ++u->queue->untold;
  return u;
}

/* u is part of the domain, and enters its FIFO if it may. Says whether a launch is due, and whether to wake a
 * sleeper. */
static void add(struct ag_worker *w, struct ag_domain *d, struct ag_unit *u, enum duty *duty, bool *wake) {
  struct ag_runtime *rt = w->rt;
  bool empty = !atomic_load_explicit(&w->queued, memory_order_relaxed);
  join(w, d, u);
  ++u->queue->untold;
  *duty = NOTHING;
  *wake = false;
  if (!ag_unit_may_enter(u))
    return;
  ag_worker_enter(w, u);
  /* A launch is for this thread to decide; what runs on the CPU is for everybody. Somebody must know that
   * there is a FIFO to look after when it goes quiet. */
  *wake = u->state != AG_UNIT_QUEUED || empty ||
          ag_worker_worth(u->queue, u->queue->lane[u->lane].count, AG_CPU_SHARE * rt->cpus);
  if (u->state == AG_UNIT_QUEUED && ag_runtime_on_device(rt, u->task, u->lane)) {
    *duty = duty_of(w, u->queue);
    *wake = empty;
  }
}

/* A record becomes a unit. False: no memory. */
static bool take_record(struct ag_worker *w, struct ag_queue *q, const struct ag_record *r, const void *args,
                        const struct agglom_range *ranges) {
  int err;
  struct ag_unit *u = make(w, r->domain, q->task, args, ranges, NULL, r->priority, r->cost, &err);
  if (!u)
    return false;
  ++w->moved;
  join(w, r->domain, u);
  ag_worker_enter(w, u);
  return true;
}

void ag_worker_move_streams(struct ag_worker *w, bool all) {
  if (!ag_runtime_uses_devices(w->rt) || !ag_stream_waiting(w))
    return;
  for (unsigned i = 0; i < w->n_queues; ++i) {
    struct ag_queue *q = w->queues[i];
    if (q && q->stream.open && q->stream.to_fifo &&
        (all || !ag_runtime_on_device(w->rt, q->task, AG_LANE_DEVICE)))
      ag_stream_move(w, q, take_record);
  }
}

/* Incomplete units that count for back-pressure. Those in streams for CPUs have a limit of their own. */
static uint64_t held(const struct ag_worker *w) {
  return ag_runtime_uses_devices(w->rt) ? ag_worker_incomplete(w)
                                        : atomic_load_explicit(&w->live, memory_order_relaxed);
}

/* Back-pressure. Lock held; is let go for a while. */
static void throttle(struct ag_worker *w) {
  bool again = true;
  while (again && held(w) >= w->rt->most_live) {
    AG_UNCANCELLED;
    pthread_mutex_unlock(&w->lock);
    again = ag_worker_relieve(w);
    pthread_mutex_lock(&w->lock);
  }
}

void ag_worker_throttle(struct ag_worker *w) {
  pthread_mutex_lock(&w->lock);
  throttle(w);
  pthread_mutex_unlock(&w->lock);
}

/* A launch is due, if the device can take it now. */
static bool do_own(struct ag_worker *w, enum duty duty) {
  AG_UNCANCELLED;
  if (!(duty == A_LAUNCH && ag_worker_dispatch(w, w, AG_ON_SUBMIT, false)) &&
      /* the device was busy: maybe it no longer is */
      !(ag_commit_poll(w->rt, w) && ag_worker_dispatch(w, w, AG_ON_SUBMIT, false)))
    return false;
  ++w->own_run;
  ag_worker_own_burst(w, AG_HELP_LOOP, AG_REASON_NO_HIGH_PRIORITY);
  return true;
}

/* A launch from the queue may be due, for units that are in its stream. */
static void look(struct ag_worker *w, struct ag_queue *q) {
  pthread_mutex_lock(&w->lock);
  ag_worker_move_streams(w, true);
  struct ag_fifo *fifo = &q->lane[AG_LANE_DEVICE];
  enum duty duty = ag_runtime_on_device(w->rt, q->task, AG_LANE_DEVICE) ? duty_of(w, q) : NOTHING;
  if (w->rt->policy->timed && until_asked(fifo))
    ag_stream_look_after(&q->stream, until_asked(fifo));
  pthread_mutex_unlock(&w->lock);
  if (duty && !do_own(w, duty) && !w->rt->policy->timed)
    ag_stream_look_again(&q->stream);
}

int agglom_submit(struct agglom_task *task, const void *args, const struct agglom_range *ranges,
                  long long priority, unsigned long long cost) {
  struct ag_worker *w = ag_worker_here();
  struct ag_runtime *rt;
  if (w && w->capture)
    return ag_hybrid_capture(w->capture, task, args, ranges, priority, cost);
  if ((w && w->plain) || (!w && ag_emulated_here()) || !task->state || !(rt = ag_runtime_get()) ||
      (!w && !(w = ag_worker_mine(rt))))
    return plain_call(task, args);
  struct ag_domain *d = ag_worker_domain(w);
  if (!d)
    return call_in_turn(w, task, args);
  struct ag_queue *streamed;
  if ((task->flags & AGGLOM_TASK_INDEPENDENT) &&
      ag_stream_submit(w, d, task, args, ranges, priority, cost, &streamed)) {
    if (streamed)
      look(w, streamed);
    return 0;
  }
  pthread_mutex_lock(&w->lock);
  throttle(w);
  int err;
  enum duty duty = NOTHING;
  bool wake = false;
  struct ag_unit *u = make(w, d, task, args, ranges, NULL, priority, cost, &err);
  if (u)
    add(w, d, u, &duty, &wake);
  else if (err == -EINVAL)
    ag_domain_fail(d, err);
  pthread_mutex_unlock(&w->lock);
  if (err == -ENOMEM)
    return call_in_turn(w, task, args);
  if (duty)
    do_own(w, duty);
  if (wake)
    ag_wake_one(rt);
  return err;
}

static void waited(struct ag_worker *w) {
  ag_coherence_waited(w->rt, w->running);
  ag_registry_tell(w);
}

void ag_wait_for_own(struct ag_worker *w) {
  ag_worker_wait(w, w->current);
  waited(w);
}

void ag_wait_for_all(struct ag_worker *w) {
  ag_worker_wait_for_all(w);
  waited(w);
}

/* As ag_wait_for_own(). The first error since the last time. */
static int wait_for_own(struct ag_worker *w) {
  AG_UNCANCELLED;
  ag_wait_for_own(w);
  return atomic_exchange(&w->current->error, 0);
}

int agglom_wait_own(void) {
  struct ag_worker *w = ag_worker_here();
  return w && !w->plain && w->current ? wait_for_own(w) : 0;
}

int agglom_wait(void) {
  struct ag_worker *w = ag_worker_here();
  if (w && (w->plain || w->running))
    return agglom_wait_own();
  int err = ag_worker_to_wait(&w);
  if (!w)
    return err;
  struct ag_runtime *rt = w->rt;
  AG_UNCANCELLED;
  ag_wait_for_all(w);
  err = atomic_exchange(&w->root.error, 0);
  for (struct ag_worker *v = atomic_load(&rt->hosts); v; v = v->next_host) {
    int its = atomic_load(&v->root.error) ? atomic_exchange(&v->root.error, 0) : 0;
    err = err ? err : its;
  }
  int left = atomic_load(&rt->left_error) ? atomic_exchange(&rt->left_error, 0) : 0;
  return err ? err : left;
}
