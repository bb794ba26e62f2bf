/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that finds mistakes: an access past the end of an allocation, before its page, or after it was
 * freed ends in a segmentation fault at the very instruction, and nothing reads as zero by luck. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/emulated.h"
#include "sys/topology.h"
#include "sys/writing.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGN = 256 };

/* Larger allocations than this are not written at once but mapped, piece by piece, from one poisoned
 * file: an arena of a gigabyte then costs only what of it is used. */
static const size_t TILE = (size_t)4 << 20;

static pthread_once_t tile_once = PTHREAD_ONCE_INIT;
static int tile_file = -1;

static void make_tile(void) {
  int file = memfd_create("agglom-poison", MFD_CLOEXEC);
  struct ag_writing w;
  if (file < 0)
    return;
  ag_writing_begin(&w); /* limits of files hold for it, too */
  int err = ftruncate(file, (off_t)TILE);
  ag_writing_end(&w);
  if (!err) {
    void *p = mmap(NULL, TILE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (p != MAP_FAILED) {
      memset(p, AG_EMULATED_POISON, TILE);
      munmap(p, TILE);
      tile_file = file;
      return;
    }
  }
  close(file);
}

/* How many tiles the block's pages make. */
static size_t tiles_of(const struct ag_emulated_block *block) {
  return (block->map_bytes - 2 * ag_page_size() + AG_EMULATED_TILE - 1) / AG_EMULATED_TILE;
}

static void unmap(struct ag_emulated_block *block) {
  munmap(block->map, block->map_bytes);
  if (block->tiles)
    munmap(block->tiles, tiles_of(block));
}

/* Makes [start, start + bytes), whole pages inside a mapping of ours, usable and poisoned. */
static int open_pages(char *start, size_t bytes) {
  size_t at = 0;
  if (bytes > TILE) {
    pthread_once(&tile_once, make_tile);
    for (; tile_file >= 0 && bytes - at >= TILE; at += TILE)
      if (mmap(start + at, TILE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, tile_file, 0) == MAP_FAILED)
        return -ENOMEM;
  }
  if (bytes > at) {
    if (mprotect(start + at, bytes - at, PROT_READ | PROT_WRITE))
      return -ENOMEM;
    memset(start + at, AG_EMULATED_POISON, bytes - at);
  }
  return 0;
}

/* The same for memory that other processes will share. What is large is poisoned later, in tiles. */
static int open_shared_pages(struct ag_emulated_block *block, char *start, size_t bytes) {
  const size_t at_once = (size_t)1 << 20;
  if (mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
           0) == MAP_FAILED)
    return -ENOMEM;
  if (bytes <= at_once) {
    memset(start, AG_EMULATED_POISON, bytes);
    return 0;
  }
  void *tiles = mmap(NULL, tiles_of(block), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (tiles == MAP_FAILED)
    return -ENOMEM;
  block->tiles = tiles;
  return 0;
}

void ag_emulated_open_tile(unsigned char *state, char *start, size_t bytes) {
  const int patience = 1 << 20; /* yields: a process that was killed meanwhile does not end what it began */
  unsigned char expected = AG_TILE_NEW;
  if (__atomic_compare_exchange_n(state, &expected, AG_TILE_BUSY, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    memset(start, AG_EMULATED_POISON, bytes);
    __atomic_store_n(state, AG_TILE_READY, __ATOMIC_RELEASE);
    return;
  }
  for (int i = 0; i < patience && __atomic_load_n(state, __ATOMIC_ACQUIRE) != AG_TILE_READY; ++i)
    sched_yield();
}

/* Index of the first block that starts after address. */
static size_t first_after(const struct ag_emulated_memory *m, const char *address) {
  size_t low = 0, high = m->n_blocks;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((uintptr_t)m->blocks[middle].start <= (uintptr_t)address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The block that contains address, or NULL. */
static struct ag_emulated_block *block_of(const struct ag_emulated_memory *m, const void *address) {
  size_t i = first_after(m, address);
  if (!i)
    return NULL;
  struct ag_emulated_block *b = &m->blocks[i - 1];
  return (size_t)((const char *)address - b->start) < b->bytes ? b : NULL;
}

static size_t pages(size_t bytes) {
  size_t page = ag_page_size();
  return (bytes + page - 1) / page * page;
}

void ag_emulated_memory_init(struct ag_emulated_memory *m, size_t limit, bool shared) {
  memset(m, 0, sizeof *m);
  m->shared = shared;
  pthread_mutex_init(&m->lock, NULL);
  m->limit = limit;
}

void ag_emulated_memory_destroy(struct ag_emulated_memory *m) {
  for (size_t i = 0; i < m->n_blocks; ++i)
    unmap(&m->blocks[i]);
  free(m->blocks);
  pthread_mutex_destroy(&m->lock);
  memset(m, 0, sizeof *m);
}

int ag_emulated_memory_alloc(struct ag_emulated_memory *m, size_t bytes, void **start) {
  if (!bytes)
    return -EINVAL;
  if (bytes > m->limit) /* also keeps the sums below from wrapping */
    return -ENOMEM;
  size_t guard = ag_page_size(), body = pages(bytes);
  struct ag_emulated_block block = {.bytes = bytes, .map_bytes = body + 2 * guard};
  int err = 0;
  pthread_mutex_lock(&m->lock);
  if (m->n_blocks == m->room) {
    size_t room = m->room ? 2 * m->room : 16;
    struct ag_emulated_block *grown = realloc(m->blocks, room * sizeof *grown);
    if (grown) {
      m->blocks = grown;
      m->room = room;
    }
  }
  if (m->n_blocks == m->room || body > m->limit - m->used) {
    err = -ENOMEM;
  } else {
    block.map = mmap(NULL, block.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block.map == MAP_FAILED) {
      err = -ENOMEM;
    } else if (m->shared ? open_shared_pages(&block, block.map + guard, body)
                         : open_pages(block.map + guard, body)) {
      unmap(&block);
      err = -ENOMEM;
    }
  }
  if (!err) {
    /* As near to the upper guard as the alignment allows: running past the end is the common mistake. */
    block.start = block.map + guard + (body - bytes) / ALIGN * ALIGN;
    size_t at = first_after(m, block.start);
    memmove(m->blocks + at + 1, m->blocks + at, (m->n_blocks - at) * sizeof block);
    m->blocks[at] = block;
    ++m->n_blocks;
    ++m->changes;
    m->used += body;
    *start = block.start;
  }
  pthread_mutex_unlock(&m->lock);
  return err;
}

int ag_emulated_memory_free(struct ag_emulated_memory *m, void *start) {
  int err = -EINVAL;
  pthread_mutex_lock(&m->lock);
  struct ag_emulated_block *b = block_of(m, start);
  if (b && b->start == (char *)start) {
    struct ag_emulated_block gone = *b;
    size_t at = (size_t)(b - m->blocks);
    memmove(b, b + 1, (m->n_blocks - at - 1) * sizeof *b);
    --m->n_blocks;
    ++m->changes;
    m->used -= pages(gone.bytes);
    unmap(&gone);
    err = 0;
  }
  pthread_mutex_unlock(&m->lock);
  return err;
}

bool ag_emulated_memory_holds(struct ag_emulated_memory *m, const void *address, size_t bytes) {
  pthread_mutex_lock(&m->lock);
  const struct ag_emulated_block *b = block_of(m, address);
  bool holds = b && bytes <= b->bytes - (size_t)((const char *)address - b->start);
  pthread_mutex_unlock(&m->lock);
  return holds;
}

void ag_emulated_memory_touch(struct ag_emulated_memory *m, const void *address, size_t bytes) {
  pthread_mutex_lock(&m->lock);
  const struct ag_emulated_block *b = m->shared && bytes ? block_of(m, address) : NULL;
  if (b && b->tiles) {
    char *body = b->map + ag_page_size();
    size_t size = b->map_bytes - 2 * ag_page_size(), from = (size_t)((const char *)address - body);
    for (size_t t = from / AG_EMULATED_TILE; t <= (from + bytes - 1) / AG_EMULATED_TILE; ++t) {
      size_t at = t * AG_EMULATED_TILE, left = size - at;
      ag_emulated_open_tile(&b->tiles[t], body + at, left < AG_EMULATED_TILE ? left : AG_EMULATED_TILE);
    }
  }
  pthread_mutex_unlock(&m->lock);
}

bool ag_emulated_memory_has(struct ag_emulated_memory *m, const void *address) {
  return ag_emulated_memory_holds(m, address, 1);
}
