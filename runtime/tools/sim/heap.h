/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who is next in virtual time: a heap of numbered clocks, each of which can be set anew at any time. */
#ifndef AG_SIM_HEAP_H
#define AG_SIM_HEAP_H

#include <stdbool.h>

#define SIM_NEVER 1e300

struct sim_heap {
  unsigned n;
  double *at;      /* of each clock; SIM_NEVER: it is not set */
  unsigned *order; /* the heap: clocks */
  unsigned *place; /* where each clock is in it */
};

/* n clocks, none of them set. False: no memory. */
bool sim_heap_make(struct sim_heap *heap, unsigned n);
void sim_heap_free(struct sim_heap *heap);

void sim_heap_set(struct sim_heap *heap, unsigned clock, double at);

/* The clock that is next; of several with one time the one with the least number. */
static inline unsigned sim_heap_next(const struct sim_heap *heap) { return heap->order[0]; }

#endif /* AG_SIM_HEAP_H */
