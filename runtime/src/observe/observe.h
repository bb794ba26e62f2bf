/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* observe/: is only told things, and says them at the end (AGGLOM_REPORT, AGGLOM_TRACE). It knows tasks by
 * name and devices by number; it never calls back into the runtime.
 *
 * Telling is a few relaxed atomic additions: safe from any thread, no lock, no allocation, no clock.
 * A task handle of NULL is ignored everywhere, so a failed ag_observe_task() needs no care. */
#ifndef AG_OBSERVE_H
#define AG_OBSERVE_H

#include "sys/clock.h"
#include "sys/energy.h"
#include "sys/env.h"
#include <agglom/abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { AG_OBSERVE_CPU = -1, AG_OBSERVE_DEVICES = 32 };

/* Why a batch was launched. */
enum ag_reason {
  AG_REASON_FULL = 0,         /* no further unit fits: a limit of memory, kernel or application */
  AG_REASON_IDLE,             /* the device had nothing to do */
  AG_REASON_NO_HIGH_PRIORITY, /* no high-priority work was left */
  AG_REASON_AGE,              /* the oldest unit had waited long enough */
  AG_REASON_FLUSH,            /* somebody waits for the units */
  AG_REASON_POLICY,           /* the policy's own rule: single, static:N, count:N */
  AG_N_REASONS
};

struct ag_trace_track;

/** One batch, told when it is over. All of it describes this attempt alone. */
struct ag_batch_record {
  int where; /* index of the device in the runtime's list, or AG_OBSERVE_CPU */
  enum ag_reason reason;
  uint64_t units;
  uint64_t joined;       /* those among them that came while it was being staged */
  uint64_t chains;       /* of the launch; a split unit counts once. 0 where there are none */
  uint64_t split_parts;  /* blocks that run shares of split units; 0 when none is split */
  uint64_t warps;        /* 1 when warps run its chains, else 0 */
  uint64_t bytes_in;     /* host to device */
  uint64_t bytes_direct; /* of these, without a staging buffer */
  uint64_t bytes_reused; /* that were on the device already */
  uint64_t bytes_out;    /* device to host */
  uint64_t stage_ns;     /* packing and gathering on the host */
  uint64_t device_ns;    /* in kernels, as the device measured; 0 = unknown */
  uint64_t total_ns;     /* from forming the batch to its commit */
  bool failed;           /* nothing took effect: its units are run again and counted there */
  /* For the trace alone, and in ag_clock_ns() time: 0 and NULL where they are not known. */
  uint64_t iterations;  /* of a loop, where its units are chunks of one or parts of chunks */
  unsigned slot;        /* of the device: its batches follow one another */
  uint64_t begin_ns;    /* the batch was formed */
  uint64_t launched_ns; /* the device was given everything */
  uint64_t finished_ns; /* it was seen that the device is done; then comes the commit */
  uint64_t queued;      /* units left in all FIFOs when the batch was formed */
  struct ag_clock_span copy_in, kernel, copy_out; /* as the device measured */
  struct ag_trace_track *begun_on, *ended_on;     /* of who staged it, and of who committed it */
};

/* Counters of one task type; lives until ag_observe_reset(), also after dlclose() of the task. */
struct ag_observe_task;

/* The counters for a task, made on first use (found again by name, file and line). Copies what it
 * needs of task. NULL when there is no memory left. Takes a lock: call it at registration. */
struct ag_observe_task *ag_observe_task(const struct agglom_task *task);

/* Gives device number `where` its name for the report ("emulated:0"). Before batches on it. */
void ag_observe_device(int where, const char *name);

/* Under what the program ran. Its devices are those of ag_observe_device(). */
struct ag_observe_settings {
  char batch[32], split[16], objective[16]; /* as AGGLOM_BATCH, ... name them */
  char objective_why_not[352]; /* why time was minimised instead; "" if it was not, or is the objective */
  unsigned workers, cores;     /* cores: of each */
};
void ag_observe_settings(const struct ag_observe_settings *settings);

/* That device is lost. */
void ag_observe_lost(int where);

/* n units were submitted. One atomic addition: callers may add up and tell rarely. */
void ag_observe_submitted(struct ag_observe_task *task, uint64_t n);

/* n units ran on the CPU outside any batch (a CPU-only task, or a plain call). */
void ag_observe_cpu_units(struct ag_observe_task *task, uint64_t n);

/* A loop is executed: by a schedule of that name, which must stay valid, with this number behind it unless it
 * is below 0; the last one is reported. */
void ag_observe_loop(struct ag_observe_task *task, const char *schedule, double argument);

/* This many iterations of a loop have run at `where`, as one chunk. */
void ag_observe_chunk(struct ag_observe_task *task, int where, uint64_t iterations);

/* CPUs have run all iterations of a loop, in so many pieces: each of them is told as a unit, a batch of its
 * own and a chunk. ns: from the loop's begin to its end. */
void ag_observe_pieces(struct ag_observe_task *task, uint64_t pieces, uint64_t iterations, uint64_t ns);

/* A loop is executed by the schedule that was told last: a CPU has run it in one piece. Its time was not
 * taken. */
void ag_observe_again(struct ag_observe_task *task, uint64_t iterations);

/* A loop was cut into this many units (chunks) beforehand: where each of them runs is told as that of
 * units. */
void ag_observe_cut(struct ag_observe_task *task, uint64_t chunks, uint64_t iterations);

/* A chunk of a loop has waited for others of it that use the same memory. */
void ag_observe_waited(struct ag_observe_task *task);

/* A batch is over. Its units count as run at record->where unless it failed. Tells the trace as well. */
void ag_observe_batch(struct ag_observe_task *task, const struct ag_batch_record *record);

/* What the energy meters say now, for the report. n is at most AG_ENERGY_METERS. */
void ag_observe_energy(const struct ag_energy_reading *readings, unsigned n);

/* How a reason is called in JSON; NULL for no reason at all. */
const char *ag_reason_key(enum ag_reason reason);

/* Prints the report of all that was told so far. AG_REPORT_OFF prints nothing. Numbers are exact once
 * the runtime is quiet. */
void ag_observe_report(FILE *out, enum ag_report_mode mode);

/* The same where AGGLOM_REPORT wants it. A file that cannot be written is an error line and the report
 * goes to standard error. Returns 0 or a negative errno. */
int ag_observe_report_to(const struct ag_report_choice *choice);

/* Totals so far, for tests and for the runtime's own consistency checks. */
struct ag_observe_totals {
  uint64_t submitted, on_cpu, on_device, cpu_batches, launches, failed;
  uint64_t bytes_in, bytes_direct, bytes_reused, bytes_out, kernel_ns; /* of devices */
};
void ag_observe_totals(struct ag_observe_task *task, struct ag_observe_totals *totals);

/* Forgets everything. Only when no other thread uses any handle: tests, and the end of the process. */
void ag_observe_reset(void);

#endif /* AG_OBSERVE_H */
