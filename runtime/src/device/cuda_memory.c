/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of a CUDA device, and page-locked memory of the host. */
#include "device/cuda.h"
#include "sys/log.h"

#include <stdlib.h>

/* Room for one more entry, so that remembering cannot fail after the driver has allocated. */
static bool memory_reserve(struct cuda *c) {
  if (c->n_memory < c->memory_room)
    return true;
  size_t room = c->memory_room ? 2 * c->memory_room : 32;
  struct cuda_memory *grown = realloc(c->memory, room * sizeof *grown);
  if (!grown)
    return false;
  c->memory = grown;
  c->memory_room = room;
  return true;
}

/* False: no memory to note it. */
static bool note(struct cuda *c, void *address, bool host) {
  pthread_mutex_lock(&c->lock);
  bool room = memory_reserve(c);
  if (room)
    c->memory[c->n_memory++] = (struct cuda_memory){address, host};
  pthread_mutex_unlock(&c->lock);
  return room;
}

static int free_now(struct cuda *c, void *address, bool host) {
  return host ? CALL(c, host_free, address) : CALL(c, free, (ag_cu_ptr)(uintptr_t)address);
}

static int allocate(struct ag_device *dev, size_t bytes, bool host, void **address) {
  struct cuda *c = cuda_of(dev);
  if (!bytes)
    return -EINVAL;
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  if (host) {
    err = CALL(c, host_alloc, address, bytes, AG_CU_MEMHOSTALLOC_PORTABLE);
  } else {
    ag_cu_ptr p = 0;
    err = CALL(c, alloc, &p, bytes);
    if (!err)
      *address = (void *)(uintptr_t)p;
  }
  if (!err && !note(c, *address, host)) {
    free_now(c, *address, host);
    err = -ENOMEM;
  }
  return ag_cuda_leave(c, err);
}

static int release(struct ag_device *dev, void *address, bool host) {
  struct cuda *c = cuda_of(dev);
  if (ag_device_lost(dev))
    return -EIO;
  if (!address)
    return 0;
  int err = -EINVAL;
  pthread_mutex_lock(&c->lock);
  for (size_t i = c->n_memory; i-- > 0;)
    if (c->memory[i].address == address && c->memory[i].host == host) {
      c->memory[i] = c->memory[--c->n_memory];
      err = 0;
      break;
    }
  pthread_mutex_unlock(&c->lock);
  if (err) {
    ag_error("cuda:%d: %p is not a live allocation of this device; please report this", dev->info.index,
             address);
    return err;
  }
  err = ag_cuda_enter(c);
  if (err)
    return err;
  return ag_cuda_leave(c, free_now(c, address, host));
}

int ag_cuda_alloc(struct ag_device *dev, size_t bytes, void **dptr) {
  return allocate(dev, bytes, false, dptr);
}
int ag_cuda_free(struct ag_device *dev, void *dptr) { return release(dev, dptr, false); }
int ag_cuda_host_alloc(struct ag_device *dev, size_t bytes, void **hptr) {
  return allocate(dev, bytes, true, hptr);
}
int ag_cuda_host_free(struct ag_device *dev, void *hptr) { return release(dev, hptr, true); }

void ag_cuda_free_all(struct cuda *c) {
  for (size_t i = 0; i < c->n_memory; ++i) {
    if (c->memory[i].host)
      CALL_IF_ALIVE(c, host_free, c->memory[i].address);
    else
      CALL_IF_ALIVE(c, free, (ag_cu_ptr)(uintptr_t)c->memory[i].address);
  }
}

int ag_cuda_host_register(struct ag_device *dev, void *hptr, size_t bytes) {
  struct cuda *c = cuda_of(dev);
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  ag_cu_result result = c->cu->host_register(hptr, bytes, AG_CU_MEMHOSTREGISTER_PORTABLE);
  /* A refusal harms nobody and is not worth a word. */
  err = ag_cuda_classify(result) == AG_CUDA_FAILED ? -EIO
                                                   : ag_cuda_check(c, result, ag_cuda_symbol.host_register);
  return ag_cuda_leave(c, err);
}

int ag_cuda_host_unregister(struct ag_device *dev, void *hptr) {
  struct cuda *c = cuda_of(dev);
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  return ag_cuda_leave(c, CALL(c, host_unregister, hptr));
}
