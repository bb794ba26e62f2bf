/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory that units of a FIFO or a batch need together: what they share counts once, and never is it less
 * than what staging takes. */
#include "world.h"

#include "graph/footprint.h"

#include <errno.h>

enum { PLACES = 1 << 20, TABLE = 512 << 10 };
static char places[PLACES];

static void use(struct agglom_range *ranges, int section, long long lo, long long n) {
  ranges[section] = (struct agglom_range){places, lo, n};
}

static void use_nothing(struct agglom_range *ranges) {
  for (int s = 0; s < SECTIONS; ++s)
    use(ranges, s, 0, 0);
}

/* Whether what the batch takes can be staged in a slot of so many bytes: with poison between its regions as
 * without. */
static int stage(const struct ag_batch *b, size_t bytes) {
  int err[2];
  for (int poison = 0; poison < 2; ++poison) {
    struct ag_stage stage = {.poison = poison};
    err[poison] = ag_stage_collect(&stage, b);
    if (!err[poison])
      err[poison] = ag_stage_arrange(&stage, b, bytes);
    ag_stage_free(&stage);
  }
  return err[0] ? err[0] : err[1];
}

static void all_over(struct world *w, struct ag_batch *b) {
  for (unsigned k = 0; k < b->n_units; ++k)
    complete(w, number_of(w, b->units[k]));
}

/* Units that share one table in each way there is, and have some bytes of their own: one launch. */
static void counts_once(void **state) {
  (void)state;
  enum { UNITS = 40 };
  for (int shares = 0; shares < SECTIONS; ++shares) {
    struct world w;
    struct ag_batch b = {0};
    struct ag_caps caps = {.bytes = PLACES, .units = UNITS};
    struct agglom_range ranges[SECTIONS];
    world_init(&w, AGGLOM_MAP_BLOCK, 0);
    for (int i = 0; i < UNITS; ++i) {
      use_nothing(ranges);
      use(ranges, shares, 0, TABLE);
      use(ranges, shares == 1 ? 2 : 1, TABLE + 8 * i, 8);
      submit(&w, ranges, 1);
    }
    assert_in_range(w.queue.lane[0].memory.bytes, TABLE, TABLE + 1000 * UNITS);
    assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &caps, 1), 0);
    assert_int_equal(b.n_units, UNITS);
    assert_in_range(b.memory.bytes, TABLE, TABLE + 1000 * UNITS);
    assert_int_equal(w.queue.lane[0].memory.bytes, 0);
    ag_batch_lay_out(&b, &caps);
    assert_int_equal(stage(&b, caps.bytes), 0);
    all_over(&w, &b);
    ag_batch_free(&b);
    ag_fifo_free(&w.queue.lane[0]);
    world_end(&w);
  }
}

/* Tables by turns, as with blocks of a matrix: each is looked up wherever it came. */
static void counts_each_once(void **state) {
  (void)state;
  enum { UNITS = 60, TABLES = 6, BYTES = 64 << 10 };
  struct world w;
  struct ag_batch b = {0};
  struct ag_caps caps = {.bytes = PLACES / 2, .units = UNITS};
  struct agglom_range ranges[SECTIONS];
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  for (int i = 0; i < UNITS; ++i) {
    use_nothing(ranges);
    use(ranges, 0, (long long)(i % TABLES) * BYTES, BYTES);
    use(ranges, 1, TABLES * BYTES + i, 1);
    submit(&w, ranges, 1);
  }
  assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &caps, 1), 0);
  assert_int_equal(b.n_units, UNITS);
  all_over(&w, &b);
  ag_batch_free(&b);
  ag_fifo_free(&w.queue.lane[0]);
  world_end(&w);
}

/* Units that read nearly the same, as those that gather, or a window that slides; in several arrays, and with
 * others far away. */
static void nearly_the_same(void **state) {
  (void)state;
  enum { UNITS = 60, EACH = 150 << 10 };
  for (int way = 0; way < 3; ++way) {
    struct world w;
    struct ag_batch b = {0};
    struct ag_caps caps = {.bytes = PLACES / 2, .units = UNITS};
    struct agglom_range ranges[SECTIONS];
    world_init(&w, AGGLOM_MAP_BLOCK, 0);
    for (int i = 0; i < UNITS; ++i) {
      use_nothing(ranges);
      use(ranges, 0, way == 1 ? 8 * i : rand() % 1000, EACH);
      if (way == 2)
        use(ranges, 2, PLACES / 2 + rand() % 1000, EACH);
      use(ranges, 1, PLACES - 1 - i, 1);
      submit(&w, ranges, 1);
    }
    assert_in_range(ag_footprint_bytes(&w.queue.lane[0].memory), EACH, 2 * EACH + 500 * UNITS);
    assert_int_equal(ag_agglomerate(&b, &w.queue.lane[0], &caps, 1), 0);
    assert_int_equal(b.n_units, UNITS);
    assert_int_equal(stage(&b, caps.bytes), 0);
    all_over(&w, &b);
    ag_batch_free(&b);
    ag_fifo_free(&w.queue.lane[0]);
    world_end(&w);
  }
}

/* What the units of a FIFO are to count for: large hulls once, the rest each time. */
static size_t count(const struct ag_fifo *fifo) {
  struct ag_interval seen[MOST * SECTIONS];
  unsigned n = 0;
  size_t bytes = 0;
  for (const struct ag_unit *u = fifo->head; u; u = u->next) {
    bytes += u->task->args_size;
    for (unsigned s = 0; s < SECTIONS; ++s) {
      struct ag_interval here = {u->access[s].lo, u->access[s].hi, 0, 0};
      bool known = here.lo == here.hi;
      for (unsigned i = 0; i < n && !known && here.hi - here.lo >= AG_SHARED_LEAST; ++i)
        known = seen[i].lo == here.lo && seen[i].hi == here.hi;
      if (known)
        continue;
      seen[n++] = here;
      bytes += here.hi - here.lo + AG_REGION_KEEP;
    }
  }
  return bytes;
}

/* No less than all bytes that they use. */
static bool is_bound(const struct ag_fifo *fifo) {
  struct ag_interval all[MOST * SECTIONS];
  size_t n = 0, bytes = 0;
  for (const struct ag_unit *u = fifo->head; u; u = u->next) {
    bytes += u->task->args_size;
    for (unsigned s = 0; s < SECTIONS; ++s)
      all[n++] = (struct ag_interval){u->access[s].lo, u->access[s].hi, 0, 0};
  }
  n = ag_intervals_merge(all, n);
  for (size_t i = 0; i < n; ++i)
    bytes += all[i].hi - all[i].lo;
  return ag_footprint_bytes(&fifo->memory) >= bytes &&
         ag_footprint_bytes(&fifo->memory) <= fifo->memory.bytes;
}

/* One of some places, of some sizes: equal, nested, overlapping and apart. */
static void random_use(struct agglom_range *ranges, int section) {
  static const long long sizes[] = {8, 100, AG_SHARED_LEAST - 1, AG_SHARED_LEAST, 20000, 40000, 100000};
  long long n = sizes[rand() % 7], lo = (long long)(rand() % 8) * 20000;
  use(ranges, section, lo, rand() % 3 ? n : 0);
}

/* Units come, go in batches and come again. Each batch can be staged in what it was formed for. */
static void random_units(void **state) {
  (void)state;
  unsigned batches = 0, several = 0;
  for (unsigned round = 0; round < 400; ++round) {
    struct world w;
    struct ag_batch b = {0};
    struct ag_fifo *fifo = &w.queue.lane[0];
    world_init(&w, round % 2 ? AGGLOM_MAP_BLOCK : AGGLOM_MAP_THREAD, 0);
    for (uint64_t stamp = 1; w.n < MOST || fifo->count;) {
      for (int more = rand() % 12; more && w.n < MOST; --more) {
        struct agglom_range ranges[SECTIONS];
        use_nothing(ranges);
        for (int s = 0; s < ADD; ++s)
          random_use(ranges, s);
        if (rand() % 4 == 0) /* no other use by the same unit */
          use(ranges, ADD, 400000 + (long long)(rand() % 3) * 100000, 100000);
        submit(&w, ranges, 1);
      }
      assert_int_equal(fifo->memory.bytes, count(fifo));
      assert_true(is_bound(fifo));
      if (!fifo->count)
        continue;
      struct ag_caps caps = {.bytes = 500000 + (size_t)rand() % 400000, .units = MOST};
      assert_int_equal(ag_agglomerate(&b, fifo, &caps, stamp++), 0);
      assert_int_equal(fifo->memory.bytes, count(fifo));
      assert_true(is_bound(fifo));
      ag_batch_lay_out(&b, &caps);
      assert_int_equal(stage(&b, caps.bytes), 0);
      ++batches;
      several += b.n_units > 1;
      if (rand() % 4 == 0) { /* it did not take effect */
        while (b.n_units) {
          struct ag_unit *u = b.units[--b.n_units];
          u->batch = 0;
          ag_fifo_push_front(fifo, u);
        }
        assert_int_equal(fifo->memory.bytes, count(fifo));
        assert_true(is_bound(fifo));
      }
      all_over(&w, &b);
    }
    assert_int_equal(fifo->memory.bytes, 0);
    ag_batch_free(&b);
    ag_fifo_free(fifo);
    world_end(&w);
  }
  assert_true(batches > 1000 && several > 500);
}

/* A table is forgotten and filled again as often as one likes, and grows. */
static void many_tables(void **state) {
  (void)state;
  enum { UNITS = 5000 };
  struct agglom_task_state one_section = {0};
  struct agglom_task task = {.args_size = 8, .n_sections = 1, .sections = sections, .state = &one_section};
  struct ag_footprint f = {0};
  struct ag_unit *u = calloc(1, sizeof *u + sizeof(struct ag_access));
  assert_non_null(u);
  u->task = &task;
  for (int round = 0; round < 3; ++round) {
    for (int way = 0; way < 2; ++way)
      for (uintptr_t i = 0; i < UNITS; ++i) {
        u->access[0] = (struct ag_access){(i + 1) * 65536, (i + 1) * 65536 + AG_SHARED_LEAST, NULL};
        u->footprint = ag_unit_footprint(u, &u->large);
        assert_true(u->large);
        ag_footprint_add(&f, u);
      }
    assert_int_equal(f.bytes, (size_t)UNITS * (AG_SHARED_LEAST + AG_REGION_KEEP + 2 * 8));
    if (round == 1) {
      ag_footprint_clear(&f);
      assert_int_equal(f.bytes, 0);
      continue;
    }
    for (int way = 0; way < 2; ++way)
      for (uintptr_t i = UNITS; i-- > 0;) {
        u->access[0] = (struct ag_access){(i + 1) * 65536, (i + 1) * 65536 + AG_SHARED_LEAST, NULL};
        ag_footprint_remove(&f, u);
      }
    assert_int_equal(f.bytes, 0);
  }
  ag_footprint_free(&f);
  free(u);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_once), cmocka_unit_test(counts_each_once),
                                     cmocka_unit_test(nearly_the_same), cmocka_unit_test(random_units),
                                     cmocka_unit_test(many_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
