/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The isolated emulated device: kernels in processes that have the device's memory and none of the program's.
 */
#include "capture.h"
#include "device/emulated.h"
#include "emulated_device.h"
#include "instrumented.h"
#include "sys/topology.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- Tasks --------------------------------------------------------------------------------------------- */

/* For each unit: copies the long that `value` is the address of. */
static void peek_emulated(const struct agglom_launch *l, unsigned c) {
  const struct args *args = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    const long *from = (const long *)(intptr_t)args[u].value; /* NOLINT(performance-no-int-to-ptr) */
    *args[u].cell = *from;
    agglom_emulated_end(l, u);
  }
}

static void poke_emulated(const struct agglom_launch *l, unsigned c) {
  const struct args *args = l->units;
  *(long *)(intptr_t)args[c].value = 1; /* NOLINT(performance-no-int-to-ptr) */
}

/* Tells in cell[0] that it begins and in cell[1] that it has written. */
static void write_emulated(const struct agglom_launch *l, unsigned c) {
  const struct args *args = l->units;
  _Atomic long *cell = (_Atomic long *)args[c].cell;
  atomic_store(&cell[0], 1);
  *(long *)(intptr_t)args[c].value = 1; /* NOLINT(performance-no-int-to-ptr) */
  atomic_store(&cell[1], 1);
}

static void print_emulated(const struct agglom_launch *l, unsigned c) {
  const struct args *args = l->units;
  printf("kernel %u: %ld\n", c, args[c].value);
}

static void abort_emulated(const struct agglom_launch *l, unsigned c) {
  (void)l, (void)c;
  abort();
}

#define TASK(NAME)                                                                                           \
  static struct agglom_task NAME##_task = {.name = #NAME,                                                    \
                                           .file = "t.c",                                                    \
                                           .line = 7,                                                        \
                                           .map = AGGLOM_MAP_BLOCK,                                          \
                                           .args_size = sizeof(struct args),                                 \
                                           .emulated = NAME##_emulated}
TASK(peek);
TASK(poke);
TASK(write);
TASK(print);
TASK(abort);

/* One unit a chain; each waits for the one before it when `flags`. */
static void begin_launch(struct ag_device *d, struct ag_stream *s, const struct agglom_task *task,
                         const struct args *args, unsigned n, bool flags) {
  unsigned start[64], end[64], pred_start[65], pred[64];
  assert_true(n <= 64);
  for (unsigned i = 0; i < n; ++i) {
    start[i] = i;
    end[i] = i + 1;
    pred_start[i] = i ? i - 1 : 0;
    pred[i] = i;
  }
  pred_start[n] = n - 1;
  struct agglom_launch l = prepare(d, s, args, n, start, end, n, flags ? pred_start : NULL, pred);
  assert_int_equal(d->ops->launch(d, s, kernel_of(d, task), &l, (struct ag_grid){n, 1}), 0);
}

/* The same, to its end. What finished() says. */
static int launch(struct ag_device *d, struct ag_stream *s, const struct agglom_task *task,
                  const struct args *args, unsigned n, bool flags) {
  begin_launch(d, s, task, args, n, flags);
  return mark_and_wait(d, s);
}

static long get(struct ag_device *d, struct ag_stream *s, const void *p) {
  long value = 0;
  assert_int_equal(d->ops->copy_out(d, s, &value, p, sizeof value), 0);
  assert_int_equal(mark_and_wait(d, s), 0);
  return value;
}

/* --- Tests -------------------------------------------------------------------------------------------- */

static void computes_as_ever(void **state) {
  (void)state;
  for (int threads = 1; threads <= 3; ++threads) {
    char settings[40];
    snprintf(settings, sizeof settings, "isolate=on,threads=%d", threads);
    struct ag_device *d = open_one(settings, NULL);
    struct ag_stream *s = new_stream(d);
    long one = 1, expected = 1;
    long *cell = put(d, s, &one, sizeof one);
    struct args args[40];
    for (int i = 0; i < 40; ++i) {
      args[i] = (struct args){cell, i};
      expected = (long)((unsigned long)expected * 3 + (unsigned long)i);
    }
    assert_int_equal(launch(d, s, &add_task, args, 40, true), 0);
    assert_int_equal(get(d, s, cell), expected);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* the program has no child */
    assert_int_equal(errno, ECHILD);
    d->ops->close(d);
  }
}

static void use_of_host_memory_is_told(void **state) {
  (void)state;
  skip_if_instrumented();
  static long in_static[4096];
  long on_stack = 5, *on_heap = malloc(sizeof *on_heap);
  assert_non_null(on_heap);
  *on_heap = 5;
  const struct {
    struct agglom_task *task;
    long *address;
    const char *says;
  } cases[] = {{&peek_task, on_heap, "host memory at"},
               {&peek_task, &on_stack, "(a thread's stack), which no clause names"},
               {&peek_task, &in_static[2048], "host memory at"},
               {&poke_task, on_heap, "host memory at"},
               {&peek_task, NULL, "at 0, where nothing is"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct ag_device *d = open_one("isolate=on", NULL);
    struct ag_stream *s = new_stream(d);
    struct args args = {put(d, s, &on_stack, sizeof on_stack), (long)(intptr_t)cases[i].address};
    capture_begin();
    assert_int_equal(launch(d, s, cases[i].task, &args, 1, false), -EIO);
    const char *text = capture_end();
    assert_int_equal(occurrences(text, "agglom: warning: emulated:0 (emulated device 0) failed: task '"), 1);
    assert_non_null(strstr(text, cases[i].task == &peek_task ? "'peek' (t.c:7) " : "'poke' (t.c:7) "));
    assert_non_null(strstr(text, cases[i].says));
    assert_int_equal(d->health, AG_DEVICE_QUARANTINED);
    d->ops->close(d);
  }
  assert_int_equal(*on_heap, 5);
  free(on_heap);
}

/* Others of the launch wait for the unit that failed: they end, too. */
static void nobody_waits_for_what_failed(void **state) {
  (void)state;
  skip_if_instrumented();
  struct ag_device *d = open_one("isolate=on,threads=3", NULL);
  struct ag_stream *s = new_stream(d);
  long zero = 0;
  long *cell = put(d, s, &zero, sizeof zero);
  struct args args[40];
  for (int i = 0; i < 40; ++i)
    args[i] = (struct args){cell, i == 7 ? (long)(intptr_t)&zero : (long)(intptr_t)cell};
  capture_begin();
  assert_int_equal(launch(d, s, &peek_task, args, 40, true), -EIO);
  assert_int_equal(occurrences(capture_end(), "which no clause names"), 1);
  d->ops->close(d);
}

/* Memory beside an allocation, of another device, and what the device never wrote. */
static void memory_of_devices(void **state) {
  (void)state;
  skip_if_instrumented();
  enum { LARGE = 3 << 20 };
  struct ag_device *other = open_one("isolate=on", NULL);
  void *foreign = device_alloc(other, 4096);
  for (int i = 0; i < 2; ++i) {
    struct ag_device *d = open_one("isolate=on", NULL);
    struct ag_stream *s = new_stream(d);
    long zero = 0;
    char *cell = put(d, s, &zero, sizeof zero), *large = device_alloc(d, LARGE);
    for (long at = 0; at < LARGE; at += LARGE / 3) {
      struct args args = {(long *)(void *)cell, (long)(intptr_t)(large + at)};
      assert_int_equal(launch(d, s, &peek_task, &args, 1, false), 0);
      assert_true((unsigned long)get(d, s, cell) == 0xAAAAAAAAAAAAAAAAu);
    }
    assert_true((unsigned long)get(d, s, large + LARGE / 2) == 0xAAAAAAAAAAAAAAAAu);
    assert_int_equal(d->ops->fill(d, s, large + 1000, 7, LARGE - 1000), 0);
    assert_true(get(d, s, large + 992) == -0x5555555555555556);
    assert_true(get(d, s, large + 1000) == 0x0707070707070707);
    assert_true(get(d, s, large + LARGE - 8) == 0x0707070707070707);
    struct args args = {(long *)(void *)cell, i ? (long)(intptr_t)foreign : (long)(intptr_t)(large + LARGE)};
    capture_begin();
    assert_int_equal(launch(d, s, &peek_task, &args, 1, false), -EIO);
    assert_non_null(strstr(capture_end(), i ? "host memory" : "where nothing is"));
    d->ops->close(d);
  }
  other->ops->close(other);
}

static struct ag_emulated_block block_at(struct ag_device *d, const void *start) {
  struct ag_emulated_memory *m = &((struct emulated *)d)->memory;
  struct ag_emulated_block found = {0};
  pthread_mutex_lock(&m->lock);
  for (size_t i = 0; i < m->n_blocks; ++i)
    if (m->blocks[i].start == start)
      found = m->blocks[i];
  pthread_mutex_unlock(&m->lock);
  assert_non_null(found.tiles);
  return found;
}

static void nap(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

/* Another process has begun to poison the memory when a kernel's process begins: the kernel writes after it.
 */
static void writes_after_the_poison(void **state) {
  (void)state;
  skip_if_instrumented();
  struct ag_device *d = open_one("isolate=on,threads=1", NULL);
  struct ag_stream *s = new_stream(d);
  long zeros[2] = {0};
  _Atomic long *told = put(d, s, zeros, sizeof zeros);
  long *large = device_alloc(d, 3 << 20);
  struct ag_emulated_block block = block_at(d, large);
  __atomic_store_n(&block.tiles[0], AG_TILE_BUSY, __ATOMIC_RELEASE);
  struct args args = {(long *)told, (long)(intptr_t)large};
  begin_launch(d, s, &write_task, &args, 1, false);
  while (!atomic_load(&told[0]))
    nap();
  for (int ms = 0; ms < 20 && !atomic_load(&told[1]); ++ms)
    nap();
  memset(block.map + ag_page_size(), AG_EMULATED_POISON, AG_EMULATED_TILE);
  __atomic_store_n(&block.tiles[0], AG_TILE_READY, __ATOMIC_RELEASE);
  assert_int_equal(mark_and_wait(d, s), 0);
  assert_int_equal(large[0], 1);
  assert_true((unsigned long)large[1] == 0xAAAAAAAAAAAAAAAAu);
  d->ops->close(d);
}

/* What a kernel prints follows what the program has printed, once. */
static void printing(void **state) {
  (void)state;
  skip_if_instrumented();
  char text[4096];
  fflush(stdout);
  FILE *file = tmpfile();
  int saved = dup(STDOUT_FILENO);
  assert_non_null(file);
  assert_true(saved >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
  struct ag_device *d = open_one("isolate=on,threads=1", NULL);
  struct ag_stream *s = new_stream(d);
  struct args args[3] = {{NULL, 10}, {NULL, 11}, {NULL, 12}};
  printf("before\n");
  int err = launch(d, s, &print_task, args, 3, false);
  printf("after\n");
  fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  assert_int_equal(err, 0);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(text, "before\nkernel 0: 10\nkernel 1: 11\nkernel 2: 12\nafter\n");
  d->ops->close(d);
}

/* What ends a kernel ends the program. */
static void abort_ends_the_program(void **state) {
  (void)state;
  skip_if_instrumented();
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    signal(SIGABRT, SIG_DFL);
    struct ag_device *d = open_one("isolate=on", NULL);
    struct args args = {NULL, 0};
    launch(d, new_stream(d), &abort_task, &args, 1, false);
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(computes_as_ever),
      cmocka_unit_test(use_of_host_memory_is_told),
      cmocka_unit_test(nobody_waits_for_what_failed),
      cmocka_unit_test(memory_of_devices),
      cmocka_unit_test(writes_after_the_poison),
      cmocka_unit_test(printing),
      cmocka_unit_test(abort_ends_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
