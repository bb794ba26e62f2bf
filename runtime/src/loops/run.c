/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "loops/run.h"

#include "launch/coherence.h"
#include "loops/private.h"
#include "observe/ranges.h"
#include "observe/trace.h"
#include "shared/runtime.h"
#include "submit/at_once.h"
#include "sys/align.h"
#include "sys/clock.h"
#include "workers/make.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* access: NULL where there was no memory for it. */
static void execute(struct ag_worker *w, struct agglom_task *task, const void *args,
                    const struct ag_access *access, uint64_t iterations) {
  if (!access)
    ag_coherence_forget(w->rt);
  else
    ag_chunk_writes(w->rt, task, access);
  bool range = ag_range(NULL, task, 1);
  uint64_t begin = ag_tracing() && task->state ? ag_clock_ns() : 0;
  if (!access || !ag_private_run(w, task, args, access, iterations))
    task->cpu(&args, 1);
  if (range)
    ag_range_end();
  if (begin) {
    struct ag_batch_record record = {.where = AG_OBSERVE_CPU,
                                     .reason = AG_REASON_POLICY,
                                     .units = 1,
                                     .iterations = iterations,
                                     .begin_ns = begin,
                                     .total_ns = ag_clock_ns() - begin,
                                     .ended_on = w->track};
    ag_trace_batch(task->state->observe, &record);
  }
}

/* Calls the body of a CPU-only task as that of a unit of the loop's domain: what it calls are units, which it
 * may leave behind. access: NULL where there is no memory for it, or no device. */
static void call_as_unit(struct ag_run *run, struct agglom_task *task, const void *args,
                         const struct agglom_range *ranges, const struct ag_access *access) {
  struct ag_worker *w = run->w;
  union ag_call call;
  ag_call_begin(&call, task, run->domain, 0, access);
  ag_coherence_running(w->rt, &call.unit);
  unsigned index = task->state->index;
  if (run->domain->home == w && !(index < w->n_queues && w->queues[index]))
    ag_queue_ready(w, task); /* for what is left behind */
  w->plain = false;
  ag_call_run(w, &call, args, ranges);
  w->plain = true;
}

static void run_body(struct ag_run *run, struct agglom_task *task, const void *args,
                     const struct agglom_range *ranges, const struct ag_access *access) {
  run->task = task;
  run->w->capture = NULL;
  if ((task->flags & AGGLOM_TASK_CPU_ONLY) && task->state) /* registered, as others may not be */
    call_as_unit(run, task, args, ranges, access);
  else /* what the body calls are plain calls */
    execute(run->w, task, args, access, run->iterations);
  run->w->capture = &run->base;
}

static int take(struct ag_capture *base, struct agglom_task *task, const void *args,
                const struct agglom_range *ranges, long long priority, unsigned long long cost) {
  struct ag_run *run = (struct ag_run *)(void *)base;
  struct ag_access here[AG_SECTIONS_HERE], *access = here;
  (void)priority;
  (void)cost;
  if (!run->w->rt->n_accelerators && ag_unit_is_plain(task, ranges)) { /* nobody asks for the accesses */
    run_body(run, task, args, ranges, NULL);
    return 0;
  }
  if (task->n_sections > AG_SECTIONS_HERE)
    access = malloc(task->n_sections * sizeof *access);
  int err = access ? ag_unit_check(task, ranges, access, run->said) : -ENOMEM;
  if (err == -EINVAL)
    run->err = err;
  else
    run_body(run, task, args, ranges, err ? NULL : access);
  if (!err)
    ag_unit_release(task, access);
  if (access != here)
    free(access);
  return err == -EINVAL ? err : 0;
}

struct ag_run ag_run_begin(struct ag_worker *w, struct ag_domain *domain, _Atomic bool *said) {
  return (struct ag_run){.base.take = take, .w = w, .domain = domain, .said = said};
}

void ag_run_piece(struct ag_run *run, const struct ag_for *call, uint64_t from, uint64_t to, void *slot) {
  run->iterations = to - from;
  ag_chunk_submit(run->w, call, from, to, slot, &run->base);
}

char *ag_run_slots(const struct ag_for *call, unsigned n, char *here, size_t room, size_t *size) {
  *size = ag_align_up(call->slot_size, alignof(max_align_t));
  if (*size * n <= room)
    return memset(here, 0, *size * n);
  return calloc(n, *size);
}

bool ag_run_alone(struct ag_worker *w, const struct ag_for *call, bool timed, struct ag_run_result *result) {
  _Alignas(max_align_t) char here[AG_SLOTS_HERE];
  size_t size;
  char *slot = ag_run_slots(call, 1, here, sizeof here, &size);
  _Atomic bool said = false;
  struct ag_run run = ag_run_begin(w, w->current, &said);
  if (!slot)
    return false;
  uint64_t begin = timed ? ag_clock_ns() : 0;
  ag_run_piece(&run, call, 0, call->n, slot);
  result->ns = timed ? ag_clock_ns() - begin : 0;
  if (call->slot_size)
    call->combine(call->env, slot);
  if (slot != here)
    free(slot);
  result->pieces = 1;
  result->task = run.task;
  result->err = run.err;
  return true;
}
