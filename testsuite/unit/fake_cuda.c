/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fake driver's state, the errors it is told to have, and the entry points that need no context. */
#include "fake_cuda_inside.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 8, STACK = 16 };

struct CUctx_st {
  int retained;
  bool dead;
};

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
struct fake_cuda fake;
static struct CUctx_st context[MAX_DEVICES];
static struct object *objects;
static _Thread_local ag_cu_context stack[STACK];
static _Thread_local int depth;

void *fake_make_object(size_t bytes) {
  struct object *o = calloc(1, bytes);
  if (!o)
    abort();
  o->next = objects;
  objects = o;
  return o;
}

void fake_drop_object(struct object *gone) {
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
  fake_memory_reset();
  fake_code_reset();
  while (objects)
    fake_drop_object(objects);
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

ag_cu_result fake_count_call(const char *symbol) {
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

ag_cu_result fake_in_context(const char *symbol) {
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
  ag_cu_result r = fake_count_call(symbol);
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

ag_cu_result cuInit(unsigned flags) {
  (void)flags;
  BEGIN(fake_count_call)
  END(fake.init_result);
}

ag_cu_result cuDriverGetVersion(int *version) {
  BEGIN(fake_count_call)
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
  BEGIN(fake_count_call)
  *count = fake.n_devices;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuDeviceGet(ag_cu_device *device, int index) {
  BEGIN(fake_count_call)
  *device = index;
  END(index >= 0 && index < fake.n_devices && index < MAX_DEVICES ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuDeviceGetName(char *name, int bytes, ag_cu_device device) {
  BEGIN(fake_count_call)
  snprintf(name, (size_t)bytes, "Fake GPU %d", fake.alike ? 0 : device);
  END(AG_CU_SUCCESS);
}

ag_cu_result cuDeviceGetAttribute(int *value, int attribute, ag_cu_device device) {
  (void)device;
  BEGIN(fake_count_call)
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
  BEGIN(fake_count_call)
  *bytes = fake.memory_bytes;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuDevicePrimaryCtxRetain(ag_cu_context *out, ag_cu_device device) {
  BEGIN(fake_count_call)
  struct CUctx_st *c = &context[device];
  ++c->retained;
  ++fake.live_contexts;
  *out = c;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuDevicePrimaryCtxRelease_v2(ag_cu_device device) {
  BEGIN(fake_count_call)
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
  BEGIN(fake_count_call)
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
  BEGIN(fake_in_context)
  *c = stack[--depth];
  --fake.stack_depth;
  END(AG_CU_SUCCESS);
}
