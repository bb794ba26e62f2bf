/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of a batch. The sections of all its units are merged into disjoint regions of host memory; then
 * launch arrays, argument structures and regions are packed into one staging buffer that has the same layout
 * as the device slot, so that one copy brings everything in and one copy brings the outputs back:
 *
 *   launch arrays | argument structures | regions only read | read and written | only written
 *   <------------------------------ copied in ----------------------------->
 *                                                           <--------- copied out --------->
 *
 * What units accumulate starts as the operation's identity, and is combined with host memory when the batch
 * is committed: atomically, for CPU units and commits of other batches may add to the same memory meanwhile.
 *
 * Pointers in the argument structures are translated to the device. The start of a region keeps its host
 * address modulo 64, so alignment (and what a kernel may derive from it) is the same on both sides. A pointer
 * that units read from memory (s->p) is translated in the staged copy of that memory, and is the host's
 * again when results are copied back. */
#ifndef AG_STAGE_H
#define AG_STAGE_H

#include "agglomerate.h"
#include "memory/interval.h"

enum {
  AG_STAGE_SLACK = 1024 /* bytes that alignment of the arrays may take in a slot */
};

/* A pointer in host memory that units follow on the device. */
struct ag_patch {
  uintptr_t holder;  /* its address */
  uintptr_t lo, hi;  /* what all units of the batch reach through it */
  uintptr_t pointer; /* its value */
  size_t at;         /* of its copy in the slot */
};

/* What was staged: for the launch, and for the commit afterwards. Arrays are kept from use to use. */
struct ag_stage {
  struct agglom_launch launch; /* device addresses */
  size_t bytes_in;             /* of the slot, from its start */
  size_t out_begin, bytes_out;
  struct ag_interval *regions; /* merged; offset[i] is where region i lies in the slot */
  struct ag_interval *ins;     /* bytes that are read from the host */
  struct ag_interval *outs;    /* bytes that were declared written */
  struct ag_interval *sums;    /* bytes that are accumulated; the tag is the section that says how */
  const struct agglom_section *sections; /* of the task */
  struct ag_patch *patches;              /* one for each holder */
  size_t *offset;
  size_t n_regions, n_ins, n_outs, n_sums, n_patches, capacity;
};

/* Upper bound of the bytes that a unit's argument structure and regions take in a slot. */
size_t ag_stage_unit_bytes(const struct ag_unit *u);

/* Packs the batch into host[0 .. size-1] for a device slot at `device`. 0, -ENOMEM, or -E2BIG when it does
 * not fit. Reads the memory the units read: nobody may write it meanwhile, which is what dependences are for.
 */
int ag_stage_fill(struct ag_stage *stage, const struct ag_batch *batch, void *host, void *device,
                  size_t size);

/* Writes what the units were declared to write from the staging buffer to its place in host memory. */
void ag_stage_commit(const struct ag_stage *stage, void *host);

void ag_stage_free(struct ag_stage *stage); /* its arrays */

#endif /* AG_STAGE_H */
