/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which FIFO goes next, where, and how much of it. */
#include "commit.h"
#include "observe/ranges.h"
#include "observe/trace.h"
#include "runtime.h"
#include "sys/clock.h"

#include <errno.h>

enum {
  CPU_MOST = 1024,    /* units of a CPU batch */
  CPU_AWAY_NS = 50000 /* who has submitted nothing for so long is busy with other things */
};

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

static bool sooner(const struct ag_fifo *a, const struct ag_fifo *b) {
  int order = ag_turn_compare((struct ag_standing){a->head->priority, a->passed},
                              (struct ag_standing){b->head->priority, b->passed});
  return order ? order > 0 : a->head->seq < b->head->seq;
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
  if (event == AG_ON_BURST)
    ag_batch_look(&fifo->policy);
  struct ag_batch_view view = ag_worker_view(of, fifo, ag_batch_event(&fifo->policy, event));
  choice->decision = rt->policy->decide(&rt->config.batch, &fifo->policy, &view);
  if (choice->decision.units)
    choice->slot = ag_launch_slot(rt, fifo->head->task);
  return choice->slot != NULL;
}

/* This one goes, the others were passed over. */
static void pass_over_others(struct ag_worker *of, struct ag_fifo *chosen) {
  for (unsigned q = 0; q < of->n_queues; ++q)
    for (unsigned lane = 0; of->queues[q] && lane < AG_N_LANES; ++lane) {
      struct ag_fifo *fifo = &of->queues[q]->lane[lane];
      if (fifo == chosen || !fifo->count)
        continue;
      ++fifo->passed;
      ag_batch_look(&fifo->policy);
    }
  chosen->passed = 0;
}

/* The FIFO of `of` that goes first among those that may go. */
static bool choose(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event, bool cpu_side,
                   struct choice *best) {
  bool found = false;
  for (unsigned q = 0; q < of->n_queues; ++q)
    for (unsigned lane = 0; of->queues[q] && lane < AG_N_LANES; ++lane) {
      struct ag_fifo *fifo = &of->queues[q]->lane[lane];
      struct choice other;
      if (!fifo->count || fifo->stalled || (found && !sooner(fifo, best->fifo)) ||
          !consider(w, of, fifo, (enum ag_lane)lane, event, cpu_side, &other))
        continue;
      if (found && best->slot)
        ag_slot_release(&w->rt->accelerators[best->slot->where], best->slot, false);
      *best = other;
      found = true;
    }
  if (found)
    pass_over_others(of, best->fifo);
  return found;
}

/* Forms the batch that was chosen; false when there was none to form. Lock of `of` held. */
static bool form(struct ag_worker *w, struct ag_worker *of, const struct choice *choice,
                 struct ag_batch *batch) {
  struct ag_runtime *rt = w->rt;
  struct ag_fifo *fifo = choice->fifo;
  struct ag_caps caps = rt->caps;
  caps.units = choice->slot && rt->policy->grows ? UINT64_MAX : choice->decision.units;
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
  batch->formed_seq = of->seq;
  batch->record = (struct ag_batch_record){.reason = choice->decision.reason};
  return true;
}

bool ag_worker_grow(struct ag_batch *batch) {
  struct ag_worker *w = batch->worker;
  const struct ag_unit *first = batch->units[0];
  struct ag_fifo *fifo = &first->queue->lane[first->lane];
  unsigned joined = 0;
  if (!w->rt->policy->grows)
    return false;
  pthread_mutex_lock(&w->lock);
  ag_worker_move_streams(w, true);
  /* Staging again costs what it has cost so far: only for as many again. */
  if (fifo->count + (w->seq - batch->formed_seq) >= batch->n_units) {
    uint64_t before = fifo->count;
    joined = ag_batch_grow(batch, fifo, &w->rt->caps);
    atomic_store(&w->queued, atomic_load_explicit(&w->queued, memory_order_relaxed) + fifo->count - before);
    batch->formed_seq = w->seq;
  }
  pthread_mutex_unlock(&w->lock);
  batch->record.joined += joined;
  return joined;
}

uint64_t ag_worker_queued(struct ag_runtime *rt) {
  uint64_t n = 0;
  for (struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next)
    n += atomic_load_explicit(&v->queued, memory_order_relaxed) + ag_stream_waiting(v);
  return n;
}

/* The batch begins. */
static void begin(struct ag_worker *w, struct ag_batch *batch) {
  batch->record.begin_ns = batch->formed_ns = ag_clock_ns();
  batch->record.begun_on = w->track;
  ag_energy_tick(batch->formed_ns);
  batch->record.queued = ag_tracing() ? ag_worker_queued(w->rt) : 0;
}

void ag_worker_launch(struct ag_worker *w, struct ag_slot *slot) {
  bool broken;
  begin(w, &slot->batch);
  bool range = ag_range("stage", slot->batch.task, slot->batch.n_units);
  int err = ag_launch(w->rt, slot, &broken);
  if (range)
    ag_range_end();
  if (err)
    ag_commit_failed(w, slot, err, broken);
  else
    ag_wake_one(w->rt); /* this thread may have better things to do than to look after the device */
}

bool ag_worker_dispatch(struct ag_worker *w, struct ag_worker *of, enum ag_batch_event event, bool cpu_side) {
  struct choice choice = {0};
  struct ag_batch *batch = NULL;
  bool left = false;
  if (!atomic_load(&of->queued) && !(ag_runtime_uses_devices(w->rt) && ag_stream_waiting(of)))
    return false;
  pthread_mutex_lock(&of->lock);
  ag_worker_move_streams(of, !cpu_side);
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
  if (choice.slot) {
    ag_worker_launch(w, choice.slot);
    return true;
  }
  begin(w, batch);
  if (left)
    ag_wake_one(w->rt); /* others may take their share meanwhile */
  ag_commit_on_cpu(w, batch);
  return true;
}
