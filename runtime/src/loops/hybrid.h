/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One execution of a '#pragma agglom for' whose chunks CPU units and devices take at the same time. A
 * schedule (policy/loop/loop.h) says which unit runs which iterations next; here chunks are made, kept apart
 * and run.
 *
 * A chunk is granted, prepared (its sections are evaluated: by calling the loop's submit() with a thread that
 * captures what is submitted), and runs when it is its turn: chunks whose sections conflict run in the order
 * of their iterations. So all chunks before it must be prepared, and those of them that conflict done, unless
 * all iterations are apart. On the CPU a chunk is run at once, in place. For a device it becomes units of the
 * loop's context, in a batch of their own; should that fail, they go where all units of failed batches go.
 *
 * The thread whose loop it is serves it until it is over, and so do the pool's threads. CPU units are
 * virtual: a thread serves the one with its number, or one that nobody else serves at the moment.
 *
 * Locks: an execution's lock is taken after a worker's. */
#ifndef AG_HYBRID_H
#define AG_HYBRID_H

#include "graph/unit.h"
#include "policy/loop/loop.h"
#include <pthread.h>
#include <stdatomic.h>

struct ag_runtime;
struct ag_worker;

/* The arguments of agglom_for(). */
struct ag_for {
  void (*submit)(const void *env, unsigned long long from, unsigned long long to, void *slot);
  void (*combine)(void *env, const void *slot);
  void *env;
  size_t slot_size;
  uint64_t n; /* 1 or more */
  unsigned schedule;
  uint64_t chunk; /* 0: the schedule chooses */
  double ratio;   /* of schedules that take another number; 0: none was given */
  bool even;      /* what iterations write moves on by as much from each to the next */
  bool apart;     /* no two write an element of one section with the same indexes */
  bool cpus;      /* its units are CPU-only */
};

/* Runs the loop to its end, by w, the calling thread's worker, and whoever comes to help. False: nothing was
 * begun, because the chunks are not one unit with a kernel each, or for want of memory; units will do. */
bool ag_hybrid_run(struct ag_worker *w, const struct ag_for *call);

/* A loop has ended that took so long: threads stay awake for the next one. */
void ag_hybrids_linger(struct ag_runtime *rt, uint64_t ns);

void ag_hybrids_init(struct ag_runtime *rt);
void ag_hybrids_destroy(struct ag_runtime *rt);

/* What is known of all loops goes to AGGLOM_MODELS, but for those that run. */
void ag_hybrids_keep_models(struct ag_runtime *rt);

/* The runtime stops: the minder is to end, and is joined with the pool. */
void ag_hybrids_stop(struct ag_runtime *rt);

#endif /* AG_HYBRID_H */
