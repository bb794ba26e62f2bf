/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding work for a thread that has time. Only for the calling thread's own worker, without a lock. */
#ifndef AG_HELP_H
#define AG_HELP_H

#include "workers/worker.h"

/* Finds some work and does it; false when there is none that can be done now. Why it looks for work: LOOP: it
 * waits for nothing; WAIT: for its current domain, or for units up to some number; PARENT: the same, where a
 * CPU-only unit and its children have to run; UNITS: for certain units, and FIFOs that do not hold these up
 * go when the policy lets them; FLUSH: for all units that were ever submitted. */
enum ag_help { AG_HELP_LOOP, AG_HELP_WAIT, AG_HELP_PARENT, AG_HELP_UNITS, AG_HELP_FLUSH };
bool ag_help_once(struct ag_worker *w, enum ag_help why);

/* After AG_OWN_BURST launches and CPU batches of its own in a row: does some work of other workers. False: it
 * did none. */
bool ag_help_others(struct ag_worker *w, enum ag_help why, enum ag_reason reason);

/* The same, wherever there may be something that the thread may do: before it sleeps. */
bool ag_help_thoroughly(struct ag_worker *w, enum ag_help why);

/* Runs the CPU-only unit that the thread has taken because it waits for it (struct ag_worker, takes). */
void ag_help_run(struct ag_worker *w);

#endif /* AG_HELP_H */
