/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A graph, its units and a queue without threads, and a brute-force idea of what conflicts. */
#ifndef WORLD_H
#define WORLD_H

#include "agglomerate/agglomerate.h"
#include "graph/graph.h"
#include "stage/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64, SECTIONS = 5 };

struct args {
  char *p[SECTIONS];
};

/* The modes of the sections differ between the tasks. */
static const struct agglom_section sections[] = {
    {"in(a)", 1, AGGLOM_IN, 1, offsetof(struct args, p[0]), 0, NULL, NULL},
    {"out(b)", 1, AGGLOM_OUT | AGGLOM_OVERWRITES, 1, offsetof(struct args, p[1]), 1, NULL, NULL},
    {"inout(c)", 1, AGGLOM_INOUT, 1, offsetof(struct args, p[2]), 2, NULL, NULL},
    {"accumulate(+: d)", 1, AGGLOM_ACCUMULATE | 1 << AGGLOM_OPERATION_SHIFT, 1, offsetof(struct args, p[3]),
     3, NULL, NULL},
    {"accumulate(*: e)", 1, AGGLOM_ACCUMULATE | 2 << AGGLOM_OPERATION_SHIFT, 1, offsetof(struct args, p[4]),
     4, NULL, NULL},
};
enum { READ = 0, ADD = 3, MULTIPLY = 4 }; /* sections that several units may have at a time */

/* A little world: one graph, its units in program order, one queue. */
struct world {
  struct agglom_task task;
  struct ag_graph_store store;
  struct ag_graph graph;
  struct ag_task_queue queue;
  struct ag_unit *units[MOST]; /* NULL when complete */
  uintptr_t lo[MOST][SECTIONS], hi[MOST][SECTIONS];
  unsigned n;
};

static inline void world_init(struct world *w, unsigned map, unsigned flags) {
  memset(w, 0, sizeof *w);
  w->task = (struct agglom_task){.name = "t",
                                 .file = "t.c",
                                 .map = map,
                                 .flags = flags,
                                 .args_size = sizeof(struct args),
                                 .args_align = _Alignof(struct args),
                                 .n_sections = SECTIONS,
                                 .sections = sections};
  w->task.state = ag_task_state_new(&w->task, 0);
  assert_non_null(w->task.state);
  ag_graph_store_init(&w->store);
  w->queue.task = &w->task;
  ag_pool_init(&w->queue.units, w->task.state->unit_size, w->task.state->unit_align);
}

static inline void world_end(struct world *w) {
  ag_graph_clear(&w->graph, &w->store);
  assert_int_equal(w->store.segments.live, 0);
  assert_int_equal(w->store.edges.live, 0);
  assert_int_equal(w->store.joints.live, 0);
  ag_graph_store_destroy(&w->store);
  ag_pool_destroy(&w->queue.units);
  ag_task_state_free(w->task.state);
}

/* Submits a unit with these byte ranges; returns its number. */
static inline unsigned submit(struct world *w, const struct agglom_range *ranges, uint64_t cost) {
  static uint64_t seq;
  unsigned i = w->n++;
  struct ag_unit *u = ag_pool_take(&w->queue.units);
  struct args args;
  for (int s = 0; s < SECTIONS; ++s)
    args.p[s] = (char *)(uintptr_t)ranges[s].base;
  assert_int_equal(ag_unit_check(&w->task, ranges, u->access, NULL), 0);
  ag_unit_fill(u, &w->task, &args, 0, cost, true);
  u->queue = &w->queue;
  u->seq = ++seq;
  for (int s = 0; s < SECTIONS; ++s) {
    w->lo[i][s] = u->access[s].lo;
    w->hi[i][s] = u->access[s].hi;
  }
  assert_int_equal(ag_graph_insert(&w->graph, &w->store, u), 0);
  w->units[i] = u;
  if (ag_unit_may_enter(u))
    ag_fifo_push(&w->queue.lane[0], u);
  return i;
}

static inline void released(struct ag_unit *succ, void *context) {
  struct world *w = context;
  if (succ->state == AG_UNIT_QUEUED)
    ag_fifo_released(&w->queue.lane[0], succ);
  else if (succ->state == AG_UNIT_WAITING && ag_unit_may_enter(succ))
    ag_fifo_push(&w->queue.lane[0], succ);
  for (bool again = true; again;) { /* and those behind it */
    again = false;
    for (unsigned i = 0; i < w->n; ++i)
      if (w->units[i] && w->units[i]->state == AG_UNIT_WAITING && ag_unit_may_enter(w->units[i])) {
        ag_fifo_push(&w->queue.lane[0], w->units[i]);
        again = true;
      }
  }
}

static unsigned number_of(const struct world *w, const struct ag_unit *u) {
  for (unsigned i = 0; i < w->n; ++i)
    if (w->units[i] == u)
      return i;
  fail_msg("unit is not known, or complete");
  return 0;
}

static inline void complete(struct world *w, unsigned i) {
  struct ag_unit *u = w->units[i];
  w->units[i] = NULL;
  u->state = AG_UNIT_FREE;
  ag_graph_complete(&w->store, u, released, w);
  u->seq = 0;
  uint64_t free = 0;
  for (const struct ag_unit *v = w->queue.lane[0].head; v; v = v->next)
    free += !v->preds;
  assert_int_equal(w->queue.lane[0].free, free);
  ag_pool_give(&w->queue.units, u);
}

static bool shared(int section) { return section == READ || section >= ADD; }

static bool overlap(const struct world *w, unsigned a, int s, unsigned b, int t) {
  return w->lo[a][s] < w->hi[b][t] && w->lo[b][t] < w->hi[a][s];
}

static inline bool conflict(const struct world *w, unsigned a, unsigned b) {
  for (int s = 0; s < SECTIONS; ++s)
    for (int t = 0; t < SECTIONS; ++t)
      if ((s != t || !shared(s)) && overlap(w, a, s, b, t))
        return true;
  return false;
}

static char memory[4096];

static inline void random_ranges(struct agglom_range *ranges, int span, int longest) {
  for (int s = 0; s < SECTIONS; ++s)
    ranges[s] = (struct agglom_range){memory, rand() % span, rand() % 3 ? rand() % longest : 0};
  for (int s = ADD; s < SECTIONS; ++s) { /* no other use by the same unit */
    if (rand() % 2)
      ranges[s].len = 0;
    for (int t = 0; t < s; ++t)
      if (ranges[s].lo < ranges[t].lo + ranges[t].len && ranges[t].lo < ranges[s].lo + ranges[s].len)
        ranges[s].len = 0;
  }
}

/* Calls found() for each predecessor, those of joints included. */
static void each_pred(const struct world *w, const struct ag_unit *u, unsigned i,
                      void (*found)(const struct world *w, unsigned p, unsigned i, void *context),
                      void *context) {
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred)
    if (e->pred->task)
      found(w, number_of(w, e->pred), i, context);
    else
      each_pred(w, e->pred, i, found, context);
}

/* i accumulates together with an earlier unit that had to wait for p. */
static bool joined(const struct world *w, unsigned p, unsigned i) {
  for (unsigned u = p + 1; u < i; ++u)
    for (int s = ADD; s < SECTIONS; ++s)
      if (overlap(w, u, s, i, s) && conflict(w, p, u))
        return true;
  return false;
}

static void check_edge(const struct world *w, unsigned p, unsigned i, void *context) {
  uint64_t *before = context;
  assert_true(p < i);
  assert_true(conflict(w, p, i) || joined(w, p, i));
  before[i] |= before[p] | (uint64_t)1 << p;
}

/* Every conflict is ordered by a path of edges, and every edge is a conflict. */
static inline void check_edges(const struct world *w) {
  uint64_t before[MOST] = {0};
  for (unsigned i = 0; i < w->n; ++i) {
    if (!w->units[i])
      continue;
    each_pred(w, w->units[i], i, check_edge, before);
    for (unsigned p = 0; p < i; ++p)
      if (w->units[p] && conflict(w, p, i))
        assert_true(before[i] >> p & 1);
  }
}

#endif /* WORLD_H */
