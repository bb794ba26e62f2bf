/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fake driver's modules, links, functions and launches. */
#include "fake_cuda_inside.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static struct CUfunc_st *functions;

void fake_code_reset(void) {
  while (functions) {
    struct CUfunc_st *f = functions;
    functions = f->next;
    free(f);
  }
}

/* An image is text; one that begins with "bad" does not load, and one that begins with "oom" needs too much.
 */
ag_cu_result cuModuleLoadDataEx(ag_cu_module *module, const void *image, unsigned n_options, int *options,
                                void **values) {
  BEGIN(fake_in_context)
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
  *module = fake_make_object(sizeof **module);
  snprintf((*module)->text, sizeof(*module)->text, "%s", (const char *)image);
  ++fake.live_modules;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuLinkCreate_v2(unsigned n_options, int *options, void **values, ag_cu_link *link) {
  BEGIN(fake_in_context)
  *link = fake_make_object(sizeof **link);
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
  BEGIN(fake_in_context)
  const char *text = data;
  if (kind != AG_CU_JIT_INPUT_PTX || !bytes || text[bytes - 1] || !name || n_options) {
    END(AG_CU_INVALID_VALUE);
  }
  size_t n = strlen(link->text);
  snprintf(link->text + n, sizeof link->text - n, "%s%.10s", n ? "+" : "", text);
  END(AG_CU_SUCCESS);
}

ag_cu_result cuLinkComplete(ag_cu_link link, void **image, size_t *bytes) {
  BEGIN(fake_in_context)
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
  BEGIN(fake_in_context)
  memset(link->text, '?', sizeof link->text - 1); /* what was linked must be loaded by now */
  fake_drop_object(&link->object);
  --fake.live_links;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuModuleUnload(ag_cu_module module) {
  BEGIN(fake_in_context)
  fake_drop_object(&module->object);
  --fake.live_modules;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuModuleGetFunction(ag_cu_function *function, ag_cu_module module, const char *name) {
  BEGIN(fake_in_context)
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
  BEGIN(fake_in_context)
  *value = attribute == AG_CU_FUNC_LOCAL_SIZE_BYTES ? fake.kernel_local_bytes : fake.kernel_max_threads;
  END((attribute == AG_CU_FUNC_MAX_THREADS_PER_BLOCK || attribute == AG_CU_FUNC_LOCAL_SIZE_BYTES) && function
          ? AG_CU_SUCCESS
          : AG_CU_INVALID_VALUE);
}

ag_cu_result cuCtxGetLimit(size_t *value, int limit) {
  BEGIN(fake_in_context)
  *value = fake.stack_bytes;
  END(limit == AG_CU_LIMIT_STACK_SIZE ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

/* As the real one: what is too much becomes what there is. */
ag_cu_result cuCtxSetLimit(int limit, size_t value) {
  BEGIN(fake_in_context)
  if (limit == AG_CU_LIMIT_STACK_SIZE)
    fake.stack_bytes = value < fake.most_stack_bytes ? value : fake.most_stack_bytes;
  END(limit == AG_CU_LIMIT_STACK_SIZE ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

/* As many blocks as a multiprocessor has room for threads. */
ag_cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, ag_cu_function function, int threads,
                                                         size_t shared_bytes) {
  BEGIN(fake_in_context)
  *blocks = threads > 0 ? 2048 / threads : 0;
  END(function && threads > 0 && !shared_bytes ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuLaunchKernel(ag_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                            ag_cu_stream stream, void **params, void **extra) {
  BEGIN(fake_in_context)
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
