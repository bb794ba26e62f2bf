/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules and tasks that generated code has registered. Constructors register, so nothing here starts
 * threads or needs the runtime. Has its own lock, taken before a worker's lock. */
#ifndef AG_REGISTRY_H
#define AG_REGISTRY_H

#include "workers/worker.h"

/* What agglom_register() does but for what is to be done at exit. */
int ag_registry_add(struct agglom_module *module);

/* Gives every task what it needs while the runtime runs, and takes it away again. */
void ag_registry_runtime_starts(void);
void ag_registry_runtime_ends(void);

/* What is known of all tasks goes to AGGLOM_MODELS. */
void ag_registry_keep_models(void);

/* Tells observe/ of w's submissions that it has not been told of. Takes w's lock. */
void ag_registry_tell(struct ag_worker *w);

/* So that a child can register and unregister. */
void ag_registry_before_fork(void);
void ag_registry_after_fork(void); /* in both processes */

/* What observe/ has heard of all tasks since the runtime was started. */
void ag_registry_totals(struct ag_observe_totals *totals);

#endif /* AG_REGISTRY_H */
