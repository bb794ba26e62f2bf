/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tiles of an array where there is no device: short ones run in the call or become parts of the unit before
 * them, as other short units do. */

#include "busy_world.h"

enum { SIDE = 24, SHORT_NS = 1200 /* not short enough to run in the call */ };

static uint64_t array[SIDE * SIDE], wanted[SIDE * SIDE];

struct tile_args {
  uint64_t *a;
  long r, c, rows, columns;
  uint64_t v;
};

/* Each element of a tile, from what is left of the tile, and from itself. */
static void tile(const struct tile_args *t) {
  for (long i = t->r; i < t->r + t->rows; ++i)
    for (long j = t->c; j < t->c + t->columns; ++j)
      t->a[i * SIDE + j] = t->a[i * SIDE + j] * 31 + t->a[i * SIDE + t->c - 1] + t->v;
}

static void tile_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    tile(args[i]);
}

static const struct agglom_section tile_sections[] = {
    {"in(a[r:rows][c-1:1])", 2, AGGLOM_IN | AGGLOM_SHAPED, sizeof(uint64_t), offsetof(struct tile_args, a), 0,
     NULL, NULL},
    {"inout(a[r:rows][c:columns])", 2, AGGLOM_INOUT | AGGLOM_SHAPED, sizeof(uint64_t),
     offsetof(struct tile_args, a), 1, NULL, NULL}};

static struct agglom_task tile_task = {.name = "tile",
                                       .file = "tile.c",
                                       .line = 2,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct tile_args),
                                       .args_align = _Alignof(struct tile_args),
                                       .n_sections = 2,
                                       .sections = tile_sections,
                                       .cpu = tile_cpu,
                                       .kernel = "tile",
                                       .module = &mix_module_header};
static struct agglom_task *tile_tasks[] = {&tile_task};
static struct agglom_module tile_module = TASK_MODULE("tile.c", tile_tasks);

static void submit_tile(struct tile_args t) {
  struct agglom_dim dims[2][2];
  struct agglom_shape shape[2];
  struct agglom_range range[2];
  for (int s = 0; s < 2; ++s) {
    dims[s][0] = (struct agglom_dim){t.r, t.rows, 1, SIDE * sizeof(uint64_t)};
    dims[s][1] = (struct agglom_dim){s ? t.c : t.c - 1, s ? t.columns : 1, 1, sizeof(uint64_t)};
    shape[s] = (struct agglom_shape){.base = t.a, .dims = dims[s], .n_dims = 2, .block = sizeof(uint64_t)};
    range[s] = (struct agglom_range){&shape[s], 0, t.rows};
  }
  assert_int_equal(agglom_submit(&tile_task, &t, range, 0, 0), 0);
}

static void begin(const char *settings) {
  memset(array, 0, sizeof array);
  memset(wanted, 0, sizeof wanted);
  start_with(settings);
  assert_int_equal(agglom_register(&tile_module), 0);
}

static void begin_alone(struct agglom_task *task, uint64_t ns) {
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  keep_other_busy(task, ns);
}

static void end(void) {
  atomic_store(&over, true);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(mine()->live_bytes, 0);
  agglom_unregister(&tile_module);
  assert_int_equal(agglom_shutdown(), 0);
}

static void tiles_join(void **state) {
  (void)state;
  begin_alone(&tile_task, SHORT_NS);
  for (int i = 0; i < 5; ++i)
    submit_tile((struct tile_args){array, 4 * i, 1, 4, 4, 3});
  assert_int_equal(fifo_of(&tile_task)->count, 1);
  assert_int_equal(fifo_of(&tile_task)->calls, 5);
  submit_tile((struct tile_args){array, 0, 5, 8, 4, 3}); /* what is left of it is written by the unit */
  assert_int_equal(fifo_of(&tile_task)->count, 1);
  end();
  assert_int_equal(array[7 * SIDE + 5], 6);
  assert_int_equal(array[8 * SIDE + 4], 3);
}

static void very_short_tiles(void **state) {
  (void)state;
  begin_alone(&tile_task, 100);
  for (int i = 0; i < 40; ++i) {
    submit_tile((struct tile_args){array, i % 4 * 6, 1 + i / 20, 6, 4, 1});
    atomic_store(&queue_of(&tile_task)->cpu_ns, 100); /* on a slow machine, too */
    atomic_store(&tile_task.state->longest.ns, 100);
  }
  assert_int_equal(fifo_of(&tile_task)->count, 0);
  assert_int_equal(queue_of(&tile_task)->at_once, 40);
  end();
}

/* As tile(); some take as long as it takes until others come for them. */
static void slow_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct tile_args *t = args[i];
    spin(t->v);
    tile(t);
  }
}

static void random_tiles(void **state) {
  (void)state;
  uint64_t seed = 1;
  tile_task.cpu = slow_cpu;
  for (int round = 0; round < 30; ++round) {
    begin(random_workers(round));
    assert_true(ag_queue_ready(mine(), &tile_task));
    long unit = round % 2 ? 4 : 1; /* on a grid, or anywhere */
    for (int i = 0; i < 3000; ++i) {
      struct tile_args t = {.a = array, .v = (uint64_t)i};
      t.rows = unit * (long)(1 + next_random(&seed) % 2);
      t.columns = unit * (long)(1 + next_random(&seed) % 2);
      t.r = unit * (long)(next_random(&seed) % (uint64_t)((SIDE - t.rows) / unit + 1));
      t.c = 1 + unit * (long)(next_random(&seed) % (uint64_t)((SIDE - 1 - t.columns) / unit + 1));
      submit_tile(t);
      t.a = wanted;
      tile(&t);
      if (!(next_random(&seed) % 500))
        compare(array, wanted, sizeof array);
      if (i > 10)
        seem_anything(&tile_task, &seed);
    }
    compare(array, wanted, sizeof array);
    assert_int_equal(fifo_of(&tile_task)->free, 0);
    end();
  }
  tile_task.cpu = tile_cpu;
}

/* Also after a failure: the other thread does not spin for ever. */
static int let_go(void **state) {
  (void)state;
  atomic_store(&over, true);
  return agglom_shutdown();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(tiles_join, let_go),
                                     cmocka_unit_test_teardown(very_short_tiles, let_go),
                                     cmocka_unit_test_teardown(random_tiles, let_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
