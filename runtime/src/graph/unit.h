/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A work unit: one call of a task function, copied at submission, until it is complete.
 *
 * A unit belongs to a domain, the context that submitted it, and to that domain's worker, whose lock
 * protects all fields that change. Units of one task type and worker come from one pool, so a unit's memory
 * stays a unit for ever; (unit, seq) tells whether a remembered unit is still the same one. */
#ifndef AG_UNIT_H
#define AG_UNIT_H

#include "graph/sections.h"
#include "memory/pool.h"
#include "sys/align.h"
#include "sys/long_times.h"
#include <agglom/abi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ag_measured;
struct ag_domain;
struct ag_task_mapping;
struct ag_edge;
struct ag_task_queue;

enum ag_unit_state {
  AG_UNIT_FREE = 0,
  AG_UNIT_WAITING,   /* for predecessors */
  AG_UNIT_QUEUED,    /* in an accelerator FIFO */
  AG_UNIT_READY,     /* CPU-only: among the ready units of its domain */
  AG_UNIT_RUNNING,   /* CPU-only: it runs, or has, and units that it has submitted do */
  AG_UNIT_DISPATCHED /* in a batch */
};

/* Units of one task type stand in one of two FIFOs. */
enum ag_lane {
  AG_LANE_DEVICE = 0, /* may go to a device */
  AG_LANE_CPU = 1,    /* too big for a device: the CPU takes it */
  AG_N_LANES
};

/* What makes a unit a part of something, as of a chunk of a loop. part_done() is called when the unit is
 * complete, with the lock of the unit's worker held. */
struct ag_whole {
  void (*part_done)(struct ag_whole *whole, bool on_cpu);
  uint64_t iterations; /* of the loop, that the unit runs */
};

/* The calls of a unit after its first; workers/extend.h. */
struct ag_more {
  unsigned long long cost; /* beside the unit's own */
  unsigned calls;          /* their number */
  /* Their argument structures follow, aligned. */
};

/* Each unit goes from the caches of the core that submits it to those of one that runs it, and back: what
 * only one of the two needs stands together, and what is needed at different times shares its place. */
struct ag_unit {
  struct agglom_task *task;
  struct ag_task_queue *queue; /* of its worker, for its task */
  uint64_t seq;                /* number of the submission within its worker, from 1; 0 when free */
  uint64_t mark;               /* graph.c: seq of the last unit that was made to follow this one */
  long long priority;
  size_t footprint; /* upper bound of the device memory its arguments and sections take */
  struct ag_unit *live_prev, *live_next; /* among the incomplete units of its domain */
  struct ag_domain *domain; /* who submitted it; NULL: it runs at once, and no domain is needed yet */
  unsigned long long cost;
  enum ag_unit_state state : 8;
  enum ag_lane lane : 8;
  bool large;    /* it has a large section, which others may have as well; footprint.h */
  bool is_free;  /* it stands in a FIFO and followed no incomplete unit when that was seen last */
  bool awaited;  /* a thread sleeps until this unit is complete */
  bool followed; /* a unit of another chain of its batch waits for its flag; on a CPU: one goes behind it;
                    agglomerate.c */
  /* Most units of a device batch that holds this unit, as larger ones have failed; 0: any number. */
  unsigned most_units;
  uint64_t batch;                /* stamp of the batch that is being formed with it, or runs; likewise */
  struct ag_unit *prev, *next;   /* in its FIFO */
  struct ag_edge *preds, *succs; /* one edge for each incomplete predecessor; see graph.h */
  struct ag_more *more;          /* or NULL */
  struct ag_whole *whole;        /* what the unit is part of; or NULL */
  union {
    struct { /* its place in the batch; agglomerate/agglomerate.c */
      struct ag_unit *chain_next;
      unsigned chain, index;
      unsigned waits_at, n_waits; /* the units of other chains whose flags it waits for */
    };
    struct { /* its place in a heap of ready units; fifo/ready.c */
      struct ag_unit *child, *sibling;
      struct ag_unit *back; /* or, while it runs in a call, the unit that has called it */
    };
  };
  struct ag_access access[]; /* one for each section; the argument structure follows */
};

/* A unit that runs in the call of another one's thread: of which task, domain, priority and `back` are set,
 * and seq, to 1, where its accesses are known, which are what it says it uses. */
enum { AG_CALL_SECTIONS = 8 };
union ag_call {
  struct ag_unit unit;
  char room[sizeof(struct ag_unit) + AG_CALL_SECTIONS * sizeof(struct ag_access)];
};

/* A unit that is remembered. Once it is complete, its own seq is another one than this. */
struct ag_unit_ref {
  struct ag_unit *unit;
  uint64_t seq;
};

/* What the runtime knows of a task beyond its descriptor; made at registration. */
struct agglom_task_state {
  unsigned index;     /* number of the task in this process, never used again */
  size_t args_offset; /* of the argument structure in a unit */
  size_t unit_size, unit_align;
  struct ag_observe_task *observe;
  struct ag_task_kernels *kernels;      /* shared/kernels.c: its kernels on each device */
  struct ag_task_mapping *mapping;      /* agglomerate/agglomerate.c: of a task with two mappings */
  struct ag_measured *measured;         /* measure/measure.c: how long its units take */
  struct ag_task_queue *_Atomic queues; /* fifo/queues.c: those of all workers, newest first */
  const struct agglom_task *first;      /* the task itself, of which this may be another form */
  struct agglom_task *urgent;   /* the form for units of priority > 0; submit/registry.c; NULL: none */
  struct ag_long_times longest; /* time of a unit on a CPU */
  bool shaped;                  /* it has sections that may be made of many pieces */
  bool grouped;                 /* it has sections that share a pointer */
  int gather;                   /* the first section that is read in pieces; -1: none is */
  _Atomic unsigned messages;    /* errors of its sections that were written */
  atomic_flag said_no_gpu;      /* a device(gpu) task was told that there is no GPU */
  atomic_flag said_no_room;     /* it was told that a unit of it is too big for devices */
};

/* The state for a task, or NULL when there is no memory. */
struct agglom_task_state *ag_task_state_new(const struct agglom_task *task, unsigned index);
void ag_task_state_free(struct agglom_task_state *state);

/* The form of the task whose queue a unit of this priority stands in. */
static inline struct agglom_task *ag_task_form(struct agglom_task *task, long long priority) {
  return priority > 0 && task->state->urgent ? task->state->urgent : task;
}

static inline bool ag_task_is_cpu_only(const struct agglom_task *task) {
  return (task->flags & AGGLOM_TASK_CPU_ONLY) != 0;
}

static inline bool ag_task_is_leaf(const struct agglom_task *task) {
  return (task->flags & AGGLOM_TASK_LEAF) != 0;
}

static inline bool ag_task_is_urgent(const struct agglom_task *form) { return form != form->state->first; }

enum { AG_FORMS = 2, AG_MOST_CALLS = 16 };

static inline void *ag_unit_args(struct ag_unit *u) { return (char *)u + u->task->state->args_offset; }

/* The number of calls that the unit is made of. */
static inline unsigned ag_unit_calls(const struct ag_unit *u) { return u->more ? 1 + u->more->calls : 1; }

/* Where the argument structures of further calls begin. */
static inline size_t ag_more_args(const struct agglom_task *task) {
  return ag_align_up(sizeof(struct ag_more), task->args_align);
}

/* The argument structure of call i. */
static inline void *ag_unit_args_of(struct ag_unit *u, unsigned i) {
  return i ? (char *)u->more + ag_more_args(u->task) + (size_t)(i - 1) * u->task->args_size : ag_unit_args(u);
}

/* Whether the sections of a call are right, and none accumulates, as a glance tells; false: ag_unit_check()
 * knows. */
bool ag_unit_is_plain(const struct agglom_task *task, const struct agglom_range *ranges);

/* Turns ranges into byte intervals. 0; -EINVAL after an error line that names place and value; -ENOMEM. After
 * an error access owns nothing. said: as in struct ag_owner. */
int ag_unit_check(const struct agglom_task *task, const struct agglom_range *ranges, struct ag_access *access,
                  _Atomic bool *said);

/* Bytes that the unit takes itself, with the pieces of its sections, but not in the graph. */
size_t ag_unit_bytes_of_shaped(const struct ag_unit *u);
static inline size_t ag_unit_bytes(const struct ag_unit *u) {
  return u->task->state->shaped ? ag_unit_bytes_of_shaped(u) : u->task->state->unit_size;
}

/* Begins such a unit, with copies of its accesses, which own nothing; NULL: they are not known. */
void ag_call_begin(union ag_call *call, struct agglom_task *task, struct ag_domain *domain,
                   long long priority, const struct ag_access *access);

/* Gives back what the accesses of a unit own. */
void ag_unit_release(const struct agglom_task *task, struct ag_access *access);

/* Fills a unit taken from the pool; access was filled by ag_unit_check(). sized: the unit may go to a device,
 * so that its footprint is needed, and its cost, in bytes where `cost` is 0. */
void ag_unit_fill(struct ag_unit *u, struct agglom_task *task, const void *args, long long priority,
                  unsigned long long cost, bool sized);

enum { AG_REGION_KEEP = 64 }; /* the start of a region keeps its address modulo this on a device */

/* The bytes from the first to the last that the sections of group `first` cover, as one device pointer
 * serves them all. False when they are all empty, and for what is no group's first section. */
bool ag_unit_hull_of_group(const struct ag_unit *u, unsigned first, struct ag_access *hull);
static inline bool ag_unit_hull(const struct ag_unit *u, unsigned first, struct ag_access *hull) {
  if (u->task->state->grouped)
    return ag_unit_hull_of_group(u, first, hull);
  *hull = u->access[first];
  return hull->lo != hull->hi;
}

#endif /* AG_UNIT_H */
