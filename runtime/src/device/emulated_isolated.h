/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Isolated emulated devices: each executor runs its share of a kernel's chains in a process of its own, which
 * has the device's memory and none of the program's. It is made when the first kernel is launched, and again
 * when the device's memory or the program's libraries have changed. What the kernel prints goes on in
 * the program's standard output; what kills it, but for a wrong address, kills the program. */
#ifndef AG_EMULATED_ISOLATED_H
#define AG_EMULATED_ISOLATED_H

#include "device/emulated.h"

#include <stdio.h>
#include <sys/types.h>

struct ag_isolated_scratch;

/** What an executor needs to run its chains in a process. Used by the executor's thread alone. */
struct ag_isolated_executor {
  struct ag_isolated_scratch *scratch; /* NULL: it runs chains itself */
  FILE *out;                           /* standard output of its processes */
  char *stack, *arena; /* of this thread, arena for malloc(): memory that the process has, too */
  size_t stack_bytes, arena_bytes;
  bool own_arena;
  pid_t pid;                  /* of its process; 0: there is none */
  int jobs, replies;          /* pipes to and from it */
  uint64_t changes;           /* of the device's memory and kernels when it was made */
  unsigned long long objects; /* loads and unloads of libraries so far, when it was made */
};

/* Why this program cannot be isolated: a sentence in static storage; NULL when it can be. */
const char *ag_isolated_why_not(void);

/* By the executor's thread, at its begin and end. */
void ag_isolated_begin(struct ag_isolated_executor *x, struct emulated *e);
void ag_isolated_end(struct ag_isolated_executor *x);

/* Makes and frees what isolated runs of the device share with processes; false: there is no memory. */
bool ag_isolated_open(struct emulated *e);
void ag_isolated_close(struct emulated *e);

/* What the executors of a run and their processes share; NULL: there are too many. */
struct ag_isolated_run *ag_isolated_run_new(struct emulated *e);

/* By an executor: runs chains of the run until none is left to take. */
void ag_isolated_take(struct emulated *e, struct ag_isolated_executor *x, const struct run *run);

/* By the stream's thread, when the run is over; the device is lost if one of the chains failed. Frees it. */
void ag_isolated_run_end(struct emulated *e, const struct run *run);

/* Whether this is a kernel's process. */
bool ag_isolated_here(void);

/* In a kernel's process, where it waits for another: ends it when that one has failed. */
void ag_isolated_check(void);

#endif /* AG_EMULATED_ISOLATED_H */
