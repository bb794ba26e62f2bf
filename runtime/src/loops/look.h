/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What iterations of a loop touch, found out without running them, and whether they may run at the same time.
 */
#ifndef AG_LOOK_H
#define AG_LOOK_H

#include "loops/run.h"

struct ag_look {
  struct ag_capture base;
  struct ag_part part; /* task and access; access is NULL where nothing is known */
  struct ag_access here[AG_SECTIONS_HERE];
  unsigned calls;
};

/* Looks at the iterations from .. to - 1; slot: of their reductions. False: it is not known what they touch,
 * so that nobody may run beside them. To be forgotten in any case. */
bool ag_look_at(struct ag_worker *w, const struct ag_for *call, uint64_t from, uint64_t to, void *slot,
                struct ag_look *look);
void ag_look_forget(struct ag_look *look);

/* Whether the loop submits one unit with a kernel for all its iterations. */
bool ag_is_one_unit(struct ag_worker *w, const struct ag_for *call);

/* Whether first .. cut - 1 may run at the same time as cut .. end - 1. */
bool ag_ranges_apart(struct ag_worker *w, const struct ag_for *call, uint64_t first, uint64_t cut,
                     uint64_t end);

/* Whether any two iterations may run at the same time, as the first two and all together show where the loop
 * is even (struct ag_for), or all together where indexes are told to be apart. False: some may not, or it is
 * not known. devices: some of them run there, so that chunks must not have what others write among what is
 * sent for them, even where no iteration reads it. */
bool ag_iterations_apart(struct ag_worker *w, const struct ag_for *call, bool devices);

#endif /* AG_LOOK_H */
