/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inside of commit/: units are complete, whoever has run them, and what follows them may go; at once, or by
 * the thread that submitted them. */
#ifndef AG_COMPLETE_H
#define AG_COMPLETE_H

#include "workers/worker.h"

/* The commit of so many units that device `where` has run, begun at begin_ns. */
struct ag_commit {
  int where;
  unsigned units;
  uint64_t begin_ns;
};

/* Completes n units of one task. commit: NULL when a CPU has run them. As soon as the last unit is complete
 * the task may be unregistered. No lock held. */
void ag_complete(struct ag_runtime *rt, struct ag_unit **units, unsigned n, const struct ag_commit *commit);

/* The units of a batch, which the calling thread of the pool has run, are left to the thread that submitted
 * them: see ag_commit_ended(). False: they are not. No lock held. */
bool ag_complete_later(struct ag_runtime *rt, struct ag_unit **units, unsigned n);

/* A unit of the domain, of worker h (locked), is complete. Returns the unit that is thereby complete as well:
 * the one whose body submitted it, when that body has returned and this was the last. */
struct ag_unit *ag_complete_one_less(struct ag_worker *h, struct ag_domain *d);

/* `above` is complete, as its last child is: completes it, then its parent if this was that one's last child,
 * and so on. Whether a thread may sleep that waits for one of them, or for what they release. NULL: nothing.
 * No lock held. */
bool ag_complete_upwards(struct ag_unit *above);

#endif /* AG_COMPLETE_H */
