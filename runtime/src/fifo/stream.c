/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fifo/stream.h"

#include <stdlib.h>

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

/* A record may be taken before its thread has counted it, or counted before it can be taken. */
uint64_t ag_stream_rest(const _Atomic uint64_t *submitted, const _Atomic uint64_t *taken) {
  uint64_t gone = atomic_load_explicit(taken, memory_order_relaxed);
  uint64_t there = atomic_load_explicit(submitted, memory_order_acquire) - gone;
  return there >> 63 ? 0 : there;
}

uint64_t ag_stream_unclaimed(const struct ag_stream *s) { return ag_stream_rest(&s->submitted, &s->claimed); }
