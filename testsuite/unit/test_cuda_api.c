/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Our declarations of the CUDA driver API against NVIDIA's own header and link library, where they are
 * installed; skipped elsewhere. */
#include "device/cuda_driver.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#if __has_include(<cuda.h>)
#include <cuda.h>
#define HAVE_CUDA_H 1
#elif __has_include("/usr/local/cuda/include/cuda.h")
#include "/usr/local/cuda/include/cuda.h"
#define HAVE_CUDA_H 1
#endif

#ifdef HAVE_CUDA_H

#define SAME(OURS, THEIRS) _Static_assert((int)OURS == (int)THEIRS, #THEIRS)
SAME(AG_CU_SUCCESS, CUDA_SUCCESS);
SAME(AG_CU_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
SAME(AG_CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(AG_CU_NOT_INITIALIZED, CUDA_ERROR_NOT_INITIALIZED);
SAME(AG_CU_DEINITIALIZED, CUDA_ERROR_DEINITIALIZED);
SAME(AG_CU_STUB_LIBRARY, CUDA_ERROR_STUB_LIBRARY);
SAME(AG_CU_DEVICE_UNAVAILABLE, CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME(AG_CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(AG_CU_INVALID_CONTEXT, CUDA_ERROR_INVALID_CONTEXT);
SAME(AG_CU_ECC_UNCORRECTABLE, CUDA_ERROR_ECC_UNCORRECTABLE);
SAME(AG_CU_NVLINK_UNCORRECTABLE, CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME(AG_CU_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(AG_CU_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(AG_CU_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME(AG_CU_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(AG_CU_CONTEXT_IS_DESTROYED, CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME(AG_CU_ASSERT, CUDA_ERROR_ASSERT);
SAME(AG_CU_HARDWARE_STACK_ERROR, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(AG_CU_ILLEGAL_INSTRUCTION, CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME(AG_CU_MISALIGNED_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME(AG_CU_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_ADDRESS_SPACE);
SAME(AG_CU_INVALID_PC, CUDA_ERROR_INVALID_PC);
SAME(AG_CU_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
SAME(AG_CU_COOPERATIVE_LAUNCH_TOO_LARGE, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
SAME(AG_CU_SYSTEM_NOT_READY, CUDA_ERROR_SYSTEM_NOT_READY);
SAME(AG_CU_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME(AG_CU_UNKNOWN, CUDA_ERROR_UNKNOWN);
#if CUDA_VERSION >= 13000
SAME(AG_CU_CONTAINED, CUDA_ERROR_CONTAINED);
SAME(AG_CU_MPS_CLIENT_TERMINATED, CUDA_ERROR_MPS_CLIENT_TERMINATED);
SAME(AG_CU_EXTERNAL_DEVICE, CUDA_ERROR_EXTERNAL_DEVICE);
#endif
SAME(AG_CU_MAX_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(AG_CU_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME(AG_CU_MULTIPROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(AG_CU_COMPUTE_MODE, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
SAME(AG_CU_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(AG_CU_COMPUTE_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(AG_CU_COMPUTE_MODE_PROHIBITED, CU_COMPUTEMODE_PROHIBITED);
SAME(AG_CU_FUNC_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(AG_CU_FUNC_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(AG_CU_LIMIT_STACK_SIZE, CU_LIMIT_STACK_SIZE);
SAME(AG_CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER);
SAME(AG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(AG_CU_JIT_INPUT_PTX, CU_JIT_INPUT_PTX);
SAME(AG_CU_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(AG_CU_EVENT_DEFAULT, CU_EVENT_DEFAULT);
SAME(AG_CU_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(AG_CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST);
SAME(AG_CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE);
SAME(AG_CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_PORTABLE);

_Static_assert(sizeof(CUresult) == sizeof(ag_cu_result), "result");
#define AT(OURS, THEIRS)                                                                                     \
  _Static_assert(offsetof(struct ag_cu_rows, OURS) == offsetof(CUDA_MEMCPY2D, THEIRS), #THEIRS)
AT(src.x_bytes, srcXInBytes);
AT(src.y, srcY);
AT(src.type, srcMemoryType);
AT(src.host, srcHost);
AT(src.device, srcDevice);
AT(src.array, srcArray);
AT(src.pitch, srcPitch);
AT(dst.x_bytes, dstXInBytes);
AT(dst.y, dstY);
AT(dst.type, dstMemoryType);
AT(dst.host, dstHost);
AT(dst.device, dstDevice);
AT(dst.array, dstArray);
AT(dst.pitch, dstPitch);
AT(width_bytes, WidthInBytes);
AT(height, Height);
_Static_assert(sizeof(CUDA_MEMCPY2D) == sizeof(struct ag_cu_rows), "rows");
_Static_assert(sizeof(CUdevice) == sizeof(ag_cu_device), "device");
_Static_assert(sizeof(CUdeviceptr) == sizeof(ag_cu_ptr), "pointer");
_Static_assert(sizeof(CUjit_option) == sizeof(int), "option");
_Static_assert(sizeof(CUdevice_attribute) == sizeof(int), "attribute");
_Static_assert(_Generic((CUcontext)0, ag_cu_context: 1, default: 0), "context");
_Static_assert(_Generic((CUmodule)0, ag_cu_module: 1, default: 0), "module");
_Static_assert(_Generic((CUfunction)0, ag_cu_function: 1, default: 0), "function");
_Static_assert(_Generic((CUstream)0, ag_cu_stream: 1, default: 0), "stream");
_Static_assert(_Generic((CUevent)0, ag_cu_event: 1, default: 0), "event");

/* Calls that are only type-checked: each argument has the type that our table gives it, enums aside. */
#define CHECKED(CALL) _Static_assert(sizeof(CALL) == sizeof(ag_cu_result), #CALL)
CHECKED(cuInit(0u));
CHECKED(cuDriverGetVersion((int *)0));
CHECKED(cuGetErrorName((CUresult)0, (const char **)0));
CHECKED(cuGetErrorString((CUresult)0, (const char **)0));
CHECKED(cuDeviceGetCount((int *)0));
CHECKED(cuDeviceGet((ag_cu_device *)0, 0));
CHECKED(cuDeviceGetName((char *)0, 0, (ag_cu_device)0));
CHECKED(cuDeviceGetAttribute((int *)0, (CUdevice_attribute)0, (ag_cu_device)0));
CHECKED(cuDeviceTotalMem((size_t *)0, (ag_cu_device)0));
CHECKED(cuDevicePrimaryCtxRetain((ag_cu_context *)0, (ag_cu_device)0));
CHECKED(cuDevicePrimaryCtxRelease((ag_cu_device)0));
CHECKED(cuCtxPushCurrent((ag_cu_context)0));
CHECKED(cuCtxPopCurrent((ag_cu_context *)0));
CHECKED(cuMemGetInfo((size_t *)0, (size_t *)0));
CHECKED(cuCtxGetLimit((size_t *)0, (CUlimit)0));
CHECKED(cuCtxSetLimit((CUlimit)0, (size_t)0));
CHECKED(cuMemAlloc((ag_cu_ptr *)0, (size_t)0));
CHECKED(cuMemFree((ag_cu_ptr)0));
CHECKED(cuMemHostAlloc((void **)0, (size_t)0, 0u));
CHECKED(cuMemFreeHost((void *)0));
CHECKED(cuMemHostRegister((void *)0, (size_t)0, 0u));
CHECKED(cuMemHostUnregister((void *)0));
CHECKED(cuMemcpyHtoDAsync((ag_cu_ptr)0, (const void *)0, (size_t)0, (ag_cu_stream)0));
CHECKED(cuMemcpyDtoHAsync((void *)0, (ag_cu_ptr)0, (size_t)0, (ag_cu_stream)0));
CHECKED(cuMemcpy2DAsync((const CUDA_MEMCPY2D *)0, (ag_cu_stream)0));
CHECKED(cuMemsetD8Async((ag_cu_ptr)0, (unsigned char)0, (size_t)0, (ag_cu_stream)0));
CHECKED(cuStreamCreate((ag_cu_stream *)0, 0u));
CHECKED(cuStreamDestroy((ag_cu_stream)0));
CHECKED(cuStreamQuery((ag_cu_stream)0));
CHECKED(cuEventCreate((ag_cu_event *)0, 0u));
CHECKED(cuEventDestroy((ag_cu_event)0));
CHECKED(cuEventRecord((ag_cu_event)0, (ag_cu_stream)0));
CHECKED(cuEventQuery((ag_cu_event)0));
CHECKED(cuEventElapsedTime((float *)0, (ag_cu_event)0, (ag_cu_event)0));
CHECKED(cuModuleLoadDataEx((ag_cu_module *)0, (const void *)0, 0u, (CUjit_option *)0, (void **)0));
CHECKED(cuModuleUnload((ag_cu_module)0));
CHECKED(cuModuleGetFunction((ag_cu_function *)0, (ag_cu_module)0, (const char *)0));
CHECKED(cuFuncGetAttribute((int *)0, (CUfunction_attribute)0, (ag_cu_function)0));
CHECKED(cuOccupancyMaxActiveBlocksPerMultiprocessor((int *)0, (ag_cu_function)0, 0, (size_t)0));
CHECKED(cuLaunchKernel((ag_cu_function)0, 0u, 0u, 0u, 0u, 0u, 0u, 0u, (ag_cu_stream)0, (void **)0,
                       (void **)0));

/* The symbols that the header maps the plain names to. cuEventElapsedTime has a newer one since CUDA 12.8;
 * the driver keeps both. */
#define TEXT(X) #X
#define EXPANDED(X) TEXT(X)

static void symbols(void **state) {
  (void)state;
  assert_string_equal(ag_cuda_symbol.device_memory, EXPANDED(cuDeviceTotalMem));
  assert_string_equal(ag_cuda_symbol.context_release, EXPANDED(cuDevicePrimaryCtxRelease));
  assert_string_equal(ag_cuda_symbol.context_push, EXPANDED(cuCtxPushCurrent));
  assert_string_equal(ag_cuda_symbol.context_pop, EXPANDED(cuCtxPopCurrent));
  assert_string_equal(ag_cuda_symbol.memory_info, EXPANDED(cuMemGetInfo));
  assert_string_equal(ag_cuda_symbol.alloc, EXPANDED(cuMemAlloc));
  assert_string_equal(ag_cuda_symbol.free, EXPANDED(cuMemFree));
  assert_string_equal(ag_cuda_symbol.host_alloc, EXPANDED(cuMemHostAlloc));
  assert_string_equal(ag_cuda_symbol.host_register, EXPANDED(cuMemHostRegister));
  assert_string_equal(ag_cuda_symbol.copy_in, EXPANDED(cuMemcpyHtoDAsync));
  assert_string_equal(ag_cuda_symbol.copy_out, EXPANDED(cuMemcpyDtoHAsync));
  assert_string_equal(ag_cuda_symbol.copy_rows, EXPANDED(cuMemcpy2DAsync));
  assert_string_equal(ag_cuda_symbol.fill, EXPANDED(cuMemsetD8Async));
  assert_string_equal(ag_cuda_symbol.stream_create, EXPANDED(cuStreamCreate));
  assert_string_equal(ag_cuda_symbol.stream_destroy, EXPANDED(cuStreamDestroy));
  assert_string_equal(ag_cuda_symbol.event_destroy, EXPANDED(cuEventDestroy));
  assert_string_equal(ag_cuda_symbol.event_record, EXPANDED(cuEventRecord));
  assert_string_equal(ag_cuda_symbol.event_query, EXPANDED(cuEventQuery));
  assert_string_equal(ag_cuda_symbol.module_load, EXPANDED(cuModuleLoadDataEx));
  assert_string_equal(ag_cuda_symbol.launch, EXPANDED(cuLaunchKernel));
}

#else

static void symbols(void **state) {
  (void)state;
  print_message("skipped: no cuda.h on this machine\n");
  skip();
}

#endif

/* The library that CUDA programs are linked against has all we look for. It need not be a working driver. */
static void exported(void **state) {
  (void)state;
  static const char *const places[] = {"libcuda.so.1", "/usr/local/cuda/lib64/stubs/libcuda.so"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof places / sizeof places[0] && !library; ++i)
    library = dlopen(places[i], RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    print_message("skipped: no CUDA driver library on this machine\n");
    skip();
  }
#define PRESENT(NAME, SYMBOL, PARAMETERS) assert_non_null(dlsym(library, #SYMBOL));
  AG_CUDA_CALLS(PRESENT)
#undef PRESENT
  dlclose(library);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(symbols), cmocka_unit_test(exported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
