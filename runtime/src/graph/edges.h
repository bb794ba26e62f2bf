/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Edges between units, and joints. An edge exists as long as its predecessor is incomplete. The lock of the
 * domain's worker protects both. */
#ifndef AG_EDGES_H
#define AG_EDGES_H

#include "graph/graph.h"

#include <errno.h>

static inline bool ag_ref_alive(struct ag_unit_ref r) { return r.unit && r.unit->seq == r.seq; }
static inline bool ag_is_joint(const struct ag_unit *u) { return !u->task; }

/* u is to follow the unit or joint, unless that is complete, u itself, or followed already. 0 or -ENOMEM. */
static inline int ag_follow(struct ag_graph_store *store, struct ag_unit_ref pred, struct ag_unit *u) {
  if (!ag_ref_alive(pred) || pred.unit == u || pred.unit->mark == u->seq)
    return 0;
  struct ag_edge *e = ag_pool_take(&store->edges);
  if (!e)
    return -ENOMEM;
  pred.unit->mark = u->seq;
  e->pred = pred.unit;
  e->succ = u;
  e->next_pred = u->preds;
  e->link_pred = &u->preds;
  if (e->next_pred)
    e->next_pred->link_pred = &e->next_pred;
  u->preds = e;
  e->next_succ = pred.unit->succs;
  e->link_succ = &pred.unit->succs;
  if (e->next_succ)
    e->next_succ->link_succ = &e->next_succ;
  pred.unit->succs = e;
  return 0;
}

/* A joint that follows nothing yet; NULL: no memory. ag_joint_end(): whether it follows something; else it is
 * given back. */
struct ag_unit *ag_joint_begin(struct ag_graph_store *store);
bool ag_joint_end(struct ag_graph_store *store, struct ag_unit *joint);

/* *result: a joint that follows n units, or nothing when none of them is incomplete. u, which is about to
 * follow the joint, is left out of these units. 0 or -ENOMEM. */
int ag_joint_make(struct ag_graph_store *store, const struct ag_unit_ref *units, unsigned n,
                  const struct ag_unit *u, struct ag_unit_ref *result);

#endif /* AG_EDGES_H */
