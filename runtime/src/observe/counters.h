/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters behind observe.h, shared by the teller (observe.c) and the report (report.c). All numbers
 * are read and written relaxed: a report taken while work goes on may mix moments, never tear a number. */
#ifndef AG_COUNTERS_H
#define AG_COUNTERS_H

#include "observe/observe.h"
#include <stdalign.h>
#include <stdatomic.h>

typedef _Atomic uint64_t ag_counter;

/* Batch sizes, fine enough for a median: up to 16 exactly, above it 8 steps for each power of two. */
enum { AG_SIZE_STEPS = 8, AG_SIZE_EXACT = 16, AG_SIZE_BUCKETS = AG_SIZE_EXACT + (64 - 4) * AG_SIZE_STEPS };

struct ag_sizes {
  ag_counter min, max; /* min is 0 while there is none */
  struct {
    ag_counter count, sum;
  } bucket[AG_SIZE_BUCKETS];
};

/* What happened at one place: on the CPU (index 0) or on device i (index i + 1). */
struct ag_place {
  ag_counter units, batches, failed, joined, chains, split_parts, warps, bytes_in, bytes_direct, bytes_reused,
      bytes_out, stage_ns, device_ns, total_ns;
  ag_counter chunks, iterations; /* of loops */
};
enum { AG_PLACES = AG_OBSERVE_DEVICES + 1 };

struct ag_observe_task {
  struct ag_observe_task *next; /* in order of registration */
  char *name, *file;
  unsigned line;
  alignas(64) ag_counter submitted; /* on its own cache line: every submission may touch it */
  alignas(64) ag_counter cpu_units; /* outside batches */
  /* Of loops that were run directly, and are not counted in what follows yet, as a loop may be short:
   * executions in one piece as the one before, and pieces of others. */
  struct {
    ag_counter n, iterations;
  } again;
  struct {
    ag_counter n, iterations, ns;
  } pieces;
  const char *_Atomic schedule;          /* of a loop, in its last execution; NULL: none was executed */
  _Atomic double argument;               /* the number behind its name; below 0: none */
  ag_counter executions;                 /* of the loop */
  ag_counter cut_chunks, cut_iterations; /* of the loop, where it was cut beforehand */
  ag_counter waited_chunks;              /* of it, for others that use the same memory */
  ag_counter reasons[2][AG_N_REASONS];   /* of CPU batches and of launches that did not fail */
  struct ag_place place[AG_PLACES];
  struct ag_sizes sizes[2]; /* of CPU batches, of launches */
};

/* The bucket of a batch of this many units, and the smallest size that falls into a bucket. */
unsigned ag_size_bucket(uint64_t units);
uint64_t ag_size_bucket_begin(unsigned bucket);

/* The size in the middle of all batches: exact where the batches near it are of one size, else the mean
 * of its bucket (within 1/8). 0 when there is none. */
double ag_sizes_median(const struct ag_sizes *sizes);

/* Runs visit for each task in order of registration, and for none at the same time as ag_observe_task(). */
void ag_observe_each(void (*visit)(const struct ag_observe_task *task, void *context), void *context);

/* What was told; all zero when nothing was. */
struct ag_observe_settings ag_observe_settings_told(void);

/* The last readings of the meters; returns how many. */
unsigned ag_observe_energies(struct ag_energy_reading readings[AG_ENERGY_METERS]);

/* The name given to device number i, or NULL. */
const char *ag_observe_device_name(int i);

bool ag_observe_is_lost(int i);

#endif /* AG_COUNTERS_H */
