/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fake driver's memory, which is host memory, and copies. */
#include "fake_cuda_inside.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/** One piece of device or pinned memory. */
struct piece {
  void *address;
  size_t bytes;
  bool host, registered; /* registered: it is the program's */
  struct piece *next;
};

static struct piece *pieces;

void fake_memory_reset(void) {
  while (pieces) {
    struct piece *p = pieces;
    pieces = p->next;
    if (!p->registered)
      free(p->address);
    free(p);
  }
}

enum { LARGE_PAGE = 2 << 20 };

static ag_cu_result make_piece(size_t bytes, bool host, void **address) {
  if (!bytes)
    return AG_CU_INVALID_VALUE;
  if (!host && bytes > fake.memory_bytes - fake.memory_used)
    return AG_CU_OUT_OF_MEMORY;
  struct piece *p = malloc(sizeof *p);
  void *memory = NULL;
  bool large = bytes >= LARGE_PAGE;
  if (!p || posix_memalign(&memory, large ? LARGE_PAGE : 256, bytes)) {
    free(p);
    return AG_CU_OUT_OF_MEMORY;
  }
  if (large) /* most of what it takes to touch all of it is pages */
    madvise(memory, bytes, MADV_HUGEPAGE);
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
  BEGIN(fake_in_context)
  *available = fake.memory_bytes - fake.memory_used;
  *total = fake.memory_bytes;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuMemAlloc_v2(ag_cu_ptr *ptr, size_t bytes) {
  BEGIN(fake_in_context)
  void *address = NULL;
  result = make_piece(bytes, false, &address);
  *ptr = (uintptr_t)address;
  END(result);
}

ag_cu_result cuMemFree_v2(ag_cu_ptr ptr) {
  BEGIN(fake_in_context)
  END(drop_piece((void *)(uintptr_t)ptr, false));
}

ag_cu_result cuMemHostAlloc(void **ptr, size_t bytes, unsigned flags) {
  BEGIN(fake_in_context)
  END(flags == AG_CU_MEMHOSTALLOC_PORTABLE ? make_piece(bytes, true, ptr) : AG_CU_INVALID_VALUE);
}

ag_cu_result cuMemFreeHost(void *ptr) {
  BEGIN(fake_in_context)
  END(drop_piece(ptr, true));
}

ag_cu_result cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned flags) {
  BEGIN(fake_in_context)
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
  BEGIN(fake_in_context)
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
  BEGIN(fake_in_context)
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
  BEGIN(fake_in_context)
  if (!stream || !on_device(src, bytes)) {
    END(AG_CU_INVALID_VALUE);
  }
  memcpy(dst, (const void *)(uintptr_t)src, bytes);
  END(AG_CU_SUCCESS);
}

ag_cu_result cuMemcpy2DAsync_v2(const struct ag_cu_rows *copy, ag_cu_stream stream) {
  BEGIN(fake_in_context)
  bool in = copy->dst.type == AG_CU_MEMORYTYPE_DEVICE;
  const struct ag_cu_side *there = in ? &copy->dst : &copy->src, *here = in ? &copy->src : &copy->dst;
  if (!stream || here->type != AG_CU_MEMORYTYPE_HOST || there->type != AG_CU_MEMORYTYPE_DEVICE ||
      there->x_bytes + here->x_bytes + there->y + here->y || !copy->height ||
      there->pitch < copy->width_bytes || here->pitch < copy->width_bytes ||
      !on_device(there->device, (copy->height - 1) * there->pitch + copy->width_bytes)) {
    END(AG_CU_INVALID_VALUE);
  }
  ++fake.row_copies;
  for (size_t y = 0; y < copy->height; ++y) {
    char *host = (char *)here->host + y * here->pitch;
    void *device = (void *)(uintptr_t)(there->device + y * there->pitch);
    memcpy(in ? device : host, in ? host : device, copy->width_bytes);
  }
  END(AG_CU_SUCCESS);
}

ag_cu_result cuMemcpyDtoDAsync_v2(ag_cu_ptr dst, ag_cu_ptr src, size_t bytes, ag_cu_stream stream) {
  BEGIN(fake_in_context)
  if (!stream || !on_device(dst, bytes) || !on_device(src, bytes)) {
    END(AG_CU_INVALID_VALUE);
  }
  memcpy((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, bytes);
  END(AG_CU_SUCCESS);
}

ag_cu_result cuMemsetD8Async(ag_cu_ptr dst, unsigned char byte, size_t bytes, ag_cu_stream stream) {
  BEGIN(fake_in_context)
  if (!stream || !on_device(dst, bytes)) {
    END(AG_CU_INVALID_VALUE);
  }
  memset((void *)(uintptr_t)dst, byte, bytes);
  END(AG_CU_SUCCESS);
}
