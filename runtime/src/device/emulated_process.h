/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process in which a thread of an isolated emulated device runs kernels, and what it and the program say
 * to each other. It is a copy of the program at the time when it was made, with one thread: other threads'
 * locks may be held for ever, so it allocates nothing from their memory and calls nothing that locks. */
#ifndef AG_EMULATED_PROCESS_H
#define AG_EMULATED_PROCESS_H

#include "device/emulated_hide.h"
#include "device/emulated_isolated.h"

#include <stdatomic.h>

enum { AG_MOST_BLOCKS = 1024, AG_HANDLER_STACK = 64 << 10 };

/** How a kernel used an address; which one it was cannot be told everywhere. */
enum ag_use { AG_USES, AG_READS, AG_WRITES };

struct ag_isolated_run {
  atomic_uint next; /* chain to take */
  atomic_int told;  /* AG_NOTHING, then AG_TELLING, by whoever is first; then AG_TOLD */
  int error;        /* an errno: it could not be begun */
  int signal;       /* that ended the process, other than for an address */
  enum ag_use use;
  bool no_address; /* the pointer that was used was not of the form of one */
  uintptr_t address;
  bool in_use; /* under the device's lock */
};
enum { AG_NOTHING, AG_TELLING, AG_TOLD };

enum { AG_RUNS = 1024 };

/** Device memory whose tiles are poisoned when they are used. */
struct ag_tiled {
  char *body;
  size_t bytes;
  unsigned char *tiles;
};

struct ag_isolated_scratch {
  struct ag_hiding hiding;
  size_t n_tiled;
  struct ag_tiled tiled[AG_MOST_BLOCKS];
  char program[256];      /* its name, for assert() */
  char printed[16 << 10]; /* buffer of standard output */
  char handler_stack[AG_HANDLER_STACK];
};

/** What a process answers: text that a kernel has printed; without any, that a launch is done. */
struct ag_frame {
  unsigned bytes;
  char text[1020];
};

/** What a process is to run. */
struct ag_job {
  void (*body)(const struct agglom_launch *launch, unsigned c);
  struct agglom_launch launch;
  uint64_t unit_ns;
  unsigned stop;
  struct ag_isolated_run *run;
};

/* Whether the caller is the first to tell of a failure of the run, and may fill it in. */
bool ag_process_may_tell(struct ag_isolated_run *run);

/* For fopencookie(): the standard output of a process. */
ssize_t ag_process_print(void *cookie, const char *text, size_t bytes);

/* In the new process: takes jobs and answers until it is killed. run is the first. */
_Noreturn void ag_process_be(const struct ag_isolated_executor *x, pid_t parent, int jobs, int replies,
                             struct ag_isolated_run *run);

/* Keeps in the list what a kernel's process itself must know (emulated_process.c). */
void ag_process_keep(struct ag_hiding *h);

#endif /* AG_EMULATED_PROCESS_H */
