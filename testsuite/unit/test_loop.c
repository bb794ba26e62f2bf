/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* agglom_for(): every iteration is in one chunk, slots are each chunk's own and are combined in order, and
 * chunks that conflict run in the order of their iterations; whatever the schedule, on CPUs, on devices and
 * on both. */
#include "fold_task.h"
#include "random.h"
#include "rt_tasks.h"

#include <pthread.h>
#include <time.h>

enum { N = 1000 };

/* --- piece: y[j] = y[j] * 31 + from, s = from * 31 + to; and once more with several sections of wrong order
 * -- */

struct piece_args {
  uint64_t *y, *s;
  long from, to;
};

static _Atomic unsigned long piece_on_cpu, piece_on_device;

static void piece(const struct piece_args *a) {
  for (long j = a->from; j < a->to; ++j)
    a->y[j] = a->y[j] * 31 + (uint64_t)a->from;
  if (a->s)
    *a->s = (uint64_t)(a->from * 31 + a->to);
}

static void piece_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    piece(args[i]);
  atomic_fetch_add(&piece_on_cpu, n);
}

static void piece_emulated(const struct agglom_launch *l, unsigned c) {
  const struct piece_args *args = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    piece(&args[u]);
    agglom_emulated_end(l, u);
  }
  atomic_fetch_add(&piece_on_device, l->end[c] - l->start[c]);
}

static const struct agglom_section piece_sections[] = {
    {"inout(y[from:to - from])", 11, AGGLOM_INOUT, sizeof(uint64_t), offsetof(struct piece_args, y), 0, NULL,
     NULL},
    {"out(s[0:1])", 12, AGGLOM_OUT, sizeof(uint64_t), offsetof(struct piece_args, s), 1, NULL, NULL},
};

static struct agglom_task piece_task = {.name = "piece",
                                        .file = "loop.c",
                                        .line = 10,
                                        .map = AGGLOM_MAP_BLOCK,
                                        .args_size = sizeof(struct piece_args),
                                        .args_align = _Alignof(struct piece_args),
                                        .n_sections = 2,
                                        .sections = piece_sections,
                                        .cpu = piece_cpu,
                                        .emulated = piece_emulated,
                                        .kernel = "piece",
                                        .module = &mix_module_header};

struct env {
  struct agglom_task *task;
  uint64_t *y;
  unsigned combined;
  uint64_t sum;
};

/* One unit. */
static void submit_piece(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  const struct env *e = env;
  assert_true(to > from);
  if (slot) {
    assert_int_equal((uintptr_t)slot % _Alignof(max_align_t), 0);
    assert_int_equal(*(uint64_t *)slot, 0);
  }
  struct piece_args a = {e->y, slot, (long)from, (long)to};
  struct agglom_range ranges[] = {{a.y, a.from, a.to - a.from}, {a.s, 0, slot != NULL}};
  assert_int_equal(agglom_submit(&piece_task, &a, ranges, 0, 0), 0);
}

/* Two units, or units that only run on the CPU. */
static void submit_chunk(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  const struct env *e = env;
  assert_true(to > from);
  struct mix_args a = {.y = e->y, .ly = (long)from, .ny = (long)(to - from), .x = e->y, .v = from};
  assert_int_equal(submit_mix(e->task, a), 0);
  if (!slot)
    return;
  uint64_t *s = slot;
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
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=auto",
    "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=static:5 AGGLOM_SPLIT=auto",
};

/* chunks: how many there must be; 0: any number. */
static void run(unsigned schedule, long long chunk, bool slots, struct agglom_task *task, unsigned chunks) {
  static uint64_t y[N];
  memset(y, 0, sizeof y);
  struct env e = {.task = task, .y = y};
  int got = agglom_for(task == &piece_task ? submit_piece : submit_chunk, slots ? combine_chunk : NULL, &e,
                       sizeof e, slots ? sizeof(uint64_t) : 0, N, schedule, chunk, -1,
                       task == &host_task ? AGGLOM_FOR_CPU : 0);
  assert_int_equal(got, 0);
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
  if (chunks)
    assert_int_equal(seen, chunks);
  assert_int_equal(e.combined, slots ? seen : 0);
  if (slots)
    assert_int_equal(e.sum, sum);
}

static void schedules(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    start_with(settings[s]);
    struct agglom_task *tasks[] = {&piece_task, &mix_task, &host_task};
    for (int t = 0; t < 3; ++t)
      for (int slots = 0; slots < 2; ++slots) {
        bool known = !tasks[t]->kernel || strstr(settings[s], "none");
        run(AGGLOM_SCHEDULE_AUTO, 0, slots, tasks[t], 0);
        run(AGGLOM_SCHEDULE_STATIC, 0, slots, tasks[t], s ? 0 : 1);
        run(AGGLOM_SCHEDULE_STATIC, -3, slots, tasks[t], s ? 0 : 1);
        run(AGGLOM_SCHEDULE_STATIC, 300, slots, tasks[t], known ? 4 : 0);
        run(AGGLOM_SCHEDULE_DYNAMIC, 1, slots, tasks[t], N);
        run(AGGLOM_SCHEDULE_DYNAMIC, 5000, slots, tasks[t], known ? 1 : 0);
        run(AGGLOM_SCHEDULE_RUNTIME, 9, slots, tasks[t], 0);
      }
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* --- Chunks that conflict ------------------------------------------------------------------------------- */

static void fold_chunk(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  submit_fold(((const struct env *)env)->y, from, to);
}

static const unsigned all_schedules[] = {
    AGGLOM_SCHEDULE_AUTO,           AGGLOM_SCHEDULE_STATIC,           AGGLOM_SCHEDULE_DYNAMIC,
    AGGLOM_SCHEDULE_LOGFIT,         AGGLOM_SCHEDULE_CONCORD,          AGGLOM_SCHEDULE_HDSS,
    AGGLOM_SCHEDULE_ORACLE,         AGGLOM_SCHEDULE_STATIC_PCF,       AGGLOM_SCHEDULE_GUIDED_SIZES,
    AGGLOM_SCHEDULE_GUIDED_RUNTIME, AGGLOM_SCHEDULE_CLUSTERED_GUIDED, AGGLOM_SCHEDULE_DYNAMIC_LOCKED};
enum { SCHEDULES = sizeof all_schedules / sizeof all_schedules[0] };

static void conflicts_keep_their_order(void **state) {
  (void)state;
  uint64_t right = 0;
  for (uint64_t i = 0; i < N; ++i)
    right = right * 31 + i;
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    start_with(settings[s]);
    for (unsigned k = 0; k < SCHEDULES * 4; ++k) { /* each several times: schedules learn */
      uint64_t y = 0;
      struct env e = {.y = &y};
      assert_int_equal(agglom_for(fold_chunk, NULL, &e, sizeof e, 0, N, all_schedules[k / 4], 0, -1, 0), 0);
      if (y != right)
        print_error("%s, schedule %u, run %u\n", settings[s], all_schedules[k / 4], k % 4);
      assert_true(y == right);
    }
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* Units before the loop and after it: the loop comes between them. */
static void comes_in_its_turn(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    start_with(settings[s]);
    static uint64_t y[N];
    memset(y, 0, sizeof y);
    struct env e = {.y = y};
    assert_int_equal(submit_mix(&mix_task, (struct mix_args){.y = y, .ny = N, .x = y, .v = 5}), 0);
    assert_int_equal(agglom_for(submit_piece, NULL, &e, sizeof e, 0, N, AGGLOM_SCHEDULE_DYNAMIC, 100, -1, 0),
                     0);
    for (size_t k = 0; k < N; ++k)
      assert_true(y[k] >= 5 * 31 && y[k] <= 5 * 31 + k);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* --- Several at once, and devices that fail ------------------------------------------------------------ */

enum { THREADS = 3, ROUNDS = 7, LENGTH = 4000 };

static void *loops(void *seed) {
  uint64_t random = (uint64_t)(uintptr_t)seed * 77777 + 1;
  uint64_t *y = malloc(LENGTH * sizeof *y);
  uintptr_t wrong = !y;
  for (unsigned long r = 0; r < repeats(ROUNDS) && !wrong; ++r) {
    memset(y, 0, LENGTH * sizeof *y);
    struct env e = {.y = y};
    uint64_t n = next_random(&random) % LENGTH + 1, kind = next_random(&random);
    wrong |= agglom_for(submit_piece, combine_chunk, &e, sizeof e, sizeof(uint64_t), n,
                        all_schedules[kind % SCHEDULES], (long long)(kind >> 32 & 511), -1, 0) != 0;
    uint64_t sum = 0;
    unsigned seen = 0;
    for (uint64_t from = 0, to; from < n; from = to, ++seen) {
      for (to = from + 1; to < n && y[to] == from;)
        ++to;
      wrong |= y[from] != from;
      sum = sum * 7 + (from * 31 + to);
    }
    wrong |= e.combined != seen || e.sum != sum;
  }
  free(y);
  return (void *)wrong; /* NOLINT(performance-no-int-to-ptr) */
}

static void all_at_once(const char *with) {
  start_with(with);
  pthread_t threads[THREADS];
  for (uintptr_t t = 0; t < THREADS; ++t)
    assert_int_equal(pthread_create(&threads[t], NULL, loops, (void *)(t + 1)), 0); /* NOLINT */
  for (int t = 0; t < THREADS; ++t) {
    void *wrong;
    pthread_join(threads[t], &wrong);
    assert_null(wrong);
  }
  assert_int_equal(agglom_shutdown(), 0);
}

static void several_threads(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s)
    all_at_once(settings[s]);
}

static void failing_devices(void **state) {
  (void)state;
  static const char *const calls[] = {"copy_in", "launch", "copy_out", "mark"};
  static const char *const errors[] = {"failed", "oom", "sticky"};
  for (size_t c = 0; c < sizeof calls / sizeof calls[0]; ++c)
    for (size_t k = 0; k < sizeof errors / sizeof errors[0]; ++k)
      for (unsigned at = 1; at < 8; at += 3) {
        char with[200];
        snprintf(with, sizeof with,
                 "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_SPLIT=auto "
                 "AGGLOM_FAULT=call=%s,nth=%u,error=%s,times=%s",
                 calls[c], at, errors[k], at > 1 ? "all" : "1");
        all_at_once(with);
      }
}

/* Both sides take part where the schedule says so. */
static void both_sides(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=auto");
  atomic_store(&piece_on_cpu, 0);
  atomic_store(&piece_on_device, 0);
  run(AGGLOM_SCHEDULE_STATIC, 0, true, &piece_task, 0);
  assert_true(atomic_load(&piece_on_cpu) > 0);
  assert_true(atomic_load(&piece_on_device) > 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* A chunk that is too big for a device is cut until its parts fit. */
static void big_chunks(void **state) {
  (void)state;
  enum { BIG = 1 << 19 };
  static uint64_t y[BIG];
  struct env e = {.task = &piece_task, .y = y};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_EMULATE=memory=2MB");
  atomic_store(&piece_on_cpu, 0);
  assert_int_equal(agglom_for(submit_piece, NULL, &e, sizeof e, 0, BIG, AGGLOM_SCHEDULE_ORACLE, 0, 100, 0),
                   0);
  assert_int_equal(atomic_load(&piece_on_cpu), 0);
  assert_true(y[BIG - 1] > 0 && y[BIG / 2] > 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Devices get chunks while all CPUs are busy with theirs ----------------------------------------------
 */

static _Atomic unsigned long minded;
static unsigned long enough;
static _Atomic bool given_up;

static void busy_cpu(const void *const *args, unsigned long n) {
  (void)args, (void)n;
  for (int ms = 0; atomic_load(&minded) < enough && !atomic_load(&given_up); ++ms) {
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (ms == 20000)
      atomic_store(&given_up, true);
  }
}
static void busy_emulated(const struct agglom_launch *l, unsigned c) {
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    atomic_fetch_add(&minded, 1);
    agglom_emulated_end(l, u);
  }
}
static struct agglom_task busy_task = {.name = "busy",
                                       .file = "loop.c",
                                       .line = 30,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = 1,
                                       .args_align = 1,
                                       .cpu = busy_cpu,
                                       .emulated = busy_emulated,
                                       .kernel = "busy",
                                       .module = &mix_module_header};
static void submit_busy(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)env, (void)from, (void)to, (void)slot;
  assert_int_equal(agglom_submit(&busy_task, "", NULL, 0, 0), 0);
}

static void devices_are_minded(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  atomic_store(&given_up, false);
  for (int round = 0; round < 3; ++round) { /* the minder sleeps meanwhile */
    atomic_store(&minded, 0);
    enough = 3;
    assert_int_equal(agglom_for(submit_busy, NULL, NULL, 0, 0, 100, AGGLOM_SCHEDULE_DYNAMIC, 1, -1, 0), 0);
    assert_false(atomic_load(&given_up));
    assert_true(atomic_load(&minded) >= enough);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  assert_int_equal(agglom_shutdown(), 0);
}

/* The device's chunk is granted first and has to wait until the CPU's has been looked at, which the one CPU
 * then begins with. */
static void minded_when_unblocked(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  atomic_store(&given_up, false);
  atomic_store(&minded, 0);
  enough = 1;
  assert_int_equal(agglom_for(submit_busy, NULL, NULL, 0, 0, 2, AGGLOM_SCHEDULE_STATIC, 0, -1, 0), 0);
  assert_false(atomic_load(&given_up));
  assert_int_equal(atomic_load(&minded), 1);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- The first iteration of four goes on until the last one has begun ------------------------------------
 */

static _Atomic bool last_has_begun;

static void turn_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    long from = ((const struct piece_args *)args[i])->from;
    if (from == 3)
      atomic_store(&last_has_begun, true);
    for (int ms = 0; from == 0 && !atomic_load(&last_has_begun) && !atomic_load(&given_up); ++ms) {
      nanosleep(&(struct timespec){0, 1000000}, NULL);
      if (ms == 20000)
        atomic_store(&given_up, true);
    }
  }
}
static struct agglom_task turn_task;
static void submit_turn(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  struct piece_args a = {((const struct env *)env)->y, NULL, (long)from, (long)to};
  struct agglom_range ranges[] = {{a.y, a.from, a.to - a.from}, {NULL, 0, 0}};
  assert_int_equal(agglom_submit(&turn_task, &a, ranges, 0, 0), 0);
}

/* The task of a piece, with another body. */
static struct agglom_task piece_of(const char *name, void (*cpu)(const void *const *args, unsigned long n)) {
  struct agglom_task task = piece_task;
  task.name = name;
  task.cpu = cpu;
  task.state = NULL;
  return task;
}

static void start_with_module(struct agglom_module *module) {
  assert_int_equal(agglom_register(module), 0);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
}

/* Iterations 0 and 2 are for one CPU, 1 and 3 for the other, which has to look at 2 before it may begin
 * with 3. */
static void others_chunks_are_looked_at(void **state) {
  (void)state;
  uint64_t y[4] = {0};
  struct env e = {.y = y};
  turn_task = piece_of("turn", turn_cpu);
  struct agglom_task *const tasks[] = {&turn_task};
  struct agglom_module module = TASK_MODULE("turn.c", tasks);
  start_with_module(&module);
  atomic_store(&last_has_begun, false);
  atomic_store(&given_up, false);
  assert_int_equal(agglom_for(submit_turn, NULL, &e, sizeof e, 0, 4, AGGLOM_SCHEDULE_STATIC, 1, -1, 0), 0);
  assert_false(atomic_load(&given_up));
  agglom_unregister(&module);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Chunks that run one after another are not worth two threads -----------------------------------------
 */

static _Atomic unsigned naps;
static void nap_cpu(const void *const *args, unsigned long n) {
  (void)args;
  atomic_fetch_add(&naps, n);
  nanosleep(&(struct timespec){0, 200000}, NULL);
}
static struct agglom_task nap_task;
static void submit_nap(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)from, (void)to, (void)slot;
  struct piece_args a = {((const struct env *)env)->y, NULL, 0, 1};
  struct agglom_range ranges[] = {{a.y, 0, 1}, {NULL, 0, 0}};
  assert_int_equal(agglom_submit(&nap_task, &a, ranges, 0, 0), 0);
}

/* All iterations use one element: after a while its thread runs the loop in one piece, long as it is. */
static void who_waits_for_all_runs_all(void **state) {
  (void)state;
  enum { EXECUTIONS = 400, ENOUGH = 20, ITERATIONS = 64 };
  uint64_t y = 0;
  struct env e = {.y = &y};
  nap_task = piece_of("nap", nap_cpu);
  struct agglom_task *const tasks[] = {&nap_task};
  struct agglom_module module = TASK_MODULE("nap.c", tasks);
  start_with_module(&module);
  unsigned whole = 0;
  for (int k = 0; k < EXECUTIONS && whole < ENOUGH; ++k) {
    atomic_store(&naps, 0);
    assert_int_equal(
        agglom_for(submit_nap, NULL, &e, sizeof e, 0, ITERATIONS, AGGLOM_SCHEDULE_DYNAMIC, 0, -1, 0), 0);
    whole += atomic_load(&naps) == 1;
  }
  assert_int_equal(whole, ENOUGH);
  agglom_unregister(&module);
  assert_int_equal(agglom_shutdown(), 0);
}

/* guided_sizes cuts by the iterations' costs: the last tenth has all of it. */
static void submit_dear(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  unsigned long long cost = to > N - N / 10 ? to - (from > N - N / 10 ? from : N - N / 10) : 0;
  struct piece_args a = {((const struct env *)env)->y, NULL, (long)from, (long)to};
  struct agglom_range ranges[] = {{a.y, a.from, a.to - a.from}, {NULL, 0, 0}};
  assert_int_equal(agglom_submit(&piece_task, &a, ranges, 0, cost * 1000000 + 1), 0);
}

static void sizes_count(void **state) {
  (void)state;
  static uint64_t y[N];
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  for (int r = 0; r < 3; ++r) {
    memset(y, 0, sizeof y);
    struct env e = {.y = y};
    assert_int_equal(
        agglom_for(submit_dear, NULL, &e, sizeof e, 0, N, AGGLOM_SCHEDULE_GUIDED_SIZES, 0, -1, 0), 0);
  }
  assert_true(y[N - 1] > N - N / 10 && y[N - 1] < N - N / 30); /* where the second chunk begins */
  assert_int_equal(agglom_shutdown(), 0);
}

static void at_run_time(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2 AGGLOM_SCHEDULE=dynamic:7");
  run(AGGLOM_SCHEDULE_RUNTIME, 0, true, &piece_task, (N + 6) / 7);
  run(AGGLOM_SCHEDULE_STATIC, 0, true, &piece_task, 2);
  assert_int_equal(agglom_shutdown(), 0);
}

static void no_wait(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  static uint64_t y[N];
  memset(y, 0, sizeof y);
  struct env e = {.task = &mix_task, .y = y};
  assert_int_equal(
      agglom_for(submit_chunk, NULL, &e, sizeof e, 0, N, AGGLOM_SCHEDULE_STATIC, 100, -1, AGGLOM_FOR_NOWAIT),
      0);
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
      agglom_for(submit_bad, add_up, &e, sizeof e, sizeof(uint64_t), 8, AGGLOM_SCHEDULE_STATIC, 1, -1, 0),
      -EINVAL);
  assert_int_equal(e.sum, 1 + 2 + 3 + 5 + 6 + 7 + 8);
  assert_int_equal(agglom_wait(), -EINVAL); /* a loop, as a statement, returns none */
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
  atomic_store(&begun, agglom_for(must_not, NULL, NULL, 0, 0, 10, AGGLOM_SCHEDULE_AUTO, 0, -1, 0));
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
  struct agglom_module module = TASK_MODULE("loop.c", tasks);
  assert_int_equal(agglom_register(&module), 0);
  assert_int_equal(agglom_submit(&asking_task, "", NULL, 0, 0), 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(atomic_load(&begun), 1);
  agglom_unregister(&module);
  struct env e = {0};
  assert_int_equal(
      agglom_for(must_not, combine_chunk, &e, sizeof e, SIZE_MAX - 7, 1000, AGGLOM_SCHEDULE_STATIC, 1, -1, 0),
      1);
  assert_int_equal(agglom_shutdown(), 0);
}

static struct agglom_task *const loop_tasks[] = {&piece_task, &fold_task, &busy_task};
static struct agglom_module loop_module = TASK_MODULE("loop.c", loop_tasks);

int main(void) {
  if (agglom_register(&loop_module))
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(schedules),
      cmocka_unit_test(at_run_time),
      cmocka_unit_test(no_wait),
      cmocka_unit_test(one_is_impossible),
      cmocka_unit_test(not_begun),
      cmocka_unit_test(conflicts_keep_their_order),
      cmocka_unit_test(comes_in_its_turn),
      cmocka_unit_test(several_threads),
      cmocka_unit_test(failing_devices),
      cmocka_unit_test(both_sides),
      cmocka_unit_test(big_chunks),
      cmocka_unit_test(devices_are_minded),
      cmocka_unit_test(minded_when_unblocked),
      cmocka_unit_test(others_chunks_are_looked_at),
      cmocka_unit_test(who_waits_for_all_runs_all),
      cmocka_unit_test(sizes_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
