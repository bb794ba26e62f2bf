/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CUDA backend on the GPU in software: each failure, and that nothing is called after a sticky error.
 * Needs no GPU. */
#include "cuda_batch.h"
#include "device/cuda_driver.h"

static void out_of_memory(void **state) {
  (void)state;
  struct ag_device *d = open_one();
  void *p;
  const char *call;
  capture_begin();
  assert_int_equal(d->ops->alloc(d, (size_t)65 << 20, &p), -ENOMEM);
  make_fail("cuLaunchKernel", 1, AG_CU_OUT_OF_MEMORY);
  assert_int_equal(batch(d, &call), -ENOMEM);
  assert_int_equal(batch(d, &call), 0);
  assert_string_equal(capture_end(), ""); /* the caller's business */
  assert_int_equal(d->health, AG_DEVICE_OK);
  d->ops->close(d);
  assert_nothing_left();
}

/* The nth call of this sort fails so. timed: with the calls that measure when a device does what. */
static void fail_once(const char *name, int nth, int result, bool timed) {
  const char *call;
  reset(NULL);
  struct ag_device *d = open_one();
  d->timed = timed;
  make_fail(name, nth, result);
  capture_begin();
  int err = batch(d, &call);
  bool happened = gpu_seen().went_wrong;
  bool lost = d->health == AG_DEVICE_QUARANTINED;
  unsigned before = gpu_seen().calls;
  if (lost) {
    assert_int_equal(batch(d, &call), -EIO);
    assert_int_equal(gpu_seen().calls, before);
  }
  d->ops->close(d);
  const char *said = capture_end();
  struct gpu_in_software_counts seen = gpu_seen();
  assert_int_equal(seen.misuses, 0);
  if (!seen.went_wrong) {
    assert_int_equal(err, 0);
    assert_nothing_left();
    return;
  }
  assert_int_equal(seen.calls_after_death, 0);
  if (result == AG_CU_ILLEGAL_ADDRESS) {
    if (happened) {
      assert_true(lost);
      assert_int_equal(seen.calls, before);
    }
    assert_int_equal(occurrences(said, "agglom: warning: cuda:0 (GPU in software) failed: "), 1);
    assert_non_null(strstr(said, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  } else {
    assert_false(lost);
  }
}

/* Fails every single driver call of a batch in turn, with a sticky error, an ordinary one and want of memory.
 */
static void every_call_fails_once(void **state) {
  (void)state;
  static const char *const calls[] = {
      "cuCtxPushCurrent_v2",  "cuStreamCreate",     "cuEventCreate",        "cuMemAlloc_v2",
      "cuMemcpyHtoDAsync_v2", "cuModuleLoadDataEx", "cuModuleGetFunction",  "cuFuncGetAttribute",
      "cuEventRecord",        "cuLaunchKernel",     "cuMemcpyDtoHAsync_v2", "cuEventQuery",
      "cuEventElapsedTime",   "cuMemFree_v2",       "cuStreamQuery",        "cuEventDestroy_v2",
      "cuEventSynchronize",   "cuStreamDestroy_v2", "cuCtxPopCurrent_v2"};
  static const int results[] = {AG_CU_ILLEGAL_ADDRESS, AG_CU_LAUNCH_OUT_OF_RESOURCES, AG_CU_OUT_OF_MEMORY};
  for (size_t c = 0; c < sizeof calls / sizeof calls[0]; ++c)
    for (int nth = 1; nth <= 12; ++nth)
      for (size_t r = 0; r < sizeof results / sizeof results[0]; ++r) {
        fail_once(calls[c], nth, results[r], false);
        fail_once(calls[c], nth, results[r], true);
      }
}

static void sticky_error(void **state) {
  (void)state;
  const char *call;
  struct ag_device *d = open_one();
  assert_int_equal(batch(d, &call), 0);
  make_fail("cuEventQuery", 1, AG_CU_ILLEGAL_ADDRESS);
  capture_begin();
  assert_int_equal(batch(d, &call), -EIO);
  assert_string_equal(call, "finished");
  unsigned calls = gpu_seen().calls;
  void *p;
  assert_int_equal(d->ops->alloc(d, 4, &p), -EIO);
  assert_int_equal(d->ops->host_alloc(d, 4, &p), -EIO);
  assert_int_equal(d->ops->free(d, (void *)0x100), -EIO);
  struct ag_stream *s;
  struct ag_kernel *k;
  assert_int_equal(d->ops->stream_create(d, &s), -EIO);
  assert_int_equal(d->ops->kernel(d, &task, &k), -EIO);
  d->ops->forget(d, &good_module);
  d->ops->close(d);
  assert_int_equal(gpu_seen().calls, calls);
  const char *said = capture_end();
  assert_int_equal(occurrences(said, "agglom:"), 1);
  assert_non_null(strstr(said, "CUDA_ERROR_ILLEGAL_ADDRESS (illegal address)"));
  assert_non_null(
      strstr(said, "its units run elsewhere; look for a task that uses memory which no clause names"));
}

static void driver_shutting_down(void **state) {
  (void)state;
  const char *call;
  struct ag_device *d = open_one();
  make_fail("cuCtxPushCurrent_v2", 1, AG_CU_DEINITIALIZED);
  capture_begin();
  assert_int_equal(batch(d, &call), -EIO);
  unsigned calls = gpu_seen().calls;
  d->ops->close(d);
  assert_int_equal(gpu_seen().calls, calls);
  assert_string_equal(capture_end(), "");
}

static void classes(void **state) {
  (void)state;
  assert_int_equal(ag_cuda_classify(0), AG_CUDA_FINE);
  assert_int_equal(ag_cuda_classify(600), AG_CUDA_NOT_YET);
  assert_int_equal(ag_cuda_classify(2), AG_CUDA_NO_MEMORY);
  assert_int_equal(ag_cuda_classify(4), AG_CUDA_GONE);
  static const int lost[] = {214, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999};
  for (size_t i = 0; i < sizeof lost / sizeof lost[0]; ++i)
    assert_int_equal(ag_cuda_classify(lost[i]), AG_CUDA_LOST);
  static const int failed[] = {1, 100, 200, 209, 218, 222, 301, 400, 500, 701, 720, 801};
  for (size_t i = 0; i < sizeof failed / sizeof failed[0]; ++i)
    assert_int_equal(ag_cuda_classify(failed[i]), AG_CUDA_FAILED);
}

/* Each loss has its advice. */
static void advice(void **state) {
  (void)state;
  static const int memory[] = {700, 714, 715, 716, 717, 718, 719, 721};
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i)
    assert_non_null(strstr(ag_cuda_advice(memory[i]), "memory which no clause names"));
  static const int machine[] = {3, 214, 220, 709, 802, 803, 999};
  for (size_t i = 0; i < sizeof machine / sizeof machine[0]; ++i)
    assert_non_null(strstr(ag_cuda_advice(machine[i]), "nvidia-smi"));
  assert_non_null(strstr(ag_cuda_advice(702), "AGGLOM_BATCH=static:N"));
  assert_non_null(strstr(ag_cuda_advice(710), "AGGLOM_DEVICES=none"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(out_of_memory, reset),
      cmocka_unit_test(every_call_fails_once),
      cmocka_unit_test_setup(sticky_error, reset),
      cmocka_unit_test_setup(driver_shutting_down, reset),
      cmocka_unit_test(classes),
      cmocka_unit_test(advice),
  };
  if (!load_gpu("test_cuda_faults"))
    return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
