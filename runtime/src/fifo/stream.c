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

uint64_t ag_stream_unclaimed(const struct ag_stream *s) { return ag_stream_rest(&s->submitted, &s->claimed); }
