/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dispatch/decide.h"

#include "dispatch/dispatch.h"
#include "fifo/queues.h"
#include "measure/measure.h"
#include "policy/launch/view.h"
#include "policy/model/numbers.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/relaxed.h"
#include "workers/load.h"

/* --- What waits ---------------------------------------------------------------------------------------- */

static bool for_devices_alone(const struct agglom_task *task) { return task->flags & AGGLOM_TASK_GPU; }

bool ag_decide_shares_out(const struct ag_runtime *rt, const struct agglom_task *task) {
  return (rt->config.split == AG_SPLIT_COUNT || rt->config.split == AG_SPLIT_ITEMS) &&
         !for_devices_alone(task);
}

bool ag_decide_is_common(const struct ag_runtime *rt, const struct agglom_task *task) {
  return rt->policy->common && !ag_decide_shares_out(rt, task);
}

/* Whether the queue's thread submits: it has since its last pause, and neither sleeps, runs such units
 * itself, nor has ended. */
static bool is_active(const struct ag_task_queue *q, const struct ag_fifo_facts *facts) {
  return facts->arrivals > atomic_load_explicit(&q->paused, memory_order_relaxed) &&
         !atomic_load_explicit(&q->worker->asleep, memory_order_relaxed) &&
         atomic_load_explicit(&q->worker->load.doing, memory_order_relaxed) != AG_DOES_SHARE &&
         !atomic_load_explicit(&q->worker->orphan, memory_order_relaxed);
}

static struct ag_waiting all_waiting(const struct ag_worker *w, const struct agglom_task *task) {
  struct ag_waiting all = {0};
  for (const struct ag_task_queue *q = ag_queues_of(task); q; q = q->next_of_task) {
    struct ag_fifo_facts facts = ag_queue_facts(q);
    facts.active = is_active(q, &facts);
    facts.own = q->worker == w;
    ag_waiting_add(&all, &facts);
  }
  ag_waiting_complete(&all);
  return all;
}

/* The waiting units that a decision is about when w asks about the queue: those of all threads, or of this
 * FIFO alone. */
static struct ag_waiting waiting_of(const struct ag_worker *w, const struct ag_task_queue *queue) {
  const struct ag_fifo *fifo = &queue->lane[AG_LANE_DEVICE];
  if (!ag_decide_is_common(queue->worker->rt, queue->task))
    return ag_waiting_of_one(&(struct ag_fifo_facts){.units = fifo->count,
                                                     .arrivals = fifo->policy.arrivals,
                                                     .cost = (double)fifo->cost,
                                                     .longest = ag_sizes_longest(&fifo->sizes)});
  struct ag_waiting all = all_waiting(w, queue->task);
  if (all.units < fifo->count) { /* the numbers of other FIFOs may be of other moments */
    all.units = fifo->count;
    all.cost = (double)fifo->cost;
  }
  return all;
}

/* --- Between CPUs and devices -------------------------------------------------------------------------- */

/* The costs of the waiting units, by classes. */
static struct ag_sizes sizes_of(const struct ag_task_queue *queue, const struct ag_waiting *waiting) {
  struct ag_sizes sizes = {0};
  uint64_t streamed = waiting->units;
  if (!ag_decide_is_common(queue->worker->rt, queue->task))
    return queue->lane[AG_LANE_DEVICE].sizes;
  for (const struct ag_task_queue *q = ag_queues_of(queue->task); q; q = q->next_of_task) {
    uint64_t units = ag_queue_facts(q).units;
    if (units)
      ag_sizes_join(&sizes, &q->lane[AG_LANE_DEVICE].sizes);
    streamed -= units < streamed ? units : streamed;
  }
  ag_sizes_add_alike(&sizes, streamed, waiting->cost / (double)waiting->units);
  return sizes;
}

static struct ag_asked *asked_of(const struct ag_task_queue *queue) {
  return &queue->task->state->measured->asked[ag_task_is_urgent(queue->task)];
}

/* The policy's state for the queue, with these arrivals noted. A state for all threads is locked until
 * end_state(). */
static struct ag_batch_state *begin_state(struct ag_task_queue *queue, const struct ag_waiting *waiting) {
  bool common = ag_decide_is_common(queue->worker->rt, queue->task);
  struct ag_measured *m = queue->task->state->measured;
  struct ag_batch_state *state = common ? &asked_of(queue)->batch : &queue->lane[AG_LANE_DEVICE].policy;
  if (common)
    ag_lock(&m->lock);
  if (!common || waiting->arrivals > state->arrivals)
    state->arrivals = waiting->arrivals;
  return state;
}

static void end_state(struct ag_task_queue *queue) {
  if (ag_decide_is_common(queue->worker->rt, queue->task))
    ag_unlock(&queue->task->state->measured->lock);
}

/* Shows the split when w's thread, which submits, pauses and so has time, unless it is known to do other
 * things. */
static void show_pause(const struct ag_worker *w, struct ag_task_queue *queue,
                       const struct ag_waiting *waiting, bool submits, struct ag_split_view *view) {
  uint64_t now = ag_clock_ns();
  struct ag_batch_state *state = begin_state(queue, waiting);
  double back = ag_batch_until_pause(state, now), waited = ag_batch_waited(state, now);
  end_state(queue);
  if (!submits || atomic_load_explicit(&w->load.doing, memory_order_relaxed) != AG_DOES_NOTHING)
    return;
  ag_split_submits(&view->load, back, waited);
}

/* What waits as AGGLOM_SPLIT=auto sees it; w: the thread that decides. */
static struct ag_split_view split_view(const struct ag_worker *w, struct ag_task_queue *queue,
                                       const struct ag_waiting *waiting, const struct ag_sizes *sizes,
                                       bool submits) {
  struct ag_runtime *rt = queue->worker->rt;
  struct ag_split_view view = ag_measure_split(rt, queue->task, waiting->units, waiting->cost);
  ag_load_queued(queue->worker, &queue->lane[AG_LANE_DEVICE], view.cpu_ns);
  view.sizes = sizes;
  view.load = ag_load_show(rt, waiting->cost * view.cpu_ns, submits ? NULL : w);
  show_pause(w, queue, waiting, submits, &view);
  return view;
}

/* Number of units at the front of the FIFO that w takes, as it has done them before a device would have. A
 * thread that does not own the FIFO leaves units that are not worth moving to the owner (*to_owner), unless
 * that has gone away. */
static uint64_t cpu_part(const struct ag_worker *w, struct ag_task_queue *queue,
                         const struct ag_cpu_part *part, bool *to_owner) {
  struct ag_fifo *fifo = &queue->lane[AG_LANE_DEVICE];
  struct ag_front front = {.items = part->items};
  bool other = w != queue->worker && !ag_queue_away(&fifo->away, fifo->policy.arrivals);
  /* Not even the AG_CPU_MOST largest units are worth moving: no need to look at each. */
  *to_owner = other && part->items > 0 &&
              !ag_split_worth(part->cpu_ns, ag_sizes_of_largest(&fifo->sizes, AG_CPU_MOST));
  if (*to_owner)
    return 0;
  for (const struct ag_unit *u = fifo->head; u && ag_front_takes(&front, (double)u->cost); u = u->next)
    ;
  *to_owner = other && front.n && !ag_split_worth(part->cpu_ns, front.cost);
  return *to_owner ? 0 : front.n;
}

/* --- Asking -------------------------------------------------------------------------------------------- */

/* Whether the decision of a moment ago, to launch nothing, still holds for all threads that have time. *part:
 * what a CPU was to take then. */
static bool is_decided(const struct ag_task_queue *queue, enum ag_batch_event event,
                       struct ag_cpu_part *part) {
  const struct ag_runtime *rt = queue->worker->rt;
  struct ag_measured *m = queue->task->state->measured;
  if (!ag_decide_is_common(rt, queue->task))
    return false;
  uint64_t now = ag_clock_ns();
  ag_lock(&m->lock);
  bool decided = ag_batch_asked(rt->policy, &asked_of(queue)->batch, event, now);
  *part = asked_of(queue)->part;
  ag_unlock(&m->lock);
  return decided;
}

static struct ag_batch_decision ask(struct ag_task_queue *queue, const struct ag_waiting *waiting,
                                    const struct ag_cpu_part *part, const struct ag_batch_view *view) {
  struct ag_runtime *rt = queue->worker->rt;
  struct ag_batch_state *state = begin_state(queue, waiting);
  if (rt->policy->timed)
    ag_batch_tick(state, waiting->units, view->now_ns);
  struct ag_batch_decision d = ag_batch_ask(rt->policy, &rt->config.batch, state, view);
  if (part && ag_decide_is_common(rt, queue->task))
    asked_of(queue)->part = *part;
  end_state(queue);
  return d;
}

struct ag_decided ag_decide(const struct ag_worker *w, struct ag_task_queue *queue,
                            enum ag_batch_event event) {
  struct ag_runtime *rt = queue->worker->rt;
  struct ag_fifo *fifo = &queue->lane[AG_LANE_DEVICE];
  enum ag_batch_event told = ag_batch_event(&fifo->policy, event);
  bool submits = event == AG_ON_SUBMIT, busy = ag_batch_is_busy(event), to_owner = ag_batch_is_busy(told),
       full = ag_dispatch_full(queue->worker, fifo);
  struct ag_cpu_part part = {0};
  struct ag_decided d = ag_launch_undecided();
  if (!full && is_decided(queue, told, &part)) {
    d.mine = busy ? 0 : cpu_part(w, queue, &part, &to_owner);
    return d;
  }
  struct ag_waiting waiting = waiting_of(w, queue);
  struct ag_batch_view view = {.event = told,
                               .full = full,
                               .most = queue->task->max_units,
                               .slot_bytes = (double)rt->caps.bytes,
                               .filled = ag_dispatch_filled(queue->worker, fifo)};
  ag_launch_show_waiting(&view, &waiting, fifo->count);
  if (rt->policy->timed)
    ag_measure_show(rt, queue->task, &view);
  bool counted = w->announced || atomic_load_explicit(&w->load.doing, memory_order_relaxed) == AG_DOES_LOOK;
  view.lookers -= view.lookers && counted; /* that is w itself */
  bool open = ag_runtime_shares(rt, queue->task) && !ag_batch_for_others(rt->policy, &view), due = true;
  if (ag_launch_asks_first(open, busy, &fifo->ask)) {
    d.batch = ask(queue, &waiting, NULL, &view);
    due = d.batch.units > 0;
  }
  if (open && due) {
    struct ag_sizes sizes = sizes_of(queue, &waiting);
    struct ag_split_view split = split_view(w, queue, &waiting, &sizes, submits);
    part = ag_launch_part(&split, busy);
    d.mine = busy ? 0 : cpu_part(w, queue, &part, &to_owner);
    ag_launch_leave(&d, &view, &split, &fifo->sizes, fifo->count, d.mine || to_owner);
  }
  if (due)
    d.batch = ask(queue, &waiting, busy ? NULL : &part, &view);
  ag_launch_conclude(&d, &view, waiting.units);
  return d;
}

/* --- Steps that are whole ------------------------------------------------------------------------------- */

/* Sets when to look again whether the step is whole. */
static void look_at(struct ag_task_queue *queue, uint64_t ns) {
  atomic_store_explicit(&asked_of(queue)->whole_ns, ns, memory_order_relaxed);
}

/* Whether all units of the step have come, and some wait. One thread looks for all. The next look is
 * AG_ASK_NS later, at the time that this thread finds, or after a launch. */
static bool is_whole(struct ag_task_queue *queue, uint64_t now) {
  struct ag_measured *m = queue->task->state->measured;
  struct ag_asked *asked = asked_of(queue);
  uint64_t at = atomic_load_explicit(&asked->whole_ns, memory_order_relaxed);
  if (now < at || !atomic_compare_exchange_strong(&asked->whole_ns, &at, now + (uint64_t)AG_ASK_NS))
    return false;
  struct ag_waiting waiting = ag_task_waiting(queue->task);
  ag_lock(&m->lock);
  double until = ag_batch_until_whole(&asked->batch, waiting.arrivals);
  ag_unlock(&m->lock);
  if (until > 0)
    look_at(queue, now + (uint64_t)until);
  return until <= 0 && waiting.units;
}

/* Queue q of w if its task's policy decides for all threads together; else NULL. */
static struct ag_task_queue *common_queue(const struct ag_worker *w, unsigned q) {
  struct ag_task_queue *queue = w->queues[q];
  return queue && queue->task && ag_decide_is_common(w->rt, queue->task) ? queue : NULL;
}

bool ag_decide_any_whole(struct ag_worker *w) {
  uint64_t now = ag_clock_ns();
  bool whole = false;
  for (unsigned q = 0; q < w->n_queues && !whole; ++q)
    whole = common_queue(w, q) && is_whole(w->queues[q], now);
  return whole;
}

void ag_decide_look_again(struct ag_task_queue *queue) { look_at(queue, 0); }

/* --- After a launch, and pauses ------------------------------------------------------------------------- */

/* A thread that has submitted nothing since the launch before this one is busy with other things, unless it
 * launches, too. */
static void look_who_submits(const struct agglom_task *task) {
  for (struct ag_task_queue *q = ag_queues_of(task); q; q = q->next_of_task) {
    if (atomic_load_explicit(&q->worker->load.doing, memory_order_relaxed) == AG_DOES_LAUNCH)
      continue;
    uint64_t now = ag_queue_facts(q).arrivals;
    if (atomic_exchange_explicit(&q->launched, now, memory_order_relaxed) == now)
      atomic_store_explicit(&q->paused, now, memory_order_relaxed);
  }
}

void ag_decide_launched(struct ag_task_queue *queue) {
  if (ag_decide_is_common(queue->worker->rt, queue->task))
    look_who_submits(queue->task);
  ag_decide_gone(queue);
}

void ag_decide_gone(struct ag_task_queue *queue) {
  struct ag_measured *m = queue->task->state->measured;
  struct ag_fifo *fifo = &queue->lane[AG_LANE_DEVICE];
  if (!ag_decide_is_common(queue->worker->rt, queue->task)) {
    ag_batch_gone(&fifo->policy, fifo->count);
    return;
  }
  struct ag_waiting waiting = ag_task_waiting(queue->task);
  ag_lock(&m->lock);
  ag_batch_gone(&asked_of(queue)->batch, waiting.units);
  ag_unlock(&m->lock);
}

static void pauses(const struct ag_worker *w, struct ag_task_queue *queue) {
  uint64_t arrivals = ag_queue_facts(queue).arrivals;
  struct ag_measured *m = queue->task->state->measured;
  struct ag_fifo *fifo = &queue->lane[AG_LANE_DEVICE];
  /* The number of waiting units to ask again at was set when CPUs were to do all of them, and says nothing of
   * what comes after the pause. */
  if (fifo->ask.from != UINT64_MAX && fifo->ask.from > AG_ASK_AGAIN)
    fifo->ask.from = AG_ASK_AGAIN;
  if (!ag_decide_is_common(w->rt, queue->task)) {
    ag_batch_pause(&fifo->policy);
    return;
  }
  if (arrivals == atomic_load_explicit(&queue->paused, memory_order_relaxed))
    return;
  atomic_store_explicit(&queue->paused, arrivals, memory_order_relaxed);
  struct ag_waiting waiting = all_waiting(w, queue->task);
  if (waiting.active)
    return;
  ag_lock(&m->lock);
  struct ag_batch_state *state = &asked_of(queue)->batch;
  if (waiting.arrivals > state->arrivals)
    state->arrivals = waiting.arrivals;
  ag_batch_pause(state);
  ag_unlock(&m->lock);
}

void ag_decide_pauses(struct ag_worker *w) {
  for (unsigned q = 0; q < w->n_queues; ++q) {
    struct ag_task_queue *queue = w->queues[q];
    if (queue && queue->task && !(queue->task->flags & AGGLOM_TASK_CPU_ONLY))
      pauses(w, queue);
  }
}
