/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulated device: order within streams, overlap between them, chains, completion flags, guarded
 * memory, cost model. */
#include "capture.h"
#include "emulated_device.h"
#include "sys/clock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* --- Tasks --------------------------------------------------------------------------------------------- */

static atomic_int gate; /* kernels of the slow task wait until it is not 0 */
static atomic_int inside;

static void slow_emulated(const struct agglom_launch *l, unsigned c) {
  (void)l;
  (void)c;
  atomic_fetch_add(&inside, 1);
  while (!atomic_load(&gate))
    sched_yield();
}

static struct agglom_task slow_task = {.name = "slow", .map = AGGLOM_MAP_BLOCK, .emulated = slow_emulated};
static atomic_int most_inside;

static void counts_emulated(const struct agglom_launch *l, unsigned c) {
  (void)l;
  (void)c;
  int now = atomic_fetch_add(&inside, 1) + 1, most = atomic_load(&most_inside);
  while (now > most && !atomic_compare_exchange_weak(&most_inside, &most, now))
    ;
  ag_clock_wait_until(ag_clock_ns() + 500000);
  atomic_fetch_sub(&inside, 1);
}

static struct agglom_task counts_task = {
    .name = "counts", .map = AGGLOM_MAP_BLOCK, .emulated = counts_emulated};
static struct agglom_task cpu_task = {.name = "host", .flags = AGGLOM_TASK_CPU_ONLY};

/* --- Tests -------------------------------------------------------------------------------------------- */

static void copies_in_order(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, NULL);
  struct ag_stream *s = new_stream(d);
  enum { N = 100000 };
  char *host, *back;
  assert_int_equal(d->ops->host_alloc(d, N, (void **)&host), 0);
  assert_int_equal(d->ops->host_alloc(d, N, (void **)&back), 0);
  memset(host, 5, N);
  void *p = device_alloc(d, N);
  assert_int_equal(d->ops->copy_in(d, s, p, host, N), 0);
  assert_int_equal(d->ops->fill(d, s, (char *)p + 10, 9, 20), 0);
  assert_int_equal(d->ops->copy_out(d, s, back, p, N), 0);
  assert_int_equal(mark_and_wait(d, s), 0);
  for (int i = 0; i < N; ++i)
    assert_int_equal(back[i], i >= 10 && i < 30 ? 9 : 5);
  assert_int_equal(d->ops->kernel_ns(d, s), 0);
  assert_int_equal(d->ops->copy_in(d, s, p, host, 0), 0);
  assert_int_equal(d->ops->free(d, p), 0);
  assert_int_equal(d->ops->free(d, NULL), 0);
  assert_int_equal(d->ops->host_free(d, host), 0);
  assert_int_equal(d->ops->stream_destroy(d, s), 0);
  d->ops->close(d); /* frees back too */
}

/* A timed device says when it did what; one that is not says nothing. */
static void times_of_operations(void **state) {
  (void)state;
  for (int timed = 0; timed < 2; ++timed) {
    struct ag_device *d = open_one("bandwidth=1GB/s,launch=1ms", NULL);
    d->timed = timed;
    struct ag_stream *s = new_stream(d);
    enum { N = 1000000 }; /* a copy takes a millisecond */
    static char host[N];
    struct ag_device_times t = {.kernel = {1, 2}};
    void *p = device_alloc(d, N);
    uint64_t begin = ag_clock_ns();
    assert_int_equal(d->ops->copy_in(d, s, p, host, N), 0);
    assert_int_equal(d->ops->copy_in(d, s, p, host, N), 0);
    assert_int_equal(d->ops->copy_out(d, s, host, p, N), 0);
    assert_int_equal(mark_and_wait(d, s), 0);
    uint64_t end = ag_clock_ns();
    d->ops->times(d, s, &t);
    assert_int_equal(t.kernel.end, 0);
    if (timed) {
      assert_true(begin <= t.copy_in.begin && t.copy_in.end - t.copy_in.begin >= 2000000);
      assert_true(t.copy_in.end <= t.copy_out.begin && t.copy_out.end - t.copy_out.begin >= 1000000);
      assert_true(t.copy_out.end <= end);
    } else {
      assert_int_equal(t.copy_in.end + t.copy_out.end, 0);
    }
    long value = 1;
    struct args args = {put(d, s, &value, sizeof value), 1};
    unsigned start = 0, stop = 1;
    struct agglom_launch l = prepare(d, s, &args, 1, &start, &stop, 1, NULL, NULL);
    begin = ag_clock_ns();
    assert_int_equal(d->ops->launch(d, s, kernel_of(d, &add_task), &l, (struct ag_grid){1, 32}), 0);
    assert_int_equal(mark_and_wait(d, s), 0);
    d->ops->times(d, s, &t);
    assert_int_equal(t.copy_in.end + t.copy_out.end, 0); /* nothing is left of the batch before */
    assert_true(timed ? begin <= t.kernel.begin && t.kernel.begin < t.kernel.end : !t.kernel.end);
    d->ops->close(d);
  }
}

static void chains_run_in_order(void **state) {
  (void)state;
  struct ag_device *d = open_one("threads=3", NULL);
  struct ag_stream *s = new_stream(d);
  long start_values[2] = {1, 1}, result[2];
  long *cell = put(d, s, start_values, sizeof start_values);
  struct args args[6] = {{cell, 1}, {cell, 2}, {cell, 0}, {cell + 1, 5}, {cell + 1, 6}, {cell + 1, 7}};
  unsigned start[2] = {0, 3}, end[2] = {3, 6};
  struct agglom_launch l = prepare(d, s, args, 6, start, end, 2, NULL, NULL);
  assert_int_equal(d->ops->launch(d, s, kernel_of(d, &add_task), &l, (struct ag_grid){2, 32}), 0);
  assert_int_equal(d->ops->copy_out(d, s, result, cell, sizeof result), 0);
  assert_int_equal(mark_and_wait(d, s), 0);
  assert_int_equal(result[0], ((1 * 3 + 1) * 3 + 2) * 3 + 0);
  assert_int_equal(result[1], ((1 * 3 + 5) * 3 + 6) * 3 + 7);
  assert_true(d->ops->kernel_ns(d, s) > 0);
  d->ops->close(d);
}

/* A wavefront in one launch: each unit in a chain of its own waits for the one before it. */
static void flags_order_chains(void **state) {
  (void)state;
  struct ag_device *d = open_one("threads=4", NULL);
  struct ag_stream *s = new_stream(d);
  enum { N = 30 };
  long one = 1, result, expected = 1;
  long *cell = put(d, s, &one, sizeof one);
  struct args args[N];
  unsigned start[N], end[N], pred_start[N + 1], pred[N];
  for (unsigned i = 0; i < N; ++i) {
    args[i] = (struct args){cell, i % 3};
    start[i] = i;
    end[i] = i + 1;
    pred_start[i] = i ? i - 1 : 0;
    pred[i] = i; /* entry i belongs to unit i + 1 */
    expected = expected * 3 + i % 3;
  }
  pred_start[N] = N - 1;
  struct ag_kernel *k = kernel_of(d, &add_task);
  for (int round = 0; round < 50; ++round) {
    struct agglom_launch l = prepare(d, s, args, N, start, end, N, pred_start, pred);
    assert_int_equal(d->ops->copy_in(d, s, cell, &one, sizeof one), 0);
    assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){N, 64}), 0);
    assert_int_equal(d->ops->copy_out(d, s, &result, cell, sizeof result), 0);
    assert_int_equal(mark_and_wait(d, s), 0);
    assert_int_equal(result, expected);
  }
  d->ops->close(d);
}

static void streams_overlap(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, NULL);
  struct ag_stream *a = new_stream(d), *b = new_stream(d);
  struct args none[1] = {{NULL, 0}};
  unsigned start = 0, end = 1;
  struct agglom_launch l = prepare(d, a, none, 1, &start, &end, 1, NULL, NULL);
  atomic_store(&gate, 0);
  atomic_store(&inside, 0);
  assert_int_equal(d->ops->launch(d, a, kernel_of(d, &slow_task), &l, (struct ag_grid){1, 1}), 0);
  assert_int_equal(d->ops->mark(d, a), 0);
  while (!atomic_load(&inside))
    sched_yield();
  assert_int_equal(d->ops->finished(d, a), -EAGAIN);
  int value = 42, back = 0; /* a copy on the other stream ends while the kernel runs */
  void *p = device_alloc(d, sizeof value);
  assert_int_equal(d->ops->copy_in(d, b, p, &value, sizeof value), 0);
  assert_int_equal(d->ops->copy_out(d, b, &back, p, sizeof back), 0);
  assert_int_equal(mark_and_wait(d, b), 0);
  assert_int_equal(back, 42);
  assert_int_equal(d->ops->finished(d, a), -EAGAIN);
  atomic_store(&gate, 1);
  assert_int_equal(wait_for(d, a), 0);
  d->ops->close(d);
}

static void one_kernel_at_a_time(void **state) {
  (void)state;
  struct ag_device *d = open_one("overlap=off,threads=4,launch=10us", NULL);
  struct ag_stream *s[3] = {new_stream(d), new_stream(d), new_stream(d)};
  struct args none[1] = {{NULL, 0}};
  unsigned start = 0, end = 1;
  struct agglom_launch l = prepare(d, s[0], none, 1, &start, &end, 1, NULL, NULL);
  atomic_store(&inside, 0);
  atomic_store(&most_inside, 0);
  for (int i = 0; i < 30; ++i)
    assert_int_equal(d->ops->launch(d, s[i % 3], kernel_of(d, &counts_task), &l, (struct ag_grid){1, 1}), 0);
  for (int i = 0; i < 3; ++i)
    assert_int_equal(mark_and_wait(d, s[i]), 0);
  assert_int_equal(atomic_load(&most_inside), 1);
  d->ops->close(d);
}

/* A kernel that has waited for one which never ends does not begin when the device is given up. */
static void none_after_the_last(void **state) {
  (void)state;
  struct ag_device *d = open_one("overlap=off", "call=launch,error=hang");
  struct ag_stream *a = new_stream(d), *b = new_stream(d);
  struct args none[2] = {{NULL, 0}, {NULL, 0}};
  unsigned start[2] = {0, 1}, end[2] = {1, 2}; /* the first half of the kernel is done before it hangs */
  struct agglom_launch l = prepare(d, a, none, 2, start, end, 2, NULL, NULL);
  atomic_store(&gate, 0);
  atomic_store(&inside, 0);
  atomic_store(&most_inside, 0);
  assert_int_equal(d->ops->launch(d, a, kernel_of(d, &slow_task), &l, (struct ag_grid){2, 1}), 0);
  while (!atomic_load(&inside))
    sched_yield();
  assert_int_equal(d->ops->launch(d, b, kernel_of(d, &counts_task), &l, (struct ag_grid){2, 1}), 0);
  ag_clock_wait_until(ag_clock_ns() + 2000000); /* so that it waits; it need not */
  capture_begin();
  ag_device_abandon(d, "the test says so");
  capture_end();
  atomic_store(&gate, 1);
  d->ops->close(d);
  assert_int_equal(atomic_load(&most_inside), 0);
}

static void close_waits_for_work(void **state) {
  (void)state;
  struct ag_device *d = open_one("launch=20ms", NULL);
  struct ag_stream *s = new_stream(d);
  long value = 1, back = 0;
  long *cell = put(d, s, &value, sizeof value);
  struct args args[1] = {{cell, 4}};
  unsigned start = 0, end = 1;
  struct agglom_launch l = prepare(d, s, args, 1, &start, &end, 1, NULL, NULL);
  assert_int_equal(d->ops->launch(d, s, kernel_of(d, &add_task), &l, (struct ag_grid){1, 1}), 0);
  assert_int_equal(d->ops->copy_out(d, s, &back, cell, sizeof back), 0);
  d->ops->close(d);
  assert_int_equal(back, 7);
}

static void fresh_memory_is_poisoned(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, NULL);
  struct ag_stream *s = new_stream(d);
  static const size_t sizes[] = {1, 256, 4096, 5000, (size_t)4 << 20, ((size_t)9 << 20) + 12345};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    unsigned char *p = device_alloc(d, sizes[i]);
    assert_int_equal(p[0], 0xAA);
    assert_int_equal(p[sizes[i] / 2], 0xAA);
    assert_int_equal(p[sizes[i] - 1], 0xAA);
    memset(p, 1, sizes[i]); /* pieces of a large allocation do not share pages */
    unsigned char *q = device_alloc(d, sizes[i]);
    assert_int_equal(q[0], 0xAA);
    assert_int_equal(q[sizes[i] - 1], 0xAA);
    assert_int_equal(d->ops->free(d, p), 0);
    assert_int_equal(d->ops->free(d, q), 0);
  }
  assert_int_equal(d->ops->stream_destroy(d, s), 0);
  d->ops->close(d);
}

static void touch(volatile char *p) { *p = 1; }

/* Whether writing one byte there kills the process. */
static bool kills(char *p) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    touch(p);
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status);
}

static void guard_pages(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, NULL);
  char *p = device_alloc(d, 512), *host;
  assert_false(kills(p + 511));
  assert_true(kills(p + 512)); /* the end lies at a guard page */
  assert_true(kills(p - 4096));
  assert_int_equal(d->ops->host_alloc(d, 256, (void **)&host), 0);
  assert_true(kills(host + 256));
  assert_int_equal(d->ops->free(d, p), 0);
  assert_true(kills(p));
  d->ops->close(d);
}

static void memory_is_limited(void **state) {
  (void)state;
  struct ag_device *d = open_one("memory=64KB", NULL);
  void *p[3];
  assert_int_equal(d->info.memory_bytes, 65536);
  assert_int_equal(d->ops->alloc(d, 65537, &p[0]), -ENOMEM);
  assert_int_equal(d->ops->alloc(d, (size_t)-1, &p[0]), -ENOMEM);
  assert_int_equal(d->ops->alloc(d, 0, &p[0]), -EINVAL);
  assert_int_equal(d->ops->alloc(d, 32768, &p[0]), 0);
  assert_int_equal(d->ops->alloc(d, 32768, &p[1]), 0);
  assert_int_equal(d->ops->alloc(d, 1, &p[2]), -ENOMEM);
  assert_int_equal(d->ops->free(d, p[0]), 0);
  assert_int_equal(d->ops->alloc(d, 1, &p[2]), 0);
  d->ops->close(d);
}

static void wrong_use_is_refused(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, NULL);
  struct ag_stream *s = new_stream(d);
  char host[64] = {0};
  char *p = device_alloc(d, 64), *q = device_alloc(d, 64);
  struct args none[2] = {{NULL, 0}, {NULL, 0}};
  unsigned start[2] = {0, 1}, end[2] = {1, 2};
  struct agglom_launch l = prepare(d, s, none, 2, start, end, 2, NULL, NULL);
  struct ag_kernel *k = kernel_of(d, &add_task);
  capture_begin();
  assert_int_equal(d->ops->copy_in(d, s, p, host, 65), -EINVAL);
  assert_int_equal(d->ops->copy_in(d, s, host, host, 8), -EINVAL);
  assert_int_equal(d->ops->copy_in(d, s, p, q, 8), -EINVAL);
  assert_int_equal(d->ops->copy_out(d, s, q, p, 8), -EINVAL);
  assert_int_equal(d->ops->fill(d, s, p + 60, 0, 5), -EINVAL);
  assert_int_equal(d->ops->free(d, p + 1), -EINVAL);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 32}), -EINVAL);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){2, 2048}), -EINVAL);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){2, 0}), -EINVAL);
  struct agglom_launch bad = l;
  bad.start = start;
  assert_int_equal(d->ops->launch(d, s, k, &bad, (struct ag_grid){2, 1}), -EINVAL);
  const char *said = capture_end();
  assert_int_equal(occurrences(said, "agglom: error: "), 10);
  assert_non_null(strstr(said, "start[] of a launch"));
  struct ag_kernel *none_there;
  assert_int_equal(d->ops->kernel(d, &cpu_task, &none_there), -ENOENT);
  assert_int_equal(d->health, AG_DEVICE_OK);
  d->ops->close(d);
}

static void cost_model(void **state) {
  (void)state;
  struct ag_device *d = open_one("launch=3ms,bandwidth=100MB/s", NULL);
  struct ag_stream *s = new_stream(d);
  struct args none[1] = {{NULL, 0}};
  unsigned start = 0, end = 0;
  struct agglom_launch l = prepare(d, s, none, 1, &start, &end, 1, NULL, NULL);
  uint64_t begin = ag_clock_ns();
  for (int i = 0; i < 3; ++i)
    assert_int_equal(d->ops->launch(d, s, kernel_of(d, &add_task), &l, (struct ag_grid){1, 1}), 0);
  assert_true(ag_clock_ns() - begin < 9000000 || d->ops->finished(d, s) == 0); /* posting does not wait */
  assert_int_equal(mark_and_wait(d, s), 0);
  assert_true(ag_clock_ns() - begin >= 9000000);
  enum { N = 1000000 };
  char *host = calloc(1, N);
  void *p = device_alloc(d, N);
  begin = ag_clock_ns();
  assert_int_equal(d->ops->copy_in(d, s, p, host, N), 0);
  assert_int_equal(mark_and_wait(d, s), 0);
  assert_true(ag_clock_ns() - begin >= 10000000); /* 1 MB at 100 MB/s */
  d->ops->close(d);
  free(host);
}

static void costs_of_units_and_copies(void **state) {
  (void)state;
  struct ag_device *d = open_one("unit=4ms,copy=3ms,threads=1", NULL);
  struct ag_stream *s = new_stream(d);
  long value = 1;
  long *cell = put(d, s, &value, sizeof value);
  struct args units[2] = {{cell, 0}, {cell, 0}};
  unsigned start = 0, end = 2;
  uint64_t begin = ag_clock_ns();
  struct agglom_launch l = prepare(d, s, units, 2, &start, &end, 1, NULL, NULL); /* copies a few things */
  assert_int_equal(mark_and_wait(d, s), 0);
  assert_true(ag_clock_ns() - begin >= 3000000);
  begin = ag_clock_ns();
  assert_int_equal(d->ops->launch(d, s, kernel_of(d, &add_task), &l, (struct ag_grid){1, 1}), 0);
  assert_int_equal(mark_and_wait(d, s), 0);
  assert_true(ag_clock_ns() - begin >= 8000000); /* one thread, two units */
  d->ops->close(d);
}

/* Of pieces that come back together, what lies between them is left alone on the host. */
/* Rows go and come, and what lies between them stays; rows beyond an allocation are refused. */
static void rows(void **state) {
  (void)state;
  enum { ROWS = 5, BYTES = 3, HERE = 4, THERE = 10 };
  struct ag_device *d = open_one(NULL, NULL);
  struct ag_stream *s = new_stream(d);
  char here[ROWS * HERE], back[ROWS * HERE] = {0}, there[ROWS * THERE] = {0};
  for (int i = 0; i < ROWS * HERE; ++i)
    here[i] = (char)(i + 1);
  char *p = put(d, s, there, sizeof there);
  struct ag_rows r = {.n = ROWS, .bytes = BYTES, .host_pitch = HERE, .device_pitch = THERE};
  assert_int_equal(d->ops->rows_in(d, s, p, here, &r), 0);
  assert_int_equal(d->ops->copy_out(d, s, there, p, sizeof there), 0);
  assert_int_equal(d->ops->rows_out(d, s, back, p, &r), 0);
  assert_int_equal(mark_and_wait(d, s), 0);
  for (int i = 0; i < ROWS * THERE; ++i)
    assert_int_equal(there[i], i % THERE < BYTES ? here[i / THERE * HERE + i % THERE] : 0);
  for (int i = 0; i < ROWS * HERE; ++i)
    assert_int_equal(back[i], i % HERE < BYTES ? here[i] : 0);
  capture_begin();
  r.device_pitch = 1000;
  assert_int_equal(d->ops->rows_in(d, s, p, here, &r), -EINVAL);
  assert_int_equal(d->ops->rows_out(d, s, back, p, &r), -EINVAL);
  r.device_pitch = THERE;
  assert_int_equal(d->ops->rows_in(d, s, here, here, &r), -EINVAL);
  assert_int_equal(occurrences(capture_end(), "agglom: error: "), 3);
  d->ops->close(d);
}

static void pieces_come_back(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, NULL);
  struct ag_stream *s = new_stream(d);
  char here[64], back[64] = {0};
  for (int i = 0; i < 64; ++i)
    here[i] = (char)(i + 1);
  char *p = put(d, s, here, sizeof here);
  struct ag_fetch pieces[] = {
      {back + 4, p + 8, 10, 0}, {back + 20, p + 24, 1, 0}, {back + 21, p + 25, 30, 0}};
  assert_int_equal(d->ops->fetch(d, s, pieces, 3), 0);
  assert_int_equal(mark_and_wait(d, s), 0);
  for (int i = 0; i < 64; ++i)
    assert_int_equal(back[i], (i >= 4 && i < 14) || (i >= 20 && i < 51) ? here[i + 4] : 0);
  capture_begin();
  struct ag_fetch apart[] = {{back + 4, p + 8, 10, 0}, {back + 20, p + 25, 1, 0}};
  assert_int_equal(d->ops->fetch(d, s, apart, 2), -EINVAL);
  struct ag_fetch across[] = {{back, p, 10, 0}, {back + 5, p + 5, 1, 0}};
  assert_int_equal(d->ops->fetch(d, s, across, 2), -EINVAL);
  struct ag_fetch outside[] = {{back, p, 10, 0}, {back + 60, p + 60, 5, 0}};
  assert_int_equal(d->ops->fetch(d, s, outside, 2), -EINVAL);
  const char *said = capture_end();
  assert_int_equal(occurrences(said, "agglom: error: "), 3);
  d->ops->close(d);
}

/* What follows a milestone sees what was before it, also when the other stream has gone or the device is
 * lost. */
static void streams_follow(void **state) {
  (void)state;
  enum { N = 100000 };
  for (int lose = 0; lose < 2; ++lose) {
    capture_begin();
    struct ag_device *d =
        open_one("bandwidth=10MB/s", lose ? "call=copy_in,nth=1,error=sticky" : "call=alloc,nth=99");
    struct ag_stream *a = new_stream(d), *b = new_stream(d);
    char *here = malloc(N), *back = calloc(1, N), *p = device_alloc(d, N);
    memset(here, 7, N);
    assert_int_equal(d->ops->follow(d, b, a), 0); /* a has no milestone: nothing to wait for */
    assert_int_equal(mark_and_wait(d, b), 0);
    assert_int_equal(d->ops->copy_in(d, a, p, here, N), 0); /* 10 ms */
    int err = d->ops->milestone(d, a);
    if (!err)
      err = d->ops->follow(d, b, a);
    if (!err)
      err = d->ops->copy_out(d, b, back, p, N);
    assert_true(!err || lose);
    d->ops->stream_destroy(d, a);
    if (!err)
      err = mark_and_wait(d, b);
    assert_true(!err == !lose);
    if (!lose)
      assert_memory_equal(here, back, N);
    d->ops->close(d);
    free(here);
    free(back);
    capture_end();
  }
}

static void forget_a_module(void **state) {
  (void)state;
  struct agglom_module module = {.file = "m.c"};
  struct agglom_task task = add_task;
  task.module = &module;
  struct ag_device *d = open_one(NULL, NULL);
  struct ag_kernel *a = kernel_of(d, &task);
  assert_ptr_equal(kernel_of(d, &task), a);
  kernel_of(d, &add_task);
  d->ops->forget(d, &module);
  kernel_of(d, &task);
  d->ops->close(d);
}

/* Several threads use streams of their own at once: for the thread sanitizer. */
static struct ag_device *shared_device;

static void *user_thread(void *arg) {
  struct ag_device *d = shared_device;
  struct ag_stream *s;
  struct ag_kernel *k;
  long bad = d->ops->stream_create(d, &s) + d->ops->kernel(d, &add_task, &k);
  void *block;
  char host[1024], back[sizeof(long)];
  struct args *args = (void *)host;
  unsigned *words = (void *)(host + 256);
  for (int i = 0; i < 200 && !bad; ++i) {
    bad += d->ops->alloc(d, 1024, &block);
    long *cell = (void *)((char *)block + 512);
    args[0] = (struct args){cell, (long)(intptr_t)arg};
    args[1] = (struct args){cell, 1};
    words[0] = 0; /* start */
    words[1] = 2; /* end */
    words[2] = 0; /* part */
    words[3] = 1; /* parts */
    memset(host + 512, 0, sizeof(long));
    bad += d->ops->copy_in(d, s, block, host, sizeof host);
    unsigned *dw = (void *)((char *)block + 256);
    struct agglom_launch l = {.units = block,
                              .start = dw,
                              .end = dw + 1,
                              .part = dw + 2,
                              .parts = dw + 3,
                              .n_chains = 1,
                              .n_units = 2};
    bad += d->ops->launch(d, s, k, &l, (struct ag_grid){1, 8});
    bad += d->ops->copy_out(d, s, back, cell, sizeof back);
    bad += d->ops->mark(d, s);
    int err;
    while ((err = d->ops->finished(d, s)) == -EAGAIN)
      sched_yield();
    long result;
    memcpy(&result, back, sizeof result);
    bad += err + (result != 3 * (long)(intptr_t)arg + 1);
    bad += d->ops->free(d, block);
  }
  bad += d->ops->stream_destroy(d, s);
  return (void *)(intptr_t)bad;
}

static void many_threads(void **state) {
  (void)state;
  pthread_t thread[4];
  shared_device = open_one(NULL, NULL);
  for (intptr_t i = 0; i < 4; ++i)
    assert_int_equal(pthread_create(&thread[i], NULL, user_thread, (void *)i), 0);
  for (int i = 0; i < 4; ++i) {
    void *bad;
    pthread_join(thread[i], &bad);
    assert_null(bad);
  }
  shared_device->ops->close(shared_device);
}

static void opening(void **state) {
  (void)state;
  struct ag_device *dev[4];
  setenv("AGGLOM_FAULT", "", 1);
  setenv("AGGLOM_EMULATE", "threads=1", 1);
  assert_int_equal(ag_devices_open("none", dev, 4), 0);
  assert_int_equal(ag_devices_open("emulated:3", dev, 2), 2);
  assert_string_equal(dev[1]->info.kind, "emulated");
  assert_int_equal(dev[1]->info.index, 1);
  assert_int_equal(dev[1]->info.compute_units, 1);
  dev[0]->ops->close(dev[0]);
  dev[1]->ops->close(dev[1]);
  capture_begin();
  assert_int_equal(ag_devices_open("emulated:0", dev, 4), -EINVAL);
  assert_non_null(strstr(capture_end(), "\"emulated:0\" is not a list of devices: accepted are auto, none"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_in_order),
      cmocka_unit_test(times_of_operations),
      cmocka_unit_test(chains_run_in_order),
      cmocka_unit_test(flags_order_chains),
      cmocka_unit_test(streams_overlap),
      cmocka_unit_test(one_kernel_at_a_time),
      cmocka_unit_test(none_after_the_last),
      cmocka_unit_test(close_waits_for_work),
      cmocka_unit_test(fresh_memory_is_poisoned),
      cmocka_unit_test(guard_pages),
      cmocka_unit_test(memory_is_limited),
      cmocka_unit_test(wrong_use_is_refused),
      cmocka_unit_test(cost_model),
      cmocka_unit_test(costs_of_units_and_copies),
      cmocka_unit_test(streams_follow),
      cmocka_unit_test(rows),
      cmocka_unit_test(pieces_come_back),
      cmocka_unit_test(forget_a_module),
      cmocka_unit_test(many_threads),
      cmocka_unit_test(opening),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
