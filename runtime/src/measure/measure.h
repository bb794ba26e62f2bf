/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is measured of tasks and devices for the policies, and what these are shown of it. */
#ifndef AG_MEASURE_H
#define AG_MEASURE_H

#include "policy/model/model.h"
#include "policy/policy.h"
#include "shared/slot.h"
#include <pthread.h>

struct ag_runtime;

/* Of one task, by all threads. */
struct ag_measured {
  pthread_mutex_t lock; /* innermost; protects the rest */
  struct ag_model model;
  struct ag_split_state split;
  struct ag_batch_state batch; /* of a policy that decides for all FIFOs of the task together */
  struct ag_cpu_part part;     /* auto: what was decided last */
  _Atomic uint64_t whole_ns;   /* auto: when to look again whether all units of a step have come; no lock */
  bool tries;                  /* a CPU runs a unit to find out what it takes */
  unsigned failed;             /* batches since the last one that did not fail */
};

/* The model of a task; devices by their index among the runtime's accelerators. To be read and written
 * between the two calls only, which hold the lock: do little there. Any thread, while the task is registered.
 */
struct ag_model *ag_task_model_lock(const struct agglom_task *task);
void ag_task_model_unlock(const struct agglom_task *task);

struct ag_measured *ag_measured_new(void); /* NULL: no memory */
void ag_measured_reset(struct ag_measured *measured);
void ag_measured_free(struct ag_measured *measured);

/* What AGGLOM_MODELS knows of a task that is registered is told to its model, and taken from there. */
void ag_measure_seed_task(const struct agglom_task *task);
void ag_measure_keep_task(const struct agglom_task *task);

/* Whether devices have to say when they did what: policies decide by it. */
bool ag_measure_devices(const struct ag_runtime *rt);

/* Whether units on CPUs are measured. */
bool ag_measure_cpus(const struct ag_runtime *rt);

/* A CPU unit took ns for some units of so many items. */
void ag_measured_cpu(const struct agglom_task *task, uint64_t units, double items, uint64_t ns);

/* A batch will be given to the device, and has been launched; it is over, whether it took effect or not; and
 * one is complete, of which the device says when it did what. */
void ag_measure_expect(struct ag_accelerator *acc, struct ag_slot *slot, bool launched);
void ag_measure_over(struct ag_accelerator *acc, struct ag_slot *slot);
void ag_measure_batch(struct ag_accelerator *acc, const struct ag_slot *slot,
                      const struct ag_device_times *times);

/* A batch of the task has failed. */
void ag_measure_failed(const struct agglom_task *task);

/* To commit so many units, which a device has run, takes a thread so long. */
void ag_measure_commit(const struct agglom_task *task, int where, unsigned units, uint64_t ns);

/* What is known of the devices' transfers is told to the models of AGGLOM_MODELS, and taken from there. */
void ag_measure_keep_transfers(struct ag_runtime *rt);
void ag_measure_seed_transfers(struct ag_runtime *rt);

/* The device that gets the next batch of the task, if it is none of those of `tried`, one bit each: of those
 * that have room the one that is believed to be through first, where that is measured, or has fewest batches;
 * -1: there is none. */
int ag_measure_next(struct ag_runtime *rt, const struct agglom_task *task, unsigned tried);

/* Shows a timed policy what time it is, and what is known of the task and of devices. */
void ag_measure_show(struct ag_runtime *rt, const struct agglom_task *task, struct ag_batch_view *view);

/* What waits in a FIFO, as split policies see it. */
struct ag_split_view ag_measure_split(struct ag_runtime *rt, const struct agglom_task *task, uint64_t units,
                                      double items);

#endif /* AG_MEASURE_H */
