/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A chunk of a hybrid loop: what its iterations touch, and how they are run. See hybrid.h. */
#ifndef AG_HYBRID_CHUNK_H
#define AG_HYBRID_CHUNK_H

#include "loops/hybrid.h"
#include "shared/slot.h"
#include "workers/worker.h"

#include <stddef.h>

/* Where a part's reductions go. */
struct ag_reduction {
  uint64_t from;
  struct ag_reduction *next;
  _Alignas(max_align_t) char bytes[];
};

/* One call of the loop's task, captured. */
struct ag_part {
  struct ag_whole whole; /* of its unit, where it becomes one */
  struct ag_loop_chunk *chunk;
  struct agglom_task *task;
  long long priority;
  unsigned long long cost;
  size_t bytes;             /* of arguments and sections */
  struct ag_access *access; /* owned */
  void *args;
  struct ag_part *next;
};

struct ag_loop_capture {
  struct ag_capture base;
  struct ag_part *part; /* the first call, when nothing was wrong with it */
  unsigned calls;
  int err;
  _Atomic bool *said; /* whether there was a message about sections; NULL: there is none */
};

enum ag_chunk_state { AG_CHUNK_NEW, AG_CHUNK_PREPARING, AG_CHUNK_PREPARED, AG_CHUNK_RUNNING, AG_CHUNK_DONE };

/* The execution's lock protects state, place in the list and pending; all else belongs to the thread that has
 * brought the chunk into its state. */
struct ag_loop_chunk {
  struct ag_hybrid *of;
  uint64_t from, to;
  unsigned unit;
  enum ag_chunk_state state;
  bool alone;            /* what it touches is not known: no other chunk runs beside it */
  bool failed;           /* some of it ran elsewhere than planned: its time tells nothing */
  bool waited;           /* for another one that it conflicts with */
  struct ag_part *parts; /* linked by next, kept until the chunk is done */
  struct ag_part *left;  /* first part that has neither been run nor become a unit; all behind it likewise */
  struct ag_reduction *reductions;   /* linked by next */
  unsigned pending;                  /* units that are not complete */
  uint64_t begin_ns;                 /* granted */
  uint64_t run_ns;                   /* begun; of a chunk that has waited */
  struct ag_loop_chunk *prev, *next; /* in the order of their iterations */
};

/* Calls submit() for the iterations from .. to - 1: what it submits goes to the capture. slot: of its
 * reductions; not looked at where the loop has none. */
void ag_chunk_submit(struct ag_worker *w, const struct ag_for *call, uint64_t from, uint64_t to, void *slot,
                     struct ag_capture *capture);

/* Calls submit() for the iterations from .. to - 1 and keeps what it submits. */
void ag_chunk_capture(struct ag_worker *w, const struct ag_for *call, uint64_t from, uint64_t to, void *slot,
                      struct ag_loop_capture *capture);
void ag_part_free(struct ag_part *part); /* NULL is fine */

/* The task of the unit that the loop submits for its first iteration; NULL when it submits anything else.
 * slot_size zeroed bytes at slot are zero again afterwards. */
struct agglom_task *ag_chunk_task(struct ag_worker *w, const struct ag_for *call, void *slot);

/* Whether uses in these modes of one memory are in an order. */
bool ag_modes_conflict(unsigned a, unsigned b);

/* Whether one of the parts must be over before the other begins. */
bool ag_parts_conflict(const struct ag_part *a, const struct ag_part *b);

/* Whether one of the chunks must be over before the other begins. */
bool ag_chunks_conflict(const struct ag_loop_chunk *a, const struct ag_loop_chunk *b);

/* A call of the task is about to run on this CPU: copies on devices of what it writes are stale. */
void ag_chunk_writes(struct ag_runtime *rt, const struct agglom_task *task, const struct ag_access *access);

/* Combines the reductions of this list, in the order of the iterations where there is memory to sort them. */
void ag_reductions_combine(const struct ag_for *call, const struct ag_reduction *list);

/* Runs the chunk's parts from `left` on, on the calling thread. */
void ag_chunk_run(struct ag_worker *w, const struct ag_loop_chunk *chunk);

/* Makes units of the chunk's parts from `left` on, in the context of the loop, and launches as many of them
 * as go into one batch, in this slot; the others are queued. Parts for whose units there is no memory stay
 * `left`, to be run when the units are complete. False: no unit was made. True: the chunk may be gone
 * already. */
bool ag_chunk_launch(struct ag_worker *w, struct ag_worker *owner, struct ag_domain *domain,
                     struct ag_loop_chunk *chunk, struct ag_slot *slot);

#endif /* AG_HYBRID_CHUNK_H */
