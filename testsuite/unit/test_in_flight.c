/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What units in flight take is bounded, with all that the graph remembers of them. */
#include "rt_tasks.h"
#include "shared/runtime.h"
#include "workers/worker.h"

enum { CELLS = 400, READERS = 4000, ROUNDS = 3, MOST = 4 << 20, KEPT = 1 << 20 };

static uint64_t x[CELLS], y[READERS], model_x[CELLS], model_y[READERS];

/* One call, here and in the model. *peak: the most bytes that all took. */
static void call(struct agglom_task *task, struct mix_args a, struct mix_args model, size_t *peak) {
  struct ag_worker *w = ag_worker_mine(ag_runtime_running());
  assert_int_equal(submit_mix(task, a), 0);
  mix(&model);
  ag_lock(&w->lock);
  size_t bytes = w->live_bytes + ag_graph_bytes(&w->store);
  ag_unlock(&w->lock);
  *peak = bytes > *peak ? bytes : *peak;
}

/* Cells that are written one by one, and read all together by many units. */
static void rounds(struct agglom_task *task, size_t *peak) {
  for (uint64_t round = 0; round < ROUNDS; ++round) {
    for (long i = 0; i < CELLS; ++i)
      call(task, (struct mix_args){.y = x, .ly = i, .ny = 1, .x = x, .v = round},
           (struct mix_args){.y = model_x, .ly = i, .ny = 1, .x = model_x, .v = round}, peak);
    for (long i = 0; i < READERS; ++i)
      call(task, (struct mix_args){.y = y, .ly = i, .ny = 1, .x = x, .nx = CELLS, .v = round},
           (struct mix_args){.y = model_y, .ly = i, .ny = 1, .x = model_x, .nx = CELLS, .v = round}, peak);
  }
}

/* A reader has a record in each cell, and a writer an edge to each reader: these count, and are given back.
 */
static void records_count(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
                                         "AGGLOM_DEVICES=none AGGLOM_WORKERS=2"};
  struct agglom_task *const tasks[] = {&mix_task, &host_task};
  for (size_t s = 0; s < 4; ++s) {
    size_t peak = 0;
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    memset(model_x, 0, sizeof model_x);
    memset(model_y, 0, sizeof model_y);
    start_with(settings[s / 2]);
    struct ag_runtime *rt = ag_runtime_running();
    struct ag_worker *w = ag_worker_mine(rt);
    rt->most_bytes = MOST;
    rounds(tasks[s % 2], &peak);
    /* Arrays grow to twice their size; a second CPU may keep up with the calls. */
    assert_in_range(peak, s < 2 ? MOST / 2 : 0, 2 * MOST + MOST / 8);
    assert_int_equal(agglom_wait(), 0);
    assert_memory_equal(x, model_x, sizeof x);
    assert_memory_equal(y, model_y, sizeof y);
    assert_in_range(w->store.reader_bytes, 0, KEPT);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(records_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
