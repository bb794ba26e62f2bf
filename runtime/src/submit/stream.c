/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "submit/stream.h"

#include "fifo/queues.h"
#include "graph/footprint.h"
#include "shared/runtime.h"
#include "sys/relaxed.h"
#include "sys/thread.h"
#include "wait/idle.h"
#include "workers/streams.h"
#include "workers/wake.h"

#include <stdlib.h>
#include <string.h>

enum {
  LOOK_SHARE = 4, /* a launch may be due after 1 / LOOK_SHARE of the bytes that one can take */
  WAKE_EVERY = 32 /* submissions between two looks whether others should come */
};

/* A chunk to fill after the last one; NULL: no memory. */
static struct ag_chunk *next_chunk(struct ag_worker *w, struct ag_stream *s) {
  ag_lock(&w->lock);
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
  ag_unlock(&w->lock);
  return s->fill = c;
}

/* Index of the next record in the chunk that is being filled; AG_STREAM_CHUNK: it goes into another chunk. */
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

/* Whether to wake another thread: for the first unit, so that somebody knows that there is something; later
 * when units are worth its while, if CPUs will run them. */
static bool should_wake(const struct ag_worker *w, const struct ag_task_queue *q, unsigned at) {
  return ag_stream_waiting(w) <= 1 ||
         (at % WAKE_EVERY == 0 && ag_stream_worth(w, q) &&
          !(q->stream.to_fifo && ag_runtime_on_device(w->rt, q->task, AG_LANE_DEVICE)));
}

/* One more unit for the FIFO, of so many bytes at most. Whether a launch may be due. */
static bool may_be_due(const struct ag_runtime *rt, struct ag_stream *s, size_t bytes) {
  if (__builtin_add_overflow(s->bytes_since, bytes, &s->bytes_since))
    s->bytes_since = SIZE_MAX;
  ag_add(&s->submitted, 1);
  uint64_t now = atomic_load_explicit(&s->submitted, memory_order_relaxed);
  if (now - s->looked < s->look_at && s->bytes_since < rt->caps.bytes / LOOK_SHARE)
    return false;
  s->looked = now;
  s->bytes_since = 0;
  return true;
}

/* Bytes of those sections that the record before has as well, such as a table that all units read. */
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
                      struct ag_task_queue **look) {
  unsigned index = task->state->index;
  struct ag_task_queue *q = index < w->n_queues ? w->queues[index] : NULL;
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
  if (!s->to_fifo && incomplete(w) >= AG_STREAM_MOST) {
    AG_UNCANCELLED;
    while (incomplete(w) >= AG_STREAM_MOST && ag_idle_relieve(w)) { /* helping may submit as well */
    }
  }
  if (s->to_fifo && next_place(s) == AG_STREAM_CHUNK)
    ag_throttle(w);
  unsigned at = next_place(s);
  if (s->to_fifo && bytes >= AG_SHARED_LEAST && at && at < AG_STREAM_CHUNK)
    bytes -= shared(s, task, at, ranges);
  if (at == AG_STREAM_CHUNK) {
    if (!next_chunk(w, s))
      return false;
    at = 0;
  }
  if (priority)
    atomic_store_explicit(&w->streams_differ, true, memory_order_relaxed);
  char *record = s->fill->records + at * s->stride;
  *(struct ag_record *)(void *)record = (struct ag_record){d, priority, cost};
  copy(record + s->args_at, args, task->args_size);
  copy(record + s->ranges_at, ranges, task->n_sections * sizeof *ranges);
  ag_add(&d->streamed, 1);
  /* Counted before it can be complete: nobody finds as many complete as were submitted while one is not. */
  ag_add(&w->streamed, 1);
  atomic_store_explicit(&s->fill->filled, at + 1, memory_order_release);
  if (should_wake(w, q, at))
    ag_wake_for(w->rt);
  *look = s->to_fifo && may_be_due(w->rt, s, bytes) ? q : NULL;
  return true;
}
