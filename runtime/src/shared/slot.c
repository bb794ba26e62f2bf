/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/slot.h"

#include "memory/pinned.h"
#include "sys/clock.h"
#include "sys/log.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

static size_t slot_bytes(const struct ag_device *device) {
  size_t bytes = device->info.memory_free / AG_SLOT_SHARE;
  if (bytes > (size_t)AG_SLOT_MOST)
    bytes = AG_SLOT_MOST;
  return bytes & ~(size_t)255;
}

static void give_back(struct ag_slot *slot) {
  struct ag_device *dev = slot->device;
  if (slot->stream)
    dev->ops->stream_destroy(dev, slot->stream);
  if (slot->staging)
    dev->ops->host_free(dev, slot->staging);
  slot->stream = NULL;
  slot->staging = NULL;
}

/* most: bytes that its batches may have. */
static int reserve(struct ag_slot *slot, size_t most) {
  struct ag_device *dev = slot->device;
  slot->size = most < (size_t)AG_STAGING_FIRST ? most : (size_t)AG_STAGING_FIRST;
  int err = dev->ops->host_alloc(dev, slot->size, &slot->staging);
  while (err == -ENOMEM && slot->size / 2 >= (size_t)AG_SLOT_LEAST) {
    slot->size /= 2;
    err = dev->ops->host_alloc(dev, slot->size, &slot->staging);
  }
  if (!err)
    err = dev->ops->stream_create(dev, &slot->stream);
  if (err)
    give_back(slot);
  return err;
}

static unsigned segments(const struct ag_device *device, size_t bytes) {
  size_t n = device->info.memory_free / 2 / bytes;
  return n < AG_FEWEST_SEGMENTS  ? AG_FEWEST_SEGMENTS
         : n < AG_ARENA_SEGMENTS ? (unsigned)n
                                 : AG_ARENA_SEGMENTS;
}

static int reserve_all(struct ag_accelerator *acc, size_t bytes) {
  struct ag_device *dev = acc->device;
  unsigned n = segments(dev, bytes);
  void *memory;
  int err = dev->ops->alloc(dev, n * bytes, &memory);
  if (err)
    return err;
  acc->memory = memory;
  ag_arena_init(&acc->arena, bytes, n);
  for (unsigned i = 0; i < AG_SLOTS; ++i) {
    err = reserve(&acc->slots[i], bytes);
    if (err) {
      while (i-- > 0)
        give_back(&acc->slots[i]);
      dev->ops->free(dev, memory);
      return err;
    }
  }
  return 0;
}

int ag_accelerator_open(struct ag_accelerator *acc, struct ag_device *device, int where) {
  memset(acc, 0, sizeof *acc);
  atomic_flag_clear(&acc->said_failed);
  pthread_mutex_init(&acc->lock, NULL);
  ag_copies_init(&acc->copies);
  acc->device = device;
  for (unsigned i = 0; i < AG_SLOTS; ++i) {
    acc->slots[i].device = device;
    acc->slots[i].where = where;
    acc->slots[i].number = i;
    acc->slots[i].stage.poison = device->poison;
  }
  size_t bytes = slot_bytes(device);
  int err = bytes ? reserve_all(acc, bytes) : -ENOMEM;
  while (err == -ENOMEM && bytes / 2 >= (size_t)AG_SLOT_LEAST) {
    bytes = (bytes / 2) & ~(size_t)255;
    err = reserve_all(acc, bytes);
  }
  acc->slot_bytes = bytes;
  atomic_store(&acc->most_staged, bytes);
  if (err)
    ag_warn("%s:%d (%s) cannot be used: no memory could be reserved on it for batches (%s); units run on the "
            "CPU instead",
            device->info.kind, device->info.index, device->info.name, strerror(-err));
  return err;
}

void ag_accelerator_close(struct ag_accelerator *acc) {
  /* Closing the device ends its streams and memory: only then no late work of a lost device needs the
   * slots. */
  if (acc->device) {
    ag_pinned_close(acc->device);
    acc->device->ops->close(acc->device);
  }
  for (unsigned i = 0; i < AG_SLOTS; ++i) {
    ag_batch_free(&acc->slots[i].batch);
    ag_stage_free(&acc->slots[i].stage);
  }
  ag_copies_destroy(&acc->copies);
  pthread_mutex_destroy(&acc->lock);
  memset(acc, 0, sizeof *acc);
  atomic_flag_clear(&acc->said_failed);
}

struct ag_slot *ag_slot_acquire(struct ag_accelerator *acc) {
  uint64_t before = atomic_load(&acc->since_ns);
  if (!ag_accelerator_taken(acc)) /* of several threads that find it so the first says since when it is */
    atomic_compare_exchange_strong(&acc->since_ns, &before, ag_clock_ns());
  for (unsigned i = 0; i < AG_SLOTS; ++i) {
    int expected = AG_SLOT_FREE;
    if (atomic_compare_exchange_strong(&acc->slots[i].state, &expected, AG_SLOT_FILLING))
      return &acc->slots[i];
  }
  return NULL;
}

/* --- What a batch is staged in ------------------------------------------------------------------------- */

int ag_slot_form(struct ag_accelerator *acc, struct ag_slot *slot, struct ag_fifo *fifo,
                 const struct ag_caps *caps, uint64_t stamp) {
  struct ag_caps fewer = *caps;
  size_t most = atomic_load_explicit(&acc->most_staged, memory_order_relaxed);
  if (most >= caps->bytes)
    return ag_agglomerate(&slot->batch, fifo, caps, stamp);
  fewer.bytes = most;
  int err = ag_agglomerate(&slot->batch, fifo, &fewer, stamp);
  if (!err)
    return 0;
  fewer.bytes = caps->bytes;
  fewer.units = caps->units ? 1 : 0;
  return ag_agglomerate(&slot->batch, fifo, &fewer, stamp);
}

/* To free one may wait for all that the device does, which may be long, or for ever. What is never freed here
 * goes with the device. */
static void free_outgrown(const struct ag_accelerator *acc, struct ag_slot *slot) {
  struct ag_device *dev = slot->device;
  while (slot->outgrown && !ag_accelerator_busy(acc)) {
    void *old = slot->outgrown;
    memcpy(&slot->outgrown, old, sizeof slot->outgrown);
    dev->ops->host_free(dev, old);
  }
}

static int exchange(struct ag_slot *slot, size_t bytes) {
  struct ag_device *dev = slot->device;
  void *larger;
  int err = dev->ops->host_alloc(dev, bytes, &larger);
  if (err)
    return err;
  memcpy(slot->staging, &slot->outgrown, sizeof slot->outgrown);
  slot->outgrown = slot->staging;
  slot->staging = larger;
  slot->size = bytes;
  return 0;
}

int ag_slot_make_room(struct ag_accelerator *acc, struct ag_slot *slot, size_t bytes) {
  size_t size = slot->size;
  free_outgrown(acc, slot);
  if (bytes <= size)
    return 0;
  while (size < bytes)
    size *= 2;
  size = size < acc->slot_bytes ? size : acc->slot_bytes;
  int err = exchange(slot, size);
  if (err == -ENOMEM && bytes < size)
    err = exchange(slot, bytes);
  free_outgrown(acc, slot);
  if (!err && atomic_load(&acc->most_staged) < slot->size) /* there is memory again */
    atomic_store(&acc->most_staged, acc->slot_bytes);
  else if (err)
    atomic_store(&acc->most_staged, slot->size);
  return err;
}

void ag_slot_let_go(struct ag_accelerator *acc, struct ag_slot *slot) {
  pthread_mutex_lock(&acc->lock);
  if (slot->holder) {
    for (unsigned s = 0; s < acc->arena.n_segments; ++s)
      if (slot->pins >> s & 1)
        ag_arena_unpin(&acc->arena, s);
    slot->holder = slot->pins = slot->relies = 0;
  }
  pthread_mutex_unlock(&acc->lock);
}

bool ag_slot_drain(struct ag_slot *slot) {
  struct ag_device *dev = slot->device;
  while (atomic_load(&slot->followers)) /* no new followers come: the batch's copies are forgotten */
    sched_yield();
  bool idle = !dev->ops->stream_destroy(dev, slot->stream);
  slot->stream = NULL;
  if (idle && dev->ops->stream_create(dev, &slot->stream))
    slot->stream = NULL;
  if (!idle)
    ag_pinned_hold(dev);
  return idle;
}

void ag_slot_release(struct ag_accelerator *acc, struct ag_slot *slot, bool broken) {
  if (!broken)
    ag_slot_let_go(acc, slot);
  bool usable = slot->stream && atomic_load(&slot->device->health) == AG_DEVICE_OK;
  atomic_store(&slot->state, usable ? AG_SLOT_FREE : AG_SLOT_DEAD);
}

bool ag_accelerator_usable(const struct ag_accelerator *acc) {
  if (!acc->device || atomic_load(&acc->device->health) != AG_DEVICE_OK)
    return false;
  for (unsigned i = 0; i < AG_SLOTS; ++i)
    if (atomic_load(&acc->slots[i].state) != AG_SLOT_DEAD)
      return true;
  return false;
}

unsigned ag_accelerator_taken(const struct ag_accelerator *acc) {
  unsigned n = 0;
  for (unsigned i = 0; i < AG_SLOTS; ++i) {
    int state = atomic_load(&acc->slots[i].state);
    n += state != AG_SLOT_FREE && state != AG_SLOT_DEAD;
  }
  return n;
}

bool ag_accelerator_room(const struct ag_accelerator *acc) {
  for (unsigned i = 0; i < AG_SLOTS; ++i)
    if (atomic_load(&acc->slots[i].state) == AG_SLOT_FREE)
      return true;
  return false;
}

bool ag_accelerator_busy(const struct ag_accelerator *acc) {
  for (unsigned i = 0; i < AG_SLOTS; ++i) {
    int state = atomic_load(&acc->slots[i].state);
    if (state == AG_SLOT_RUNNING || state == AG_SLOT_POLLING)
      return true;
  }
  return false;
}
