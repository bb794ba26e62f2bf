/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/graph.h"

#include "graph/gathers.h"
#include "graph/planes.h"
#include "graph/segments.h"

#include <errno.h>

enum {
  MOST_BYTES = 4096
}; /* beside boxes and gathers, of an access that is looked at before it is recorded */

static unsigned use_of(unsigned mode) {
  if (mode & AGGLOM_ACCUMULATE)
    return AGGLOM_ACCUMULATE | (mode >> AGGLOM_OPERATION_SHIFT << AGGLOM_OPERATION_SHIFT);
  return mode & AGGLOM_OUT ? AG_WRITES : AG_READS;
}

int ag_graph_insert(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u) {
  const struct agglom_task *task = u->task;
  for (unsigned i = 0; i < task->n_sections; ++i) {
    const struct ag_access *a = &u->access[i];
    unsigned how = use_of(task->sections[i].mode);
    int err = a->pieces && a->pieces->n && a->pieces->element ? ag_gathers_use(graph, store, u, a, how)
                                                              : AG_BY_PIECES;
    if (err == AG_BY_PIECES)
      err = graph->gathers ? ag_gathers_meet(graph, store, u, a, how) : 0;
    else if (!err)
      continue;
    if (err)
      return err;
    struct ag_use use = {how, a->pieces && a->pieces->n ? AG_EXACTLY : AG_WHOLE, i};
    if (a->pieces && a->pieces->box.n_dims)
      err = ag_planes_use_box(graph, store, u, &a->pieces->box, &use);
    else
      for (size_t k = 0; k < ag_access_pieces(a) && !err; ++k) {
        struct ag_interval piece = ag_access_piece(a, k);
        err = graph->planes.root ? ag_planes_use(graph, store, u, piece.lo, piece.hi, &use)
                                 : ag_segments_use(&graph->line, store, u, piece.lo, piece.hi, &use);
      }
    if (err)
      return err;
  }
  return 0;
}

/* A unit that is known not to be in the way, and whether it was met. */
struct beside {
  const struct ag_unit *unit;
  bool *met;
};

static int is_other(struct ag_unit *unit, void *context) {
  const struct beside *b = context;
  if (unit != b->unit)
    return 1;
  *b->met = true;
  return 0;
}

bool ag_graph_is_free(struct ag_graph *graph, const struct ag_access *access, bool writes, unsigned section,
                      const struct ag_unit *beside, bool *follows) {
  struct beside b = {beside, follows};
  if (access->lo == access->hi)
    return true;
  if (access->pieces)
    return !graph->gathers &&
           !ag_planes_users_of_box(graph, &access->pieces->box, section, !writes, is_other, &b);
  if ((graph->planes.root || graph->gathers) && access->hi - access->lo > MOST_BYTES)
    return false;
  if (graph->gathers && ag_gathers_accumulate(graph, access->lo, access->hi))
    return false;
  if (graph->planes.root || graph->gathers)
    return !ag_graph_users(graph, access->lo, access->hi, !writes, is_other, &b);
  return !ag_segments_users_near(&graph->line, section, access->lo, access->hi, !writes, is_other, &b);
}

int ag_graph_extend(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                    const struct ag_access *access, bool writes, unsigned section) {
  struct ag_use use = {writes ? AG_WRITES : AG_READS, AG_EXACTLY, section};
  if (access->lo == access->hi)
    return 0;
  if (access->pieces) /* perhaps as a loose reader: a unit of several calls counts as one that uses all */
    return ag_planes_use_box(graph, store, u, &access->pieces->box, &use);
  return graph->planes.root ? ag_planes_use(graph, store, u, access->lo, access->hi, &use)
                            : ag_segments_use(&graph->line, store, u, access->lo, access->hi, &use);
}

int ag_graph_users(const struct ag_graph *graph, uintptr_t lo, uintptr_t hi, bool writers,
                   int (*each)(struct ag_unit *unit, void *context), void *context) {
  int err = ag_segments_users(&graph->line, lo, hi, writers, each, context);
  if (!err)
    err = ag_planes_users(graph, lo, hi, writers, each, context);
  return err || !graph->gathers ? err : ag_gathers_users(graph, lo, hi, writers, each, context);
}

void ag_graph_sweep(struct ag_graph *graph, struct ag_graph_store *store) {
  ag_segments_sweep(&graph->line, store);
  if (graph->planes.root)
    ag_planes_sweep(graph, store);
  if (graph->gathers)
    ag_gathers_sweep(graph, store);
}

void ag_graph_clear(struct ag_graph *graph, struct ag_graph_store *store) {
  ag_segments_clear(&graph->line, store);
  if (graph->planes.root)
    ag_planes_clear(graph, store);
  if (graph->gathers)
    ag_gathers_clear(graph, store);
}

void ag_graph_store_init(struct ag_graph_store *store) {
  ag_pool_init(&store->edges, sizeof(struct ag_edge), 0);
  ag_pool_init(&store->segments, ag_segment_size(), 0);
  ag_pool_init(&store->joints, sizeof(struct ag_unit), 0);
  ag_planes_init(store);
  ag_gathers_init(store);
  store->reader_bytes = store->element_bytes = 0;
  store->joints_made = 0;
}

/* Segments that were given back may own an array of readers, so all of them are taken out first. */
void ag_graph_store_destroy(struct ag_graph_store *store) {
  while (store->segments.free)
    ag_segments_free_readers(store, ag_pool_take(&store->segments));
  ag_pool_destroy(&store->segments);
  ag_pool_destroy(&store->edges);
  ag_pool_destroy(&store->joints);
  ag_pool_destroy(&store->planes);
  ag_pool_destroy(&store->strips);
  ag_gathers_destroy(store);
}
