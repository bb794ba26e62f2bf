/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "commit/commit.h"

#include "commit/complete.h"
#include "fifo/queues.h"
#include "launch/coherence.h"
#include "measure/measure.h"
#include "measure/meter.h"
#include "observe/ranges.h"
#include "observe/trace.h"
#include "policy/launch/retry.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/relaxed.h"
#include "sys/stack.h"
#include "sys/task_kind.h"
#include "workers/extend.h"
#include "workers/load.h"
#include "workers/make.h"
#include "workers/streams.h"
#include "workers/wake.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
  TEAM_WORTH_NS = 50000 /* a unit that takes so long is shared by the cores of a compute unit */
};

/* --- On the CPU ------------------------------------------------------------------------------------- */

/* Runs n units of a queue's task, which cost so much in all; long ones by all cores of the worker's compute
 * unit. */
static void run_units(struct ag_worker *w, struct ag_task_queue *queue, const void **args, unsigned n,
                      double cost) {
  const struct agglom_task *task = queue->task;
  bool range = ag_range(NULL, task, n);
  bool shared = w->team && task->emulated && (task->flags & AGGLOM_TASK_SPLITTABLE) &&
                atomic_load_explicit(&queue->cpu_ns, memory_order_relaxed) >= TEAM_WORTH_NS;
  uint64_t begin = ag_clock_ns();
  w->plain = true;
  if (!shared)
    task->cpu(args, n);
  for (unsigned i = 0; shared && i < n; ++i)
    ag_team_run(w->team, task, args[i]);
  w->plain = false;
  uint64_t ns = ag_clock_ns() - begin;
  ag_queue_measured(queue, n, shared ? ns * ag_team_cores(w->team) : ns);
  if (ag_measure_cpus(w->rt))
    ag_measured_cpu(task, n, cost, ns);
  if (range)
    ag_range_end();
}

/* Has the arguments, which another core has written, on their way before the first unit begins. */
static void fetch_args(const struct agglom_task *task, const void *args) {
  enum { LINE = 64, MOST = 4 * LINE };
  for (unsigned at = 0; at < task->args_size && at < MOST; at += LINE)
    __builtin_prefetch((const char *)args + at);
}

static void run_plain(struct ag_worker *w, struct ag_batch *batch) {
  double cost = 0;
  unsigned n = 0;
  bool others = batch->units[0]->domain->home != w;
  for (unsigned i = 0; i < batch->n_units; ++i) {
    for (unsigned k = 0; k < ag_unit_calls(batch->units[i]); ++k) {
      batch->args[n] = ag_unit_args_of(batch->units[i], k);
      if (others)
        fetch_args(batch->task, batch->args[n]);
      ++n;
    }
    cost += (double)batch->units[i]->cost;
    cost += batch->units[i]->more ? (double)batch->units[i]->more->cost : 0;
  }
  ag_coherence_on_cpu(w->rt, batch->units, batch->n_units);
  run_units(w, batch->units[0]->queue, batch->args, n, cost);
}

/* For the trace: how many iterations of a loop the units of the batch run. */
static void count_iterations(struct ag_batch *batch) {
  batch->record.iterations = 0;
  for (unsigned i = 0; ag_tracing() && i < batch->n_units; ++i)
    if (batch->units[i]->whole)
      batch->record.iterations += batch->units[i]->whole->iterations;
}

void ag_commit_on_cpu(struct ag_worker *w, struct ag_batch *batch) {
  struct agglom_task *task = batch->task;
  if (w->left_to && ag_load_may_take_long(&task->state->longest.ns, batch->n_calls))
    ag_commit_left(w);
  batch->record.where = AG_OBSERVE_CPU;
  batch->record.units = batch->n_calls;
  batch->record.ended_on = w->track;
  run_plain(w, batch);
  batch->record.total_ns = ag_clock_ns() - batch->formed_ns;
  ag_long_times_note(&task->state->longest, batch->record.total_ns / batch->n_calls, batch->n_calls);
  count_iterations(batch);
  ag_observe_batch(task->state->observe, &batch->record);
  if (!ag_complete_later(w->rt, batch->units, batch->n_units))
    ag_complete(w->rt, batch->units, batch->n_units, NULL);
}

/* What is found out while a claim is completed. */
struct completed {
  struct ag_worker *home;
  struct ag_unit *above; /* units that are complete as well, linked by next */
  bool wake;
};

static void records_done(struct ag_domain *d, unsigned n, void *context) {
  struct completed *c = context;
  bool waited_for = d->waited_for;
  d->streamed_done += n;
  struct ag_unit *above = ag_complete_one_less(c->home, d);
  if (above) {
    above->next = c->above;
    c->above = above;
  } else {
    c->wake |= waited_for && ag_domain_over(d);
  }
}

bool ag_commit_claim(struct ag_worker *w, struct ag_worker *of, enum ag_reason reason) {
  struct ag_claim claim;
  const void *args[AG_STREAM_CHUNK];
  if (!ag_stream_claim(w, of, &claim))
    return false;
  if (ag_stream_worth(of, claim.queue))
    ag_wake_for(w->rt); /* others may take their share meanwhile */
  struct agglom_task *task = claim.queue->task;
  struct ag_batch_record record = {
      .where = AG_OBSERVE_CPU, .reason = reason, .units = claim.n, .ended_on = w->track};
  struct completed completed = {.home = of};
  ag_stream_args(&claim, args);
  uint64_t begin = record.begin_ns = ag_clock_ns();
  record.queued = ag_tracing() ? ag_worker_queued(w->rt) : 0;
  ag_energy_tick(begin);
  ag_coherence_forget(w->rt);
  ag_commit_left(w);
  run_units(w, claim.queue, args, claim.n, 0); /* streams are for CPUs alone: nobody has to know */
  record.total_ns = ag_clock_ns() - begin;
  ag_observe_batch(task->state->observe, &record);
  ag_lock(&of->lock);
  ag_stream_done(&claim, records_done, &completed);
  completed.wake |= ag_stream_wakes(&claim.queue->stream);
  ag_unlock(&of->lock);
  for (struct ag_unit *above = completed.above, *next; above; above = next) {
    next = above->next;
    completed.wake |= ag_complete_upwards(above);
  }
  if (completed.wake)
    ag_wake_all(w->rt);
  return true;
}

/* The call of a CPU-only unit by its worker's thread. */
struct body {
  struct ag_worker *w;
  const struct agglom_task *task;
  const void *args;
};

static void call(void *body) {
  const struct body *b = body;
  b->task->cpu(&b->args, 1);
}

static void call_elsewhere(void *body) {
  const struct body *b = body;
  ag_worker_adopt(b->w); /* its own thread waits */
  call(body);
}

/* Where units wait for units that wait, each stands on the stack above the one before. */
static void call_with_room(struct ag_worker *w, const struct agglom_task *task, const void *args) {
  struct body body = {w, task, args};
  if (!ag_stack_is_short()) {
    call(&body);
    return;
  }
  if (ag_stack_elsewhere(call_elsewhere, &body))
    return;
  ag_warn_once(&w->rt->said_deep,
               "%s:%u: task '%s': units that wait for units that wait are so deep that the stack of the "
               "thread is nearly used up, and there is no memory for another one; raise the limits of "
               "memory and of the stack (ulimit -v, ulimit -s), or make no tasks below some depth",
               task->file, task->line, task->name);
  call(&body);
}

struct ag_domain *ag_commit_body(struct ag_worker *w, struct ag_unit *u, const void *args) {
  struct ag_domain *outer = w->current;
  struct ag_unit *outer_unit = w->running;
  uint64_t begin = ag_tracing() ? ag_trace_begin(w->track) : 0;
  bool range = ag_range(NULL, u->task, 1);
  w->running = u;
  w->current = NULL;
  call_with_room(w, u->task, args);
  if (range)
    ag_range_end();
  if (begin)
    ag_trace_unit(w->track, u->task->state->observe, begin);
  struct ag_domain *d = w->current;
  w->running = outer_unit;
  w->current = outer;
  return d;
}

/* d stays for the unit u; NULL: for none, as there is no memory. False: it was over. Lock of w held. */
static bool stays_for(struct ag_worker *w, struct ag_domain *d, struct ag_unit *u) {
  if (ag_domain_over(d)) {
    ag_pool_give(&w->domains, d);
    return false;
  }
  d->owner = u;
  d->finished = u;
  return true;
}

/* A unit that runs no more, but whose children do. NULL: no memory. Lock of its worker held. */
static struct ag_unit *make_left(struct ag_domain *of, struct agglom_task *task, const void *args,
                                 const struct agglom_range *ranges) {
  struct ag_worker *home = of->home;
  unsigned index = task->state->index;
  int err;
  if (index >= home->n_queues || !home->queues[index]) /* its own thread makes it */
    return NULL;
  struct ag_unit *u = ag_unit_make(home, of, task, args, ranges, NULL, 0, 0, &err);
  if (u) {
    ag_unit_join(home, of, u);
    u->state = AG_UNIT_RUNNING;
  }
  return u;
}

bool ag_commit_leave(struct ag_worker *w, struct ag_domain *of, struct agglom_task *task, const void *args,
                     const struct agglom_range *ranges, struct ag_domain *d) {
  struct ag_unit *u = NULL;
  ag_lock(&w->lock);
  bool over = ag_domain_over(d), here = of->home == w;
  if (!over && here)
    u = make_left(of, task, args, ranges);
  if (over || u)
    over = !stays_for(w, d, u);
  ag_unlock(&w->lock);
  if (over || here)
    return over || u;
  ag_lock(&of->home->lock);
  u = make_left(of, task, args, ranges);
  ag_unlock(&of->home->lock);
  if (!u)
    return false;
  ag_lock(&w->lock);
  over = !stays_for(w, d, u);
  ag_unlock(&w->lock);
  if (over)
    ag_complete(w->rt, &u, 1, NULL);
  return true;
}

/* Whether to time the unit, which is CPU-only. Leaves may run in later calls, if they take little time: one
 * in some tells, wherever it stands in a program's steps. */
static bool is_timed(const struct ag_runtime *rt, const struct ag_unit *u) {
  enum { SAMPLE_BITS = 4 };
  if (atomic_load_explicit(&rt->choosy, memory_order_relaxed))
    return true;
  return ag_task_is_leaf(u->task) &&
         (!ag_get(&u->queue->cpu_ns) || !(u->seq * 0x9E3779B97F4A7C15U >> (64 - SAMPLE_BITS)));
}

void ag_commit_run(struct ag_worker *w, struct ag_unit *u) {
  const struct ag_domain *tied = w->tied;
  unsigned nested = w->nested;
  uint64_t level = w->level;
  w->tied = NULL;
  w->nested = 0;
  w->level = u->domain->depth;
  uint64_t begin = is_timed(w->rt, u) ? ag_clock_ns() : 0;
  ag_coherence_on_cpu(w->rt, &u, 1);
  bool high = u->priority > 0;
  struct ag_load_unit load = ag_load_unit_begins(w, high);
  struct ag_domain *d = ag_commit_body(w, u, ag_unit_args(u));
  ag_load_unit_ends(w, high, load);
  if (begin) /* once the unit is complete, the task may be gone */
    ag_queue_measured_one(u->queue, ag_clock_ns() - begin);
  w->nested = nested;
  w->level = level;
  w->tied = tied;
  ag_observe_cpu_units(u->task->state->observe, 1);
  if (d) {
    ag_lock(&w->lock);
    bool over = ag_domain_over(d);
    d->finished = true;
    if (over)
      ag_pool_give(&w->domains, d);
    ag_unlock(&w->lock);
    if (!over)
      return; /* its last child completes it */
  }
  ag_complete(w->rt, &u, 1, NULL);
}

/* --- On a device ------------------------------------------------------------------------------------ */

/* For the trace and for policies: when the device did what it was given. */
static void look_back(struct ag_worker *w, struct ag_slot *slot) {
  struct ag_batch_record *record = &slot->batch.record;
  struct ag_device_times times = {0};
  ag_meter_tick(w->rt);
  if (!slot->device->timed)
    return;
  record->finished_ns = ag_clock_ns();
  record->ended_on = w->track;
  slot->device->ops->times(slot->device, slot->stream, &times);
  record->copy_in = times.copy_in;
  record->kernel = times.kernel;
  record->copy_out = times.copy_out;
  if (ag_measure_devices(w->rt))
    ag_measure_batch(&w->rt->accelerators[slot->where], slot, &times);
}

/* The batch did not take effect. How many of its units may try again in one batch: 0, they run on the CPU.
 * Halves are tried until single units are left; the number of failures without a success between them is
 * bounded, so a device on which nothing works costs little. */
static unsigned may_try_again(struct ag_accelerator *acc, const struct ag_batch *batch) {
  if (!ag_accelerator_usable(acc))
    return 0;
  unsigned failed = atomic_fetch_add(&acc->failed, 1) + 1;
  return ag_retry_most(batch->n_units, failed);
}

/* Tells of a batch that failed. */
static void tell(struct ag_worker *w, struct ag_slot *slot, int err, bool again) {
  struct ag_batch *batch = &slot->batch;
  struct agglom_task *task = batch->task;
  struct ag_device *dev = slot->device;
  batch->record.failed = true;
  count_iterations(batch);
  batch->record.ended_on = w->track;
  batch->record.total_ns = ag_clock_ns() - batch->formed_ns;
  ag_observe_batch(task->state->observe, &batch->record);
  ag_warn_once(&w->rt->accelerators[slot->where].said_failed,
               "%s:%u: %s '%s': a batch of %u %s failed on %s:%d (%s); %s, nothing is lost", task->file,
               task->line, ag_task_kind(task), task->name, batch->n_units,
               batch->n_units == 1 ? "unit" : "units", dev->info.kind, dev->info.index, strerror(-err),
               again ? "they are tried again in smaller batches, and what fails alone runs on the CPU"
               : batch->n_units == 1 ? "it runs on the CPU instead"
                                     : "they run on the CPU instead");
}

void ag_commit_failed(struct ag_worker *w, struct ag_slot *slot, int err, bool broken) {
  struct ag_accelerator *acc = &w->rt->accelerators[slot->where];
  struct ag_batch *batch = &slot->batch;
  ag_measure_over(acc, slot);
  ag_coherence_failed(w->rt, slot);
  /* Host memory that the device still reads for this batch must not change: the stream ends first. */
  bool under_way = broken && !ag_slot_drain(slot);
  /* -ESTALE: the batch relied on copies of one that failed, and has done nothing wrong itself. */
  bool innocent = err == -ESTALE && ag_accelerator_usable(acc);
  unsigned most = innocent ? 0 : may_try_again(acc, batch);
  if (!innocent) {
    ag_measure_failed(batch->task);
    tell(w, slot, err, most);
  }
  if (innocent || most) {
    ag_worker_return(w->rt, batch, most);
  } else {
    batch->record = (struct ag_batch_record){.reason = batch->record.reason};
    batch->record.begin_ns = batch->formed_ns = ag_clock_ns();
    ag_commit_on_cpu(w, batch);
  }
  ag_slot_release(acc, slot, under_way);
}

/* Whether a batch has been under way for too long: the device does not answer, and is abandoned. Batches run
 * one after another, so time counts from the end of the last one. */
static bool overdue(struct ag_runtime *rt, struct ag_slot *slot) {
  uint64_t most = rt->config.timeout_ns, now = most ? ag_clock_ns() : 0;
  uint64_t since = atomic_load(&rt->accelerators[slot->where].ended_ns);
  if (since < slot->batch.record.launched_ns)
    since = slot->batch.record.launched_ns;
  if (!most || now < since || now - since < most)
    return false;
  char why[200];
  snprintf(why, sizeof why, "a batch of %s '%.100s' was not complete after %llu ms (AGGLOM_TIMEOUT)",
           ag_task_kind(slot->batch.task), slot->batch.task->name,
           (unsigned long long)(now - since) / 1000000);
  ag_device_abandon(slot->device, why);
  return true;
}

/* Whether the device may be asked of the slot again: each call of the driver takes a lock that whoever
 * launches needs, and many threads may have time. */
static bool may_ask(struct ag_slot *slot) {
  enum { ASK_AGAIN_NS = 4000 };
  uint64_t now = ag_clock_ns(), before = ag_get(&slot->asked_ns);
  if (now - before < ASK_AGAIN_NS)
    return false;
  ag_set(&slot->asked_ns, now);
  return true;
}

bool ag_commit_poll(struct ag_runtime *rt, struct ag_worker *w) {
  bool any = false;
  for (int d = 0; d < rt->n_accelerators; ++d)
    for (unsigned i = 0; i < AG_SLOTS; ++i) {
      struct ag_slot *slot = &rt->accelerators[d].slots[i];
      int expected = AG_SLOT_RUNNING;
      if (atomic_load(&slot->state) != AG_SLOT_RUNNING || !may_ask(slot) ||
          !atomic_compare_exchange_strong(&slot->state, &expected, AG_SLOT_POLLING))
        continue;
      struct ag_device *dev = slot->device;
      int err = dev->ops->finished(dev, slot->stream);
      if (!err)
        err = ag_coherence_settled(rt, slot);
      if (err == -EAGAIN && overdue(rt, slot))
        err = -ETIMEDOUT;
      if (err == -EAGAIN) {
        atomic_store(&slot->state, AG_SLOT_RUNNING);
        continue;
      }
      any = true;
      if (err) {
        ag_commit_failed(w, slot, err, true);
        continue;
      }
      if (rt->config.timeout_ns)
        atomic_store(&rt->accelerators[d].ended_ns, ag_clock_ns());
      if (atomic_load_explicit(&rt->accelerators[d].failed, memory_order_relaxed))
        atomic_store(&rt->accelerators[d].failed, 0);
      struct ag_batch *batch = &slot->batch;
      ag_measure_over(&rt->accelerators[d], slot);
      look_back(w, slot);
      struct ag_load_before before = ag_load_begin(w, AG_DOES_LAUNCH, 0);
      struct ag_commit commit = {d, batch->n_units, ag_clock_ns()};
      bool range = ag_range("commit", batch->task, batch->n_units);
      ag_stage_commit(&slot->stage, slot->staging);
      if (range)
        ag_range_end();
      batch->record.device_ns = dev->ops->kernel_ns(dev, slot->stream);
      ag_batch_measured(batch);
      count_iterations(batch);
      batch->record.total_ns = ag_clock_ns() - batch->formed_ns;
      ag_observe_batch(batch->task->state->observe, &batch->record);
      ag_complete(rt, batch->units, batch->n_units, &commit);
      ag_load_end(w, before);
      ag_slot_release(&rt->accelerators[d], slot, false);
      ag_wake_one(rt); /* there is a free slot: somebody may have waited for one */
    }
  return any;
}
