/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of a batch. The sections of all its units are merged into disjoint regions of host memory. A
 * region that the device has a current copy of is used where that copy is; the others get a place in the
 * batch's block of device memory. Launch arrays, argument structures and these regions are packed into a
 * staging buffer that has the same layout as the block, so that one copy fills it, or a few around what is
 * moved:
 *
 *   launch arrays | argument structures | regions only read | read and written | only written || in place
 *   <------------------------------ copied in ----------------------------->
 *   <------------------------------------- the block -------------------------------------->
 *
 * Of a region that units name little of, as some columns of a matrix, the block has all bytes, so that a
 * kernel finds each where it expects it, but the staging buffer only parts: pieces that units name, side by
 * side. Those that are rows in regular distances are copied at once (stage/parts.h).
 *
 * Larger pieces of memory that the device can read in place (memory/pinned.h) are no part of that copy
 * either: they go straight to their place in the block. Outputs never come back so, for host memory has to be
 * the truth until the batch has succeeded.
 *
 * Outputs come back to the same places of the staging buffer, and those of regions that are written in place
 * behind the block's image, neighbours on the device as neighbours, so that they come in one copy.
 *
 * What units accumulate starts as the operation's identity, and is combined with host memory when the batch
 * is committed: atomically, for CPU units and commits of other batches may add to the same memory meanwhile.
 *
 * For a device that wants a poison it stands wherever no unit's section has put anything: between the pieces
 * of a region, around each region, and in what is only written. Between regions there is then some of it even
 * where alignment leaves no gap.
 *
 * Pointers in the argument structures are translated to the device. The start of a region keeps its host
 * address modulo 64, so alignment (and what a kernel may derive from it) is the same on both sides. A pointer
 * that units read from memory (s->p) is translated in the staged copy of that memory, and is the host's
 * again when results are copied back. */
#ifndef AG_STAGE_H
#define AG_STAGE_H

#include "agglomerate/agglomerate.h"
#include "device/device.h"
#include "memory/interval.h"

/* A pointer in host memory that units follow on the device. */
struct ag_patch {
  uintptr_t holder;  /* its address */
  uintptr_t lo, hi;  /* what all units of the batch reach through it */
  uintptr_t pointer; /* its value */
  size_t at;         /* of its copy in the staging buffer */
};

/* Where a region is on the device, and its parts in the staging buffer. */
struct ag_place {
  uintptr_t shift; /* device address = host address + shift */
  size_t offset;   /* in the block, unless it is used in place */
  bool in_place;   /* used in place: in memory that an earlier batch has filled */
  bool hidden;  /* its bytes on the device differ from the host's: partial results, pointers of the device */
  size_t pitch; /* distance of the rows of the box with most of them that units name in it; 0: of none */
  size_t rows;  /* of that box */
  size_t first, n; /* its parts */
};

/* Host bytes lo .. hi-1 are in the staging buffer from `at` on. */
struct ag_staged_part {
  uintptr_t lo, hi;
  size_t at;
  size_t rows; /* number of the rows that it is one of, from 1; 0: it stands for itself */
};

/* Pieces of a region that are rows in regular distances. Offsets in the staging buffer: where the first one
 * is, 0 before it is known, and where the next one that is added will be. */
struct ag_piece_rows {
  size_t at, next;
  struct ag_rows rows;
};

/* A copy from the staging buffer to the block, of one row or several; both are offsets. */
struct ag_fill {
  size_t from, to;
  struct ag_rows rows;
};

/* Host bytes lo .. hi-1 that a new place gets without the staging buffer. From elsewhere on the device they
 * may come with what lies between pieces that units name; lo and hi - 1 are in such pieces. */
struct ag_move {
  uintptr_t lo, hi;
  bool direct;     /* from host memory itself; else from a copy elsewhere on the device */
  uintptr_t shift; /* of that copy */
  size_t to;       /* offset in the block */
};
enum {
  AG_MOVES = 256, /* of a batch at most */
  AG_MOVE_LEAST =
      16384 /* bytes: fewer are sent from the host in less time than a copy on the device begins */
};

/* Outputs that come back in one copy: pieces first .. first + n - 1. */
struct ag_span {
  size_t first, n;
  struct ag_rows rows; /* these are rows in regular distances, unless rows.n is 0 */
};

/* To sort regions, or pieces of one, by their place on the device. */
struct ag_order {
  uintptr_t device;
  size_t index;
};

/* What was staged: for the launch, and for the commit afterwards. Arrays are kept from use to use. */
struct ag_stage {
  unsigned char poison;        /* the device's; set before the first use */
  struct agglom_launch launch; /* device addresses */
  size_t block_bytes;          /* of the block */
  size_t filled;               /* bytes from the block's start in which `fills` put something */
  size_t staged;               /* bytes of the staging buffer that they take it from */
  size_t host_bytes;           /* of the staging buffer: these, and what comes back from elsewhere */
  size_t bytes_in, bytes_out;
  size_t bytes_direct;         /* of bytes_in, those that are read in place */
  size_t bytes_reused;         /* bytes that need not be copied in, as they were on the device */
  size_t units_at;             /* where the argument structures are */
  struct ag_interval *regions; /* merged */
  struct ag_place *places;     /* of each region */
  struct ag_interval *ins;     /* bytes that are read from the host */
  struct ag_interval *outs;    /* bytes that were declared written */
  struct ag_interval *uses;    /* both of these: of other bytes in the regions nothing is known */
  struct ag_interval *sums;    /* bytes that are accumulated; the tag is the section that says how */
  const struct agglom_section *sections; /* of the task */
  struct ag_patch *patches;              /* one for each holder */
  struct ag_fetch *pieces;               /* the outputs, sorted by place on the device */
  struct ag_span *spans;
  struct ag_order *order;    /* of regions */
  struct ag_order *columns;  /* of the cuts: column by column */
  struct ag_interval *named; /* `uses`, `sums` and holders: what regions are divided by */
  struct ag_interval *cuts;  /* the named pieces of one region */
  struct ag_staged_part *parts;
  struct ag_piece_rows *rows;
  struct ag_fill *fills;               /* copies from the staging buffer; those of one row by their place */
  bool cut;                            /* there are regions that the block has bytes of which nothing fills */
  bool apart;                          /* the next fill does not continue the last one */
  struct ag_interval direct[AG_MOVES]; /* parts of `ins` that the device can read in place; sorted */
  size_t n_direct;
  struct ag_move moves[AG_MOVES]; /* sorted by lo */
  size_t n_regions, n_ins, n_outs, n_uses, n_sums, n_patches, n_pieces, n_spans, n_moves, capacity;
  size_t n_named, n_parts, n_rows, n_fills;
};

/* Staging takes three steps. First: which bytes the batch reads, writes and accumulates. All places are new
 * ones. 0 or -ENOMEM. */
int ag_stage_collect(struct ag_stage *stage, const struct ag_batch *batch);

/* Returns the number of pieces of a merged set, from index *first on, that lie in the region, and sets *first
 * to the first of them. The caller goes through the regions in order, and hands *first on from call to call,
 * 0 at the beginning. */
size_t ag_stage_pieces(const struct ag_interval *region, const struct ag_interval *set, size_t n,
                       size_t *first);

/* Second, the layout, when it is known which regions are used in place (shift and in_place of their places),
 * which bytes are moved from elsewhere on the device (lo, hi and shift of the moves), and which the device
 * can read in place (direct). 0, or -E2BIG when a block or a staging buffer of this size cannot hold it. */
int ag_stage_arrange(struct ag_stage *stage, const struct ag_batch *batch, size_t size);

/* The part that holds the address; NULL when there is none. */
const struct ag_staged_part *ag_stage_part(const struct ag_stage *stage, uintptr_t address);

/* Third: packs the batch into the staging buffer at `host` for a block at `device`. 0 or -EINVAL. Reads the
 * memory the units read: nobody may write it meanwhile, which is what dependences are for. */
int ag_stage_pack(struct ag_stage *stage, const struct ag_batch *batch, void *host, void *device);

/* All three, with nothing in place. */
int ag_stage_fill(struct ag_stage *stage, const struct ag_batch *batch, void *host, void *device,
                  size_t size);

/* Writes what the units were declared to write from the staging buffer to its place in host memory. */
void ag_stage_commit(const struct ag_stage *stage, void *host);

void ag_stage_free(struct ag_stage *stage); /* its arrays */

#endif /* AG_STAGE_H */
