/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A runtime without a device whose other thread is busy, so that nobody takes what is submitted meanwhile;
 * and units that seem short, or long. */
#ifndef BUSY_WORLD_H
#define BUSY_WORLD_H

#include "shared/runtime.h"

#include "rt_tasks.h"
#include "workers/make.h"

#include <sched.h>
#include <time.h>

static atomic_bool over;
static atomic_int busy;

static inline struct ag_worker *mine(void) { return ag_worker_mine(ag_runtime_running()); }

static inline struct ag_task_queue *queue_of(const struct agglom_task *task) {
  return mine()->queues[task->state->index];
}

static inline struct ag_fifo *fifo_of(const struct agglom_task *task) {
  return &queue_of(task)->lane[AG_LANE_DEVICE];
}

/* Units of the task are taken to need so long on a CPU, and less than 1 us to be queued. */
static inline void seem(const struct agglom_task *task, uint64_t ns) {
  queue_of(task)->queueing = (struct ag_queueing){0};
  atomic_store(&queue_of(task)->cpu_ns, ns);
  atomic_store(&task->state->longest.ns, ns);
}

/* Now and then, in random programs, they seem to be short, or long. */
static inline void seem_anything(const struct agglom_task *task, uint64_t *random) {
  if (!(next_random(random) % 50))
    atomic_store(&queue_of(task)->cpu_ns, 1 + next_random(random) % 8000);
}

/* Random programs run beside one other thread, or two, which spin for a while when they have nothing to do;
 * and are now and then compared with the serial ones. */
static inline const char *random_workers(int round) {
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=2",
                                         "AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
                                         "AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_LINGER=200us"};
  return settings[round % 3];
}
static inline void compare(const void *is, const void *wanted, size_t bytes) {
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(is, wanted, bytes);
}

/* Some units of random programs take as long as it takes until others come for them. */
static inline void spin(uint64_t v) {
  for (volatile uint64_t k = 0; k < v % 32 * 100; ++k) {
  }
}

static inline void keep_busy(void *ignored) {
  (void)ignored;
  atomic_store(&busy, 1);
  while (!atomic_load(&over))
    sched_yield();
}

/* The other thread of a runtime that was started with two workers is busy from now on. */
static inline void keep_other_busy(struct agglom_task *task, uint64_t ns) {
  atomic_store(&busy, 0);
  atomic_store(&over, false);
  submit_call(keep_busy, NULL, 1);
  while (!atomic_load(&busy))
    sched_yield();
  assert_true(ag_queue_ready(mine(), task));
  seem(task, ns);
}

/* Waits until so many threads sleep for want of work. */
static inline void until_lying(unsigned threads) {
  struct ag_runtime *rt = ag_runtime_running();
  unsigned lying = atomic_load(&rt->lying);
  for (time_t from = time(NULL); lying != threads && time(NULL) - from < 20; lying = atomic_load(&rt->lying))
    sched_yield();
  assert_int_equal(lying, threads);
}

#endif /* BUSY_WORLD_H */
