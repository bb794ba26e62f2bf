/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many loops of random sizes under random schedules, of two threads at the same time: each iteration runs
 * once, what conflicts runs in order, nothing that is reduced or accumulated is lost. STRESS_RUNS says how
 * many loops; `make stress` takes ten million. */
#include "fold_task.h"
#include "random.h"
#include "run_loop.h"

#include <pthread.h>

enum { MOST = 20000, BINS = 16, THREADS = 2 };

/* --- count: accumulate(+: bins[0:BINS]): bins[i % BINS] += i for from .. to - 1 ---------------------------
 */

struct count_args {
  uint64_t *bins;
  long from, to;
};
static void count(const struct count_args *a) {
  for (long i = a->from; i < a->to; ++i)
    __atomic_fetch_add(&a->bins[i % BINS], (uint64_t)i, __ATOMIC_RELAXED);
}
TASK_BODIES(count, struct count_args, count)

static void count_private(const void *const *args, unsigned long n) {
  for (unsigned long k = 0; k < n; ++k) {
    const struct count_args *a = args[k];
    for (long i = a->from; i < a->to; ++i)
      a->bins[i % BINS] += (uint64_t)i;
  }
}
static const struct agglom_section count_sections[] = {
    {"accumulate(+: bins[0:16])", 91, AGGLOM_ACCUMULATE | 1 << AGGLOM_OPERATION_SHIFT, sizeof(uint64_t),
     offsetof(struct count_args, bins), 0, tally_identity, tally_combine}};
static struct agglom_task count_task = {.name = "count",
                                        .file = "count.c",
                                        .line = 90,
                                        .map = AGGLOM_MAP_BLOCK,
                                        .args_size = sizeof(struct count_args),
                                        .args_align = _Alignof(struct count_args),
                                        .n_sections = 1,
                                        .sections = count_sections,
                                        .cpu = count_cpu,
                                        .cpu_private = count_private,
                                        .emulated = count_emulated,
                                        .kernel = "count",
                                        .module = &mix_module_header};

static struct agglom_task *const count_tasks[] = {&count_task, &fold_task};
static struct agglom_module count_module = TASK_MODULE("count.c", count_tasks);

/* --- Loops ------------------------------------------------------------------------------------------------
 */

struct env {
  uint64_t y[MOST + 1], bins[BINS];
  uint64_t cell, sum, next;
  bool wrong;
};

/* y[i] = y[i] * 31 + 1 */
static void submit_each(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  submit_run_of((uint64_t *)(uintptr_t)((const struct env *)env)->y, from, to, slot);
}
static void in_order(void *env, const void *slot) {
  struct env *e = env;
  e->wrong |= !comes_next(&e->next, slot);
}
static void submit_turns(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  submit_fold((uint64_t *)(uintptr_t)&((const struct env *)env)->cell, from, to);
}
static void submit_count(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  struct count_args a = {(uint64_t *)(uintptr_t)((const struct env *)env)->bins, (long)from, (long)to};
  struct agglom_range range = {a.bins, 0, BINS};
  assert_int_equal(agglom_submit(&count_task, &a, &range, 0, 0), 0);
}

struct schedule {
  unsigned kind;
  long long chunk;
};

/* `auto` mostly. */
static struct schedule some_schedule(uint64_t *random) {
  uint64_t r = next_random(random) % 16;
  long long chunk = 1 + (long long)(next_random(random) % 300);
  if (r < 8)
    return (struct schedule){AGGLOM_SCHEDULE_AUTO, 0};
  if (r < 12)
    return (struct schedule){AGGLOM_SCHEDULE_STATIC, r < 10 ? 0 : chunk};
  if (r < 15)
    return (struct schedule){AGGLOM_SCHEDULE_DYNAMIC, r < 13 ? 0 : chunk};
  return (struct schedule){(unsigned)(next_random(random) % (AGGLOM_SCHEDULE_DYNAMIC_LOCKED + 1)), chunk};
}

/* Mostly a few iterations, sometimes thousands. */
static unsigned long long some_size(uint64_t *random) {
  uint64_t r = next_random(random) % 100;
  return 1 + next_random(random) % (r < 90 ? 40 : r < 99 ? 1000 : MOST);
}

static _Atomic unsigned long long loops_left;

/* The line of a check that did not hold: cmocka's own are for its thread alone. */
static _Atomic int failed;
#define CHECK(EXPRESSION)                                                                                    \
  do                                                                                                         \
    if (!(EXPRESSION)) {                                                                                     \
      atomic_store(&failed, __LINE__);                                                                       \
      return NULL;                                                                                           \
    }                                                                                                        \
  while (0)

static void *run_loops(void *seed) {
  uint64_t random = *(const uint64_t *)seed, bins[BINS] = {0}, cell = 1;
  struct env *e = calloc(1, sizeof *e);
  uint64_t *right = calloc(MOST + 1, sizeof *right);
  CHECK(e && right);
  e->cell = 1;
  for (unsigned long k = 0; atomic_fetch_sub(&loops_left, 1) > 1; ++k) {
    struct schedule s = some_schedule(&random);
    unsigned long long n = some_size(&random);
    switch (next_random(&random) % 4) {
    case 0:
    case 1: {
      bool reduces = next_random(&random) % 2;
      e->next = 0;
      CHECK(!agglom_for(submit_each, reduces ? in_order : NULL, e, sizeof *e, reduces ? sizeof(uint64_t) : 0,
                        n, s.kind, s.chunk, -1, next_random(&random) % 2 ? AGGLOM_FOR_EVEN : 0));
      CHECK(!e->wrong && (!reduces || e->next == n));
      for (unsigned long long i = 0; i < n; ++i)
        right[i] = right[i] * 31 + 1;
      break;
    }
    case 2:
      n = n < 200 ? n : 200;
      CHECK(!agglom_for(submit_turns, NULL, e, sizeof *e, 0, n, s.kind, s.chunk, -1,
                        next_random(&random) % 2 ? AGGLOM_FOR_EVEN : 0));
      fold(&(struct fold_args){&cell, 0, (long)n});
      CHECK(e->cell == cell);
      break;
    default:
      CHECK(!agglom_for(submit_count, NULL, e, sizeof *e, 0, n, s.kind, s.chunk, -1, AGGLOM_FOR_EVEN));
      count(&(struct count_args){bins, 0, (long)n});
      CHECK(!memcmp(e->bins, bins, sizeof bins));
    }
    if (k % 64 == 0)
      CHECK(!memcmp(e->y, right, sizeof e->y));
  }
  CHECK(!memcmp(e->y, right, sizeof e->y));
  free(right);
  free(e);
  return NULL;
}

static void random_loops(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=2", "AGGLOM_DEVICES=none AGGLOM_WORKERS=5",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=1", "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_SPLIT=auto"};
  enum { SETTINGS = sizeof settings / sizeof *settings, OF_DEVICES = 20 };
  unsigned long long loops = from_environment("STRESS_RUNS", 200000);
  for (size_t s = 0; s < SETTINGS; ++s) {
    bool devices = s == SETTINGS - 1; /* launches take their time */
    start_with(settings[s]);
    assert_int_equal(agglom_register(&count_module), 0);
    atomic_store(&loops_left, devices ? loops / OF_DEVICES + 1 : loops / (SETTINGS - 1) + 1);
    pthread_t id[THREADS];
    uint64_t seed[THREADS];
    for (unsigned t = 0; t < THREADS; ++t) {
      seed[t] = 77 + 10 * s + t;
      assert_int_equal(pthread_create(&id[t], NULL, run_loops, &seed[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; ++t)
      assert_int_equal(pthread_join(id[t], NULL), 0);
    if (atomic_load(&failed))
      fail_msg("%s: the check in line %d does not hold", settings[s], atomic_load(&failed));
    assert_int_equal(agglom_shutdown(), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_loops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
