/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units of several calls. Where there is no device, and calls are short, a call becomes part of the unit of
 * the same task that was submitted before it, as long as that has not begun: the calls run one after another,
 * as they stand in the program. To the graph they are one unit, which uses what all of them use; so nine
 * updates of one cell are one unit without an edge between them, and what a unit costs is shared by its
 * calls. A unit grows to what is worth the while of another CPU and no further. */
#ifndef AG_EXTEND_H
#define AG_EXTEND_H

#include "graph/domain.h"
#include "shared/runtime.h"
#include "workers/worker.h"

/* Whether units of the task are for single CPUs alone: it has a kernel, its units have an order, and w has
 * neither a device nor a team of cores for them. */
static inline bool ag_for_cpus_alone(const struct ag_worker *w, const struct agglom_task *task) {
  return !w->rt->n_accelerators && !w->team &&
         !(task->flags & (AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_INDEPENDENT));
}

/* Whether a call of the task depends on no incomplete unit of the domain but `beside`, which may be NULL;
 * *follows: whether on that. False also when its sections have to be looked at with more care. Lock held. */
bool ag_call_is_free(struct ag_domain *d, const struct agglom_task *task, const struct agglom_range *ranges,
                     const struct ag_unit *beside, bool *follows);

/* Adds the call to the last unit of the domain, which is returned; NULL: it has to be a unit of its own. Lock
 * held. */
struct ag_unit *ag_unit_extend(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                               const void *args, const struct agglom_range *ranges, long long priority,
                               unsigned long long cost);

/* Gives back what a unit of several calls has beside others, when it is complete. Lock of its worker held. */
void ag_unit_forget_more(struct ag_worker *w, struct ag_unit *u);

#endif /* AG_EXTEND_H */
