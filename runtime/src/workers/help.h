/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding work for a thread that has time, and waiting, which is finding work until something is complete.
 * Only for the calling thread's own worker, without a lock. */
#ifndef AG_HELP_H
#define AG_HELP_H

#include "workers/worker.h"

enum {
  /* After this long without an arrival, an idle worker launches what another thread has left in its FIFO. */
  AG_QUIET_MS = 10
};

/* Finds some work and does it; false when there is none that can be done now. LOOP: nobody waits for it;
 * WAIT: the thread waits for its current domain; UNITS: for some units of it, and FIFOs that do not hold
 * these up go when the policy lets them; FLUSH: for all that was ever submitted. */
enum ag_help { AG_HELP_LOOP, AG_HELP_WAIT, AG_HELP_UNITS, AG_HELP_FLUSH };
bool ag_worker_help(struct ag_worker *w, enum ag_help why);

/* After many launches and CPU batches of its own in a row: does what others have left, if there is something.
 */
bool ag_worker_own_burst(struct ag_worker *w, enum ag_help why, enum ag_reason reason);

/* Helps until all units of the domain are complete. The domain is the thread's own. */
void ag_worker_wait(struct ag_worker *w, struct ag_domain *domain);

/* Helps until these units are complete, which the thread's current domain has submitted; begins with the
 * last. */
void ag_worker_wait_for(struct ag_worker *w, const struct ag_unit_ref *units, size_t n);

/* Helps until no unit of the domain that test() says yes to is incomplete among those in streams. */
void ag_worker_wait_streamed(struct ag_worker *w, struct ag_domain *d,
                             bool (*test)(const struct agglom_task *task, const struct ag_access *access,
                                          void *context),
                             void *context);

#endif /* AG_HELP_H */
