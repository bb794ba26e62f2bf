/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "submit/at_once.h"

#include "commit/commit.h"
#include "fifo/queues.h"
#include "graph/graph.h"
#include "launch/coherence.h"
#include "observe/ranges.h"
#include "observe/trace.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/relaxed.h"
#include "sys/thread.h"
#include "wait/wait.h"
#include "workers/extend.h"
#include "workers/load.h"
#include "workers/make.h"

enum {
  /* Ready units of the worker that are enough for others while the thread is busy: MOST where a unit submits
   * that a host thread has called, half as many with each level below, as units there are short beside those
   * that wait further up. */
  ENOUGH_MOST = 64,
  ENOUGH_LEAST = 4,
  LEAST_FROM = 4,
  MOST_NESTED = 64, /* calls on the stack that run at once; so a chain of tasks needs no more of it */
  /* A unit with a kernel runs in the call of the thread that submits it when it takes less than its way
   * through the queue; or when what waits is enough for the other CPUs, that is, ENOUGH_SHARES times what is
   * worth the while of each. A longer one than LONGEST_NS is queued, beside which that costs nothing, so that
   * the thread goes on with what follows. */
  ENOUGH_SHARES = 4,
  /* The way through the queue takes at least as long as the call that queues: QUEUED_NS where nothing is
   * known of that or it takes less, and never more than QUEUED_MOST_NS, as then the thread was disturbed. */
  QUEUED_NS = 1000,
  QUEUED_MOST_NS = 4000,
  QUEUED_EVERY = 16,   /* one call in so many is timed if it is queued, */
  DOUBTED_EVERY = 256, /* and one in so many is queued where they run in place only since that took long */
  QUEUED_WEIGHT = 8,   /* a longer time counts for so much of what is known, a shorter one for half */
  SHORT_TIMES = 4,     /* none has taken so many times that of late: others are to have what is long */
  LONGEST_NS = 50000,
  WORTH_A_CLOCK_NS = 10000, /* units that take so long are all timed, */
  CLOCK_EVERY = 16,         /* of shorter ones one in so many, */
  LOOK_EVERY = 64,          /* calls after which devices and other units have a turn */
  TICK_EVERY = 4,           /* and as often it is seen whether */
  CLOSELY = 16              /* some between may have been long: then so many of each task are timed */
};

/* Whether other threads do not need the unit, which is at this depth; `ready` units wait. */
static bool others_have_enough(const struct ag_runtime *rt, uint64_t depth, size_t ready) {
  if (ag_is_alone(rt))
    return true;
  size_t enough = depth < LEAST_FROM ? ENOUGH_MOST >> depth : ENOUGH_LEAST;
  return ready >= enough && !atomic_load_explicit(&rt->resting, memory_order_relaxed);
}

/* Whether no ready unit goes before one of this priority. */
static bool is_first(const struct ag_worker *w, long long priority) {
  return (priority == 1 || (priority == 0 && !ag_ready_count(&w->ready, AG_URGENT))) &&
         !atomic_load_explicit(&w->rt->priorities_differ, memory_order_relaxed);
}

/* Whether all that the running unit has submitted is complete: then the call depends on nothing. */
static bool is_over(struct ag_worker *w) {
  if (!w->current)
    return true;
  ag_lock(&w->lock);
  bool over = ag_domain_over(w->current);
  ag_unlock(&w->lock);
  return over;
}

/* Whether devices have nothing to do: while they run or wait for something, a thread that goes from call to
 * call would leave them alone for long. */
static bool devices_do_not_mind(const struct ag_worker *w, const struct agglom_task *task) {
  return ag_task_is_cpu_only(task) && task->n_sections <= AG_CALL_SECTIONS && !ag_get(&w->queued) &&
         !ag_runtime_busy(w->rt);
}

static bool may_run(struct ag_worker *w, struct agglom_task *task, const struct agglom_range *ranges,
                    long long priority) {
  unsigned index = task->state->index;
  if (!(task->flags & (AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_INDEPENDENT)) || w->nested >= MOST_NESTED ||
      (w->rt->n_accelerators && !devices_do_not_mind(w, task)))
    return false;
  if (!others_have_enough(w->rt, w->level + w->nested, ag_ready_total(&w->ready)) || !is_first(w, priority))
    return false;
  if (task->n_sections &&
      (!ag_unit_is_plain(task, ranges) || !((task->flags & AGGLOM_TASK_INDEPENDENT) || is_over(w))))
    return false;
  return (index < w->n_queues && w->queues[index]) || ag_queue_ready(w, task);
}

void ag_call_run(struct ag_worker *w, union ag_call *call, const void *args,
                 const struct agglom_range *ranges) {
  struct ag_unit *u = &call->unit;
  ++w->nested;
  struct ag_domain *d = ag_commit_body(w, u, args);
  --w->nested;
  if (!w->current) /* the unit around has one now, if this one has submitted anything */
    w->current = u->domain;
  if (d && !ag_commit_leave(w, u->domain, u->task, args, ranges, d))
    ag_wait_and_give(w, d);
}

bool ag_at_once(struct ag_worker *w, struct agglom_task *task, const void *args,
                const struct agglom_range *ranges, long long priority) {
  if (!may_run(w, task, ranges, priority))
    return false;
  union ag_call call;
  struct ag_access *access = call.unit.access;
  bool looked = w->rt->n_accelerators && task->n_sections;
  if (looked && ag_unit_check(task, ranges, access, NULL))
    return false; /* whoever makes a unit of it will say so */
  ag_call_begin(&call, task, w->current, priority, looked ? access : NULL);
  call.unit.back = w->running;
  if (looked)
    ag_coherence_running(w->rt, &call.unit);
  ag_call_run(w, &call, args, ranges);
  if (looked)
    ag_unit_release(task, access);
  ag_add(&w->queues[task->state->index]->at_once, 1);
  return true;
}

/* Whether the sections are right; if not, whoever makes a unit of the call says so. */
static bool are_right(const struct agglom_task *task, const struct agglom_range *ranges) {
  enum { HERE = 8 };
  struct ag_access here[HERE];
  _Atomic bool silent = true;
  if (ag_unit_is_plain(task, ranges))
    return true;
  if (task->n_sections > HERE || ag_unit_check(task, ranges, here, &silent))
    return false;
  ag_unit_release(task, here);
  return true;
}

static void run_and_count(struct ag_worker *w, struct agglom_task *task, const void *args, bool timed) {
  struct ag_task_queue *queue = w->queues[task->state->index];
  uint64_t from = timed ? ag_clock_ns() : 0;
  w->plain = true;
  task->cpu(&args, 1);
  w->plain = false;
  if (timed)
    ag_queue_measured_one(queue, ag_clock_ns() - from);
  ++w->in_place;
  ag_add(&queue->at_once, 1);
}

/* Runs the unit of a call of a task with a kernel, or of a leaf. timed: how long it takes is worth knowing.
 */
static void run_here(struct ag_worker *w, struct agglom_task *task, const void *args, bool timed) {
  /* To put off cancellation takes a third of a short call. */
  if (ag_task_is_leaf(task) && !ag_tracing() &&
      !atomic_load_explicit(&ag_ranges_are_on, memory_order_relaxed)) {
    run_and_count(w, task, args, timed);
    return;
  }
  AG_UNCANCELLED;
  uint64_t begin = ag_tracing() ? ag_trace_begin(w->track) : 0;
  bool range = ag_range(NULL, task, 1);
  run_and_count(w, task, args, timed);
  if (range)
    ag_range_end();
  if (begin)
    ag_trace_unit(w->track, task->state->observe, begin);
}

bool ag_at_once_alone(struct ag_worker *w, struct agglom_task *task, const void *args,
                      const struct agglom_range *ranges, long long priority) {
  unsigned index = task->state->index;
  bool may = ag_task_is_cpu_only(task)
                 ? ag_task_is_leaf(task) && !w->rt->n_accelerators && priority == 1 && is_first(w, priority)
                 : ag_for_cpus_alone(w, task);
  if (!may || !ag_is_alone(w->rt) || !(w->running ? is_over(w) : ag_worker_idle_now(w)) ||
      !are_right(task, ranges) || !((index < w->n_queues && w->queues[index]) || ag_queue_ready(w, task)))
    return false;
  run_here(w, task, args, false);
  return true;
}

/* Whether the units in w's FIFOs keep all other CPUs busy for longer than any unit of the task takes. Of many
 * FIFOs those are looked at that got their units last. Lock held. */
static bool enough_waits(const struct ag_worker *w, uint64_t longest_ns) {
  enum { LOOK_AT = 4 };
  uint64_t ns = 0, enough = ENOUGH_SHARES * AG_CPU_SHARE * AG_CPU_WORTH_NS * (uint64_t)w->rt->cpus;
  const struct ag_fifo *fifo = w->fifos.last;
  for (int i = 0; fifo && i < LOOK_AT; ++i, fifo = fifo->prev)
    ns += fifo->calls * ag_get(&fifo->head->queue->cpu_ns);
  return ns >= enough + AG_CPU_SHARE * w->rt->cpus * longest_ns;
}

/* Whether units that are very short do not go to a device either: to queue, stage and commit them takes
 * longer. It is for policies that may choose who runs a unit, by its time. */
static bool may_bypass_devices(const struct ag_worker *w, const struct agglom_task *task) {
  const struct ag_runtime *rt = w->rt;
  return ag_runtime_shares(rt, task) && rt->policy->common && rt->config.objective == AG_OBJECTIVE_TIME &&
         !w->team && !(task->flags & (AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_INDEPENDENT));
}

/* The queue of a task whose calls may run in place beside other threads; NULL: they may not, or there is
 * none. */
static struct ag_task_queue *queue_in_place(const struct ag_worker *w, const struct agglom_task *task,
                                            long long priority) {
  unsigned index = task->state->index;
  bool may = ag_task_is_cpu_only(task)
                 ? ag_task_is_leaf(task) && is_first(w, priority) &&
                       (!w->rt->n_accelerators || devices_do_not_mind(w, task))
                 : (ag_for_cpus_alone(w, task) || may_bypass_devices(w, task)) && !priority &&
                       !atomic_load_explicit(&w->rt->priorities_differ, memory_order_relaxed);
  return may && index < w->n_queues ? w->queues[index] : NULL;
}

/* Units that take up to twice as long may be shorter where all run on one CPU, as their data stay in its
 * caches: now and then, ever more seldom, they all run there from one wait to the next but one, or as many as
 * take little time. What they took then is what is known of them. */
static bool is_tried(const struct ag_worker *w, struct ag_task_queue *queue) {
  enum { STEPS = 2, FIRST = 4, GAP_MOST = 1024, CALLS_MOST = 16384 };
  struct ag_trial_here *t = &queue->here;
  if (!t->gap)
    *t = (struct ag_trial_here){.gap = FIRST, .at = w->waits + FIRST};
  if (w->waits < t->at)
    return false;
  if (w->waits < t->at + STEPS && ++t->calls <= CALLS_MOST)
    return true;
  t->gap = t->gap < GAP_MOST ? 2 * t->gap : GAP_MOST;
  t->at = w->waits + t->gap;
  t->calls = 0;
  return false;
}

/* What a unit's way through the queue takes at least. */
static uint64_t queued_ns(const struct ag_task_queue *queue) {
  return queue->queueing.ns > QUEUED_NS ? queue->queueing.ns : QUEUED_NS;
}

bool ag_at_once_times(struct ag_worker *w, const struct agglom_task *task, long long priority,
                      bool *doubted) {
  unsigned index = task->state->index;
  struct ag_task_queue *queue = index < w->n_queues ? w->queues[index] : NULL;
  *doubted = false;
  if (!queue || ++queue->queueing.calls % QUEUED_EVERY || !queue_in_place(w, task, priority))
    return false;
  *doubted = !(queue->queueing.calls % DOUBTED_EVERY) && queue->queueing.ns > QUEUED_NS &&
             ag_get(&queue->cpu_ns) > QUEUED_NS;
  return true;
}

void ag_at_once_queued(struct ag_worker *w, const struct agglom_task *task, uint64_t ns) {
  struct ag_queueing *q = &w->queues[task->state->index]->queueing;
  ns = ns < QUEUED_MOST_NS ? ns : QUEUED_MOST_NS;
  if (!q->ns)
    q->ns = ns;
  else if (ns < q->ns) /* the first ones touch fresh memory, which says little of the others */
    q->ns = (q->ns + ns) / 2;
  else
    q->ns += (ns - q->ns) / QUEUED_WEIGHT;
}

/* Whether units take less time than to queue them, and none has taken long of late. */
static bool is_brief(const struct ag_task_queue *queue) {
  uint64_t unit_ns = ag_get(&queue->cpu_ns), most_ns = queued_ns(queue);
  return unit_ns && unit_ns <= most_ns && ag_get(&queue->task->state->longest.ns) <= SHORT_TIMES * most_ns;
}

/* The same, or such units are tried. */
static bool is_very_short(const struct ag_worker *w, struct ag_task_queue *queue,
                          const struct agglom_task *task) {
  uint64_t unit_ns = ag_get(&queue->cpu_ns), longest_ns = ag_get(&task->state->longest.ns);
  uint64_t most_ns = 2 * queued_ns(queue);
  if (!unit_ns || unit_ns > most_ns || longest_ns > SHORT_TIMES * most_ns)
    return false;
  return is_brief(queue) || is_tried(w, queue);
}

bool ag_at_once_may(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                    const struct agglom_range *ranges, long long priority) {
  struct ag_task_queue *queue = queue_in_place(w, task, priority);
  if (!queue || !ag_get(&queue->cpu_ns))
    return false;
  uint64_t longest_ns = ag_get(&task->state->longest.ns);
  if (!is_very_short(w, queue, task) &&
      (w->rt->n_accelerators || longest_ns > LONGEST_NS ||
       atomic_load_explicit(&w->rt->resting, memory_order_relaxed) || !enough_waits(w, longest_ns)))
    return false;
  bool follows;
  return ag_call_is_free(d, task, ranges, NULL, &follows);
}

bool ag_at_once_idle(struct ag_worker *w, const struct agglom_task *task, const struct agglom_range *ranges,
                     long long priority) {
  if (!ag_worker_idle_now(w))
    return false;
  const struct ag_task_queue *queue = queue_in_place(w, task, priority);
  return queue && ag_get(&queue->cpu_ns) <= QUEUED_NS && is_brief(queue) && ag_unit_is_plain(task, ranges);
}

bool ag_at_once_is_short(const struct ag_worker *w, const struct agglom_task *task) {
  const struct ag_task_queue *queue = w->queues[task->state->index];
  return ag_get(&queue->cpu_ns) <= 2 * queued_ns(queue);
}

/* Of what is ready the first that the thread may run now: in a unit's body what this has submitted. */
static struct ag_unit *first_ready(const struct ag_worker *w, enum ag_urgency of) {
  return w->running ? ag_ready_first_of(w->current, of) : ag_ready_first(&w->ready, of);
}

/* As ag_at_once_drains(), for a leaf. */
static bool drains_ready(struct ag_worker *w, struct ag_unit **ready) {
  struct ag_unit *u = first_ready(w, AG_URGENT);
  if (!u)
    u = first_ready(w, AG_NOT_URGENT);
  if (!w->running && ag_get(&w->queued))
    return false;
  if (!u)
    return ag_get(&w->live);
  if (!ag_task_is_leaf(u->task) || !is_brief(u->queue))
    return false;
  ag_ready_take_unit(&w->ready, u);
  *ready = u;
  return true;
}

bool ag_at_once_drains(struct ag_worker *w, const struct agglom_task *task, long long priority,
                       struct ag_unit **ready) {
  struct ag_task_queue *queue = w->rt->n_accelerators ? NULL : queue_in_place(w, task, priority);
  *ready = NULL;
  if (!queue || !is_very_short(w, queue, task))
    return false;
  if (ag_task_is_cpu_only(task))
    return drains_ready(w, ready);
  enum { LOOK_AT = 8 };
  uint64_t free = 0, count = 0;
  unsigned looked = 0;
  for (const struct ag_fifo *fifo = w->fifos.first; fifo && looked < LOOK_AT; fifo = fifo->next, ++looked) {
    if (!is_brief(fifo->head->queue))
      return false;
    free += fifo->free;
    count += ag_get(&fifo->count);
  }
  return free && count == ag_get(&w->queued);
}

/* Whether the calls that have run in place since the clock ticked last took more time than short ones do:
 * then some that were not timed may have been long. */
static void see_whether_slow(struct ag_worker *w) {
  uint64_t tick = ag_clock_tick();
  if (tick == w->tick)
    return;
  w->slow += tick - w->tick > QUEUED_NS * (w->in_place - w->in_place_then);
  w->tick = tick;
  w->in_place_then = w->in_place;
}

/* Whether to time the next one: one in some; the next few if calls were slow of late. */
static bool is_timed(struct ag_worker *w, struct ag_task_queue *queue) {
  uint64_t ran = ag_get(&queue->at_once);
  if (ag_get(&queue->cpu_ns) >= WORTH_A_CLOCK_NS)
    return true;
  if (!(w->in_place % TICK_EVERY))
    see_whether_slow(w);
  if (queue->slow != w->slow) {
    queue->slow = w->slow;
    queue->closely = CLOSELY;
  }
  if (!queue->closely)
    return !(ran % CLOCK_EVERY);
  --queue->closely;
  return true;
}

/* Before the unit of the call writes: copies that devices have of that are stale then. */
static void forget_copies(struct ag_runtime *rt, struct agglom_task *task,
                          const struct agglom_range *ranges) {
  union ag_call call;
  struct ag_access *access = call.unit.access;
  _Atomic bool silent = true;
  bool known = task->n_sections <= AG_CALL_SECTIONS && !ag_unit_check(task, ranges, access, &silent);
  ag_call_begin(&call, task, NULL, 0, known ? access : NULL);
  ag_coherence_running(rt, &call.unit);
  if (known)
    ag_unit_release(task, access);
}

bool ag_at_once_run(struct ag_worker *w, struct agglom_task *task, const void *args,
                    const struct agglom_range *ranges) {
  struct ag_task_queue *queue = w->queues[task->state->index];
  if (ag_coherence_keeps(w->rt))
    forget_copies(w->rt, task, ranges);
  run_here(w, task, args, is_timed(w, queue));
  return w->rt->n_accelerators && !(ag_get(&queue->at_once) % LOOK_EVERY) &&
         (ag_get(&w->queued) || ag_runtime_busy(w->rt));
}
