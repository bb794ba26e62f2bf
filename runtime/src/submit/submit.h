/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the pragma `wait` does, for those who wait on a program's behalf. */
#ifndef AG_SUBMIT_H
#define AG_SUBMIT_H

#include "workers/worker.h"

/* ag_wait_for_own(): waits for all units that w's current context has submitted. ag_wait_for_all(): for those
 * of all host threads. For w's own thread. Errors stay for agglom_wait(). */
void ag_wait_for_own(struct ag_worker *w);
void ag_wait_for_all(struct ag_worker *w);

#endif /* AG_SUBMIT_H */
