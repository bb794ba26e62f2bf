/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/edges.h"

#include <errno.h>

/* Sequence numbers of joints: no unit's ever come here. */
static const uint64_t JOINT_SEQ = (uint64_t)1 << 63;

static void remove_edge(struct ag_graph_store *store, struct ag_edge *e) {
  *e->link_pred = e->next_pred;
  if (e->next_pred)
    e->next_pred->link_pred = e->link_pred;
  *e->link_succ = e->next_succ;
  if (e->next_succ)
    e->next_succ->link_succ = e->link_succ;
  ag_pool_give(&store->edges, e);
}

/* Turns the list of successors, the last of which stands in front, into the order of their submission. */
static void put_in_order(struct ag_unit *u) {
  struct ag_edge *before = NULL;
  if (!u->succs || !u->succs->next_succ)
    return;
  for (struct ag_edge *e = u->succs, *next; e; e = next) {
    next = e->next_succ;
    e->next_succ = before;
    if (before)
      before->link_succ = &e->next_succ;
    before = e;
  }
  before->link_succ = &u->succs;
  u->succs = before;
}

/* Puts the successors of a joint in front of u's, in order. */
static void take_over(struct ag_unit *u, struct ag_unit *joint) {
  put_in_order(joint);
  struct ag_edge *last = joint->succs;
  if (!last)
    return;
  while (last->next_succ)
    last = last->next_succ;
  last->next_succ = u->succs;
  if (u->succs)
    u->succs->link_succ = &last->next_succ;
  u->succs = joint->succs;
  u->succs->link_succ = &u->succs;
  joint->succs = NULL;
}

void ag_graph_complete(struct ag_graph_store *store, struct ag_unit *u,
                       void (*released)(struct ag_unit *succ, void *context), void *context) {
  ++store->completed;
  put_in_order(u);
  while (u->succs) {
    struct ag_unit *succ = u->succs->succ;
    remove_edge(store, u->succs);
    if (!ag_is_joint(succ)) {
      released(succ, context);
    } else if (!succ->preds) { /* complete because u is */
      take_over(u, succ);
      succ->seq = 0;
      ag_pool_give(&store->joints, succ);
    }
  }
}

void ag_graph_detach(struct ag_graph_store *store, struct ag_unit *u) {
  while (u->preds)
    remove_edge(store, u->preds);
}

struct ag_unit *ag_joint_begin(struct ag_graph_store *store) {
  struct ag_unit *joint = ag_pool_take(&store->joints);
  if (joint)
    *joint = (struct ag_unit){.seq = JOINT_SEQ | ++store->joints_made, .state = AG_UNIT_READY};
  return joint;
}

bool ag_joint_end(struct ag_graph_store *store, struct ag_unit *joint) {
  if (joint->preds)
    return true;
  joint->seq = 0;
  ag_pool_give(&store->joints, joint);
  return false;
}

int ag_joint_make(struct ag_graph_store *store, const struct ag_unit_ref *units, unsigned n,
                  const struct ag_unit *u, struct ag_unit_ref *result) {
  struct ag_unit *joint = ag_joint_begin(store);
  if (!joint)
    return -ENOMEM;
  int err = 0;
  for (unsigned i = 0; i < n && !err; ++i)
    if (units[i].unit != u)
      err = ag_follow(store, units[i], joint);
  bool any = ag_joint_end(store, joint);
  if (!err) /* else the joint stays until the units it follows are complete */
    *result = any ? (struct ag_unit_ref){joint, joint->seq} : (struct ag_unit_ref){NULL, 0};
  return err;
}
