/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fifo/fifo.h"

#include "graph/graph.h"
#include "sys/relaxed.h"

#include <stdlib.h>
#include <string.h>

/* --- Among the worker's FIFOs that have units --------------------------------------------------------------
 */

static void enlist(struct ag_fifo *fifo) {
  struct ag_fifos *of = fifo->of;
  fifo->since = of->turns;
  fifo->prev = of->last;
  fifo->next = NULL;
  *(of->last ? &of->last->next : &of->first) = fifo;
  of->last = fifo;
}

static void leave(struct ag_fifo *fifo) {
  *(fifo->prev ? &fifo->prev->next : &fifo->of->first) = fifo->next;
  *(fifo->next ? &fifo->next->prev : &fifo->of->last) = fifo->prev;
}

void ag_fifo_gone(struct ag_fifo *fifo) {
  if (!fifo->of)
    return;
  fifo->since = fifo->of->turns;
  if (fifo->head) {
    leave(fifo);
    enlist(fifo);
  }
}

void ag_fifo_goes(struct ag_fifo *fifo, uint64_t units) {
  fifo->of->turns += 1 + units / AG_CPU_MOST;
  ag_fifo_gone(fifo);
}

/* --- Units ---------------------------------------------------------------------------------------------- */

/* Adds to the numbers of units and of costs, modulo 2^64. Lock held. */
static inline void change(struct ag_fifo *fifo, uint64_t units, uint64_t cost) {
  ag_set(&fifo->count, ag_get(&fifo->count) + units);
  ag_set(&fifo->cost, ag_get(&fifo->cost) + cost);
}

static void arrived(struct ag_fifo *fifo) { ag_set(&fifo->came, ++fifo->policy.arrivals); }

/* Whether the unit's device memory counts in the FIFO's footprint. */
static inline bool counts(const struct ag_unit *u) { return u->footprint && u->lane == AG_LANE_DEVICE; }

/* Links u into the FIFO before `next`, or at the end when that is NULL. Each way into a FIFO goes through
 * here, so it is inlined, though compilers find it too long for that. */
static inline __attribute__((always_inline)) void link_before(struct ag_fifo *fifo, struct ag_unit *u,
                                                              struct ag_unit *next) {
  u->state = AG_UNIT_QUEUED;
  u->next = next;
  u->prev = next ? next->prev : fifo->tail;
  if (u->prev)
    u->prev->next = u;
  else
    fifo->head = u;
  if (next)
    next->prev = u;
  else
    fifo->tail = u;
  if (counts(u))
    ag_footprint_add(&fifo->memory, u);
  if (fifo->of) {
    fifo->of->differ |= u->priority != 0;
    if (fifo->head == fifo->tail)
      enlist(fifo);
  }
  ag_sizes_add(&fifo->sizes, (double)u->cost);
  fifo->calls += ag_unit_calls(u);
  fifo->free += u->is_free = !u->preds;
  change(fifo, 1, u->cost);
}

void ag_fifo_push(struct ag_fifo *fifo, struct ag_unit *u) {
  link_before(fifo, u, NULL);
  arrived(fifo);
}

void ag_fifo_push_front(struct ag_fifo *fifo, struct ag_unit *u) {
  link_before(fifo, u, fifo->head);
  if (!fifo->dear.before)
    fifo->dear.before = u;
  ++fifo->kept_for_devices; /* u was left to devices before */
}

/* --- In the order of what they gather ------------------------------------------------------------------ */

static uintptr_t key_of(const struct ag_unit *u) { return u->access[u->task->state->gather].lo; }

/* Index of the first unit whose key is larger than this one, or, when `with` is set, as large or larger. */
static unsigned place(const struct ag_sorted *sorted, uintptr_t key, bool with) {
  unsigned low = sorted->first, high = sorted->n;
  while (low < high) {
    unsigned middle = low + (high - low) / 2;
    if (sorted->at[middle].key < key || (!with && sorted->at[middle].key == key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Room for one more; false when there is no memory. */
static bool reserve(struct ag_sorted *sorted) {
  if (sorted->first == sorted->n || sorted->arrivals == AG_SORT_WINDOW)
    sorted->first = sorted->n = sorted->arrivals =
        0; /* a new window: no unit goes before those of the last one */
  if (sorted->n < sorted->room)
    return true;
  unsigned room = sorted->room ? 2 * sorted->room : 64;
  struct ag_sorted_unit *grown = realloc(sorted->at, room * sizeof *grown);
  if (!grown)
    return false;
  sorted->at = grown;
  sorted->room = room;
  return true;
}

void ag_fifo_insert(struct ag_fifo *fifo, struct ag_unit *u) {
  struct ag_sorted *sorted = &fifo->sorted;
  if (u->task->state->gather < 0 || u->preds || !reserve(sorted)) {
    ag_fifo_push(fifo, u);
    return;
  }
  uintptr_t key = key_of(u);
  unsigned at = place(sorted, key, false);
  link_before(fifo, u, at < sorted->n ? sorted->at[at].unit : NULL);
  memmove(sorted->at + at + 1, sorted->at + at, (sorted->n++ - at) * sizeof *sorted->at);
  sorted->at[at] = (struct ag_sorted_unit){key, u};
  ++sorted->arrivals;
  arrived(fifo);
}

static void forget(struct ag_sorted *sorted, const struct ag_unit *u) {
  if (sorted->at[sorted->first].unit == u) { /* batches take them from the front */
    ++sorted->first;
    return;
  }
  for (unsigned i = place(sorted, key_of(u), true); i < sorted->n && sorted->at[i].key == key_of(u); ++i)
    if (sorted->at[i].unit == u) {
      memmove(sorted->at + i, sorted->at + i + 1, (--sorted->n - i) * sizeof *sorted->at);
      return;
    }
}

/* --- The dearest first --------------------------------------------------------------------------------- */

static unsigned class_of(const struct ag_unit *u) { return ag_size_class((double)u->cost); }

void ag_fifo_insert_dear(struct ag_fifo *fifo, struct ag_unit *u) {
  struct ag_dear *dear = &fifo->dear;
  unsigned class = class_of(u);
  if (u->preds) {
    ag_fifo_push(fifo, u);
    return;
  }
  if (!fifo->head || dear->arrivals == AG_DEAR_WINDOW) { /* a new window, likewise */
    dear->used = dear->arrivals = 0;
    dear->before = fifo->tail;
  }
  uint64_t dearer = dear->used >> class;
  struct ag_unit *behind = dearer ? dear->last[class + (unsigned)__builtin_ctzll(dearer)] : dear->before;
  link_before(fifo, u, behind ? behind->next : fifo->head);
  dear->used |= (uint64_t)1 << class;
  dear->last[class] = u;
  ++dear->arrivals;
  arrived(fifo);
}

static void forget_dear(struct ag_dear *dear, const struct ag_unit *u) {
  if (dear->before == u)
    dear->before = u->prev;
  if (!dear->used)
    return;
  unsigned class = class_of(u);
  if (!(dear->used >> class & 1) || dear->last[class] != u)
    return;
  if (u->prev && u->prev != dear->before && class_of(u->prev) == class)
    dear->last[class] = u->prev;
  else
    dear->used &= ~((uint64_t)1 << class);
}

/* --- Leaving ------------------------------------------------------------------------------------------- */

void ag_fifo_remove(struct ag_fifo *fifo, struct ag_unit *u) {
  if (fifo->sorted.first < fifo->sorted.n)
    forget(&fifo->sorted, u);
  forget_dear(&fifo->dear, u);
  if (u->prev)
    u->prev->next = u->next;
  else
    fifo->head = u->next;
  if (u->next)
    u->next->prev = u->prev;
  else
    fifo->tail = u->prev;
  u->prev = u->next = NULL;
  if (!fifo->head) {
    atomic_store_explicit(&fifo->stalled, false, memory_order_relaxed);
    if (fifo->of)
      leave(fifo);
  }
  if (counts(u) && fifo->head)
    ag_footprint_remove(&fifo->memory, u);
  else if (counts(u))
    ag_footprint_clear(&fifo->memory);
  ag_sizes_remove(&fifo->sizes, (double)u->cost);
  fifo->calls -= ag_unit_calls(u);
  fifo->free -= u->is_free;
  change(fifo, -(uint64_t)1, -u->cost);
}

void ag_fifo_released(struct ag_fifo *fifo, struct ag_unit *u) {
  if (u->preds || u->is_free)
    return;
  u->is_free = true;
  ++fifo->free;
}

void ag_fifo_free(struct ag_fifo *fifo) {
  free(fifo->sorted.at);
  fifo->sorted = (struct ag_sorted){0};
  ag_footprint_free(&fifo->memory);
}

bool ag_unit_may_enter(const struct ag_unit *u) {
  bool kernel = !(u->task->flags & AGGLOM_TASK_CPU_ONLY);
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred) {
    const struct ag_unit *p = e->pred;
    if (!kernel || p->queue != u->queue || p->lane != u->lane || p->state != AG_UNIT_QUEUED)
      return false;
  }
  return true;
}
