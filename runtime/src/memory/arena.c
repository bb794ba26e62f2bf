/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory/arena.h"

#include <errno.h>
#include <string.h>

void ag_arena_init(struct ag_arena *arena, size_t segment_bytes, unsigned n_segments) {
  memset(arena, 0, sizeof *arena);
  arena->segment_bytes = segment_bytes;
  arena->n_segments = n_segments;
}

static bool has_room(const struct ag_arena *arena, unsigned s, size_t bytes) {
  return bytes <= arena->segment_bytes - arena->segment[s].used;
}

/* The segment for the next block, which has room for it. */
static int choose(struct ag_arena *arena, size_t bytes, bool (*keeps)(void *, unsigned),
                  void (*empties)(void *, unsigned), void *context, unsigned *chosen) {
  unsigned s = arena->open;
  if (!arena->segment[s].pins && !keeps(context, s))
    arena->segment[s].used = 0;
  *chosen = s;
  if (has_room(arena, s, bytes))
    return 0;
  bool found = false;
  for (s = 0; s < arena->n_segments; ++s) {
    struct ag_segment_use *use = &arena->segment[s];
    if (use->pins)
      continue;
    if (!use->used || !keeps(context, s)) {
      use->used = 0;
      *chosen = s;
      return 0;
    }
    if (!found || use->recent < arena->segment[*chosen].recent)
      *chosen = s;
    found = true;
  }
  if (!found)
    return -ENOMEM;
  empties(context, *chosen);
  arena->segment[*chosen].used = 0;
  return 0;
}

int ag_arena_take(struct ag_arena *arena, size_t bytes, bool (*keeps)(void *context, unsigned segment),
                  void (*empties)(void *context, unsigned segment), void *context, size_t *at,
                  unsigned *segment) {
  unsigned s;
  bytes = (bytes + AG_ARENA_ALIGN - 1) / AG_ARENA_ALIGN * AG_ARENA_ALIGN;
  if (bytes > arena->segment_bytes || choose(arena, bytes, keeps, empties, context, &s))
    return -ENOMEM;
  arena->open = s;
  *at = (size_t)s * arena->segment_bytes + arena->segment[s].used;
  *segment = s;
  arena->segment[s].used += bytes;
  ag_arena_pin(arena, s);
  return 0;
}

void ag_arena_pin(struct ag_arena *arena, unsigned s) {
  ++arena->segment[s].pins;
  arena->segment[s].recent = ++arena->clock;
}

void ag_arena_unpin(struct ag_arena *arena, unsigned s) { --arena->segment[s].pins; }
