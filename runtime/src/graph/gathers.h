/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gathers in the graph: sections that name many single elements. Memory that gathers take elements from is a
 * field, as long as their hulls overlap. What reads elements of a field is put aside as a whole; only when
 * somebody else writes in the field all that were put aside are recorded, once, element by element. So a
 * gather takes no time with each other one, however many there are. The same holds for what accumulates with
 * one operation, until others use memory between the first and the last element of the field.
 *
 * A gather is recorded here and looked up in the segments, everything else the other way round. Each unit
 * follows those of both that it conflicts with.
 */
#ifndef AG_GATHERS_H
#define AG_GATHERS_H

#include "graph/graph.h"

/* ag_gathers_use(): the pieces are to be recorded one by one, as others are. */
enum { AG_BY_PIECES = 1 };

/* u uses the access, a gather, in a way that segments.h names. 0, -ENOMEM or AG_BY_PIECES. */
int ag_gathers_use(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                   const struct ag_access *a, unsigned how);

/* u is about to use the access, which is recorded elsewhere: it follows the gathers that it conflicts with.
 * The graph has gathers. 0 or -ENOMEM. */
int ag_gathers_meet(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                    const struct ag_access *a, unsigned how);

/* As ag_graph_users(), of what is recorded here. */
int ag_gathers_users(const struct ag_graph *graph, uintptr_t lo, uintptr_t hi, bool writers,
                     int (*each)(struct ag_unit *unit, void *context), void *context);

/* Whether gathers accumulate in memory that lo .. hi-1 is in the midst of: who uses it has to be inserted.
 * The graph has gathers. */
bool ag_gathers_accumulate(const struct ag_graph *graph, uintptr_t lo, uintptr_t hi);

void ag_gathers_init(struct ag_graph_store *store);
void ag_gathers_destroy(struct ag_graph_store *store);

/* Drops what complete units have done. */
void ag_gathers_sweep(struct ag_graph *graph, struct ag_graph_store *store);

/* Forgets all gathers. */
void ag_gathers_clear(struct ag_graph *graph, struct ag_graph_store *store);

/* Elements that were looked at in the graph since it was empty: what tests count. */
uint64_t ag_gathers_steps(const struct ag_graph *graph);

#endif /* AG_GATHERS_H */
