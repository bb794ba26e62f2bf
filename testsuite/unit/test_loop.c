/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* agglom_for(): every iteration is in one chunk, chunks come in order, slots are each chunk's own. */
#include "rt_tasks.h"

enum { N = 1000 };

struct env {
  struct agglom_task *task;
  uint64_t *y;
  unsigned long long next; /* where the next chunk must begin */
  unsigned chunks, combined;
  uint64_t sum;
  bool nested; /* runs another loop in each chunk */
};

/* The chunk's unit does y[k] = y[k] * 31 + from for its iterations, and another one the same with the slot.
 */
static void submit_chunk(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  struct env *e = (struct env *)(uintptr_t)env;
  assert_int_equal(from, e->next);
  assert_true(to > from);
  e->next = to;
  ++e->chunks;
  struct mix_args a = {.y = e->y, .ly = (long)from, .ny = (long)(to - from), .x = e->y, .v = from};
  assert_int_equal(submit_mix(e->task, a), 0);
  if (!slot)
    return;
  uint64_t *s = slot;
  assert_int_equal((uintptr_t)s % _Alignof(max_align_t), 0);
  assert_int_equal(*s, 0);
  *s = from;
  struct mix_args b = {.y = s, .ny = 1, .x = e->y, .v = to};
  assert_int_equal(submit_mix(e->task, b), 0);
}

static void combine_chunk(void *env, const void *slot) {
  struct env *e = env;
  ++e->combined;
  e->sum = e->sum * 7 + *(const uint64_t *)slot;
}

static const char *const settings[] = {
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2",
    "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=static:5",
};

static void run(unsigned schedule, long long chunk, bool slots, struct agglom_task *task, unsigned chunks) {
  static uint64_t y[N];
  memset(y, 0, sizeof y);
  struct env e = {.task = task, .y = y};
  int got = agglom_for(submit_chunk, slots ? combine_chunk : NULL, &e, sizeof e, slots ? sizeof(uint64_t) : 0,
                       N, schedule, chunk, 0);
  assert_int_equal(got, 0);
  assert_int_equal(e.next, N);
  if (chunks)
    assert_int_equal(e.chunks, chunks);
  assert_int_equal(e.combined, slots ? e.chunks : 0);
  /* From the rules alone: where chunks begin shows in y. */
  uint64_t from = 0, sum = 0;
  unsigned seen = 0;
  while (from < N) {
    uint64_t to = from + 1;
    while (to < N && y[to] == from)
      ++to;
    for (uint64_t k = from; k < to; ++k)
      assert_int_equal(y[k], from);
    sum = sum * 7 + (from * 31 + to);
    from = to;
    ++seen;
  }
  assert_int_equal(seen, e.chunks);
  if (slots)
    assert_int_equal(e.sum, sum);
}

static void schedules(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    start_with(settings[s]);
    struct agglom_task *tasks[] = {&mix_task, &host_task};
    for (int t = 0; t < 2; ++t)
      for (int slots = 0; slots < 2; ++slots) {
        run(AGGLOM_SCHEDULE_AUTO, 0, slots, tasks[t], 0);
        run(AGGLOM_SCHEDULE_STATIC, 0, slots, tasks[t], s ? 0 : 1);
        run(AGGLOM_SCHEDULE_STATIC, -3, slots, tasks[t], s ? 0 : 1);
        run(AGGLOM_SCHEDULE_STATIC, 300, slots, tasks[t], 4);
        run(AGGLOM_SCHEDULE_DYNAMIC, 1, slots, tasks[t], N);
        run(AGGLOM_SCHEDULE_DYNAMIC, 5000, slots, tasks[t], 1);
        run(AGGLOM_SCHEDULE_RUNTIME, 9, slots, tasks[t], 0);
      }
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void at_run_time(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2 AGGLOM_SCHEDULE=dynamic:7");
  run(AGGLOM_SCHEDULE_RUNTIME, 0, true, &mix_task, (N + 6) / 7);
  run(AGGLOM_SCHEDULE_STATIC, 0, true, &mix_task, 2);
  assert_int_equal(agglom_shutdown(), 0);
}

static void no_wait(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  static uint64_t y[N];
  memset(y, 0, sizeof y);
  struct env e = {.task = &mix_task, .y = y};
  assert_int_equal(
      agglom_for(submit_chunk, NULL, &e, sizeof e, 0, N, AGGLOM_SCHEDULE_STATIC, 100, AGGLOM_FOR_NOWAIT), 0);
  assert_int_equal(y[N - 1], 0); /* one worker, and nothing was full: nobody has run it */
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(y[N - 1], N - 100);
  assert_int_equal(agglom_shutdown(), 0);
}

/* A chunk that cannot run: said once, the others run, and its slot keeps what submit() put there. */
static void submit_bad(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  struct env *e = (struct env *)(uintptr_t)env;
  struct mix_args a = {.y = slot, .ny = from == 3 ? -1 : 1, .x = e->y, .v = to};
  *(uint64_t *)slot = 0;
  int err = submit_mix(e->task, a);
  assert_int_equal(err, from == 3 ? -EINVAL : 0);
}
static void add_up(void *env, const void *slot) { ((struct env *)env)->sum += *(const uint64_t *)slot; }

static void one_is_impossible(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  uint64_t y[8] = {0};
  struct env e = {.task = &mix_task, .y = y};
  assert_int_equal(
      agglom_for(submit_bad, add_up, &e, sizeof e, sizeof(uint64_t), 8, AGGLOM_SCHEDULE_STATIC, 1, 0),
      -EINVAL);
  assert_int_equal(e.sum, 1 + 2 + 3 + 5 + 6 + 7 + 8);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* In the body of a unit that may be on a device, and without memory for slots, nothing is begun. */
static _Atomic int begun;
static void must_not(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)env, (void)from, (void)to, (void)slot;
  fail();
}
static void asks_cpu(const void *const *args, unsigned long n) {
  (void)args, (void)n;
  atomic_store(&begun, agglom_for(must_not, NULL, NULL, 0, 0, 10, AGGLOM_SCHEDULE_AUTO, 0, 0));
}
static struct agglom_task asking_task = {.name = "asking",
                                         .file = "loop.c",
                                         .line = 1,
                                         .map = AGGLOM_MAP_BLOCK,
                                         .args_size = 1,
                                         .args_align = 1,
                                         .cpu = asks_cpu,
                                         .emulated = mix_emulated,
                                         .kernel = "asking",
                                         .module = &mix_module_header};

static void not_begun(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  struct agglom_task *tasks[] = {&asking_task};
  struct agglom_module module = {.abi_version = AGGLOM_ABI_VERSION,
                                 .size = sizeof module,
                                 .file = "loop.c",
                                 .producer = "test",
                                 .n_tasks = 1,
                                 .tasks = tasks};
  assert_int_equal(agglom_register(&module), 0);
  assert_int_equal(agglom_submit(&asking_task, "", NULL, 0, 0), 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(atomic_load(&begun), 1);
  agglom_unregister(&module);
  struct env e = {0};
  assert_int_equal(
      agglom_for(must_not, combine_chunk, &e, sizeof e, SIZE_MAX / 64, 1000, AGGLOM_SCHEDULE_STATIC, 1, 0),
      1);
  assert_int_equal(agglom_shutdown(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(schedules),         cmocka_unit_test(at_run_time), cmocka_unit_test(no_wait),
      cmocka_unit_test(one_is_impossible), cmocka_unit_test(not_begun),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
