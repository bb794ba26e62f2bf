/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The accelerator FIFOs of one worker: a queue for each form of a task (ag_task_form()), with a lane for what
 * may go to a device and one for what is too big for it.
 *
 * A unit enters when each of its incomplete predecessors is of the same task and lane and has entered before
 * it, so the order of a FIFO is a program order for units that conflict. Protected by the worker's lock.
 *
 * A unit without incomplete predecessors may stand anywhere. With AGGLOM_COALESCE=sort such units of a task
 * that gathers are inserted in the order of the addresses they gather from, so that the units of a batch are
 * neighbours in memory as far as units with predecessors allow. With AGGLOM_SPLIT=auto such units are
 * inserted by cost instead, the dearest at the front, where CPUs take theirs from. A unit goes before others
 * of its window alone, that is of AG_SORT_WINDOW or AG_DEAR_WINDOW arrivals, or a unit could be overtaken for
 * ever. */
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

/* The FIFOs of a worker that have units, the one first that has not gone for the longest time. */
struct ag_fifos {
  struct ag_fifo *first, *last;
  uint64_t turns; /* a batch of 100 units counts 1, one of 4096 units 5: 1 + units / AG_CPU_MOST */
  bool differ;    /* a unit had another priority than 0 */
  bool stalled;   /* some may be stalled */
};

struct ag_fifo {
  struct ag_unit *head, *tail;
  struct ag_fifos *of; /* NULL: of none, as in tests */
  struct ag_fifo *next, *prev;
  uint64_t since;             /* turns when it last went, or got its first unit */
  struct ag_footprint memory; /* device memory that all its units need; AG_LANE_DEVICE alone */
  /* Units in it, the sum of their costs (both wrap around), units that ever came, and the costs of its units
   * by classes; stored under the lock, read without. */
  _Atomic uint64_t count, cost, came;
  uint64_t calls; /* that its units are made of */
  uint64_t free;  /* units that follow no incomplete one */
  struct ag_sizes sizes;
  double item_ns;            /* time of a CPU unit for an item, and */
  uint64_t queued_ns;        /* for all units in it, as ag_load_queued() was last told; 0: unknown */
  uint64_t kept_for_devices; /* units at its front that a split has left to devices */
  uint64_t kept_for_cpus;    /* units at its front that a launch has left for CPUs with time */
  struct ag_batch_again ask; /* when the thread that submits asks the policy again */
  /* All units in it wait for units of running batches: none can be taken before one of these is complete. */
  _Atomic bool stalled; /* read without the lock, too */
  uint64_t tried;       /* the round of decisions in which it was considered last */
  struct ag_batch_state policy;
  struct ag_away away;
  struct ag_sorted sorted; /* empty when units stand as they come */
  struct ag_dear dear;     /* the same */
};

/* When units are tried in their calls; submit/at_once.c. All zero at first. */
struct ag_trial_here {
  uint64_t at;    /* from which wait of its thread on */
  uint64_t gap;   /* so many waits after the last trial */
  uint64_t calls; /* of this one */
};

/* What it takes its thread to queue a unit; submit/at_once.c. All zero at first. */
struct ag_queueing {
  uint64_t ns;    /* 0: not known */
  uint64_t calls; /* of the task by the thread, wherever they ran */
};

/* Units of one task that one worker has submitted. */
struct ag_task_queue {
  struct agglom_task *task; /* NULL: has been unregistered */
  struct ag_worker *worker;
  struct ag_task_queue *next_of_task; /* of another worker; see queues.h */
  struct ag_task_queue *next_gone;    /* submit/registry.c: among those to be freed */
  struct ag_pool units, more;         /* more: what units of several calls have beside */
  struct ag_fifo lane[AG_N_LANES];
  struct ag_stream stream;  /* units that need no ag_unit */
  uint64_t live;            /* incomplete units, without the stream's records */
  _Atomic uint64_t cpu_ns;  /* ns of a unit on a CPU, lately and at best; 0: unknown */
  bool known;               /* AGGLOM_SPLIT=auto: what units take on CPUs has been measured */
  uint64_t untold;          /* units submitted that observe/ has not been told of */
  _Atomic uint64_t at_once; /* units that ran at once; stored by the worker's thread, without the lock */
  uint64_t at_once_told;    /* of these, those that observe/ has been told of */
  unsigned slow, closely;   /* its thread's own: w->slow that it has seen, and so many more are to be timed */
  struct ag_trial_here here;
  struct ag_queueing queueing; /* under the lock */
  /* Units that had ever come when its thread last paused, and at the task's last launch; dispatch/decide.c */
  _Atomic uint64_t paused, launched;
};

/* The calls that so many of its units are made of, on average. */
static inline uint64_t ag_fifo_calls(const struct ag_fifo *fifo, uint64_t units) {
  uint64_t count = fifo->count;
  return fifo->calls == count ? units : units >= count ? fifo->calls : units * fifo->calls / count;
}

/* How often others went first since it last did. */
static inline unsigned ag_fifo_passed(const struct ag_fifo *fifo) {
  uint64_t turns = fifo->of ? fifo->of->turns - fifo->since : 0;
  return turns < UINT32_MAX ? (unsigned)turns : UINT32_MAX;
}

/* It goes, with so many units; for others that counts as turns. */
void ag_fifo_goes(struct ag_fifo *fifo, uint64_t units);

/* It has just gone, in a batch of another worker's FIFO. */
void ag_fifo_gone(struct ag_fifo *fifo);

void ag_fifo_push(struct ag_fifo *fifo, struct ag_unit *u);

/* As ag_fifo_push(), but at the unit's place by the address it gathers from, if it may stand there and there
 * is memory for that. */
void ag_fifo_insert(struct ag_fifo *fifo, struct ag_unit *u);

/* As ag_fifo_push(), but behind the units whose class of cost is the same or a dearer one, if it may stand
 * there. */
void ag_fifo_insert_dear(struct ag_fifo *fifo, struct ag_unit *u);

/* Puts a unit that follows none in the FIFO back to the front. It counts as no arrival. */
void ag_fifo_push_front(struct ag_fifo *fifo, struct ag_unit *u);
void ag_fifo_remove(struct ag_fifo *fifo, struct ag_unit *u);

/* u, in the FIFO, has one predecessor less. */
void ag_fifo_released(struct ag_fifo *fifo, struct ag_unit *u);
void ag_fifo_free(struct ag_fifo *fifo); /* frees what it has allocated, but none of its units */

/* Whether u may enter its FIFO (kernel tasks) or run (CPU-only tasks). Looks at what is, counts nothing. */
bool ag_unit_may_enter(const struct ag_unit *u);

#endif /* AG_FIFO_H */
