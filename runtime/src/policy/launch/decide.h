/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a launch is made now, of how much of what waits, and what of it is for CPUs. The runtime and
 * agglom-sim take the same steps, each with the facts that it has gathered and, in the runtime, with the
 * locks that protect them:
 *
 *   1. a thread that has better things to do asks the batch policy alone whether anything is due
 *      (ag_launch_asks_first), as mostly nothing is;
 *   2. if something may be due, and CPUs may take some of it, these get their part: what the asking thread
 *      does sooner itself (ag_launch_part, ag_front_takes), and what a launch leaves to others
 *      (ag_launch_leave);
 *   3. the batch policy is asked about the rest (ag_batch_ask), and what it says is the decision
 *      (ag_launch_conclude). */
#ifndef AG_LAUNCH_DECIDE_H
#define AG_LAUNCH_DECIDE_H

#include "policy/batch/batch.h"
#include "policy/launch/cpus.h"
#include "policy/split/split.h"

struct ag_decided {
  struct ag_batch_decision batch;
  uint64_t waiting;            /* units that waited when that was decided */
  bool rest;                   /* others will soon want what the batch does not take */
  bool in_flight;              /* the device that would take it has something to do */
  bool unknown;                /* nothing is known of what the device takes for it */
  struct ag_sizes_front front; /* a launch leaves these of each FIFO to CPUs, which stand at its front: */
  uint64_t for_cpus;           /* so many units of this one */
  uint64_t mine;               /* units at its front that the thread which asks does sooner itself */
};

/* Nothing is decided yet. */
static inline struct ag_decided ag_launch_undecided(void) {
  return (struct ag_decided){.front = AG_SIZES_NONE};
}

/* Step 1. open: CPUs may take some of what waits (AGGLOM_SPLIT=auto). Where they were to do all of it when
 * the thread asked last, they may be again, so that the first question tells nothing. */
static inline bool ag_launch_asks_first(bool open, bool busy, const struct ag_batch_again *again) {
  return open && busy && !ag_batch_was_for_cpus(again);
}

/* Step 2: the cost that the asking thread takes from the front; none if it has better things to do. */
static inline struct ag_cpu_part ag_launch_part(const struct ag_split_view *split, bool busy) {
  return (struct ag_cpu_part){busy ? 0 : ag_split_take(split), split->cpu_ns};
}

/* The units at the front of a FIFO that make up such a part: `while (u && ag_front_takes(&front, u->cost))`.
 * For each unit, so inline. */
struct ag_front {
  double items; /* of the part */
  double cost;  /* of those that were taken, */
  uint64_t n;   /* so many */
};
static inline bool ag_front_takes(struct ag_front *front, double cost) {
  if (front->n >= AG_CPU_MOST || front->cost >= front->items)
    return false;
  front->cost += cost;
  ++front->n;
  return true;
}

/* Step 2: what a launch leaves of a FIFO that holds `count` units, here->sizes, to CPUs, where all that waits
 * is `all`. Not all of it, unless some CPU takes any now: else nobody might. */
void ag_launch_leave(struct ag_decided *decided, struct ag_batch_view *view,
                     const struct ag_split_view *split, const struct ag_sizes *here, uint64_t count,
                     bool taken);

/* Step 3. */
void ag_launch_conclude(struct ag_decided *decided, const struct ag_batch_view *view, uint64_t waiting);

#endif /* AG_LAUNCH_DECIDE_H */
