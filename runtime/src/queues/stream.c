/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "queues/stream.h"
#include "sys/align.h"

#include "dispatch/dispatch.h"
#include "launch/footprint.h"
#include "runtime.h"
#include "units/submit.h"
#include "workers/sleep.h"

#include <stdlib.h>
#include <string.h>

enum {
  LOOK_LEAST = 8,    /* where a launch may be due after fewer units, each of them is made a unit at once */
  LOOK_SHARE = 4,    /* a launch may be due after 1 / LOOK_SHARE of the bytes that one can take */
  WAKE_EVERY = 32,   /* submissions between two looks whether others should come */
  MOST_SECTIONS = 64 /* of a task whose units go this way */
};

/* To a number that only the caller changes. */
static void add(_Atomic uint64_t *to, uint64_t n) {
  atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n, memory_order_relaxed);
}

void ag_stream_init(const struct ag_runtime *rt, struct ag_queue *queue) {
  const struct agglom_task *task = queue->task;
  struct ag_stream *s = &queue->stream;
  s->to_fifo = ag_runtime_uses_devices(rt);
  s->look_at = ag_batch_due(&rt->config.batch);
  s->look_most = task->max_units ? task->max_units : UINT64_MAX;
  if (s->look_most < s->look_at)
    s->look_at = s->look_most;
  s->open = (task->flags & AGGLOM_TASK_INDEPENDENT) && !(task->flags & AGGLOM_TASK_CPU_ONLY) &&
            task->n_sections <= MOST_SECTIONS && (!s->to_fifo || s->look_at >= LOOK_LEAST);
  /* What has to be looked at closely before it can be believed. */
  for (unsigned i = 0; i < task->n_sections; ++i)
    if (task->sections[i].mode & (AGGLOM_SHAPED | AGGLOM_ACCUMULATE))
      s->open = false;
  s->align = task->args_align > _Alignof(struct ag_record) ? task->args_align : _Alignof(struct ag_record);
  s->args_at = ag_align_up(sizeof(struct ag_record), s->align);
  s->ranges_at = ag_align_up(s->args_at + task->args_size, _Alignof(struct agglom_range));
  s->stride = ag_align_up(s->ranges_at + task->n_sections * sizeof(struct agglom_range), s->align);
}

void ag_stream_look_after(struct ag_stream *s, uint64_t n) {
  s->look_at = n < LOOK_LEAST ? LOOK_LEAST : n < s->look_most ? n : s->look_most;
}

void ag_stream_look_again(struct ag_stream *s) {
  s->looked = atomic_load_explicit(&s->submitted, memory_order_relaxed) - s->look_at + 1;
}

static void free_chunks(struct ag_chunk *chunk) {
  for (struct ag_chunk *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk->records);
    free(chunk);
  }
}

void ag_stream_destroy(struct ag_stream *s) {
  free_chunks(s->head);
  free_chunks(s->spare);
}

/* --- Submitting --------------------------------------------------------------------------------------- */

/* A chunk to fill after the last one; NULL: no memory. */
static struct ag_chunk *next_chunk(struct ag_worker *w, struct ag_stream *s) {
  pthread_mutex_lock(&w->lock);
  struct ag_chunk *c = s->spare;
  if (c) {
    s->spare = c->next;
    char *records = c->records;
    *c = (struct ag_chunk){.records = records};
  } else if ((c = calloc(1, sizeof *c)) &&
             !(c->records = aligned_alloc(s->align, AG_STREAM_CHUNK * s->stride))) {
    free(c);
    c = NULL;
  }
  if (c) {
    c->base = s->begun;
    s->begun += AG_STREAM_CHUNK;
    if (s->tail)
      s->tail->next = c;
    else
      s->head = c;
    s->tail = c;
    if (!s->claim)
      s->claim = c;
  }
  pthread_mutex_unlock(&w->lock);
  return s->fill = c;
}

/* In the chunk that is being filled; AG_STREAM_CHUNK: in another one. */
static unsigned next_place(const struct ag_stream *s) {
  return s->fill ? atomic_load_explicit(&s->fill->filled, memory_order_relaxed) : AG_STREAM_CHUNK;
}

/* memcpy() for a few words, without the call. */
static inline void copy(void *to, const void *from, size_t n) {
  if (n % sizeof(uint64_t) || n > 8 * sizeof(uint64_t)) {
    memcpy(to, from, n);
    return;
  }
  for (size_t i = 0; i < n; i += sizeof(uint64_t))
    memcpy((char *)to + i, (const char *)from + i, sizeof(uint64_t));
}

static uint64_t incomplete(const struct ag_worker *w) {
  return atomic_load_explicit(&w->streamed, memory_order_relaxed) -
         atomic_load_explicit(&w->streamed_done, memory_order_relaxed);
}

bool ag_stream_worth(const struct ag_worker *w, const struct ag_queue *queue) {
  return ag_worker_worth(queue, ag_stream_waiting(w), AG_CPU_SHARE * w->rt->cpus);
}

/* Whether another thread should come: for the first unit, so that somebody knows that there is something;
 * then for as many as are worth it, if CPUs will run them. */
static bool should_wake(const struct ag_worker *w, const struct ag_queue *q, unsigned at) {
  return ag_stream_waiting(w) <= 1 ||
         (at % WAKE_EVERY == 0 && ag_stream_worth(w, q) &&
          !(q->stream.to_fifo && ag_runtime_on_device(w->rt, q->task, AG_LANE_DEVICE)));
}

/* One more unit for the FIFO, of so many bytes at most. Whether a launch may be due. */
static bool may_be_due(const struct ag_runtime *rt, struct ag_stream *s, size_t bytes) {
  if (__builtin_add_overflow(s->bytes_since, bytes, &s->bytes_since))
    s->bytes_since = SIZE_MAX;
  add(&s->submitted, 1);
  uint64_t now = atomic_load_explicit(&s->submitted, memory_order_relaxed);
  if (now - s->looked < s->look_at && s->bytes_since < rt->caps.bytes / LOOK_SHARE)
    return false;
  s->looked = now;
  s->bytes_since = 0;
  return true;
}

/* Bytes that the last record of the chunk that is being filled has as well: those of a table that all read.
 */
static size_t shared(const struct ag_stream *s, const struct agglom_task *task, unsigned at,
                     const struct agglom_range *ranges) {
  const struct agglom_range *last = (const void *)(s->fill->records + (at - 1) * s->stride + s->ranges_at);
  size_t bytes = 0;
  for (unsigned i = 0; i < task->n_sections; ++i)
    if (last[i].base == ranges[i].base && last[i].lo == ranges[i].lo && last[i].len == ranges[i].len)
      bytes += (size_t)ranges[i].len * task->sections[i].elem_size;
  return bytes;
}

bool ag_stream_submit(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task, const void *args,
                      const struct agglom_range *ranges, long long priority, unsigned long long cost,
                      struct ag_queue **look) {
  unsigned index = task->state->index;
  struct ag_queue *q = index < w->n_queues ? w->queues[index] : NULL;
  if (!q || !q->stream.open)
    return false;
  struct ag_stream *s = &q->stream;
  struct ag_access access;
  size_t bytes = task->args_size;
  for (unsigned i = 0; i < task->n_sections; ++i) {
    if (!ag_section_run(&task->sections[i], &ranges[i], &access))
      return false;
    if (__builtin_add_overflow(bytes, access.hi - access.lo, &bytes))
      bytes = SIZE_MAX;
  }
  while (!s->to_fifo && incomplete(w) >= AG_STREAM_MOST &&
         ag_worker_relieve(w)) { /* which may submit as well */
  }
  if (s->to_fifo && next_place(s) == AG_STREAM_CHUNK)
    ag_worker_throttle(w);
  unsigned at = next_place(s);
  if (s->to_fifo && bytes >= AG_SHARED_LEAST && at && at < AG_STREAM_CHUNK)
    bytes -= shared(s, task, at, ranges);
  if (at == AG_STREAM_CHUNK) {
    if (!next_chunk(w, s))
      return false;
    at = 0;
  }
  char *record = s->fill->records + at * s->stride;
  *(struct ag_record *)(void *)record = (struct ag_record){d, priority, cost};
  copy(record + s->args_at, args, task->args_size);
  copy(record + s->ranges_at, ranges, task->n_sections * sizeof *ranges);
  add(&d->streamed, 1);
  /* Counted before it can be complete: nobody finds as many complete as were submitted while one is not. */
  add(&w->streamed, 1);
  atomic_store_explicit(&s->fill->filled, at + 1, memory_order_release);
  if (should_wake(w, q, at))
    ag_wake_for(w->rt);
  *look = s->to_fifo && may_be_due(w->rt, s, bytes) ? q : NULL;
  return true;
}

/* --- Claiming ----------------------------------------------------------------------------------------- */

/* What was submitted and not taken. A record may be taken before its thread has counted it, or counted before
 * it can be taken. */
static uint64_t rest(const _Atomic uint64_t *submitted, const _Atomic uint64_t *taken) {
  uint64_t gone = atomic_load_explicit(taken, memory_order_relaxed);
  uint64_t there = atomic_load_explicit(submitted, memory_order_acquire) - gone;
  return there >> 63 ? 0 : there;
}

uint64_t ag_stream_waiting(const struct ag_worker *w) { return rest(&w->streamed, &w->streamed_taken); }

uint64_t ag_stream_unclaimed(const struct ag_stream *s) { return rest(&s->submitted, &s->claimed); }

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

/* Whether CPUs may claim its records. Lock held. */
static bool for_cpus(const struct ag_stream *s) { return s->open && (!s->to_fifo || s->stuck); }

/* The stream that goes first among those that have something; NULL: none has. Lock held. */
static struct ag_queue *choose(struct ag_worker *of) {
  struct ag_queue *best = NULL;
  struct ag_standing first = {0};
  for (unsigned i = 0; i < of->n_queues; ++i) {
    struct ag_queue *q = of->queues[i];
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

/* This one goes, the others were passed over. Lock held. */
static void pass_over_others(struct ag_worker *of, struct ag_stream *chosen) {
  for (unsigned i = 0; i < of->n_queues; ++i)
    if (of->queues[i] && for_cpus(&of->queues[i]->stream))
      of->queues[i]->stream.passed += next_record(&of->queues[i]->stream) != NULL;
  chosen->passed = 0;
}

bool ag_stream_claim(struct ag_worker *w, struct ag_worker *of, struct ag_claim *claim) {
  *claim = (struct ag_claim){.of = of};
  if (!ag_stream_waiting(of))
    return false;
  pthread_mutex_lock(&of->lock);
  claim->queue = choose(of);
  uint64_t share = ag_stream_waiting(of) / (AG_CPU_SHARE * of->rt->cpus);
  if (claim->queue && w != of && w->awaits != of && !ag_stream_worth(of, claim->queue) &&
      !ag_worker_away(&claim->queue->stream.left, atomic_load_explicit(&of->streamed, memory_order_relaxed)))
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
    add(&of->streamed_taken, n);
    add(&s->claimed, n);
    s->stuck = s->stuck && next_record(s); /* what comes later may find memory */
  }
  pthread_mutex_unlock(&of->lock);
  return claim->queue != NULL;
}

void ag_stream_args(const struct ag_claim *claim, const void **args) {
  const struct ag_stream *s = &claim->queue->stream;
  const char *record = claim->chunk->records + claim->first * s->stride + s->args_at;
  for (unsigned i = 0; i < claim->n; ++i, record += s->stride)
    args[i] = record;
}

/* --- Completion --------------------------------------------------------------------------------------- */

/* Takes the chunk out of those in use: it is filled and done with. */
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

/* So many more records are complete. Whoever sees that sees what they wrote. Lock held. */
static void done(struct ag_worker *of, uint64_t n) {
  uint64_t so_far = atomic_load_explicit(&of->streamed_done, memory_order_relaxed);
  atomic_store_explicit(&of->streamed_done, so_far + n, memory_order_release);
}

void ag_stream_move(struct ag_worker *of, struct ag_queue *queue,
                    bool (*take)(struct ag_worker *of, struct ag_queue *queue, const struct ag_record *record,
                                 const void *args, const struct agglom_range *ranges)) {
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
  add(&of->streamed_taken, n);
  add(&s->claimed, n);
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

uint64_t ag_stream_end_of(const struct ag_queue *queue, const struct ag_domain *d,
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
      struct ag_access access[MOST_SECTIONS];
      if (r->domain != d)
        continue;
      for (unsigned k = 0; k < task->n_sections; ++k)
        ag_section_run(&task->sections[k], &ranges[k], &access[k]);
      if (test(task, access, context))
        end = c->base + i + 1;
    }
  return end;
}
