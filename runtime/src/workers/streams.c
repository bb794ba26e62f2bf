/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "workers/streams.h"

#include "fifo/queues.h"
#include "shared/runtime.h"
#include "sys/align.h"
#include "sys/relaxed.h"
#include "workers/worker.h"

void ag_stream_init(const struct ag_runtime *rt, struct ag_task_queue *queue) {
  const struct agglom_task *task = queue->task;
  struct ag_stream *s = &queue->stream;
  s->to_fifo = ag_runtime_uses_devices(rt);
  s->look_at = ag_batch_due(&rt->config.batch);
  s->look_most = task->max_units ? task->max_units : UINT64_MAX;
  if (s->look_most < s->look_at)
    s->look_at = s->look_most;
  s->open = (task->flags & AGGLOM_TASK_INDEPENDENT) && !(task->flags & AGGLOM_TASK_CPU_ONLY) &&
            task->n_sections <= AG_STREAM_SECTIONS && (!s->to_fifo || s->look_at >= AG_STREAM_LOOK_LEAST);
  /* Shaped and accumulated sections need checks that the quick way leaves out. */
  for (unsigned i = 0; i < task->n_sections; ++i)
    if (task->sections[i].mode & (AGGLOM_SHAPED | AGGLOM_ACCUMULATE))
      s->open = false;
  s->align = task->args_align > _Alignof(struct ag_record) ? task->args_align : _Alignof(struct ag_record);
  s->args_at = ag_align_up(sizeof(struct ag_record), s->align);
  s->ranges_at = ag_align_up(s->args_at + task->args_size, _Alignof(struct agglom_range));
  s->stride = ag_align_up(s->ranges_at + task->n_sections * sizeof(struct agglom_range), s->align);
}

void ag_stream_look_after(struct ag_stream *s, uint64_t n) {
  s->look_at = n < AG_STREAM_LOOK_LEAST ? AG_STREAM_LOOK_LEAST : n < s->look_most ? n : s->look_most;
}

void ag_stream_look_again(struct ag_stream *s) {
  s->looked = atomic_load_explicit(&s->submitted, memory_order_relaxed) - s->look_at + 1;
}

bool ag_stream_worth(const struct ag_worker *w, const struct ag_task_queue *queue) {
  return ag_queue_worth(queue, ag_stream_waiting(w), AG_CPU_SHARE * w->rt->cpus);
}

static const struct ag_record *record_at(const struct ag_stream *s, const struct ag_chunk *c, unsigned i) {
  return (const void *)(c->records + i * s->stride);
}

static unsigned filled(const struct ag_chunk *c) {
  return atomic_load_explicit(&c->filled, memory_order_acquire);
}

/* The next record to take, or NULL. Lock held. */
static const struct ag_record *next_record(struct ag_stream *s) {
  while (s->claim && s->claim->taken == AG_STREAM_CHUNK && s->claim->next)
    s->claim = s->claim->next;
  if (!s->claim || s->claim->taken == filled(s->claim))
    return NULL;
  return record_at(s, s->claim, s->claim->taken);
}

/* Whether CPUs may claim the stream's records. Lock held. */
static bool for_cpus(const struct ag_stream *s) { return s->open && (!s->to_fifo || s->stuck); }

/* The next stream by turns that has something; NULL: none has. Lock held. */
static struct ag_task_queue *next_in_turn(struct ag_worker *of) {
  for (unsigned i = 0, at = of->stream_turn; i < of->n_queues; ++i, ++at) {
    at = at < of->n_queues ? at : 0;
    struct ag_task_queue *q = of->queues[at];
    if (!q || !for_cpus(&q->stream) || !next_record(&q->stream))
      continue;
    of->stream_turn = at + 1;
    return q;
  }
  return NULL;
}

/* The stream that goes first among those that have something; NULL: none has. Lock held. */
static struct ag_task_queue *choose(struct ag_worker *of) {
  struct ag_task_queue *best = NULL;
  struct ag_standing first = {0};
  if (!atomic_load_explicit(&of->streams_differ, memory_order_relaxed))
    return next_in_turn(of);
  for (unsigned i = 0; i < of->n_queues; ++i) {
    struct ag_task_queue *q = of->queues[i];
    const struct ag_record *r = q && for_cpus(&q->stream) ? next_record(&q->stream) : NULL;
    if (!r)
      continue;
    struct ag_standing standing = {r->priority, q->stream.passed};
    if (!best || ag_turn_compare(standing, first) > 0) {
      best = q;
      first = standing;
    }
  }
  return best;
}

/* The chosen stream goes first; other streams with records were passed over. Lock held. */
static void pass_over_others(struct ag_worker *of, struct ag_stream *chosen) {
  if (!atomic_load_explicit(&of->streams_differ, memory_order_relaxed))
    return;
  for (unsigned i = 0; i < of->n_queues; ++i)
    if (of->queues[i] && for_cpus(&of->queues[i]->stream))
      of->queues[i]->stream.passed += next_record(&of->queues[i]->stream) != NULL;
  chosen->passed = 0;
}

bool ag_stream_claim(struct ag_worker *w, struct ag_worker *of, struct ag_claim *claim) {
  *claim = (struct ag_claim){.of = of};
  if (!ag_stream_waiting(of))
    return false;
  ag_lock(&of->lock);
  claim->queue = choose(of);
  uint64_t share = ag_stream_waiting(of) / (AG_CPU_SHARE * of->rt->cpus);
  if (claim->queue && w != of && w->awaits != of && !ag_stream_worth(of, claim->queue) &&
      !ag_queue_away(&claim->queue->stream.away, atomic_load_explicit(&of->streamed, memory_order_relaxed)))
    claim->queue = NULL;
  if (claim->queue) {
    struct ag_stream *s = &claim->queue->stream;
    struct ag_chunk *c = s->claim;
    pass_over_others(of, s);
    uint64_t here = filled(c) - c->taken, n = of->rt->cpus == 1 ? here : share < 1 ? 1 : share;
    n = n < here ? n : here;
    claim->chunk = c;
    claim->first = c->taken;
    claim->n = (unsigned)n;
    claim->from = c->base + c->taken;
    claim->before = s->last;
    if (s->last)
      s->last->behind = claim;
    else
      s->first = claim;
    s->last = claim;
    c->taken += claim->n;
    ag_add(&of->streamed_taken, n);
    ag_add(&s->claimed, n);
    s->stuck = s->stuck && next_record(s); /* there may be memory for later records */
  }
  ag_unlock(&of->lock);
  return claim->queue != NULL;
}

void ag_stream_args(const struct ag_claim *claim, const void **args) {
  const struct ag_stream *s = &claim->queue->stream;
  const char *record = claim->chunk->records + claim->first * s->stride + s->args_at;
  for (unsigned i = 0; i < claim->n; ++i, record += s->stride)
    args[i] = record;
}

/* --- Completion --------------------------------------------------------------------------------------- */

/* Moves the chunk, which is filled and all of whose records are done, from the chunks in use to the spare
 * ones. */
static void retire(struct ag_stream *s, struct ag_chunk *c) {
  struct ag_chunk **at = &s->head, *before = NULL;
  while (*at != c) {
    before = *at;
    at = &before->next;
  }
  *at = c->next;
  if (s->tail == c)
    s->tail = before;
  if (s->claim == c)
    s->claim = c->next;
  s->untold += AG_STREAM_CHUNK - c->told;
  c->next = s->spare;
  s->spare = c;
}

/* Counts n more records as complete. A thread that reads the new count sees what these units wrote. Lock
 * held. */
static void done(struct ag_worker *of, uint64_t n) {
  uint64_t so_far = atomic_load_explicit(&of->streamed_done, memory_order_relaxed);
  atomic_store_explicit(&of->streamed_done, so_far + n, memory_order_release);
}

void ag_stream_move(struct ag_worker *of, struct ag_task_queue *queue,
                    bool (*take)(struct ag_worker *of, struct ag_task_queue *queue,
                                 const struct ag_record *record, const void *args,
                                 const struct agglom_range *ranges)) {
  struct ag_stream *s = &queue->stream;
  uint64_t n = 0;
  s->stuck = false;
  for (; next_record(s); ++n) {
    struct ag_chunk *c = s->claim;
    struct ag_record *r = (void *)(c->records + c->taken * s->stride);
    s->stuck =
        !take(of, queue, r, (const char *)r + s->args_at, (const void *)((const char *)r + s->ranges_at));
    if (s->stuck)
      break;
    ++r->domain->streamed_done;
    r->domain = NULL;
    ++c->taken;
    if (++c->done == AG_STREAM_CHUNK)
      retire(s, c);
  }
  ag_add(&of->streamed_taken, n);
  ag_add(&s->claimed, n);
  done(of, n);
}

void ag_stream_done(const struct ag_claim *claim,
                    void (*each)(struct ag_domain *domain, unsigned n, void *context), void *context) {
  struct ag_stream *s = &claim->queue->stream;
  struct ag_chunk *c = claim->chunk;
  char *record = c->records + claim->first * s->stride;
  struct ag_domain *d = NULL;
  unsigned run = 0;
  done(claim->of, claim->n);
  *(claim->before ? &claim->before->behind : &s->first) = claim->behind;
  *(claim->behind ? &claim->behind->before : &s->last) = claim->before;
  c->done += claim->n;
  for (unsigned i = 0; i < claim->n; ++i, record += s->stride) {
    struct ag_record *r = (void *)record;
    if (r->domain != d && run) {
      each(d, run, context);
      run = 0;
    }
    d = r->domain;
    r->domain = NULL;
    ++run;
  }
  each(d, run, context);
  if (c->done == AG_STREAM_CHUNK)
    retire(s, c);
}

bool ag_stream_busy(const struct ag_stream *s) {
  for (const struct ag_chunk *c = s->head; c; c = c->next)
    if (c->done != filled(c))
      return true;
  return false;
}

uint64_t ag_stream_tell(struct ag_stream *s) {
  uint64_t n = s->untold;
  for (struct ag_chunk *c = s->head; c; c = c->next) {
    unsigned now = filled(c);
    n += now - c->told;
    c->told = now;
  }
  s->untold = 0;
  return n;
}

uint64_t ag_stream_end(const struct ag_stream *s) {
  return s->tail ? s->tail->base + filled(s->tail) : s->begun;
}

bool ag_stream_wakes(struct ag_stream *s) {
  if (!s->waited_to || !ag_stream_done_to(s, s->waited_to))
    return false;
  s->waited_to = 0;
  return true;
}

uint64_t ag_stream_end_of(const struct ag_task_queue *queue, const struct ag_domain *d,
                          bool (*test)(const struct agglom_task *task, const struct ag_access *access,
                                       void *context),
                          void *context) {
  const struct ag_stream *s = &queue->stream;
  const struct agglom_task *task = queue->task;
  uint64_t end = 0;
  for (const struct ag_chunk *c = s->head; c; c = c->next)
    for (unsigned i = 0, n = c->done == filled(c) ? 0 : filled(c); i < n; ++i) {
      const struct ag_record *r = record_at(s, c, i);
      const struct agglom_range *ranges = (const void *)((const char *)r + s->ranges_at);
      struct ag_access access[AG_STREAM_SECTIONS];
      if (r->domain != d)
        continue;
      for (unsigned k = 0; k < task->n_sections; ++k)
        ag_section_run(&task->sections[k], &ranges[k], &access[k]);
      if (test(task, access, context))
        end = c->base + i + 1;
    }
  return end;
}
