/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fifo/ready.h"

#include "graph/domain.h"
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int ag_ready_init(struct ag_ready *ready) {
  memset(ready, 0, sizeof *ready);
  return -pthread_mutex_init(&ready->lock, NULL);
}

void ag_ready_destroy(struct ag_ready *ready) {
  free(ready->high.units);
  free(ready->low.units);
  pthread_mutex_destroy(&ready->lock);
}

static int reserve(struct ag_heap *heap, size_t n) {
  if (n <= heap->capacity)
    return 0;
  size_t capacity = n < 64 ? 64 : n * 2;
  struct ag_unit **grown = realloc(heap->units, capacity * sizeof *grown);
  if (!grown)
    return -ENOMEM;
  heap->units = grown;
  heap->capacity = capacity;
  return 0;
}

int ag_ready_promise(struct ag_ready *ready) {
  pthread_mutex_lock(&ready->lock);
  int err = reserve(&ready->high, ready->promised + 1);
  if (!err)
    err = reserve(&ready->low, ready->promised + 1);
  if (!err)
    ++ready->promised;
  pthread_mutex_unlock(&ready->lock);
  return err;
}

void ag_ready_cancel(struct ag_ready *ready) {
  pthread_mutex_lock(&ready->lock);
  --ready->promised;
  pthread_mutex_unlock(&ready->lock);
}

static bool before(const struct ag_unit *a, const struct ag_unit *b) {
  return a->priority != b->priority ? a->priority > b->priority : a->ready_seq < b->ready_seq;
}

static void set(struct ag_heap *heap, size_t i, struct ag_unit *u) {
  heap->units[i] = u;
  u->ready_at = i;
}

static void sift_up(struct ag_heap *heap, size_t i) {
  struct ag_unit *u = heap->units[i];
  for (; i && before(u, heap->units[(i - 1) / 2]); i = (i - 1) / 2)
    set(heap, i, heap->units[(i - 1) / 2]);
  set(heap, i, u);
}

static void sift_down(struct ag_heap *heap, size_t i) {
  struct ag_unit *u = heap->units[i];
  for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
    if (child + 1 < heap->n && before(heap->units[child + 1], heap->units[child]))
      ++child;
    if (!before(heap->units[child], u))
      break;
    set(heap, i, heap->units[child]);
  }
  set(heap, i, u);
}

static void append(struct ag_heap *heap, struct ag_unit *u) {
  u->prev = heap->newest;
  u->next = NULL;
  if (heap->newest)
    heap->newest->next = u;
  else
    heap->oldest = u;
  heap->newest = u;
}

static void unlink_unit(struct ag_heap *heap, struct ag_unit *u) {
  if (u->prev)
    u->prev->next = u->next;
  else
    heap->oldest = u->next;
  if (u->next)
    u->next->prev = u->prev;
  else
    heap->newest = u->prev;
  u->prev = u->next = NULL;
}

void ag_ready_push(struct ag_ready *ready, struct ag_unit *u) {
  u->state = AG_UNIT_READY;
  pthread_mutex_lock(&ready->lock);
  struct ag_heap *heap = u->priority > 0 ? &ready->high : &ready->low;
  u->ready_seq = ready->arrivals++;
  append(heap, u);
  heap->units[heap->n++] = u;
  sift_up(heap, heap->n - 1);
  atomic_store(&heap->count, heap->n);
  pthread_mutex_unlock(&ready->lock);
}

/* Index of the first unit by priority that `within` has submitted, directly or not; heap->n when there is
 * none. */
static size_t best_within(const struct ag_heap *heap, const struct ag_domain *within) {
  size_t best = heap->n;
  for (size_t i = 0; i < heap->n; ++i)
    if (ag_domain_is_within(heap->units[i]->domain, within) &&
        (best == heap->n || before(heap->units[i], heap->units[best])))
      best = i;
  return best;
}

/* The unit whose turn it is: the first one, or the oldest, so that a larger priority is no right for ever. */
static size_t next_turn(struct ag_heap *heap) {
  if (!heap->n || ++heap->taken < AG_OLDEST_EVERY)
    return 0;
  heap->taken = 0;
  return heap->oldest->ready_at;
}

struct ag_unit *ag_ready_pop(struct ag_ready *ready, bool high, const struct ag_domain *within) {
  struct ag_heap *heap = high ? &ready->high : &ready->low;
  if (!atomic_load(&heap->count))
    return NULL;
  pthread_mutex_lock(&ready->lock);
  size_t i = within ? best_within(heap, within) : next_turn(heap);
  struct ag_unit *u = NULL;
  if (i < heap->n) {
    u = heap->units[i];
    unlink_unit(heap, u);
    struct ag_unit *last = heap->units[--heap->n];
    if (i < heap->n) {
      set(heap, i, last);
      sift_up(heap, i);
      sift_down(heap, i);
    }
    --ready->promised;
    atomic_store(&heap->count, heap->n);
  }
  pthread_mutex_unlock(&ready->lock);
  return u;
}
