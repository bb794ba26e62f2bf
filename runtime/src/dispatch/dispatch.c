/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which FIFO goes next, where, and how much of it. */
#include "dispatch/dispatch.h"
#include "commit/commit.h"
#include "dispatch/decide.h"
#include "dispatch/join.h"
#include "fifo/queues.h"
#include "launch/launch.h"
#include "measure/measure.h"
#include "measure/meter.h"
#include "observe/ranges.h"
#include "observe/trace.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/relaxed.h"
#include "workers/load.h"
#include "workers/make.h"
#include "workers/streams.h"
#include "workers/wake.h"

#include <errno.h>

bool ag_dispatch_full(const struct ag_worker *w, const struct ag_fifo *fifo) {
  unsigned most = fifo->head ? fifo->head->task->max_units : 0;
  return (most && fifo->count >= most) || ag_dispatch_filled(w, fifo) >= 1;
}

double ag_dispatch_filled(const struct ag_worker *w, const struct ag_fifo *fifo) {
  const struct ag_caps *caps = &w->rt->caps;
  double bytes = (double)ag_batch_overhead(fifo->count, 0, caps) + (double)ag_footprint_bytes(&fifo->memory);
  return bytes / (double)caps->bytes;
}

/* A FIFO that may go now, where, and how much of it. */
struct choice {
  struct ag_fifo *fifo;
  struct ag_slot *slot; /* NULL: the CPU */
  uint64_t free;        /* that takes at most so many units that follow no other; 0: any number */
  struct ag_batch_decision decision;
  struct ag_decided asked; /* for a device */
};

static bool sooner(const struct ag_fifo *a, const struct ag_fifo *b) {
  int order = ag_turn_compare((struct ag_standing){a->head->priority, ag_fifo_passed(a)},
                              (struct ag_standing){b->head->priority, ag_fifo_passed(b)});
  return order > 0;
}

/* What a CPU takes of the FIFO: a share of what `of` has, so that other CPUs find some too. Without `own`,
 * nothing if that is not worth the thread's while, unless the thread that submits has gone away, or sleeps:
 * others may have released units since. */
static struct ag_cpu_share cpu_share(const struct ag_worker *w, const struct ag_worker *of, bool own,
                                     struct ag_fifo *fifo) {
  const struct ag_task_queue *queue = fifo->head->queue;
  uint64_t waiting = ag_get(&of->queued), count = fifo->count;
  uint64_t all = ag_cpu_share(waiting, waiting, w->rt->cpus, 0).units;
  if (!own && !ag_queue_worth(queue, ag_fifo_calls(fifo, all < count ? all : count), 1) &&
      !atomic_load_explicit(&of->asleep, memory_order_relaxed) &&
      !ag_queue_away(&fifo->away, fifo->policy.arrivals))
    return (struct ag_cpu_share){0, 0};
  /* Units differ: it is the shortest of late that is known here, and the longest of all workers. */
  uint64_t least = ag_get(&queue->cpu_ns), longest = ag_get(&queue->task->state->longest.ns);
  uint64_t call_ns = least ? (least + longest) / 2 : longest;
  return ag_cpu_share(waiting, fifo->free < count ? fifo->free : waiting, w->rt->cpus,
                      call_ns * fifo->calls / count);
}

/* What a CPU is handed of the FIFO, by the thread that submits. */
static struct ag_cpu_share dealt_share(const struct ag_worker *w, const struct ag_fifo *fifo) {
  const struct ag_task_queue *queue = fifo->head->queue;
  uint64_t count = fifo->count;
  if (!ag_queue_worth(queue, fifo->calls, 1))
    return (struct ag_cpu_share){0, 0};
  return ag_cpu_dealt(count, fifo->free, w->rt->cpus, ag_get(&queue->cpu_ns) * fifo->calls / count);
}

/* --- Between CPUs and devices -------------------------------------------------------------------------- */

/* Whether u may go over to the lane for CPUs: it follows only units that wait there. */
static bool may_go_over(const struct ag_unit *u) {
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred)
    if (e->pred->queue != u->queue || e->pred->lane != AG_LANE_CPU || e->pred->state != AG_UNIT_QUEUED)
      return false;
  return true;
}

/* Moves those of the first n units that CPUs are to take to the lane for CPUs. Returns how many. Units that
 * were left to devices before are not shared out again, nor units that follow them. */
static uint64_t share_out(struct ag_runtime *rt, struct ag_fifo *fifo, uint64_t n) {
  struct ag_unit *first = fifo->head;
  uint64_t kept = fifo->kept_for_devices < n ? fifo->kept_for_devices : n, moved = 0;
  double cost = 0, items = 0;
  for (uint64_t i = 0; i < kept; ++i)
    first = first->next;
  struct ag_unit *u = first;
  for (uint64_t i = kept; i < n; ++i, u = u->next)
    items += (double)u->cost;
  struct ag_split_view view = ag_measure_split(rt, fifo->head->task, n - kept, items);
  struct ag_measured *m = fifo->head->task->state->measured;
  ag_lock(&m->lock);
  struct ag_split_share share = ag_split_front(rt->config.split, &m->split, &view);
  ag_unlock(&m->lock);
  struct ag_unit *next = first;
  for (uint64_t i = kept; i < n; ++i) {
    u = next;
    next = u->next;
    if (!may_go_over(u))
      continue;
    if (!ag_split_share_takes(&share, moved, cost, (double)u->cost))
      break;
    cost += (double)u->cost;
    ag_fifo_remove(fifo, u);
    u->lane = AG_LANE_CPU;
    ag_fifo_push(&u->queue->lane[AG_LANE_CPU], u);
    ++moved;
  }
  if (fifo->kept_for_devices < n - moved) /* else even more units were left to devices before */
    fifo->kept_for_devices = n - moved;
  return moved;
}

/* Whether w's thread waits for units in this FIFO of `of`. A wait for certain units is for one FIFO,
 * w->urgent. A wait in a unit's body is not for units that others left in w's own FIFOs before. */
static bool is_awaited(const struct ag_worker *w, const struct ag_worker *of, const struct ag_fifo *fifo) {
  if (of == w)
    return w->urgent ? fifo == w->urgent : fifo->head->domain == w->current;
  if (of != w->awaits || atomic_load(&of->orphan))
    return true;
  if (w->urgent)
    return fifo == w->urgent;
  if (!w->awaits_to || fifo->head->seq <= w->awaits_to)
    return true;
  /* Later units may stand at the front, as FIFOs are sorted by cost or address: it counts whether the oldest
   * one is here. */
  const struct ag_unit *oldest = of->root.oldest;
  return oldest && oldest->state == AG_UNIT_QUEUED && &oldest->queue->lane[oldest->lane] == fifo;
}

/* Of n units that a CPU may take those that are short together, where the thread waits for something else. */
static uint64_t brief(const struct ag_worker *w, const struct ag_fifo *fifo, bool own, uint64_t n) {
  if (!w->choosy || own)
    return n;
  uint64_t ns = atomic_load_explicit(&fifo->head->task->state->longest.ns, memory_order_relaxed);
  uint64_t most = ns ? AG_BRIEF_NS / ns : 0;
  return n < most ? n : most;
}

/* A look at the FIFOs of `of` for the thread of w; cpu_side: for what runs on the CPU anyway. dealt: by the
 * thread of `of`, on behalf of the other one. */
struct look {
  struct ag_worker *w, *of;
  enum ag_batch_event event;
  bool cpu_side, dealt;
};

/* Whether the fifo may go, and if so how. Takes a slot for it. */
static bool consider(const struct look *look, struct ag_fifo *fifo, struct choice *choice) {
  struct ag_worker *w = look->w, *of = look->of;
  struct ag_runtime *rt = w->rt;
  enum ag_batch_event event = look->event;
  *choice = (struct choice){.fifo = fifo};
  bool awaited = is_awaited(w, of, fifo), own = of == w || (of == w->awaits && awaited);
  if (event == AG_ON_WAIT && !awaited)
    event = AG_ON_NO_HIGH;
  bool cpu_side = look->cpu_side || (of == w->awaits && !own);
  if (!ag_runtime_on_device(rt, fifo->head->task, fifo->head->lane)) {
    if (ag_batch_is_busy(event))
      return false;
    struct ag_cpu_share share = look->dealt ? dealt_share(w, fifo) : cpu_share(w, of, own, fifo);
    choice->free = share.free;
    choice->decision.units = brief(w, fifo, own, share.units);
    choice->decision.reason = event == AG_ON_WAIT    ? AG_REASON_FLUSH
                              : event == AG_ON_BURST ? AG_REASON_AGE
                                                     : AG_REASON_NO_HIGH_PRIORITY;
    return choice->decision.units > 0;
  }
  if (cpu_side && !rt->policy->timed && rt->config.split != AG_SPLIT_AUTO)
    return false;
  if (cpu_side && event != AG_ON_BURST)
    event = AG_ON_LOOK;
  if (event == AG_ON_BURST && own)
    ag_batch_look(&fifo->policy);
  choice->asked = ag_decide(w, fifo->head->queue, event);
  choice->decision = choice->asked.batch;
  if (choice->decision.units)
    choice->slot = ag_launch_slot(rt, fifo->head->task);
  if (choice->slot)
    return true;
  /* The device has enough to do. */
  choice->decision = (struct ag_batch_decision){.units = brief(w, fifo, own, choice->asked.mine),
                                                .reason = AG_REASON_NO_HIGH_PRIORITY};
  return choice->decision.units > 0;
}

/* The chosen FIFO goes first; policies that hold units of others back are told. */
static void pass_over_others(struct ag_worker *of, struct ag_fifo *chosen, uint64_t units) {
  for (struct ag_fifo *fifo = of->rt->n_accelerators ? of->fifos.first : NULL; fifo; fifo = fifo->next)
    if (fifo != chosen)
      ag_batch_look(&fifo->policy);
  ag_fifo_goes(chosen, units);
}

/* The FIFO of `of` that goes first among those that have not been tried in this round; NULL: none is left.
 * Where no priorities are given that is the one that has not gone for the longest time. */
static struct ag_fifo *next_to_try(struct ag_worker *of, uint64_t round) {
  struct ag_fifo *next = NULL;
  for (struct ag_fifo *fifo = of->fifos.first; fifo && (of->fifos.differ || !next); fifo = fifo->next)
    if (!fifo->stalled && fifo->tried != round && (!next || sooner(fifo, next)))
      next = fifo;
  return next;
}

/* The FIFO that goes first among those that may go. They are asked in this order, so that none behind it
 * takes the last slot. */
static bool choose(const struct look *look, struct choice *best) {
  struct ag_worker *of = look->of;
  uint64_t round = ++of->rounds;
  for (struct ag_fifo *fifo; (fifo = next_to_try(of, round)); fifo->tried = round)
    if (consider(look, fifo, best)) {
      pass_over_others(of, best->fifo, best->decision.units);
      return true;
    }
  return false;
}

/* Forms the chosen batch: 0; -EAGAIN when no unit can be taken, so that another FIFO may be chosen; -ENOMEM.
 * Lock of `of` held. */
static int form(struct ag_worker *w, struct ag_worker *of, const struct choice *choice,
                struct ag_batch *batch) {
  struct ag_runtime *rt = w->rt;
  struct ag_fifo *fifo = choice->fifo;
  struct ag_caps caps = rt->caps;
  caps.units = choice->decision.units;
  caps.free = choice->free;
  if (choice->slot)
    fifo->kept_for_cpus = choice->asked.for_cpus;
  if (choice->slot && ag_decide_shares_out(rt, fifo->head->task)) {
    caps.units -= share_out(rt, fifo, caps.units);
  } else if (choice->slot) {
    caps.skip = fifo->kept_for_cpus;
    if (rt->policy->grows)
      caps.units = choice->decision.most ? choice->decision.most : UINT64_MAX;
  }
  if (choice->slot && !caps.units) { /* CPUs have got all */
    ag_slot_release(&rt->accelerators[choice->slot->where], choice->slot, false);
    return -EAGAIN;
  }
  uint64_t stamp = atomic_fetch_add(&rt->stamps, 1) + 1;
  struct ag_accelerator *acc = choice->slot ? &rt->accelerators[choice->slot->where] : NULL;
  int err = acc ? ag_slot_form(acc, choice->slot, fifo, &caps, stamp)
                : ag_agglomerate_for_cpu(batch, fifo, &caps, stamp);
  if (err == -EAGAIN && caps.skip) { /* all other units follow those that were to be left to CPUs */
    caps.skip = fifo->kept_for_cpus = 0;
    err = ag_slot_form(acc, choice->slot, fifo, &caps, stamp);
  }
  if (err) {
    fifo->stalled = err == -EAGAIN;
    of->fifos.stalled |= fifo->stalled;
    if (acc)
      ag_slot_release(acc, choice->slot, false);
    return err;
  }
  ag_join_gone(batch->units[0]->queue, fifo, batch->n_units, choice->slot);
  if (choice->slot) { /* `ask` was computed for the device that has this batch now */
    fifo->ask = (struct ag_batch_again){0};
    ag_decide_look_again(batch->units[0]->queue);
  }
  if (choice->slot && !choice->asked.rest)
    ag_decide_launched(batch->units[0]->queue);
  batch->formed_seq = of->seq;
  batch->asked = choice->asked;
  batch->record = (struct ag_batch_record){.reason = choice->decision.reason};
  return 0;
}

/* Forms the chosen batch where it goes. Without memory for a device's, and no batch on a device at the end of
 * which there may be some, one unit runs on the CPU, which needs none. As form(); *batch: the batch. */
static int form_where(struct ag_worker *w, struct ag_worker *of, struct choice *choice,
                      struct ag_batch **batch) {
  *batch = choice->slot ? &choice->slot->batch : &w->cpu_batch;
  int err = form(w, of, choice, *batch);
  if (err != -ENOMEM || !choice->slot || ag_runtime_busy(w->rt))
    return err;
  choice->slot = NULL;
  choice->decision.units = 1;
  *batch = &w->cpu_batch;
  return form(w, of, choice, *batch);
}

/* Notes when and by whom the batch was formed, and has the energy meters read. */
static void begin(struct ag_worker *w, struct ag_batch *batch) {
  batch->record.begin_ns = batch->formed_ns = ag_clock_ns();
  batch->record.begun_on = w->track;
  ag_energy_tick(batch->formed_ns);
  ag_meter_tick(w->rt);
  batch->record.queued = ag_tracing() ? ag_worker_queued(w->rt) : 0;
}

/* Chooses and forms a batch; NULL: there is none. Lock of look->of held. */
static struct ag_batch *prepare(const struct look *look, struct choice *choice) {
  struct ag_batch *batch = NULL;
  while (choose(look, choice)) {
    int err = form_where(look->w, look->of, choice, &batch);
    if (!err)
      return batch;
    if (err == -ENOMEM)
      break; /* later */
  }
  return NULL;
}

void ag_dispatch_launch(struct ag_worker *w, struct ag_slot *slot) {
  bool broken;
  begin(w, &slot->batch);
  bool range = ag_range("stage", slot->batch.task, slot->batch.n_units);
  int err = ag_launch(w->rt, slot, ag_join_late, &broken);
  if (range)
    ag_range_end();
  if (err)
    ag_commit_failed(w, slot, err, broken);
  else
    ag_wake_one(w->rt); /* this thread may have better things to do than to look after the device */
}

/* The batch has been formed in the slot: others join it, and it is launched. No lock held. */
static void launch(struct ag_worker *w, struct ag_slot *slot) {
  struct ag_runtime *rt = w->rt;
  const struct ag_decided *asked = &slot->batch.asked;
  struct ag_load_before before = ag_load_begin(w, AG_DOES_LAUNCH, 0);
  if (asked->rest)
    ag_wake_one(rt); /* others may stage the rest meanwhile */
  ag_join_others(&slot->batch, asked);
  ag_batch_lay_out(&slot->batch, &rt->caps);
  if (ag_measure_devices(rt))
    ag_measure_expect(&rt->accelerators[slot->where], slot, false);
  ag_dispatch_launch(w, slot);
  ag_load_end(w, before);
}

/* Runs on the CPU a batch that a device could have had. */
static void share(struct ag_worker *w, struct ag_batch *batch) {
  uint64_t ns = ag_clock_believed(batch->cost * ag_task_model_lock(batch->task)->cpu_ns);
  ag_task_model_unlock(batch->task);
  struct ag_load_before before = ag_load_begin(w, AG_DOES_SHARE, ns);
  ag_commit_on_cpu(w, batch);
  ag_load_end(w, before);
}

static void run(struct ag_worker *w) {
  begin(w, &w->cpu_batch);
  if (ag_runtime_shares(w->rt, w->cpu_batch.task))
    share(w, &w->cpu_batch);
  else
    ag_commit_on_cpu(w, &w->cpu_batch);
}

/* Whether the time of the queue's units on CPUs is known, or no policy asks for it. */
static bool is_known(const struct ag_runtime *rt, struct ag_task_queue *queue) {
  bool open = queue->task && ag_runtime_shares(rt, queue->task);
  if (open && !queue->known) {
    queue->known = ag_task_model_lock(queue->task)->cpu_ns > 0;
    ag_task_model_unlock(queue->task);
  }
  return queue->known || !open;
}

/* Forms a batch of one unit, if no other thread tries one. One that costs nothing would not tell what an item
 * takes. Lock held. */
static bool form_one(struct ag_worker *w, struct ag_task_queue *queue, bool submits) {
  struct ag_measured *m = queue->task->state->measured;
  struct choice choice = {.fifo = &queue->lane[AG_LANE_DEVICE],
                          .decision = {.units = 1, .reason = AG_REASON_NO_HIGH_PRIORITY}};
  if (!choice.fifo->count || choice.fifo->stalled || !choice.fifo->head->cost)
    return false;
  ag_lock(&m->lock);
  bool may = !m->tries && (!submits || m->model.alike.known);
  m->tries |= may;
  ag_unlock(&m->lock);
  if (!may)
    return false;
  if (!form(w, w, &choice, &w->cpu_batch))
    return true;
  ag_lock(&m->lock);
  m->tries = false;
  ag_unlock(&m->lock);
  return false;
}

bool ag_dispatch_trial(struct ag_worker *w, bool submits) {
  bool formed = false;
  unsigned known = 0;
  if (w->n_known == w->n_queues || !ag_load_wanted(w->rt) || !atomic_load(&w->queued))
    return false;
  ag_lock(&w->lock);
  for (unsigned q = 0; q < w->n_queues && !formed; ++q) {
    if (!w->queues[q] || is_known(w->rt, w->queues[q]))
      ++known;
    else
      formed = form_one(w, w->queues[q], submits);
  }
  w->n_known = known;
  ag_unlock(&w->lock);
  if (formed)
    run(w);
  return formed;
}

/* Whether others should come for what a CPU batch has left: with AGGLOM_SPLIT=auto each takes as much as is
 * worth its while, else a share. */
static bool is_left(const struct ag_runtime *rt, const struct ag_task_queue *queue,
                    const struct ag_fifo *fifo) {
  bool open = queue->task && ag_runtime_shares(rt, queue->task) && fifo == &queue->lane[AG_LANE_DEVICE];
  return ag_queue_worth(queue, fifo->calls, open ? 1 : AG_CPU_SHARE * rt->cpus);
}

void ag_dispatch_pauses(struct ag_worker *w) {
  uint64_t arrivals = atomic_load_explicit(&w->arrivals, memory_order_relaxed) +
                      atomic_load_explicit(&w->streamed, memory_order_relaxed);
  if (arrivals == w->paused || !w->rt->policy->timed || !ag_runtime_uses_devices(w->rt))
    return;
  w->paused = arrivals;
  ag_lock(&w->lock);
  ag_decide_pauses(w);
  ag_unlock(&w->lock);
}

/* Whether w looks at the FIFOs of `of` only where no other thread like it does: what they would all find is
 * found by one of them. Not where w is about to sleep: it has to have seen what there is. */
static bool looks_alone(const struct ag_worker *w, const struct ag_worker *of) {
  return of != w && of != w->awaits && !w->announced;
}

/* Whether w's thread is handed units by those who submit, when it has nothing to do: see ag_idle(). */
static bool is_handed(const struct ag_worker *w) { return w->pool && !w->running && w->rt->linger_ns; }

bool ag_dispatch_one(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event, bool cpu_side) {
  struct look look = {w, of, event, cpu_side, false};
  struct choice choice = {0};
  if (of == w && (event == AG_ON_WAIT || event == AG_ON_NOTHING))
    ag_dispatch_pauses(w);
  if (of != w)
    ag_commit_ended_of_other(w, of);
  if (!atomic_load(&of->queued) && !(ag_runtime_uses_devices(w->rt) && ag_stream_waiting(of)))
    return false;
  bool one = looks_alone(w, of);
  if (one && event == AG_ON_NO_HIGH && is_handed(w) && !ag_worker_is_away(&of->dealing, &of->deals))
    return false; /* it will hand w what is worth it */
  if (one && (atomic_load_explicit(&of->looked_at, memory_order_relaxed) ||
              atomic_exchange_explicit(&of->looked_at, true, memory_order_acquire)))
    return false;
  ag_lock(&of->lock);
  ag_make_from_streams(of, !cpu_side);
  struct ag_batch *batch = prepare(&look, &choice);
  bool left = batch && !choice.slot && is_left(w->rt, batch->units[0]->queue, choice.fifo);
  ag_unlock(&of->lock);
  if (one)
    atomic_store_explicit(&of->looked_at, false, memory_order_release);
  if (!batch)
    return false;
  if (choice.slot) {
    launch(w, choice.slot);
    return true;
  }
  if (left)
    ag_wake_for(w->rt); /* others may take their share meanwhile */
  run(w);
  return true;
}

bool ag_dispatch_deal(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event) {
  struct look look = {w, of, event, event != AG_ON_SUBMIT, true};
  struct choice choice = {0};
  if (!prepare(&look, &choice))
    return false;
  w->launches = choice.slot;
  return true;
}

void ag_dispatch_dealt(struct ag_worker *w) {
  struct ag_slot *slot = w->launches;
  w->launches = NULL;
  if (slot)
    launch(w, slot);
  else
    run(w);
}
