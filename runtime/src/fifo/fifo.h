/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The accelerator FIFOs of one worker: a queue for each task type, with a lane for what may go to a device
 * and one for what is too big for it.
 *
 * A unit enters when each of its incomplete predecessors is of the same task and lane and has entered before
 * it, so the order of a FIFO is a program order for units that conflict. Protected by the worker's lock.
 *
 * A unit without incomplete predecessors may stand anywhere. AGGLOM_COALESCE=sort makes use of that: such
 * units of a task that gathers stand in the order of the addresses they gather from, so that those of a batch
 * are neighbours in memory as far as those that wait allow. Each is inserted at its place. Only among the
 * last AG_SORT_WINDOW that arrived, or a unit could be overtaken for ever. With AGGLOM_SPLIT=auto they stand
 * by what they cost instead, the dearest at the front, from where CPUs take them: only among the last
 * AG_DEAR_WINDOW. */
#ifndef AG_FIFO_H
#define AG_FIFO_H

#include "fifo/stream.h"
#include "graph/footprint.h"
#include "graph/unit.h"
#include "policy/policy.h"
#include "policy/split/sizes.h"

enum { AG_SORT_WINDOW = 4096, AG_DEAR_WINDOW = 1 << 16 };

/* Units of a FIFO by what they gather, sorted: at[first] .. at[n - 1]. */
struct ag_sorted {
  struct ag_sorted_unit {
    uintptr_t key;
    struct ag_unit *unit;
  } *at;
  unsigned first, n, room;
  unsigned arrivals; /* in this window */
};

/* Units of a FIFO by classes of costs. */
struct ag_dear {
  uint64_t used;                         /* bit i: there are some in class i */
  struct ag_unit *last[AG_SIZE_CLASSES]; /* the last one of each class */
  struct ag_unit *before;                /* the last unit that is not of this window; NULL: there is none */
  unsigned arrivals;                     /* in this window */
};

struct ag_fifo {
  struct ag_unit *head, *tail;
  struct ag_footprint memory; /* on a device, of all; in that lane */
  /* Units, the sum of their costs, which wraps around like these, units that ever came, and what each of
   * those costs that wait; stored under the lock, read without. */
  _Atomic uint64_t count, cost, came;
  struct ag_sizes sizes;
  double item_ns;            /* what a CPU unit takes for an item, and */
  uint64_t queued_ns;        /* for all of it, as ag_load_queued() was told; 0: unknown */
  uint64_t kept_for_devices; /* units at its front that a split has left to devices */
  uint64_t kept_for_cpus;    /* units at its front that a launch has left for CPUs with time */
  struct ag_batch_again ask; /* when whoever submits asks whether a launch is due */
  /* All units in it wait for units in batches that run: no use to look before one of them is complete. */
  _Atomic bool stalled; /* read without the lock, too */
  uint64_t tried;       /* the round of decisions in which it was considered last */
  unsigned passed;      /* batches of a CPU that others could have made before it, since it last did */
  struct ag_batch_state policy;
  struct ag_away away;
  struct ag_sorted sorted; /* empty when units stand as they come */
  struct ag_dear dear;     /* the same */
};

/* Units of one task that one worker has submitted. */
struct ag_task_queue {
  struct agglom_task *task; /* NULL: has been unregistered */
  struct ag_worker *worker;
  struct ag_task_queue *next_of_task; /* of another worker; see queues.h */
  struct ag_task_queue *next_gone;    /* submit/registry.c: among those to be freed */
  struct ag_pool units;
  struct ag_fifo lane[AG_N_LANES];
  struct ag_stream stream; /* those that need no ag_unit */
  uint64_t live;           /* units that are not complete, but for those of the stream */
  _Atomic uint64_t cpu_ns; /* what a unit takes on a CPU, lately and at best; 0: unknown */
  bool known;              /* AGGLOM_SPLIT=auto: what units take on CPUs has been measured */
  uint64_t untold;         /* units submitted that observe/ has not been told of */
  /* Units that had ever come when its thread last had nothing to submit, and at the last launch;
   * dispatch/decide.c */
  _Atomic uint64_t paused, launched;
};

void ag_fifo_push(struct ag_fifo *fifo, struct ag_unit *u);

/* The same at its place by what it gathers, where that is allowed and there is memory for it. */
void ag_fifo_insert(struct ag_fifo *fifo, struct ag_unit *u);

/* The same behind those that are as dear or dearer, where that is allowed. */
void ag_fifo_insert_dear(struct ag_fifo *fifo, struct ag_unit *u);

/* Back to the front: a unit that follows none in the FIFO. It counts as no arrival. */
void ag_fifo_push_front(struct ag_fifo *fifo, struct ag_unit *u);
void ag_fifo_remove(struct ag_fifo *fifo, struct ag_unit *u);
void ag_fifo_free(struct ag_fifo *fifo); /* what it has allocated */

/* Whether u may enter its FIFO (kernel tasks) or run (CPU-only tasks). Looks at what is, counts nothing. */
bool ag_unit_may_enter(const struct ag_unit *u);

#endif /* AG_FIFO_H */
