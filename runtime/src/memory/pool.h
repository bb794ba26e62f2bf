/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pool of objects of one size. Memory taken for a pool stays an object of that pool until the pool is
 * destroyed, so that a stale pointer still points at an object whose fields can be read: that is how old
 * records are recognised (see graph/graph.h). Not thread-safe: the owner's lock protects it. */
#ifndef AG_POOL_H
#define AG_POOL_H

#include <stddef.h>

struct ag_pool {
  size_t size;       /* bytes from object to object, a multiple of align */
  size_t align;      /* a power of two */
  void *free;        /* list through words behind the objects */
  void *chunks;      /* list through the chunks' first bytes */
  size_t live;       /* objects handed out */
  size_t next_bytes; /* about the size of the next chunk; 0: there is none yet */
};

/* align: a power of two, or 0 for pointer alignment. */
void ag_pool_init(struct ag_pool *pool, size_t size, size_t align);

/* Makes more objects when none is free; 0, or -1 without memory. */
int ag_pool_grow(struct ag_pool *pool);

/* The link stands behind the object, so that a freed object keeps its fields. */
static inline void **ag_pool_link(const struct ag_pool *pool, void *object) {
  return (void **)(void *)((char *)object + pool->size - sizeof(void *));
}

/* An object, or NULL when there is no memory. A new object is all zero; a used one is as it was given
 * back, which lets it keep buffers from use to use. */
static inline void *ag_pool_take(struct ag_pool *pool) {
  if (!pool->free && ag_pool_grow(pool))
    return NULL;
  void *object = pool->free;
  pool->free = *ag_pool_link(pool, object);
  if (pool->free) { /* those that were given back lie anywhere, and it will be needed soon */
    __builtin_prefetch(pool->free);
    __builtin_prefetch(ag_pool_link(pool, pool->free));
  }
  ++pool->live;
  return object;
}

static inline void ag_pool_give(struct ag_pool *pool, void *object) {
  *ag_pool_link(pool, object) = pool->free;
  pool->free = object;
  --pool->live;
}

/* Frees everything, whether given back or not. The pool can be used again. */
void ag_pool_destroy(struct ag_pool *pool);

#endif /* AG_POOL_H */
