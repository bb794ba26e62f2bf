/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Without memory for new units a call is made in its turn: later than the others, never lost, never early. */
#include "dispatch/dispatch.h"
#include "fold_task.h"
#include "rt_tasks.h"
#include "shared/runtime.h"
#include "workers/make.h"
#include "workers/worker.h"

#include <malloc.h>
#include <time.h>

static _Atomic bool none_left, none_to_grow;

/* Pools take their memory with aligned_alloc(): this one is linked instead of the library's. */
void *aligned_alloc(size_t align, size_t bytes) {
  void *p = NULL;
  if (atomic_load(&none_left) || posix_memalign(&p, align, bytes))
    return NULL;
  return p;
}

/* And arrays grow with realloc(), which the C library uses, too, where AddressSanitizer sees to a thread that
 * starts. */
void *realloc(void *old, size_t bytes) {
  void *p = atomic_load(&none_to_grow) && ag_worker_here() ? NULL : malloc(bytes);
  size_t had = old ? malloc_usable_size(old) : 0;
  if (!p)
    return NULL;
  if (had)
    memcpy(p, old, had < bytes ? had : bytes);
  free(old);
  return p;
}

static uint64_t y[3], z[3];

static void round_of(int units) {
  for (int k = 0; k < units; ++k) {
    struct agglom_task *tasks[] = {&mix_task, &host_task, &thread_task};
    struct mix_args a = {.y = y, .ly = k % 3, .ny = 1, .x = y, .lx = (k + 1) % 3, .nx = 1, .v = (uint64_t)k};
    assert_int_equal(submit_mix(tasks[k % 7 % 3], a), 0);
    a.x = a.y = z;
    mix(&a);
  }
}

static void memory_runs_out(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2"};
  for (size_t s = 0; s < 2; ++s) {
    memset(y, 0, sizeof y);
    memset(z, 0, sizeof z);
    start_with(settings[s]);
    for (int i = 0; i < 8; ++i) {
      round_of(20 << i);
      atomic_store(&none_left, true);
      round_of(1000);
      atomic_store(&none_left, false);
    }
    assert_int_equal(agglom_wait(), 0);
    assert_memory_equal(y, z, sizeof y);
    struct agglom_counters c;
    agglom_get_counters(&c);
    assert_int_equal(c.units, 8 * 1000 + 20 * 255);
    assert_int_equal(c.units_on_cpu + c.units_on_device, c.units);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* Short calls that join units, and now and then there is no memory for what these need. */
static void memory_comes_and_goes(void **state) {
  (void)state;
  enum { CELLS = 32, CALLS = 2000, ROUNDS = 40 };
  static uint64_t got[CELLS], wanted[CELLS];
  uint64_t seed = 1;
  for (int round = 0; round < ROUNDS; ++round) {
    memset(got, 0, sizeof got);
    memset(wanted, 0, sizeof wanted);
    start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
    struct ag_worker *w = ag_worker_mine(ag_runtime_running());
    for (int k = 0; k < CALLS; ++k) {
      struct mix_args a = {.y = got, .x = got, .ny = 1, .nx = 1, .v = (uint64_t)k};
      a.ly = (long)(next_random(&seed) % CELLS);
      a.lx = (a.ly + 1 + (long)(next_random(&seed) % (CELLS - 1))) % CELLS;
      atomic_store(&none_left, next_random(&seed) % 4 == 0);
      assert_int_equal(submit_mix(&mix_task, a), 0);
      a.x = a.y = wanted;
      mix(&a);
      if (k > 10 && k % 8 == 0) /* too long to run in place, and short enough to join others */
        atomic_store(&w->queues[mix_task.state->index]->cpu_ns, 1000);
    }
    atomic_store(&none_left, false);
    assert_int_equal(agglom_wait(), 0);
    assert_memory_equal(got, wanted, sizeof got);
    struct agglom_counters c;
    agglom_get_counters(&c);
    assert_true(c.units == CALLS && c.units_on_cpu == CALLS);
    assert_int_equal(w->live_bytes, 0);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* Not even the submitting task's own bookkeeping can be had. */
static void inner(void *context) {
  uint64_t *p = context;
  atomic_store(&none_left, true);
  submit_mix(&mix_task, (struct mix_args){.y = p, .ny = 1, .v = 2});
  submit_mix(&host_task, (struct mix_args){.y = p, .ny = 1, .v = 3});
  atomic_store(&none_left, false);
}

static void none_inside_a_task(void **state) {
  (void)state;
  uint64_t p[1] = {0};
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  submit_call(inner, p, 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(p[0], 2 * 31 + 3);
  assert_int_equal(agglom_shutdown(), 0);
}

/* Kernels wait until a CPU has run units, so that their own units' memory is nobody's before; or, where that
 * does not happen, for so long that the test fails. */
static _Atomic bool held;

static void held_emulated(const struct agglom_launch *l, unsigned c) {
  for (int ms = 0; atomic_load(&held) && ms < 20000; ++ms)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  mix_emulated(l, c);
}

static void releasing_cpu(const void *const *args, unsigned long n) {
  mix_cpu(args, n);
  atomic_store(&held, false);
}

/* Units in a stream that cannot be made units of a batch for the device: CPUs take them as they are. */
static void none_for_a_batch(void **state) {
  (void)state;
  enum { N = 200 };
  static uint64_t cells[N];
  static struct agglom_task free_task;
  free_task = mix_task;
  free_task.name = "free";
  free_task.flags |= AGGLOM_TASK_INDEPENDENT;
  free_task.cpu = releasing_cpu;
  free_task.emulated = held_emulated;
  static struct agglom_task *const tasks[] = {&free_task};
  static struct agglom_module module;
  module = tasks_module;
  module.file = "free.c";
  module.n_tasks = 1;
  module.tasks = tasks;
  for (int workers = 1; workers <= 2; ++workers) {
    char settings[80];
    snprintf(settings, sizeof settings, "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=%d", workers);
    atomic_store(&held, workers == 1); /* another worker may launch all of them */
    memset(cells, 0, sizeof cells);
    assert_int_equal(agglom_register(&module), 0);
    start_with(settings);
    for (uint64_t i = 0; i < N; ++i)
      assert_int_equal(submit_mix(&free_task, (struct mix_args){.y = cells + i, .ny = 1, .v = i + 1}), 0);
    atomic_store(&none_left, true);
    assert_int_equal(agglom_wait(), 0);
    for (uint64_t i = 0; i < N; ++i)
      assert_int_equal(cells[i], i + 1);
    struct agglom_counters c;
    agglom_get_counters(&c);
    assert_int_equal(c.units, N);
    assert_int_equal(c.units_on_cpu + c.units_on_device, N);
    if (workers == 1) /* or the other one may have launched them before */
      assert_in_range(c.units_on_cpu, 1, N - 1);
    atomic_store(&none_left, false);
    for (uint64_t i = 0; i < N; ++i) /* and later devices do again */
      submit_mix(&free_task, (struct mix_args){.y = cells + i, .ny = 1, .v = 0});
    assert_int_equal(agglom_wait(), 0);
    uint64_t before = c.units_on_cpu;
    agglom_get_counters(&c);
    assert_int_equal(c.units_on_cpu, before);
    agglom_unregister(&module);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* A batch for a device that cannot be formed is one unit on the CPU; the next one is formed as ever. */
static void none_for_the_arrays(void **state) {
  (void)state;
  uint64_t p[3] = {0, 0, 0};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  for (int i = 0; i < 3; ++i)
    assert_int_equal(submit_mix(&mix_task, (struct mix_args){.y = p + i, .ny = 1, .v = 5}), 0);
  struct ag_worker *mine = ag_worker_mine(ag_runtime_running());
  atomic_store(&none_to_grow, true);
  assert_true(ag_dispatch_one(mine, mine, AG_ON_WAIT, false));
  assert_int_equal(atomic_load(&mix_on_cpu), 1);
  atomic_store(&none_to_grow, false);
  assert_true(ag_dispatch_one(mine, mine, AG_ON_WAIT, false));
  assert_int_equal(agglom_wait(), 0);
  assert_true(p[0] == 5 && p[1] == 5 && p[2] == 5);
  assert_int_equal(atomic_load(&mix_on_device), 2);
  assert_int_equal(agglom_shutdown(), 0);
}

/* No array grows, from the first unit on: each wait ends, though units may be many calls. */
static void no_arrays_at_all(void **state) {
  (void)state;
  enum { CELLS = 16, CALLS = 1000 };
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=2",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1"};
  for (size_t s = 0; s < 2; ++s) {
    uint64_t got[CELLS] = {0}, wanted[CELLS] = {0};
    start_with(settings[s]);
    struct ag_worker *w = ag_worker_mine(ag_runtime_running());
    assert_true(ag_queue_ready(w, &mix_task));
    atomic_store(&w->queues[mix_task.state->index]->cpu_ns, 1000); /* short enough to join others */
    atomic_store(&none_to_grow, true);
    for (int k = 0; k < CALLS; ++k) {
      struct mix_args a = {.y = got, .ly = k / 8 % CELLS, .ny = 1, .v = (uint64_t)k};
      assert_int_equal(submit_mix(&mix_task, a), 0);
      a.y = wanted;
      mix(&a);
    }
    assert_int_equal(agglom_wait(), 0);
    atomic_store(&none_to_grow, false);
    assert_memory_equal(got, wanted, sizeof got);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static struct agglom_task *const fold_tasks[] = {&fold_task};
static struct agglom_module fold_module = TASK_MODULE("fold.c", fold_tasks);

enum { CHUNK = 10 };

/* Each third chunk cannot be looked at before it runs. */
static void submit_chunk(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  atomic_store(&none_left, from / CHUNK % 3 == 1);
  submit_fold(*(uint64_t *const *)env, from, to);
  atomic_store(&none_left, false);
}

/* Chunks of a loop of which it is not known what they touch run alone, and in their turn; and what they have
 * written is sent anew. */
static void none_for_a_chunk(void **state) {
  (void)state;
  enum { N = 600 };
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
                                         "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3"};
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    static uint64_t cell, expected, *at = &cell;
    cell = expected = s;
    assert_int_equal(agglom_register(&fold_module), 0);
    start_with(settings[s]);
    for (int round = 0; round < 5; ++round) {
      fold(&(struct fold_args){&expected, 0, N});
      assert_int_equal(
          agglom_for(submit_chunk, NULL, &at, sizeof at, 0, N, AGGLOM_SCHEDULE_DYNAMIC, CHUNK, -1, 0), 0);
      assert_int_equal(cell, expected);
    }
    agglom_unregister(&fold_module);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_runs_out),    cmocka_unit_test(memory_comes_and_goes),
      cmocka_unit_test(none_inside_a_task), cmocka_unit_test(none_for_a_batch),
      cmocka_unit_test(none_for_a_chunk),   cmocka_unit_test(none_for_the_arrays),
      cmocka_unit_test(no_arrays_at_all)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fflush(NULL);
  if (failed)
    _Exit(1); /* without waiting for units that are left */
  return 0;
}
