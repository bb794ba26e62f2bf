/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is measured of tasks and devices for the policies, and what policies are shown of it. */
#ifndef AG_MEASURE_H
#define AG_MEASURE_H

#include "policy/model/model.h"
#include "policy/policy.h"
#include "shared/slot.h"
#include "sys/lock.h"

struct ag_runtime;

/* What policies that decide for the queues of all threads together remember of these. */
struct ag_asked {
  struct ag_batch_state batch;
  struct ag_cpu_part part;   /* auto: what was decided last */
  _Atomic uint64_t whole_ns; /* auto: when to look again whether all units of a step have come; no lock */
};

/* Of one task, by all threads. */
struct ag_measured {
  struct ag_lock lock; /* innermost; protects the rest */
  struct ag_model model;
  struct ag_split_state split;
  struct ag_asked asked[AG_FORMS]; /* the second one: of the form for units of priority > 0 */
  bool tries;                      /* a CPU runs a unit so that its time gets known */
  unsigned failed;                 /* batches since the last one that did not fail */
};

/* The model of a task; devices by their index among the runtime's accelerators. To be read and written
 * between the two calls only, which hold the lock: do little there. Any thread, while the task is registered.
 */
struct ag_model *ag_task_model_lock(const struct agglom_task *task);
void ag_task_model_unlock(const struct agglom_task *task);

struct ag_measured *ag_measured_new(void); /* NULL: no memory */
void ag_measured_reset(struct ag_measured *measured);
void ag_measured_free(struct ag_measured *measured);

/* Seeds the model of a registered task from AGGLOM_MODELS; keeps the model there. */
void ag_measure_seed_task(const struct agglom_task *task);
void ag_measure_keep_task(const struct agglom_task *task);

/* Whether the times of devices are measured: policies decide by them, or AGGLOM_MODELS keeps them. */
bool ag_measure_devices(const struct ag_runtime *rt);

/* Whether units on CPUs are measured. */
bool ag_measure_cpus(const struct ag_runtime *rt);

/* A CPU unit took ns for some units of so many items. */
void ag_measured_cpu(const struct agglom_task *task, uint64_t units, double items, uint64_t ns);

/* ag_measure_expect(): the slot's batch has been formed, or launched. ag_measure_over(): it is over, whether
 * it took effect or not. ag_measure_batch(): it is complete; times: when the device did what. */
void ag_measure_expect(struct ag_accelerator *acc, struct ag_slot *slot, bool launched);
void ag_measure_over(struct ag_accelerator *acc, struct ag_slot *slot);
void ag_measure_batch(struct ag_accelerator *acc, const struct ag_slot *slot,
                      const struct ag_device_times *times);

/* A batch of the task has failed. */
void ag_measure_failed(const struct agglom_task *task);

/* A thread took ns to commit this many units, which device `where` has run. */
void ag_measure_commit(const struct agglom_task *task, int where, unsigned units, uint64_t ns);

/* Keeps the models of the devices' transfers in AGGLOM_MODELS; seeds them from there. */
void ag_measure_keep_transfers(struct ag_runtime *rt);
void ag_measure_seed_transfers(struct ag_runtime *rt);

/* Index of the device that gets the next batch of the task, -1: there is none. `tried`: devices to leave out,
 * a bit each. Of the others with room it is the one expected to be through first, where devices are measured,
 * or the one with the fewest batches. */
int ag_measure_next(struct ag_runtime *rt, const struct agglom_task *task, unsigned tried);

/* Shows a timed policy what time it is, and what is known of the task and of devices. */
void ag_measure_show(struct ag_runtime *rt, const struct agglom_task *task, struct ag_batch_view *view);

/* Shows split policies this many waiting units of so many items, with what is known of the task and of
 * devices. */
struct ag_split_view ag_measure_split(struct ag_runtime *rt, const struct agglom_task *task, uint64_t units,
                                      double items);

#endif /* AG_MEASURE_H */
