/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dependences, FIFO entry and batches, against a brute-force idea of what conflicts; no threads. */
#include "agglomerate.h"
#include "graph.h"
#include "stage.h"

#include <errno.h>
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
  struct ag_queue queue;
  struct ag_unit *units[MOST]; /* NULL when complete */
  uintptr_t lo[MOST][SECTIONS], hi[MOST][SECTIONS];
  unsigned n;
};

static void world_init(struct world *w, unsigned map, unsigned flags) {
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

static void world_end(struct world *w) {
  ag_graph_clear(&w->graph, &w->store);
  assert_int_equal(w->store.segments.live, 0);
  assert_int_equal(w->store.edges.live, 0);
  assert_int_equal(w->store.joints.live, 0);
  ag_graph_store_destroy(&w->store);
  ag_pool_destroy(&w->queue.units);
  ag_task_state_free(w->task.state);
}

/* Submits a unit with these byte ranges; returns its number. */
static unsigned submit(struct world *w, const struct agglom_range *ranges, uint64_t cost) {
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

static void released(struct ag_unit *succ, void *context) {
  struct world *w = context;
  if (succ->state == AG_UNIT_WAITING && ag_unit_may_enter(succ))
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

static void complete(struct world *w, unsigned i) {
  struct ag_unit *u = w->units[i];
  w->units[i] = NULL;
  u->state = AG_UNIT_FREE;
  ag_graph_complete(&w->store, u, released, w);
  u->seq = 0;
  ag_pool_give(&w->queue.units, u);
}

static bool shared(int section) { return section == READ || section >= ADD; }

static bool overlap(const struct world *w, unsigned a, int s, unsigned b, int t) {
  return w->lo[a][s] < w->hi[b][t] && w->lo[b][t] < w->hi[a][s];
}

static bool conflict(const struct world *w, unsigned a, unsigned b) {
  for (int s = 0; s < SECTIONS; ++s)
    for (int t = 0; t < SECTIONS; ++t)
      if ((s != t || !shared(s)) && overlap(w, a, s, b, t))
        return true;
  return false;
}

/* One of them accumulates what the other uses otherwise. */
static bool apart(const struct world *w, unsigned a, unsigned b) {
  for (int s = 0; s < SECTIONS; ++s)
    for (int t = 0; t < SECTIONS; ++t)
      if (s != t && (s >= ADD || t >= ADD) && overlap(w, a, s, b, t))
        return true;
  return false;
}

static char memory[4096];

static void random_ranges(struct agglom_range *ranges, int span, int longest) {
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
static void check_edges(const struct world *w) {
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

static void edges_are_the_conflicts(void **state) {
  (void)state;
  srand(1);
  for (int round = 0; round < 2000; ++round) {
    struct world w;
    world_init(&w, AGGLOM_MAP_BLOCK, 0);
    int span = 1 + rand() % 300, longest = 1 + rand() % 60;
    while (w.n < MOST) {
      struct agglom_range ranges[SECTIONS];
      random_ranges(ranges, span, longest);
      submit(&w, ranges, 0);
      for (unsigned i = 0; i < w.n; ++i) /* some are complete meanwhile; what is ready only */
        if (w.units[i] && !w.units[i]->preds && rand() % 4 == 0) {
          if (w.units[i]->state == AG_UNIT_QUEUED)
            ag_fifo_remove(&w.queue.lane[0], w.units[i]);
          complete(&w, i);
        }
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
  assert_true(w.graph.segments < 1000);
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

/* --- Batches ----------------------------------------------------------------------------------------------
 */

/* What the arrays of a batch promise, seen from the kernel's side. */
static void check_batch(const struct world *w, const struct ag_batch *b, const struct ag_caps *caps) {
  unsigned of[MOST], chain_of[MOST], unit = 0, chains = 0;
  uint64_t before[MOST] = {0}; /* by index in the batch */
  size_t bytes = ag_batch_overhead(b->n_units, b->n_preds, caps);
  assert_true(b->n_units <= caps->units);
  for (unsigned k = 0; k < b->n_units; ++k) {
    of[k] = number_of(w, b->units[k]);
    assert_int_equal(b->units[k]->state, AG_UNIT_DISPATCHED);
    bytes += b->units[k]->footprint;
  }
  assert_true(bytes <= caps->bytes);
  for (unsigned c = 0; c < b->n_chains; c += b->parts[c], ++chains) {
    assert_int_equal(b->start[c], unit);
    assert_true(b->end[c] > b->start[c]);
    for (unsigned p = 0; p < b->parts[c]; ++p) {
      assert_int_equal(b->part[c + p], p);
      assert_int_equal(b->parts[c + p], b->parts[c]);
      assert_int_equal(b->start[c + p], b->start[c]);
      assert_int_equal(b->end[c + p], b->end[c]);
    }
    for (; unit < b->end[c]; ++unit) {
      chain_of[unit] = c;
      if (unit > b->start[c])
        before[unit] |= before[unit - 1] | (uint64_t)1 << (unit - 1);
      for (unsigned f = b->pred_start[unit]; f < b->pred_start[unit + 1]; ++f) {
        unsigned p = b->pred[f];
        assert_true(p < unit);
        assert_true(chain_of[p] < c); /* or blocks could wait for one another */
        assert_int_equal(b->parts[chain_of[p]], 1);
        assert_int_equal(b->parts[c], 1);
        before[unit] |= before[p] | (uint64_t)1 << p;
      }
    }
  }
  assert_int_equal(unit, b->n_units);
  assert_int_equal(b->pred_start[b->n_units], b->n_preds);
  if (w->task.map == AGGLOM_MAP_THREAD && !(w->task.flags & AGGLOM_TASK_WAITS))
    assert_int_equal(b->n_preds, 0);
  for (unsigned k = 0; k < b->n_units; ++k) {
    for (unsigned p = 0; p < b->n_units; ++p) {
      if (of[p] < of[k] && conflict(w, of[p], of[k]))
        assert_true(before[k] >> p & 1);
      assert_true(p == k || !apart(w, of[p], of[k])); /* nobody finds partial results */
    }
    /* And nothing earlier that conflicts is left behind. */
    for (unsigned i = 0; i < of[k]; ++i)
      if (w->units[i] && conflict(w, i, of[k]))
        assert_true(w->units[i]->batch == b->stamp || w->units[i]->state == AG_UNIT_DISPATCHED);
  }
}

static void batches_keep_all_promises(void **state) {
  (void)state;
  srand(2);
  unsigned batches = 0, flags = 0, thread_flags = 0, split = 0, joined = 0;
  struct ag_batch b[2] = {0};
  for (int round = 0; round < 3000; ++round) {
    struct world w;
    unsigned map = rand() % 3 ? AGGLOM_MAP_BLOCK : AGGLOM_MAP_THREAD;
    world_init(&w, map,
               map == AGGLOM_MAP_BLOCK ? AGGLOM_TASK_SPLITTABLE
               : rand() % 2            ? AGGLOM_TASK_WAITS
                                       : 0);
    w.task.max_units = rand() % 3 ? 0 : 1 + (unsigned)rand() % 20;
    struct ag_caps caps = {.bytes = 4000 + (size_t)rand() % 8000,
                           .units = 1 + (unsigned)rand() % 100,
                           .fill = (unsigned)rand() % 100,
                           .threads = 64};
    int span = 1 + rand() % 500, longest = 1 + rand() % 40;
    unsigned done = 0, runs[MOST] = {0}, running = 0;
    while (done < MOST) {
      if (w.n < MOST && rand() % 40) {
        struct agglom_range ranges[SECTIONS];
        random_ranges(ranges, span, longest);
        submit(&w, ranges, 1 + (uint64_t)rand() % 5000);
        continue;
      }
      struct ag_fifo *fifo = &w.queue.lane[0];
      bool cpu = rand() % 5 == 0;
      struct ag_batch *batch = &b[running];
      static uint64_t stamp;
      int err = cpu ? ag_agglomerate_for_cpu(batch, fifo, &caps, ++stamp)
                    : ag_agglomerate(batch, fifo, &caps, ++stamp);
      if (!err && !cpu && rand() % 2) { /* more units come before the launch */
        while (w.n < MOST && rand() % 10) {
          struct agglom_range ranges[SECTIONS];
          random_ranges(ranges, span, longest);
          submit(&w, ranges, 1 + (uint64_t)rand() % 5000);
        }
        joined += ag_batch_grow(batch, fifo, &caps);
      }
      if (!err) {
        assert_in_range(batch->n_units, 1, MOST);
        if (w.task.max_units)
          assert_true(batch->n_units <= w.task.max_units);
        if (!cpu) {
          check_batch(&w, batch, &caps);
          *(map == AGGLOM_MAP_THREAD ? &thread_flags : &flags) += batch->n_preds;
          split += batch->n_split;
        }
        ++batches;
        for (unsigned k = 0; k < batch->n_units; ++k)
          ++runs[number_of(&w, batch->units[k])];
        if (!running && rand() % 2) { /* a second one may be formed while this one runs */
          running = 1;
          continue;
        }
      } else {
        assert_int_equal(err, -EAGAIN);
        batch->n_units = 0;
        if (!running)
          assert_true(w.n < MOST); /* with nothing under way, something can always go */
      }
      for (unsigned i = 0; i <= running; ++i)
        for (unsigned k = 0; k < b[i].n_units; ++k, ++done)
          complete(&w, number_of(&w, b[i].units[k]));
      running = 0;
    }
    for (unsigned i = 0; i < MOST; ++i)
      assert_int_equal(runs[i], 1);
    assert_int_equal(w.queue.lane[0].count, 0);
    assert_int_equal(w.queue.lane[0].bytes, 0);
    world_end(&w);
  }
  ag_batch_free(&b[0]);
  ag_batch_free(&b[1]);
  assert_true(batches > 3000);
  assert_true(flags > 1000); /* the interesting cases did happen */
  assert_true(thread_flags > 1000);
  assert_true(split > 1000);
  assert_true(joined > 1000);
}

static struct agglom_range in_out[SECTIONS];

static unsigned update(struct world *w, int cell, int from) {
  in_out[0] = (struct agglom_range){memory, from, from >= 0 ? 1 : 0};
  in_out[1] = in_out[ADD] = in_out[MULTIPLY] = (struct agglom_range){NULL, 0, 0};
  in_out[2] = (struct agglom_range){memory, cell, 1};
  return submit(w, in_out, 1);
}

static const struct ag_caps roomy = {.bytes = 1 << 20, .units = 1000, .fill = 0, .threads = 128};

static void accumulation_is_one_chain_a_cell(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  for (int k = 0; k < 9; ++k)
    for (int cell = 0; cell < 5; ++cell)
      update(&w, cell, -1);
  assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &roomy, 1), 0);
  assert_int_equal(b.n_units, 45);
  assert_int_equal(b.n_chains, 5);
  assert_int_equal(b.n_preds, 0);
  check_batch(&w, &b, &roomy);
  for (unsigned i = 0; i < 45; ++i)
    complete(&w, i);
  world_end(&w);
  ag_batch_free(&b);
}

static void wavefront(unsigned map, unsigned flags) {
  struct world w;
  struct ag_batch b = {0};
  struct ag_caps caps = roomy;
  caps.fill = 2;
  world_init(&w, map, flags);
  enum { N = 7 };
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      struct agglom_range r[SECTIONS] = {{memory, i * 8 + j, 0}, {NULL, 0, 0}, {memory, i * 8 + j, 1}};
      if (i && j) /* reads its upper and its left neighbour, with what lies between as well */
        r[0] = (struct agglom_range){memory, (i - 1) * 8 + j, 7};
      submit(&w, r, 1);
    }
  assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &caps, 1), 0);
  assert_int_equal(b.n_units, N * N);
  assert_true(b.n_chains >= N);
  assert_true(b.n_preds > 0);
  check_batch(&w, &b, &caps);
  for (unsigned i = 0; i < N * N; ++i)
    complete(&w, i);
  world_end(&w);
  ag_batch_free(&b);
}

static void a_wavefront_is_one_launch(void **state) {
  (void)state;
  wavefront(AGGLOM_MAP_BLOCK, 0);
  wavefront(AGGLOM_MAP_THREAD, AGGLOM_TASK_WAITS);
}

/* Threads wait for one another only where that is worth a warp for each: not for a few among many. */
static void threads_rarely_wait(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  world_init(&w, AGGLOM_MAP_THREAD, AGGLOM_TASK_WAITS);
  update(&w, 0, -1);
  update(&w, 1, 0); /* two that follow the first one make a chain of three */
  update(&w, 2, 0);
  for (int cell = 3; cell < MOST; ++cell)
    update(&w, cell, -1);
  assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &roomy, 1), 0);
  assert_int_equal(b.n_units, MOST);
  assert_int_equal(b.n_chains, MOST - 2);
  assert_int_equal(b.n_preds, 0);
  check_batch(&w, &b, &roomy);
  for (unsigned i = 0; i < MOST; ++i)
    complete(&w, i);
  world_end(&w);
  ag_batch_free(&b);
}

static void readers_run_side_by_side(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  update(&w, 0, -1);
  for (int i = 1; i < 20; ++i)
    update(&w, i, 0);
  assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &roomy, 1), 0);
  assert_int_equal(b.n_chains, 19); /* one follows the writer, the others wait for its flag */
  assert_int_equal(b.n_preds, 18);
  check_batch(&w, &b, &roomy);
  for (unsigned i = 0; i < 20; ++i)
    complete(&w, i);
  world_end(&w);
  ag_batch_free(&b);
}

/* Units that accumulate into one cell are one launch without order; n of them and n readers make 2n edges;
 * and so on when readers, a writer and another operation follow. */
static void accumulators_run_side_by_side(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  enum { N = 20 };
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  static const int section[] = {ADD, READ, MULTIPLY};
  for (int phase = 0; phase < 3; ++phase)
    for (int i = 0; i < N; ++i) {
      struct agglom_range r[SECTIONS] = {{NULL, 0, 0}};
      /* Readers look at one cell each, the others take them all. */
      r[section[phase]] =
          phase == 1 ? (struct agglom_range){memory, i, 1} : (struct agglom_range){memory, 0, N};
      submit(&w, r, 1);
    }
  assert_true(w.store.edges.live <= 5 * N);
  uint64_t stamp = 0;
  for (int phase = 0; phase < 3; ++phase) {
    assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &roomy, ++stamp), 0);
    assert_int_equal(b.n_units, N);
    assert_int_equal(b.n_chains, N);
    check_batch(&w, &b, &roomy);
    for (unsigned i = 0; i < N; ++i) {
      assert_int_equal(w.queue.lane[0].count, 0);
      complete(&w, (unsigned)phase * N + i);
    }
  }
  world_end(&w);
  ag_batch_free(&b);
}

/* A group that was left on a part of its memory still takes others in on the rest. */
static void part_of_a_group_is_left(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  submit(&w, (struct agglom_range[SECTIONS]){[ADD] = {memory, 0, 10}}, 1);
  submit(&w, (struct agglom_range[SECTIONS]){[READ] = {memory, 0, 5}}, 1);
  submit(&w, (struct agglom_range[SECTIONS]){[ADD] = {memory, 5, 5}}, 1);
  submit(&w, (struct agglom_range[SECTIONS]){[ADD] = {memory, 4, 2}}, 1);
  check_edges(&w);
  assert_null(w.units[2]->preds);
  assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &roomy, 1), 0);
  assert_int_equal(b.n_units, 2);
  check_batch(&w, &b, &roomy);
  complete(&w, 0);
  complete(&w, 2);
  for (unsigned i = 1; i < 4; i += 2) {
    assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &roomy, 1 + i), 0);
    assert_int_equal(b.n_units, 1);
    complete(&w, i);
  }
  world_end(&w);
  ag_batch_free(&b);
}

static void thread_mapping_joins_or_leaves(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  world_init(&w, AGGLOM_MAP_THREAD, 0);
  update(&w, 0, -1);
  update(&w, 1, -1);
  update(&w, 2, 0); /* follows unit 0 */
  update(&w, 3, 0); /* so does this one, in the same chain */
  struct agglom_range both[SECTIONS] = {{memory, 0, 2}, {NULL, 0, 0}, {memory, 4, 1}};
  submit(&w, both, 1); /* would have to wait for two chains */
  update(&w, 5, 4);    /* and this one for that */
  assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &roomy, 1), 0);
  assert_int_equal(b.n_units, 4);
  assert_int_equal(b.n_chains, 2);
  check_batch(&w, &b, &roomy);
  assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &roomy, 2), -EAGAIN);
  for (unsigned i = 0; i < 4; ++i)
    complete(&w, i);
  assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &roomy, 3), 0);
  assert_int_equal(b.n_units, 2);
  assert_int_equal(b.n_chains, 1);
  complete(&w, 4);
  complete(&w, 5);
  world_end(&w);
  ag_batch_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_are_the_conflicts),       cmocka_unit_test(memory_is_bounded),
      cmocka_unit_test(batches_keep_all_promises),     cmocka_unit_test(accumulation_is_one_chain_a_cell),
      cmocka_unit_test(a_wavefront_is_one_launch),     cmocka_unit_test(threads_rarely_wait),
      cmocka_unit_test(readers_run_side_by_side),      cmocka_unit_test(thread_mapping_joins_or_leaves),
      cmocka_unit_test(accumulators_run_side_by_side), cmocka_unit_test(part_of_a_group_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
