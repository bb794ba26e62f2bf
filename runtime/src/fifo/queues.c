/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fifo/queues.h"
#include "sys/clock.h"
#include "sys/relaxed.h"

#include <stdlib.h>

void ag_queue_enlist(struct ag_task_queue *q) {
  struct agglom_task_state *state = q->task->state;
  struct ag_task_queue *first = atomic_load(&state->queues);
  do
    q->next_of_task = first;
  while (!atomic_compare_exchange_weak(&state->queues, &first, q));
}

void ag_queue_free(struct ag_task_queue *q) {
  ag_pool_destroy(&q->units);
  ag_pool_destroy(&q->more);
  ag_stream_destroy(&q->stream);
  for (unsigned l = 0; l < AG_N_LANES; ++l)
    ag_fifo_free(&q->lane[l]);
  free(q);
}

void ag_queues_forget(struct agglom_task_state *state) { atomic_store(&state->queues, NULL); }

struct ag_task_queue *ag_queues_of(const struct agglom_task *task) {
  return atomic_load_explicit(&task->state->queues, memory_order_acquire);
}

struct ag_fifo_facts ag_queue_facts(const struct ag_task_queue *q) {
  const struct ag_fifo *fifo = &q->lane[AG_LANE_DEVICE];
  bool stalled = atomic_load_explicit(&fifo->stalled, memory_order_relaxed);
  uint64_t streamed = q->stream.to_fifo ? ag_stream_unclaimed(&q->stream) : 0;
  return (struct ag_fifo_facts){.units = stalled ? 0 : ag_get(&fifo->count),
                                .streamed = streamed,
                                .arrivals = ag_get(&fifo->came) + streamed,
                                .cost = stalled ? 0 : (double)ag_get(&fifo->cost),
                                .longest = stalled ? 0 : ag_sizes_longest(&fifo->sizes)};
}

struct ag_waiting ag_task_waiting(const struct agglom_task *task) {
  struct ag_waiting all = {0};
  for (const struct ag_task_queue *q = ag_queues_of(task); q; q = q->next_of_task) {
    struct ag_fifo_facts here = ag_queue_facts(q);
    ag_waiting_add(&all, &here);
  }
  ag_waiting_complete(&all);
  return all;
}

bool ag_queue_away(struct ag_away *away, uint64_t arrivals) {
  return ag_is_away(away, arrivals, ag_clock_ns());
}

/* Who submits reads it each time: what hardly differs is not written, and stays in that one's caches. */
static void told(_Atomic uint64_t *cpu_ns, uint64_t before, uint64_t now) {
  enum { PART = 64 };
  if (now > before + before / PART || now < before - before / PART)
    ag_set(cpu_ns, now);
}

void ag_queue_measured(struct ag_task_queue *queue, uint64_t units, uint64_t ns) {
  uint64_t before = ag_get(&queue->cpu_ns);
  told(&queue->cpu_ns, before, ag_cpu_lately(before, ns / units + 1));
}

void ag_queue_measured_one(struct ag_task_queue *queue, uint64_t ns) {
  struct ag_long_times *longest = &queue->task->state->longest;
  ag_long_times_note(longest, ns, 1);
  uint64_t again = ag_get(&longest->ns); /* one that took longer may have lost its CPU */
  ag_set(&queue->cpu_ns, ag_cpu_mean(ag_get(&queue->cpu_ns), (ns < again ? ns : again) + 1));
}
