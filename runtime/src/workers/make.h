/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call becomes a unit of a worker: its memory, its place in the graph. Nothing here runs work. */
#ifndef AG_MAKE_H
#define AG_MAKE_H

#include "workers/worker.h"

/* A new unit, not yet part of anything; NULL with *err. Its accesses come from the ranges, unless they are
 * known already. Lock held. */
struct ag_unit *ag_unit_make(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                             const void *args, const struct agglom_range *ranges,
                             const struct ag_access *known, long long priority, unsigned long long cost,
                             int *err);

/* u is part of the domain from now on. Lock held. */
void ag_unit_join(struct ag_worker *w, struct ag_domain *d, struct ag_unit *u);

/* Makes what units of the task need in w, whose thread this is, before other threads submit them. False
 * without memory. */
bool ag_submit_ready(struct ag_worker *w, struct agglom_task *task);

/* A unit of the worker w's domain d, made of what was captured of a call: the accesses become the unit's own.
 * It has not entered any FIFO. NULL, and nothing has happened, when there is no memory. The lock of w is
 * held, and may be let go for a while. */
struct ag_unit *ag_submit_captured(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                                   const void *args, const struct ag_access *access, long long priority,
                                   unsigned long long cost);

/* Makes the records of w's streams units in its FIFOs, where devices are used; all: also those of tasks with
 * a kernel for a device. Lock held. */
void ag_worker_move_streams(struct ag_worker *w, bool all);

#endif /* AG_MAKE_H */
