/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When a CUDA device does what it is given: two events, and what they tell. */
#include "device/cuda.h"
#include "sys/clock.h"

#include <stdlib.h>

/* How long events are counted from the same one: a float of 1e4 ms is exact to a microsecond. */
static const uint64_t BASE_NS = 8000000000;
/* Where the thread loses its CPU between the event and the look at the clock, all times would be wrong by
 * half of that: it is done again. An event and a wait for it take 10 to 30 us. */
enum { BASE_WITHIN_NS = 200000, BASE_ATTEMPTS = 4 };

/* --- Launches that look alike -------------------------------------------------------------------------- */

/* Of a kernel that takes less than SHORT_NS, the events around it cost the host as much as the rest of the
 * launch: the FIRST ones are timed, and then one of EVERY, a prime, so as not to hit the same one of a round.
 */
enum { FIRST = 3, EVERY = 17, SHORT_NS = 50000, REMEMBERED = 8 };

struct alike *ag_cuda_alike(struct ag_stream *s, const struct ag_kernel *kernel, unsigned units,
                            struct ag_grid grid) {
  for (unsigned i = 0; i < ALIKE; ++i) {
    struct alike *like = &s->alike[i];
    if (like->kernel == kernel && like->units == units && like->grid.blocks == grid.blocks &&
        like->grid.threads == grid.threads)
      return like;
  }
  struct alike *like = &s->alike[s->next_alike++ % ALIKE];
  for (unsigned i = 0; i < s->used; ++i)
    if (s->spans[i].like == like)
      s->spans[i].like = NULL;
  *like = (struct alike){.kernel = kernel, .units = units, .grid = grid};
  return like;
}

bool ag_cuda_to_be_timed(struct alike *like) {
  unsigned n = like->launches++;
  return n < FIRST || !like->measured || like->ns >= SHORT_NS || n % EVERY == 0;
}

/* The mean, in which later ones count more. */
static void learn(struct alike *like, double ns) {
  if (!like || ns <= 0)
    return;
  like->measured += like->measured < REMEMBERED;
  like->ns += (ns - like->ns) / like->measured;
}

/* --- Spans ---------------------------------------------------------------------------------------------- */

int ag_cuda_take_span(struct cuda *c, struct ag_stream *s, enum span_kind kind, struct span **span) {
  if (s->used == s->n_spans) {
    struct span *grown = realloc(s->spans, (s->n_spans + 1) * sizeof *grown);
    if (!grown)
      return -ENOMEM;
    s->spans = grown;
    struct span fresh = {.kind = kind};
    int err = CALL(c, event_create, &fresh.begin, AG_CU_EVENT_DEFAULT);
    if (err)
      return err;
    err = CALL(c, event_create, &fresh.end, AG_CU_EVENT_DEFAULT);
    if (err) {
      CALL_IF_ALIVE(c, event_destroy, fresh.begin);
      return err;
    }
    s->spans[s->n_spans++] = fresh;
  }
  *span = &s->spans[s->used];
  (*span)->kind = kind;
  (*span)->like = NULL;
  return 0;
}

/* Events tell how long after another one they were, in floating-point milliseconds: now and then there must
 * be a new one to count from. */
int ag_cuda_set_base(struct cuda *c, struct ag_stream *s) {
  int err = 0;
  uint64_t took = BASE_WITHIN_NS;
  for (int attempt = 0; attempt < BASE_ATTEMPTS && !err && took >= BASE_WITHIN_NS; ++attempt) {
    uint64_t before = ag_clock_ns();
    err = CALL(c, event_record, s->base, s->stream);
    if (!err)
      err = ag_cuda_drain(c, s);
    took = ag_clock_ns() - before;
    s->base_ns = before + took / 2;
  }
  return err;
}

/* When the span was, in our time. */
static int locate(struct cuda *c, struct ag_stream *s, const struct span *span, double ns) {
  struct ag_clock_span *all = span->kind == SPAN_COPY_IN  ? &s->times.copy_in
                              : span->kind == SPAN_KERNEL ? &s->times.kernel
                                                          : &s->times.copy_out;
  float ms = 0;
  int err = CALL(c, event_elapsed, &ms, s->base, span->begin);
  if (err || !(ms >= 0))
    return err;
  uint64_t begin = s->base_ns + (uint64_t)((double)ms * 1e6);
  if (!all->end)
    all->begin = begin;
  all->end = begin + (uint64_t)(ns + 0.5);
  return 0;
}

int ag_cuda_read_spans(struct cuda *c, struct ag_stream *s) {
  double kernels = s->guessed_mark_ns;
  int err = 0;
  s->times = (struct ag_device_times){0};
  for (unsigned i = 0; i < s->used_mark && !err; ++i) {
    float ms = 0;
    err = CALL(c, event_elapsed, &ms, s->spans[i].begin, s->spans[i].end);
    double ns = ms > 0 ? (double)ms * 1e6 : 0; /* a bad measurement is none */
    if (s->spans[i].kind == SPAN_KERNEL) {
      kernels += ns;
      learn(s->spans[i].like, ns);
    }
    if (!err && s->base)
      err = locate(c, s, &s->spans[i], ns);
  }
  s->kernel_ns = err ? 0 : (uint64_t)(kernels + 0.5);
  for (unsigned i = s->used_mark; i < s->used; ++i) {
    struct span spare = s->spans[i - s->used_mark];
    s->spans[i - s->used_mark] = s->spans[i];
    s->spans[i] = spare;
  }
  s->used -= s->used_mark;
  s->used_mark = 0;
  s->guessed_ns -= s->guessed_mark_ns;
  s->guessed_mark_ns = 0;
  if (s->base && !s->used && ag_clock_ns() - s->base_ns > BASE_NS)
    ag_cuda_set_base(c, s);
  return ag_device_lost(&c->base) ? -EIO : 0;
}
