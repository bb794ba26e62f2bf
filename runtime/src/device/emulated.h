/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulated device's own parts: emulated.c (its calls), emulated_threads.c (what runs behind them) and
 * emulated_memory.c (its address space). Nothing else includes this. */
#ifndef AG_EMULATED_H
#define AG_EMULATED_H

#include "device/device.h"
#include "sys/env.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AG_EMULATED_POISON = 0xAA }; /* each byte of memory that nothing has written yet */

/** One piece of emulated memory: inaccessible pages, the usable bytes, inaccessible pages. */
struct ag_emulated_block {
  char *start;  /* what the caller has */
  size_t bytes; /* what the caller asked for */
  char *map;    /* the whole mapping with its guard pages */
  size_t map_bytes;
  unsigned char *tiles; /* of large shared memory: enum ag_emulated_tile of each; else NULL */
};

/* Large shared memory is poisoned tile by tile when it is first used. */
enum { AG_EMULATED_TILE = 256 << 10 };
enum ag_emulated_tile { AG_TILE_NEW = 0, AG_TILE_BUSY, AG_TILE_READY };

/** The memory of one device of one sort (device or pinned host). Every call is safe from any thread. */
struct ag_emulated_memory {
  pthread_mutex_t lock;
  bool shared;                      /* with processes that are made later; see ag_emulated_memory_touch() */
  uint64_t changes;                 /* how often there was another allocation, or one less */
  struct ag_emulated_block *blocks; /* sorted by start */
  size_t n_blocks, room;
  size_t used, limit; /* bytes; used counts whole pages as a device would */
};

void ag_emulated_memory_init(struct ag_emulated_memory *memory, size_t limit, bool shared);

/* Unmaps all that is left. Only when nobody uses it any more. */
void ag_emulated_memory_destroy(struct ag_emulated_memory *memory);

/* bytes > 0, aligned to 256, filled with the byte 0xAA, its end next to a guard page. -ENOMEM over the limit.
 */
int ag_emulated_memory_alloc(struct ag_emulated_memory *memory, size_t bytes, void **start);

/* -EINVAL if start is not one that ag_emulated_memory_alloc() gave and is still alive. */
int ag_emulated_memory_free(struct ag_emulated_memory *memory, void *start);

/* Whether address .. address + bytes - 1 lies within one live allocation. */
bool ag_emulated_memory_holds(struct ag_emulated_memory *memory, const void *address, size_t bytes);

/* Before [address, address + bytes) of shared memory is used other than by a kernel: sees to its poison. */
void ag_emulated_memory_touch(struct ag_emulated_memory *memory, const void *address, size_t bytes);

/* The same for one tile of bytes at start, whose state is *state. Also in a kernel's process. */
void ag_emulated_open_tile(unsigned char *state, char *start, size_t bytes);

/* Whether any live allocation contains this byte. */
bool ag_emulated_memory_has(struct ag_emulated_memory *memory, const void *address);

/** A kernel in execution. Lives on the stack of the stream's thread. */
struct run {
  const struct agglom_task *task;
  struct agglom_launch launch;
  unsigned stop;                    /* chains to run: all, unless the device is to be lost half way */
  atomic_uint next;                 /* next chain to take, unless processes take them */
  struct ag_isolated_run *isolated; /* what they share; NULL: the chains run in threads */
  unsigned users;                   /* executors inside; under device lock */
  bool over;                        /* no user and no chain is left; under device lock */
  struct run *after;                /* next in the device's queue */
};

/* How the work that a call queues is to end (AGGLOM_FAULT): well; with the device, half of it being done; or
 * not before somebody gives the device up, and then it goes on late. */
enum fate { FATE_WELL = 0, FATE_LOSE, FATE_HANG };

enum op_kind { OP_COPY_IN, OP_COPY_OUT, OP_MOVE, OP_FILL, OP_LAUNCH, OP_MARK, OP_MILESTONE, OP_FOLLOW };

/** A point in a stream's queue; under device lock. */
struct milestone {
  unsigned users; /* its stream until the next one, its operation, and the operations that wait for it */
  bool reached;
};

struct op {
  enum op_kind kind;
  enum fate fate;
  int byte;
  void *dst;
  const void *src;
  size_t bytes;
  const struct ag_fetch
      *pieces; /* of OP_COPY_OUT, unless it is NULL: the bytes between them are left alone */
  size_t n_pieces;
  struct ag_rows
      rows; /* of OP_COPY_IN and OP_COPY_OUT, unless there are pieces; `bytes` is the sum of them */
  const struct agglom_task *task;
  struct agglom_launch launch;
  struct milestone *milestone;
  struct op *next;
};

struct ag_stream {
  struct emulated *device;
  struct ag_stream *next;      /* of the same device; under device lock */
  struct milestone *milestone; /* the latest, or NULL; likewise */
  pthread_t thread;
  pthread_mutex_t lock; /* guards the next three */
  pthread_cond_t posted;
  struct op *first, **last;
  bool closing;
  bool silent;   /* it does not say any more that a batch is complete (AGGLOM_FAULT) */
  bool deserted; /* nobody waits for it any more; under the lock `reading` */
  /* ops_done follows ops_posted; a mark counts in both pairs. Written by one side each. */
  _Atomic uint64_t ops_posted, ops_done, marks_posted, marks_done;
  uint64_t kernel_ns_now;                       /* since the last mark; only the stream's thread */
  _Atomic uint64_t kernel_ns_last;              /* between the last two marks */
  struct ag_device_times times_now, times_last; /* the same of all operations; read when the mark is done */
};

struct ag_kernel {
  const struct agglom_task *task;
  struct ag_kernel *next;
};

struct emulated {
  struct ag_device base; /* first: the public part */
  struct ag_emulate model;
  struct ag_fault fault;
  struct ag_emulated_memory memory, host;
  struct ag_isolated_run *isolated_runs; /* of an isolated device */
  atomic_int registered;                 /* pieces of memory */
  pthread_mutex_t reading;               /* held while a copy reads host memory */
  pthread_mutex_t copying[2];            /* a copy engine for each direction: copies share the bandwidth */
  pthread_mutex_t launching;             /* held by a kernel where they do not overlap */
  pthread_mutex_t lock;                  /* guards all that follows */
  pthread_cond_t work;                   /* there is a run, or closing */
  pthread_cond_t run_over;
  pthread_cond_t reached; /* a milestone */
  struct run *runs, **last_run;
  struct ag_stream *streams;
  struct ag_kernel *kernels;
  uint64_t kernel_changes; /* how often there was another, or one less */
  bool closing;
  unsigned n_executors;
  atomic_flag said_failure, said_isolated;
  atomic_bool ending; /* the device is being closed: nothing hangs any more */
  pthread_t executors[];
};

/* Runs chain c of a launch, which takes unit_ns for each unit at least. */
void ag_emulated_run_chain(void (*body)(const struct agglom_launch *launch, unsigned c),
                           const struct agglom_launch *launch, uint64_t unit_ns, unsigned c);

/* The thread of an executor of the device arg: takes chains of kernels until it closes. */
void *ag_emulated_executor(void *arg);

/* A stream with its thread, not yet in the device's list. */
int ag_emulated_stream_start(struct emulated *e, struct ag_stream **stream);

/* Lets the stream finish what is queued and ends its thread; the stream is in no list any more. */
void ag_emulated_stream_end(struct ag_stream *s);

/* Queues a copy of *what. 0 or -ENOMEM. */
int ag_emulated_post(struct ag_stream *s, const struct op *what);

/* One user of the milestone less; NULL is fine. Device lock held. */
void ag_emulated_let_go(struct milestone *m);

#endif /* AG_EMULATED_H */
