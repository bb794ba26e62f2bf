/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "observe/counters.h"
#include "observe/trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards the list, the names, the settings and the energy */
static struct ag_observe_task *tasks, **last_task = &tasks;
static char device_name[AG_OBSERVE_DEVICES][32];
static _Atomic bool device_lost[AG_OBSERVE_DEVICES];
static struct ag_energy_reading energy[AG_ENERGY_METERS];
static unsigned n_energy;
static struct ag_observe_settings settings;

static void add(ag_counter *counter, uint64_t n) {
  if (n)
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

struct ag_observe_task *ag_observe_task(const struct agglom_task *task) {
  const char *name = task->name ? task->name : "?", *file = task->file ? task->file : "?";
  char loop[512];
  if (task->flags & AGGLOM_TASK_LOOP) {
    snprintf(loop, sizeof loop, "loop at %s:%u in %s", file, task->line, name);
    name = loop;
  }
  pthread_mutex_lock(&lock);
  struct ag_observe_task *t = tasks;
  while (t && (t->line != task->line || strcmp(t->name, name) || strcmp(t->file, file)))
    t = t->next;
  if (!t && (t = aligned_alloc(alignof(struct ag_observe_task), sizeof *t))) {
    memset(t, 0, sizeof *t);
    t->name = strdup(name);
    t->file = strdup(file);
    t->line = task->line;
    if (t->name && t->file) {
      *last_task = t;
      last_task = &t->next;
    } else {
      free(t->name);
      free(t->file);
      free(t);
      t = NULL;
    }
  }
  pthread_mutex_unlock(&lock);
  return t;
}

void ag_observe_device(int where, const char *name) {
  if (where < 0 || where >= AG_OBSERVE_DEVICES)
    return;
  pthread_mutex_lock(&lock);
  size_t n = strnlen(name, sizeof device_name[0] - 1);
  memcpy(device_name[where], name, n);
  device_name[where][n] = '\0';
  pthread_mutex_unlock(&lock);
}

const char *ag_observe_device_name(int i) {
  return i >= 0 && i < AG_OBSERVE_DEVICES && device_name[i][0] ? device_name[i] : NULL;
}

void ag_observe_lost(int where) {
  if (where >= 0 && where < AG_OBSERVE_DEVICES)
    atomic_store_explicit(&device_lost[where], true, memory_order_relaxed);
}

bool ag_observe_is_lost(int i) {
  return i >= 0 && i < AG_OBSERVE_DEVICES && atomic_load_explicit(&device_lost[i], memory_order_relaxed);
}

void ag_observe_energy(const struct ag_energy_reading *readings, unsigned n) {
  pthread_mutex_lock(&lock);
  n_energy = n;
  memcpy(energy, readings, n * sizeof *readings);
  pthread_mutex_unlock(&lock);
}

unsigned ag_observe_energies(struct ag_energy_reading readings[AG_ENERGY_METERS]) {
  pthread_mutex_lock(&lock);
  unsigned n = n_energy;
  memcpy(readings, energy, n * sizeof *readings);
  pthread_mutex_unlock(&lock);
  return n;
}

void ag_observe_settings(const struct ag_observe_settings *s) {
  pthread_mutex_lock(&lock);
  settings = *s;
  pthread_mutex_unlock(&lock);
}

struct ag_observe_settings ag_observe_settings_told(void) {
  pthread_mutex_lock(&lock);
  struct ag_observe_settings s = settings;
  pthread_mutex_unlock(&lock);
  return s;
}

unsigned ag_size_bucket(uint64_t units) {
  if (units < AG_SIZE_EXACT)
    return (unsigned)units;
  unsigned power = 63u - (unsigned)__builtin_clzll(units); /* at least 4 */
  unsigned step = (unsigned)(units >> (power - 3)) - AG_SIZE_STEPS;
  return AG_SIZE_EXACT + (power - 4) * AG_SIZE_STEPS + step;
}

uint64_t ag_size_bucket_begin(unsigned bucket) {
  if (bucket < AG_SIZE_EXACT)
    return bucket;
  unsigned power = (bucket - AG_SIZE_EXACT) / AG_SIZE_STEPS + 4;
  uint64_t step = (bucket - AG_SIZE_EXACT) % AG_SIZE_STEPS;
  return (AG_SIZE_STEPS + step) << (power - 3);
}

double ag_sizes_median(const struct ag_sizes *sizes) {
  uint64_t total = 0, before = 0;
  for (unsigned b = 0; b < AG_SIZE_BUCKETS; ++b)
    total += atomic_load_explicit(&sizes->bucket[b].count, memory_order_relaxed);
  for (unsigned b = 0; b < AG_SIZE_BUCKETS; ++b) {
    uint64_t count = atomic_load_explicit(&sizes->bucket[b].count, memory_order_relaxed);
    before += count;
    if (count && 2 * before >= total)
      return (double)atomic_load_explicit(&sizes->bucket[b].sum, memory_order_relaxed) / (double)count;
  }
  return 0;
}

static void add_sizes(struct ag_sizes *sizes, uint64_t units, uint64_t n) {
  unsigned b = ag_size_bucket(units);
  add(&sizes->bucket[b].count, n);
  add(&sizes->bucket[b].sum, units * n);
  uint64_t old = atomic_load_explicit(&sizes->max, memory_order_relaxed);
  while (units > old && !atomic_compare_exchange_weak_explicit(&sizes->max, &old, units, memory_order_relaxed,
                                                               memory_order_relaxed))
    ;
  old = atomic_load_explicit(&sizes->min, memory_order_relaxed);
  while ((!old || units < old) && !atomic_compare_exchange_weak_explicit(
                                      &sizes->min, &old, units, memory_order_relaxed, memory_order_relaxed))
    ;
}

void ag_observe_submitted(struct ag_observe_task *task, uint64_t n) {
  if (task)
    add(&task->submitted, n);
}

void ag_observe_cpu_units(struct ag_observe_task *task, uint64_t n) {
  if (task)
    add(&task->cpu_units, n);
}

void ag_observe_loop(struct ag_observe_task *task, const char *schedule, double argument) {
  if (!task)
    return;
  atomic_store_explicit(&task->argument, argument, memory_order_relaxed);
  atomic_store_explicit(&task->schedule, schedule, memory_order_relaxed);
  add(&task->executions, 1);
}

void ag_observe_chunk(struct ag_observe_task *task, int where, uint64_t iterations) {
  if (!task || where < AG_OBSERVE_CPU || where >= AG_OBSERVE_DEVICES)
    return;
  add(&task->place[where + 1].chunks, 1);
  add(&task->place[where + 1].iterations, iterations);
}

void ag_observe_pieces(struct ag_observe_task *task, uint64_t pieces, uint64_t iterations, uint64_t ns) {
  if (!task)
    return;
  add(&task->pieces.n, pieces);
  add(&task->pieces.iterations, iterations);
  add(&task->pieces.ns, ns);
}

void ag_observe_again(struct ag_observe_task *task, uint64_t iterations) {
  if (!task)
    return;
  add(&task->again.n, 1);
  add(&task->again.iterations, iterations);
}

static uint64_t take(ag_counter *counter) {
  return atomic_exchange_explicit(counter, 0, memory_order_relaxed);
}

/* Counts the pieces of loops where all that is of their kind is counted. */
static void settle(struct ag_observe_task *task) {
  struct ag_place *p = &task->place[0];
  uint64_t again = take(&task->again.n), pieces = take(&task->pieces.n) + again;
  add(&task->executions, again);
  add(&task->submitted, pieces);
  add(&p->units, pieces);
  add(&p->batches, pieces);
  add(&p->chunks, pieces);
  add(&task->reasons[0][AG_REASON_POLICY], pieces);
  if (pieces)
    add_sizes(&task->sizes[0], 1, pieces);
  add(&p->iterations, take(&task->pieces.iterations) + take(&task->again.iterations));
  add(&p->total_ns, take(&task->pieces.ns));
}

void ag_observe_cut(struct ag_observe_task *task, uint64_t chunks, uint64_t iterations) {
  if (!task)
    return;
  add(&task->cut_chunks, chunks);
  add(&task->cut_iterations, iterations);
}

void ag_observe_waited(struct ag_observe_task *task) {
  if (task)
    add(&task->waited_chunks, 1);
}

void ag_observe_batch(struct ag_observe_task *task, const struct ag_batch_record *r) {
  if (!task || r->where < AG_OBSERVE_CPU || r->where >= AG_OBSERVE_DEVICES)
    return;
  if (ag_tracing())
    ag_trace_batch(task, r);
  struct ag_place *p = &task->place[r->where + 1];
  add(&p->bytes_in, r->bytes_in); /* also a failed batch has moved bytes and taken time */
  add(&p->bytes_direct, r->bytes_direct);
  add(&p->bytes_reused, r->bytes_reused);
  add(&p->bytes_out, r->bytes_out);
  add(&p->stage_ns, r->stage_ns);
  add(&p->device_ns, r->device_ns);
  add(&p->total_ns, r->total_ns);
  if (r->failed) {
    add(&p->failed, 1);
    return;
  }
  add(&p->units, r->units);
  add(&p->batches, 1);
  add(&p->joined, r->joined);
  add(&p->chains, r->chains);
  add(&p->split_parts, r->split_parts);
  add(&p->warps, r->warps);
  if ((unsigned)r->reason < AG_N_REASONS)
    add(&task->reasons[r->where != AG_OBSERVE_CPU][r->reason], 1);
  add_sizes(&task->sizes[r->where != AG_OBSERVE_CPU], r->units, 1);
}

void ag_observe_totals(struct ag_observe_task *task, struct ag_observe_totals *totals) {
  memset(totals, 0, sizeof *totals);
  if (!task)
    return;
  settle(task);
  totals->submitted = atomic_load_explicit(&task->submitted, memory_order_relaxed);
  totals->on_cpu = atomic_load_explicit(&task->cpu_units, memory_order_relaxed);
  for (int i = 0; i < AG_PLACES; ++i) {
    const struct ag_place *p = &task->place[i];
    uint64_t units = atomic_load_explicit(&p->units, memory_order_relaxed);
    uint64_t batches = atomic_load_explicit(&p->batches, memory_order_relaxed);
    *(i ? &totals->on_device : &totals->on_cpu) += units;
    *(i ? &totals->launches : &totals->cpu_batches) += batches;
    totals->failed += atomic_load_explicit(&p->failed, memory_order_relaxed);
    totals->bytes_in += atomic_load_explicit(&p->bytes_in, memory_order_relaxed);
    totals->bytes_direct += atomic_load_explicit(&p->bytes_direct, memory_order_relaxed);
    totals->bytes_reused += atomic_load_explicit(&p->bytes_reused, memory_order_relaxed);
    totals->bytes_out += atomic_load_explicit(&p->bytes_out, memory_order_relaxed);
    totals->kernel_ns += atomic_load_explicit(&p->device_ns, memory_order_relaxed);
  }
}

/* The list only grows before ag_observe_reset(). NULL: the first. */
static const struct ag_observe_task *next_of(const struct ag_observe_task *t) {
  pthread_mutex_lock(&lock);
  struct ag_observe_task *next = t ? t->next : tasks;
  if (next)
    settle(next);
  pthread_mutex_unlock(&lock);
  return next;
}

void ag_observe_each(void (*visit)(const struct ag_observe_task *task, void *context), void *context) {
  for (const struct ag_observe_task *t = next_of(NULL); t; t = next_of(t))
    visit(t, context); /* may write to a stream of the program's own: without the lock */
}

void ag_observe_reset(void) {
  pthread_mutex_lock(&lock);
  while (tasks) {
    struct ag_observe_task *t = tasks;
    tasks = t->next;
    free(t->name);
    free(t->file);
    free(t);
  }
  last_task = &tasks;
  n_energy = 0;
  memset(&settings, 0, sizeof settings);
  memset(device_name, 0, sizeof device_name);
  for (int i = 0; i < AG_OBSERVE_DEVICES; ++i)
    atomic_store(&device_lost[i], false);
  pthread_mutex_unlock(&lock);
}
