/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dependences, against a brute-force idea of what conflicts; no threads. */
#include "random.h"
#include "world.h"

static struct ag_more one_more = {.calls = 1};

/* Whom the host would wait for. */
struct wait {
  const struct world *w;
  uintptr_t lo, hi;
  bool writers;
  uint64_t units;
};

static bool uses(const struct wait *wait, unsigned i) {
  for (int s = 0; s < SECTIONS; ++s)
    if ((s != READ || !wait->writers) && wait->w->lo[i][s] < wait->hi && wait->lo < wait->w->hi[i][s])
      return true;
  return false;
}

static int awaited(struct ag_unit *u, void *context) {
  struct wait *wait = context;
  if (u->task) {
    unsigned i = number_of(wait->w, u);
    assert_true(uses(wait, i));
    wait->units |= (uint64_t)1 << i;
  } else {
    for (const struct ag_edge *e = u->preds; e; e = e->next_pred)
      if (e->pred->task)
        wait->units |= (uint64_t)1 << number_of(wait->w, e->pred);
      else
        awaited(e->pred, wait);
  }
  return 0;
}

/* Whoever uses some memory is waited for, or comes before one that is; and who uses none of it is named by
 * nobody. */
static void check_users(const struct world *w, uintptr_t lo, uintptr_t hi, bool writers) {
  uint64_t before[MOST] = {0};
  struct wait wait = {w, lo, hi, writers, 0};
  assert_int_equal(ag_graph_users(&w->graph, lo, hi, writers, awaited, &wait), 0);
  for (unsigned i = 0; i < w->n; ++i)
    if (w->units[i])
      each_pred(w, w->units[i], i, check_edge, before);
  uint64_t all = wait.units;
  for (unsigned i = 0; i < w->n; ++i)
    if (wait.units >> i & 1)
      all |= before[i];
  for (unsigned i = 0; i < w->n; ++i)
    if (w->units[i] && uses(&wait, i))
      assert_true(all >> i & 1);
}

/* Some units are complete meanwhile; only what is ready. */
static void complete_some(struct world *w) {
  for (unsigned i = 0; i < w->n; ++i)
    if (w->units[i] && !w->units[i]->preds && rand() % 4 == 0) {
      if (w->units[i]->state == AG_UNIT_QUEUED)
        ag_fifo_remove(&w->queue.lane[0], w->units[i]);
      complete(w, i);
    }
}

static void complete_rest(struct world *w) {
  for (unsigned i = 0; i < w->n; ++i)
    if (w->units[i])
      complete(w, i);
}

static void edges_are_the_conflicts(void **state) {
  (void)state;
  srand(1);
  for (unsigned long round = 0; round < repeats(500); ++round) {
    struct world w;
    world_init(&w, AGGLOM_MAP_BLOCK, 0);
    int span = 1 + rand() % 300, longest = 1 + rand() % 60;
    while (w.n < MOST) {
      struct agglom_range ranges[SECTIONS];
      random_ranges(ranges, span, longest);
      submit(&w, ranges, 0);
      complete_some(&w);
    }
    check_edges(&w);
    for (unsigned i = 0; i < w.n; ++i) {
      uintptr_t lo = (uintptr_t)memory + (uintptr_t)(rand() % span);
      check_users(&w, lo, lo + 1 + (uintptr_t)(rand() % longest), i % 2);
      if (w.units[i]) {
        assert_null(w.units[i]->preds);
        complete(&w, i);
      }
    }
    world_end(&w);
  }
}

/* Whether unit i is incomplete and conflicts with one that reads lo .. hi-1, or writes there. */
static bool in_the_way(const struct world *w, unsigned i, uintptr_t lo, uintptr_t hi, bool writes) {
  bool any = false;
  for (int s = 0; w->units[i] && s < SECTIONS; ++s)
    any |= (writes || s != READ) && w->lo[i][s] < w->hi[i][s] && w->lo[i][s] < hi && lo < w->hi[i][s];
  return any && lo < hi;
}

static void note_edge(const struct world *w, unsigned p, unsigned i, void *context) {
  uint64_t *before = context;
  (void)w;
  before[i] |= before[p] | (uint64_t)1 << p;
}

/* Whom each unit follows, directly or not. */
static void note_edges(const struct world *w, uint64_t *before) {
  for (unsigned i = 0; i < w->n; ++i)
    if (w->units[i])
      each_pred(w, w->units[i], i, note_edge, before);
}

/* What is said to be free is free; and what is free is said to be, where nobody accumulates: those have
 * joints. */
static void check_free(struct world *w, uintptr_t lo, uintptr_t hi, bool writes, bool accumulates) {
  unsigned beside = (unsigned)rand() % w->n;
  const struct ag_unit *u = rand() % 2 ? w->units[beside] : NULL;
  struct ag_access access = {lo, hi, NULL};
  bool others = false, follows = false;
  uint64_t before[MOST] = {0}, known = 0;
  note_edges(w, before);
  if (u)
    known = before[beside] | (uint64_t)1 << beside;
  for (unsigned i = 0; i < w->n; ++i)
    others |= !(known >> i & 1) && in_the_way(w, i, lo, hi, writes);
  bool is_free = ag_graph_is_free(&w->graph, &access, writes, (unsigned)rand() % 8, u, &follows);
  assert_false(others && is_free);
  assert_true(others || is_free || accumulates || known);
  if (is_free && in_the_way(w, beside, lo, hi, writes))
    assert_true(follows);
}

static void what_is_free(void **state) {
  (void)state;
  srand(2);
  for (unsigned long round = 0; round < repeats(500); ++round) {
    struct world w;
    world_init(&w, AGGLOM_MAP_BLOCK, 0);
    int span = 1 + rand() % 300, longest = 1 + rand() % 60;
    bool accumulates = round % 2;
    while (w.n < MOST) {
      struct agglom_range ranges[SECTIONS];
      random_ranges(ranges, span, longest);
      for (int s = ADD; s < SECTIONS && !accumulates; ++s)
        ranges[s].len = 0;
      submit(&w, ranges, 0);
      complete_some(&w);
      for (int i = 0; i < 4; ++i) {
        uintptr_t lo = (uintptr_t)memory + (uintptr_t)(rand() % span);
        check_free(&w, lo, lo + (uintptr_t)(rand() % longest), rand() % 2, accumulates);
      }
    }
    complete_rest(&w);
    world_end(&w);
  }
}

/* Where many have used parts of the memory, complete or not, to look is no less work than to be recorded,
 * after which there is less to look at: it is done once. */
static void much_to_look_at(void **state) {
  (void)state;
  enum { PARTS = 250, SIZE = 4 };
  struct world w;
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  struct agglom_range ranges[SECTIONS] = {{memory, PARTS * SIZE, 1}};
  submit(&w, ranges, 0); /* stays incomplete, so the graph is never cleared as a whole */
  for (int i = 0; i <= PARTS; ++i) {
    ranges[READ].len = 0;
    ranges[2] = (struct agglom_range){memory, i < PARTS ? SIZE * i : 0, i < PARTS ? SIZE : PARTS * SIZE};
    struct ag_access all = {(uintptr_t)memory, (uintptr_t)memory + PARTS * SIZE, NULL};
    bool follows;
    if (i == PARTS)
      assert_false(ag_graph_is_free(&w.graph, &all, true, 2, NULL, &follows));
    unsigned k = submit(&w, ranges, 0);
    ag_fifo_remove(&w.queue.lane[0], w.units[k]);
    complete(&w, k);
    --w.n;
    if (!i || i == PARTS)
      assert_true(ag_graph_is_free(&w.graph, &all, true, 2, NULL, &follows));
  }
  ag_fifo_remove(&w.queue.lane[0], w.units[0]);
  complete(&w, 0);
  world_end(&w);
}

/* A unit gets more sections after it was inserted: later ones follow it for these, too. */
static void more_sections(void **state) {
  (void)state;
  srand(3);
  for (int round = 0; round < 2000; ++round) {
    struct world w;
    world_init(&w, AGGLOM_MAP_BLOCK, 0);
    int span = 1 + rand() % 300, longest = 1 + rand() % 60;
    struct agglom_range ranges[SECTIONS];
    while (w.n < 8) {
      random_ranges(ranges, span, longest);
      ranges[ADD].len = ranges[MULTIPLY].len = 0; /* such units never get more */
      submit(&w, ranges, 0);
    }
    struct ag_unit *u = w.units[w.n - 1];
    uintptr_t lo = (uintptr_t)memory + (uintptr_t)(rand() % span), hi = lo + (uintptr_t)(rand() % longest);
    struct ag_access access = {lo, hi, NULL};
    bool writes = rand() % 2, ignored = false;
    if (ag_graph_is_free(&w.graph, &access, writes, 2, u, &ignored)) {
      const struct ag_edge *first = u->preds;
      u->more = &one_more;
      assert_int_equal(ag_graph_extend(&w.graph, &w.store, u, &access, writes, 2), 0);
      assert_ptr_equal(u->preds, first);
      for (int i = 0; i < 4; ++i) {
        random_ranges(ranges, span, longest);
        unsigned k = submit(&w, ranges, 0);
        bool conflicts = conflict(&w, k, 7), follows = false;
        conflicts |= in_the_way(&w, k, lo, hi, writes);
        uint64_t before[MOST] = {0};
        note_edges(&w, before);
        follows = before[k] >> 7 & 1;
        assert_true(follows || !conflicts);
      }
    }
    complete_rest(&w);
    world_end(&w);
  }
}

/* A unit that reads a part of a segment, and then all of it: who writes the rest follows it. */
static void a_part_and_then_all(void **state) {
  (void)state;
  struct world w;
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  struct agglom_range ranges[SECTIONS] = {
      {memory, 0, 0}, {memory, 0, 0}, {memory, 0, 60}, {memory, 0, 0}, {memory, 0, 0}};
  submit(&w, ranges, 0);
  ranges[READ].len = 10;
  ranges[2].len = 0;
  struct ag_unit *u = w.units[submit(&w, ranges, 0)];
  struct ag_access all = {(uintptr_t)memory, (uintptr_t)memory + 60, NULL};
  u->more = &one_more;
  assert_int_equal(ag_graph_extend(&w.graph, &w.store, u, &all, false, READ), 0);
  ranges[READ].len = 0;
  ranges[2].lo = 30;
  ranges[2].len = 10;
  uint64_t before[MOST] = {0};
  unsigned k = submit(&w, ranges, 0);
  note_edges(&w, before);
  assert_true(before[k] >> 1 & 1);
  complete_rest(&w);
  world_end(&w);
}

static void memory_is_bounded(void **state) {
  (void)state;
  struct world w;
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  struct agglom_range held[SECTIONS] = {{memory, 0, 1}, {memory, 1, 1}, {memory, 2, 1}};
  submit(&w, held, 0); /* one stays incomplete, so the graph is never cleared as a whole */
  for (int i = 0; i < 200000; ++i) {
    struct agglom_range ranges[SECTIONS] = {{(char *)(uintptr_t)0x100000, 16L * i, 8},
                                            {NULL, 0, 0},
                                            {(char *)(uintptr_t)0x100000, 16L * i + 8, 4}};
    unsigned k = submit(&w, ranges, 0);
    ag_fifo_remove(&w.queue.lane[0], w.units[k]);
    complete(&w, k);
    --w.n;
  }
  assert_true(w.graph.line.tree.count < 1000);
  /* Many readers of one place come and go. */
  for (int i = 0; i < 100000; ++i) {
    struct agglom_range ranges[SECTIONS] = {{memory, 2, 1}, {NULL, 0, 0}, {NULL, 0, 0}};
    ranges[0].lo = 100;
    unsigned k = submit(&w, ranges, 0);
    ag_fifo_remove(&w.queue.lane[0], w.units[k]);
    complete(&w, k);
    --w.n;
  }
  ag_fifo_remove(&w.queue.lane[0], w.units[0]);
  complete(&w, 0);
  world_end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_are_the_conflicts), cmocka_unit_test(what_is_free),
      cmocka_unit_test(much_to_look_at),         cmocka_unit_test(more_sections),
      cmocka_unit_test(a_part_and_then_all),     cmocka_unit_test(memory_is_bounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
