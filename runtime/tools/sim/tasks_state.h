/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the parts of agglom-sim tasks share: the state of a run. */
#ifndef AG_SIM_TASKS_STATE_H
#define AG_SIM_TASKS_STATE_H

#include "heap.h"
#include "policy/launch/cpus.h"
#include "policy/launch/decide.h"
#include "policy/launch/devices.h"
#include "policy/launch/view.h"
#include "policy/split/sizes.h"
#include "tasks.h"

#define SIM_NONE UINT32_MAX

/* Units one after the other, linked by run.next. */
/* The dearest first, by classes of costs: the last one of each class that there is. */
struct sim_dear {
  uint64_t used;
  uint32_t last[AG_SIZE_CLASSES];
};

struct sim_chain {
  uint32_t head, tail;
  uint64_t n;
  double items, longest;  /* longest: of all that were pushed since it was empty */
  struct ag_sizes *sizes; /* of those that are in it; NULL: nobody wants to know */
  struct sim_dear *dear;  /* NULL: they stand as they came */
};

struct sim_fifo {
  struct sim_chain units, cpu; /* cpu: those that the split, or a failure, has left to CPUs */
  struct ag_sizes sizes;       /* of units */
  struct sim_dear dear;
  struct ag_away away;    /* when another thread found too little in it first */
  uint64_t kept_for_cpus; /* units at the front that a launch has left for CPUs with time */
  uint64_t
      kept_for_devices; /* units at the front that have been left to devices when others were shared out */
  struct ag_batch_state policy;
  uint64_t paused;           /* arrivals when its thread had nothing more to submit, last, */
  uint64_t launched;         /* and at the last launch */
  struct ag_batch_again ask; /* when a submission asks the policy again */
  uint64_t limit, limited;   /* after a failure the next `limited` units go in batches of `limit` at most */
  uint64_t cpu_ns;           /* what a unit takes on a CPU, lately and at best; 0: unknown */
  double free_ns;            /* the last that has taken a CPU batch from it is through */
  uint64_t seen;             /* arrivals when others last looked whether it is quiet */
};

struct sim_batch {
  struct sim_chain units;
  unsigned owner, device; /* owner: of the FIFO */
  bool used, failed, blocks;
  uint64_t most; /* units to which it may grow, */
  enum ag_reason reason;
  double since, launched, finish, expected_ns, service_ns, own_ns, in_ns, out_ns, kernel_ns, host_ns,
      staged_ns;
  struct sim_batch *next;
};

struct sim_device {
  struct sim_batch *first, *last; /* launched, not finished */
  struct sim_batch *slot;
  unsigned used; /* slots */
  double in_free, kernel_free, out_free, finished;
  double believed_free; /* by the model */
  double since;         /* it has had something to do, or has last ended something */
  unsigned failed;      /* batches since the last one that did not fail */
  bool lost;
};

enum sim_doing { SIM_IDLE, SIM_RUNS, SIM_LAUNCHES, SIM_COMMITS, SIM_CPU_BATCH, SIM_BLOCKED };

struct sim_thread {
  enum sim_doing doing;
  double since;
  uint32_t task, child; /* that it runs, or will go on with; SIM_NONE. child: the next unit to be submitted */
  bool held;            /* too much is incomplete: it helps before it submits more */
  bool waits;
  bool asks_again;         /* whether a launch is due, after the commit */
  double asked_ns;         /* for what it has asked; that goes by before it goes on */
  struct sim_batch *batch; /* of launches and commits */
  struct sim_chain cpu;    /* the CPU batch, */
  unsigned cpu_of;         /* from the FIFO of this thread */
  double begun;            /* the task; */
  double until;            /* when it, or the CPU batch, is believed to end; 0: not known */
  struct ag_turn turn;
  struct sim_fifo fifo;
  uint32_t ready[SIM_N_CLASSES], ready_end[SIM_N_CLASSES]; /* tasks that only it may run */
};

enum { SIM_WAITING, SIM_QUEUED, SIM_TAKEN, SIM_DONE }; /* of a unit */

struct sim_tasks {
  const struct sim_program *p;
  const struct sim_task_machine *m;
  struct sim_policies policies;
  const struct ag_batch_policy *batch;
  struct ag_model model;
  struct ag_split_state split;
  struct sim_thread *thread;
  struct sim_device *device;
  struct ag_batch_state common; /* of a policy that takes all FIFOs for one */
  struct ag_cpu_part part;      /* and what a CPU with time takes, as decided last */
  struct sim_heap clock;        /* threads, devices, losses of devices, a look, a release of tasks */
  double now;
  uint32_t *next; /* of each unit, in its chain */
  uint8_t *state; /* of each unit */
  uint32_t *preds_left;
  uint32_t *task_next;                                 /* in a list of ready tasks */
  uint32_t ready[SIM_LOW + 1], ready_end[SIM_LOW + 1]; /* tasks for any thread */
  uint64_t ready_n[SIM_LOW + 1];                       /* bound ones included */
  uint32_t *timed;                                     /* tasks of this step that begin later, by time, */
  uint32_t timed_n, timed_at;                          /* how many, and the next of them */
  uint32_t step_task, next_step_task, step;            /* tasks of the step */
  uint64_t left, live;         /* nodes of this step, and submitted units, that are incomplete */
  uint64_t waiting, for_cpus;  /* units in FIFOs; in their cpu chains */
  unsigned idle;               /* threads */
  bool tries;                  /* AGGLOM_SPLIT=auto: a CPU runs a unit to know what it takes */
  double task_ns[SIM_LOW + 1]; /* what tasks take, the late ones above all; 0: unknown */
  double step_begun, quiet_at;
  double whole_at; /* when it is of use to look again whether all units of the step have come */
  bool poke;       /* somebody who is idle may find work */
  bool refused;    /* a launch was wanted, but all slots were in use */
  struct sim_batch *done, *done_last; /* finished, not yet committed */
  uint64_t number;                    /* of noise */
  double happened;                    /* when anything but a look did, last */
  unsigned failed;                    /* batches since the last one that did not fail */
  unsigned devices_left;
  double *block;    /* of a device: when each is free, and */
  uint32_t *sorted; /* the units of a launch in the order in which they are begun: for kernel_ns() */
  struct sim_tasks_result *result;
  FILE *map;
};

static inline unsigned sim_device_clock(const struct sim_tasks *r, unsigned d) { return r->m->cpus + d; }
static inline unsigned sim_loss_clock(const struct sim_tasks *r, unsigned d) {
  return r->m->cpus + r->m->devices + d;
}
static inline unsigned sim_look_clock(const struct sim_tasks *r) { return r->m->cpus + 2 * r->m->devices; }
static inline unsigned sim_release_clock(const struct sim_tasks *r) { return sim_look_clock(r) + 1; }

static inline double sim_items(const struct sim_tasks *r, uint32_t unit) {
  return r->p->items ? (double)r->p->items[unit] : 1;
}

/* Units that a device has resident; 0: it is a line, and that is all there is to know. */
static inline uint64_t sim_fill(const struct sim_task_machine *m) {
  return m->fill == 1 ? 0 : m->fill > m->blocks ? m->fill / m->blocks : 1;
}

/* A line of the map. */
void sim_map(const struct sim_tasks *r, const char *what, const char *where, unsigned number, double since,
             uint64_t units);
/* What this takes with noise. */
double sim_noisy(struct sim_tasks *r, double ns);

/* --- Nodes (tasks_nodes.c) --- */

void sim_chain_push(struct sim_tasks *r, struct sim_chain *chain, uint32_t unit);
/* At the front. */
void sim_chain_return(struct sim_tasks *r, struct sim_chain *chain, const struct sim_chain *first);
uint32_t sim_chain_pop(struct sim_tasks *r, struct sim_chain *chain);
/* The units of the step come, the first ones at once. False: there is no further step. */
bool sim_step_begin(struct sim_tasks *r);
void sim_release_timed(struct sim_tasks *r);
/* Thread t submits it. */
void sim_submit(struct sim_tasks *r, unsigned t, uint32_t unit);
void sim_task_done(struct sim_tasks *r, uint32_t task);
void sim_units_done(struct sim_tasks *r, struct sim_chain *chain);
/* A task of this class for the thread; SIM_NONE: there is none. */
uint32_t sim_ready_take(struct sim_tasks *r, unsigned t, enum sim_class class);

/* --- Devices (tasks_device.c) --- */

/* The device that would get the next batch of thread t; UINT_MAX: none is left. */
unsigned sim_device_for(const struct sim_tasks *r, unsigned t);
struct ag_device_facts sim_device_facts(const struct sim_tasks *r, unsigned device);
void sim_look_at_devices(const struct sim_tasks *r, struct ag_device_facts facts[SIM_MOST_TASK_DEVICES]);
struct sim_batch *sim_slot_take(struct sim_tasks *r, unsigned device);
void sim_slot_give(struct sim_tasks *r, struct sim_batch *batch);
/* From now on it is known to have this, too, to do: to be called again when the batch has grown. */
void sim_device_expect(struct sim_tasks *r, struct sim_batch *b, bool staging);
/* Staging is over. */
void sim_device_launch(struct sim_tasks *r, struct sim_batch *batch);
/* The first batch of the device is finished. */
void sim_device_finished(struct sim_tasks *r, unsigned device);
void sim_device_lost(struct sim_tasks *r, unsigned device);
/* Its units go back to where they came from. */
void sim_batch_return(struct sim_tasks *r, struct sim_batch *batch);

/* --- Threads (tasks_threads.c) --- */

/* It finds something to do, or stays idle. */
void sim_find(struct sim_tasks *r, unsigned w);
/* What it was doing is over. */
void sim_thread_goes_on(struct sim_tasks *r, unsigned w);
/* All that are idle look. */
void sim_look(struct sim_tasks *r);

/* --- Decisions (tasks_dispatch.c) --- */

/* Thread w launches, or runs on the CPU, units of thread `of`, if the policies want it. */
bool sim_dispatch(struct sim_tasks *r, unsigned w, unsigned of, enum ag_batch_event event);
/* When all units of a step have come w, which has submitted some, launches before it runs more of high
 * priority: devices would wait. */
bool sim_launch_whole(struct sim_tasks *r, unsigned w);
/* auto: what CPU units have to do besides so many items of what is in FIFOs. */
struct ag_split_cpus sim_load(const struct sim_tasks *r, unsigned w, double here, bool submits);
/* Whether threads have time, or run a CPU batch and will soon have. */
unsigned sim_sharers(const struct sim_tasks *r);
unsigned sim_lookers(const struct sim_tasks *r, unsigned w);
void sim_task_took(struct sim_tasks *r, enum sim_class class, double ns);
/* w takes units of `of` that are for CPUs, or that it has done sooner than a device. */
bool sim_take_for_cpu(struct sim_tasks *r, unsigned w, unsigned of);
/* The first unit of all, which shows what units take on CPUs, before anything else that w could do. */
bool sim_try_on_cpu(struct sim_tasks *r, unsigned w);
/* What comes while a batch is staged may join it: true when staging goes on. */
bool sim_grow(struct sim_tasks *r, unsigned t);
void sim_begin(struct sim_tasks *r, unsigned t, enum sim_doing doing, double ns);

#endif /* AG_SIM_TASKS_STATE_H */
