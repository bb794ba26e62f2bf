/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* agglom-sim tasks: the policies of batches and splits, the very objects that the runtime has, on programs
 * and machines that are only described. Time is virtual, so a result depends on the options alone. */
#ifndef AG_SIM_TASKS_H
#define AG_SIM_TASKS_H

#include "policy/model/model.h"
#include "policy/policy.h"
#include "sim.h"

/* --- The program ------------------------------------------------------------------------------------------
 */

/* PROGRAM: a thread's own way through a time step, which ends with a wait. Others are CPU-only units. */
enum sim_class { SIM_HIGH, SIM_LOW, SIM_PROGRAM, SIM_N_CLASSES };

enum { SIM_ANY_THREAD = -1, SIM_MOST_THREADS = 4096, SIM_MOST_TASK_DEVICES = AG_MODEL_DEVICES };

struct sim_task {
  enum sim_class class;
  int thread;        /* that has to run it; SIM_ANY_THREAD */
  uint32_t step;     /* those of a step begin when the step before is complete */
  uint32_t first, n; /* units that it submits */
  double ns;         /* what it takes after the last one */
  double not_before; /* ns after the beginning of its step */
};

/* Nodes are numbered, the tasks first. Arrays that are NULL hold nothing but zeros. */
struct sim_program {
  struct sim_task *task; /* by step */
  uint32_t tasks, units, steps;
  float *ns;     /* of each unit: what a CPU unit takes for it, */
  float *items;  /* its cost as the runtime knows it, */
  float *gap;    /* what passes between it and the unit submitted before it, */
  int16_t *home; /* and whose FIFO it is for when no task submits it; -1: one does. NULL: all are submitted */
  uint32_t *preds;   /* of each node: how many must be complete before */
  uint64_t *succ_at; /* of each node: its successors are succ[succ_at[i]] to succ[succ_at[i + 1]] */
  uint32_t *succ;
};

void sim_program_free(struct sim_program *program);

/* How units arrive when the program is not read from a file. */
enum sim_arrivals { SIM_EVENLY, SIM_POISSON, SIM_BURSTS };

struct sim_tasks_of { /* CPU-only units of each step */
  uint32_t n;
  double ns;
  enum sim_class class;
};

enum { SIM_MOST_OTHERS = 8 };

struct sim_shape_of_program {
  struct sim_work work; /* units of a step and what they cost */
  enum sim_arrivals arrivals;
  double gap_ns, burst, pause_ns;
  unsigned submitters;            /* threads among which the units are shared out */
  struct sim_tasks_of generators; /* n > 0: they submit the units */
  struct sim_tasks_of other[SIM_MOST_OTHERS];
  unsigned others;
  uint64_t steps;
  bool no_wait; /* at the end of a step */
  bool unknown; /* the runtime does not know what units cost */
};

/* 0 or a negative errno, with *why then. */
int sim_program_make(struct sim_program *program, struct sim_shape_of_program *shape, const char **why);

/* A file of nodes; see agglom-sim(1). On -EINVAL *line is where it is wrong. */
int sim_program_read(struct sim_program *program, const char *path, unsigned long *line, const char **why);

/* What a trace of the runtime (AGGLOM_TRACE) tells of a program and its machine. */
struct sim_traced {
  unsigned threads, devices;
  double speed;     /* CPU units that are as fast as the device; 0: unknown */
  bool on_cpus;     /* CPU units ran some units: costs are times of theirs */
  double launch_ns; /* of a launch, on the device */
  double host_ns, host_unit_ns, commit_ns, commit_unit_ns; /* 0: unknown, all of them */
  double bytes_in, bytes_out;                              /* of a unit */
  double one_size;                                         /* units of each launch; 0: they differ */
  bool launches;                                           /* devices ran some units */
  bool loops, tasks; /* whether chunks of loops are among its batches, and units of other tasks */
  double ns;         /* until the last of it was done */
};
int sim_program_from_trace(struct sim_program *program, struct sim_traced *traced, const char *path,
                           const char **why);

/* --- The machine ------------------------------------------------------------------------------------------
 */

enum { SIM_MOST_LOSSES = SIM_MOST_TASK_DEVICES };

/* In which order the units of a launch are begun: as the policy wants it, or the same under all. */
enum sim_order { SIM_AS_POLICY, SIM_IN_ORDER, SIM_DEAR_FIRST };

struct sim_task_machine {
  unsigned cpus, devices, slots;
  double speed;                 /* of a device that is full: CPU units that are as fast */
  unsigned fill;                /* blocks that it has resident at most */
  unsigned saturated;           /* blocks at which it has its full speed; up to fill */
  unsigned blocks;              /* of a unit */
  double host_ns, host_unit_ns; /* what a launch takes of its thread: once, and for each unit */
  double commit_ns, commit_unit_ns;
  double launch_ns;             /* what it takes of the device besides */
  double copy_ns, bytes_per_ns; /* of a copy, either way; 0: copies take no time besides */
  double bytes_in, bytes_out;   /* of an item */
  double slot_bytes;            /* a launch takes so much at most */
  uint64_t most;                /* and so many units; 0: any number */
  uint64_t live;                /* incomplete units at which a thread helps before it submits more */
  double ask_ns, ask_split_ns;  /* what it takes who submits to ask a timed policy; and AGGLOM_SPLIT=auto */
  double take_ns; /* what a CPU batch takes of its thread before it runs, one after the other for one FIFO */
  double look_ns; /* how often a thread without work looks at what others have */
  double noise;   /* standard deviation of the logarithm of what launches and units take */
  double fails;   /* the part of the batches that fail */
  double lost_ns[SIM_MOST_LOSSES]; /* when each device is lost; SIM_NEVER */
  enum sim_order order;
  bool own;      /* thread i has device i modulo their number to itself */
  bool blocking; /* a thread waits for what it has launched */
  uint64_t seed;
};

/* --- A run ------------------------------------------------------------------------------------------------
 */

struct sim_policies {
  struct ag_batch_choice batch;
  enum ag_split_choice split;
};

struct sim_tasks_result {
  double ns;
  double busy_cpu_ns;           /* of all CPU units, in units and CPU-only units */
  double host_ns;               /* in launches and commits */
  double busy_device_ns;        /* in kernels */
  double copy_ns;               /* in copies, either way */
  double waited_ns;             /* from submission to completion, of all units */
  uint64_t units, on_devices;   /* complete ones; of these by devices */
  uint64_t launches, largest;   /* largest: units */
  uint64_t failed, cpu_batches; /* failed: launches */
  uint64_t reasons[AG_N_REASONS];
};

/* The program under these policies. 0 or a negative errno, with *why then. At the end it is checked that each
 * unit has taken effect once. `map`: for what each thread and device did, or NULL. */
int sim_tasks_run(const struct sim_program *program, const struct sim_task_machine *machine,
                  const struct sim_policies *policies, struct sim_tasks_result *result, FILE *map,
                  const char **why);

/* agglom-sim tasks ...: the exit status. */
int sim_tasks_main(int argc, char **argv);

#endif /* AG_SIM_TASKS_H */
