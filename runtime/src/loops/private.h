/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Private copies of what a piece of a loop accumulates. An atomic addition takes some 2 ns where nobody else
 * uses the memory, and 10 and more where threads share it; a plain one takes a fraction of one. So a piece
 * with many iterations adds to memory of its own, which is combined with the loop's at its end: what
 * reductions of arrays are in OpenMP. */
#ifndef AG_PRIVATE_H
#define AG_PRIVATE_H

#include "graph/sections.h"
#include "workers/worker.h"

/* Runs the call of the task, a piece of so many iterations, with private copies, on w's thread. access: of
 * its sections. False: nothing was run, as copies cannot be made, or would cost more than they save. */
bool ag_private_run(struct ag_worker *w, const struct agglom_task *task, const void *args,
                    const struct ag_access *access, uint64_t iterations);

#endif /* AG_PRIVATE_H */
