/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests of the CUDA backend on the GPU in software: a task, and a batch of it. */
#ifndef CUDA_BATCH_H
#define CUDA_BATCH_H

#include "capture.h"
#include "device/device.h"
#include "gpu_in_software.h"

#include <errno.h>
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* --- A task whose kernel doubles the integers it is given ---------------------------------------------- */

/* What is in them: see agglom/launch.h. */
#define LAUNCH_PARAMETER ".param .align 8 .b8 launch[80]"
_Static_assert(sizeof(struct agglom_launch) == 80 && offsetof(struct agglom_launch, n_units) == 72, "launch");

#define PTX_FOR(ARCH) ".version 7.0\n.target sm_" ARCH "\n.address_size 64\n"

/* A kernel that does something with each unit, %y: any number of threads is right. */
#define KERNEL_PTX(NAME, MOST_THREADS, VARIABLES, WORK)                                                      \
  ".visible .entry " NAME "(" LAUNCH_PARAMETER ")\n.maxntid " MOST_THREADS ", 1, 1\n{\n" VARIABLES           \
  "  .reg .pred %p;\n  .reg .b32 %i, %n, %x, %y;\n  .reg .b64 %units, %at;\n"                                \
  "  ld.param.u64 %units, [launch];\n  ld.param.u32 %n, [launch+72];\n"                                      \
  "  mov.u32 %i, %ctaid.x;\n  mov.u32 %x, %ntid.x;\n  mov.u32 %y, %tid.x;\n"                                 \
  "  mad.lo.u32 %i, %i, %x, %y;\n  mov.u32 %y, %nctaid.x;\n  mul.lo.u32 %x, %x, %y;\n"                       \
  "next:\n  setp.ge.u32 %p, %i, %n;\n  @%p ret;\n  mad.wide.u32 %at, %i, 4, %units;\n"                       \
  "  ld.global.u32 %y, [%at];\n  " WORK "\n  st.global.u32 [%at], %y;\n  add.u32 %i, %i, %x;\n"              \
  "  bra next;\n}\n"
#define TWICE_PTX(NAME, MOST_THREADS, VARIABLES)                                                             \
  KERNEL_PTX(NAME, MOST_THREADS, VARIABLES, "add.u32 %y, %y, %y;")

/* The images are told apart by the threads that a block of theirs may have. */
static char ptx70[] = PTX_FOR("70") TWICE_PTX("twice_kernel", "512", "");
static char ptx90[] = PTX_FOR("90") TWICE_PTX("twice_kernel", "1024", "");

static const struct agglom_image good_images[] = {{AGGLOM_IMAGE_PTX, 70, sizeof ptx70 - 1, ptx70},
                                                  {AGGLOM_IMAGE_PTX, 90, sizeof ptx90 - 1, ptx90}};
static struct agglom_module good_module = {.file = "good.c", .n_images = 2, .images = good_images};
static struct agglom_task task = {.name = "twice",
                                  .file = "good.c",
                                  .map = AGGLOM_MAP_BLOCK,
                                  .args_size = 4,
                                  .kernel = "twice_kernel",
                                  .module = &good_module};

/* --- Helpers
 * ------------------------------------------------------------------------------------------------ */

static inline int reset(void **state) {
  (void)state;
  gpu_reset("EAGER=1 MEMORY=64M CAPABILITY=90 AT_ONCE=65536 MULTIPROCESSORS=132");
  return 0;
}

static inline struct ag_device *open_one(void) {
  struct ag_device *dev[4];
  assert_int_equal(ag_devices_open("cuda", dev, 4), 1);
  return dev[0];
}

static inline void assert_only_misused(unsigned misuses) {
  struct gpu_in_software_counts seen = gpu_seen();
  assert_int_equal(seen.retained, 0); /* so that there is no context, and nothing in it; */
  assert_int_equal(seen.left_behind, 0);
  assert_int_equal(seen.pushed, 0);
  assert_int_equal(seen.misuses, misuses);
  assert_int_equal(seen.calls_after_death, 0);
}
static inline void assert_nothing_left(void) { assert_only_misused(0); }

static inline void make_fail(const char *call, int nth, int result) {
  gpu_set("FAULT=%s:%d:%d", call, nth, result);
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
  TRY(kernel(d, &task, &k))
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

#endif /* CUDA_BATCH_H */
