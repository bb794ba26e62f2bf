/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What policies are shown of a launch that may be made, from facts that whoever drives them has gathered: the
 * runtime of its threads and devices, agglom-sim of its own. */
#ifndef AG_LAUNCH_VIEW_H
#define AG_LAUNCH_VIEW_H

#include "policy/batch/batch.h"
#include "policy/launch/devices.h"
#include "policy/launch/waiting.h"
#include "policy/model/objective.h"
#include "policy/split/split.h"

/* What is known besides of devices, of the task and of what is minimised. The model is read while the view is
 * made, so with the lock that protects it. */
struct ag_launch_facts {
  const struct ag_device_facts *device; /* each of them, */
  unsigned devices;                     /* so many */
  int next;                             /* the one that would get the batch; -1: there is none */
  double fill;                          /* chains of the task that this one runs at a time; 0: unknown */
  const struct ag_model *model;         /* what the task has taken so far */
  unsigned failed;                      /* batches of the task since the last one that did not fail */
  unsigned cpus;                        /* CPU units */
  struct ag_objective objective;        /* all zero: time */
};

/* For the batch policy: of devices and of the task, if it is timed. The caller has shown, or shows, what
 * happened, what waits and who has time. */
void ag_launch_show(struct ag_batch_view *view, bool timed, const struct ag_launch_facts *facts);

/* And of what waits, of which so many units stand in the FIFO that view->filled tells of: as much as these,
 * each of the others is taken to need. */
void ag_launch_show_waiting(struct ag_batch_view *view, const struct ag_waiting *waiting, uint64_t in_fifo);

/* For the split, when so many units of so many items are about to be launched. The caller adds what each of
 * them costs, what the CPU units have to do, and what is to come. */
struct ag_split_view ag_launch_split_view(uint64_t units, double items, const struct ag_launch_facts *facts);

#endif /* AG_LAUNCH_VIEW_H */
