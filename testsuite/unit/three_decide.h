/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Three threads that decide. */
#ifndef THREE_DECIDE_H
#define THREE_DECIDE_H

#include "dispatch/decide.h"
#include "fifo/queues.h"
#include "measure/measure.h"
#include "three_threads.h"

/* Although it has just been asked. */
static inline void ask_anew(const struct agglom_task *task) {
  struct ag_batch_state *state = &task->state->measured->asked[0].batch;
  memset(state->nothing_ns, 0, sizeof state->nothing_ns);
}

static inline struct ag_decided ask(int asks, int of, enum ag_batch_event event) {
  ag_lock(&threads[of]->lock);
  ask_anew(&note_task);
  struct ag_decided d = ag_decide(threads[asks], threads[of]->queues[note_task.state->index], event);
  ag_unlock(&threads[of]->lock);
  return d;
}

static inline void pause(int t) {
  ag_lock(&threads[t]->lock);
  ag_decide_pauses(threads[t]);
  ag_unlock(&threads[t]->lock);
}

/* The model of the task: that many items have taken a CPU so long, and so long do batches take the device. */
static inline struct ag_model *units_cost(double items, double cpu_ns, struct ag_batch_times on_device) {
  struct ag_model *m = ag_task_model_lock(&note_task);
  ag_model_cpu(m, items, cpu_ns);
  m->device[0].times = on_device;
  ag_task_model_unlock(&note_task);
  return m;
}

static inline const struct ag_batch_state *remembered(void) {
  return &note_task.state->measured->asked[0].batch;
}

#endif /* THREE_DECIDE_H */
