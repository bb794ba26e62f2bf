/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests of the CUDA backend: the driver of testsuite/gpu_in_software, loaded as the runtime loads it. */
#ifndef GPU_IN_SOFTWARE_H
#define GPU_IN_SOFTWARE_H

#include "../gpu_in_software/driver/testing.h"
#include "places.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void *gpu_library;
static const char *(*gpu_change[2])(const char *settings); /* by setting something; by a reset */
static struct gpu_in_software_counts (*gpu_seen)(void);
static unsigned (*gpu_calls)(const char *symbol);
static void (*gpu_each)(void (*visit)(const char *symbol));

/* Loads it for all that follows; false after a message. */
static inline bool load_gpu(const char *who) {
  gpu_library = dlopen(gpu_in_software_path, RTLD_NOW | RTLD_LOCAL);
  if (!gpu_library) {
    fprintf(stderr, "%s: %s\n", who, dlerror());
    return false;
  }
  *(void **)&gpu_change[0] = dlsym(gpu_library, "gpu_in_software_set");
  *(void **)&gpu_change[1] = dlsym(gpu_library, "gpu_in_software_reset");
  *(void **)&gpu_seen = dlsym(gpu_library, "gpu_in_software_seen");
  *(void **)&gpu_calls = dlsym(gpu_library, "gpu_in_software_calls");
  *(void **)&gpu_each = dlsym(gpu_library, "gpu_in_software_each");
  setenv("AGGLOM_CUDA_LIBRARY", gpu_in_software_path, 1);
  return true;
}

/* gpu_set("FAULT=%s:1:%d", ...) and gpu_reset(...): see testing.h. */
__attribute__((format(printf, 2, 3))) static inline void gpu_change_to(int reset, const char *format, ...) {
  char settings[300];
  va_list list;
  va_start(list, format);
  vsnprintf(settings, sizeof settings, format, list);
  va_end(list);
  const char *wrong = gpu_change[reset](settings);
  if (*wrong) {
    fprintf(stderr, "%s\n", wrong);
    abort();
  }
}
#define gpu_set(...) gpu_change_to(0, __VA_ARGS__)
#define gpu_reset(...) gpu_change_to(1, __VA_ARGS__)

#endif /* GPU_IN_SOFTWARE_H */
