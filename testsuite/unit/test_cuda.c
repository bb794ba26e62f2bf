/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CUDA backend on the GPU in software: finding devices, the whole path, and that nothing is left
 * over. Needs no GPU. test_cuda_faults.c lets calls fail. */
#include "cuda_batch.h"
#include "device/backend.h"
#include "device/cuda_driver.h"
#include "sys/clock.h"

#include <limits.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- No driver: each in a process of its own, because the first look is remembered
 * ----------------------------- */

static void in_child(void (*body)(void), char *said, size_t bytes) {
  int fd[2];
  assert_int_equal(pipe(fd), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    body();
    const char *why = ag_cuda_why_not();
    ssize_t n = write(fd[1], why, strlen(why));
    _exit(n == (ssize_t)strlen(why) ? 0 : 1);
  }
  close(fd[1]);
  size_t used = 0;
  for (ssize_t n; (n = read(fd[0], said + used, bytes - 1 - used)) > 0;)
    used += (size_t)n;
  said[used] = '\0';
  close(fd[0]);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void no_library(void) { setenv("AGGLOM_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1); }
static void other_library(void) { setenv("AGGLOM_CUDA_LIBRARY", "libc.so.6", 1); }
static void old_driver(void) { gpu_set("VERSION=10020"); }
static void no_device(void) { make_fail("cuInit", 1, AG_CU_NO_DEVICE); }
static void zero_devices(void) { gpu_set("DEVICES=0"); }
static void broken_driver(void) { make_fail("cuInit", 1, AG_CU_SYSTEM_DRIVER_MISMATCH); }
static void fine(void) {}

static void why_there_is_none(void **state) {
  (void)state;
  char said[1024];
  in_child(no_library, said, sizeof said);
  assert_non_null(strstr(said, "cannot be loaded (/nowhere/libcuda.so.1"));
  in_child(other_library, said, sizeof said);
  assert_non_null(strstr(said, "libc.so.6 has no cu"));
  in_child(old_driver, said, sizeof said);
  assert_non_null(strstr(said, "for CUDA 10.2, which is too old"));
  in_child(no_device, said, sizeof said);
  assert_non_null(strstr(said, "sees no GPU"));
  in_child(zero_devices, said, sizeof said);
  assert_non_null(strstr(said, "sees no GPU"));
  in_child(broken_driver, said, sizeof said);
  assert_non_null(strstr(said, "does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (system driver mismatch)"));
  in_child(fine, said, sizeof said);
  assert_string_equal(said, "");
}

static void asked_for_but_absent(void) {
  setenv("AGGLOM_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
  struct ag_device *dev[4];
  capture_begin();
  int n = ag_devices_open("cuda", dev, 4) + ag_devices_open("auto", dev, 4);
  const char *text = capture_end();
  if (n || occurrences(text, "agglom: warning: AGGLOM_DEVICES asks for cuda, which cannot be used") != 1)
    _exit(1);
}

static void warns_when_asked_for(void **state) {
  (void)state;
  char said[1024];
  in_child(asked_for_but_absent, said, sizeof said);
}

/* --- With a driver
 * ------------------------------------------------------------------------------------------------ */

static void describes_the_device(void **state) {
  (void)state;
  gpu_set("CAPABILITY=92");
  struct ag_device *d = open_one();
  assert_string_equal(d->info.kind, "cuda");
  assert_string_equal(d->info.name, "GPU in software");
  assert_int_equal(d->info.capability, 92);
  assert_int_equal(d->info.compute_units, 132);
  assert_int_equal(d->info.max_threads, 1024);
  assert_int_equal(d->info.memory_bytes, 64 << 20);
  assert_int_equal(d->info.memory_free, 64 << 20);
  assert_string_equal(ag_cuda_why_not(), "");
  d->ops->close(d);
  assert_nothing_left();
}

static void full_path(void **state) {
  (void)state;
  const char *call;
  struct ag_device *d = open_one();
  for (unsigned i = 0, asked = 0; i < 3; ++i) {
    if (i)
      gpu_set("FAULT=cuEventQuery:1-%u:%d", i, AG_CU_NOT_READY);
    assert_int_equal(batch(d, &call), 0);
    assert_int_equal(gpu_calls("cuEventQuery"), asked += 1 + i);
  }
  assert_int_equal(gpu_calls("cuModuleLoadDataEx"), 1);
  assert_int_equal(gpu_calls("cuLaunchKernel"), 3);
  assert_int_equal(gpu_seen().blocks, 4);
  assert_int_equal(gpu_seen().threads, 64);
  d->ops->close(d);
  assert_nothing_left();
}

/* The same on a device that takes its time, and streams out of their turn. */
static void full_path_late(void **state) {
  (void)state;
  for (int seed = 1; seed <= 20; ++seed) {
    const char *call;
    gpu_reset("CAPABILITY=90 LATE=50 SEED=%d", seed);
    struct ag_device *d = open_one();
    for (int i = 0; i < 3; ++i)
      assert_int_equal(batch(d, &call), 0);
    d->ops->close(d);
    assert_nothing_left();
  }
}

static void close_frees_everything(void **state) {
  (void)state;
  struct ag_device *d = open_one();
  void *p;
  struct ag_stream *s;
  struct ag_kernel *k;
  for (int i = 0; i < 100; ++i) {
    assert_int_equal(d->ops->alloc(d, 16, &p), 0);
    assert_int_equal(d->ops->host_alloc(d, 16, &p), 0);
  }
  assert_int_equal(d->ops->stream_create(d, &s), 0);
  assert_int_equal(d->ops->kernel(d, &task, &k), 0);
  d->ops->close(d);
  assert_nothing_left();
}

static void kernel_times(void **state) {
  (void)state;
  struct ag_device *d = open_one();
  struct ag_stream *s;
  struct ag_kernel *k;
  int unit = 1;
  void *p;
  assert_int_equal(d->ops->stream_create(d, &s), 0);
  assert_int_equal(d->ops->alloc(d, 4, &p), 0);
  assert_int_equal(d->ops->kernel(d, &task, &k), 0);
  assert_int_equal(d->ops->copy_in(d, s, p, &unit, 4), 0);
  struct agglom_launch l = {.units = p, .n_chains = 1, .n_units = 1};
  assert_int_equal(d->ops->finished(d, s), 0); /* nothing marked */
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0);
  assert_int_equal(d->ops->mark(d, s), 0);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0); /* belongs to the next mark */
  assert_int_equal(d->ops->finished(d, s), 0);
  assert_true(d->ops->kernel_ns(d, s) > 0);
  unsigned events = gpu_seen().events, made = gpu_calls("cuEventCreate");
  for (int i = 0; i < 10; ++i) {
    assert_int_equal(d->ops->mark(d, s), 0);
    assert_int_equal(d->ops->finished(d, s), 0);
    assert_true(i % 2 ? d->ops->kernel_ns(d, s) == 0 : d->ops->kernel_ns(d, s) > 0);
    for (int n = 0; n < 2 && i % 2; ++n)
      assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0);
    assert_int_equal(gpu_seen().events, events); /* events are used again */
    assert_int_equal(gpu_calls("cuEventCreate"), made);
  }
  d->ops->close(d);
  assert_nothing_left();
}

static float kernel_ms;

static ag_cu_result takes(float *ms, ag_cu_event begin, ag_cu_event end) {
  (void)begin, (void)end;
  *ms = kernel_ms;
  return AG_CU_SUCCESS;
}

/* Launches and completes so many kernels, which say that they take so long; returns how many were timed. */
static unsigned timed_launches(struct ag_device *d, struct ag_stream *s, unsigned n, unsigned units, float ms,
                               uint64_t ns) {
  struct ag_cuda_driver *cu = (struct ag_cuda_driver *)(uintptr_t)ag_cuda_loaded(), real = *cu;
  unsigned before = gpu_calls("cuEventRecord");
  struct ag_kernel *k;
  void *p;
  assert_int_equal(d->ops->kernel(d, &task, &k), 0);
  assert_int_equal(d->ops->alloc(d, 4 * (size_t)units, &p), 0);
  assert_int_equal(d->ops->fill(d, s, p, 1, 4 * (size_t)units), 0);
  struct agglom_launch l = {.units = p, .n_chains = units, .n_units = units};
  kernel_ms = ms;
  cu->event_elapsed = takes;
  for (unsigned i = 0; i < n; ++i) {
    assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){units, 1}), 0);
    assert_int_equal(d->ops->mark(d, s), 0);
    assert_int_equal(d->ops->finished(d, s), 0);
    if (ns)
      assert_in_range(d->ops->kernel_ns(d, s), ns - 1, ns + 1);
  }
  *cu = real;
  assert_int_equal(d->ops->free(d, p), 0);
  return (gpu_calls("cuEventRecord") - before - n) / 2;
}

/* Of short kernels that look alike some are timed, and the others count as much. */
static void short_kernels(void **state) {
  (void)state;
  for (int timed = 0; timed < 2; ++timed) {
    struct ag_stream *s;
    struct ag_device *d = open_one();
    d->timed = timed;
    assert_int_equal(d->ops->stream_create(d, &s), 0);
    assert_int_equal(timed_launches(d, s, 100, 1, 0.01F, 10000), timed ? 100 : 3 + 5);
    assert_int_equal(timed_launches(d, s, 100, 2, 1.0F, 1000000), 100); /* long ones */
    assert_int_equal(timed_launches(d, s, 17, 1, 0.02F, 0), timed ? 17 : 1);
    assert_true(d->ops->kernel_ns(d, s) > 10000); /* has been learnt */
    if (!timed) { /* they have become long: the next one that is timed tells */
      assert_true(timed_launches(d, s, 17, 1, 1.0F, 0) < 17);
      assert_int_equal(timed_launches(d, s, 17, 1, 1.0F, 0), 17);
    }
    for (unsigned units = 3; units < 9; ++units) /* of all of these nobody can know */
      assert_int_equal(timed_launches(d, s, 1, units, 0.01F, 10000), 1);
    d->ops->close(d);
    assert_nothing_left();
  }
}

/* Rows in regular distances are one call each way, and what lies between them stays. */
static void rows(void **state) {
  (void)state;
  enum { ROWS = 5, BYTES = 3, HERE = 4, THERE = 10 };
  struct ag_device *d = open_one();
  struct ag_stream *s;
  char here[ROWS * HERE], back[ROWS * HERE] = {0}, there[ROWS * THERE] = {0};
  void *p;
  assert_int_equal(d->ops->stream_create(d, &s), 0);
  assert_int_equal(d->ops->alloc(d, sizeof there, &p), 0);
  assert_int_equal(d->ops->copy_in(d, s, p, there, sizeof there), 0);
  for (int i = 0; i < ROWS * HERE; ++i)
    here[i] = (char)(i + 1);
  struct ag_rows r = {.n = ROWS, .bytes = BYTES, .host_pitch = HERE, .device_pitch = THERE};
  unsigned calls = gpu_calls("cuMemcpy2DAsync_v2");
  assert_int_equal(d->ops->rows_in(d, s, p, here, &r), 0);
  assert_int_equal(d->ops->copy_out(d, s, there, p, sizeof there), 0);
  for (int i = 0; i < ROWS * THERE; ++i)
    assert_int_equal(there[i], i % THERE < BYTES ? here[i / THERE * HERE + i % THERE] : 0);
  assert_int_equal(d->ops->rows_out(d, s, back, p, &r), 0);
  for (int i = 0; i < ROWS * HERE; ++i)
    assert_int_equal(back[i], i % HERE < BYTES ? here[i] : 0);
  assert_int_equal(gpu_calls("cuMemcpy2DAsync_v2"), calls + 2);
  r.device_pitch = 1000; /* beyond what was allocated */
  capture_begin();
  assert_true(d->ops->rows_in(d, s, p, here, &r) < 0);
  assert_true(d->ops->rows_out(d, s, back, p, &r) < 0);
  capture_end();
  d->ops->close(d);
  assert_only_misused(2);
}

/* A timed device says when it did what, by our clock. */
/* What our clock goes on by at each look. */
static uint64_t lost_ns;

uint64_t __real_ag_clock_ns(void);
uint64_t __wrap_ag_clock_ns(void);
uint64_t __wrap_ag_clock_ns(void) {
  static _Atomic uint64_t ahead;
  return __real_ag_clock_ns() + atomic_fetch_add(&ahead, lost_ns) + lost_ns;
}

/* What times count from is set again where the thread was kept from its look at the clock, but not for ever.
 */
static void times_count_from_a_sure_event(void **state) {
  (void)state;
  struct ag_device *d = open_one();
  unsigned least = UINT_MAX;
  d->timed = true;
  for (int round = 0; round < 20; ++round) {
    struct ag_stream *s;
    unsigned before = gpu_calls("cuEventRecord");
    lost_ns = round ? 0 : 1000000;
    assert_int_equal(d->ops->stream_create(d, &s), 0);
    lost_ns = 0;
    unsigned records = gpu_calls("cuEventRecord") - before;
    if (!round)
      assert_int_equal(records, 4);
    else if (records < least)
      least = records;
  }
  assert_int_equal(least, 1);
  d->ops->close(d);
  assert_nothing_left();
}

static void times_of_operations(void **state) {
  (void)state;
  struct ag_device *d = open_one();
  struct ag_stream *s;
  struct ag_kernel *k;
  struct ag_device_times t = {.kernel = {1, 2}};
  int unit = 1;
  void *p;
  d->timed = true;
  assert_int_equal(d->ops->stream_create(d, &s), 0);
  assert_int_equal(d->ops->alloc(d, 4, &p), 0);
  assert_int_equal(d->ops->kernel(d, &task, &k), 0);
  struct agglom_launch l = {.units = p, .n_chains = 1, .n_units = 1};
  unsigned events = 0, made = 0;
  for (int round = 0; round < 5; ++round) {
    uint64_t begin = ag_clock_ns();
    assert_int_equal(d->ops->copy_in(d, s, p, &unit, 4), 0);
    assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0);
    if (round) { /* the second kernel belongs to the same span */
      ag_clock_wait_until(ag_clock_ns() + 1000000);
      assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0);
    }
    if (round < 4)
      assert_int_equal(d->ops->copy_out(d, s, &unit, p, 4), 0);
    assert_int_equal(d->ops->mark(d, s), 0);
    assert_int_equal(d->ops->finished(d, s), 0);
    uint64_t end = ag_clock_ns();
    d->ops->times(d, s, &t);
    const uint64_t off = 1000000; /* our clock may stand still while the base is set */
    assert_true(t.copy_in.begin + off >= begin && t.copy_in.end >= t.copy_in.begin);
    assert_true(t.kernel.begin + off >= t.copy_in.end && t.kernel.end >= t.kernel.begin);
    assert_true(!round || t.kernel.end - t.kernel.begin > 900000);
    assert_true(t.kernel.end <= end + off);
    assert_true(d->ops->kernel_ns(d, s) <= t.kernel.end - t.kernel.begin + 1000);
    if (round < 4)
      assert_true(t.copy_out.begin + off >= t.kernel.end && t.copy_out.end <= end + off);
    else
      assert_int_equal(t.copy_out.end, 0);
    if (round == 1)
      events = gpu_seen().events, made = gpu_calls("cuEventCreate");
    assert_true(round < 2 || gpu_seen().events == events); /* they are used again */
    assert_true(round < 2 || gpu_calls("cuEventCreate") == made);
  }
  d->ops->close(d);
  assert_nothing_left();
}

static void threads_are_cut_to_the_kernel(void **state) {
  (void)state;
  static char narrow_ptx[] = PTX_FOR("70") TWICE_PTX("twice_kernel", "100", "");
  static const struct agglom_image image = {AGGLOM_IMAGE_PTX, 70, sizeof narrow_ptx - 1, narrow_ptx};
  static struct agglom_module narrow = {.file = "narrow.c", .n_images = 1, .images = &image};
  enum { UNITS = 950 };
  struct ag_device *d = open_one();
  struct ag_stream *s;
  struct ag_kernel *k;
  void *p;
  struct agglom_task by_block = task, by_thread = task, by_warp = task;
  int unit[UNITS];
  by_block.module = by_thread.module = by_warp.module = &narrow;
  by_thread.map = AGGLOM_MAP_THREAD;
  by_warp.map = AGGLOM_MAP_WARP;
  assert_int_equal(d->ops->stream_create(d, &s), 0);
  assert_int_equal(d->ops->alloc(d, sizeof unit, &p), 0);
  for (int i = 0; i < UNITS; ++i)
    unit[i] = i;
  assert_int_equal(d->ops->copy_in(d, s, p, unit, sizeof unit), 0);
  struct agglom_launch l = {.units = p, .n_chains = UNITS, .n_units = UNITS};
  assert_int_equal(d->ops->kernel(d, &by_thread, &k), 0);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){4, 256}), 0);
  assert_int_equal(gpu_seen().blocks, 10);
  assert_int_equal(gpu_seen().threads, 100);
  assert_int_equal(d->ops->kernel(d, &by_block, &k), 0);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){UNITS, 256}), 0);
  assert_int_equal(gpu_seen().blocks, UNITS);
  assert_int_equal(gpu_seen().threads, 100);
  assert_int_equal(d->ops->kernel(d, &by_warp, &k), 0);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){(UNITS + 7) / 8, 256}), 0);
  assert_int_equal(gpu_seen().blocks, (UNITS + 2) / 3); /* of three warps */
  assert_int_equal(gpu_seen().threads, 96);
  assert_int_equal(d->ops->copy_out(d, s, unit, p, sizeof unit), 0);
  for (int i = 0; i < UNITS; ++i)
    assert_int_equal(unit[i], 8 * i);
  /* Nor are more asked for where it matters how many blocks are there at a time. */
  unsigned resident = d->ops->resident(d, k, 100);
  assert_true(resident > 0);
  assert_int_equal(d->ops->resident(d, k, 256), resident);
  assert_int_equal(d->ops->resident(d, k, 1024), resident);
  d->ops->close(d);
  assert_nothing_left();
}

/* The program uses the second of two GPUs itself, whose context is current. */
static ag_cu_context users_context(const struct ag_cuda_driver *cu) {
  ag_cu_context theirs;
  gpu_set("DEVICES=2");
  assert_int_equal(cu->context_retain(&theirs, 1), 0);
  assert_int_equal(cu->context_push(theirs), 0);
  return theirs;
}

static void leaves_the_users_context_alone(void **state) {
  (void)state;
  const struct ag_cuda_driver *cu = ag_cuda_loaded();
  ag_cu_context theirs = users_context(cu), now;
  const char *call;
  struct ag_device *dev[4];
  assert_int_equal(ag_devices_open("cuda:0", dev, 4), 1);
  assert_int_equal(batch(dev[0], &call), 0);
  assert_int_equal(gpu_seen().pushed, 1);
  assert_int_equal(cu->context_pop(&now), 0);
  assert_ptr_equal(now, theirs);
  dev[0]->ops->close(dev[0]);
  assert_int_equal(gpu_seen().retained, 1);
  assert_int_equal(cu->context_release(1), 0);
  assert_nothing_left();
}

/* What stands between enter() and leave() makes the context current once, and the program's is current again
 * behind it. */
static void several_calls(void **state) {
  (void)state;
  const struct ag_cuda_driver *cu = ag_cuda_loaded();
  ag_cu_context theirs = users_context(cu), now;
  const char *call;
  struct ag_device *a = open_one(), *b;
  const char *why;
  assert_int_equal(ag_cuda_open(1, &b, &why), 0);
  unsigned before = gpu_calls("cuCtxPushCurrent_v2");
  assert_int_equal(a->ops->enter(a), 0);
  assert_int_equal(batch(a, &call), 0);
  assert_int_equal(a->ops->enter(a), 0);
  assert_int_equal(batch(a, &call), 0);
  assert_int_equal(gpu_calls("cuCtxPushCurrent_v2"), before + 1);
  assert_int_equal(b->ops->enter(b), 0); /* of another device: as if it were not there */
  assert_int_equal(batch(b, &call), 0);
  assert_int_equal(b->ops->leave(b, 0), 0);
  assert_int_equal(a->ops->leave(a, 0), 0);
  assert_int_equal(gpu_seen().pushed, 2);
  assert_int_equal(batch(a, &call), 0);
  assert_int_equal(a->ops->leave(a, -ENOENT), -ENOENT);
  assert_int_equal(gpu_seen().pushed, 1);
  before = gpu_calls("cuCtxPushCurrent_v2");
  assert_int_equal(batch(a, &call), 0);
  assert_true(gpu_calls("cuCtxPushCurrent_v2") > before + 1);
  assert_int_equal(cu->context_pop(&now), 0);
  assert_ptr_equal(now, theirs);
  assert_int_equal(cu->context_release(1), 0);

  /* A device that is lost meanwhile is asked nothing more. */
  assert_int_equal(a->ops->enter(a), 0);
  capture_begin();
  make_fail("cuMemcpyHtoDAsync_v2", 1, AG_CU_ILLEGAL_ADDRESS);
  assert_int_equal(batch(a, &call), -EIO);
  before = gpu_seen().calls;
  assert_int_equal(a->ops->leave(a, -EIO), -EIO);
  assert_int_equal(a->ops->enter(a), -EIO);
  assert_int_equal(gpu_seen().calls, before);
  capture_end();
  assert_int_equal(batch(b, &call), 0); /* which this thread is not inside any more */
  assert_int_equal(gpu_seen().misuses, 0);
  a->ops->close(a);
  b->ops->close(b);
  assert_int_equal(gpu_seen().calls_after_death, 0);
}

static struct ag_cuda_driver driver; /* as it is */
static unsigned stream_flags, memory_flags, registered_flags;

static ag_cu_result create_stream(ag_cu_stream *stream, unsigned flags) {
  stream_flags = flags;
  return driver.stream_create(stream, flags);
}
static ag_cu_result alloc_on_host(void **ptr, size_t bytes, unsigned flags) {
  memory_flags = flags;
  return driver.host_alloc(ptr, bytes, flags);
}
static ag_cu_result register_on_host(void *ptr, size_t bytes, unsigned flags) {
  registered_flags = flags;
  return driver.host_register(ptr, bytes, flags);
}

/* Streams do not wait for what the program does in its own, and pinned memory is for all devices. */
static void flags(void **state) {
  (void)state;
  static char program[4096];
  struct ag_device *d = open_one();
  struct ag_cuda_driver *cu = (struct ag_cuda_driver *)(uintptr_t)ag_cuda_loaded();
  struct ag_stream *s;
  void *p;
  driver = *cu;
  cu->stream_create = create_stream;
  cu->host_alloc = alloc_on_host;
  cu->host_register = register_on_host;
  int err = d->ops->stream_create(d, &s) || d->ops->host_alloc(d, 16, &p) ||
            d->ops->host_register(d, program, sizeof program) || d->ops->host_unregister(d, program);
  *cu = driver;
  assert_int_equal(err, 0);
  assert_int_equal(stream_flags, AG_CU_STREAM_NON_BLOCKING);
  assert_int_equal(memory_flags, AG_CU_MEMHOSTALLOC_PORTABLE);
  assert_int_equal(registered_flags, AG_CU_MEMHOSTREGISTER_PORTABLE);
  d->ops->close(d);
  assert_nothing_left();
}

static void selection(void **state) {
  (void)state;
  struct ag_device *dev[8];
  capture_begin();
  assert_int_equal(ag_devices_open("cuda:5", dev, 8), 0);
  assert_non_null(strstr(capture_end(), "AGGLOM_DEVICES asks for cuda:5, but the last device is cuda:0"));
  assert_int_equal(ag_devices_open("auto", dev, 8), 1);
  dev[0]->ops->close(dev[0]);
  gpu_set("COMPUTE_MODE=%d", AG_CU_COMPUTE_MODE_PROHIBITED);
  capture_begin();
  assert_int_equal(ag_devices_open("cuda:0", dev, 8), 0);
  assert_non_null(strstr(capture_end(), "AGGLOM_DEVICES asks for cuda:0, which cannot be used"));
  gpu_set("COMPUTE_MODE=0");
  static const char *const calls[] = {"cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuMemGetInfo_v2"};
  for (int i = 0; i < 3; ++i) {
    make_fail(calls[i], 1, AG_CU_OUT_OF_MEMORY);
    capture_begin();
    assert_int_equal(ag_devices_open("cuda", dev, 8), 0);
    assert_non_null(strstr(capture_end(), "CUDA_ERROR_OUT_OF_MEMORY"));
    assert_nothing_left();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(why_there_is_none, reset), /* the first two: before the driver is loaded here */
      cmocka_unit_test_setup(warns_when_asked_for, reset),
      cmocka_unit_test_setup(describes_the_device, reset),
      cmocka_unit_test_setup(full_path, reset),
      cmocka_unit_test(full_path_late),
      cmocka_unit_test_setup(close_frees_everything, reset),
      cmocka_unit_test_setup(kernel_times, reset),
      cmocka_unit_test_setup(short_kernels, reset),
      cmocka_unit_test_setup(rows, reset),
      cmocka_unit_test_setup(times_count_from_a_sure_event, reset),
      cmocka_unit_test_setup(times_of_operations, reset),
      cmocka_unit_test_setup(threads_are_cut_to_the_kernel, reset),
      cmocka_unit_test_setup(leaves_the_users_context_alone, reset),
      cmocka_unit_test_setup(several_calls, reset),
      cmocka_unit_test_setup(flags, reset),
      cmocka_unit_test_setup(selection, reset),
  };
  if (!load_gpu("test_cuda"))
    return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
