/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CUDA backend on the GPU in software: which image of a module is loaded, modules that use functions of
 * others, and the stack of recursive kernels. */
#include "cuda_batch.h"
#include "device/cuda.h"
#include "device/cuda_driver.h"
#include "device/cuda_image.h"

/* --- A module whose images are not all good ------------------------------------------------------------- */

static char cubin90[] = "\177ELF";
static char bad90[] =
    PTX_FOR("90") ".visible .entry twice_kernel()\n{\n  .reg .b32 %x;\n  halve.u32 %x, %x;\n}\n";
static const struct agglom_image bad_images[] = {{AGGLOM_IMAGE_CUBIN, 90, sizeof cubin90 - 1, cubin90},
                                                 {AGGLOM_IMAGE_PTX, 90, sizeof bad90 - 1, bad90},
                                                 {AGGLOM_IMAGE_PTX, 70, sizeof ptx70 - 1, ptx70}};
static struct agglom_module bad_module = {.file = "bad.c", .n_images = 3, .images = bad_images};

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

/* Machine code is what the driver's linker makes. It is taken first, and alone. */
static void machine_code_first(void **state) {
  (void)state;
  static char ptx[] = PTX_FOR("90") TWICE_PTX("twice_kernel", "640", "");
  struct agglom_image list[3] = {good_images[0], good_images[1], {AGGLOM_IMAGE_CUBIN, 90, 0, NULL}};
  struct agglom_module module = {.file = "good.c", .n_images = 3, .images = list};
  struct agglom_task t = task;
  struct ag_device *d = open_one();
  struct cuda *c = cuda_of(d);
  struct ag_kernel *k;
  ag_cu_link link;
  void *code;
  size_t bytes;
  assert_int_equal(ag_cuda_enter(c), 0);
  assert_int_equal(c->cu->link_create(0, NULL, NULL, &link), 0);
  assert_int_equal(c->cu->link_add(link, AG_CU_JIT_INPUT_PTX, ptx, sizeof ptx, "good", 0, NULL, NULL), 0);
  assert_int_equal(c->cu->link_complete(link, &code, &bytes), 0);
  list[2].data = code;
  list[2].size = bytes;
  t.module = &module;
  assert_int_equal(d->ops->kernel(d, &t, &k), 0);
  assert_int_equal(k->max_threads, 640);
  assert_int_equal(gpu_calls("cuModuleLoadDataEx"), 1);
  assert_int_equal(c->cu->link_destroy(link), 0);
  assert_int_equal(ag_cuda_leave(c, 0), 0);
  d->ops->close(d);
  assert_nothing_left();
}

static void image_that_does_not_load(void **state) {
  (void)state;
  struct ag_device *d = open_one();
  struct agglom_task t = task, u = task, v = task, w = task, x = task; /* kernels are known by their tasks */
  struct ag_kernel *k;
  t.module = &bad_module;
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &t, &k), 0); /* the third image is good */
  const char *said = capture_end();
  assert_non_null(
      strstr(said, "bad.c: the machine code for sm_90 does not load on cuda:0 (GPU in software)"));
  assert_non_null(strstr(said, "bad.c: the PTX for sm_90 does not load"));
  assert_int_equal(occurrences(said, "line 7: error: "), 1);
  assert_non_null(strstr(said, "'halve.u32'"));
  assert_int_equal(k->max_threads, 512);
  assert_non_null(strstr(said, "; the PTX for sm_70 is taken, here and, without a word, for other files"));
  /* As it says. */
  const struct agglom_image two[] = {bad_images[1], bad_images[2]};
  struct agglom_module another = {.file = "another.c", .n_images = 2, .images = two};
  x.module = &another;
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &x, &k), 0);
  assert_string_equal(capture_end(), "");
  /* All images bad: said once, remembered. */
  struct agglom_module worse = {.file = "worse.c", .n_images = 1, .images = bad_images};
  u.module = &worse;
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &u, &k), -EIO);
  assert_int_equal(d->ops->kernel(d, &u, &k), -EIO);
  assert_int_equal(occurrences(capture_end(), "does not load"), 1);
  /* None fits. */
  struct agglom_module none = {.file = "none.c", .n_images = 0};
  v.module = &none;
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &v, &k), -ENOENT);
  assert_non_null(
      strstr(capture_end(), "none.c: no device code in it runs on cuda:0 (GPU in software, sm_90)"));
  v.module = NULL;
  assert_int_equal(d->ops->kernel(d, &v, &k), -ENOENT);
  w.kernel = "missing_kernel";
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &w, &k), -EIO);
  assert_non_null(strstr(capture_end(), "CUDA_ERROR_NOT_FOUND (not found)"));
  d->ops->close(d);
  assert_nothing_left();
}

/* A function of int, and its declaration. */
#define FUNCTION(NAME) ".func (.param .b32 r) " NAME "(.param .b32 x)"
#define DECLARED(NAME) ".extern " FUNCTION(NAME) ";\n"
/* y = NAME(y) */
#define APPLY(NAME)                                                                                          \
  "{\n  .param .b32 a;\n  st.param.b32 [a], %y;\n  .param .b32 b;\n  call.uni (b), " NAME                    \
  ", (a);\n  ld.param.b32 %y, [b];\n  }\n"
#define DEFINED(NAME, WORK)                                                                                  \
  ".visible " FUNCTION(NAME) "\n{\n  .reg .b32 %y;\n  ld.param.b32 %y, [x];\n  " WORK                        \
                             "\n  st.param.b32 [r], %y;\n  ret;\n}\n"

/* A module that uses another's functions, which uses a third's, which uses the first's. */
static void linked_modules(void **state) {
  (void)state;
  static char first_ptx[] = PTX_FOR("90") DECLARED("g") DECLARED("h") DEFINED("f", "mul.lo.u32 %y, %y, 7;")
      KERNEL_PTX("twice_kernel", "1024", "", APPLY("g") APPLY("h")),
              older_ptx[] = PTX_FOR("70") TWICE_PTX("twice_kernel", "512", ""),
              second_ptx[] = PTX_FOR("75") DECLARED("h") DEFINED("g", "add.u32 %y, %y, 3;\n  " APPLY("h")),
              third_ptx[] = PTX_FOR("75") DECLARED("f") DEFINED("h", "add.u32 %y, %y, 5;\n  " APPLY("f")),
              broken_ptx[] = PTX_FOR("75") DEFINED("other", "");
  static const struct agglom_image first_images[] = {{AGGLOM_IMAGE_PTX, 70, sizeof older_ptx - 1, older_ptx},
                                                     {AGGLOM_IMAGE_PTX, 90, sizeof first_ptx - 1, first_ptx},
                                                     {AGGLOM_IMAGE_CUBIN, 90, sizeof cubin90 - 1, cubin90}};
  static const struct agglom_image second_images[] = {
      {AGGLOM_IMAGE_PTX, 75, sizeof second_ptx - 1, second_ptx}};
  static struct agglom_image third_images[] = {{AGGLOM_IMAGE_PTX, 75, sizeof third_ptx - 1, third_ptx}};
  static struct agglom_module first, second, third;
  static const struct agglom_export of_first = {"f", &first}, of_second = {"g", &second},
                                    of_third = {"h", &third};
  static const struct agglom_export *const first_uses[] = {&of_second, &of_third, &of_second};
  static const struct agglom_export *const second_uses[] = {&of_third};
  static const struct agglom_export *const third_uses[] = {&of_first};
#define MODULE(NAME, IMAGES)                                                                                 \
  NAME = (struct agglom_module){.abi_version = AGGLOM_ABI_VERSION,                                           \
                                .file = #NAME ".c",                                                          \
                                .n_images = IMAGES,                                                          \
                                .images = NAME##_images,                                                     \
                                .n_imports = sizeof NAME##_uses / sizeof NAME##_uses[0],                     \
                                .imports = NAME##_uses}
  MODULE(first, 3);
  MODULE(second, 1);
  MODULE(third, 1);
#undef MODULE
  struct agglom_task user = task;
  user.module = &first;
  struct ag_kernel *k;
  struct ag_stream *s;
  int unit = 1;
  void *p;
  struct ag_device *d = open_one();
  assert_int_equal(d->ops->kernel(d, &user, &k), 0);
  assert_int_equal(gpu_calls("cuModuleLoadDataEx"), 1);
  assert_int_equal(gpu_calls("cuLinkAddData_v2"), 3); /* each once */
  assert_int_equal(d->ops->stream_create(d, &s), 0);
  assert_int_equal(d->ops->alloc(d, sizeof unit, &p), 0);
  assert_int_equal(d->ops->copy_in(d, s, p, &unit, sizeof unit), 0);
  struct agglom_launch l = {.units = p, .n_chains = 1, .n_units = 1};
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){1, 1}), 0);
  assert_int_equal(d->ops->copy_out(d, s, &unit, p, sizeof unit), 0);
  assert_int_equal(unit, ((1 + 3 + 5) * 7 + 5) * 7);
  d->ops->close(d);
  assert_nothing_left();

  /* One that does not link: its units run elsewhere, and the driver's words are passed on. */
  third_images[0].data = broken_ptx;
  third_images[0].size = sizeof broken_ptx - 1;
  d = open_one();
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &user, &k), -EIO);
  const char *said = capture_end();
  assert_non_null(
      strstr(said, "first.c: its device code does not link with that of the files it uses on cuda:0"));
  assert_non_null(strstr(said, "'h'"));
  d->ops->close(d);
  assert_nothing_left();

  /* One without code for this device, or of another version of agglomcc. */
  third_images[0].arch = 120;
  d = open_one();
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &user, &k), -ENOENT);
  assert_non_null(
      strstr(capture_end(), "first.c: it uses device code of third.c, which has none for cuda:0"));
  d->ops->close(d);
  assert_nothing_left();
}

static void forget_a_module(void **state) {
  (void)state;
  struct ag_device *d = open_one();
  struct ag_kernel *k;
  assert_int_equal(d->ops->kernel(d, &task, &k), 0);
  assert_int_equal(gpu_seen().modules, 1);
  d->ops->forget(d, &good_module);
  assert_int_equal(gpu_seen().modules, 0);
  assert_int_equal(d->ops->kernel(d, &task, &k), 0);
  assert_int_equal(gpu_calls("cuModuleLoadDataEx"), 2);
  d->ops->close(d);
  assert_nothing_left();
}

static size_t stack_of(struct ag_device *d) {
  struct cuda *c = cuda_of(d);
  size_t bytes = 0;
  assert_int_equal(ag_cuda_enter(c), 0);
  assert_int_equal(c->cu->limit_get(&bytes, AG_CU_LIMIT_STACK_SIZE), 0);
  assert_int_equal(ag_cuda_leave(c, 0), 0);
  return bytes;
}

static void recursive_kernels_get_their_stack(void **state) {
  (void)state;
  static char ptx[] = PTX_FOR("70") TWICE_PTX("recursive", "100", ".local .align 8 .b8 own[80];\n")
      TWICE_PTX("deeper", "100", ".local .align 8 .b8 own[600000];\n");
  static const struct agglom_image image = {AGGLOM_IMAGE_PTX, 70, sizeof ptx - 1, ptx};
  static struct agglom_module deep = {.file = "deep.c", .n_images = 1, .images = &image};
  struct ag_device *d = open_one();
  struct cuda *c = cuda_of(d);
  struct ag_kernel *k;
  struct agglom_task recursive = task, other = task, deeper = task;
  char said[100];
  int own = 0;
  recursive.module = deeper.module = other.module = &deep;
  recursive.flags |= AGGLOM_TASK_RECURSES;
  deeper.flags |= AGGLOM_TASK_RECURSES;
  recursive.kernel = other.kernel = "recursive";
  deeper.kernel = "deeper";
  assert_int_equal(d->ops->kernel(d, &other, &k), 0);
  assert_int_equal(stack_of(d), 1024);
  assert_int_equal(ag_cuda_enter(c), 0);
  assert_int_equal(c->cu->function_attribute(&own, AG_CU_FUNC_LOCAL_SIZE_BYTES, k->function), 0);
  assert_true(own >= 80);
  const size_t wanted = ((size_t)AGGLOM_STACK_BYTES + AGGLOM_STACK_RESERVE + (size_t)own + 15) / 16 * 16;
  assert_int_equal(d->ops->kernel(d, &recursive, &k), 0);
  assert_int_equal(stack_of(d), wanted);
  c->cu->limit_set(AG_CU_LIMIT_STACK_SIZE, wanted + 1600); /* the program's own wish is not lowered */
  struct agglom_task again = recursive;
  assert_int_equal(d->ops->kernel(d, &again, &k), 0);
  assert_int_equal(stack_of(d), wanted + 1600);
  assert_int_equal(ag_cuda_leave(c, 0), 0);
  capture_begin();
  assert_int_equal(d->ops->kernel(d, &deeper, &k), -ENOSPC);
  snprintf(said, sizeof said, "is recursive and needs %d bytes of stack for each thread of cuda:0",
           AGGLOM_STACK_BYTES + AGGLOM_STACK_RESERVE + own - 80 + 600000);
  assert_non_null(strstr(capture_end(), said));
  assert_int_equal(stack_of(d), 512 << 10);
  d->ops->close(d);
  assert_nothing_left();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(images),
      cmocka_unit_test_setup(machine_code_first, reset),
      cmocka_unit_test_setup(image_that_does_not_load, reset),
      cmocka_unit_test_setup(linked_modules, reset),
      cmocka_unit_test_setup(forget_a_module, reset),
      cmocka_unit_test_setup(recursive_kernels_get_their_stack, reset),
  };
  if (!load_gpu("test_cuda_code"))
    return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
