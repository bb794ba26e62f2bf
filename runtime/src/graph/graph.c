/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INLINE_READERS = 4, FIRST_SWEEP = 256 };

/* How an access uses memory: READS, WRITES, or else the operation it accumulates with, as the mode of its
 * section has it. Units with the same use share the memory, unless that is WRITES. */
enum { READS = 0, WRITES = 1 };

/* Sequence numbers of joints: no unit's ever come here. */
static const uint64_t JOINT_SEQ = (uint64_t)1 << 63;

struct ag_segment {
  struct ag_segment *left, *right, *parent;
  uint64_t heap; /* treap order: parents have the larger value */
  uintptr_t lo, hi;
  struct ag_unit_ref writer;
  unsigned sharing;            /* how the "readers" use it: READS, or all with one operation */
  struct ag_unit_ref *readers; /* few, or on the heap; a segment given back keeps the array */
  unsigned n_readers, cap_readers;
  struct ag_unit_ref few[INLINE_READERS];
};

static bool alive(struct ag_unit_ref r) { return r.unit && r.unit->seq == r.seq; }
static bool same(struct ag_unit_ref a, struct ag_unit_ref b) { return a.unit == b.unit && a.seq == b.seq; }
static bool is_joint(const struct ag_unit *u) { return !u->task; }

/* --- The treap ------------------------------------------------------------------------------------ */

static struct ag_segment **slot_of(struct ag_graph *graph, struct ag_segment *s) {
  if (!s->parent)
    return &graph->root;
  return s->parent->left == s ? &s->parent->left : &s->parent->right;
}

/* Lifts s above its parent. */
static void rotate_up(struct ag_graph *graph, struct ag_segment *s) {
  struct ag_segment *p = s->parent;
  *slot_of(graph, p) = s;
  s->parent = p->parent;
  struct ag_segment **inner = p->left == s ? &s->right : &s->left;
  if (p->left == s)
    p->left = *inner;
  else
    p->right = *inner;
  if (*inner)
    (*inner)->parent = p;
  *inner = p;
  p->parent = s;
}

static uint64_t next_random(struct ag_graph *graph) { /* xorshift64; the seed is any constant */
  uint64_t x = graph->random ? graph->random : 0x9e3779b97f4a7c15u;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return graph->random = x;
}

/* The first segment that ends behind the address. */
static struct ag_segment *first_behind(const struct ag_graph *graph, uintptr_t address) {
  struct ag_segment *found = NULL;
  for (struct ag_segment *s = graph->root; s;) {
    if (s->hi > address) {
      found = s;
      s = s->left;
    } else {
      s = s->right;
    }
  }
  return found;
}

static struct ag_segment *next_of(struct ag_segment *s) {
  if (s->right) {
    for (s = s->right; s->left;)
      s = s->left;
    return s;
  }
  while (s->parent && s->parent->right == s)
    s = s->parent;
  return s->parent;
}

/* A segment lo .. hi-1 without records, in its place; no segment there may overlap it. */
static struct ag_segment *add(struct ag_graph *graph, struct ag_graph_store *store, uintptr_t lo,
                              uintptr_t hi) {
  struct ag_segment *s = ag_pool_take(&store->segments);
  if (!s)
    return NULL;
  s->lo = lo;
  s->hi = hi;
  s->left = s->right = s->parent = NULL;
  s->writer = (struct ag_unit_ref){NULL, 0};
  s->sharing = READS;
  s->n_readers = 0;
  if (!s->readers) {
    s->readers = s->few;
    s->cap_readers = INLINE_READERS;
  }
  s->heap = next_random(graph);
  struct ag_segment **place = &graph->root;
  while (*place) {
    s->parent = *place;
    place = lo < (*place)->lo ? &(*place)->left : &(*place)->right;
  }
  *place = s;
  while (s->parent && s->parent->heap < s->heap)
    rotate_up(graph, s);
  ++graph->segments;
  return s;
}

static void erase(struct ag_graph *graph, struct ag_graph_store *store, struct ag_segment *s) {
  if (graph->guess == s)
    graph->guess = NULL;
  while (s->left && s->right)
    rotate_up(graph, s->left->heap > s->right->heap ? s->left : s->right);
  struct ag_segment *child = s->left ? s->left : s->right;
  *slot_of(graph, s) = child;
  if (child)
    child->parent = s->parent;
  --graph->segments;
  ag_pool_give(&store->segments, s);
}

/* --- Records -------------------------------------------------------------------------------------- */

static void drop_dead(struct ag_segment *s) {
  unsigned kept = 0;
  if (!alive(s->writer))
    s->writer = (struct ag_unit_ref){NULL, 0};
  for (unsigned i = 0; i < s->n_readers; ++i)
    if (alive(s->readers[i]))
      s->readers[kept++] = s->readers[i];
  s->n_readers = kept;
}

static int reserve_readers(struct ag_segment *s, unsigned n) {
  if (n <= s->cap_readers)
    return 0;
  unsigned cap = s->cap_readers * 2 > n ? s->cap_readers * 2 : n;
  struct ag_unit_ref *grown = realloc(s->readers == s->few ? NULL : s->readers, cap * sizeof *grown);
  if (!grown)
    return -ENOMEM;
  if (s->readers == s->few)
    memcpy(grown, s->few, s->n_readers * sizeof *grown);
  s->readers = grown;
  s->cap_readers = cap;
  return 0;
}

static int add_reader(struct ag_segment *s, struct ag_unit_ref r) {
  if (s->n_readers && same(s->readers[s->n_readers - 1], r))
    return 0; /* two sections of one unit */
  if (s->n_readers == s->cap_readers) {
    drop_dead(s);
    if (s->n_readers > s->cap_readers / 2 && reserve_readers(s, s->cap_readers + 1))
      return -ENOMEM;
  }
  s->readers[s->n_readers++] = r;
  return 0;
}

/* Cuts s at an address inside it; returns the upper part. */
static struct ag_segment *split(struct ag_graph *graph, struct ag_graph_store *store, struct ag_segment *s,
                                uintptr_t at) {
  uintptr_t hi = s->hi;
  drop_dead(s);
  s->hi = at;
  struct ag_segment *upper = add(graph, store, at, hi);
  if (!upper || reserve_readers(upper, s->n_readers)) {
    if (upper)
      erase(graph, store, upper);
    s->hi = hi;
    return NULL;
  }
  upper->writer = s->writer;
  upper->sharing = s->sharing;
  upper->n_readers = s->n_readers;
  memcpy(upper->readers, s->readers, s->n_readers * sizeof *s->readers);
  return upper;
}

/* --- Edges ---------------------------------------------------------------------------------------- */

static int follow(struct ag_graph_store *store, struct ag_unit_ref pred, struct ag_unit *u) {
  if (!alive(pred) || pred.unit == u || pred.unit->mark == u->seq)
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

static void remove_edge(struct ag_graph_store *store, struct ag_edge *e) {
  *e->link_pred = e->next_pred;
  if (e->next_pred)
    e->next_pred->link_pred = e->link_pred;
  *e->link_succ = e->next_succ;
  if (e->next_succ)
    e->next_succ->link_succ = e->link_succ;
  ag_pool_give(&store->edges, e);
}

void ag_graph_complete(struct ag_graph_store *store, struct ag_unit *u,
                       void (*released)(struct ag_unit *succ, void *context), void *context) {
  struct ag_unit *joints = NULL; /* joints that are complete because u is, linked by next */
  for (struct ag_unit *done = u; done; done = joints) {
    if (done == joints)
      joints = done->next;
    while (done->succs) {
      struct ag_unit *succ = done->succs->succ;
      remove_edge(store, done->succs);
      if (!is_joint(succ)) {
        released(succ, context);
      } else if (!succ->preds) {
        succ->next = joints;
        joints = succ;
      }
    }
    if (done != u) {
      done->seq = 0;
      ag_pool_give(&store->joints, done);
    }
  }
}

void ag_graph_detach(struct ag_graph_store *store, struct ag_unit *u) {
  while (u->preds)
    remove_edge(store, u->preds);
}

/* --- Joints --------------------------------------------------------------------------------------- */

/* *result: a joint that follows n units, or nothing when none of them is incomplete. u, which is about to
 * follow the joint, is left out of these units. */
static int make_joint(struct ag_graph_store *store, const struct ag_unit_ref *units, unsigned n,
                      const struct ag_unit *u, struct ag_unit_ref *result) {
  struct ag_unit *joint = ag_pool_take(&store->joints);
  if (!joint)
    return -ENOMEM;
  *joint = (struct ag_unit){.seq = JOINT_SEQ | ++store->joints_made, .state = AG_UNIT_READY};
  int err = 0;
  for (unsigned i = 0; i < n && !err; ++i)
    if (units[i].unit != u)
      err = follow(store, units[i], joint);
  bool any = joint->preds;
  if (!any) {
    joint->seq = 0;
    ag_pool_give(&store->joints, joint);
  }
  if (!err) /* else the joint stays until the units it follows are complete */
    *result = any ? (struct ag_unit_ref){joint, joint->seq} : (struct ag_unit_ref){NULL, 0};
  return err;
}

/* Whether the use of the segment changes so that a joint is needed: from reading to accumulating, or from
 * accumulating to anything else. A writer after readers needs none. */
static bool changes(const struct ag_segment *s, unsigned how) {
  return s->sharing != how && (s->sharing != READS || how != WRITES);
}

/* Puts a joint that follows the readers in their place. */
static int join_readers(struct ag_graph_store *store, struct ag_segment *s, const struct ag_unit *u) {
  drop_dead(s);
  if (!s->n_readers || (s->n_readers == 1 && is_joint(s->readers[0].unit)))
    return 0;
  struct ag_unit_ref joint;
  int err = make_joint(store, s->readers, s->n_readers, u, &joint);
  if (err)
    return err;
  s->n_readers = joint.unit ? 1 : 0;
  s->readers[0] = joint;
  return 0;
}

/* The use of the segment changes, as changes() says. All users so far must be complete before u begins, so a
 * joint of them becomes its "writer": edges stay as few as there are units, and units of the old and the new
 * use never meet in a launch, where one would find partial results of the other. */
static int change(struct ag_graph_store *store, struct ag_segment *s, unsigned how, const struct ag_unit *u) {
  int err = join_readers(store, s, u);
  if (err)
    return err;
  if (s->n_readers) {
    s->writer = s->readers[0]; /* the joint: its predecessors have followed the writer */
    s->n_readers = 0;
  } else if (alive(s->writer) && !is_joint(s->writer.unit)) {
    err = make_joint(store, &s->writer, 1, u, &s->writer);
  }
  s->sharing = how == WRITES ? READS : how;
  return err;
}

/* --- Accesses ------------------------------------------------------------------------------------- */

/* Cuts s at an address inside it for a unit that will use one side of it. */
static struct ag_segment *split_for(struct ag_graph *graph, struct ag_graph_store *store,
                                    struct ag_segment *s, uintptr_t at, unsigned how,
                                    const struct ag_unit *u) {
  if (changes(s, how) && join_readers(store, s, u)) /* once for both sides */
    return NULL;
  return split(graph, store, s, at);
}

/* Merges segment s, which begins where `run` ends, into that. Both have just changed to the same operation.
 * *gathered: whether run's writer is a joint made here. */
static int append(struct ag_graph *graph, struct ag_graph_store *store, struct ag_segment *run,
                  struct ag_segment *s, bool *gathered) {
  int err = 0;
  if (!alive(run->writer)) {
    run->writer = s->writer;
  } else if (alive(s->writer) && *gathered) {
    err = follow(store, s->writer, run->writer.unit);
  } else if (alive(s->writer)) {
    struct ag_unit_ref both[] = {run->writer, s->writer};
    err = make_joint(store, both, 2, NULL, &run->writer);
    *gathered = true;
  }
  if (err)
    return err;
  uintptr_t hi = s->hi;
  erase(graph, store, s);
  run->hi = hi;
  return 0;
}

/* Many units may accumulate into memory that lies in many segments. The first unit merges these, so that each
 * later one has one record and one edge; in return it waits for all that the first one waits for. */
static int accumulation_of(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                           uintptr_t lo, uintptr_t hi, unsigned how) {
  struct ag_segment *s = first_behind(graph, lo), *run = NULL, *next;
  bool gathered = false;
  if (s && s->lo < lo && !(s = split_for(graph, store, s, lo, how, u)))
    return -ENOMEM;
  for (uintptr_t at = lo; at < hi; s = next) {
    if (!s || s->lo > at) {
      s = add(graph, store, at, s && s->lo < hi ? s->lo : hi);
      if (!s)
        return -ENOMEM;
    } else if (s->hi > hi && !split_for(graph, store, s, hi, how, u)) {
      return -ENOMEM;
    }
    at = s->hi;
    next = next_of(s);
    if (!changes(s, how)) {
      run = NULL;
    } else if (change(store, s, how, u)) {
      return -ENOMEM;
    } else if (run) {
      if (append(graph, store, run, s, &gathered))
        return -ENOMEM;
    } else {
      run = s;
      gathered = false;
    }
  }
  for (s = first_behind(graph, lo); s && s->lo < hi; s = next_of(s))
    if (follow(store, s->writer, u) || add_reader(s, (struct ag_unit_ref){u, u->seq}))
      return -ENOMEM;
  return 0;
}

static int access_of(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u, uintptr_t lo,
                     uintptr_t hi, unsigned how) {
  if (how != READS && how != WRITES)
    return accumulation_of(graph, store, u, lo, hi, how);
  struct ag_unit_ref me = {u, u->seq};
  struct ag_segment *s = graph->guess;
  if (!s || s->lo > lo || s->hi <= lo)
    s = first_behind(graph, lo);
  if (s && s->lo < lo && !(s = split_for(graph, store, s, lo, how, u)))
    return -ENOMEM;
  for (uintptr_t at = lo; at < hi;) {
    if (!s || s->lo > at) { /* nobody has touched this yet */
      uintptr_t end = s && s->lo < hi ? s->lo : hi;
      struct ag_segment *fresh = add(graph, store, at, end);
      if (!fresh)
        return -ENOMEM;
      s = fresh;
    } else if (s->hi > hi && !split_for(graph, store, s, hi, how, u)) {
      return -ENOMEM;
    }
    if (changes(s, how) && change(store, s, how, u))
      return -ENOMEM;
    if (follow(store, s->writer, u))
      return -ENOMEM;
    for (unsigned i = 0; how == WRITES && i < s->n_readers; ++i)
      if (follow(store, s->readers[i], u))
        return -ENOMEM;
    at = s->hi;
    struct ag_segment *next = next_of(s);
    if (how != WRITES) {
      if (add_reader(s, me))
        return -ENOMEM;
    } else if (s->lo == lo) { /* one segment for the whole of what u writes */
      s->writer = me;
      s->n_readers = 0;
    } else {
      erase(graph, store, s);
      first_behind(graph, lo)->hi = at;
    }
    s = next;
  }
  graph->guess = s ? s : first_behind(graph, 0);
  return 0;
}

static void sweep(struct ag_graph *graph, struct ag_graph_store *store) {
  struct ag_segment *s = first_behind(graph, 0), *next;
  for (; s; s = next) {
    next = next_of(s);
    drop_dead(s);
    if (!s->writer.unit && !s->n_readers)
      erase(graph, store, s);
  }
  graph->sweep_at = graph->segments * 2 > FIRST_SWEEP ? graph->segments * 2 : FIRST_SWEEP;
}

static unsigned use_of(unsigned mode) {
  if (mode & AGGLOM_ACCUMULATE)
    return AGGLOM_ACCUMULATE | (mode >> AGGLOM_OPERATION_SHIFT << AGGLOM_OPERATION_SHIFT);
  return mode & AGGLOM_OUT ? WRITES : READS;
}

int ag_graph_insert(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u) {
  const struct agglom_task *task = u->task;
  if (!graph->sweep_at)
    graph->sweep_at = FIRST_SWEEP;
  if (graph->segments >= graph->sweep_at)
    sweep(graph, store);
  for (unsigned i = 0; i < task->n_sections; ++i) {
    const struct ag_access *a = &u->access[i];
    unsigned how = use_of(task->sections[i].mode);
    for (size_t k = 0; k < ag_access_pieces(a); ++k) {
      struct ag_interval piece = ag_access_piece(a, k);
      if (access_of(graph, store, u, piece.lo, piece.hi, how))
        return -ENOMEM;
    }
  }
  return 0;
}

int ag_graph_users(const struct ag_graph *graph, uintptr_t lo, uintptr_t hi, bool writers,
                   int (*each)(struct ag_unit *unit, void *context), void *context) {
  /* The last writer follows all that used the memory before it. */
  for (struct ag_segment *s = first_behind(graph, lo); s && s->lo < hi; s = next_of(s)) {
    int err = alive(s->writer) ? each(s->writer.unit, context) : 0;
    for (unsigned i = 0; i < s->n_readers && !err; ++i)
      if ((!writers || s->sharing != READS) && alive(s->readers[i]))
        err = each(s->readers[i].unit, context);
    if (err)
      return err;
  }
  return 0;
}

void ag_graph_clear(struct ag_graph *graph, struct ag_graph_store *store) {
  /* Takes leaves off until the root is gone: no recursion, no balancing. */
  for (struct ag_segment *s = graph->root, *parent; s; s = parent) {
    while (s->left || s->right)
      s = s->left ? s->left : s->right;
    parent = s->parent;
    *slot_of(graph, s) = NULL;
    ag_pool_give(&store->segments, s);
  }
  graph->segments = 0;
  graph->guess = NULL;
  graph->sweep_at = FIRST_SWEEP;
}

void ag_graph_store_init(struct ag_graph_store *store) {
  ag_pool_init(&store->edges, sizeof(struct ag_edge), 0);
  ag_pool_init(&store->segments, sizeof(struct ag_segment), 0);
  ag_pool_init(&store->joints, sizeof(struct ag_unit), 0);
  store->joints_made = 0;
}

/* Segments that were given back may own an array of readers, so all of them are taken out first. */
void ag_graph_store_destroy(struct ag_graph_store *store) {
  while (store->segments.free) {
    struct ag_segment *s = ag_pool_take(&store->segments);
    if (s->readers != s->few)
      free(s->readers);
    s->readers = NULL;
  }
  ag_pool_destroy(&store->segments);
  ag_pool_destroy(&store->edges);
  ag_pool_destroy(&store->joints);
}
