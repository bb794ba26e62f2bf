/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units of `independent` tasks. Nothing has to be known of such a unit before it runs on a CPU or goes into a
 * batch for a device: its arguments are copied into the chunk its thread is filling, and a release store
 * hands it over. No lock, no allocation but for a chunk once in a while.
 *
 *   records of a chunk:   done | taken | filled, not taken yet | free
 *                                        ^ claims, from here    ^ the submitting thread
 *
 * Whoever has time claims a run of records under the lock of the worker they belong to, runs them, and says
 * so. Records complete in any order within a chunk; a chunk is filled anew when all of its records are done.
 *
 * Where a device may take the units, who forms batches first moves all records to the FIFO, as units: the
 * submitting thread itself does that only when a launch may be due.
 */
#ifndef AG_STREAM_H
#define AG_STREAM_H

#include "graph/sections.h"
#include "policy/launch/cpus.h"
#include <agglom/abi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ag_domain;
struct ag_task_queue;
struct ag_worker;

enum {
  AG_STREAM_SECTIONS = 64, /* of a task whose units go this way */
  AG_STREAM_LOOK_LEAST =
      8, /* where a launch may be due after fewer units there is no stream: calls become units at once */
  AG_STREAM_CHUNK = 256,   /* records of a chunk, and at most of a claim */
  AG_STREAM_MOST = 1 << 12 /* units not complete at which a thread helps before it submits more */
};

/* A unit; its argument structure and its ranges follow, at places that are the same for all of a stream. */
struct ag_record {
  struct ag_domain *domain; /* who submitted it; NULL once it is complete */
  long long priority;
  unsigned long long cost;
};

struct ag_chunk {
  struct ag_chunk *next;   /* filled after this one */
  _Atomic unsigned filled; /* stored by the submitting thread */
  uint64_t base;           /* records of the stream before its first one */
  unsigned taken, done;    /* these and all below: the lock */
  unsigned told;           /* records that observe/ has been told of */
  char *records;
};

/* The units of one task that one thread has submitted. */
struct ag_stream {
  bool open;                            /* units of the task go this way */
  struct ag_chunk *fill;                /* the thread's own; NULL before the first unit */
  struct ag_chunk *head, *tail, *spare; /* the lock: chunks in use, oldest first, and empty ones */
  struct ag_chunk *claim;               /* the lock: the first that may have records to take */
  struct ag_claim *first, *last; /* the lock: claims that are not done, in the order of their records */
  uint64_t begun;                /* the lock: records that all chunks taken into use so far have room for */
  uint64_t waited_to;  /* the lock: the lowest number of records that a thread sleeps for; 0: none does */
  struct ag_away away; /* the lock */
  unsigned passed;     /* the lock: times that other streams went first since it last did */
  uint64_t untold;     /* the lock: records of emptied chunks that observe/ has not been told of */
  size_t stride, align, args_at, ranges_at;
  bool to_fifo; /* a device may take its units */
  bool stuck;   /* the lock: there was no memory to move them; CPUs may take them */
  /* The submitting thread's own. It looks whether a launch is due look_at units (look_most at most) after its
   * last look, which was when it had submitted `looked`, or when bytes_since, the bytes since then, are
   * many. */
  uint64_t looked, look_at, look_most;
  size_t bytes_since;
  /* With to_fifo, units ever submitted, stored by the thread; and those that were claimed, by the lock. Both
   * are read without. */
  _Atomic uint64_t submitted, claimed;
};

/* Records that a thread has taken to run them. The claim stays in its place until all of these are done. */
struct ag_claim {
  struct ag_claim *before, *behind; /* of the stream; the lock */
  uint64_t from;                    /* records of the stream before its first one */
  struct ag_worker *of;             /* the worker of the records, whose lock it is */
  struct ag_task_queue *queue;
  struct ag_chunk *chunk;
  unsigned first, n;
};

void ag_stream_destroy(struct ag_stream *stream);

/* With to_fifo, units that nobody has claimed. Any thread. */
uint64_t ag_stream_unclaimed(const struct ag_stream *stream);

/* Records submitted and not taken. An estimate where others count: a record may be taken before its thread
 * has counted it, which gives 0 rather than less, or counted before it can be taken. */
static inline uint64_t ag_stream_rest(const _Atomic uint64_t *submitted, const _Atomic uint64_t *taken) {
  uint64_t gone = atomic_load_explicit(taken, memory_order_relaxed);
  uint64_t there = atomic_load_explicit(submitted, memory_order_acquire) - gone;
  return there >> 63 ? 0 : there;
}

#endif /* AG_STREAM_H */
