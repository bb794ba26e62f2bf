/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pieces of a loop that the calling thread runs at once, without chunks, units or a schedule. */
#ifndef AG_RUN_H
#define AG_RUN_H

#include "loops/hybrid_chunk.h"

enum {
  AG_SECTIONS_HERE = 8, /* of a piece; more take memory from the heap */
  AG_SLOTS_HERE = 512   /* bytes of reductions; likewise */
};

/* A capture that runs what submit() submits. */
struct ag_run {
  struct ag_capture base;
  struct ag_worker *w;
  struct ag_domain *domain; /* the loop's */
  uint64_t iterations;      /* of the piece at hand */
  struct agglom_task *task;
  _Atomic bool *said;
  int err;
};

/* For a loop of this domain; said: whether there was a message about its sections. */
struct ag_run ag_run_begin(struct ag_worker *w, struct ag_domain *domain, _Atomic bool *said);

/* Runs the iterations from .. to - 1; slot: of their reductions. */
void ag_run_piece(struct ag_run *run, const struct ag_for *call, uint64_t from, uint64_t to, void *slot);

/* Zeroed reductions of n pieces, *size bytes each, in the `room` bytes here if they fit; else to be freed.
 * NULL: no memory. */
char *ag_run_slots(const struct ag_for *call, unsigned n, char *here, size_t room, size_t *size);

/* What an execution has come to; all zero before. */
struct ag_run_result {
  uint64_t pieces;
  bool helped;        /* CREW: other threads have run some of them */
  uint64_t ns;        /* elapsed */
  uint64_t linger_ns; /* CREW: for how long its threads are to stay awake for the next loop */
  struct agglom_task *task;
  int err; /* the first error of sections */
};

/* Runs the loop in one piece, by w's thread; timed: and takes its time. False: nothing was run, as there is
 * no memory. */
bool ag_run_alone(struct ag_worker *w, const struct ag_for *call, bool timed, struct ag_run_result *result);

#endif /* AG_RUN_H */
