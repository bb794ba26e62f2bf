/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dependences between the units of one domain: who must be complete before whom, found by the memory the
 * units use. Reading after writing, writing after reading and writing after writing make an edge, partial
 * overlaps included; the later submission follows the earlier one.
 *
 * Units that accumulate into the same memory with the same operation do not conflict with each other. Where
 * such a group meets others, the edges go through a joint: a unit without a task, complete when its
 * predecessors are. So n accumulators and m readers after them make n + m edges; and since a joint is in no
 * batch, the two sides are never in one batch either.
 *
 * A graph remembers, for disjoint segments of memory, the last writer and the readers since. An edge exists
 * exactly as long as its predecessor is incomplete, so "ready" is a look at the edges that are left, not
 * a counter. Records of complete units are dropped on the way, and in a sweep when they pile up: the memory
 * of a graph is bounded by what its incomplete units touch. That may be much, as each reader has a record in
 * each segment that it reads: who submits looks at ag_graph_bytes().
 *
 * Not thread-safe: the lock of the domain's worker protects a graph, its store and its units. */
#ifndef AG_GRAPH_H
#define AG_GRAPH_H

#include "graph/lattice.h"
#include "graph/unit.h"
#include "memory/tree.h"

/* pred must be complete before succ begins, unless both run in one batch that keeps their order. */
struct ag_edge {
  struct ag_unit *pred, *succ;
  struct ag_edge *next_pred, **link_pred; /* in succ->preds */
  struct ag_edge *next_succ, **link_succ; /* in pred->succs */
};

struct ag_segment;
struct ag_gathers;

enum { AG_GUESSES = 4 };

/* What the graphs of one worker take their memory from. */
struct ag_graph_store {
  struct ag_pool edges, segments, joints, planes, strips, gathers, fields, aside;
  size_t reader_bytes, element_bytes; /* beside the pools: arrays of readers, tables of gathers */
  uint64_t joints_made;
  uint64_t completed; /* units so far */
};

/* Segments of a line; segments.h. */
struct ag_segments {
  struct ag_tree tree;
  /* Where the last access through a section of this number was: programs use the same memory again, or go
   * through it in order, and each section on its own. */
  struct ag_segment *guess[AG_GUESSES];
  struct ag_lattice lattice; /* of a strip of a plane; else zero */
  size_t sweep_at;           /* number of segments at which records of complete units are looked for, */
  uint64_t swept;            /* and how many units were complete when they last were */
};

struct ag_graph {
  struct ag_segments line;    /* memory by its addresses, */
  struct ag_tree planes;      /* but for what is in one of these; planes.h */
  unsigned boxes;             /* that were recorded since planes without records were looked for */
  struct ag_gathers *gathers; /* those of single elements; gathers.h; NULL: there is none */
};

void ag_graph_store_init(struct ag_graph_store *store);
void ag_graph_store_destroy(struct ag_graph_store *store); /* after ag_graph_clear() of all its graphs */

/* Records what u touches and makes it follow the incomplete units it conflicts with. -ENOMEM: some edges may
 * be missing, u must not be run before all earlier units are complete. */
int ag_graph_insert(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u);

/* Whether no incomplete unit in the graph conflicts with one that has this access, for reading or writing,
 * through its section of this number; but for `beside`, unless that is NULL, and what it follows. *follows:
 * set if `beside` does. The access is contiguous, or a box. It may be said not to be free where somebody
 * accumulates, and where much would have to be looked at: that is done but once by who records the access. */
bool ag_graph_is_free(struct ag_graph *graph, const struct ag_access *access, bool writes, unsigned section,
                      const struct ag_unit *beside, bool *follows);

/* u, which has not begun, uses this through one more section of this number, beside those that it was
 * inserted with; ag_graph_is_free(), but for itself. 0 or -ENOMEM. */
int ag_graph_extend(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                    const struct ag_access *access, bool writes, unsigned section);

/* Calls each() for incomplete units or joints: once these are complete, so are all units in the graph that
 * use lo .. hi-1; with writers, all that write there or accumulate. A unit may be passed several times. Ends
 * when each() returns something else than 0, and returns that. */
int ag_graph_users(const struct ag_graph *graph, uintptr_t lo, uintptr_t hi, bool writers,
                   int (*each)(struct ag_unit *unit, void *context), void *context);

/* u is complete: takes away the edges to its successors, each of which is then passed to released(), in the
 * order of their submission; those behind a joint stand together. */
void ag_graph_complete(struct ag_graph_store *store, struct ag_unit *u,
                       void (*released)(struct ag_unit *succ, void *context), void *context);

/* Drops the edges from u's predecessors: for a unit that is not to be run after all. */
void ag_graph_detach(struct ag_graph_store *store, struct ag_unit *u);

static inline size_t ag_pool_live_bytes(const struct ag_pool *pool) { return pool->live * pool->size; }

/* What the records of all graphs of the store take, those of complete units too that have not been dropped,
 * with little that is kept for later ones. */
static inline size_t ag_graph_bytes(const struct ag_graph_store *store) {
  return ag_pool_live_bytes(&store->segments) + ag_pool_live_bytes(&store->edges) +
         ag_pool_live_bytes(&store->strips) + ag_pool_live_bytes(&store->joints) +
         ag_pool_live_bytes(&store->aside) + store->reader_bytes + store->element_bytes;
}

/* Drops all records of complete units, and gives back what they took. */
void ag_graph_sweep(struct ag_graph *graph, struct ag_graph_store *store);

/* Forgets all records. Only when no unit of the domain is incomplete. */
void ag_graph_clear(struct ag_graph *graph, struct ag_graph_store *store);

#endif /* AG_GRAPH_H */
