/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A CUDA driver that is none: libfake_cuda.so has the entry points that agglom uses, over host memory. A
 * test loads it itself, sets it up through fake_cuda_state(), and points AGGLOM_CUDA_LIBRARY at it. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <agglom/launch.h>
#include <stddef.h>

struct fake_cuda {
  /* What the driver is to be. */
  int init_result;
  int version;
  int n_devices;
  int alike;        /* they have one name */
  int major, minor; /* compute capability of every device */
  int compute_mode;
  int kernel_max_threads; /* per block */
  int kernel_local_bytes; /* that each thread of a kernel is known to need */
  size_t stack_bytes;     /* of a thread; a program may set it up to */
  size_t most_stack_bytes;
  size_t memory_bytes;
  int not_ready; /* so many queries of events and streams still answer "not ready" */
  const char
      *fail_call; /* the symbol whose fail_nth-th call (from 1) from now on answers fail_result, or NULL */
  int fail_nth;
  int fail_result;
  const char *fail_always; /* each call of this symbol answers fail_result, or NULL */
  /* The same over all entry points: calls number fail_from to fail_from + fail_times - 1 since `calls` was 0
   * answer fail_result, or with fail_late the next call in a context does; 0 = none. */
  int fail_from, fail_times;
  int fail_late;
  int hang_from;                    /* from call number this on nothing is complete; 0 = none */
  void (*each)(const char *symbol); /* begins each call but the two that explain errors, or NULL */
  /* What runs for a kernel: its entry point, its parameter, its grid. */
  void (*kernel)(const char *name, const struct agglom_launch *launch, unsigned blocks, unsigned threads);
  /* What the driver does with the output of kernels at the calls that flush it. */
  void (*flush)(void);
  int late;   /* fail_late: what the next call answers */
  int refuse; /* set by a kernel: what its launch answers */
  int fault;  /* set by a kernel: the sticky error that the next call sees */
  /* What it has seen. */
  const char *failed;    /* the symbol of the last call that was made to fail */
  int calls;             /* of all entry points but the two that explain errors */
  int calls_after_death; /* with a context that a sticky error has killed */
  int calls_without_context;
  int stack_depth; /* pushed and not popped contexts, over all threads */
  int live_contexts, live_memory, live_host_memory, live_streams, live_events, live_modules, live_links;
  int live_registered; /* pieces of the program's memory */
  int staged_copies,
      direct_copies; /* to the device, from memory of the driver's and from registered memory */
  int row_copies;    /* of several rows at once */
  int loads;         /* of modules, tried */
  int launches;
  int flushes; /* calls that synchronise with the device */
  size_t memory_used;
  char last_image[64]; /* beginning of the last image that was tried */
};

/* The one state; not to be changed while the driver is in use by another thread. */
struct fake_cuda *fake_cuda_state(void);

/* Back to one healthy device. Only while nothing of it is in use. */
void fake_cuda_reset(void);

#endif /* FAKE_CUDA_H */
