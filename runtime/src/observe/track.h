/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What tracks hold, shared by those who fill them (trace.c) and who writes them out (trace_write.c). A reader
 * sees the entries below `used`, which never change, but for the span that more CPU-only units may join. */
#ifndef AG_TRACK_H
#define AG_TRACK_H

#include "observe/trace.h"

enum ag_trace_kind { AG_TRACE_UNITS, AG_TRACE_CPU_BATCH, AG_TRACE_WAIT, AG_TRACE_BATCH, AG_TRACE_KINDS };

/* The beginning of each entry. */
struct ag_trace_entry {
  uint16_t kind; /* enum ag_trace_kind */
  uint16_t size; /* bytes to the next entry */
  uint32_t reason;
  const struct ag_observe_task *task; /* NULL for waits */
};

/* All kinds but AG_TRACE_BATCH. */
struct ag_trace_span {
  struct ag_trace_entry entry;
  uint64_t begin_ns;
  _Atomic uint64_t end_ns, units;
  _Atomic uint64_t busy_ns;    /* AG_TRACE_UNITS: the units' own time, without the gaps between them */
  uint64_t queued, iterations; /* AG_TRACE_CPU_BATCH */
};

/* AG_TRACE_BATCH. */
struct ag_trace_launch {
  struct ag_trace_entry entry;
  struct ag_batch_record record;
};

struct ag_trace_chunk {
  struct ag_trace_chunk *_Atomic next;
  _Atomic size_t used;
  size_t size;
  _Alignas(16) char bytes[];
};

struct ag_trace_track {
  struct ag_trace_track *next; /* constant once the track is in the list */
  unsigned number;             /* from 0, of all tracks */
  unsigned of_kind;            /* from 1, of pool workers or of host threads */
  bool pool;
  struct ag_trace_chunk *_Atomic first;
  /* The thread's own. */
  struct ag_trace_chunk *last;
  unsigned depth;             /* units and waits that have begun and are not over */
  struct ag_trace_span *open; /* the last entry, if units may join it; it was recorded at this depth: */
  unsigned open_depth;
};

/* All that was recorded: for the writer. */
struct ag_trace_state {
  uint64_t begin_ns;
  const struct ag_trace_track *tracks; /* newest first */
  unsigned n_tracks;
  uint64_t lost[AG_TRACE_KINDS];
};

/* Writes it as one JSON object. 0 or a negative errno; errors of out are left there. */
int ag_trace_print(FILE *out, const struct ag_trace_state *state);

#endif /* AG_TRACK_H */
