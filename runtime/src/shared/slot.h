/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An accelerator: a device with all that batches need on it, reserved at start-up. Its memory is one arena,
 * in which each batch gets a block and copies of host memory are kept for later batches (see coherence.h).
 * Its slots are what a batch in flight has to itself: a stream, and a pinned staging buffer, which grows with
 * the batches. There are AG_SLOTS of them, so that the next batch is packed while one runs and the results of
 * the last come back. */
#ifndef AG_SLOT_H
#define AG_SLOT_H

#include "device/device.h"
#include "memory/arena.h"
#include "memory/copies.h"
#include "policy/model/model.h"
#include "stage/stage.h"
#include <pthread.h>
#include <stdatomic.h>

enum {
  AG_SLOTS = 3,
  /* Bytes of a segment of the arena, and the most of a staging buffer: free memory / AG_SLOT_SHARE, at most
   * AG_SLOT_MOST. A unit that is bigger runs on the CPU. Half of it is tried when a device cannot give so
   * much, down to AG_SLOT_LEAST. */
  AG_SLOT_SHARE = 8,
  AG_SLOT_MOST = 256 << 20,
  AG_SLOT_LEAST = 64 << 10,
  /* Bytes of a staging buffer when it is new: to pin a megabyte takes a third of a millisecond, and most
   * programs need few. Half of it is tried as well. */
  AG_STAGING_FIRST = 1 << 20,
  /* Segments of the arena: half of a device's free memory where it is large, never fewer than these. */
  AG_FEWEST_SEGMENTS = 6
};

/* A slot belongs to the thread that has moved it to FILLING or POLLING; RUNNING ones belong to the device. */
enum ag_slot_state { AG_SLOT_FREE = 0, AG_SLOT_FILLING, AG_SLOT_RUNNING, AG_SLOT_POLLING, AG_SLOT_DEAD };

struct ag_slot {
  struct ag_device *device;
  int where;       /* index of the device */
  unsigned number; /* of the slot on it */
  struct ag_stream *stream;
  void *staging;  /* on the host */
  size_t size;    /* of it */
  void *outgrown; /* smaller ones that are not free yet; each begins with the address of the next */
  _Atomic int state;
  _Atomic uint64_t asked_ns;  /* when it was last asked whether the batch is over */
  _Atomic unsigned followers; /* threads about to follow the stream, which stays until there are none */
  /* What the batch holds; the accelerator's lock protects it. */
  uint64_t holder;          /* number of the batch, from 1; 0 when it holds nothing */
  uint64_t failed;          /* number of the slot's last batch that failed */
  uint64_t pins;            /* the segments it pins, a bit each */
  uint64_t relies;          /* those of `pins` that hold copies which the batch uses */
  unsigned segment;         /* the segment with the batch's block */
  uint64_t needs[AG_SLOTS]; /* by slot: incomplete batch whose copies it uses; or 0 */
  uint64_t expected_ns;     /* expected time of the batch on the device; 0: none */
  bool launched;            /* the accelerator's `launched` counts the batch */
  struct ag_batch batch;
  struct ag_stage stage;
};

struct ag_accelerator {
  struct ag_device *device;
  size_t slot_bytes;
  /* Bytes of a batch for which pinned memory can be had: fewer than slot_bytes once there was none. */
  _Atomic size_t most_staged;
  atomic_flag said_failed;      /* that batches fail on it; the report counts them */
  _Atomic uint64_t ended_ns;    /* when a batch was last seen to have ended; with AGGLOM_TIMEOUT alone */
  _Atomic uint64_t done_ns;     /* end of the last complete batch, by the device's own times */
  _Atomic uint64_t expected_ns; /* expected time of all batches that it has, or that are formed for it */
  /* When it began, or will begin, to work on the first of the batches that it has or that are formed for
   * it. */
  _Atomic uint64_t since_ns;
  _Atomic unsigned launched; /* batches launched on it and not over, where devices are measured */
  _Atomic unsigned failed;   /* batches that failed since the last one that did not */
  char *memory;              /* the arena's */
  struct ag_slot slots[AG_SLOTS];
  pthread_mutex_t lock; /* protects what follows; taken after a worker's, and never two at a time */
  struct ag_arena arena;
  struct ag_copies copies;
  uint64_t batches;                         /* so far */
  struct ag_device_model copy_in, copy_out; /* of a batch, by its bytes */
  _Atomic size_t n_copies;                  /* written under the lock, read without */
};

/* Reserves arena and slots of an opened device: 0, or a negative errno after a warning; the device is then to
 * be closed. */
int ag_accelerator_open(struct ag_accelerator *acc, struct ag_device *device, int where);

/* Closes the device. No batch may be on it. */
void ag_accelerator_close(struct ag_accelerator *acc);

/* A free slot, now FILLING, or NULL. */
struct ag_slot *ag_slot_acquire(struct ag_accelerator *acc);

/* Forms a batch in the slot, as ag_agglomerate(). Of more bytes than pinned memory could be had for it takes
 * one unit, which finds out whether there is some now. */
int ag_slot_form(struct ag_accelerator *acc, struct ag_slot *slot, struct ag_fifo *fifo,
                 const struct ag_caps *caps, uint64_t stamp);

/* Gives the slot, whose last batch is over, a staging buffer of at least so many bytes. 0, or a negative
 * errno, and it has the buffer that it had. May block for the device. */
int ag_slot_make_room(struct ag_accelerator *acc, struct ag_slot *slot, size_t bytes);

/* Frees what the batch in the slot holds: its number and its pins. */
void ag_slot_let_go(struct ag_accelerator *acc, struct ag_slot *slot);

/* After ag_coherence_failed(): waits until the failed batch's stream is idle, and gives the slot a new one.
 * False: the stream cannot be waited for, and memory that the device reads in place is held for ever. */
bool ag_slot_drain(struct ag_slot *slot);

/* Ends a batch's use of its slot, and of all that it holds. broken: some of its work may still be under way,
 * so that nobody gets what it held. */
void ag_slot_release(struct ag_accelerator *acc, struct ag_slot *slot, bool broken);

bool ag_accelerator_usable(const struct ag_accelerator *acc);
bool ag_accelerator_busy(const struct ag_accelerator *acc);      /* a batch is on the device */
unsigned ag_accelerator_taken(const struct ag_accelerator *acc); /* slots with a batch */
bool ag_accelerator_room(const struct ag_accelerator *acc);      /* there is one that can have one */

#endif /* AG_SLOT_H */
