/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A graph and its units, and a model of these that knows what each does to each byte: who follows whom,
 * directly or not, is who conflicts with whom, directly or not. */
#ifndef BYTES_MODEL_H
#define BYTES_MODEL_H

#include "graph/edges.h"
#include "random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 4096, UNITS = 48, SECTIONS = 5 };

static const struct agglom_section sections[SECTIONS] = {
    {"in(a)", 1, AGGLOM_IN | AGGLOM_SHAPED, 1, 0, 0, NULL, NULL},
    {"inout(b)", 1, AGGLOM_INOUT | AGGLOM_SHAPED, 1, 0, 1, NULL, NULL},
    {"in(c)", 1, AGGLOM_IN, 1, 0, 2, NULL, NULL},
    {"inout(d)", 1, AGGLOM_INOUT, 1, 0, 3, NULL, NULL},
    {"accumulate(+: e)", 1, AGGLOM_ACCUMULATE | AGGLOM_SHAPED | 1 << AGGLOM_OPERATION_SHIFT, 1, 0, 4, NULL,
     NULL},
};
enum { ADD = 4 };

static struct agglom_task task = {.name = "t",
                                  .file = "t.c",
                                  .map = AGGLOM_MAP_THREAD,
                                  .args_size = sizeof(void *),
                                  .args_align = _Alignof(void *),
                                  .n_sections = SECTIONS,
                                  .sections = sections};

/* Aligned so that rows are so as the test says; the planes of a graph may begin before it. */
static _Alignas(4096) char memory[3 * BYTES];
static char *const middle = memory + BYTES;

static struct ag_graph_store store;
static struct ag_graph graph;
static struct ag_pool pool;
static uint64_t seq;

/* The units that are not complete, in program order, and what they do to each byte: a byte of the mark, which
 * are compared eight at a time. */
enum { WORDS = BYTES / 8 };
static struct known {
  struct ag_unit *unit;
  uint64_t reads[WORDS], writes[WORDS], adds[WORDS];
} known[UNITS];
static unsigned n;

static inline void begin(void) {
  task.state = ag_task_state_new(&task, 0);
  ag_graph_store_init(&store);
  ag_pool_init(&pool, task.state->unit_size, task.state->unit_align);
}

static inline void end(void) {
  ag_graph_clear(&graph, &store);
  assert_true(!store.segments.live && !store.edges.live && !store.joints.live);
  assert_true(!store.planes.live && !store.strips.live);
  assert_true(!store.gathers.live && !store.fields.live && !store.aside.live);
  ag_graph_store_destroy(&store);
  ag_pool_destroy(&pool);
  ag_task_state_free(task.state);
}

/* The ranges of a unit; shapes and dims behind them. */
struct call {
  struct agglom_range range[SECTIONS];
  struct agglom_shape shape[SECTIONS];
  struct agglom_dim dim[SECTIONS][3];
};

static inline void nothing(struct call *c) {
  memset(c, 0, sizeof *c);
  for (int s = 0; s < SECTIONS; ++s) {
    c->shape[s] = (struct agglom_shape){.base = middle, .dims = c->dim[s], .n_dims = 1, .block = 1};
    c->dim[s][0] = (struct agglom_dim){0, 0, 1, 1};
    c->range[s].base = sections[s].mode & AGGLOM_SHAPED ? (void *)&c->shape[s] : (void *)middle;
  }
}

static inline struct ag_unit *submit(const struct call *c) {
  struct ag_unit *u = ag_pool_take(&pool);
  void *args = NULL;
  assert_int_equal(ag_unit_check(&task, c->range, u->access, NULL), 0);
  ag_unit_fill(u, &task, &args, 0, 1, false);
  u->seq = ++seq;
  assert_int_equal(ag_graph_insert(&graph, &store, u), 0);
  return u;
}

static inline void released(struct ag_unit *u, void *context) { (void)u, (void)context; }

static inline void complete(struct ag_unit *u) {
  assert_null(u->preds);
  ag_graph_complete(&store, u, released, NULL);
  ag_unit_release(&task, u->access);
  u->seq = 0;
  u->state = AG_UNIT_FREE;
  ag_pool_give(&pool, u);
}

/* A box somewhere in the middle: of rows of one of a few lengths, or of any. */
static inline void random_box(uint64_t *random, struct call *c, int s) {
  static const size_t pitches[] = {64, 64, 64, 64, 48, 100, 512, 7};
  size_t pitch = pitches[next_random(random) % (sizeof pitches / sizeof *pitches)];
  unsigned dims = 1 + (unsigned)(next_random(random) % 3);
  struct agglom_dim *d = c->dim[s];
  size_t plane = pitch * (1 + next_random(random) % 12);
  d[0] = (struct agglom_dim){0, 1 + (long long)(next_random(random) % 3), 1, plane};
  d[1] = (struct agglom_dim){0, 1 + (long long)(next_random(random) % (plane / pitch)), 1, pitch};
  d[2] = (struct agglom_dim){0, 1 + (long long)(next_random(random) % pitch), 1, 1};
  if (next_random(random) % 8 == 0) /* every other row, or column */
    d[1 + next_random(random) % 2].step = 2;
  if (next_random(random) % 4 == 0)
    d[1 + next_random(random) % 2].len = 1;
  if (dims < 3)
    d[0].len = 1;
  size_t span = 1;
  for (int i = 0; i < 3; ++i)
    span += (size_t)((d[i].len - 1) * d[i].step) * d[i].pitch;
  if (span > BYTES) {
    d[0].len = d[1].len = 1;
    span = 1 + (size_t)((d[2].len - 1) * d[2].step);
  }
  size_t at = next_random(random) % (BYTES - span + 1);
  size_t grid = next_random(random) % 4; /* tiles of one array stand at multiples of their size */
  at -= grid ? at % (pitch / (grid > 1 && pitch % 8 == 0 ? 8 : 1)) : 0;
  c->shape[s] = (struct agglom_shape){.base = middle, .dims = d, .n_dims = 3, .block = 1};
  if (next_random(random) % 4) /* the base is the array's, or the tile's */
    c->shape[s].base = middle + at;
  else
    d[2].lo = (long long)at;
}

/* It uses this through its section s. */
static inline void mark_access(struct known *k, int s, const struct ag_access *a) {
  uint64_t *marks = s == ADD ? k->adds : sections[s].mode & AGGLOM_OUT ? k->writes : k->reads;
  for (size_t p = 0; p < ag_access_pieces(a); ++p) {
    struct ag_interval piece = ag_access_piece(a, p);
    assert_true(piece.lo >= (uintptr_t)middle && piece.hi <= (uintptr_t)middle + BYTES);
    memset((char *)marks + (piece.lo - (uintptr_t)middle), 1, piece.hi - piece.lo);
  }
}

static inline void mark(struct known *k) {
  memset(k->reads, 0, sizeof k->reads);
  memset(k->writes, 0, sizeof k->writes);
  memset(k->adds, 0, sizeof k->adds);
  for (int s = 0; s < SECTIONS; ++s)
    mark_access(k, s, &k->unit->access[s]);
}

static inline bool conflict(const struct known *a, const struct known *b) {
  for (size_t i = 0; i < WORDS; ++i)
    if ((a->writes[i] & (b->reads[i] | b->writes[i] | b->adds[i])) ||
        (b->writes[i] & (a->reads[i] | a->adds[i])) || (a->adds[i] & b->reads[i]) ||
        (a->reads[i] & b->adds[i]))
      return true;
  return false;
}

/* Marks what u follows, through joints. */
static inline void follow_up(const struct ag_unit *u, bool *follows) {
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred) {
    if (ag_is_joint(e->pred)) {
      follow_up(e->pred, follows);
      continue;
    }
    for (unsigned i = 0; i < n; ++i)
      if (known[i].unit == e->pred && !follows[i]) {
        follows[i] = true;
        follow_up(e->pred, follows);
      }
  }
}

/* Marks what u follows with a joint in between; seen: what was looked at without one. */
static inline void behind_joints(const struct ag_unit *u, bool *seen, bool *behind) {
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred) {
    if (ag_is_joint(e->pred)) {
      follow_up(e->pred, behind);
      continue;
    }
    for (unsigned i = 0; i < n; ++i)
      if (known[i].unit == e->pred && !seen[i]) {
        seen[i] = true;
        behind_joints(e->pred, seen, behind);
      }
  }
}

/* Whether one of them accumulates what the other uses otherwise. */
static inline bool accumulates(const struct known *a, const struct known *b) {
  for (size_t i = 0; i < WORDS; ++i)
    if ((a->adds[i] & (b->reads[i] | b->writes[i])) || (b->adds[i] & (a->reads[i] | a->writes[i])))
      return true;
  return false;
}

/* Of the last unit: what it follows, and what it has to; where something is accumulated, behind a joint. */
static inline void look(bool adds) {
  bool follows[UNITS] = {false}, has_to[UNITS] = {false};
  const struct known *last = &known[n - 1];
  follow_up(last->unit, follows);
  bool seen[UNITS] = {false}, behind[UNITS] = {false};
  if (adds)
    behind_joints(last->unit, seen, behind);
  for (unsigned i = n - 1; i-- > 0;) {
    assert_true(!adds || behind[i] || !accumulates(&known[i], last));
    bool by = conflict(&known[i], last);
    for (unsigned k = i + 1; k + 1 < n && !by; ++k)
      by = has_to[k] && conflict(&known[i], &known[k]);
    has_to[i] = by;
    if (adds) /* accumulations wait for what others do that begin with them */
      assert_true(follows[i] || !has_to[i]);
    else
      assert_int_equal(follows[i], has_to[i]);
  }
}

/* Units that are ready complete: one of `in`, or all of them where there are too many; all: all units. */
static inline void complete_some(uint64_t *random, unsigned in, bool all) {
  for (unsigned k = n; k-- > 0;)
    if (!known[k].unit->preds && (n == UNITS || all || next_random(random) % in == 0)) {
      complete(known[k].unit);
      memmove(&known[k], &known[k + 1], (--n - k) * sizeof known[0]);
      k = all ? n : k;
    }
}

#endif /* BYTES_MODEL_H */
