/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulated device's own parts: emulated.c (calls, streams, executors) and emulated_memory.c (its
 * address space). Nothing else includes this. */
#ifndef AG_EMULATED_H
#define AG_EMULATED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/** One piece of emulated memory: inaccessible pages, the usable bytes, inaccessible pages. */
struct ag_emulated_block {
  char *start;  /* what the caller has */
  size_t bytes; /* what the caller asked for */
  char *map;    /* the whole mapping with its guard pages */
  size_t map_bytes;
};

/** The memory of one device of one sort (device or pinned host). Every call is safe from any thread. */
struct ag_emulated_memory {
  pthread_mutex_t lock;
  struct ag_emulated_block *blocks; /* sorted by start */
  size_t n_blocks, room;
  size_t used, limit; /* bytes; used counts whole pages as a device would */
};

void ag_emulated_memory_init(struct ag_emulated_memory *memory, size_t limit);

/* Unmaps all that is left. Only when nobody uses it any more. */
void ag_emulated_memory_destroy(struct ag_emulated_memory *memory);

/* bytes > 0, aligned to 256, filled with the byte 0xAA, its end next to a guard page. -ENOMEM over the limit.
 */
int ag_emulated_memory_alloc(struct ag_emulated_memory *memory, size_t bytes, void **start);

/* -EINVAL if start is not one that ag_emulated_memory_alloc() gave and is still alive. */
int ag_emulated_memory_free(struct ag_emulated_memory *memory, void *start);

/* Whether address .. address + bytes - 1 lies within one live allocation. */
bool ag_emulated_memory_holds(struct ag_emulated_memory *memory, const void *address, size_t bytes);

/* Whether any live allocation contains this byte. */
bool ag_emulated_memory_has(struct ag_emulated_memory *memory, const void *address);

#endif /* AG_EMULATED_H */
