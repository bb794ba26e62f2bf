/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Batches keep what the arrays of a launch promise, also when units conflict; no threads. */
#include "world.h"

#include <errno.h>
#include <limits.h>

/* One of them accumulates what the other uses otherwise. */
static bool apart(const struct world *w, unsigned a, unsigned b) {
  for (int s = 0; s < SECTIONS; ++s)
    for (int t = 0; t < SECTIONS; ++t)
      if (s != t && (s >= ADD || t >= ADD) && overlap(w, a, s, b, t))
        return true;
  return false;
}

/* Among worlds w[0] .. w[n - 1] the one that u is of. */
static const struct world *world_of(const struct world *w, unsigned n, const struct ag_unit *u) {
  while (n-- > 1 && u->queue != &w->queue)
    ++w;
  return w;
}

/* What the arrays of a batch promise, seen from the kernel's side: of units of n worlds. */
static void check_mixed(const struct world *w, unsigned n, const struct ag_batch *b,
                        const struct ag_caps *caps) {
  const struct world *in[MOST];
  unsigned of[MOST], chain_of[MOST], there = 0, chains = 0;
  bool in_order = !caps->dear_first || b->n_preds || b->map == AGGLOM_MAP_THREAD;
  uint64_t before[MOST] = {0}; /* by index in the batch */
  size_t bytes = ag_batch_overhead(b->n_units, b->n_preds, caps);
  assert_true(b->n_units <= caps->units);
  for (unsigned k = 0; k < b->n_units; ++k) {
    in[k] = world_of(w, n, b->units[k]);
    of[k] = number_of(in[k], b->units[k]);
    assert_int_equal(b->units[k]->state, AG_UNIT_DISPATCHED);
    bytes += b->units[k]->footprint;
    chain_of[k] = UINT_MAX;
  }
  assert_true(bytes <= caps->bytes);
  for (unsigned c = 0; c < b->n_chains; c += b->parts[c], ++chains) {
    assert_true(!in_order || b->start[c] == there);
    assert_true(b->end[c] > b->start[c]);
    for (unsigned p = 0; p < b->parts[c]; ++p) {
      assert_int_equal(b->part[c + p], p);
      assert_int_equal(b->parts[c + p], b->parts[c]);
      assert_int_equal(b->start[c + p], b->start[c]);
      assert_int_equal(b->end[c + p], b->end[c]);
    }
    for (unsigned unit = b->start[c]; unit < b->end[c]; ++unit, ++there) {
      assert_int_equal(chain_of[unit], UINT_MAX);
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
  assert_int_equal(there, b->n_units);
  assert_int_equal(b->pred_start[b->n_units], b->n_preds);
  if (w->task.map == AGGLOM_MAP_THREAD && !(w->task.flags & AGGLOM_TASK_WAITS))
    assert_int_equal(b->n_preds, 0);
  for (unsigned k = 0; k < b->n_units; ++k) {
    const struct world *its = in[k];
    for (unsigned p = 0; p < b->n_units; ++p) {
      if (in[p] != its) {
        assert_false(before[k] >> p & 1);
        continue;
      }
      if (of[p] < of[k] && conflict(its, of[p], of[k]))
        assert_true(before[k] >> p & 1);
      assert_true(p == k || !apart(its, of[p], of[k])); /* nobody finds partial results */
    }
    /* And nothing earlier that conflicts is left behind. */
    for (unsigned i = 0; i < of[k]; ++i)
      if (its->units[i] && conflict(its, i, of[k]))
        assert_true(its->units[i]->batch == b->stamp || its->units[i]->state == AG_UNIT_DISPATCHED);
  }
}

static void check_batch(const struct world *w, const struct ag_batch *b, const struct ag_caps *caps) {
  check_mixed(w, 1, b, caps);
}

/* The batch is formed and laid out, and then once more with what has come since. */
static int agglomerate(struct ag_batch *b, struct ag_fifo *fifo, const struct ag_caps *caps, uint64_t stamp) {
  int err = ag_agglomerate(b, fifo, caps, stamp);
  if (!err)
    ag_batch_lay_out(b, caps);
  return err;
}

static unsigned grow(struct ag_batch *b, struct ag_fifo *fifo, const struct ag_caps *caps) {
  for (unsigned k = 0; k < b->n_units;)
    k = ag_batch_follow(b, k);
  unsigned n = ag_batch_grow(b, fifo, caps);
  if (n)
    ag_batch_lay_out(b, caps);
  return n;
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
                           .threads = 64,
                           .dear_first = rand() % 2};
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
                    : agglomerate(batch, fifo, &caps, ++stamp);
      if (!err && !cpu && rand() % 2) { /* more units come before the launch */
        while (w.n < MOST && rand() % 10) {
          struct agglom_range ranges[SECTIONS];
          random_ranges(ranges, span, longest);
          submit(&w, ranges, 1 + (uint64_t)rand() % 5000);
        }
        joined += grow(batch, fifo, &caps);
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
    assert_int_equal(w.queue.lane[0].memory.bytes, 0);
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

/* Units of several workers, which have nothing to do with one another though they use the same bytes: each
 * has a graph of its own. They join batches at first and later, and each worker's promises are kept. */
static void mixed_batches_keep_all_promises(void **state) {
  (void)state;
  enum { WORLDS = 3 };
  static struct world w[WORLDS];
  struct ag_batch b = {0};
  unsigned mixed = 0, apart_kept = 0, flags = 0, late = 0;
  srand(3);
  for (int round = 0; round < 1000; ++round) {
    unsigned map = rand() % 3 ? AGGLOM_MAP_BLOCK : AGGLOM_MAP_THREAD;
    unsigned of_task = map == AGGLOM_MAP_BLOCK ? AGGLOM_TASK_SPLITTABLE : AGGLOM_TASK_WAITS;
    struct ag_caps caps = {.bytes = 8000 + (size_t)rand() % 8000,
                           .units = 1 + (unsigned)rand() % MOST,
                           .fill = (unsigned)rand() % 100,
                           .threads = 64,
                           .dear_first = rand() % 2};
    int span = 1 + rand() % 300, longest = 1 + rand() % 40;
    unsigned done = 0;
    uint64_t batches = 0;
    for (int i = 0; i < WORLDS; ++i) {
      world_init(&w[i], map, of_task);
      w[i].task.max_units = round % 3 ? 0 : 20;
    }
    while (done < WORLDS * MOST) {
      int first = rand() % WORLDS;
      for (int n = rand() % 40, i; n > 0; --n) {
        struct agglom_range ranges[SECTIONS];
        random_ranges(ranges, span, longest);
        if (w[i = rand() % WORLDS].n < MOST)
          submit(&w[i], ranges, 1 + (uint64_t)rand() % 5000);
      }
      if (ag_agglomerate(&b, &w[first].queue.lane[0], &caps, ++batches))
        continue;
      unsigned alone = b.n_units;
      for (int i = 0; i < WORLDS && ag_batch_mixes(&b); ++i)
        if (i != first)
          ag_batch_join(&b, &w[i].queue.lane[0], &caps);
      mixed += b.n_units > alone;
      apart_kept += !ag_batch_mixes(&b);
      ag_batch_lay_out(&b, &caps);
      check_mixed(w, WORLDS, &b, &caps);
      for (int n = rand() % 20, i; n > 0; --n) {
        struct agglom_range ranges[SECTIONS];
        random_ranges(ranges, span, longest);
        if (w[i = rand() % WORLDS].n < MOST)
          submit(&w[i], ranges, 1 + (uint64_t)rand() % 5000);
      }
      for (unsigned k = 0; k < b.n_units;)
        k = ag_batch_follow(&b, k);
      for (int i = 0; i < WORLDS; ++i)
        if (i == first || ag_batch_mixes(&b))
          late += ag_batch_grow(&b, &w[i].queue.lane[0], &caps);
      ag_batch_lay_out(&b, &caps);
      assert_true(!w[0].task.max_units || b.n_units <= w[0].task.max_units);
      check_mixed(w, WORLDS, &b, &caps);
      flags += b.n_preds;
      for (unsigned k = 0; k < b.n_units; ++k, ++done) {
        struct world *its = &w[world_of(w, WORLDS, b.units[k]) - w];
        complete(its, number_of(its, b.units[k]));
      }
    }
    for (int i = 0; i < WORLDS; ++i)
      world_end(&w[i]);
  }
  ag_batch_free(&b);
  assert_true(mixed > 1000 && flags > 1000 && late > 1000); /* the interesting cases did happen */
  assert_true(apart_kept > 10);
}

static struct agglom_range in_out[SECTIONS];

static unsigned update(struct world *w, int cell, int from) {
  in_out[0] = (struct agglom_range){memory, from, from >= 0 ? 1 : 0};
  in_out[1] = in_out[ADD] = in_out[MULTIPLY] = (struct agglom_range){NULL, 0, 0};
  in_out[2] = (struct agglom_range){memory, cell, 1};
  return submit(w, in_out, 1);
}

static const struct ag_caps roomy = {.bytes = 1 << 20, .units = 1000, .fill = 0, .threads = 128};

static uint64_t stamp;

/* The next batch has so many units and chains, and waits for so many flags. */
static void forms(struct world *w, struct ag_batch *b, unsigned units, unsigned chains, unsigned preds) {
  assert_int_equal(agglomerate(b, &w->queue.lane[0], &roomy, ++stamp), 0);
  assert_int_equal(b->n_units, units);
  assert_int_equal(b->n_chains, chains);
  assert_int_equal(b->n_preds, preds);
  check_batch(w, b, &roomy);
}

/* The last batch is complete, and nothing is left. */
static void ends(struct world *w, struct ag_batch *b) {
  for (unsigned k = 0; k < b->n_units; ++k)
    complete(w, number_of(w, b->units[k]));
  world_end(w);
  ag_batch_free(b);
}

static void accumulation_is_one_chain_a_cell(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  for (int k = 0; k < 9; ++k)
    for (int cell = 0; cell < 5; ++cell)
      update(&w, cell, -1);
  forms(&w, &b, 45, 5, 0);
  ends(&w, &b);
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
  assert_int_equal(agglomerate(&b, &w.queue.lane[0], &caps, 1), 0);
  assert_int_equal(b.n_units, N * N);
  assert_true(b.n_chains >= N);
  assert_true(b.n_preds > 0);
  check_batch(&w, &b, &caps);
  ends(&w, &b);
}

static void a_wavefront_is_one_launch(void **state) {
  (void)state;
  wavefront(AGGLOM_MAP_BLOCK, 0);
  wavefront(AGGLOM_MAP_THREAD, AGGLOM_TASK_WAITS);
}

/* Threads wait for one another only where that is worth a warp for each: not for a few among many. Who
 * follows two of them comes later. */
static void threads_rarely_wait(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  world_init(&w, AGGLOM_MAP_THREAD, AGGLOM_TASK_WAITS);
  update(&w, 0, -1);
  update(&w, 1, 0); /* two that follow the first one make a chain of three */
  update(&w, 2, 0);
  for (int cell = 3; cell < MOST - 1; ++cell)
    update(&w, cell, -1);
  submit(&w, (struct agglom_range[SECTIONS]){[READ] = {memory, 3, 2}, [2] = {memory, MOST, 1}}, 1);
  forms(&w, &b, MOST - 1, MOST - 3, 0);
  for (unsigned i = 0; i < MOST - 1; ++i)
    complete(&w, i);
  forms(&w, &b, 1, 1, 0);
  ends(&w, &b);
}

static void readers_run_side_by_side(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  update(&w, 0, -1);
  for (int i = 1; i < 20; ++i)
    update(&w, i, 0);
  forms(&w, &b, 20, 19, 18); /* one follows the writer, the others wait for its flag */
  ends(&w, &b);
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
  for (int phase = 0; phase < 3; ++phase) {
    forms(&w, &b, N, N, 0);
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
  forms(&w, &b, 2, 2, 0);
  complete(&w, 0);
  complete(&w, 2);
  for (unsigned i = 1; i < 4; i += 2) {
    forms(&w, &b, 1, 1, 0);
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
  forms(&w, &b, 4, 2, 0);
  assert_int_equal(agglomerate(&b, &w.queue.lane[0], &roomy, ++stamp), -EAGAIN);
  for (unsigned i = 0; i < 4; ++i)
    complete(&w, i);
  forms(&w, &b, 2, 1, 0);
  ends(&w, &b);
}

/* A unit of cell 0 and cell 1, one that follows it on cell 0, and one that follows both: a chain of three. */
static void chains_go_on_at_their_end(void **state) {
  (void)state;
  for (int written = 0; written < 2; ++written) {
    struct world w;
    struct ag_batch b = {0};
    world_init(&w, AGGLOM_MAP_BLOCK, 0);
    submit(&w, (struct agglom_range[SECTIONS]){[2] = {memory, 0, 2}}, 1);
    update(&w, 0, -1);
    update(&w, written, 1 - written);
    assert_int_equal(agglomerate(&b, &w.queue.lane[0], &roomy, 1), 0);
    assert_int_equal(b.n_units, 3);
    assert_int_equal(b.n_chains, 1);
    assert_int_equal(b.n_preds, 0);
    check_batch(&w, &b, &roomy);
    for (unsigned i = 0; i < 3; ++i)
      complete(&w, i);
    world_end(&w);
    ag_batch_free(&b);
  }
}

/* Threads of their own for units that would make one long chain although they need not follow one another. */
static void long_chains_are_spread(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  struct ag_caps caps = roomy;
  caps.fill = 2;
  world_init(&w, AGGLOM_MAP_THREAD, AGGLOM_TASK_WAITS);
  update(&w, 0, -1);
  for (int i = 1; i < 30; ++i)
    update(&w, i, 0);
  assert_int_equal(agglomerate(&b, &w.queue.lane[0], &caps, 1), 0);
  assert_int_equal(b.n_units, 30);
  assert_int_equal(b.n_chains, 29);
  check_batch(&w, &b, &caps);
  for (unsigned i = 0; i < 30; ++i)
    complete(&w, i);
  world_end(&w);
  ag_batch_free(&b);
}

/* A long unit is cut into shares for the blocks that fill the device, but not into more than give each thread
 * something to do. */
static void shares_have_work(void **state) {
  (void)state;
  static const struct {
    uint64_t cost;
    unsigned parts;
  } units[] = {{64, 1}, {640, 10}, {64000, 100}, {1 << 30, 100}};
  for (int i = 0; i < 4; ++i) {
    struct world w;
    struct ag_batch b = {0};
    struct ag_caps caps = {.bytes = 1 << 20, .units = 1000, .fill = 100, .threads = 64};
    world_init(&w, AGGLOM_MAP_BLOCK, AGGLOM_TASK_SPLITTABLE);
    submit(&w, (struct agglom_range[SECTIONS]){[2] = {memory, 0, 1}}, units[i].cost);
    assert_int_equal(agglomerate(&b, &w.queue.lane[0], &caps, 1), 0);
    assert_int_equal(b.n_chains, units[i].parts);
    check_batch(&w, &b, &caps);
    complete(&w, 0);
    world_end(&w);
    ag_batch_free(&b);
  }
}

/* Units of a batch that failed come in smaller ones, which do not grow beyond that. */
static void returned_units_keep_their_bound(void **state) {
  (void)state;
  for (unsigned at = 0; at < 8; at += 5) { /* they stand there */
    struct world w;
    struct ag_batch b = {0};
    world_init(&w, AGGLOM_MAP_BLOCK, 0);
    for (int cell = 0; cell < 10; ++cell)
      update(&w, cell, -1);
    w.units[at]->most_units = 3;
    assert_int_equal(agglomerate(&b, &w.queue.lane[0], &roomy, 1), 0);
    assert_int_equal(b.n_units, at ? at : 3);
    for (int cell = 10; cell < 40; ++cell)
      update(&w, cell, -1);
    assert_int_equal(grow(&b, &w.queue.lane[0], &roomy), 0);
    for (unsigned i = 0; i < 40; ++i)
      complete(&w, i);
    world_end(&w);
    ag_batch_free(&b);
  }
}

/* What is left to others: nothing remains for a batch, which may grow by what comes behind. */
static void units_are_left(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  struct ag_caps caps = roomy;
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  for (int cell = 0; cell < 5; ++cell)
    update(&w, cell, -1);
  for (caps.skip = 7; caps.skip > 4; --caps.skip)
    assert_int_equal(agglomerate(&b, &w.queue.lane[0], &caps, 1), -EAGAIN);
  assert_int_equal(agglomerate(&b, &w.queue.lane[0], &caps, 2), 0);
  assert_int_equal(b.n_units, 1);
  assert_int_equal(number_of(&w, b.units[0]), 4);
  assert_int_equal(grow(&b, &w.queue.lane[0], &caps), 0);
  update(&w, 5, -1);
  update(&w, 6, 4);                              /* follows the unit of the batch, */
  w.units[update(&w, 7, 4)]->lane = AG_LANE_CPU; /* and so does this one, for which devices are too small */
  update(&w, 8, 3);                              /* one that is left */
  assert_int_equal(grow(&b, &w.queue.lane[0], &caps), 2);
  assert_int_equal(w.units[5]->batch, 2);
  assert_int_equal(w.units[6]->batch, 2);
  for (unsigned i = 0; i < 9; ++i)
    complete(&w, i);
  world_end(&w);
  ag_batch_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chains_go_on_at_their_end),
                                     cmocka_unit_test(long_chains_are_spread),
                                     cmocka_unit_test(shares_have_work),
                                     cmocka_unit_test(returned_units_keep_their_bound),
                                     cmocka_unit_test(units_are_left),
                                     cmocka_unit_test(batches_keep_all_promises),
                                     cmocka_unit_test(mixed_batches_keep_all_promises),
                                     cmocka_unit_test(accumulation_is_one_chain_a_cell),
                                     cmocka_unit_test(a_wavefront_is_one_launch),
                                     cmocka_unit_test(threads_rarely_wait),
                                     cmocka_unit_test(readers_run_side_by_side),
                                     cmocka_unit_test(thread_mapping_joins_or_leaves),
                                     cmocka_unit_test(accumulators_run_side_by_side),
                                     cmocka_unit_test(part_of_a_group_is_left)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
