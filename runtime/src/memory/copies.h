/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which bytes of host memory one device has current copies of, and where: a set of copies, sorted by their
 * host addresses. Copies may overlap, but none lies within another one, so their ends are sorted too. Host
 * memory is current as well, always: a copy can be forgotten at any time.
 *
 * Many small pieces that a batch has gathered are one entry of another list, which is found and forgotten as
 * a whole: an entry for each would cost more than to send them again.
 *
 * Knows nothing of devices, batches and locks; whoever owns the table protects it. */
#ifndef AG_COPIES_H
#define AG_COPIES_H

#include "memory/arena.h"
#include "memory/interval.h"
#include "memory/pool.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  AG_COPY_LEVELS = 12, /* of the skip list */
  /* Fewest bytes: when a part of a copy becomes stale, what is left of it is kept from this size on. */
  AG_COPY_LEAST = 256,
  AG_GATHERED_MOST = 4096,        /* entries of gathered pieces */
  AG_GATHERED_PIECES = 512 << 10, /* in all of them */
  AG_GATHERED_TRIES = 4           /* entries that are looked at for one that holds some pieces */
};

/* Of a device address that serves host address a: a + shift. */
typedef uintptr_t ag_shift;

/* The host bytes lo .. hi-1 are on the device at lo + shift .. hi-1 + shift. */
struct ag_copy {
  uintptr_t lo, hi;
  ag_shift shift;
  uint64_t loader;  /* number of the batch that brings them there */
  unsigned segment; /* of the arena */
  bool resident;    /* survives ag_copies_forget_volatile() */
  unsigned levels;
  struct ag_copy *near_prev, *near_next; /* in the same segment */
  struct ag_copy *free_prev, *free_next; /* among those that are not resident */
  struct ag_copy *next[AG_COPY_LEVELS];
};

/* Pieces that are on the device at one shift. */
struct ag_gathered {
  struct ag_gathered *older, *newer;
  ag_shift shift;
  uint64_t loader;
  unsigned segment;
  bool resident;
  size_t n;
  struct ag_interval at[]; /* sorted and disjoint */
};

struct ag_copies {
  struct ag_pool pool;
  struct ag_copy *head[AG_COPY_LEVELS];
  struct ag_copy *in_segment[AG_ARENA_SEGMENTS];
  struct ag_copy *not_resident;
  struct ag_gathered **gathered; /* by their first bytes */
  struct ag_gathered *oldest, *newest;
  size_t n_gathered, room, n_pieces;
  uintptr_t longest; /* from the first to the last byte of an entry, at most */
  size_t count;      /* of both kinds */
  uint64_t random;
};

void ag_copies_init(struct ag_copies *copies);
void ag_copies_destroy(struct ag_copies *copies);

/* The first copy that ends behind the address, or NULL; the following ones are next[0]. */
struct ag_copy *ag_copies_behind(const struct ag_copies *copies, uintptr_t address);

/* A copy that holds the byte at the address, the one that reaches furthest; NULL when there is none. */
struct ag_copy *ag_copies_at(const struct ag_copies *copies, uintptr_t address);

/* Whether copies with this shift hold all of lo .. hi-1; lo < hi. */
bool ag_copies_hold(const struct ag_copies *copies, uintptr_t lo, uintptr_t hi, ag_shift shift);

/* Adds a copy (lo, hi, shift, loader, segment, resident of *copy). It replaces copies that lie within it, and
 * is not added when it lies within another one, or when there is no memory. */
void ag_copies_add(struct ag_copies *copies, const struct ag_copy *copy);

/* Adds n > 0 sorted pieces, as far as they lie in the region, as one entry (shift, loader, segment, resident
 * of *copy). The oldest entries go when there are too many. Without memory it is not added. */
void ag_copies_add_gathered(struct ag_copies *copies, const struct ag_copy *copy,
                            const struct ag_interval *region, const struct ag_interval *pieces, size_t n);

/* An entry that holds n > 0 such pieces, or NULL. Only entries that begin where the pieces begin, or shortly
 * before, are looked at: AG_GATHERED_TRIES. */
const struct ag_gathered *ag_copies_gathered(const struct ag_copies *copies, const struct ag_interval *region,
                                             const struct ag_interval *pieces, size_t n);

/* Whether something is kept in the segment. */
bool ag_copies_in_segment(const struct ag_copies *copies, unsigned segment);

/* lo .. hi-1 of the host's memory have new content: no copy holds them any more, but those with the shift
 * *but, unless that is NULL. not_resident: resident copies are left alone. */
void ag_copies_forget(struct ag_copies *copies, uintptr_t lo, uintptr_t hi, const ag_shift *but,
                      bool not_resident);

void ag_copies_forget_all(struct ag_copies *copies);
void ag_copies_forget_volatile(struct ag_copies *copies); /* all but the resident ones */
void ag_copies_forget_segment(struct ag_copies *copies, unsigned segment);

void ag_copies_set_resident(struct ag_copies *copies, struct ag_copy *copy, bool resident);

#endif /* AG_COPIES_H */
