/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory/pool.h"
#include "sys/align.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the first chunk, which is enough for many programs, and of those from the fourth on. */
enum { FIRST_BYTES = 4 * 1024, CHUNK_BYTES = 32 * 1024, MIN_OBJECTS = 8 };

void ag_pool_init(struct ag_pool *pool, size_t size, size_t align) {
  memset(pool, 0, sizeof *pool);
  pool->align = align < _Alignof(max_align_t) ? _Alignof(max_align_t) : align;
  pool->size = ag_align_up(size + sizeof(void *), pool->align);
}

int ag_pool_grow(struct ag_pool *pool) {
  size_t head = ag_align_up(sizeof(void *), pool->align);
  size_t room = pool->next_bytes ? pool->next_bytes : FIRST_BYTES, count = room / pool->size;
  if (count < MIN_OBJECTS)
    count = MIN_OBJECTS;
  size_t bytes = ag_align_up(head + count * pool->size, pool->align);
  char *chunk = aligned_alloc(pool->align, bytes);
  if (!chunk)
    return -1;
  memset(chunk, 0, bytes);
  *(void **)(void *)chunk = pool->chunks;
  pool->chunks = chunk;
  pool->next_bytes = room < CHUNK_BYTES ? 2 * room : room;
  for (size_t i = count; i-- > 0;) { /* lowest address first */
    void *object = chunk + head + i * pool->size;
    *ag_pool_link(pool, object) = pool->free;
    pool->free = object;
  }
  return 0;
}

void ag_pool_destroy(struct ag_pool *pool) {
  for (void *chunk = pool->chunks, *next; chunk; chunk = next) {
    next = *(void **)chunk;
    free(chunk);
  }
  pool->chunks = pool->free = NULL;
  pool->live = pool->next_bytes = 0;
}
