/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Submitting on behalf of another thread. */
#ifndef AG_SUBMIT_H
#define AG_SUBMIT_H

#include "worker.h"

/* Makes what units of the task need in w, whose thread this is, before other threads submit them. False
 * without memory. */
bool ag_submit_ready(struct ag_worker *w, struct agglom_task *task);

/* A unit of the worker w's domain d, made of what was captured of a call: the accesses become the unit's own.
 * It has not entered any FIFO. NULL, and nothing has happened, when there is no memory. The lock of w is
 * held, and may be let go for a while. */
struct ag_unit *ag_submit_captured(struct ag_worker *w, struct ag_domain *d, struct agglom_task *task,
                                   const void *args, const struct ag_access *access, long long priority,
                                   unsigned long long cost);

#endif /* AG_SUBMIT_H */
