/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "loops/hybrid_chunk.h"
#include "sys/align.h"

#include "dispatch/dispatch.h"
#include "launch/coherence.h"
#include "loops/private.h"
#include "observe/ranges.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "workers/make.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* --- Capturing ---------------------------------------------------------------------------------------- */

static struct ag_part *part_new(struct agglom_task *task) {
  size_t align = task->args_align > alignof(max_align_t) ? task->args_align : alignof(max_align_t);
  size_t args = ag_align_up(sizeof(struct ag_part) + task->n_sections * sizeof(struct ag_access), align);
  struct ag_part *part = aligned_alloc(align, ag_align_up(args + task->args_size, align));
  if (part)
    *part = (struct ag_part){
        .task = task, .access = (struct ag_access *)(void *)(part + 1), .args = (char *)part + args};
  return part;
}

void ag_part_free(struct ag_part *part) {
  if (part && part->access)
    ag_unit_release(part->task, part->access);
  free(part);
}

static int take(struct ag_capture *base, struct agglom_task *task, const void *args,
                const struct agglom_range *ranges, long long priority, unsigned long long cost) {
  struct ag_loop_capture *capture = (struct ag_loop_capture *)(void *)base;
  struct ag_part *part;
  _Atomic bool silent = true;
  if (capture->calls++ || capture->err)
    return 0;
  if (!task->state || !(part = part_new(task))) {
    capture->err = -ENOMEM;
    return 0;
  }
  capture->err = ag_unit_check(task, ranges, part->access, capture->said ? capture->said : &silent);
  if (capture->err) {
    free(part);
    return capture->err;
  }
  memcpy(part->args, args, task->args_size);
  part->priority = priority;
  part->bytes = task->args_size;
  for (unsigned i = 0; i < task->n_sections; ++i)
    part->bytes += part->access[i].hi - part->access[i].lo;
  part->cost = cost ? cost : part->bytes;
  capture->part = part;
  return 0;
}

void ag_chunk_submit(struct ag_worker *w, const struct ag_for *call, uint64_t from, uint64_t to, void *slot,
                     struct ag_capture *capture) {
  bool plain = w->plain;
  w->plain = true;
  w->capture = capture;
  call->submit(call->env, from, to, call->slot_size ? slot : NULL);
  w->capture = NULL;
  w->plain = plain;
}

void ag_chunk_capture(struct ag_worker *w, const struct ag_for *call, uint64_t from, uint64_t to, void *slot,
                      struct ag_loop_capture *capture) {
  capture->base.take = take;
  ag_chunk_submit(w, call, from, to, slot, &capture->base);
}

struct agglom_task *ag_chunk_task(struct ag_worker *w, const struct ag_for *call, void *slot) {
  struct ag_loop_capture capture = {0};
  ag_chunk_capture(w, call, 0, 1, slot, &capture);
  if (slot)
    memset(slot, 0, call->slot_size);
  struct agglom_task *task = capture.part && capture.calls == 1 ? capture.part->task : NULL;
  ag_part_free(capture.part);
  return task;
}

/* --- Conflicts ---------------------------------------------------------------------------------------- */

bool ag_modes_conflict(unsigned a, unsigned b) {
  enum { WRITES = AGGLOM_OUT | AGGLOM_ACCUMULATE };
  if (!((a | b) & WRITES))
    return false;
  return !(a & AGGLOM_ACCUMULATE) || ((a ^ b) & ~(unsigned)AGGLOM_SHAPED);
}

bool ag_parts_conflict(const struct ag_part *a, const struct ag_part *b) {
  for (unsigned i = 0; i < a->task->n_sections; ++i)
    for (unsigned j = 0; j < b->task->n_sections; ++j)
      if (ag_modes_conflict(a->task->sections[i].mode, b->task->sections[j].mode) &&
          ag_access_overlap(&a->access[i], &b->access[j]))
        return true;
  return false;
}

bool ag_chunks_conflict(const struct ag_loop_chunk *a, const struct ag_loop_chunk *b) {
  if (a->alone || b->alone)
    return true;
  for (const struct ag_part *p = a->parts; p; p = p->next)
    for (const struct ag_part *q = b->parts; q; q = q->next)
      if (ag_parts_conflict(p, q))
        return true;
  return false;
}

/* --- On the CPU --------------------------------------------------------------------------------------- */

void ag_chunk_writes(struct ag_runtime *rt, const struct agglom_task *task, const struct ag_access *access) {
  for (unsigned i = 0; rt->n_accelerators && i < task->n_sections; ++i)
    if (task->sections[i].mode & (AGGLOM_OUT | AGGLOM_ACCUMULATE))
      ag_coherence_written(rt, &access[i], 1, true);
}

static void run_part(struct ag_worker *w, const struct ag_part *part, uint64_t iterations) {
  struct agglom_task *task = part->task;
  struct ag_batch_record record = {.where = AG_OBSERVE_CPU,
                                   .reason = AG_REASON_POLICY,
                                   .units = 1,
                                   .iterations = part->whole.iterations,
                                   .ended_on = w->track};
  const void *args = part->args;
  ag_chunk_writes(w->rt, task, part->access);
  record.begin_ns = ag_clock_ns();
  bool range = ag_range(NULL, task, 1), plain = w->plain;
  w->plain = true;
  if (w->team && task->emulated && (task->flags & AGGLOM_TASK_SPLITTABLE))
    ag_team_run(w->team, task, args);
  else if (!ag_private_run(w, task, args, part->access, iterations))
    task->cpu(&args, 1);
  w->plain = plain;
  if (range)
    ag_range_end();
  record.total_ns = ag_clock_ns() - record.begin_ns;
  ag_observe_submitted(task->state->observe, 1);
  ag_observe_batch(task->state->observe, &record);
}

void ag_chunk_run(struct ag_worker *w, const struct ag_loop_chunk *chunk) {
  for (const struct ag_part *part = chunk->left; part; part = part->next)
    run_part(w, part, part->next || part != chunk->parts ? 0 : chunk->to - chunk->from);
}

/* --- Reductions --------------------------------------------------------------------------------------- */

static int by_from(const void *a, const void *b) {
  const struct ag_reduction *const *x = a, *const *y = b;
  return (*x)->from<(*y)->from ? -1 : (*x)->from>(*y)->from;
}

void ag_reductions_combine(const struct ag_for *call, const struct ag_reduction *list) {
  enum { HERE = 64 };
  const struct ag_reduction *few[HERE], **sorted = few;
  size_t n = 0, i = 0;
  for (const struct ag_reduction *r = list; r; r = r->next)
    ++n;
  if (n > HERE)
    sorted = malloc(n * sizeof *sorted);
  for (const struct ag_reduction *r = list; r; r = r->next)
    if (sorted)
      sorted[i++] = r;
    else
      call->combine(call->env, r->bytes);
  if (i)
    qsort(sorted, i, sizeof *sorted, by_from);
  for (size_t k = 0; k < i; ++k)
    call->combine(call->env, sorted[k]->bytes);
  if (sorted != few)
    free(sorted);
}

/* --- On a device -------------------------------------------------------------------------------------- */

/* The first batch of the units in `fifo`, of the worker `of` (locked). False when there is none to form. */
static bool form(struct ag_worker *of, struct ag_fifo *fifo, struct ag_slot *slot) {
  struct ag_accelerator *acc = &of->rt->accelerators[slot->where];
  struct ag_batch *batch = &slot->batch;
  struct ag_caps caps = of->rt->caps;
  caps.units = fifo->count;
  if (!fifo->count || ag_slot_form(acc, slot, fifo, &caps, atomic_fetch_add(&of->rt->stamps, 1) + 1))
    return false;
  batch->formed_seq = of->seq;
  batch->record = (struct ag_batch_record){.reason = AG_REASON_POLICY};
  return true;
}

bool ag_chunk_launch(struct ag_worker *w, struct ag_worker *owner, struct ag_domain *domain,
                     struct ag_loop_chunk *chunk, struct ag_slot *slot) {
  struct ag_fifo fifo = {0};
  unsigned made = 0;
  ag_lock(&owner->lock);
  for (struct ag_part *part = chunk->left; part; part = chunk->left, ++made) {
    struct ag_unit *u = ag_unit_make_captured(owner, domain, part->task, part->args, part->access,
                                              part->priority, part->cost);
    if (!u)
      break;
    u->whole = &part->whole;
    u->awaited = true;
    chunk->left = part->next;
    if (!ag_unit_may_enter(u))
      continue;
    if (u->lane == AG_LANE_DEVICE)
      ag_fifo_push(&fifo, u);
    else
      ag_worker_enter(owner, u);
  }
  chunk->pending = made;
  bool formed = form(owner, &fifo, slot);
  for (struct ag_unit *u; (u = fifo.head);) {
    ag_fifo_remove(&fifo, u);
    ag_worker_enter(owner, u);
  }
  ag_unlock(&owner->lock);
  ag_fifo_free(&fifo);
  if (formed) {
    ag_batch_lay_out(&slot->batch, &w->rt->caps);
    ag_dispatch_launch(w, slot);
  } else {
    ag_slot_release(&w->rt->accelerators[slot->where], slot, false);
  }
  return made;
}
