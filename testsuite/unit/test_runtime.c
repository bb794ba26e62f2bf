/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the runtime promises to programs: refusals, failing devices, nesting, priorities, life and death. */
#include "capture.h"
#include "rt_tasks.h"
#include "sys/clock.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static struct agglom_counters counters(void) {
  struct agglom_counters c;
  agglom_get_counters(&c);
  return c;
}

/* --- Refusals ------------------------------------------------------------------------------------------- */

static void bad_ranges(void **state) {
  (void)state;
  uint64_t y[8] = {0};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  capture_begin();
  int err = submit_mix(&mix_task, (struct mix_args){.y = y, .ny = -3, .v = 1});
  const char *text = capture_end();
  assert_int_equal(err, -EINVAL);
  assert_string_equal(text, "agglom: error: mix.c:11: task 'mix': section 'inout(y[ly:ny])' has length -3; a "
                            "length must be 0 or more\n");
  assert_int_equal(submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 2, .v = 1}), 0); /* life goes on */
  assert_int_equal(agglom_wait(), -EINVAL);
  assert_int_equal(y[1], 1);
  assert_int_equal(agglom_wait(), 0);

  capture_begin();
  err = submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .x = NULL, .nx = 4});
  text = capture_end();
  assert_int_equal(err, -EINVAL);
  assert_non_null(
      strstr(text, "mix.c:12: task 'mix': section 'in(x[lx:nx])' has length 4 but its pointer is NULL"));
  assert_int_equal(submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .x = NULL, .nx = 0}), 0);

  capture_begin();
  err = submit_mix(&mix_task, (struct mix_args){.y = y, .ly = 1, .ny = INT64_MAX / 4});
  text = capture_end();
  assert_int_equal(err, -EINVAL);
  assert_non_null(strstr(text, "reaches beyond all memory"));
  capture_begin();
  err = submit_mix(&host_task, (struct mix_args){.y = y, .ly = INT64_MIN, .ny = 1});
  text = capture_end();
  assert_int_equal(err, -EINVAL);
  assert_non_null(strstr(text, "starts at element -9223372036854775808"));
  assert_int_equal(agglom_wait(), -EINVAL);
  assert_int_equal(counters().units, 2);
  assert_int_equal(agglom_shutdown(), 0);
}

/* A wrong call in a loop does not fill the disk; each is an error nonetheless. */
static void many_bad_ranges(void **state) {
  (void)state;
  enum { CALLS = 50, WRITTEN = 20 };
  uint64_t y[8] = {0};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  capture_begin();
  for (int i = 0; i < CALLS; ++i) {
    assert_int_equal(submit_mix(&thread_task, (struct mix_args){.y = y, .ny = -3}), -EINVAL);
    assert_int_equal(agglom_wait(), -EINVAL);
  }
  const char *text = capture_end();
  assert_int_equal(occurrences(text, "has length -3"), WRITTEN);
  assert_int_equal(occurrences(text, "or more; the next such errors of this task are not written\n"), 1);
  capture_begin();
  assert_int_equal(submit_mix(&host_task, (struct mix_args){.y = y, .ny = -4}), -EINVAL);
  assert_int_equal(occurrences(capture_end(), "has length -4"), 1);
  assert_int_equal(agglom_wait(), -EINVAL);
  assert_int_equal(agglom_shutdown(), 0);
}

static void other_abi(void **state) {
  (void)state;
  struct agglom_module other = tasks_module;
  other.abi_version = 999;
  other.file = "old.c";
  other.producer = "agglomcc 9.9";
  other.tasks = NULL; /* must not be looked at */
  other.n_tasks = 1000;
  capture_begin();
  int err = agglom_register(&other);
  const char *text = capture_end();
  assert_int_equal(err, -EPROTO);
  assert_non_null(strstr(text, "old.c was compiled by agglomcc 9.9 for ABI version 999"));
  assert_non_null(strstr(text, "recompile it with this library's own agglomcc, of release " AGGLOM_VERSION));
  agglom_unregister(&other);
  assert_string_equal(agglom_version(), AGGLOM_VERSION);
}

static void unregistered_tasks_are_plain_calls(void **state) {
  (void)state;
  static struct agglom_task stray;
  uint64_t y[1] = {0};
  stray = mix_task;
  stray.state = NULL;
  start_with("AGGLOM_DEVICES=none");
  assert_int_equal(submit_mix(&stray, (struct mix_args){.y = y, .ny = 1, .v = 4}), 0);
  assert_int_equal(y[0], 4); /* no wait */
  assert_int_equal(agglom_shutdown(), 0);
}

struct stray_loop {
  struct agglom_task *task;
  uint64_t *y;
};

static void submit_stray(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  const struct stray_loop *e = env;
  submit_mix(e->task, (struct mix_args){.y = e->y, .ly = (long)from, .ny = (long)(to - from), .v = 4});
}

static void loops_of_unregistered_tasks(void **state) {
  (void)state;
  enum { N = 8, TIMES = 3 };
  static struct agglom_task stray;
  for (unsigned flags = 0; flags <= AGGLOM_TASK_CPU_ONLY; flags += AGGLOM_TASK_CPU_ONLY) {
    uint64_t y[N] = {0}, wanted = 0;
    stray = host_task;
    stray.flags = flags;
    stray.state = NULL;
    struct stray_loop e = {&stray, y};
    start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2 AGGLOM_TRACE=/dev/null");
    for (int i = 0; i < TIMES; ++i) {
      wanted = wanted * 31 + 4;
      agglom_for(submit_stray, NULL, &e, sizeof e, 0, N, AGGLOM_SCHEDULE_DYNAMIC, 2, -1,
                 AGGLOM_FOR_EVEN | (flags ? AGGLOM_FOR_CPU : 0));
    }
    for (int i = 0; i < N; ++i)
      assert_int_equal(y[i], wanted);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void gpu_only_without_gpu(void **state) {
  (void)state;
  uint64_t y[2] = {0};
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  mix_task.flags |= AGGLOM_TASK_GPU;
  capture_begin();
  for (int i = 0; i < 20; ++i)
    submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 2, .v = 4});
  int err = agglom_wait();
  const char *text = capture_end();
  mix_task.flags &= ~(unsigned)AGGLOM_TASK_GPU;
  assert_int_equal(err, 0);
  assert_int_equal(occurrences(text, "\n"), 1);
  assert_non_null(strstr(text, "task 'mix' is device(gpu)"));
  assert_int_equal(atomic_load(&mix_on_cpu), 20);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Failing devices --------------------------------------------------------------------------------------
 */

/* Each of 400 units takes effect exactly once, in order, whatever fails. */
enum { SOME = -1 };
static void survive(const char *settings, const char *said, int failed) {
  enum { N = 40 };
  uint64_t y[N] = {0}, z[N] = {0};
  capture_begin();
  start_with(settings);
  for (int k = 0; k < 400; ++k) {
    struct mix_args a = {
        .y = y, .ly = k * 7 % N, .ny = 1, .x = y, .lx = k * 11 % N, .nx = 1, .v = (uint64_t)k};
    a.nx = a.lx != a.ly;
    submit_mix(&mix_task, a);
    a.x = a.y = z;
    mix(&a);
    if (k % 50 == 49)
      assert_int_equal(agglom_wait(), 0);
  }
  assert_int_equal(agglom_wait(), 0);
  struct agglom_counters c = counters();
  assert_int_equal(agglom_shutdown(), 0);
  const char *text = capture_end();
  bool counted = failed == SOME ? c.failed > 0 : c.failed == (unsigned)failed;
  if (memcmp(y, z, sizeof y) || !counted || !strstr(text, said))
    fail_msg("%s: %llu failed\n%s", settings, c.failed, text);
  /* Said once a device, however many batches fail. */
  const char *once = strstr(text, "failed on emulated:0");
  if (once && strstr(once + 1, "failed on emulated:0"))
    fail_msg("%s: said twice\n%s", settings, text);
  assert_int_equal(c.units, 400);
  assert_int_equal(c.units_on_cpu + c.units_on_device, 400);
}

static void failures(void **state) {
  (void)state;
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,nth=2", "they are tried again in smaller batches",
          1);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=copy_in,nth=1,times=3,error=oom", "failed on emulated:0",
          3);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=copy_out,nth=4", "failed on emulated:0", 1);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=mark,nth=4", "failed on emulated:0", 1);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,nth=3,error=sticky",
          "not used any more and its units run elsewhere; unset that variable", 1);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=copy_out,nth=3,error=sticky", "not used any more", 1);
  survive("AGGLOM_DEVICES=emulated:2 AGGLOM_FAULT=call=copy_in,nth=3,error=sticky", "not used any more", 1);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=mark,nth=3,error=sticky", "not used any more", 1);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=alloc,nth=1,times=all,error=oom", "cannot be used", 0);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=alloc,nth=1,times=2,error=oom", "", 0);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=host_alloc,nth=2,times=all,error=oom", "cannot be used",
          0);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=stream,nth=1", "cannot be used", 0);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=kernel,nth=1", "has no kernel for emulated:0", 0);
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=alloc,nth=1,error=sticky", "cannot be used", 0);
}

/* After a failed launch a stream is made anew; without one the slot is given up, then the device. */
static void streams_run_out(void **state) {
  (void)state;
  survive("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,nth=1,times=all", "failed on emulated:0", SOME);
}

static void outputs_only_where_declared(void **state) {
  (void)state;
  /* y[2:3] is written, the rest of the very same bytes' neighbourhood belongs to somebody else. */
  uint64_t y[8];
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  memset(y, 0, sizeof y);
  submit_mix(&mix_task, (struct mix_args){.y = y, .ly = 2, .ny = 3, .v = 9});
  submit_mix(&mix_task, (struct mix_args){.y = y, .ly = 6, .ny = 1, .v = 8});
  y[0] = y[1] = y[5] = y[7] = 77; /* not declared: may be written while the units are in flight */
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(y, ((uint64_t[]){77, 77, 9, 9, 9, 77, 8, 77}), sizeof y);
  assert_int_equal(counters().units_on_device, 2);
  assert_int_equal(agglom_shutdown(), 0);
}

static void too_big_for_a_slot(void **state) {
  (void)state;
  enum { N = 20000 };
  uint64_t *y = calloc(N, sizeof *y);
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_EMULATE=memory=512KB"); /* slots of 64 KiB */
  capture_begin();
  for (int i = 0; i < 5; ++i) {
    submit_mix(&mix_task, (struct mix_args){.y = y, .ny = N, .v = 1}); /* 160 kB: the CPU */
    submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 10, .v = 2});
  }
  int err = agglom_wait();
  const char *text = capture_end();
  assert_int_equal(err, 0);
  assert_int_equal(occurrences(text, "\n"), 1); /* said once */
  assert_non_null(strstr(text, "task 'mix': the sections of a unit are 160."));
  uint64_t a = 0, b = 0;
  for (int i = 0; i < 5; ++i) {
    a = (a * 31 + 1) * 31 + 2;
    b = b * 31 + 1;
  }
  assert_int_equal(y[9], a);
  assert_int_equal(y[N - 1], b);
  assert_int_equal(atomic_load(&mix_on_cpu), 5);
  assert_int_equal(atomic_load(&mix_on_device), 5);
  assert_int_equal(agglom_shutdown(), 0);
  free(y);
}

/* --- Nesting ----------------------------------------------------------------------------------------------
 */

struct node {
  uint64_t *sum;
  int depth;
  bool wait;
};

/* A tree of tasks: a node makes two, a leaf makes a unit with a kernel that adds to its own place. */
static void node(void *context) {
  struct node *n = context;
  if (n->depth == 0) {
    submit_mix(&mix_task, (struct mix_args){.y = n->sum, .ny = 1, .v = 1});
    free(n);
    return;
  }
  for (int i = 0; i < 2; ++i) {
    struct node *child = malloc(sizeof *child);
    *child = (struct node){n->sum + ((long)i << (n->depth - 1)), n->depth - 1, n->wait};
    submit_call(node, child, n->depth % 3 - 1);
  }
  if (n->wait) {
    assert_int_equal(agglom_wait(), 0);
    for (long i = 0; i < 1L << n->depth; ++i)
      assert_int_equal(n->sum[i], 1);
  }
  free(n);
}

static void trees(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=4",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=static:1000",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=occupancy AGGLOM_SPLIT=count",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto"};
  enum { DEPTH = 9 };
  static uint64_t sum[1 << DEPTH];
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s)
    for (int wait = 0; wait < 2; ++wait) {
      memset(sum, 0, sizeof sum);
      start_with(settings[s]);
      struct node *root = malloc(sizeof *root);
      *root = (struct node){sum, DEPTH, wait};
      submit_call(node, root, 1);
      assert_int_equal(agglom_wait(), 0);
      for (int i = 0; i < 1 << DEPTH; ++i)
        assert_int_equal(sum[i], 1);
      assert_int_equal(agglom_shutdown(), 0);
    }
}

/* Waiting in a task that was run by a wait in a task that ... : bounded stack, no deadlock. */
struct link {
  int left;
  _Atomic int *ends;
};
static void deep(void *context) {
  struct link *l = context;
  if (l->left) {
    struct link *next = malloc(sizeof *next);
    *next = (struct link){l->left - 1, l->ends};
    submit_call(deep, next, 0);
    assert_int_equal(agglom_wait(), 0);
  }
  atomic_fetch_add(l->ends, 1);
  free(l);
}

static void many_waiting_tasks(void **state) {
  (void)state;
  for (int workers = 1; workers < 4; workers += 2) {
    char settings[64];
    _Atomic int ends = 0;
    snprintf(settings, sizeof settings, "AGGLOM_DEVICES=none AGGLOM_WORKERS=%d", workers);
    start_with(settings);
    for (int i = 0; i < 2000; ++i) {
      struct link *l = malloc(sizeof *l);
      *l = (struct link){i % 60, &ends};
      submit_call(deep, l, 0);
    }
    assert_int_equal(agglom_wait(), 0);
    int expected = 0;
    for (int i = 0; i < 2000; ++i)
      expected += i % 60 + 1;
    assert_int_equal(atomic_load(&ends), expected);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* A unit after a device(cpu) task sees what the task's children wrote: it completes after them. */
static uint64_t shared_y[4];
static void writes_through_a_child(const void *const *args, unsigned long n) {
  (void)args, (void)n;
  for (int i = 0; i < 4; ++i)
    submit_mix(&mix_task, (struct mix_args){.y = shared_y, .ny = 4, .v = 1});
}

static void children_come_first(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3"};
  for (size_t s = 0; s < 3; ++s)
    for (int round = 0; round < 30; ++round) {
      memset(shared_y, 0, sizeof shared_y);
      uint64_t copy[4] = {0};
      host_task.cpu = writes_through_a_child;
      start_with(settings[s]);
      submit_mix(&host_task, (struct mix_args){.y = shared_y, .ny = 4});
      submit_mix(&mix_task,
                 (struct mix_args){.y = copy, .ny = 4, .x = shared_y, .nx = 1}); /* reads the result */
      assert_int_equal(agglom_wait(), 0);
      host_task.cpu = mix_cpu;
      assert_int_equal(shared_y[3], 1 + 31 + 31 * 31 + 31 * 31 * 31);
      assert_int_equal(copy[0], shared_y[0]);
      assert_int_equal(agglom_shutdown(), 0);
    }
}

/* In a unit that has a kernel but runs on the CPU, calls are plain calls. */
static uint64_t inner_y;
static void calls_inside(const void *const *args, unsigned long n) {
  (void)args;
  for (unsigned long i = 0; i < n; ++i) {
    uint64_t before = inner_y;
    submit_grow(&inner_y, 1);
    assert_int_equal(inner_y, before * 5);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(agglom_shutdown(), -EBUSY);
  }
}

static void plain_calls_inside(void **state) {
  (void)state;
  inner_y = 1;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  mix_task.cpu = calls_inside;
  capture_begin();
  submit_mix(&mix_task, (struct mix_args){0});
  int err = agglom_wait();
  const char *text = capture_end();
  mix_task.cpu = mix_cpu;
  assert_int_equal(err, 0);
  assert_int_equal(inner_y, 5);
  assert_non_null(strstr(text, "inside a task function"));
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Priorities
 * --------------------------------------------------------------------------------------------- */

static int order[400], n_order;
static void note(void *context) { order[n_order++] = (int)(intptr_t)context; }

static void priorities(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1"); /* everything runs in the wait */
  n_order = 0;
  static const int given[] = {0, 5, -3, 7, 5, 1, -3, 0};
  for (int i = 0; i < 8; ++i)
    submit_call(note, (void *)(intptr_t)(given[i] * 10 + i % 5), given[i]);
  assert_int_equal(agglom_wait(), 0);
  static const int expected[] = {73, 51, 54, 10, 0, 2, -28, -29};
  assert_memory_equal(order, expected, sizeof expected);
  assert_int_equal(agglom_shutdown(), 0);
}

/* maximal: nothing is launched while high-priority work is there, and then all at once. */
static uint64_t accrued[100];
static int launches_seen;
static void make_one(void *context) {
  intptr_t i = (intptr_t)context;
  submit_mix(&mix_task, (struct mix_args){.y = accrued + i, .ny = 1, .v = 1});
  launches_seen += (int)counters().launches;
}

static void maximal_accrues(void **state) {
  (void)state;
  memset(accrued, 0, sizeof accrued);
  launches_seen = 0;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  for (intptr_t i = 0; i < 60; ++i)
    submit_call(make_one, (void *)i, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(launches_seen, 0);
  assert_int_equal(counters().launches, 1);
  assert_int_equal(atomic_load(&mix_largest), 60);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Threads
 * -------------------------------------------------------------------------------------------------- */

static void *submitter(void *context) {
  uint64_t *y = context;
  for (int round = 0; round < 20; ++round) {
    for (int k = 0; k < 100; ++k)
      submit_mix(k % 3 ? &mix_task : &host_task, (struct mix_args){.y = y, .ny = 2, .v = (uint64_t)k});
    if (round % 5 && agglom_wait())
      return NULL;
  }
  return y; /* without a wait: somebody else will run the rest */
}

static void many_threads(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1"};
  enum { THREADS = 6 };
  for (size_t s = 0; s < 3; ++s) {
    static uint64_t y[THREADS][2];
    uint64_t expected = 0;
    memset(y, 0, sizeof y);
    start_with(settings[s]);
    for (int half = 0; half < 2; ++half) { /* the second half takes the workers of the first over */
      pthread_t threads[THREADS];
      for (int t = 0; t < THREADS; ++t)
        assert_int_equal(pthread_create(&threads[t], NULL, submitter, y[t]), 0);
      for (int t = 0; t < THREADS; ++t) {
        void *result;
        pthread_join(threads[t], &result);
        assert_ptr_equal(result, y[t]);
      }
      if (half == 0) { /* what the threads left is done before the others touch the same memory */
        while (counters().units_on_cpu + counters().units_on_device < THREADS * 2000)
          agglom_wait(), usleep(100), submit_call(note, NULL, 0), n_order = 0, agglom_wait();
      }
    }
    assert_int_equal(agglom_shutdown(), 0);
    for (int k = 0; k < 4000; ++k)
      expected = expected * 31 + (uint64_t)(k % 100);
    for (int t = 0; t < THREADS; ++t)
      assert_int_equal(y[t][1], expected);
  }
}

/* A thread that neither waits nor submits does not keep its units from being launched. */
static void quiet_fifos_are_launched(void **state) {
  (void)state;
  uint64_t y[1] = {0};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .v = 3});
  uint64_t begin = ag_clock_ns();
  while (!counters().units_on_device && ag_clock_ns() - begin < 10000000000u)
    usleep(1000);
  assert_int_equal(counters().units_on_device, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(y[0], 3);
  assert_int_equal(agglom_shutdown(), 0);
}

static void back_pressure(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=1", "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:4000000000"};
  uint64_t y[3];
  for (size_t s = 0; s < 3; ++s) {
    memset(y, 0, sizeof y);
    start_with(settings[s]);
    for (int i = 0; i < 150000; ++i)
      submit_mix(&mix_task, (struct mix_args){.y = y, .ly = i % 3, .ny = 1, .v = 1});
    struct agglom_counters c = counters();
    assert_true(c.units_on_cpu + c.units_on_device >= 150000 - 70000);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(counters().units_on_cpu + counters().units_on_device, 150000);
    assert_true(y[0] == y[1] && y[1] == y[2]);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* Tasks that submit more than the limit themselves, run while their submitter is held back. */
static void flood(void *context) {
  for (int i = 0; i < 30000; ++i)
    submit_mix(&mix_task, (struct mix_args){.y = context, .ny = 1, .v = 1});
}
static void back_pressure_in_tasks(void **state) {
  (void)state;
  uint64_t y[8] = {0};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  for (int i = 0; i < 8; ++i)
    submit_call(flood, y + i, 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(counters().units_on_cpu + counters().units_on_device, 8 * 30001);
  for (int i = 1; i < 8; ++i)
    assert_int_equal(y[i], y[0]);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Life and death
 * ------------------------------------------------------------------------------------------- */

static void again_and_again(void **state) {
  (void)state;
  uint64_t y[1] = {0};
  for (int i = 0; i < 20; ++i) {
    start_with(i % 2 ? "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3" : "AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
    assert_int_equal(agglom_init(), 0);
    submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .v = 3});
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(counters().units, 1);
    assert_int_equal(agglom_shutdown(), 0);
    assert_int_equal(counters().units, 0);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void modules_come_and_go(void **state) {
  (void)state;
  uint64_t y[1] = {0};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 10; ++k)
      submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .v = 1});
    agglom_unregister(&tasks_module); /* waits */
    assert_null(mix_task.state);
    assert_int_equal(agglom_register(&tasks_module), 0);
    assert_int_equal(agglom_register(&tasks_module), 0);
  }
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(counters().units, 200);
  assert_int_equal(counters().units_on_cpu + counters().units_on_device, 200);
  assert_int_equal(agglom_shutdown(), 0);
  agglom_unregister(&tasks_module);
}

static void memory(void **state) {
  (void)state;
  char *p = agglom_alloc(1000);
  assert_non_null(p);
  assert_int_equal((uintptr_t)p % 256, 0);
  memset(p, 1, 1000);
  agglom_free(p);
  agglom_free(NULL);
  assert_null(agglom_alloc(0));
  assert_null(agglom_alloc(SIZE_MAX));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_ranges),
      cmocka_unit_test(many_bad_ranges),
      cmocka_unit_test(other_abi),
      cmocka_unit_test(unregistered_tasks_are_plain_calls),
      cmocka_unit_test(loops_of_unregistered_tasks),
      cmocka_unit_test(gpu_only_without_gpu),
      cmocka_unit_test(failures),
      cmocka_unit_test(streams_run_out),
      cmocka_unit_test(outputs_only_where_declared),
      cmocka_unit_test(too_big_for_a_slot),
      cmocka_unit_test(trees),
      cmocka_unit_test(many_waiting_tasks),
      cmocka_unit_test(children_come_first),
      cmocka_unit_test(plain_calls_inside),
      cmocka_unit_test(priorities),
      cmocka_unit_test(maximal_accrues),
      cmocka_unit_test(many_threads),
      cmocka_unit_test(quiet_fifos_are_launched),
      cmocka_unit_test(back_pressure),
      cmocka_unit_test(back_pressure_in_tasks),
      cmocka_unit_test(again_and_again),
      cmocka_unit_test(modules_come_and_go),
      cmocka_unit_test(memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
