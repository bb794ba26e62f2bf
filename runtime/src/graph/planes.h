/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Boxes in the graph. Where a box is used, memory becomes a plane: its addresses are rows, `pitch` bytes
 * apart, and columns, the bytes of a row. A plane is cut into strips of columns, at the borders of what was
 * written so far, and each strip has segments of rows. So a tile is one segment in a few strips, whatever its
 * number of rows, and dependences are exact. Each byte is in one plane or in the line; what has another shape
 * than the plane that it is in is recorded row by row.
 *
 *            columns    0    4    8   12
 *        rows   0 .. 3  | A  | A  | B  |    tiles A[0:4][0:8] and A[0:4][8:4]: two strips would do;
 *               4 .. 7  | C  |    |    |    C[4:4][0:4] has cut the first one
 */
#ifndef AG_PLANES_H
#define AG_PLANES_H

#include "graph/segments.h"

/* u uses lo .. hi-1, or the blocks of a box, whose extent is found here; else it is AG_WHOLE or AG_EXACTLY. 0
 * or -ENOMEM. */
int ag_planes_use(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u, uintptr_t lo,
                  uintptr_t hi, const struct ag_use *use);
int ag_planes_use_box(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                      const struct ag_box *box, const struct ag_use *use);

/* As ag_segments_follow(), of the line and of planes. */
int ag_planes_follow(const struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                     const struct ag_interval *pieces, size_t n, unsigned how);

/* As ag_graph_users(), of what is in planes. */
int ag_planes_users(const struct ag_graph *graph, uintptr_t lo, uintptr_t hi, bool writers,
                    int (*each)(struct ag_unit *unit, void *context), void *context);

/* As ag_graph_users(), of a box; section: as in struct ag_use. It gives up with AG_TOO_MANY, which each() may
 * not return, where the box is not of one plane's shape, and where it would have to look at much. */
int ag_planes_users_of_box(struct ag_graph *graph, const struct ag_box *box, unsigned section, bool writers,
                           int (*each)(struct ag_unit *unit, void *context), void *context);

void ag_planes_init(struct ag_graph_store *store);

/* Drops the records of complete units, and planes without any. */
void ag_planes_sweep(struct ag_graph *graph, struct ag_graph_store *store);

/* Forgets all planes. */
void ag_planes_clear(struct ag_graph *graph, struct ag_graph_store *store);

#endif /* AG_PLANES_H */
