/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an execution of a hybrid loop consists of. hybrid.c begins and ends it, hybrid_serve.c does its work.
 */
#ifndef AG_HYBRID_STATE_H
#define AG_HYBRID_STATE_H

#include "loops/hybrid_chunk.h"
#include "shared/runtime.h"
#include "workers/worker.h"

/* What a unit was told when it asked last. */
enum ag_told { AG_TOLD_NOTHING = 0, AG_TOLD_LATER, AG_TOLD_NONE };

/* A compute unit. */
struct ag_seat {
  bool busy; /* it has a chunk */
  enum ag_told told;
};

/* What schedules remember of a loop, which is known by its function. */
struct ag_hybrid_memory {
  void (*submit)(const void *env, unsigned long long from, unsigned long long to, void *slot);
  void *state;
  size_t bytes;
  unsigned kind, cpus, devices; /* the schedule that knows something, and its units */
  char *key;                    /* in AGGLOM_MODELS; NULL: it is not kept there */
  uint64_t ns;                  /* of the last execution */
  bool used;                    /* by an execution that is not over */
  struct ag_hybrid_memory *next;
};

/* All executions of a runtime, and what loops leave behind for their next one. */
struct ag_hybrids {
  pthread_mutex_t lock;
  struct ag_hybrid *running;
  _Atomic unsigned n_running;
  struct ag_hybrid_memory *memories;
  struct ag_worker *minder; /* started by the first execution with a device; NULL: none */
  bool no_minder;           /* it cannot be started */
  unsigned n_with_devices;  /* executions */
  pthread_cond_t with_devices;
};

struct ag_hybrid {
  struct ag_runtime *rt;
  struct ag_worker *owner;
  struct ag_domain *domain;
  const struct ag_for *call;
  struct ag_hybrid_memory *memory;
  struct ag_loop_view view;
  double *sizes; /* of the iterations; or NULL */
  unsigned lanes[AG_MAX_DEVICES];
  int where[AG_MAX_DEVICES]; /* index of each device among the accelerators */
  struct agglom_task *task;
  struct ag_hybrid *next; /* of those that run */
  unsigned users;         /* threads that serve it; the lock of all executions protects it */
  _Atomic bool over, said;
  pthread_mutex_t lock; /* protects what follows */
  struct ag_loop *loop;
  bool apart;   /* no iterations conflict */
  bool planned; /* all chunks are known from the beginning */
  struct ag_seat *seats;
  struct ag_loop_chunk *first, *last, *spare; /* chunks that are not done, by from; and some for later */
  bool starved;                               /* a unit has found no planned chunk, but may later */
  unsigned n_blocked;                         /* prepared chunks whose turn it was not */
  struct ag_reduction *reductions, *spare_reduction;
  uint64_t on_cpus, cpu_ns;    /* iterations that CPUs have run, and the time that they took */
  uint64_t n_chunks, n_waited; /* chunks that are done, and those of them that have waited */
  int err;
};

static inline unsigned ag_hybrid_units(const struct ag_hybrid *h) {
  return h->view.machine.cpus + h->view.machine.devices;
}

/* Asks the schedule on behalf of a unit, and makes a chunk of the iterations that it grants, in the memory of
 * h->spare, which must not be NULL. NULL: nothing was granted. */
struct ag_loop_chunk *ag_hybrid_ask(struct ag_hybrid *h, unsigned unit);

/* Puts the n chunks that there are into the order of their iterations; false without memory. */
bool ag_hybrid_sort(struct ag_hybrid *h, size_t n);

/* Does something for the execution; false when there is nothing to do now. The minder does nothing for CPUs.
 */
bool ag_hybrid_serve(struct ag_worker *w, struct ag_hybrid *h, bool minder);

#endif /* AG_HYBRID_STATE_H */
