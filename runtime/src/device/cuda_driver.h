/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of the CUDA driver API that agglom uses, declared here so that neither building nor running
 * needs a CUDA installation: the library is found with dlopen(). Names, types and numbers are those of
 * cuda.h from CUDA 11 on; testsuite/unit/test_cuda_api.c compares them where that header is present. */
#ifndef AG_CUDA_DRIVER_H
#define AG_CUDA_DRIVER_H

#include <stddef.h>

typedef int ag_cu_result;
typedef int ag_cu_device;
typedef unsigned long long ag_cu_ptr;
typedef struct CUctx_st *ag_cu_context;
typedef struct CUmod_st *ag_cu_module;
typedef struct CUfunc_st *ag_cu_function;
typedef struct CUstream_st *ag_cu_stream;
typedef struct CUevent_st *ag_cu_event;
typedef struct CUlinkState_st *ag_cu_link;

enum {
  AG_CU_SUCCESS = 0,
  AG_CU_INVALID_VALUE = 1,
  AG_CU_OUT_OF_MEMORY = 2,
  AG_CU_NOT_INITIALIZED = 3,
  AG_CU_DEINITIALIZED = 4,
  AG_CU_STUB_LIBRARY = 34,
  AG_CU_DEVICE_UNAVAILABLE = 46,
  AG_CU_NO_DEVICE = 100,
  AG_CU_INVALID_CONTEXT = 201,
  AG_CU_ECC_UNCORRECTABLE = 214,
  AG_CU_NVLINK_UNCORRECTABLE = 220,
  AG_CU_CONTAINED = 226,
  AG_CU_NOT_READY = 600,
  AG_CU_ILLEGAL_ADDRESS = 700,
  AG_CU_LAUNCH_OUT_OF_RESOURCES = 701,
  AG_CU_LAUNCH_TIMEOUT = 702,
  AG_CU_CONTEXT_IS_DESTROYED = 709,
  AG_CU_ASSERT = 710,
  AG_CU_HARDWARE_STACK_ERROR = 714,
  AG_CU_ILLEGAL_INSTRUCTION = 715,
  AG_CU_MISALIGNED_ADDRESS = 716,
  AG_CU_INVALID_ADDRESS_SPACE = 717,
  AG_CU_INVALID_PC = 718,
  AG_CU_LAUNCH_FAILED = 719,
  AG_CU_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  AG_CU_SYSTEM_NOT_READY = 802,
  AG_CU_SYSTEM_DRIVER_MISMATCH = 803,
  AG_CU_MPS_CLIENT_TERMINATED = 810,
  AG_CU_EXTERNAL_DEVICE = 911,
  AG_CU_UNKNOWN = 999
};

/* CUdevice_attribute, CUfunction_attribute, CUlimit, CUjit_option and flags. */
enum {
  AG_CU_MAX_THREADS_PER_BLOCK = 1,
  AG_CU_MAX_GRID_DIM_X = 5,
  AG_CU_MULTIPROCESSOR_COUNT = 16,
  AG_CU_COMPUTE_MODE = 20,
  AG_CU_PCI_BUS_ID = 33,
  AG_CU_PCI_DEVICE_ID = 34,
  AG_CU_PCI_DOMAIN_ID = 50,
  AG_CU_COMPUTE_CAPABILITY_MAJOR = 75,
  AG_CU_COMPUTE_CAPABILITY_MINOR = 76,
  AG_CU_COMPUTE_MODE_PROHIBITED = 2,
  AG_CU_FUNC_MAX_THREADS_PER_BLOCK = 0,
  AG_CU_FUNC_LOCAL_SIZE_BYTES = 3,
  AG_CU_LIMIT_STACK_SIZE = 0,
  AG_CU_LIMIT_PRINTF_FIFO_SIZE = 1,
  AG_CU_JIT_ERROR_LOG_BUFFER = 5,
  AG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  AG_CU_JIT_INPUT_PTX = 1,
  AG_CU_STREAM_NON_BLOCKING = 1,
  AG_CU_EVENT_DEFAULT = 0,
  AG_CU_EVENT_DISABLE_TIMING = 2,
  AG_CU_MEMHOSTALLOC_PORTABLE = 1,
  AG_CU_MEMHOSTREGISTER_PORTABLE = 1
};

enum { AG_CU_MEMORYTYPE_HOST = 1, AG_CU_MEMORYTYPE_DEVICE = 2 };

/* CUDA_MEMCPY2D: a copy of rows. */
struct ag_cu_side {
  size_t x_bytes, y;
  int type;
  void *host;
  ag_cu_ptr device;
  void *array;
  size_t pitch;
};
struct ag_cu_rows {
  struct ag_cu_side src, dst;
  size_t width_bytes, height;
};

/* X(name in this table, symbol in the library, parameters). The symbol is what cuda.h maps the API's plain
 * name to since CUDA 11. */
#define AG_CUDA_CALLS(X)                                                                                     \
  X(init, cuInit, (unsigned flags))                                                                          \
  X(driver_version, cuDriverGetVersion, (int *version))                                                      \
  X(error_name, cuGetErrorName, (ag_cu_result error, const char **text))                                     \
  X(error_string, cuGetErrorString, (ag_cu_result error, const char **text))                                 \
  X(device_count, cuDeviceGetCount, (int *count))                                                            \
  X(device_get, cuDeviceGet, (ag_cu_device * device, int index))                                             \
  X(device_name, cuDeviceGetName, (char *name, int bytes, ag_cu_device device))                              \
  X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, ag_cu_device device))                \
  X(device_memory, cuDeviceTotalMem_v2, (size_t *bytes, ag_cu_device device))                                \
  X(context_retain, cuDevicePrimaryCtxRetain, (ag_cu_context * context, ag_cu_device device))                \
  X(context_release, cuDevicePrimaryCtxRelease_v2, (ag_cu_device device))                                    \
  X(context_push, cuCtxPushCurrent_v2, (ag_cu_context context))                                              \
  X(context_pop, cuCtxPopCurrent_v2, (ag_cu_context * context))                                              \
  X(limit_get, cuCtxGetLimit, (size_t *value, int limit))                                                    \
  X(limit_set, cuCtxSetLimit, (int limit, size_t value))                                                     \
  X(memory_info, cuMemGetInfo_v2, (size_t *available, size_t *total))                                        \
  X(alloc, cuMemAlloc_v2, (ag_cu_ptr * ptr, size_t bytes))                                                   \
  X(free, cuMemFree_v2, (ag_cu_ptr ptr))                                                                     \
  X(host_alloc, cuMemHostAlloc, (void **ptr, size_t bytes, unsigned flags))                                  \
  X(host_free, cuMemFreeHost, (void *ptr))                                                                   \
  X(host_register, cuMemHostRegister_v2, (void *ptr, size_t bytes, unsigned flags))                          \
  X(host_unregister, cuMemHostUnregister, (void *ptr))                                                       \
  X(copy_in, cuMemcpyHtoDAsync_v2, (ag_cu_ptr dst, const void *src, size_t bytes, ag_cu_stream stream))      \
  X(copy_out, cuMemcpyDtoHAsync_v2, (void *dst, ag_cu_ptr src, size_t bytes, ag_cu_stream stream))           \
  X(copy_rows, cuMemcpy2DAsync_v2, (const struct ag_cu_rows *copy, ag_cu_stream stream))                     \
  X(move, cuMemcpyDtoDAsync_v2, (ag_cu_ptr dst, ag_cu_ptr src, size_t bytes, ag_cu_stream stream))           \
  X(fill, cuMemsetD8Async, (ag_cu_ptr dst, unsigned char byte, size_t bytes, ag_cu_stream stream))           \
  X(stream_create, cuStreamCreate, (ag_cu_stream * stream, unsigned flags))                                  \
  X(stream_destroy, cuStreamDestroy_v2, (ag_cu_stream stream))                                               \
  X(stream_query, cuStreamQuery, (ag_cu_stream stream))                                                      \
  X(stream_follow, cuStreamWaitEvent, (ag_cu_stream stream, ag_cu_event event, unsigned flags))              \
  X(event_create, cuEventCreate, (ag_cu_event * event, unsigned flags))                                      \
  X(event_destroy, cuEventDestroy_v2, (ag_cu_event event))                                                   \
  X(event_record, cuEventRecord, (ag_cu_event event, ag_cu_stream stream))                                   \
  X(event_query, cuEventQuery, (ag_cu_event event))                                                          \
  X(event_wait, cuEventSynchronize, (ag_cu_event event))                                                     \
  X(event_elapsed, cuEventElapsedTime, (float *milliseconds, ag_cu_event begin, ag_cu_event end))            \
  X(module_load, cuModuleLoadDataEx,                                                                         \
    (ag_cu_module * module, const void *image, unsigned n_options, int *options, void **values))             \
  X(link_create, cuLinkCreate_v2, (unsigned n_options, int *options, void **values, ag_cu_link *link))       \
  X(link_add, cuLinkAddData_v2,                                                                              \
    (ag_cu_link link, int kind, void *data, size_t bytes, const char *name, unsigned n_options,              \
     int *options, void **values))                                                                           \
  X(link_complete, cuLinkComplete, (ag_cu_link link, void **image, size_t *bytes))                           \
  X(link_destroy, cuLinkDestroy, (ag_cu_link link))                                                          \
  X(module_unload, cuModuleUnload, (ag_cu_module module))                                                    \
  X(module_function, cuModuleGetFunction,                                                                    \
    (ag_cu_function * function, ag_cu_module module, const char *name))                                      \
  X(function_attribute, cuFuncGetAttribute, (int *value, int attribute, ag_cu_function function))            \
  X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                  \
    (int *blocks, ag_cu_function function, int threads, size_t shared_bytes))                                \
  X(launch, cuLaunchKernel,                                                                                  \
    (ag_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,           \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, ag_cu_stream stream, void **params,          \
     void **extra))

struct ag_cuda_driver {
#define AG_CUDA_MEMBER(NAME, SYMBOL, PARAMETERS) ag_cu_result(*NAME) PARAMETERS;
  AG_CUDA_CALLS(AG_CUDA_MEMBER)
#undef AG_CUDA_MEMBER
  int version;   /* 12040 for CUDA 12.4 */
  int n_devices; /* at least 1 */
};

/* The symbols' names, for messages: ag_cuda_symbol.launch is "cuLaunchKernel". */
struct ag_cuda_symbols {
#define AG_CUDA_MEMBER(NAME, SYMBOL, PARAMETERS) const char *NAME;
  AG_CUDA_CALLS(AG_CUDA_MEMBER)
#undef AG_CUDA_MEMBER
};
extern const struct ag_cuda_symbols ag_cuda_symbol;

/* The driver, loaded from `library` and initialised at the first call (later ones ignore the name); NULL
 * when there is none that works or no device, and ag_cuda_why_not() says why. Kept until the process ends.
 * Safe from any thread. */
const struct ag_cuda_driver *ag_cuda_driver(const char *library);

/* The same without loading anything: what the last call found, NULL before the first. */
const struct ag_cuda_driver *ag_cuda_loaded(void);

/* "CUDA_ERROR_OUT_OF_MEMORY" and "out of memory"; never NULL. */
const char *ag_cuda_error_name(const struct ag_cuda_driver *driver, ag_cu_result error);
const char *ag_cuda_error_text(const struct ag_cuda_driver *driver, ag_cu_result error);

/* What an error means to the runtime. */
enum ag_cuda_class {
  AG_CUDA_FINE,
  AG_CUDA_NOT_YET, /* AG_CU_NOT_READY */
  AG_CUDA_NO_MEMORY,
  AG_CUDA_FAILED, /* this call failed, the context is good */
  AG_CUDA_LOST,   /* the context is dead: every later call would fail too */
  AG_CUDA_GONE    /* the driver is shutting down with the process */
};
enum ag_cuda_class ag_cuda_classify(ag_cu_result error);

/* What the user can do about an error of the class AG_CUDA_LOST. */
const char *ag_cuda_advice(ag_cu_result error);

#endif /* AG_CUDA_DRIVER_H */
