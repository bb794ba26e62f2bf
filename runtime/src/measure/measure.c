/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "measure/measure.h"

#include "measure/meter.h"
#include "policy/launch/devices.h"
#include "policy/launch/view.h"
#include "remembered/models.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "workers/load.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)AG_MODEL_DEVICES == (int)AG_MAX_DEVICES, "one model for each device");

struct ag_measured *ag_measured_new(void) { return calloc(1, sizeof(struct ag_measured)); }

void ag_measured_reset(struct ag_measured *measured) {
  measured->model = (struct ag_model){0};
  measured->split = (struct ag_split_state){0};
  for (unsigned i = 0; i < AG_FORMS; ++i) {
    measured->asked[i].batch = (struct ag_batch_state){0};
    measured->asked[i].part = (struct ag_cpu_part){0};
    atomic_store(&measured->asked[i].whole_ns, 0);
  }
  measured->tries = false;
  measured->failed = 0;
}

void ag_measured_free(struct ag_measured *measured) { free(measured); }

struct ag_model *ag_task_model_lock(const struct agglom_task *task) {
  ag_lock(&task->state->measured->lock);
  return &task->state->measured->model;
}

void ag_task_model_unlock(const struct agglom_task *task) { ag_unlock(&task->state->measured->lock); }

void ag_measure_seed_task(const struct agglom_task *task) {
  struct ag_model *shared = ag_task_model_lock(task), model = *shared;
  ag_task_model_unlock(task);
  ag_models_seed_task(task, &model); /* the models' lock is taken before the task's, never after it */
  shared = ag_task_model_lock(task);
  *shared = model;
  ag_task_model_unlock(task);
}

void ag_measure_keep_task(const struct agglom_task *task) {
  struct ag_model model = *ag_task_model_lock(task);
  ag_task_model_unlock(task);
  ag_models_keep_task(task, &model);
}

bool ag_measure_devices(const struct ag_runtime *rt) {
  return rt->policy->timed || rt->config.split > AG_SPLIT_CPU || rt->config.models[0];
}

bool ag_measure_cpus(const struct ag_runtime *rt) {
  return (rt->n_accelerators && ag_measure_devices(rt)) || rt->config.models[0];
}

/* --- Measuring ---------------------------------------------------------------------------------------- */

void ag_measured_cpu(const struct agglom_task *task, uint64_t units, double items, uint64_t ns) {
  struct ag_measured *m = task->state->measured;
  ag_lock(&m->lock);
  ag_model_cpu(&m->model, items, (double)ns);
  ag_split_told(&m->split, AG_SIDE_CPU, (double)units, items, (double)ns);
  m->tries = false;
  ag_unlock(&m->lock);
}

/* This and the next one: with the lock of the task's struct ag_measured held. */
static struct ag_batch_times task_times(const struct agglom_task *task, int where) {
  return ag_model_times(&task->state->measured->model, (unsigned)where, ag_task_fill(task, where));
}

static const struct ag_device_model *model_of(const struct agglom_task *task, int where) {
  return ag_model_of(&task->state->measured->model, (unsigned)where, ag_task_fill(task, where));
}

/* A device that has nothing else to do begins with the batch `ahead` ns from now, when that is staged and
 * transferred. If another thread stores another beginning meanwhile, for a batch that comes sooner, that one
 * holds. */
static void expect_begin(struct ag_accelerator *acc, struct ag_slot *slot, bool launched, double ahead) {
  uint64_t before = atomic_load(&acc->since_ns);
  slot->launched |= launched;
  if (launched ? !atomic_fetch_add(&acc->launched, 1) : ag_accelerator_taken(acc) < 2)
    atomic_compare_exchange_strong(&acc->since_ns, &before, ag_clock_ns() + ag_clock_believed(ahead));
}

void ag_measure_expect(struct ag_accelerator *acc, struct ag_slot *slot, bool launched) {
  struct ag_measured *m = slot->batch.task->state->measured;
  double units = slot->batch.n_units;
  ag_lock(&m->lock);
  struct ag_batch_times times = task_times(slot->batch.task, slot->where);
  const struct ag_device_model *model = model_of(slot->batch.task, slot->where);
  double host = launched ? 0 : ag_host_ns(&model->host, units);
  double in = ag_host_ns(&model->in, units), out = ag_host_ns(&model->out, units);
  times = ag_times_believed(times, m->model.cpu_ns);
  ag_unlock(&m->lock);
  double run = ag_times_longest(&times, slot->batch.n_units, slot->batch.view.items, slot->batch.view.most);
  struct ag_slowest slowest = ag_times_slowest(in, run, out);
  expect_begin(acc, slot, launched, host + slowest.before_ns);
  uint64_t before = slot->expected_ns;
  slot->expected_ns = ag_clock_believed(slowest.ns);
  atomic_fetch_add(&acc->expected_ns, slot->expected_ns - before);
}

void ag_measure_over(struct ag_accelerator *acc, struct ag_slot *slot) {
  atomic_fetch_sub(&acc->expected_ns, slot->expected_ns);
  slot->expected_ns = 0;
  if (!slot->launched)
    return;
  uint64_t before = atomic_load(&acc->since_ns);
  slot->launched = false;
  atomic_fetch_sub(&acc->launched, 1);
  /* The device works on its next batch from now on, unless another thread has stored the beginning of one
   * that it has launched. */
  atomic_compare_exchange_strong(&acc->since_ns, &before, ag_clock_ns());
}

static void transferred(struct ag_device_model *model, uint64_t bytes, const struct ag_clock_span *span) {
  if (span->end > span->begin)
    ag_model_device(
        model, &(struct ag_measured_batch){.items = (double)bytes, .ns = (double)(span->end - span->begin)});
}

void ag_measure_keep_transfers(struct ag_runtime *rt) {
  for (int d = 0; d < rt->n_accelerators; ++d) {
    struct ag_accelerator *acc = &rt->accelerators[d];
    pthread_mutex_lock(&acc->lock);
    struct ag_device_model in = acc->copy_in, out = acc->copy_out;
    pthread_mutex_unlock(&acc->lock);
    ag_models_keep_transfers(d, &in, &out);
  }
}

void ag_measure_seed_transfers(struct ag_runtime *rt) {
  for (int d = 0; d < rt->n_accelerators; ++d)
    ag_models_seed_transfers(d, &rt->accelerators[d].copy_in, &rt->accelerators[d].copy_out);
}

/* Length of the span in ns; 0: there was none, or it is not known. */
static uint64_t lasted(const struct ag_clock_span *span) {
  return span->end > span->begin ? span->end - span->begin : 0;
}

void ag_measure_batch(struct ag_accelerator *acc, const struct ag_slot *slot,
                      const struct ag_device_times *times) {
  const struct ag_batch *batch = &slot->batch;
  struct ag_measured *m = batch->task->state->measured;
  uint64_t in = lasted(&times->copy_in), out = lasted(&times->copy_out);
  uint64_t begin = in ? times->copy_in.begin : times->kernel.begin;
  uint64_t end = out ? times->copy_out.end : times->kernel.end;
  uint64_t before = atomic_load(&acc->done_ns);
  while (before < end && !atomic_compare_exchange_weak(&acc->done_ns, &before, end)) {
  }
  pthread_mutex_lock(&acc->lock);
  transferred(&acc->copy_in, batch->record.bytes_in, &times->copy_in);
  transferred(&acc->copy_out, batch->record.bytes_out, &times->copy_out);
  pthread_mutex_unlock(&acc->lock);
  uint64_t copied = begin + in + out;      /* others may run during transfers */
  begin = begin > before ? begin : before; /* it could not begin before the device was free */
  copied = copied > before ? copied : before;
  if (!times->kernel.end || end <= copied)
    return;
  struct ag_measured_batch measured = {.units = batch->n_units,
                                       .items = batch->view.items,
                                       .longest = batch->view.most,
                                       .chains = batch->n_chains,
                                       .fill = ag_task_fill(batch->task, slot->where),
                                       .ns = (double)(end - copied),
                                       .in_ns = (double)in,
                                       .out_ns = (double)out,
                                       .host_ns = (double)(batch->record.launched_ns - batch->formed_ns),
                                       .staged_ns = (double)batch->record.stage_ns};
  ag_lock(&m->lock);
  ag_model_batch(&m->model, (unsigned)slot->where, &measured);
  ag_split_told(&m->split, AG_SIDE_DEVICE, batch->n_units, batch->view.items, (double)(end - begin));
  ag_unlock(&m->lock);
}

void ag_measure_failed(const struct agglom_task *task) {
  struct ag_measured *m = task->state->measured;
  ag_lock(&m->lock);
  ++m->failed;
  ag_unlock(&m->lock);
}

void ag_measure_commit(const struct agglom_task *task, int where, unsigned units, uint64_t ns) {
  struct ag_measured *m = task->state->measured;
  ag_lock(&m->lock);
  ag_model_committed(&m->model, (unsigned)where, units, (double)ns);
  m->failed = 0;
  ag_unlock(&m->lock);
}

/* --- Showing ------------------------------------------------------------------------------------------ */

static void look_at_devices(struct ag_runtime *rt, const struct agglom_task *task,
                            struct ag_device_facts facts[AG_MAX_DEVICES]) {
  uint64_t now = ag_clock_ns();
  for (int d = 0; d < rt->n_accelerators; ++d) {
    const struct ag_accelerator *acc = &rt->accelerators[d];
    uint64_t since = atomic_load(&acc->since_ns), expected = atomic_load(&acc->expected_ns);
    facts[d] =
        (struct ag_device_facts){.usable = ag_task_on_this(rt, task, d),
                                 .full = !ag_accelerator_room(acc),
                                 .taken = ag_accelerator_taken(acc),
                                 .known = expected,
                                 .left_ns = since + expected > now ? (double)(since + expected - now) : 0,
                                 .late_ns = now > since ? (double)(now - since) : 0};
  }
}

int ag_measure_next(struct ag_runtime *rt, const struct agglom_task *task, unsigned tried) {
  struct ag_device_facts facts[AG_MAX_DEVICES];
  look_at_devices(rt, task, facts);
  return ag_device_next(facts, (unsigned)rt->n_accelerators, tried, ag_measure_devices(rt));
}

/* The facts but for the model, and what is read with its lock. */
static struct ag_launch_facts facts_of(struct ag_runtime *rt, const struct agglom_task *task,
                                       struct ag_device_facts devices[AG_MAX_DEVICES]) {
  look_at_devices(rt, task, devices);
  struct ag_launch_facts facts = {.device = devices,
                                  .devices = (unsigned)rt->n_accelerators,
                                  .cpus = rt->cpus,
                                  .model = &task->state->measured->model};
  facts.next = ag_device_next(devices, facts.devices, 0, ag_measure_devices(rt));
  facts.fill = facts.next < 0 ? 0 : ag_task_fill(task, facts.next);
  return facts;
}

void ag_measure_show(struct ag_runtime *rt, const struct agglom_task *task, struct ag_batch_view *view) {
  struct ag_device_facts devices[AG_MAX_DEVICES];
  struct ag_launch_facts facts = facts_of(rt, task, devices);
  struct ag_measured *m = task->state->measured;
  view->now_ns = ag_clock_ns();
  view->lookers = facts.next < 0 ? 0 : ag_load_lookers(rt);
  ag_lock(&m->lock);
  ag_launch_show(view, rt->policy->timed, &facts);
  ag_unlock(&m->lock);
}

struct ag_split_view ag_measure_split(struct ag_runtime *rt, const struct agglom_task *task, uint64_t units,
                                      double items) {
  struct ag_device_facts devices[AG_MAX_DEVICES];
  struct ag_launch_facts facts = facts_of(rt, task, devices);
  struct ag_measured *m = task->state->measured;
  facts.objective = ag_meter_objective();
  ag_lock(&m->lock);
  facts.failed = m->failed;
  struct ag_split_view view = ag_launch_split_view(units, items, &facts);
  ag_unlock(&m->lock);
  return view;
}
