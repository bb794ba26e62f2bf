/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one launch of an agglomerating kernel is given. Shared by the runtime, the emulated device and
 * the kernel text; plain types only, so that it can be read by every compiler on both sides. */
#ifndef AGGLOM_LAUNCH_H
#define AGGLOM_LAUNCH_H

/**
 * The offset arrays of one agglomeration.
 *
 * Units are packed in chain order. Chain c consists of the units start[c] .. end[c]-1 and is run in
 * that order by one block, one warp or one thread (block, warp, thread mapping); different chains run in
 * parallel. In block mapping a long unit that nothing orders may be split: it is then a chain of its own
 * that stands parts[c] times in a row, with part[c] = 0 .. parts[c]-1, and each block takes its share of
 * the iterations. In the other mappings parts[c] is always 1.
 *
 * Completion flags (not in each launch): unit k may begin when done[p] == epoch for each p in
 * pred[pred_start[k]] .. pred[pred_start[k+1]-1]. A predecessor always lies in a chain of a lower
 * index, so a block or warp never waits for one that starts after it. In thread mapping each block of such
 * a launch is one thread. pred_start is NULL when no unit of the launch waits; done is NULL then too.
 */
struct agglom_launch {
  const void *units;          /* n_units argument structures, packed, device address */
  const unsigned *start;      /* n_chains entries: first unit of the chain */
  const unsigned *end;        /* n_chains entries: one past its last unit */
  const unsigned *part;       /* n_chains entries: which share of a split unit */
  const unsigned *parts;      /* n_chains entries: into how many shares; 1 when not split */
  const unsigned *pred_start; /* n_units + 1 entries, or NULL */
  const unsigned *pred;       /* unit indexes */
  volatile unsigned *done;    /* n_units entries, or NULL */
  unsigned epoch;             /* the value that means "complete" in this launch */
  unsigned n_chains;
  unsigned n_units;
  unsigned by_warp; /* 1: a warp runs a chain, 0: a block; for tasks that the runtime chooses for */
};

/**
 * For kernels with recursive functions: the bytes of a thread's stack that may be in use when such a function
 * is entered, and the bytes beyond these for the function itself. The runtime gives each thread both.
 */
enum agglom_stack { AGGLOM_STACK_BYTES = 12288, AGGLOM_STACK_RESERVE = 4096 };

#endif /* AGGLOM_LAUNCH_H */
