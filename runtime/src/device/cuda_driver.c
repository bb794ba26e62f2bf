/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/cuda_driver.h"
#include "device/backend.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { OLDEST = 11000 }; /* the first driver with all entry points under these names */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `tried` and `working` */
static pthread_cond_t loaded = PTHREAD_COND_INITIALIZER;
static enum { NOT, TRYING, TRIED } tried;    /* all else is written by who tries, before it is TRIED */
static const struct ag_cuda_driver *working; /* &driver once all went well */
static struct ag_cuda_driver driver;
static char why_not[512];
static bool broken; /* there is a driver, and it does not work */

const struct ag_cuda_symbols ag_cuda_symbol = {
#define AG_CUDA_NAME(NAME, SYMBOL, PARAMETERS) .NAME = #SYMBOL,
    AG_CUDA_CALLS(AG_CUDA_NAME)
#undef AG_CUDA_NAME
};

const char *ag_cuda_error_name(const struct ag_cuda_driver *d, ag_cu_result error) {
  const char *text = NULL;
  return !d->error_name(error, &text) && text ? text : "an error unknown to the driver";
}

const char *ag_cuda_error_text(const struct ag_cuda_driver *d, ag_cu_result error) {
  const char *text = NULL;
  return !d->error_string(error, &text) && text ? text : "no description";
}

enum ag_cuda_class ag_cuda_classify(ag_cu_result error) {
  switch (error) {
  case AG_CU_SUCCESS:
    return AG_CUDA_FINE;
  case AG_CU_NOT_READY:
    return AG_CUDA_NOT_YET;
  case AG_CU_OUT_OF_MEMORY:
    return AG_CUDA_NO_MEMORY;
  case AG_CU_DEINITIALIZED:
    return AG_CUDA_GONE;
  case AG_CU_NOT_INITIALIZED:
  case AG_CU_DEVICE_UNAVAILABLE:
  case AG_CU_INVALID_CONTEXT:
  case AG_CU_ECC_UNCORRECTABLE:
  case AG_CU_NVLINK_UNCORRECTABLE:
  case AG_CU_CONTAINED:
  case AG_CU_LAUNCH_TIMEOUT:
  case AG_CU_CONTEXT_IS_DESTROYED:
  case AG_CU_ASSERT:
  case AG_CU_SYSTEM_NOT_READY:
  case AG_CU_SYSTEM_DRIVER_MISMATCH:
  case AG_CU_MPS_CLIENT_TERMINATED:
  case AG_CU_EXTERNAL_DEVICE:
  case AG_CU_UNKNOWN:
  case AG_CU_ILLEGAL_ADDRESS:
    return AG_CUDA_LOST;
  default:
    /* 714 to 799: faults of a running kernel. The list grows with each CUDA version, and all of its
     * members so far leave a dead context, save one. */
    return error >= AG_CU_HARDWARE_STACK_ERROR && error < 800 && error != AG_CU_COOPERATIVE_LAUNCH_TOO_LARGE
               ? AG_CUDA_LOST
               : AG_CUDA_FAILED;
  }
}

const char *ag_cuda_advice(ag_cu_result error) {
  if (error == AG_CU_ASSERT)
    return "with AGGLOM_DEVICES=none the assertion fails in a debugger's sight";
  if (error == AG_CU_LAUNCH_TIMEOUT)
    return "kernels may not take so long on a GPU with a display: launch fewer units at a time, as with "
           "AGGLOM_BATCH=static:N";
  if (error == AG_CU_ILLEGAL_ADDRESS || (error >= AG_CU_HARDWARE_STACK_ERROR && error < 800))
    return "look for a task that uses memory which no clause names, or that calls itself too deeply; "
           "AGGLOM_DEVICES=emulated may show which";
  return "nvidia-smi may tell what is wrong with the GPU or its driver; AGGLOM_DEVICES=none does without";
}

static bool load(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    snprintf(why_not, sizeof why_not,
             "the NVIDIA driver library cannot be loaded (%s); is the driver installed?",
             reason ? reason : library);
    return false;
  }
  const char *missing = NULL;
  /* POSIX promises that a data pointer from dlsym() holds a function's address. */
#define AG_CUDA_FIND(NAME, SYMBOL, PARAMETERS)                                                               \
  {                                                                                                          \
    void *address = dlsym(handle, #SYMBOL);                                                                  \
    if (!address)                                                                                            \
      missing = #SYMBOL;                                                                                     \
    memcpy(&driver.NAME, &address, sizeof address);                                                          \
  }
  AG_CUDA_CALLS(AG_CUDA_FIND)
#undef AG_CUDA_FIND
  broken = true;
  if (missing) {
    snprintf(why_not, sizeof why_not,
             "%s has no %s: the driver is too old, agglom needs one for CUDA 11.0 or newer", library,
             missing);
    dlclose(handle);
    return false;
  }
  ag_cu_result err = driver.init(0);
  if (!err)
    err = driver.driver_version(&driver.version);
  if (!err && driver.version < OLDEST) {
    snprintf(why_not, sizeof why_not,
             "the NVIDIA driver is for CUDA %d.%d, which is too old: agglom needs one for CUDA 11.0 or newer",
             driver.version / 1000, driver.version % 1000 / 10);
    return false;
  }
  if (!err)
    err = driver.device_count(&driver.n_devices);
  if (err == AG_CU_NO_DEVICE || err == AG_CU_STUB_LIBRARY || (!err && driver.n_devices <= 0)) {
    broken = false;
    snprintf(why_not, sizeof why_not,
             "the NVIDIA driver sees no GPU; check nvidia-smi and the variable CUDA_VISIBLE_DEVICES");
    return false;
  }
  if (err) {
    snprintf(why_not, sizeof why_not, "the NVIDIA driver does not start: %s (%s)",
             ag_cuda_error_name(&driver, err), ag_cuda_error_text(&driver, err));
    return false;
  }
  return true;
}

/* The library's constructors and the driver's start run without the lock: they may fork, or call anything. */
const struct ag_cuda_driver *ag_cuda_driver(const char *library) {
  pthread_mutex_lock(&lock);
  bool mine = tried == NOT;
  if (mine)
    tried = TRYING;
  while (!mine && tried == TRYING)
    pthread_cond_wait(&loaded, &lock);
  if (mine) {
    pthread_mutex_unlock(&lock);
    bool works = load(library);
    pthread_mutex_lock(&lock);
    working = works ? &driver : NULL;
    tried = TRIED;
    pthread_cond_broadcast(&loaded);
  }
  const struct ag_cuda_driver *found = working;
  pthread_mutex_unlock(&lock);
  return found;
}

const struct ag_cuda_driver *ag_cuda_loaded(void) {
  pthread_mutex_lock(&lock);
  const struct ag_cuda_driver *found = working;
  pthread_mutex_unlock(&lock);
  return found;
}

int ag_cuda_count(const char *library) {
  const struct ag_cuda_driver *d = ag_cuda_driver(library);
  return d ? d->n_devices : 0;
}

const char *ag_cuda_why_not(void) {
  struct ag_config config;
  ag_config_load_quietly(&config);
  return ag_cuda_driver(config.cuda_library) ? "" : why_not;
}

bool ag_cuda_broken(void) { return *ag_cuda_why_not() && broken; }
