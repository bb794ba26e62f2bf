/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime as a whole: what all threads share, and its life from the first submission to exit. */
#ifndef AG_RUNTIME_H
#define AG_RUNTIME_H

#include "memory/coverage.h"
#include "policy/policy.h"
#include "shared/kernels.h"
#include "shared/load.h"
#include "shared/slot.h"
#include "sys/align.h"
#include "sys/binding.h"
#include "sys/env.h"

struct ag_direct;
struct ag_crew;
struct ag_hybrids;
struct ag_team;
struct ag_worker;

/* All resident memory. Its lock is taken after an accelerator's. */
struct ag_residents {
  pthread_mutex_t lock;
  struct ag_coverage memory;
};

/* Hooks for loops/, a room that stands above all of this. */
struct ag_loops {
  bool (*help)(struct ag_worker *w);         /* does something for a loop; NULL: there is none */
  bool (*join)(struct ag_worker *w);         /* joins a short loop that has just begun; likewise */
  bool (*awaits)(const struct ag_worker *w); /* whether there is such a loop; likewise */
  _Atomic uint64_t linger_until; /* until when threads without work look for loops rather than sleep */
  struct ag_hybrids *all;
  struct ag_crew *crew;     /* NULL: there is none */
  struct ag_direct *direct; /* what is known of loops that are run directly; NULL: nothing will be */
};

struct ag_runtime {
  void *memory; /* what was allocated for this struct, which begins at the next cache line */
  struct ag_config config;
  const struct ag_batch_policy *policy;
  size_t most_live, most_bytes;      /* incomplete units of a thread at which it helps; what they take */
  struct ag_binding *binding;        /* NULL: threads are not bound */
  struct ag_team *_Atomic host_team; /* for the first host thread; NULL once that has taken it */
  unsigned cpus;                     /* threads that run work: the pool, and one for the waiting thread */
  uint64_t linger_ns; /* for so long threads spin when they have nothing to do; 0: they do not */
  unsigned staying; /* of all these threads, those that stay awake from one loop to the next; 1: none does */
  int n_accelerators;
  struct ag_accelerator accelerators[AG_MAX_DEVICES];
  struct ag_caps caps; /* of one launch */
  struct ag_residents residents;
  struct ag_loops loops;
  struct ag_worker *_Atomic workers; /* all of them; grows at its head only */
  struct ag_worker *_Atomic hosts; /* of these, the workers of host threads, which submit outside of tasks */
  _Atomic int left_error; /* first error of threads that have ended, for the next wait for units of all */
  _Alignas(AG_CACHE_LINE) _Atomic uint64_t stamps;    /* batches formed so far, from whosever FIFOs */
  _Alignas(AG_CACHE_LINE) _Atomic uint64_t looked_ns; /* when a thread that holds out its hand looked last */
  _Alignas(AG_CACHE_LINE) pthread_mutex_t growing;    /* guards the growth of both lists */
  /* Sleeping threads. */
  _Atomic uint32_t wakes; /* how often any were woken; they sleep until it changes */
  _Atomic unsigned sleepers;
  _Atomic unsigned waiters; /* those that sleep until certain units, or all, are complete */
  _Atomic unsigned resting; /* those that sleep and would run any unit; who looks once more is none of them */
  _Atomic unsigned tied_sleepers; /* those among them that do not run any CPU-only unit; worker.h, tied */
  _Atomic bool priorities_differ; /* a CPU-only unit had another priority than 0 or 1 */
  struct ag_load_means cpu_only;
  _Atomic bool choosy;       /* a thread has waited for certain units: since then CPU-only units are timed */
  bool must_fence;           /* threads that are about to sleep cannot fence those that submit */
  _Atomic unsigned lying;    /* threads that sleep until `wakes` changes */
  _Atomic bool waking;       /* one of them was woken, and none has got up since */
  _Atomic uint64_t quiet_ns; /* when an idle worker last began to look after quiet FIFOs */
  atomic_flag said_deep;     /* a message said that a stack is nearly used up */
  _Atomic bool stopping;     /* pool workers end */
};

/* The runtime, started if need be; NULL when it cannot be or is over: units are then plain calls. */
struct ag_runtime *ag_runtime_get(void);

/* The runtime if it runs already, else NULL; never starts it. */
struct ag_runtime *ag_runtime_running(void);

/* Whether the process is on its way out. */
bool ag_runtime_exiting(void);
void ag_runtime_exits(void); /* the process is on its way out from now on */

/* Whether there will be a report or a trace, or energy is minimised: only then is data gathered for these
 * that takes some time, as reading energy meters does. */
bool ag_runtime_reports(const struct ag_runtime *rt);

/* Whether units go to devices at all, if these have kernels for them. */
static inline bool ag_runtime_uses_devices(const struct ag_runtime *rt) {
  return rt->n_accelerators && rt->config.split != AG_SPLIT_CPU;
}

/* Whether a batch is on a device. */
bool ag_runtime_busy(const struct ag_runtime *rt);

/* Whether CPUs with time take units of this task from devices. */
static inline bool ag_runtime_shares(const struct ag_runtime *rt, const struct agglom_task *task) {
  return rt->n_accelerators && rt->config.split == AG_SPLIT_AUTO && !(task->flags & AGGLOM_TASK_GPU);
}

/* Whether a unit of this task can go to a device now. */
bool ag_runtime_on_device(struct ag_runtime *rt, struct agglom_task *task, enum ag_lane lane);
/* Warns once when the task asks for a device and there is none. */
void ag_runtime_miss_device(const struct ag_runtime *rt, const struct agglom_task *task);
/* Warns once that a unit of the task, of so many bytes, is too big for a device. */
void ag_runtime_miss_room(const struct ag_runtime *rt, const struct agglom_task *task, size_t bytes);

#endif /* AG_RUNTIME_H */
