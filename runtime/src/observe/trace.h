/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The trace: what happened when, for AGGLOM_TRACE. It is told of each batch, CPU-only unit and wait once that
 * is over, keeps them in memory and writes them out at the end, as trace events that Perfetto and
 * agglom-report read (trace_write.c).
 *
 * Each worker has a track of its own, to which only its thread adds: no lock and no atomic read-modify-write
 * but one for every chunk of memory. The chunks of all tracks together are bounded; what does not fit is
 * counted, and the file says so. From half of the bound on, CPU-only units of one task that follow one
 * another are kept as one span, and the last quarter is for batches alone. Without AGGLOM_TRACE telling costs
 * one branch. */
#ifndef AG_TRACE_H
#define AG_TRACE_H

#include "observe/observe.h"
#include <stdatomic.h>

struct ag_trace_track;

extern _Atomic bool ag_trace_is_on;

static inline bool ag_tracing(void) {
  return __builtin_expect(atomic_load_explicit(&ag_trace_is_on, memory_order_relaxed), false);
}

/* Begins to trace if choice->path is not empty: resolves the path, for the program may change its folder, and
 * tries whether it can be written. Returns 0, or a negative errno after a warning: then nothing is traced.
 * Before any track is asked for. */
int ag_trace_start(const struct ag_trace_choice *choice);

/* A track for a worker of the pool, or for host threads; NULL when nothing is traced or there is no memory,
 * and such a track takes nothing. */
struct ag_trace_track *ag_trace_track(bool pool);

/* A CPU-only unit or a wait begins: what to hand over at its end; 0 when nothing is traced, and then there is
 * no end to tell. Those of one track nest. */
uint64_t ag_trace_begin(struct ag_trace_track *track);

/* A CPU-only unit has run since then. */
void ag_trace_unit(struct ag_trace_track *track, const struct ag_observe_task *task, uint64_t begin_ns);

/* The thread has waited for units since then; what it ran meanwhile is told by itself. */
void ag_trace_wait(struct ag_trace_track *track, uint64_t begin_ns);

/* A batch is over: ag_observe_batch() calls it with what it was told. */
void ag_trace_batch(const struct ag_observe_task *task, const struct ag_batch_record *record);

/* Writes all that was told so far to the file: any thread, also while others go on. path is NULL for the one
 * of AGGLOM_TRACE. 0, or a negative errno after an error line; -ENOENT without one when nothing is traced. */
int ag_trace_write(const char *path);

/* In a forked child: the trace is the parent's. */
void ag_trace_forsake(void);

/* Ends the trace and forgets it. Only when no other thread uses any track, and before ag_observe_reset(). */
void ag_trace_end(void);

#endif /* AG_TRACE_H */
