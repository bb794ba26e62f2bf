/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests of the CUDA backend against libfake_cuda.so: the fake driver, a task, and a batch of it. */
#ifndef CUDA_BATCH_H
#define CUDA_BATCH_H

#include "capture.h"
#include "device/device.h"
#include "fake_cuda.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fake_cuda *fake;
static void (*fake_reset)(void);

/* --- A task whose kernel doubles the integers it is given ---------------------------------------------- */

static char ptx70[] = "ptx for 70", ptx90[] = "ptx for 90", cubin90[] = "cubin for 90";

static const struct agglom_image good_images[] = {{AGGLOM_IMAGE_PTX, 70, sizeof ptx70 - 1, ptx70},
                                                  {AGGLOM_IMAGE_PTX, 90, sizeof ptx90 - 1, ptx90},
                                                  {AGGLOM_IMAGE_CUBIN, 90, sizeof cubin90 - 1, cubin90}};
static struct agglom_module good_module = {.file = "good.c", .n_images = 3, .images = good_images};
static struct agglom_task task = {.name = "twice",
                                  .file = "good.c",
                                  .map = AGGLOM_MAP_BLOCK,
                                  .args_size = 4,
                                  .kernel = "twice_kernel",
                                  .module = &good_module};

static unsigned seen_blocks, seen_threads;

static inline void run_kernel(const char *name, const struct agglom_launch *l, unsigned blocks,
                              unsigned threads) {
  assert_string_equal(name, "twice_kernel");
  int *units = (int *)(uintptr_t)l->units;
  for (unsigned i = 0; i < l->n_units; ++i)
    units[i] *= 2;
  seen_blocks = blocks;
  seen_threads = threads;
}

/* --- Helpers
 * ------------------------------------------------------------------------------------------------ */

static inline int reset(void **state) {
  (void)state;
  fake_reset();
  fake->kernel = run_kernel;
  return 0;
}

static inline struct ag_device *open_one(void) {
  struct ag_device *dev[4];
  assert_int_equal(ag_devices_open("cuda", dev, 4), 1);
  return dev[0];
}

static inline void assert_nothing_left(void) {
  assert_int_equal(fake->live_contexts, 0);
  assert_int_equal(fake->live_memory, 0);
  assert_int_equal(fake->live_host_memory, 0);
  assert_int_equal(fake->live_registered, 0);
  assert_int_equal(fake->live_streams, 0);
  assert_int_equal(fake->live_events, 0);
  assert_int_equal(fake->live_modules, 0);
  assert_int_equal(fake->live_links, 0);
  assert_int_equal(fake->stack_depth, 0);
  assert_int_equal(fake->calls_without_context, 0);
  assert_int_equal(fake->calls_after_death, 0);
}

static inline void make_fail(const char *call, int nth, int result) {
  fake->fail_call = call;
  fake->fail_nth = nth;
  fake->fail_result = result;
}

/* One batch of four integers; the first error of its calls, with *call saying which. */
static inline int batch(struct ag_device *d, const char **call) {
  int in[4] = {1, 2, 3, 4}, out[4] = {0};
  void *p = NULL;
  struct ag_stream *s = NULL;
  struct ag_kernel *k = NULL;
  int err;
#define TRY(CALL)                                                                                            \
  *call = #CALL;                                                                                             \
  if ((err = d->ops->CALL))                                                                                  \
    goto out;
  TRY(stream_create(d, &s))
  TRY(alloc(d, sizeof in, &p))
  TRY(copy_in(d, s, p, in, sizeof in))
  TRY(kernel(d, &task, task.map, &k))
  struct agglom_launch l = {.units = p, .n_chains = 4, .n_units = 4};
  TRY(launch(d, s, k, &l, (struct ag_grid){4, 64}))
  TRY(copy_out(d, s, out, p, sizeof out))
  TRY(mark(d, s))
  *call = "finished";
  while ((err = d->ops->finished(d, s)) == -EAGAIN)
    ;
  if (err)
    goto out;
  for (int i = 0; i < 4; ++i)
    assert_int_equal(out[i], 2 * in[i]);
  TRY(free(d, p))
  p = NULL;
#undef TRY
  *call = "";
out:
  if (p)
    d->ops->free(d, p);
  if (s)
    d->ops->stream_destroy(d, s);
  return err;
}

/* Loads the fake driver for all that follows; false after a message. */
static inline bool load_fake(const char *who) {
  void *library = dlopen(FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s: %s\n", who, dlerror());
    return false;
  }
  struct fake_cuda *(*state)(void);
  *(void **)&state = dlsym(library, "fake_cuda_state");
  *(void **)&fake_reset = dlsym(library, "fake_cuda_reset");
  fake = state();
  setenv("AGGLOM_CUDA_LIBRARY", FAKE_CUDA_LIBRARY, 1);
  return true;
}

#endif /* CUDA_BATCH_H */
