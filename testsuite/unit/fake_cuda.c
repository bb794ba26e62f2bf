/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fake_cuda.h"

#include "device/cuda_driver.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_DEVICES = 8, STACK = 16 };

/* What handles point to. All but contexts and functions are in one list, so that what the runtime leaves on a
 * dead device is not lost. */
struct object {
  struct object *next;
};
struct CUctx_st {
  int device, retained;
  bool dead;
};
struct CUmod_st {
  struct object object;
  char text[64];
};
struct CUlinkState_st {
  struct object object;
  char text[64]; /* the beginnings of what was added, separated by '+' */
  char *log;
  size_t log_bytes;
};
struct CUfunc_st {
  char name[64];
  struct CUfunc_st *next;
};
struct CUstream_st {
  struct object object;
  int device;
};
struct CUevent_st {
  struct object object;
  uint64_t ns;
  bool recorded, timing;
};

/** One piece of device or pinned memory. */
struct piece {
  void *address;
  size_t bytes;
  bool host, registered; /* registered: it is the program's */
  struct piece *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_cuda fake;
static struct CUctx_st context[MAX_DEVICES];
static struct piece *pieces;
static struct CUfunc_st *functions;
static struct object *objects;
static _Thread_local ag_cu_context stack[STACK];
static _Thread_local int depth;

static void *make_object(size_t bytes) {
  struct object *o = calloc(1, bytes);
  if (!o)
    abort();
  o->next = objects;
  objects = o;
  return o;
}

static void drop_object(struct object *gone) {
  for (struct object **at = &objects; *at; at = &(*at)->next)
    if (*at == gone) {
      *at = gone->next;
      free(gone);
      return;
    }
  abort(); /* destroyed twice */
}

struct fake_cuda *fake_cuda_state(void) { return &fake; }

void fake_cuda_reset(void) {
  while (pieces) {
    struct piece *p = pieces;
    pieces = p->next;
    if (!p->registered)
      free(p->address);
    free(p);
  }
  while (functions) {
    struct CUfunc_st *f = functions;
    functions = f->next;
    free(f);
  }
  while (objects)
    drop_object(objects);
  memset(context, 0, sizeof context);
  depth = 0;
  memset(&fake, 0, sizeof fake);
  fake.version = 12040;
  fake.n_devices = 1;
  fake.major = 9;
  fake.kernel_max_threads = 1024;
  fake.stack_bytes = 1024;
  fake.most_stack_bytes = 512 << 10;
  fake.memory_bytes = (size_t)64 << 20;
}

__attribute__((constructor)) static void start(void) { fake_cuda_reset(); }

/* With the lock held: counts the call; the error it is to have, or 0. */
static ag_cu_result count_call(const char *symbol) {
  ++fake.calls;
  if (fake.fail_call && !strcmp(fake.fail_call, symbol) && --fake.fail_nth == 0) {
    fake.fail_call = NULL;
    return fake.fail_result;
  }
  if (fake.fail_always && !strcmp(fake.fail_always, symbol))
    return fake.fail_result;
  if (fake.fail_from && fake.calls >= fake.fail_from && fake.calls - fake.fail_from < fake.fail_times) {
    fake.failed = symbol;
    if (!fake.fail_late)
      return fake.fail_result;
    fake.late = fake.fail_result;
  }
  return AG_CU_SUCCESS;
}

/* Not the runtime's own list, which is under test. */
static bool kills_context(ag_cu_result r) {
  switch (r) {
  case AG_CU_ECC_UNCORRECTABLE:
  case AG_CU_ILLEGAL_ADDRESS:
  case AG_CU_LAUNCH_TIMEOUT:
  case AG_CU_ASSERT:
  case AG_CU_MISALIGNED_ADDRESS:
  case AG_CU_INVALID_PC:
  case AG_CU_LAUNCH_FAILED:
    return true;
  default:
    return false;
  }
}

/* With the lock held: a call that needs a living current context. */
static ag_cu_result in_context(const char *symbol) {
  if (!depth) {
    ++fake.calls;
    ++fake.calls_without_context;
    return AG_CU_INVALID_CONTEXT;
  }
  ag_cu_context c = stack[depth - 1];
  if (c->dead) {
    ++fake.calls;
    ++fake.calls_after_death;
    return AG_CU_ILLEGAL_ADDRESS;
  }
  int late = fake.late;
  fake.late = 0;
  ag_cu_result r = count_call(symbol);
  if (late) {
    fake.failed = symbol;
    r = late;
  }
  if (fake.fault) {
    r = fake.fault;
    fake.fault = 0;
  }
  if (kills_context(r))
    c->dead = true;
  return r;
}

#define EXPORT __attribute__((visibility("default")))

/* Each entry point: BEGIN takes the lock and leaves when the call is to fail; END gives it back. */
#define BEGIN(GATE)                                                                                          \
  pthread_mutex_lock(&lock);                                                                                 \
  ag_cu_result result = GATE(__func__);                                                                      \
  if (result) {                                                                                              \
    pthread_mutex_unlock(&lock);                                                                             \
    return result;                                                                                           \
  }
#define END(RESULT)                                                                                          \
  result = (RESULT);                                                                                         \
  pthread_mutex_unlock(&lock);                                                                               \
  return result

/* The prototypes, from the table that the runtime loads them by: a difference is a compile error. */
#define PROTOTYPE(NAME, SYMBOL, PARAMETERS) EXPORT ag_cu_result SYMBOL PARAMETERS;
AG_CUDA_CALLS(PROTOTYPE)
#undef PROTOTYPE

/* --- Without a context -----------------------------------------------------------------------------------
 */

ag_cu_result cuInit(unsigned flags) {
  (void)flags;
  BEGIN(count_call)
  END(fake.init_result);
}

ag_cu_result cuDriverGetVersion(int *version) {
  BEGIN(count_call)
  *version = fake.version;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuGetErrorName(ag_cu_result error, const char **text) {
  *text = error == AG_CU_OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == AG_CU_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                           : "CUDA_ERROR_FAKE";
  return AG_CU_SUCCESS;
}

ag_cu_result cuGetErrorString(ag_cu_result error, const char **text) {
  static _Thread_local char said[32];
  snprintf(said, sizeof said, "error number %d", error);
  *text = said;
  return AG_CU_SUCCESS;
}

ag_cu_result cuDeviceGetCount(int *count) {
  BEGIN(count_call)
  *count = fake.n_devices;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuDeviceGet(ag_cu_device *device, int index) {
  BEGIN(count_call)
  *device = index;
  END(index >= 0 && index < fake.n_devices && index < MAX_DEVICES ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuDeviceGetName(char *name, int bytes, ag_cu_device device) {
  BEGIN(count_call)
  snprintf(name, (size_t)bytes, "Fake GPU %d", device);
  END(AG_CU_SUCCESS);
}

ag_cu_result cuDeviceGetAttribute(int *value, int attribute, ag_cu_device device) {
  (void)device;
  BEGIN(count_call)
  switch (attribute) {
  case AG_CU_MAX_THREADS_PER_BLOCK:
    *value = 1024;
    break;
  case AG_CU_MAX_GRID_DIM_X:
    *value = INT32_MAX;
    break;
  case AG_CU_MULTIPROCESSOR_COUNT:
    *value = 132;
    break;
  case AG_CU_COMPUTE_MODE:
    *value = fake.compute_mode;
    break;
  case AG_CU_COMPUTE_CAPABILITY_MAJOR:
    *value = fake.major;
    break;
  case AG_CU_COMPUTE_CAPABILITY_MINOR:
    *value = fake.minor;
    break;
  case AG_CU_PCI_DOMAIN_ID:
    *value = 0;
    break;
  case AG_CU_PCI_BUS_ID:
    *value = 0x3b;
    break;
  case AG_CU_PCI_DEVICE_ID:
    *value = device;
    break;
  default:
    result = AG_CU_INVALID_VALUE;
  }
  END(result);
}

ag_cu_result cuDeviceTotalMem_v2(size_t *bytes, ag_cu_device device) {
  (void)device;
  BEGIN(count_call)
  *bytes = fake.memory_bytes;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuDevicePrimaryCtxRetain(ag_cu_context *out, ag_cu_device device) {
  BEGIN(count_call)
  struct CUctx_st *c = &context[device];
  c->device = device;
  ++c->retained;
  ++fake.live_contexts;
  *out = c;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuDevicePrimaryCtxRelease_v2(ag_cu_device device) {
  BEGIN(count_call)
  struct CUctx_st *c = &context[device];
  if (c->dead)
    ++fake.calls_after_death;
  if (!c->retained) {
    END(AG_CU_INVALID_CONTEXT);
  }
  --c->retained;
  --fake.live_contexts;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuCtxPushCurrent_v2(ag_cu_context c) {
  BEGIN(count_call)
  if (c->dead)
    ++fake.calls_after_death;
  if (depth == STACK) {
    END(AG_CU_INVALID_VALUE);
  }
  stack[depth++] = c;
  ++fake.stack_depth;
  END(c->dead ? AG_CU_ILLEGAL_ADDRESS : AG_CU_SUCCESS);
}

ag_cu_result cuCtxPopCurrent_v2(ag_cu_context *c) {
  BEGIN(in_context)
  *c = stack[--depth];
  --fake.stack_depth;
  END(AG_CU_SUCCESS);
}

/* --- Memory -----------------------------------------------------------------------------------------------
 */

static ag_cu_result make_piece(size_t bytes, bool host, void **address) {
  if (!bytes)
    return AG_CU_INVALID_VALUE;
  if (!host && bytes > fake.memory_bytes - fake.memory_used)
    return AG_CU_OUT_OF_MEMORY;
  struct piece *p = malloc(sizeof *p);
  void *memory = NULL;
  if (!p || posix_memalign(&memory, 256, bytes)) {
    free(p);
    return AG_CU_OUT_OF_MEMORY;
  }
  memset(memory, 0xAA, bytes);
  *p = (struct piece){memory, bytes, host, false, pieces};
  pieces = p;
  if (host) {
    ++fake.live_host_memory;
  } else {
    ++fake.live_memory;
    fake.memory_used += bytes;
  }
  *address = memory;
  return AG_CU_SUCCESS;
}

static ag_cu_result drop_piece(void *address, bool host) {
  for (struct piece **at = &pieces; *at; at = &(*at)->next) {
    struct piece *p = *at;
    if (p->address != address || p->host != host || p->registered)
      continue;
    *at = p->next;
    if (host) {
      --fake.live_host_memory;
    } else {
      --fake.live_memory;
      fake.memory_used -= p->bytes;
    }
    free(p->address);
    free(p);
    return AG_CU_SUCCESS;
  }
  return AG_CU_INVALID_VALUE;
}

/* The piece of device or host memory that holds all of these bytes, or NULL. */
static const struct piece *piece_of(uintptr_t address, size_t bytes, bool host) {
  for (const struct piece *p = pieces; p; p = p->next) {
    uintptr_t begin = (uintptr_t)p->address;
    if (p->host == host && address >= begin && address - begin <= p->bytes &&
        bytes <= p->bytes - (address - begin))
      return p;
  }
  return NULL;
}

/* Device ranges must lie in one device allocation. */
static bool on_device(ag_cu_ptr address, size_t bytes) { return piece_of(address, bytes, false); }

ag_cu_result cuMemGetInfo_v2(size_t *available, size_t *total) {
  BEGIN(in_context)
  *available = fake.memory_bytes - fake.memory_used;
  *total = fake.memory_bytes;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuMemAlloc_v2(ag_cu_ptr *ptr, size_t bytes) {
  BEGIN(in_context)
  void *address = NULL;
  result = make_piece(bytes, false, &address);
  *ptr = (uintptr_t)address;
  END(result);
}

ag_cu_result cuMemFree_v2(ag_cu_ptr ptr) {
  BEGIN(in_context)
  END(drop_piece((void *)(uintptr_t)ptr, false));
}

ag_cu_result cuMemHostAlloc(void **ptr, size_t bytes, unsigned flags) {
  BEGIN(in_context)
  END(flags == AG_CU_MEMHOSTALLOC_PORTABLE ? make_piece(bytes, true, ptr) : AG_CU_INVALID_VALUE);
}

ag_cu_result cuMemFreeHost(void *ptr) {
  BEGIN(in_context)
  END(drop_piece(ptr, true));
}

ag_cu_result cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned flags) {
  BEGIN(in_context)
  if (!bytes || flags != AG_CU_MEMHOSTREGISTER_PORTABLE) {
    END(AG_CU_INVALID_VALUE);
  }
  for (const struct piece *p = pieces; p; p = p->next)
    if ((char *)p->address < (char *)ptr + bytes && (char *)ptr < (char *)p->address + p->bytes) {
      END(712); /* CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED */
    }
  struct piece *p = malloc(sizeof *p);
  if (!p)
    abort();
  *p = (struct piece){ptr, bytes, true, true, pieces};
  pieces = p;
  ++fake.live_registered;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuMemHostUnregister(void *ptr) {
  BEGIN(in_context)
  result = 713; /* CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED */
  for (struct piece **at = &pieces; *at; at = &(*at)->next)
    if ((*at)->address == ptr && (*at)->registered) {
      struct piece *gone = *at;
      *at = gone->next;
      free(gone);
      --fake.live_registered;
      result = AG_CU_SUCCESS;
      break;
    }
  END(result);
}

ag_cu_result cuMemcpyHtoDAsync_v2(ag_cu_ptr dst, const void *src, size_t bytes, ag_cu_stream stream) {
  BEGIN(in_context)
  if (!stream || !on_device(dst, bytes)) {
    END(AG_CU_INVALID_VALUE);
  }
  const struct piece *p = piece_of((uintptr_t)src, bytes, true);
  fake.staged_copies += p && !p->registered;
  fake.direct_copies += p && p->registered;
  memcpy((void *)(uintptr_t)dst, src, bytes);
  END(AG_CU_SUCCESS);
}

ag_cu_result cuMemcpyDtoHAsync_v2(void *dst, ag_cu_ptr src, size_t bytes, ag_cu_stream stream) {
  BEGIN(in_context)
  if (!stream || !on_device(src, bytes)) {
    END(AG_CU_INVALID_VALUE);
  }
  memcpy(dst, (const void *)(uintptr_t)src, bytes);
  END(AG_CU_SUCCESS);
}

ag_cu_result cuMemcpyDtoDAsync_v2(ag_cu_ptr dst, ag_cu_ptr src, size_t bytes, ag_cu_stream stream) {
  BEGIN(in_context)
  if (!stream || !on_device(dst, bytes) || !on_device(src, bytes)) {
    END(AG_CU_INVALID_VALUE);
  }
  memcpy((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, bytes);
  END(AG_CU_SUCCESS);
}

ag_cu_result cuMemsetD8Async(ag_cu_ptr dst, unsigned char byte, size_t bytes, ag_cu_stream stream) {
  BEGIN(in_context)
  if (!stream || !on_device(dst, bytes)) {
    END(AG_CU_INVALID_VALUE);
  }
  memset((void *)(uintptr_t)dst, byte, bytes);
  END(AG_CU_SUCCESS);
}

/* --- Streams and events
 * ------------------------------------------------------------------------------------- */

ag_cu_result cuStreamCreate(ag_cu_stream *stream, unsigned flags) {
  BEGIN(in_context)
  *stream = make_object(sizeof **stream);
  (*stream)->device = stack[depth - 1]->device;
  ++fake.live_streams;
  END(flags == AG_CU_STREAM_NON_BLOCKING ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuStreamDestroy_v2(ag_cu_stream stream) {
  BEGIN(in_context)
  drop_object(&stream->object);
  --fake.live_streams;
  END(AG_CU_SUCCESS);
}

/* The calls after which the output of kernels is there, by the driver's documentation. */
static void flush_output(void) {
  ++fake.flushes;
  if (fake.flush)
    fake.flush();
}

/* What the two queries say. */
static bool not_ready(void) {
  return fake.not_ready > 0 ? fake.not_ready-- > 0 : fake.hang_from && fake.calls >= fake.hang_from;
}

ag_cu_result cuStreamQuery(ag_cu_stream stream) {
  BEGIN(in_context)
  if (not_ready()) {
    END(AG_CU_NOT_READY);
  }
  END(stream ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

/* Everything has happened when it was asked for. */
ag_cu_result cuStreamWaitEvent(ag_cu_stream stream, ag_cu_event event, unsigned flags) {
  BEGIN(in_context)
  END(stream && event && !flags ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuEventCreate(ag_cu_event *event, unsigned flags) {
  BEGIN(in_context)
  *event = make_object(sizeof **event);
  (*event)->timing = !(flags & AG_CU_EVENT_DISABLE_TIMING);
  ++fake.live_events;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuEventDestroy_v2(ag_cu_event event) {
  BEGIN(in_context)
  drop_object(&event->object);
  --fake.live_events;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuEventRecord(ag_cu_event event, ag_cu_stream stream) {
  BEGIN(in_context)
  event->recorded = true;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  event->ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  END(stream ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuEventQuery(ag_cu_event event) {
  BEGIN(in_context)
  if (not_ready()) {
    END(AG_CU_NOT_READY);
  }
  END(event->recorded ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuEventSynchronize(ag_cu_event event) {
  BEGIN(in_context)
  flush_output();
  END(event->recorded ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuEventElapsedTime(float *milliseconds, ag_cu_event begin, ag_cu_event end) {
  BEGIN(in_context)
  if (!begin->recorded || !end->recorded || !begin->timing || !end->timing) {
    END(AG_CU_INVALID_VALUE);
  }
  *milliseconds = (float)((double)(end->ns - begin->ns) / 1e6);
  END(AG_CU_SUCCESS);
}

/* --- Modules and kernels
 * -------------------------------------------------------------------------------------- */

/* An image is text; one that begins with "bad" does not load, and one that begins with "oom" needs too much.
 */
ag_cu_result cuModuleLoadDataEx(ag_cu_module *module, const void *image, unsigned n_options, int *options,
                                void **values) {
  BEGIN(in_context)
  ++fake.loads;
  snprintf(fake.last_image, sizeof fake.last_image, "%s", (const char *)image);
  if (!strncmp(image, "bad", 3)) {
    for (unsigned i = 0; i + 1 < n_options; ++i)
      if (options[i] == AG_CU_JIT_ERROR_LOG_BUFFER && options[i + 1] == AG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        snprintf(values[i], (size_t)(uintptr_t)values[i + 1], "ptxas: line 7: no such instruction\n");
    END(218); /* CUDA_ERROR_INVALID_PTX */
  }
  if (!strncmp(image, "oom", 3)) {
    END(AG_CU_OUT_OF_MEMORY);
  }
  *module = make_object(sizeof **module);
  snprintf((*module)->text, sizeof(*module)->text, "%s", (const char *)image);
  ++fake.live_modules;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuLinkCreate_v2(unsigned n_options, int *options, void **values, ag_cu_link *link) {
  BEGIN(in_context)
  *link = make_object(sizeof **link);
  for (unsigned i = 0; i + 1 < n_options; ++i)
    if (options[i] == AG_CU_JIT_ERROR_LOG_BUFFER && options[i + 1] == AG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      (*link)->log = values[i];
      (*link)->log_bytes = (size_t)(uintptr_t)values[i + 1];
    }
  ++fake.live_links;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuLinkAddData_v2(ag_cu_link link, int kind, void *data, size_t bytes, const char *name,
                              unsigned n_options, int *options, void **values) {
  (void)options;
  (void)values;
  BEGIN(in_context)
  const char *text = data;
  if (kind != AG_CU_JIT_INPUT_PTX || !bytes || text[bytes - 1] || !name || n_options) {
    END(AG_CU_INVALID_VALUE);
  }
  size_t n = strlen(link->text);
  snprintf(link->text + n, sizeof link->text - n, "%s%.10s", n ? "+" : "", text);
  END(AG_CU_SUCCESS);
}

ag_cu_result cuLinkComplete(ag_cu_link link, void **image, size_t *bytes) {
  BEGIN(in_context)
  if (strstr(link->text, "bad")) {
    if (link->log)
      snprintf(link->log, link->log_bytes, "error: undefined reference to 'helper'\n");
    END(218); /* CUDA_ERROR_INVALID_PTX */
  }
  *image = link->text;
  *bytes = sizeof link->text;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuLinkDestroy(ag_cu_link link) {
  BEGIN(in_context)
  memset(link->text, '?', sizeof link->text - 1); /* what was linked must be loaded by now */
  drop_object(&link->object);
  --fake.live_links;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuModuleUnload(ag_cu_module module) {
  BEGIN(in_context)
  drop_object(&module->object);
  --fake.live_modules;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuModuleGetFunction(ag_cu_function *function, ag_cu_module module, const char *name) {
  BEGIN(in_context)
  if (!module->text[0] || !strncmp(name, "missing", 7)) {
    END(500); /* CUDA_ERROR_NOT_FOUND */
  }
  struct CUfunc_st *f = calloc(1, sizeof *f);
  snprintf(f->name, sizeof f->name, "%s", name);
  f->next = functions;
  functions = f;
  *function = f;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuFuncGetAttribute(int *value, int attribute, ag_cu_function function) {
  BEGIN(in_context)
  *value = attribute == AG_CU_FUNC_LOCAL_SIZE_BYTES ? fake.kernel_local_bytes : fake.kernel_max_threads;
  END((attribute == AG_CU_FUNC_MAX_THREADS_PER_BLOCK || attribute == AG_CU_FUNC_LOCAL_SIZE_BYTES) && function
          ? AG_CU_SUCCESS
          : AG_CU_INVALID_VALUE);
}

ag_cu_result cuCtxGetLimit(size_t *value, int limit) {
  BEGIN(in_context)
  *value = fake.stack_bytes;
  END(limit == AG_CU_LIMIT_STACK_SIZE ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

/* As the real one: what is too much becomes what there is. */
ag_cu_result cuCtxSetLimit(int limit, size_t value) {
  BEGIN(in_context)
  if (limit == AG_CU_LIMIT_STACK_SIZE)
    fake.stack_bytes = value < fake.most_stack_bytes ? value : fake.most_stack_bytes;
  END(limit == AG_CU_LIMIT_STACK_SIZE ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuLaunchKernel(ag_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                            ag_cu_stream stream, void **params, void **extra) {
  BEGIN(in_context)
  if (!stream || !grid_x || !block_x || grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 ||
      shared_bytes || extra) {
    END(AG_CU_INVALID_VALUE);
  }
  if (block_x > (unsigned)fake.kernel_max_threads) {
    END(AG_CU_LAUNCH_OUT_OF_RESOURCES);
  }
  ++fake.launches;
  if (fake.kernel)
    fake.kernel(function->name, params[0], grid_x, block_x);
  int refuse = fake.refuse;
  fake.refuse = 0;
  END(refuse);
}
