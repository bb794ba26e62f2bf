/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "agglomerate/agglomerate.h"

#include "graph/graph.h"
#include "policy/launch/order.h"
#include "sys/task_kind.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SLACK = 1024 }; /* bytes that alignment of the arrays may take in a block */

/* Units passed over, because they wait for units that run, before the scan gives up: a long queue behind
 * one batch must not be walked again and again. */
enum { PASS_OVER = 1024, MAX_UNITS = 1 << 24 };

enum { PASS_FEW = 16 }; /* in a row, once a batch for a CPU has some: more will come when it is over */

enum {
  ALONE_PER_FILL = 4, /* blocks of one thread that run at a time, for each block that fills the device */
  FLAGS_COST = 4      /* what a chain with flags may take, in units of one without */
};

/* --- Arrays ----------------------------------------------------------------------------------------- */

/* Makes ARRAY hold N elements; true when there is no memory. `grown` is a void pointer of the caller's. */
#define GROW(ARRAY, N)                                                                                       \
  (!(grown = realloc((ARRAY), (size_t)(N) * sizeof *(ARRAY))) || ((ARRAY) = grown, false))

static unsigned next_cap(unsigned cap, uint64_t n) {
  uint64_t wanted = cap < 64 ? 64 : (uint64_t)cap * 2;
  return (unsigned)(wanted > n ? wanted : n);
}

static int reserve_args(struct ag_batch *b, uint64_t n) {
  if (n <= b->cap_args)
    return 0;
  unsigned cap = next_cap(b->cap_args, n);
  void *grown;
  if (GROW(b->args, cap))
    return -ENOMEM;
  b->cap_args = cap;
  return 0;
}

static int reserve_units(struct ag_batch *b, uint64_t n) {
  if (n <= b->cap_units)
    return 0;
  unsigned cap = next_cap(b->cap_units, n);
  void *grown;
  if (reserve_args(b, cap) || GROW(b->units, cap) || GROW(b->pred_start, cap + 1))
    return -ENOMEM;
  b->cap_units = cap;
  return 0;
}

static int reserve_chains(struct ag_batch *b, uint64_t n) {
  if (n <= b->cap_chains)
    return 0;
  unsigned cap = next_cap(b->cap_chains, n);
  void *grown;
  if (GROW(b->start, cap) || GROW(b->end, cap) || GROW(b->part, cap) || GROW(b->parts, cap))
    return -ENOMEM;
  b->cap_chains = cap;
  return 0;
}

static int reserve_links(struct ag_batch *b, uint64_t n) {
  if (n <= b->cap_links)
    return 0;
  unsigned cap = next_cap(b->cap_links, n);
  void *grown;
  if (GROW(b->links, cap) || GROW(b->order, cap))
    return -ENOMEM;
  b->cap_links = cap;
  return 0;
}

static int reserve_preds(struct ag_batch *b, uint64_t n) {
  if (n <= b->cap_preds)
    return 0;
  unsigned cap = next_cap(b->cap_preds, n);
  void *grown;
  if (GROW(b->pred, cap) || GROW(b->waits, cap))
    return -ENOMEM;
  b->cap_preds = cap;
  return 0;
}

/* The arrays for one unit take the places of those that there is no memory for; drop_last() takes them away.
 */
static void use_last(struct ag_batch *b) {
  free(b->units); /* one of the arrays that have to be there for units may have been had */
  b->units = b->last_unit;
  b->cap_units = 1;
  if (b->cap_args >= AG_MOST_CALLS)
    return;
  b->args = b->last_args;
  b->cap_args = AG_MOST_CALLS;
}

static void drop_last(struct ag_batch *b) {
  if (b->units == b->last_unit) {
    b->units = NULL;
    b->cap_units = 0;
  }
  if (b->args == b->last_args) {
    b->args = NULL;
    b->cap_args = 0;
  }
}

void ag_batch_free(struct ag_batch *b) {
  drop_last(b);
  free(b->units);
  free(b->args);
  free(b->links);
  free(b->order);
  free(b->pred_start);
  free(b->pred);
  free(b->waits);
  free(b->start);
  free(b->end);
  free(b->part);
  free(b->parts);
  ag_footprint_free(&b->memory);
  *b = (struct ag_batch){0};
}

/* --- Limits ----------------------------------------------------------------------------------------- */

size_t ag_batch_overhead(uint64_t units, uint64_t preds, const struct ag_caps *caps) {
  /* start, end, part, parts for each chain entry; pred_start and done for each unit. Splitting makes at
   * most caps->fill entries more than there are units. */
  return SLACK + 16 * (size_t)(units + caps->fill) + 8 * (size_t)units + 4 * (size_t)preds;
}

bool ag_batch_fits_alone(size_t footprint, const struct ag_caps *caps) {
  size_t overhead = ag_batch_overhead(1, 0, caps);
  return caps->bytes >= overhead && footprint <= caps->bytes - overhead;
}

/* --- Selection -------------------------------------------------------------------------------------- */

/* All incomplete predecessors are in the batch. */
static bool covered(const struct ag_unit *u, uint64_t stamp) {
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred)
    if (e->pred->batch != stamp)
      return false;
  return true;
}

/* The chain u goes to: an index, n_links for a new one, UINT_MAX for none. flags: how many predecessors it
 * then waits for inside the kernel. */
static unsigned place(struct ag_batch *b, const struct ag_unit *u, unsigned *flags) {
  const struct ag_unit *last = NULL; /* the predecessor in the highest chain; of several, the last one */
  unsigned here = 0, n = 0;
  *flags = 0;
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred, ++n) {
    const struct ag_unit *p = e->pred;
    if (!last || p->chain > last->chain) {
      last = p;
      here = 1;
    } else if (p->chain == last->chain) {
      ++here;
      if (b->links[p->chain].tail == p)
        last = p;
    }
  }
  if (!last)
    return b->n_links;
  bool follows = b->links[last->chain].tail == last;
  if (!b->flags) {
    b->crossed |= here == n && !follows;
    b->left |= here != n;
    return here == n ? last->chain : UINT_MAX;
  }
  if (follows) {
    *flags = n - here;
    return last->chain;
  }
  *flags = n;
  return b->n_links;
}

/* u stands in its chain: notes the units of other chains that it waits for, by their flags. Memory for these
 * was reserved. */
static void note_waits(struct ag_batch *b, struct ag_unit *u) {
  u->waits_at = b->n_waits;
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred)
    if (e->pred->chain != u->chain) {
      e->pred->followed = true;
      b->waits[b->n_waits++] = e->pred;
    }
  u->n_waits = b->n_waits - u->waits_at;
  u->followed = false;
}

/* Puts u at the end of the chain. Memory for the units that it then waits for was reserved. 0 or -ENOMEM. */
static int put(struct ag_batch *b, unsigned chain, struct ag_unit *u) {
  if (chain == b->n_links) {
    if (reserve_links(b, (uint64_t)chain + 1))
      return -ENOMEM;
    b->links[b->n_links++] = (struct ag_link){.head = u, .tail = u, .units = 1};
  } else {
    b->links[chain].tail->chain_next = u;
    b->links[chain].tail = u;
    ++b->links[chain].units;
  }
  u->chain = chain;
  u->chain_next = NULL;
  note_waits(b, u);
  return 0;
}

/* How many shares a unit is cut into: as many of the blocks that fill the device as its part of the work
 * deserves, so one long unit among many short ones is cut too. All shares together are at most caps->fill
 * more than there are units. */
static unsigned shares(const struct ag_unit *u, double cost_per_block, const struct ag_caps *caps) {
  double by_cost = (double)u->cost / cost_per_block;
  double by_threads = (double)u->cost / caps->threads; /* a thread without an iteration helps nobody */
  double n = by_cost < by_threads ? by_cost : by_threads;
  return n < 2 ? 1 : n < caps->fill ? (unsigned)n : caps->fill;
}

/* Numbers the units, in the order of their chains. */
static void number(struct ag_batch *b) {
  unsigned n = 0;
  b->view = (struct ag_map_view){.units = b->n_units, .items = b->cost};
  b->n_preds = 0;
  for (unsigned c = 0; c < b->n_links; ++c) {
    struct ag_link *link = &b->links[c];
    link->first = n;
    link->cost = 0;
    for (struct ag_unit *u = link->head; u; u = u->chain_next) {
      u->index = n;
      b->units[n] = u;
      b->pred_start[n++] = b->n_preds;
      for (unsigned i = 0; i < u->n_waits; ++i) /* for units of lower chains */
        b->pred[b->n_preds++] = b->waits[u->waits_at + i]->index;
      b->view.most = b->view.most > (double)u->cost ? b->view.most : (double)u->cost;
      link->cost += (double)u->cost;
    }
  }
  b->pred_start[n] = b->n_preds;
}

/* In which order the chains are begun. */
static void put_in_order(struct ag_batch *b, bool dear_first) {
  unsigned place[AG_ORDER_CLASSES] = {0};
  if (!dear_first || b->n_waits || b->map == AGGLOM_MAP_THREAD) {
    for (unsigned c = 0; c < b->n_links; ++c)
      b->order[c] = c;
    return;
  }
  for (unsigned c = 0; c < b->n_links; ++c)
    ++place[ag_order_class(b->links[c].cost)];
  ag_order_places(place);
  for (unsigned c = 0; c < b->n_links; ++c)
    b->order[place[ag_order_class(b->links[c].cost)]++] = c;
}

/* --- Mapping ---------------------------------------------------------------------------------------- */

struct ag_task_mapping {
  pthread_mutex_t lock; /* innermost */
  struct ag_map_state map;
};

struct ag_task_mapping *ag_task_mapping_new(void) {
  struct ag_task_mapping *mapping = calloc(1, sizeof *mapping);
  if (mapping)
    pthread_mutex_init(&mapping->lock, NULL);
  return mapping;
}

void ag_task_mapping_reset(struct ag_task_mapping *mapping) { mapping->map = (struct ag_map_state){0}; }

void ag_task_mapping_free(struct ag_task_mapping *mapping) {
  if (mapping)
    pthread_mutex_destroy(&mapping->lock);
  free(mapping);
}

/* Which of THREAD, BLOCK and WARP runs a batch like this one. Any thread. */
static unsigned map_of(const struct agglom_task *task, enum ag_map_choice choice,
                       const struct ag_map_view *view) {
  if (!ag_task_has_both(task))
    return task->map;
  struct ag_task_mapping *mapping = task->state->mapping;
  pthread_mutex_lock(&mapping->lock);
  unsigned map = ag_map_choose(choice, &mapping->map, view);
  pthread_mutex_unlock(&mapping->lock);
  return map;
}

void ag_batch_measured(const struct ag_batch *batch) {
  if (!ag_task_has_both(batch->task))
    return;
  struct ag_task_mapping *mapping = batch->task->state->mapping;
  pthread_mutex_lock(&mapping->lock);
  ag_map_measured(&mapping->map, batch->map, &batch->view, batch->record.device_ns);
  pthread_mutex_unlock(&mapping->lock);
}

void ag_batch_lay_out(struct ag_batch *batch, const struct ag_caps *caps) {
  number(batch);
  batch->map = map_of(batch->task, caps->map, &batch->view);
  put_in_order(batch, caps->dear_first);
  bool split = batch->map == AGGLOM_MAP_BLOCK && (batch->task->flags & AGGLOM_TASK_SPLITTABLE) && caps->fill;
  batch->n_chains = batch->n_split = 0;
  for (unsigned c = 0; c < batch->n_links; ++c) {
    const struct ag_link *link = &batch->links[batch->order[c]];
    const struct ag_unit *head = link->head;
    unsigned parts = 1;
    if (split && link->units == 1 && !head->n_waits && !head->followed)
      parts = shares(head, batch->cost / caps->fill, caps);
    for (unsigned p = 0; p < parts; ++p) {
      unsigned k = batch->n_chains++;
      batch->start[k] = link->first;
      batch->end[k] = link->first + link->units;
      batch->part[k] = p;
      batch->parts[k] = parts;
    }
    batch->n_split += parts > 1 ? parts : 0;
  }
}

static void begin(struct ag_batch *batch, const struct ag_fifo *fifo, uint64_t stamp) {
  drop_last(batch);
  batch->task = fifo->head ? fifo->head->task : NULL;
  batch->stamp = stamp;
  batch->n_units = batch->n_calls = batch->n_links = batch->n_chains = batch->n_split = batch->n_waits = 0;
  batch->cost = 0;
  batch->flags = batch->task && batch->task->map != AGGLOM_MAP_THREAD;
  batch->crossed = batch->left = false;
}

static void take(struct ag_batch *batch, struct ag_fifo *fifo, struct ag_unit *u) {
  ag_fifo_remove(fifo, u);
  batch->cost += (double)u->cost;
  u->state = AG_UNIT_DISPATCHED;
  u->batch = batch->stamp;
  batch->units[batch->n_units++] = u;
  batch->n_calls += ag_unit_calls(u);
}

/* Most units that the batch may have, however many wait. */
static uint64_t most_units(const struct ag_batch *batch, const struct ag_caps *caps) {
  uint64_t most = caps->units < MAX_UNITS ? caps->units : MAX_UNITS;
  return batch->task && batch->task->max_units && batch->task->max_units < most ? batch->task->max_units
                                                                                : most;
}

/* Number of units in the FIFO that a launch may take: all but the skipped ones. */
static uint64_t there(const struct ag_fifo *fifo, const struct ag_caps *caps) {
  return fifo->count > caps->skip ? fifo->count - caps->skip : 0;
}

/* Takes up to `limit` units in all from the FIFO; returns those passed over. Memory for that many units was
 * reserved. */
static unsigned take_from(struct ag_batch *batch, struct ag_fifo *fifo, const struct ag_caps *caps,
                          uint64_t limit) {
  unsigned passed = 0;
  struct ag_unit *first = fifo->head;
  for (uint64_t i = 0; i < caps->skip && first; ++i)
    first = first->next;
  for (struct ag_unit *u = first, *next; u && batch->n_units < limit && passed < PASS_OVER; u = next) {
    next = u->next;
    unsigned flags, chain = covered(u, batch->stamp) ? place(batch, u, &flags) : UINT_MAX;
    if (chain == UINT_MAX) {
      ++passed;
      continue;
    }
    if (u->most_units && u->most_units < batch->most) {
      if (batch->n_units >= u->most_units)
        break;
      batch->most = u->most_units; /* also for those that join later */
      limit = limit < batch->most ? limit : batch->most;
    }
    uint64_t waits = (uint64_t)batch->n_waits + flags;
    size_t overhead = ag_batch_overhead(batch->n_units + 1, waits, caps);
    ag_footprint_add(&batch->memory, u);
    /* The batch is a prefix: what does not fit ends it. Lack of memory does the same. */
    if (ag_footprint_bytes(&batch->memory) + overhead > batch->most_bytes || reserve_preds(batch, waits) ||
        put(batch, chain, u)) {
      ag_footprint_remove(&batch->memory, u);
      break;
    }
    take(batch, fifo, u);
  }
  return passed;
}

/* Whether a batch in thread mapping gains by flags, although each of its threads is then alone in a warp. */
static bool flags_gain(const struct ag_batch *b, const struct ag_caps *caps) {
  if (b->flags || !(b->task->flags & AGGLOM_TASK_WAITS) || !(b->crossed || b->left))
    return false;
  unsigned longest = 0, alone = caps->fill * ALONE_PER_FILL;
  for (unsigned c = 0; c < b->n_links; ++c)
    longest = b->links[c].units > longest ? b->links[c].units : longest;
  unsigned rounds = b->n_units / (alone ? alone : 1) + 1; /* of blocks of one thread */
  return longest / FLAGS_COST > rounds || (b->left && rounds <= FLAGS_COST);
}

/* Places the units of a batch anew, with flags. Memory for that many chains is there. False: it does not fit,
 * or there is no memory; nothing has changed. */
static bool place_with_flags(struct ag_batch *batch, const struct ag_caps *caps) {
  uint64_t preds = 0;
  for (unsigned k = 0; k < batch->n_units; ++k)
    for (const struct ag_edge *e = batch->units[k]->preds; e; e = e->next_pred)
      ++preds;
  if (ag_footprint_bytes(&batch->memory) + ag_batch_overhead(batch->n_units, preds, caps) >
          batch->most_bytes ||
      reserve_preds(batch, preds) || reserve_links(batch, batch->n_units))
    return false;
  batch->flags = true;
  batch->n_links = batch->n_waits = 0;
  for (unsigned k = 0; k < batch->n_units; ++k) {
    unsigned flags, chain = place(batch, batch->units[k], &flags);
    put(batch, chain, batch->units[k]);
  }
  return true;
}

int ag_agglomerate(struct ag_batch *batch, struct ag_fifo *fifo, const struct ag_caps *caps, uint64_t stamp) {
  begin(batch, fifo, stamp);
  ag_footprint_clear(&batch->memory);
  batch->most = most_units(batch, caps);
  batch->most_bytes = caps->bytes;
  uint64_t limit = batch->most < there(fifo, caps) ? batch->most : there(fifo, caps);
  if (!limit || !batch->task || !fifo->free) /* else all follow units that run */
    return -EAGAIN;
  while (reserve_units(batch, limit) || reserve_chains(batch, limit + caps->fill))
    if (!(limit /= 2))
      return -ENOMEM;
  unsigned passed = take_from(batch, fifo, caps, limit);
  if (batch->n_units && flags_gain(batch, caps) && place_with_flags(batch, caps))
    take_from(batch, fifo, caps, limit);
  return batch->n_units ? 0 : passed ? -EAGAIN : -ENOMEM;
}

static struct ag_fifo *fifo_of(const struct ag_unit *u) { return &u->queue->lane[u->lane]; }

/* Whether u waits for units of the batch or of the FIFO alone. */
static bool may_join(const struct ag_unit *u, const struct ag_batch *batch, const struct ag_fifo *fifo) {
  if (u->state != AG_UNIT_WAITING || fifo_of(u) != fifo)
    return false;
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred) {
    const struct ag_unit *p = e->pred;
    bool queued = p->state == AG_UNIT_QUEUED && fifo_of(p) == fifo;
    if (!queued && p->batch != batch->stamp)
      return false;
  }
  return true;
}

/* Units that follow u enter the FIFO if they may join its batch. */
static void let_follow(const struct ag_batch *batch, const struct ag_unit *u, struct ag_fifo *fifo) {
  for (const struct ag_edge *e = u->succs; e; e = e->next_succ)
    if (may_join(e->succ, batch, fifo))
      ag_fifo_push(fifo, e->succ);
}

unsigned ag_batch_follow(const struct ag_batch *batch, unsigned from) {
  const struct ag_task_queue *queue = batch->units[from]->queue;
  unsigned k = from;
  for (; k < batch->n_units && batch->units[k]->queue == queue; ++k)
    let_follow(batch, batch->units[k], fifo_of(batch->units[k]));
  return k;
}

bool ag_batch_mixes(const struct ag_batch *batch) {
  return !batch->flags || batch->task->map != AGGLOM_MAP_THREAD;
}

unsigned ag_batch_join(struct ag_batch *batch, struct ag_fifo *fifo, const struct ag_caps *caps) {
  unsigned before = batch->n_units;
  if (before >= batch->most)
    return 0;
  uint64_t most = before + there(fifo, caps), limit = most < batch->most ? most : batch->most;
  if (reserve_units(batch, limit) || reserve_chains(batch, limit + caps->fill))
    return 0;
  take_from(batch, fifo, caps, limit);
  return batch->n_units - before;
}

unsigned ag_batch_grow(struct ag_batch *batch, struct ag_fifo *fifo, const struct ag_caps *caps) {
  if (batch->n_units >= batch->most)
    return 0;
  for (const struct ag_unit *u = fifo->head; u; u = u->next) /* appended ones are reached too */
    let_follow(batch, u, fifo);
  return ag_batch_join(batch, fifo, caps);
}

/* Whether u, which follows units of the batch alone, goes behind one of them that none has gone behind so
 * far: of several that a unit releases, the others are for other CPUs. */
static bool goes_behind(const struct ag_unit *u) {
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred)
    if (!e->pred->followed)
      return e->pred->followed = true;
  return false;
}

int ag_agglomerate_for_cpu(struct ag_batch *batch, struct ag_fifo *fifo, const struct ag_caps *caps,
                           uint64_t stamp) {
  begin(batch, fifo, stamp);
  uint64_t most = most_units(batch, caps), limit = most < fifo->count ? most : fifo->count;
  if (!limit || !fifo->free)
    return -EAGAIN;
  while (limit && reserve_units(batch, limit))
    limit /= 2;
  if (!limit) {
    use_last(batch);
    limit = 1;
  }
  uint64_t free = caps->free ? caps->free : UINT64_MAX;
  unsigned since = 0; /* units passed over since one was taken */
  for (struct ag_unit *u = fifo->head, *next;
       u && batch->n_units < limit && since < (batch->n_units ? PASS_FEW : PASS_OVER); u = next) {
    next = u->next;
    if (!(u->preds ? covered(u, stamp) && (!caps->free || goes_behind(u)) : free)) {
      ++since;
      continue;
    }
    if (reserve_args(batch, (uint64_t)batch->n_calls + ag_unit_calls(u)))
      break;
    free -= !u->preds;
    since = 0;
    u->followed = false;
    take(batch, fifo, u);
  }
  return batch->n_units ? 0 : -EAGAIN;
}
