/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of one device, reserved at start-up and divided here. It is a log of equal segments: a batch
 * takes one block from the end of the open segment, or of the next one, and no block is given back by itself.
 * A segment begins anew when no batch in flight uses it and no copy in it is worth keeping.
 *
 * A batch in flight pins the segments that it uses. All batches together use copies in so few of them that
 * one is left for the block of each, so every batch that begins gets its block.
 *
 * Knows nothing of devices, copies and locks; whoever owns the arena protects it. */
#ifndef AG_ARENA_H
#define AG_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AG_ARENA_SEGMENTS = 64, AG_ARENA_ALIGN = 256 };

struct ag_segment_use {
  size_t used;     /* bytes from its start */
  unsigned pins;   /* batches in flight that use it */
  uint64_t recent; /* when a batch used it last */
};

struct ag_arena {
  size_t segment_bytes; /* a multiple of AG_ARENA_ALIGN */
  unsigned n_segments;  /* at most AG_ARENA_SEGMENTS */
  unsigned open;        /* segment in which the next block is looked for first */
  uint64_t clock;
  struct ag_segment_use segment[AG_ARENA_SEGMENTS];
};

void ag_arena_init(struct ag_arena *arena, size_t segment_bytes, unsigned n_segments);

/* Takes a block of bytes <= segment_bytes and pins its segment: *at is its offset in the arena, *segment its
 * segment. keeps(context, s) says whether segment s is worth keeping. When no other segment is left, the one
 * that was not used for the longest time is emptied and passed to empties(). -ENOMEM: all are pinned. */
int ag_arena_take(struct ag_arena *arena, size_t bytes, bool (*keeps)(void *context, unsigned segment),
                  void (*empties)(void *context, unsigned segment), void *context, size_t *at,
                  unsigned *segment);

/* Pins are counted: one for each batch and segment. */
void ag_arena_pin(struct ag_arena *arena, unsigned segment);
void ag_arena_unpin(struct ag_arena *arena, unsigned segment);

#endif /* AG_ARENA_H */
