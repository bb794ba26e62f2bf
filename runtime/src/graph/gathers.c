/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/gathers.h"

#include "graph/edges.h"
#include "graph/elements.h"
#include "graph/planes.h"
#include "graph/segments.h"

#include <errno.h>

/* MANY: elements of a piece on average from which on pieces cost less than elements. */
enum { FEW = 256, MANY = 8, LOOKS = 8, SHARE = 16 };

/* A gather that reads and has been put aside. Its pieces are there as long as the unit is. */
struct gather {
  struct ag_unit_ref unit;
  const struct ag_access *access;
  struct gather *next;
};

struct field {
  struct ag_node at; /* hull; first */
  size_t element;    /* bytes; each element begins at origin, modulo that */
  uintptr_t origin;
  struct gather *aside, *last;
  bool recorded; /* there may be elements of it in the table */
};

struct ag_gathers {
  struct ag_tree fields;
  struct ag_elements elements;
  size_t bytes;    /* of the elements, as the store counts them */
  size_t aside;    /* gathers */
  size_t misfits;  /* gathers that found a field of other elements, since the last sweep */
  size_t sweep_at; /* number of gathers at which those of complete units are looked for */
};

/* Who follows the units that are found. */
struct follower {
  struct ag_graph_store *store;
  struct ag_unit *u;
};

static int follow(struct ag_unit_ref unit, void *context) {
  const struct follower *f = context;
  return ag_follow(f->store, unit, f->u);
}

static struct field *field_behind(const struct ag_gathers *g, uintptr_t address) {
  return (struct field *)(void *)ag_tree_behind(&g->fields, address);
}
static struct field *next_field(struct field *f) { return (struct field *)(void *)ag_tree_next(&f->at); }

static struct ag_element_set set_of(const struct ag_access *a) {
  return (struct ag_element_set){a->pieces->at, a->pieces->element, a->pieces->elements};
}

static uintptr_t least(uintptr_t a, uintptr_t b) { return a < b ? a : b; }
static uintptr_t most(uintptr_t a, uintptr_t b) { return a > b ? a : b; }

/* Has the store count what the elements take. */
static void count(struct ag_gathers *g, struct ag_graph_store *store) {
  size_t bytes = ag_elements_bytes(&g->elements);
  store->element_bytes += bytes - g->bytes;
  g->bytes = bytes;
}

/* --- Fields ----------------------------------------------------------------------------------------- */

static void drop_first(struct ag_gathers *g, struct ag_graph_store *store, struct field *f) {
  struct gather *first = f->aside;
  f->aside = first->next;
  ag_pool_give(&store->aside, first);
  --g->aside;
}

static void drop_field(struct ag_gathers *g, struct ag_graph_store *store, struct field *f) {
  while (f->aside)
    drop_first(g, store, f);
  ag_tree_remove(&g->fields, &f->at);
  ag_pool_give(&store->fields, f);
  if (!g->fields.root) {
    ag_elements_clear(&g->elements);
    count(g, store);
  }
}

/* Drops what complete units have done, and fields that nobody uses any more. */
static void sweep(struct ag_gathers *g, struct ag_graph_store *store) {
  struct field *next, *at = NULL;
  bool known = !g->elements.room || !ag_elements_sweep(&g->elements, 0);
  for (struct field *f = field_behind(g, 0); f; f = next_field(f)) {
    f->recorded &= !known;
    struct gather *kept = NULL, *last = NULL;
    while (f->aside) {
      struct gather *first = f->aside;
      if (!ag_ref_alive(first->unit)) {
        drop_first(g, store, f);
        continue;
      }
      f->aside = first->next;
      last = kept ? last : first;
      first->next = kept;
      kept = first;
    }
    f->aside = kept;
    f->last = last;
  }
  for (size_t i = 0; known && i < g->elements.room; ++i) {
    uintptr_t element = g->elements.table[i].at;
    if (element && (!at || element < at->at.lo || element >= at->at.hi))
      at = field_behind(g, element);
    if (element && at && at->at.lo <= element)
      at->recorded = true;
  }
  for (struct field *f = field_behind(g, 0); f; f = next) {
    next = next_field(f);
    if (!f->aside && !f->recorded)
      drop_field(g, store, f);
  }
  count(g, store);
  g->misfits = 0;
  g->sweep_at = 2 * g->aside + g->elements.room / SHARE + FEW;
}

static void sweep_at_times(struct ag_gathers *g, struct ag_graph_store *store) {
  if (g->aside >= g->sweep_at || g->misfits >= g->sweep_at ||
      g->elements.looks > LOOKS * (g->elements.room + FEW))
    sweep(g, store);
}

static int reserve(struct ag_gathers *g, struct ag_graph_store *store, size_t n) {
  int err = ag_elements_reserve(&g->elements, n);
  count(g, store);
  return err;
}

/* The gathers that were put aside are recorded element by element. 0 or -ENOMEM. */
static int record(struct ag_gathers *g, struct ag_graph_store *store, struct field *f) {
  while (f->aside) {
    const struct gather *first = f->aside;
    ++g->elements.steps;
    if (ag_ref_alive(first->unit)) {
      struct ag_element_set set = set_of(first->access);
      if (reserve(g, store, set.n))
        return -ENOMEM;
      ag_elements_read(&g->elements, &set, first->unit, first->access->lo, first->access->hi);
      f->recorded = true;
    }
    drop_first(g, store, f);
  }
  return 0;
}

/* The field of the access, which fits all fields that it overlaps: they become one. NULL: no memory. */
static struct field *field_of(struct ag_gathers *g, struct ag_graph_store *store, const struct ag_access *a) {
  struct field *f = field_behind(g, a->lo), *next;
  if (!f || f->at.lo >= a->hi) {
    f = ag_pool_take(&store->fields);
    if (!f)
      return NULL;
    *f = (struct field){.at = {.lo = a->lo, .hi = a->hi}, .element = a->pieces->element, .origin = a->lo};
    ag_tree_add(&g->fields, &f->at);
    return f;
  }
  f->at.lo = least(f->at.lo, a->lo);
  while ((next = next_field(f)) && next->at.lo < a->hi) {
    if (next->aside && f->aside)
      f->last->next = next->aside;
    else if (next->aside)
      f->aside = next->aside;
    f->last = next->aside ? next->last : f->last;
    f->recorded |= next->recorded;
    f->at.hi = next->at.hi;
    next->aside = NULL;
    drop_field(g, store, next);
  }
  f->at.hi = most(f->at.hi, a->hi);
  return f;
}

/* --- Gathers ---------------------------------------------------------------------------------------- */

static struct ag_gathers *gathers_of(struct ag_graph *graph, struct ag_graph_store *store) {
  if (!graph->gathers)
    graph->gathers = ag_pool_take(&store->gathers);
  return graph->gathers;
}

/* Whether the elements are those of all fields that the access overlaps. *recorded: some of them may be in
 * the table. */
static bool fits(const struct ag_gathers *g, const struct ag_access *a, bool *recorded) {
  size_t element = a->pieces->element;
  *recorded = false;
  for (struct field *f = field_behind(g, a->lo); f && f->at.lo < a->hi; f = next_field(f)) {
    if (f->element != element || f->origin % element != a->lo % element)
      return false;
    *recorded |= f->recorded;
  }
  return true;
}

int ag_gathers_use(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                   const struct ag_access *a, unsigned how) {
  const struct ag_pieces *p = a->pieces;
  if ((how != AG_READS && how != AG_WRITES) || p->elements >= MANY * p->n)
    return AG_BY_PIECES;
  struct ag_gathers *g = gathers_of(graph, store);
  if (!g)
    return -ENOMEM;
  sweep_at_times(g, store);
  bool recorded;
  if (!fits(g, a, &recorded)) {
    ++g->misfits;
    return AG_BY_PIECES;
  }
  int err = ag_planes_follow(graph, store, u, p->at, p->n, how);
  struct field *f = err ? NULL : field_of(g, store, a);
  if (!f)
    return err ? err : -ENOMEM;
  struct ag_element_set set = set_of(a);
  struct follower follower = {store, u};
  struct ag_unit_ref me = {u, u->seq};
  if (how == AG_WRITES) {
    if (record(g, store, f) || reserve(g, store, set.n))
      return -ENOMEM;
    f->recorded = true;
    return ag_elements_write(&g->elements, &set, me, a->lo, a->hi, follow, &follower);
  }
  if (recorded && (err = ag_elements_writers(&g->elements, &set, follow, &follower)))
    return err;
  struct gather *aside = ag_pool_take(&store->aside);
  if (!aside)
    return -ENOMEM;
  *aside = (struct gather){me, a, f->aside};
  f->last = f->aside ? f->last : aside;
  f->aside = aside;
  ++g->aside;
  return 0;
}

/* --- Others ----------------------------------------------------------------------------------------- */

/* lo .. hi-1, which lie in the field, are used in this way. */
static int meet_field(struct ag_gathers *g, struct follower *who, struct field *f, uintptr_t lo, uintptr_t hi,
                      unsigned how) {
  bool whole = lo == f->at.lo && hi == f->at.hi, reads = how == AG_READS;
  int err = 0;
  if (!whole && !reads && (err = record(g, who->store, f)))
    return err;
  if (f->recorded && whole)
    err = ag_elements_of(&g->elements, lo, hi, reads, follow, who);
  else if (f->recorded)
    err = ag_elements_within(&g->elements, lo, hi, f->element, f->origin, reads, !reads, follow, who);
  if (!whole || reads)
    return err;
  for (const struct gather *a = f->aside; a && !err; a = a->next) {
    ++g->elements.steps;
    err = follow(a->unit, who);
  }
  if (!err)
    drop_field(g, who->store, f);
  return err;
}

/* Who accumulates in lo .. hi-1 follows a joint: that is recorded as if it had written there. It does not
 * follow the unit itself, whose other sections use other memory. */
static int join_field(struct ag_graph *graph, struct ag_graph_store *store, struct field *f, uintptr_t lo,
                      uintptr_t hi) {
  struct ag_unit *joint = ag_joint_begin(store);
  if (!joint)
    return -ENOMEM;
  struct follower who = {store, joint};
  int err = meet_field(graph->gathers, &who, f, lo, hi, AG_WRITES);
  if (ag_joint_end(store, joint) && !err)
    err = ag_planes_use(graph, store, joint, lo, hi, &(struct ag_use){AG_WRITES, AG_WHOLE, 0});
  return err;
}

int ag_gathers_meet(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                    const struct ag_access *a, unsigned how) {
  struct ag_gathers *g = graph->gathers;
  struct field *f = field_behind(g, a->lo), *next;
  if (!f || f->at.lo >= a->hi)
    return 0;
  sweep_at_times(g, store);
  struct follower who = {store, u};
  int err = 0;
  for (size_t k = 0; k < ag_access_pieces(a) && !err; ++k) {
    struct ag_interval piece = ag_access_piece(a, k);
    for (f = field_behind(g, piece.lo); f && f->at.lo < piece.hi && !err; f = next) {
      uintptr_t lo = most(piece.lo, f->at.lo), hi = least(piece.hi, f->at.hi);
      next = next_field(f);
      err = how == AG_READS || how == AG_WRITES ? meet_field(g, &who, f, lo, hi, how)
                                                : join_field(graph, store, f, lo, hi);
    }
  }
  return err;
}

/* --- Users ------------------------------------------------------------------------------------------ */

struct users {
  int (*each)(struct ag_unit *unit, void *context);
  void *context;
};

static int user(struct ag_unit_ref unit, void *context) {
  const struct users *to = context;
  return ag_ref_alive(unit) ? to->each(unit.unit, to->context) : 0;
}

int ag_gathers_users(const struct ag_graph *graph, uintptr_t lo, uintptr_t hi, bool writers,
                     int (*each)(struct ag_unit *unit, void *context), void *context) {
  struct ag_gathers *g = graph->gathers;
  struct ag_access range = {lo, hi, NULL};
  struct users to = {each, context};
  int err = 0;
  for (struct field *f = field_behind(g, lo); f && f->at.lo < hi && !err; f = next_field(f)) {
    if (f->recorded)
      err = ag_elements_within(&g->elements, most(lo, f->at.lo), least(hi, f->at.hi), f->element, f->origin,
                               writers, false, user, &to);
    for (const struct gather *a = f->aside; a && !writers && !err; a = a->next)
      if (ag_ref_alive(a->unit) && ag_access_overlap(a->access, &range))
        err = each(a->unit.unit, context);
  }
  return err;
}

/* --- The rest --------------------------------------------------------------------------------------- */

void ag_gathers_init(struct ag_graph_store *store) {
  ag_pool_init(&store->gathers, sizeof(struct ag_gathers), 0);
  ag_pool_init(&store->fields, sizeof(struct field), 0);
  ag_pool_init(&store->aside, sizeof(struct gather), 0);
}

/* What was given back has kept tables. */
void ag_gathers_destroy(struct ag_graph_store *store) {
  while (store->gathers.free) {
    struct ag_gathers *g = ag_pool_take(&store->gathers);
    ag_elements_free(&g->elements);
    count(g, store);
  }
  ag_pool_destroy(&store->gathers);
  ag_pool_destroy(&store->fields);
  ag_pool_destroy(&store->aside);
}

void ag_gathers_sweep(struct ag_graph *graph, struct ag_graph_store *store) { sweep(graph->gathers, store); }

void ag_gathers_clear(struct ag_graph *graph, struct ag_graph_store *store) {
  struct ag_gathers *g = graph->gathers;
  struct field *f;
  while ((f = field_behind(g, 0)))
    drop_field(g, store, f);
  ag_elements_clear(&g->elements);
  count(g, store);
  *g = (struct ag_gathers){.elements = g->elements, .bytes = g->bytes};
  ag_pool_give(&store->gathers, g);
  graph->gathers = NULL;
}

uint64_t ag_gathers_steps(const struct ag_graph *graph) {
  return graph->gathers ? graph->gathers->elements.steps : 0;
}
