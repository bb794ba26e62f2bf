/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What waits for devices: the units that a launch is decided about, of one FIFO or of those of all threads.
 */
#ifndef AG_WAITING_H
#define AG_WAITING_H

#include <stdbool.h>
#include <stdint.h>

/* One FIFO of a task. A thread that has submitted 100 units, 40 of which have been launched and 10 of which
 * are records of its stream yet, shows units 50, streamed 10, arrivals 100. */
struct ag_fifo_facts {
  uint64_t units;    /* in the FIFO, */
  uint64_t streamed; /* and in the stream that leads to it */
  uint64_t arrivals; /* units that its thread ever submitted, streamed ones included */
  double cost;       /* of the units in the FIFO: all, */
  double longest;    /* and the longest one; 0: there is none */
  bool active;       /* its thread submits: more is to come */
  bool own;          /* its thread is the one that asks */
};

/* All zero: nothing waits. */
struct ag_waiting {
  uint64_t units;    /* that wait, in FIFOs and streams */
  uint64_t streamed; /* of these, those in streams */
  uint64_t arrivals; /* units that ever came */
  double cost;       /* of the units that wait: all, */
  double longest;    /* and the longest one */
  unsigned active;   /* threads that submit */
  bool others;       /* other ones than the one that asks are among them */
};

/* What waits in these FIFOs together. */
void ag_waiting_add(struct ag_waiting *all, const struct ag_fifo_facts *fifo);

/* All FIFOs have been added. A unit in a stream is taken to cost what the mean of those in FIFOs does; where
 * there is none of these, 1. */
void ag_waiting_complete(struct ag_waiting *all);

/* What waits in one FIFO, for a policy that decides about each by itself: its thread counts as one that
 * submits. */
struct ag_waiting ag_waiting_of_one(const struct ag_fifo_facts *fifo);

#endif /* AG_WAITING_H */
