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

#include "units/sections.h"
#include <agglom/abi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ag_domain;
struct ag_queue;
struct ag_runtime;
struct ag_worker;

enum {
  AG_STREAM_CHUNK = 256,   /* records of a chunk, and at most of a claim */
  AG_STREAM_MOST = 1 << 12 /* units not complete at which a thread helps before it submits more */
};

/* When another thread than the submitting one last found too little to be worth its while. */
struct ag_left {
  uint64_t arrivals; /* by then */
  uint64_t ns;
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
  bool open;                            /* this task is one for it */
  struct ag_chunk *fill;                /* the thread's own; NULL before the first unit */
  struct ag_chunk *head, *tail, *spare; /* the lock: chunks in use, oldest first, and empty ones */
  struct ag_chunk *claim;               /* the lock: the first that may have records to take */
  struct ag_claim *first, *last; /* the lock: claims that are not done, in the order of their records */
  uint64_t begun;                /* the lock: records that chunks were made or emptied for */
  uint64_t waited_to;  /* the lock: the lowest number of records that a thread sleeps for; 0: none does */
  struct ag_left left; /* the lock */
  unsigned passed;     /* the lock: times that others went before it since it last did */
  uint64_t untold;     /* the lock: as in ag_queue, of chunks that were emptied */
  size_t stride, align, args_at, ranges_at;
  bool to_fifo; /* a device may take its units */
  bool stuck;   /* the lock: there was no memory to move them; CPUs may take them */
  /* The submitting thread's own: units submitted when it last looked whether a launch is due, bytes since
   * then, and after how many units it does. */
  uint64_t looked, look_at, look_most;
  size_t bytes_since;
  /* With to_fifo, units ever submitted, stored by the thread; and those that were claimed, by the lock. Both
   * are read without. */
  _Atomic uint64_t submitted, claimed;
};

/* Some units that a thread has taken to run them. It stays in its place until they are done. */
struct ag_claim {
  struct ag_claim *before, *behind; /* of the stream; the lock */
  uint64_t from;                    /* records of the stream before it */
  struct ag_worker *of;             /* whose lock */
  struct ag_queue *queue;
  struct ag_chunk *chunk;
  unsigned first, n;
};

/* Opens the stream of a queue if its task's units can go that way. */
void ag_stream_init(const struct ag_runtime *rt, struct ag_queue *queue);
void ag_stream_destroy(struct ag_stream *stream);

/* A launch may be due after n more units, or with the next one. For its thread. */
void ag_stream_look_after(struct ag_stream *stream, uint64_t n);
void ag_stream_look_again(struct ag_stream *stream);

/* Submits a unit of w's thread in d. False when that is not possible: then it goes the long way. *look: the
 * queue, when a launch from its FIFO may be due. */
bool ag_stream_submit(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task, const void *args,
                      const struct agglom_range *ranges, long long priority, unsigned long long cost,
                      struct ag_queue **look);

/* Takes the records of a stream one after another for good, as long as take() does. Lock held. */
void ag_stream_move(struct ag_worker *of, struct ag_queue *queue,
                    bool (*take)(struct ag_worker *of, struct ag_queue *queue, const struct ag_record *record,
                                 const void *args, const struct agglom_range *ranges));

/* Units that nobody has claimed. Any thread; exact for the worker's own. */
uint64_t ag_stream_waiting(const struct ag_worker *w);

/* The same of one stream with to_fifo. Any thread. */
uint64_t ag_stream_unclaimed(const struct ag_stream *stream);

/* Whether what nobody has claimed is worth another thread's while, units like those of the queue. */
bool ag_stream_worth(const struct ag_worker *w, const struct ag_queue *queue);

/* Claims some units of `of` for the thread of w; false when there are none, or too few to be worth its while.
 */
bool ag_stream_claim(struct ag_worker *w, struct ag_worker *of, struct ag_claim *claim);

/* Fills args with the argument structures of a claim. */
void ag_stream_args(const struct ag_claim *claim, const void **args);

/* The units of a claim have run. Calls each() with runs of units of one domain. Lock held. */
void ag_stream_done(const struct ag_claim *claim,
                    void (*each)(struct ag_domain *domain, unsigned n, void *context), void *context);

/* Units that are not complete. Lock held. */
bool ag_stream_busy(const struct ag_stream *stream);

/* Units that observe/ has not been told of; they are from now on. Lock held. */
uint64_t ag_stream_tell(struct ag_stream *stream);

/* How many of the first records must be complete before no unit is incomplete; that so many are; and that so
 * many are not, with somebody asleep until they are. Lock held. */
uint64_t ag_stream_end(const struct ag_stream *stream);
static inline bool ag_stream_done_to(const struct ag_stream *stream, uint64_t n) {
  return (stream->first ? stream->first->from
                        : atomic_load_explicit(&stream->claimed, memory_order_relaxed)) >= n;
}
static inline void ag_stream_sleep_for(struct ag_stream *stream, uint64_t n) {
  if (!stream->waited_to || n < stream->waited_to)
    stream->waited_to = n;
}

/* Whether those are complete that somebody sleeps for, who is to be woken then. Lock held. */
bool ag_stream_wakes(struct ag_stream *stream);

/* How many of the first records must be complete before no unit of the domain is incomplete that test() says
 * yes to, which is shown its sections as accesses; 0: none is. Lock held. */
uint64_t ag_stream_end_of(const struct ag_queue *queue, const struct ag_domain *d,
                          bool (*test)(const struct agglom_task *task, const struct ag_access *access,
                                       void *context),
                          void *context);

#endif /* AG_STREAM_H */
