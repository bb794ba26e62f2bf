/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The beginning of a unit's life, and waiting for its end. */
#include "submit/submit.h"

#include "commit/commit.h"
#include "device/device.h"
#include "dispatch/deal.h"
#include "dispatch/decide.h"
#include "dispatch/dispatch.h"
#include "fifo/queues.h"
#include "launch/coherence.h"
#include "observe/trace.h"
#include "shared/runtime.h"
#include "submit/at_once.h"
#include "submit/registry.h"
#include "submit/stream.h"
#include "sys/clock.h"
#include "sys/relaxed.h"
#include "sys/thread.h"
#include "wait/help.h"
#include "wait/idle.h"
#include "wait/wait.h"
#include "workers/extend.h"
#include "workers/load.h"
#include "workers/make.h"
#include "workers/streams.h"
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
  bool kernel = !ag_task_is_cpu_only(task);
  if (w->current)
    ag_wait_domain(w, w->current);
  ag_coherence_forget(w->rt);
  uint64_t begin = ag_tracing() ? ag_trace_begin(w->track) : 0;
  w->plain = kernel;
  plain_call(task, args);
  w->plain = false;
  if (begin)
    ag_trace_unit(w->track, task->state->observe, begin);
  if (w->current && !kernel)
    ag_wait_domain(w, w->current);
  ag_observe_submitted(task->state->observe, 1);
  ag_observe_cpu_units(task->state->observe, 1);
  return 0;
}

/* How many more units it takes until the policy is asked again. */
static uint64_t until_asked(const struct ag_fifo *fifo) {
  return ag_batch_until(&fifo->ask, fifo->policy.arrivals, fifo->count);
}

/* What the thread that submits is to do for the queue's FIFO for devices. A_LAUNCH: launch units of it, if a
 * device can take them. A_LOOK: look first whether a batch is over, as the policy may want a launch then; not
 * if other threads will soon have time for that. Lock held. */
enum duty { NOTHING = 0, A_LOOK, A_LAUNCH };
static enum duty duty_of(struct ag_worker *w, struct ag_task_queue *queue) {
  struct ag_fifo *fifo = &queue->lane[AG_LANE_DEVICE];
  if (!fifo->count || fifo->stalled ||
      !ag_batch_asks(&fifo->ask, fifo->policy.arrivals, fifo->count,
                     until_asked(fifo) && ag_dispatch_full(w, fifo)))
    return NOTHING;
  struct ag_decided d = ag_decide(w, queue, AG_ON_SUBMIT);
  fifo->ask = ag_batch_again(&d.batch, fifo->policy.arrivals, fifo->count);
  if (d.batch.units)
    return A_LAUNCH;
  return d.batch.patience && d.in_flight && !ag_load_back_soon(w->rt) ? A_LOOK : NOTHING;
}

/* Whether what waits in the FIFO is worth the while of each CPU. */
static bool worth_it(const struct ag_task_queue *queue, const struct ag_fifo *fifo,
                     const struct ag_runtime *rt) {
  return ag_queue_worth(queue, fifo->calls, AG_CPU_SHARE * rt->cpus);
}

/* Units of w's FIFO for CPUs that u is in, or the ready u, are for other threads: hands them to one that has
 * time. Whether to wake a sleeper. Lock held. */
static bool is_for_others(struct ag_worker *w, const struct ag_unit *u, bool always) {
  const struct ag_fifo *fifo = &u->queue->lane[u->lane];
  always |= u->state != AG_UNIT_QUEUED;
  if (!always && !ag_queue_worth(u->queue, fifo->calls, 1))
    return false;
  enum ag_dealt dealt = ag_deal(w);
  return dealt == AG_DEAL_LEFT || (dealt == AG_DEAL_NO_HAND && (always || worth_it(u->queue, fifo, w->rt)));
}

/* Adds u to the domain, and to its FIFO if it may enter. *duty: whether a launch is due; *wake: whether to
 * wake a sleeper. */
static void add(struct ag_worker *w, struct ag_domain *d, struct ag_unit *u, enum duty *duty, bool *wake) {
  struct ag_runtime *rt = w->rt;
  bool empty = !atomic_load_explicit(&w->queued, memory_order_relaxed);
  ag_unit_join(w, d, u);
  ++u->queue->untold;
  *duty = NOTHING;
  *wake = false;
  if (!ag_unit_may_enter(u))
    return;
  ag_worker_enter(w, u);
  /* This thread decides about launches; units that run on the CPU are for all threads. A first unit wakes
   * one, too: somebody must know that there is a FIFO to look after when it goes quiet. */
  if (u->state == AG_UNIT_QUEUED && ag_runtime_on_device(rt, u->task, u->lane)) {
    *duty = duty_of(w, u->queue);
    if (*duty == A_LAUNCH && ag_deal_launch(w))
      *duty = NOTHING;
    enum ag_dealt dealt = ag_deal(w);
    *wake = dealt == AG_DEAL_LEFT || (dealt == AG_DEAL_NO_HAND && empty);
  } else {
    *wake = is_for_others(w, u, empty);
  }
}

/* At each call: what has been released, or has found no open hand, is dealt even where all that is submitted
 * has to wait. Others leave it to this thread. Whether to wake a sleeper. Lock held. */
static bool deal_now_and_then(struct ag_worker *w, bool released) {
  enum { CALLS = 16 };
  ag_add(&w->deals, 1);
  return (released || !(ag_get(&w->deals) % CALLS)) && (ag_get(&w->queued) || ag_ready_any(&w->ready)) &&
         ag_deal(w) == AG_DEAL_LEFT;
}

/* Does the duty. False: nothing was launched. */
static bool do_own(struct ag_worker *w, enum duty duty) {
  AG_UNCANCELLED;
  if (duty == A_LAUNCH) /* a thread that only submits would never know what CPUs take */
    ag_dispatch_trial(w, true);
  if (!(duty == A_LAUNCH && ag_dispatch_one(w, w, AG_ON_SUBMIT, false)) &&
      /* the device was busy: maybe it no longer is */
      !(ag_commit_poll(w->rt, w) && ag_dispatch_one(w, w, AG_ON_SUBMIT, false)))
    return false;
  ++w->own_run;
  ag_help_others(w, AG_HELP_LOOP, AG_REASON_NO_HIGH_PRIORITY);
  return true;
}

/* A launch from the queue may be due: makes the records of w's streams units, and does the queue's duty. */
static void look(struct ag_worker *w, struct ag_task_queue *q) {
  ag_lock(&w->lock);
  ag_make_from_streams(w, true);
  struct ag_fifo *fifo = &q->lane[AG_LANE_DEVICE];
  enum duty duty = ag_runtime_on_device(w->rt, q->task, AG_LANE_DEVICE) ? duty_of(w, q) : NOTHING;
  if (w->rt->policy->timed && until_asked(fifo))
    ag_stream_look_after(&q->stream, until_asked(fifo));
  ag_unlock(&w->lock);
  if (duty && !do_own(w, duty) && !w->rt->policy->timed)
    ag_stream_look_again(&q->stream);
}

/* Runs a batch of what waits in w's own FIFOs. Lock held; it is let go meanwhile. */
static bool run_one(struct ag_worker *w) {
  AG_UNCANCELLED;
  ag_unlock_giving_way(&w->lock);
  bool did = ag_dispatch_one(w, w, AG_ON_WAIT, false);
  ag_lock(&w->lock);
  return did;
}

/* Looks on while other threads run what is left of w's units, as long as one after another is complete, not
 * all are, and so many are ready: none, or in a unit's body none that this has submitted. Not again for some
 * calls where nothing has changed meanwhile. Whether something has. */
static bool look_on(struct ag_worker *w, size_t ready) {
  enum { PAUSES = 64, CALLS = 64 };
  uint64_t before = ag_get(&w->live), live = before, now;
  if (ag_get(&w->looks) - w->in_vain < CALLS)
    return false;
  for (int i = 0; i < PAUSES && live && ag_ready_total(&w->ready) == ready; ++i, live = now) {
    ag_pause();
    now = ag_get(&w->live);
    i = now == live ? i : 0;
  }
  if (live != before || ag_ready_total(&w->ready) != ready)
    return true;
  w->in_vain = ag_get(&w->looks);
  return false;
}

/* Has some of what keeps a call of the task from running in place complete, if that takes little time. False:
 * there is none. Lock held; it is let go meanwhile. */
static bool drain(struct ag_worker *w, const struct agglom_task *task, long long priority) {
  struct ag_unit *u;
  bool drained = true;
  if (!ag_at_once_drains(w, task, priority, &u))
    return false;
  if (!ag_task_is_cpu_only(task))
    return run_one(w);
  AG_UNCANCELLED;
  size_t ready = ag_ready_total(&w->ready);
  ag_unlock_giving_way(&w->lock);
  if (u)
    ag_commit_run(w, u);
  else
    drained = look_on(w, ready);
  ag_lock(&w->lock);
  return drained;
}

int agglom_submit(struct agglom_task *task, const void *args, const struct agglom_range *ranges,
                  long long priority, unsigned long long cost) {
  struct ag_worker *w = ag_worker_here();
  struct ag_runtime *rt;
  if (w && w->capture)
    return w->capture->take(w->capture, task, args, ranges, priority, cost);
  if ((w && w->plain) || (!w && ag_emulated_here()) || !task->state || !(rt = ag_runtime_get()) ||
      (!w && !(w = ag_worker_mine(rt))))
    return plain_call(task, args);
  task = ag_task_form(task, priority);
  if (w->running && ag_at_once(w, task, args, ranges, priority))
    return 0;
  struct ag_domain *d = ag_worker_domain(w);
  if (!d)
    return call_in_turn(w, task, args);
  struct ag_task_queue *streamed;
  if ((task->flags & AGGLOM_TASK_INDEPENDENT) &&
      ag_stream_submit(w, d, task, args, ranges, priority, cost, &streamed)) {
    if (streamed)
      look(w, streamed);
    return 0;
  }
  if (ag_is_alone(rt) && ag_at_once_alone(w, task, args, ranges, priority))
    return 0;
  if (ag_at_once_idle(w, task, ranges, priority)) {
    if (ag_at_once_run(w, task, args, ranges))
      do_own(w, A_LAUNCH);
    return 0;
  }
  ag_add(&w->looks, 1);
  bool released = ag_commit_ended(w);
  ag_lock(&w->lock);
  bool left = deal_now_and_then(w, released);
  bool doubted, timed = ag_at_once_times(w, task, priority, &doubted);
  bool now = !doubted && ag_at_once_may(w, d, task, ranges, priority);
  while (!now && !doubted && drain(w, task, priority))
    now = ag_at_once_may(w, d, task, ranges, priority);
  if (now) {
    left |= ag_deal(w) == AG_DEAL_LEFT;
    if (!ag_at_once_is_short(w, task)) /* others are to look meanwhile */
      ag_set(&w->deals, 0);
    ag_unlock_giving_way(&w->lock);
    if (left)
      ag_wake_for(rt);
    if (ag_at_once_run(w, task, args, ranges))
      do_own(w, A_LAUNCH);
    return 0;
  }
  struct ag_unit *extended = doubted ? NULL : ag_unit_extend(w, d, task, args, ranges, priority, cost);
  if (extended) {
    bool for_others = extended->state == AG_UNIT_QUEUED && is_for_others(w, extended, false);
    ag_unlock_giving_way(&w->lock);
    if (for_others || left)
      ag_wake_for(rt);
    return 0;
  }
  if (ag_throttle_due(w))
    ag_throttle_locked(w);
  int err;
  enum duty duty = NOTHING;
  bool wake = false;
  uint64_t from = timed ? ag_clock_ns() : 0;
  struct ag_unit *u = ag_unit_make(w, d, task, args, ranges, NULL, priority, cost, &err);
  if (u)
    add(w, d, u, &duty, &wake);
  else if (err == -EINVAL)
    ag_domain_fail(d, err);
  if (u && from)
    ag_at_once_queued(w, task, ag_clock_ns() - from);
  ag_unlock_giving_way(&w->lock);
  if (err == -ENOMEM)
    return call_in_turn(w, task, args);
  if (duty)
    do_own(w, duty);
  if (wake || left)
    ag_wake_for(rt);
  return err;
}

static void waited(struct ag_worker *w) {
  ag_coherence_waited(w->rt, w->running);
  if (!w->running) /* in tasks there are many, and who reads the numbers has them told */
    ag_registry_tell(w);
}

void ag_wait_for_own(struct ag_worker *w) {
  ag_wait_domain(w, w->current);
  waited(w);
}

void ag_wait_for_all(struct ag_worker *w) {
  ag_wait_all(w);
  waited(w);
}

/* As ag_wait_for_own(). Returns the context's first error since its last wait. */
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
  int err = ag_wait_begins(&w);
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
