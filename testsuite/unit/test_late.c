/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units that come while a batch is being staged. The staging itself submits them, through the function that
 * makes the identity of what is accumulated, so nothing depends on time. */
#include "capture.h"
#include "hold_task.h"
#include "measure/measure.h"
#include "shared/runtime.h"

/* --- fold: void fold(uint64_t *cell, uint64_t *sum, uint64_t v) inout(cell[0:1]) accumulate(+: sum[0:1]) ---
 */

enum { CELLS = 4, MOST_LAUNCHES = 64 };

struct fold_args {
  uint64_t *cell, *sum, v;
};

static uint64_t cells[CELLS], expected[CELLS], sum, expected_sum, submitted;
static unsigned sizes[MOST_LAUNCHES];
static _Atomic unsigned launches; /* two may run at a time, where one that failed is repeated */
static unsigned to_come;          /* units that the next staging submits */
static uint64_t foretold;         /* what the device was expected to take, while a batch was staged */

static void fold(const struct fold_args *a) {
  *a->cell = *a->cell * 31 + a->v;
  __atomic_fetch_add(a->sum, a->v, __ATOMIC_RELAXED);
}

static void fold_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    fold(args[i]);
}

static void fold_emulated(const struct agglom_launch *l, unsigned c) {
  const struct fold_args *args = l->units;
  unsigned number = c ? MOST_LAUNCHES : atomic_fetch_add(&launches, 1);
  if (number < MOST_LAUNCHES)
    sizes[number] = l->n_units; /* of one task at a time */
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    fold(&args[u]);
    agglom_emulated_end(l, u);
  }
}

static void submit_folds(unsigned n);

static void fold_identity(void *to, unsigned long long bytes) {
  unsigned come = to_come;
  tally_identity(to, bytes);
  foretold = atomic_load(&ag_runtime_running()->accelerators[0].expected_ns);
  to_come = 0;
  submit_folds(come);
  /* Nobody but this thread looks whether a batch is over, so for what follows here the device stays busy. */
  atomic_store(&let_go, true);
}

static const struct agglom_section fold_sections[] = {
    {"inout(cell[0:1])", 2, AGGLOM_INOUT, sizeof(uint64_t), offsetof(struct fold_args, cell), 0, NULL, NULL},
    {"accumulate(+: sum[0:1])", 2, AGGLOM_ACCUMULATE | 1 << AGGLOM_OPERATION_SHIFT, sizeof(uint64_t),
     offsetof(struct fold_args, sum), 1, fold_identity, tally_combine}};

static struct agglom_task fold_task = {.name = "fold",
                                       .file = "late.c",
                                       .line = 2,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct fold_args),
                                       .args_align = _Alignof(struct fold_args),
                                       .n_sections = 2,
                                       .sections = fold_sections,
                                       .cpu = fold_cpu,
                                       .emulated = fold_emulated,
                                       .kernel = "fold",
                                       .module = &mix_module_header};

/* Each cell's units follow one another. */
static void submit_folds(unsigned n) {
  for (; n; --n) {
    unsigned c = (unsigned)(submitted % CELLS);
    struct fold_args a = {&cells[c], &sum, ++submitted};
    struct agglom_range ranges[] = {{a.cell, 0, 1}, {a.sum, 0, 1}};
    expected[c] = expected[c] * 31 + a.v;
    expected_sum += a.v;
    assert_int_equal(agglom_submit(&fold_task, &a, ranges, 0, 0), 0);
  }
}

static struct agglom_task *const late_tasks[] = {&hold_task, &fold_task};
static struct agglom_module late_module = TASK_MODULE("late.c", late_tasks);

/* --- The scene ---------------------------------------------------------------------------------------------
 */

static void open_scene(const char *settings) {
  memset(cells, 0, sizeof cells);
  memset(expected, 0, sizeof expected);
  sum = expected_sum = submitted = 0;
  launches = 0;
  assert_int_equal(agglom_register(&late_module), 0);
  char all[200];
  snprintf(all, sizeof all, "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_REPORT=1 %s", settings);
  start_with(all);
}

/* With the device busy or not, `first` units are submitted, and `late` while the first batch of them is
 * staged. */
static void act(bool busy, unsigned first, unsigned late) {
  to_come = late;
  atomic_store(&let_go, !busy);
  if (busy)
    assert_int_equal(agglom_submit(&hold_task, "", NULL, 0, 0), 0);
  submit_folds(first);
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(cells, expected, sizeof cells);
  assert_int_equal(sum, expected_sum);
  assert_int_equal(to_come, 0);
}

/* Says how many units joined a batch. */
static unsigned close_scene(void) {
  capture_begin();
  assert_int_equal(agglom_shutdown(), 0);
  const char *joined = strstr(capture_end(), "  joined ");
  unsigned n = 0;
  if (joined)
    assert_int_equal(sscanf(joined, " joined %u", &n), 1);
  return n;
}

static unsigned play(const char *settings, bool busy, unsigned first, unsigned late) {
  open_scene(settings);
  act(busy, first, late);
  return close_scene();
}

static void expect_launches(unsigned n, const unsigned *expected_sizes) {
  assert_int_equal(launches, n);
  for (unsigned i = 0; i < n; ++i)
    assert_int_equal(sizes[i], expected_sizes[i]);
}
#define EXPECT_LAUNCHES(...)                                                                                 \
  expect_launches(sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned), (unsigned[]){__VA_ARGS__})

/* As many again and more join, those that follow units of the batch too. */
static void late_units_join(void **state) {
  (void)state;
  assert_int_equal(play("", true, 4, 8), 8);
  EXPECT_LAUNCHES(12);
  assert_int_equal(play("", true, 1, 1), 1);
  EXPECT_LAUNCHES(2);
}

/* Fewer are not worth staging all the others again; and a device with nothing to do is given something. */
static void few_wait_for_the_next(void **state) {
  (void)state;
  assert_int_equal(play("", true, 8, 7), 0);
  EXPECT_LAUNCHES(8, 7);
  assert_int_equal(play("", false, 4, 8), 0);
  EXPECT_LAUNCHES(4, 8);
}

static void limits_hold(void **state) {
  (void)state;
  fold_task.max_units = 10;
  assert_int_equal(play("", true, 4, 8), 6);
  EXPECT_LAUNCHES(10, 2);
  fold_task.max_units = 0;
}

/* Policies that name a number mean it. */
static void policies_hold(void **state) {
  (void)state;
  assert_int_equal(play("AGGLOM_BATCH=static:4", true, 4, 8), 0);
  EXPECT_LAUNCHES(4, 4, 4);
  assert_int_equal(play("AGGLOM_BATCH=single", true, 1, 3), 0);
  EXPECT_LAUNCHES(1, 1, 1, 1);
  assert_int_equal(play("AGGLOM_BATCH=count:4", true, 4, 4), 0);
  EXPECT_LAUNCHES(4, 4);
}

/* A batch that has grown and fails: each unit still takes effect once, in its turn. */
static void grown_batches_fail(void **state) {
  (void)state;
  static const char *const calls[] = {"copy_in", "launch", "copy_out", "mark", "milestone"};
  char fault[80];
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i)
    for (int nth = 1; nth <= 4; ++nth) {
      snprintf(fault, sizeof fault, "AGGLOM_FAULT=call=%s,nth=%d", calls[i], nth);
      play(fault, nth > 1, 4, 8); /* hold cannot end on the CPU before it is let go */
    }
}

/* A batch is expected from when it was formed on, so that nobody takes the device for idle. */
static void expected_while_staged(void **state) {
  (void)state;
  open_scene("AGGLOM_BATCH=auto AGGLOM_SPLIT=gpu");
  act(false, 4, 0);
  assert_int_equal(foretold, 0); /* nothing was known */
  struct ag_model *m = ag_task_model_lock(&fold_task);
  m->device[0].times = (struct ag_batch_times){1e9, 1e-9, m->device[0].times.fill, AG_FORM_LINE};
  ag_task_model_unlock(&fold_task);
  act(false, 4, 0);
  assert_int_equal(foretold, 1000000000);
  assert_int_equal(atomic_load(&ag_runtime_running()->accelerators[0].expected_ns), 0);
  close_scene();
}

/* What was staged and is staged anew holds no memory of the device: it is there for all that follow. */
static void first_stagings_hold_nothing(void **state) {
  (void)state;
  enum { ROUNDS = 200 };
  open_scene("AGGLOM_EMULATE=memory=64KB");
  for (int round = 0; round < ROUNDS; ++round) {
    launches = 0;
    act(true, 4, 8);
    EXPECT_LAUNCHES(12);
  }
  struct agglom_counters counters;
  agglom_get_counters(&counters);
  assert_int_equal(counters.failed, 0);
  assert_int_equal(close_scene(), 8 * ROUNDS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(late_units_join),
      cmocka_unit_test(few_wait_for_the_next),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(policies_hold),
      cmocka_unit_test(grown_batches_fail),
      cmocka_unit_test(expected_while_staged),
      cmocka_unit_test(first_stagings_hold_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
