/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the pragma `wait` does, for those who wait on a program's behalf. */
#ifndef AG_SUBMIT_H
#define AG_SUBMIT_H

#include "workers/worker.h"

/* Waits for what the context of w, whose thread this is, has submitted; for that of all host threads. Errors
 * stay for agglom_wait(). */
void ag_wait_for_own(struct ag_worker *w);
void ag_wait_for_all(struct ag_worker *w);

#endif /* AG_SUBMIT_H */
