/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Everything one batch needs on a device, reserved at start-up: device memory, a pinned staging buffer of the
 * same size, and a stream of its own. A device has AG_SLOTS of them, so that one batch can be staged or
 * committed while another runs. */
#ifndef AG_SLOT_H
#define AG_SLOT_H

#include "device/device.h"
#include "stage.h"
#include <stdatomic.h>

enum {
  AG_SLOTS = 2,
  AG_MAX_DEVICES = 16,
  /* Bytes of a slot: free memory / AG_SLOT_SHARE, at most AG_SLOT_MOST. A unit that is bigger runs on the
   * CPU. Half of it is tried when a device or the host cannot give so much, down to AG_SLOT_LEAST. */
  AG_SLOT_SHARE = 8,
  AG_SLOT_MOST = 256 << 20,
  AG_SLOT_LEAST = 64 << 10
};

/* A slot belongs to the thread that has moved it to FILLING or POLLING; RUNNING ones belong to the device. */
enum ag_slot_state { AG_SLOT_FREE = 0, AG_SLOT_FILLING, AG_SLOT_RUNNING, AG_SLOT_POLLING, AG_SLOT_DEAD };

struct ag_slot {
  struct ag_device *device;
  int where;       /* index of the device */
  unsigned number; /* of the slot on it */
  struct ag_stream *stream;
  void *memory;  /* on the device */
  void *staging; /* on the host */
  size_t size;   /* of both */
  _Atomic int state;
  struct ag_batch batch;
  struct ag_stage stage;
};

/* A device and its slots. */
struct ag_accelerator {
  struct ag_device *device;
  size_t slot_bytes;
  atomic_flag said_failed; /* that batches fail on it; the report counts them */
  struct ag_slot slots[AG_SLOTS];
};

/* Reserves the slots of an opened device: 0, or a negative errno after a warning; the device is then to be
 * closed. */
int ag_accelerator_open(struct ag_accelerator *acc, struct ag_device *device, int where);

/* Closes the device. No batch may be on it. */
void ag_accelerator_close(struct ag_accelerator *acc);

/* A free slot, now FILLING, or NULL. */
struct ag_slot *ag_slot_acquire(struct ag_accelerator *acc);

/* Ends a batch's use of its slot. broken: something of it may still be under way in the stream, which is
 * waited for (never on a lost device). */
void ag_slot_release(struct ag_slot *slot, bool broken);

bool ag_accelerator_usable(const struct ag_accelerator *acc);
bool ag_accelerator_busy(const struct ag_accelerator *acc); /* a batch is on the device */

#endif /* AG_SLOT_H */
