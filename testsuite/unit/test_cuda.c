/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CUDA backend against libfake_cuda.so: finding devices, the whole path, images, and that nothing is left
 * over. Needs no GPU. test_cuda_faults.c lets calls fail. */
#include "cuda_batch.h"
#include "device/cuda_driver.h"
#include "device/cuda_image.h"
#include "sys/clock.h"

#include <sys/wait.h>
#include <unistd.h>

/* --- A module whose images are not all good ------------------------------------------------------------- */

static char bad90[] = "bad cubin";
static const struct agglom_image bad_images[] = {{AGGLOM_IMAGE_CUBIN, 90, sizeof bad90 - 1, bad90},
                                                 {AGGLOM_IMAGE_PTX, 90, sizeof bad90 - 1, bad90},
                                                 {AGGLOM_IMAGE_PTX, 70, sizeof ptx70 - 1, ptx70}};
static struct agglom_module bad_module = {.file = "bad.c", .n_images = 3, .images = bad_images};

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
static void old_driver(void) { fake->version = 10020; }
static void no_device(void) { fake->init_result = AG_CU_NO_DEVICE; }
static void zero_devices(void) { fake->n_devices = 0; }
static void broken_driver(void) { fake->init_result = AG_CU_SYSTEM_DRIVER_MISMATCH; }
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
  assert_non_null(strstr(said, "does not start: CUDA_ERROR_FAKE (error number 803)"));
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
  fake->minor = 2;
  struct ag_device *d = open_one();
  assert_string_equal(d->info.kind, "cuda");
  assert_string_equal(d->info.name, "Fake GPU 0");
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
  for (int i = 0; i < 3; ++i) {
    fake->not_ready = i;
    assert_int_equal(batch(d, &call), 0);
  }
  assert_int_equal(fake->loads, 1);
  assert_string_equal(fake->last_image, "cubin for 90");
  assert_int_equal(fake->launches, 3);
  assert_int_equal(seen_blocks, 4);
  assert_int_equal(seen_threads, 64);
  d->ops->close(d);
  assert_nothing_left();
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
  assert_int_equal(d->ops->kernel(d, &task, task.map, &k), 0);
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
  assert_int_equal(d->ops->kernel(d, &task, task.map, &k), 0);
  assert_int_equal(d->ops->copy_in(d, s, p, &unit, 4), 0);
  struct agglom_launch l = {.units = p, .n_chains = 1, .n_units = 1};
  assert_int_equal(d->ops->finished(d, s), 0); /* nothing marked */
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0);
  assert_int_equal(d->ops->mark(d, s), 0);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0); /* belongs to the next mark */
  assert_int_equal(d->ops->finished(d, s), 0);
  assert_true(d->ops->kernel_ns(d, s) > 0);
  int events = fake->live_events;
  for (int i = 0; i < 10; ++i) {
    assert_int_equal(d->ops->mark(d, s), 0);
    assert_int_equal(d->ops->finished(d, s), 0);
    assert_true(i ? d->ops->kernel_ns(d, s) == 0 : d->ops->kernel_ns(d, s) > 0);
    assert_int_equal(fake->live_events, events); /* events are used again */
  }
  d->ops->close(d);
  assert_nothing_left();
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
  int calls = fake->row_copies;
  assert_int_equal(d->ops->rows_in(d, s, p, here, &r), 0);
  assert_int_equal(d->ops->copy_out(d, s, there, p, sizeof there), 0);
  for (int i = 0; i < ROWS * THERE; ++i)
    assert_int_equal(there[i], i % THERE < BYTES ? here[i / THERE * HERE + i % THERE] : 0);
  assert_int_equal(d->ops->rows_out(d, s, back, p, &r), 0);
  for (int i = 0; i < ROWS * HERE; ++i)
    assert_int_equal(back[i], i % HERE < BYTES ? here[i] : 0);
  assert_int_equal(fake->row_copies, calls + 2);
  r.device_pitch = 1000; /* beyond what was allocated */
  capture_begin();
  assert_true(d->ops->rows_in(d, s, p, here, &r) < 0);
  assert_true(d->ops->rows_out(d, s, back, p, &r) < 0);
  capture_end();
  d->ops->close(d);
  assert_nothing_left();
}

/* A timed device says when it did what, by our clock. */
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
  assert_int_equal(d->ops->kernel(d, &task, task.map, &k), 0);
  struct agglom_launch l = {.units = p, .n_chains = 1, .n_units = 1};
  int events = 0;
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
    uint64_t end = ag_clock_ns();
    assert_int_equal(d->ops->finished(d, s), 0);
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
      events = fake->live_events;
    assert_true(round < 2 || fake->live_events == events); /* they are used again */
  }
  d->ops->close(d);
  assert_nothing_left();
}

static void threads_are_cut_to_the_kernel(void **state) {
  (void)state;
  fake->kernel_max_threads = 100;
  struct ag_device *d = open_one();
  struct ag_stream *s;
  struct ag_kernel *k;
  void *p;
  struct agglom_task by_thread = task;
  by_thread.map = AGGLOM_MAP_THREAD;
  assert_int_equal(d->ops->stream_create(d, &s), 0);
  assert_int_equal(d->ops->alloc(d, 4 * 1000, &p), 0);
  assert_int_equal(d->ops->fill(d, s, p, 0, 4 * 1000), 0);
  struct agglom_launch l = {.units = p, .n_chains = 950, .n_units = 950};
  assert_int_equal(d->ops->kernel(d, &by_thread, by_thread.map, &k), 0);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){4, 256}), 0);
  assert_int_equal(seen_blocks, 10);
  assert_int_equal(seen_threads, 100);
  assert_int_equal(d->ops->kernel(d, &task, task.map, &k), 0);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){950, 256}), 0);
  assert_int_equal(seen_blocks, 950);
  assert_int_equal(seen_threads, 100);
  d->ops->close(d);
  assert_nothing_left();
}

static void recursive_kernels_get_their_stack(void **state) {
  (void)state;
  const size_t counted = (size_t)AGGLOM_STACK_BYTES + AGGLOM_STACK_RESERVE;
  struct ag_device *d = open_one();
  struct ag_kernel *k;
  struct agglom_task recursive = task, other = task, deeper = task;
  recursive.flags |= AGGLOM_TASK_RECURSES;
  deeper.flags |= AGGLOM_TASK_RECURSES;
  assert_int_equal(d->ops->kernel(d, &other, other.map, &k), 0);
  assert_int_equal(fake->stack_bytes, 1024);
  fake->kernel_local_bytes = 80; /* of the kernel itself */
  assert_int_equal(d->ops->kernel(d, &recursive, recursive.map, &k), 0);
  assert_int_equal(fake->stack_bytes, counted + 80);
  fake->stack_bytes = counted + 1000; /* the program's own wish is not lowered */
  struct agglom_task again = recursive;
  assert_int_equal(d->ops->kernel(d, &again, again.map, &k), 0);
  assert_int_equal(fake->stack_bytes, counted + 1000);
  fake->kernel_local_bytes = 100000;
  fake->most_stack_bytes = 100000;
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &deeper, deeper.map, &k), -ENOSPC);
  assert_non_null(
      strstr(capture_end(), "is recursive and needs 116384 bytes of stack for each thread of cuda:0"));
  d->ops->close(d);
  assert_nothing_left();
}

static void leaves_the_users_context_alone(void **state) {
  (void)state;
  void *self = dlopen(FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ag_cu_result (*retain)(ag_cu_context *, ag_cu_device), (*push)(ag_cu_context), (*pop)(ag_cu_context *);
  *(void **)&retain = dlsym(self, "cuDevicePrimaryCtxRetain");
  *(void **)&push = dlsym(self, "cuCtxPushCurrent_v2");
  *(void **)&pop = dlsym(self, "cuCtxPopCurrent_v2");
  ag_cu_context theirs, now;
  const char *call;
  fake->n_devices = 2;
  assert_int_equal(retain(&theirs, 1), 0);
  assert_int_equal(push(theirs), 0);
  struct ag_device *dev[4];
  assert_int_equal(ag_devices_open("cuda:0", dev, 4), 1);
  assert_int_equal(batch(dev[0], &call), 0);
  assert_int_equal(fake->stack_depth, 1);
  assert_int_equal(pop(&now), 0);
  assert_ptr_equal(now, theirs);
  dev[0]->ops->close(dev[0]);
  dlclose(self);
}

static void images(void **state) {
  (void)state;
  static const struct agglom_image list[] = {{AGGLOM_IMAGE_PTX, 70, 0, ""},   {AGGLOM_IMAGE_CUBIN, 90, 0, ""},
                                             {AGGLOM_IMAGE_CUBIN, 86, 0, ""}, {AGGLOM_IMAGE_PTX, 90, 0, ""},
                                             {AGGLOM_IMAGE_CUBIN, 80, 0, ""}, {AGGLOM_IMAGE_PTX, 90, 0, ""},
                                             {AGGLOM_IMAGE_CUBIN, 100, 0, ""}};
  struct agglom_module m = {.n_images = 7, .images = list};
  static const struct {
    int capability, order[5];
  } expected[] = {{90, {1, 3, 5, 0, -1}},  {89, {2, 4, 0, -1}},  {80, {4, 0, -1}},
                  {100, {6, 3, 5, 0, -1}}, {120, {3, 5, 0, -1}}, {60, {-1}}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i)
    for (int n = 0, at = -1; n == 0 || at >= 0; ++n) {
      at = ag_cuda_next_image(&m, expected[i].capability, at);
      assert_int_equal(at, expected[i].order[n]);
    }
}

static void image_that_does_not_load(void **state) {
  (void)state;
  struct ag_device *d = open_one();
  struct agglom_task t = task, u = task, v = task, w = task, x = task; /* kernels are known by their tasks */
  struct ag_kernel *k;
  t.module = &bad_module;
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &t, t.map, &k), 0); /* the third image is good */
  const char *said = capture_end();
  assert_non_null(strstr(said, "bad.c: the machine code for sm_90 does not load on cuda:0 (Fake GPU 0)"));
  assert_non_null(strstr(said, "bad.c: the PTX for sm_90 does not load"));
  assert_int_equal(occurrences(said, "ptxas: line 7: no such instruction"), 1);
  assert_string_equal(fake->last_image, "ptx for 70");
  assert_non_null(strstr(said, "; the PTX for sm_70 is taken, here and, without a word, for other files"));
  /* As it says. */
  const struct agglom_image two[] = {bad_images[0], bad_images[2]};
  struct agglom_module another = {.file = "another.c", .n_images = 2, .images = two};
  x.module = &another;
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &x, x.map, &k), 0);
  assert_string_equal(capture_end(), "");
  /* All images bad: said once, remembered. */
  struct agglom_module worse = {.file = "worse.c", .n_images = 1, .images = bad_images};
  u.module = &worse;
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &u, u.map, &k), -EIO);
  assert_int_equal(d->ops->kernel(d, &u, u.map, &k), -EIO);
  assert_int_equal(occurrences(capture_end(), "does not load"), 1);
  /* None fits. */
  fake->major = 5;
  struct agglom_module none = {.file = "none.c", .n_images = 0};
  v.module = &none;
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &v, v.map, &k), -ENOENT);
  assert_non_null(strstr(capture_end(), "none.c: no device code in it runs on cuda:0 (Fake GPU 0, sm_90)"));
  v.module = NULL;
  assert_int_equal(d->ops->kernel(d, &v, v.map, &k), -ENOENT);
  w.kernel = "missing_kernel";
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &w, w.map, &k), -EIO);
  assert_non_null(strstr(capture_end(), "error number 500"));
  d->ops->close(d);
  assert_nothing_left();
}

/* A module that uses another's functions, which uses a third's, which uses the first's. */
static void linked_modules(void **state) {
  (void)state;
  static char second_ptx[] = "second", third_ptx[] = "third", broken_ptx[] = "bad";
  static const struct agglom_image second_images[] = {
      {AGGLOM_IMAGE_PTX, 75, sizeof second_ptx - 1, second_ptx}};
  static struct agglom_image third_images[] = {{AGGLOM_IMAGE_PTX, 75, sizeof third_ptx - 1, third_ptx}};
  static struct agglom_module first, second, third;
  static const struct agglom_export of_first = {"f", &first}, of_second = {"g", &second},
                                    of_third = {"h", &third};
  static const struct agglom_export *const first_uses[] = {&of_second, &of_third, &of_second};
  static const struct agglom_export *const second_uses[] = {&of_third};
  static const struct agglom_export *const third_uses[] = {&of_first};
  first = (struct agglom_module){.abi_version = AGGLOM_ABI_VERSION,
                                 .file = "first.c",
                                 .n_images = 3,
                                 .images = good_images,
                                 .n_imports = 3,
                                 .imports = first_uses};
  second = (struct agglom_module){.abi_version = AGGLOM_ABI_VERSION,
                                  .file = "second.c",
                                  .n_images = 1,
                                  .images = second_images,
                                  .n_imports = 1,
                                  .imports = second_uses};
  third = (struct agglom_module){.abi_version = AGGLOM_ABI_VERSION,
                                 .file = "third.c",
                                 .n_images = 1,
                                 .images = third_images,
                                 .n_imports = 1,
                                 .imports = third_uses};
  struct agglom_task user = task;
  user.module = &first;
  struct ag_kernel *k;
  struct ag_device *d = open_one();
  assert_int_equal(d->ops->kernel(d, &user, user.map, &k), 0);
  assert_string_equal(fake->last_image, "ptx for 90+second+third");
  assert_int_equal(fake->loads, 1);
  d->ops->close(d);
  assert_nothing_left();

  /* One that does not link: its units run elsewhere, and the driver's words are passed on. */
  third_images[0].data = broken_ptx;
  third_images[0].size = sizeof broken_ptx - 1;
  d = open_one();
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &user, user.map, &k), -EIO);
  const char *said = capture_end();
  assert_non_null(
      strstr(said, "first.c: its device code does not link with that of the files it uses on cuda:0"));
  assert_non_null(strstr(said, "undefined reference to 'helper'"));
  d->ops->close(d);
  assert_nothing_left();

  /* One without code for this device, or of another version of agglomcc. */
  third_images[0].arch = 120;
  d = open_one();
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &user, user.map, &k), -ENOENT);
  assert_non_null(
      strstr(capture_end(), "first.c: it uses device code of third.c, which has none for cuda:0"));
  d->ops->close(d);
  assert_nothing_left();
}

static void forget_a_module(void **state) {
  (void)state;
  struct ag_device *d = open_one();
  struct ag_kernel *k;
  assert_int_equal(d->ops->kernel(d, &task, task.map, &k), 0);
  assert_int_equal(fake->live_modules, 1);
  d->ops->forget(d, &good_module);
  assert_int_equal(fake->live_modules, 0);
  assert_int_equal(d->ops->kernel(d, &task, task.map, &k), 0);
  assert_int_equal(fake->loads, 2);
  d->ops->close(d);
  assert_nothing_left();
}

static void selection(void **state) {
  (void)state;
  struct ag_device *dev[8];
  fake->n_devices = 1; /* as at the first look, which is remembered */
  capture_begin();
  assert_int_equal(ag_devices_open("cuda:5", dev, 8), 0);
  assert_non_null(strstr(capture_end(), "AGGLOM_DEVICES asks for cuda:5, but the last device is cuda:0"));
  assert_int_equal(ag_devices_open("auto", dev, 8), 1);
  dev[0]->ops->close(dev[0]);
  fake->compute_mode = AG_CU_COMPUTE_MODE_PROHIBITED;
  capture_begin();
  assert_int_equal(ag_devices_open("cuda:0", dev, 8), 0);
  assert_non_null(strstr(capture_end(), "AGGLOM_DEVICES asks for cuda:0, which cannot be used"));
  fake->compute_mode = 0;
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
      cmocka_unit_test_setup(close_frees_everything, reset),
      cmocka_unit_test_setup(kernel_times, reset),
      cmocka_unit_test_setup(rows, reset),
      cmocka_unit_test_setup(times_of_operations, reset),
      cmocka_unit_test_setup(threads_are_cut_to_the_kernel, reset),
      cmocka_unit_test_setup(recursive_kernels_get_their_stack, reset),
      cmocka_unit_test_setup(leaves_the_users_context_alone, reset),
      cmocka_unit_test(images),
      cmocka_unit_test_setup(image_that_does_not_load, reset),
      cmocka_unit_test_setup(linked_modules, reset),
      cmocka_unit_test_setup(forget_a_module, reset),
      cmocka_unit_test_setup(selection, reset),
  };
  if (!load_fake("test_cuda"))
    return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
