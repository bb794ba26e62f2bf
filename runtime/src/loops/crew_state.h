/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inside of a crew, for crew.c and its test. */
#ifndef AG_CREW_STATE_H
#define AG_CREW_STATE_H

#include "loops/crew.h"

#include <stdalign.h>

/* The place of one thread: 0 is the loop's own, k the pool's k-th. A range of steps is from << 32 | to. */
struct ag_crew_seat {
  alignas(64) _Atomic uint64_t inside; /* the epoch of the loop that the thread is in; 0: of none */
  _Atomic uint64_t range;              /* what nobody has taken of its share */
  _Atomic uint32_t first;              /* where the share began */
  uint64_t joined;                     /* epoch of the last loop; the thread's own */
  /* What the thread has done; the loop's own reads it at the end. */
  uint64_t pieces;
  struct agglom_task *task;
  struct ag_reduction *reductions;
  int err;
};

struct ag_crew {
  struct ag_runtime *rt;
  unsigned n; /* seats */
  atomic_flag taken;
  _Atomic uint64_t ended_ns;  /* 0: no loop has */
  _Atomic uint64_t wanted_ns; /* when a loop began that went without one that slept; 0: none has */
  /* Of the loop that is open; written by its thread while there is none. */
  const struct ag_for *call;
  struct ag_domain *domain;
  enum ag_crew_way way;
  unsigned shares;      /* of the first so many seats */
  bool apart;           /* no iterations conflict */
  uint64_t size, steps; /* a step is so many iterations, the last one may be fewer; all steps */
  uint64_t piece;       /* steps that are worth being taken from another thread */
  _Atomic bool said;
  pthread_mutex_t lock; /* of the spare room for reductions */
  char *spare;
  size_t spare_bytes;
  alignas(64) _Atomic uint64_t epoch;
  alignas(64) _Atomic uint64_t left; /* iterations that are not done */
  struct ag_crew_seat seats[];
};

#endif /* AG_CREW_STATE_H */
