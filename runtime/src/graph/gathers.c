/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/gathers.h"

#include "graph/edges.h"
#include "graph/elements.h"
#include "graph/planes.h"
#include "graph/segments.h"

#include <errno.h>

/* MANY: elements of a piece on average from which on pieces cost less than elements. EXACT: gathers that
 * accumulate up to which others follow them element by element. */
enum { FEW = 256, MANY = 8, LOOKS = 8, SHARE = 16, EXACT = 16 };

/* A gather that reads or accumulates and has been put aside. Its pieces are there as long as the unit is. */
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
  /* AG_READS; or an operation: all that were put aside accumulate with it, and follow the joint `before`,
   * which follows all that is recorded elsewhere of the hull; element and origin say nothing. */
  unsigned how;
  struct ag_unit_ref before;
};

struct ag_gathers {
  struct ag_tree fields;
  struct ag_elements elements;
  size_t bytes;    /* of the elements, as the store counts them */
  size_t aside;    /* gathers */
  unsigned exact;  /* gathers that accumulate, of those to come, that are recorded piece by piece */
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

static int put_aside(struct ag_gathers *g, struct ag_graph_store *store, struct field *f, struct ag_unit *u,
                     const struct ag_access *a) {
  struct gather *aside = ag_pool_take(&store->aside);
  if (!aside)
    return -ENOMEM;
  *aside = (struct gather){{u, u->seq}, a, f->aside};
  f->last = f->aside ? f->last : aside;
  f->aside = aside;
  ++g->aside;
  return 0;
}

/* --- What others do in a field ---------------------------------------------------------------------- */

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

/* A joint that u is going to follow. It does not follow u, whose other sections may be recorded as if they
 * used more than they do: the mark says that it does already. NULL: no memory. */
static struct ag_unit *joint_before(struct ag_graph_store *store, struct ag_unit *u) {
  struct ag_unit *joint = ag_joint_begin(store);
  if (joint)
    u->mark = joint->seq;
  return joint;
}

/* u, which accumulates in lo .. hi-1, follows a joint: that is recorded as if it had written there. */
static int join_field(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                      struct field *f, uintptr_t lo, uintptr_t hi) {
  struct ag_unit *joint = joint_before(store, u);
  if (!joint)
    return -ENOMEM;
  struct follower who = {store, joint};
  int err = meet_field(graph->gathers, &who, f, lo, hi, AG_WRITES);
  if (ag_joint_end(store, joint) && !err)
    err = ag_planes_use(graph, store, joint, lo, hi, &(struct ag_use){AG_WRITES, AG_WHOLE, 0});
  return err;
}

/* --- Gathers that accumulate ------------------------------------------------------------------------- */

/* The number of gathers that were put aside and are not complete; of more than EXACT, EXACT + 1. */
static size_t incomplete(const struct field *f) {
  size_t n = 0;
  for (const struct gather *a = f->aside; a && n <= EXACT; a = a->next)
    n += ag_ref_alive(a->unit);
  return n;
}

/* A joint of a gather that accumulates is recorded elsewhere, as if it had written the elements. */
static int record_sum(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                      const struct gather *a) {
  const struct ag_pieces *p = a->access->pieces;
  struct ag_unit *joint = joint_before(store, u);
  int err = joint ? ag_follow(store, a->unit, joint) : -ENOMEM;
  bool any = joint && ag_joint_end(store, joint);
  for (size_t k = 0; any && !err && k < p->n; ++k)
    err = ag_planes_use(graph, store, joint, p->at[k].lo, p->at[k].hi,
                        &(struct ag_use){AG_WRITES, AG_EXACTLY, 0});
  return err;
}

/* One joint of all of a field is recorded, as if it had written from the first to the last element: who comes
 * waits for all of them. */
static int record_sums(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                       const struct field *f) {
  struct ag_unit *joint = joint_before(store, u);
  int err = joint ? 0 : -ENOMEM;
  for (const struct gather *a = f->aside; a && !err; a = a->next)
    err = ag_follow(store, a->unit, joint);
  if (joint && ag_joint_end(store, joint) && !err)
    err = ag_planes_use(graph, store, joint, f->at.lo, f->at.hi, &(struct ag_use){AG_WRITES, AG_WHOLE, 0});
  return err;
}

/* u comes to a field in which gathers accumulate. Of few, those that come wait for elements that they use,
 * and so do the next ones that accumulate. 0 or -ENOMEM. */
static int end_sums(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                    struct field *f) {
  size_t n = incomplete(f);
  int err = 0;
  if (n > EXACT)
    err = record_sums(graph, store, u, f);
  for (const struct gather *a = f->aside; a && n && n <= EXACT && !err; a = a->next)
    err = record_sum(graph, store, u, a);
  if (n && n <= EXACT)
    graph->gathers->exact = FEW;
  if (!err)
    drop_field(graph->gathers, store, f);
  return err;
}

/* Whether u uses some of lo .. hi-1 in another way than by the access. */
static bool uses_besides(const struct ag_unit *u, const struct ag_access *a, uintptr_t lo, uintptr_t hi) {
  for (unsigned i = 0; i < u->task->n_sections; ++i)
    if (&u->access[i] != a && u->access[i].lo < hi && lo < u->access[i].hi)
      return true;
  return false;
}

static int follows(struct ag_unit *unit, void *context) {
  const struct follower *f = context;
  return ag_follow(f->store, (struct ag_unit_ref){unit, unit->seq}, f->u);
}

/* The joint follows all that is recorded elsewhere of lo .. hi-1. 0, -ENOMEM, or AG_BY_PIECES: some of that
 * accumulates, which is nothing to wait for. */
static int follow_elsewhere(const struct ag_graph *graph, struct follower *joint, uintptr_t lo,
                            uintptr_t hi) {
  if (lo >= hi)
    return 0;
  if (ag_segments_accumulate(&graph->line, lo, hi))
    return AG_BY_PIECES;
  int err = ag_segments_users(&graph->line, lo, hi, false, follows, joint);
  return err ? err : ag_planes_users(graph, lo, hi, false, follows, joint);
}

/* *before: a joint of all that gathers from the hull of the access have to follow, whose other fields, all
 * with this use, do not reach all of it. Returns as follow_elsewhere(). */
static int find_before(const struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                       const struct ag_access *a, struct ag_unit_ref *before) {
  struct ag_unit *joint = joint_before(store, u);
  if (!joint)
    return -ENOMEM;
  struct follower who = {store, joint};
  uintptr_t from = a->lo;
  int err = 0;
  for (struct field *f = field_behind(graph->gathers, a->lo); f && f->at.lo < a->hi && !err;
       f = next_field(f)) {
    err = ag_follow(store, f->before, joint);
    if (!err)
      err = follow_elsewhere(graph, &who, from, f->at.lo);
    from = f->at.hi;
  }
  if (!err)
    err = follow_elsewhere(graph, &who, from, a->hi);
  bool any = ag_joint_end(store, joint); /* else it is complete when what it follows is */
  *before = any ? (struct ag_unit_ref){joint, joint->seq} : (struct ag_unit_ref){NULL, 0};
  return err;
}

/* u accumulates through the access, a gather. Those with one operation do not conflict, so each is put aside;
 * what was recorded before them is followed by one joint. Returns as ag_gathers_use(). */
static int accumulate(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                      const struct ag_access *a, unsigned how) {
  struct ag_gathers *g = graph->gathers;
  struct field *f = field_behind(g, a->lo), *next;
  bool within = f && f->how == how && f->at.lo <= a->lo && f->at.hi >= a->hi;
  struct ag_unit_ref before = within ? f->before : (struct ag_unit_ref){NULL, 0};
  int err = 0;
  if (g->exact || uses_besides(u, a, a->lo, a->hi)) {
    g->exact -= g->exact > 0;
    return AG_BY_PIECES;
  }
  for (; f && f->at.lo < a->hi; f = next_field(f))
    if (uses_besides(u, a, f->at.lo, f->at.hi))
      return AG_BY_PIECES;
  for (f = field_behind(g, a->lo); f && f->at.lo < a->hi && !err; f = next) {
    next = next_field(f);
    size_t n = f->how == AG_READS && !f->recorded ? incomplete(f) : 0;
    if (n && n <= EXACT) { /* as in end_sums() */
      g->exact = FEW;
      return AG_BY_PIECES;
    }
    if (f->how == AG_READS)
      err = join_field(graph, store, u, f, f->at.lo, f->at.hi);
    else if (f->how != how)
      err = end_sums(graph, store, u, f);
  }
  if (!err && !within)
    err = find_before(graph, store, u, a, &before);
  if (!err && !(f = field_of(g, store, a)))
    err = -ENOMEM;
  if (err)
    return err;
  f->how = how;
  f->before = before;
  err = ag_follow(store, before, u);
  return err ? err : put_aside(g, store, f, u, a);
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
  if (p->elements >= MANY * p->n)
    return AG_BY_PIECES;
  struct ag_gathers *g = gathers_of(graph, store);
  if (!g)
    return -ENOMEM;
  sweep_at_times(g, store);
  if (how != AG_READS && how != AG_WRITES)
    return accumulate(graph, store, u, a, how);
  bool recorded;
  for (struct field *f = field_behind(g, a->lo), *next; f && f->at.lo < a->hi; f = next) {
    next = next_field(f);
    if (f->how != AG_READS && end_sums(graph, store, u, f))
      return -ENOMEM;
  }
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
  return put_aside(g, store, f, u, a);
}

/* --- Others ----------------------------------------------------------------------------------------- */

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
      err = f->how != AG_READS                    ? end_sums(graph, store, u, f)
            : how == AG_READS || how == AG_WRITES ? meet_field(g, &who, f, lo, hi, how)
                                                  : join_field(graph, store, u, f, lo, hi);
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
    for (const struct gather *a = f->aside; a && (!writers || f->how != AG_READS) && !err; a = a->next)
      if (ag_ref_alive(a->unit) && ag_access_overlap(a->access, &range))
        err = each(a->unit.unit, context);
  }
  return err;
}

bool ag_gathers_accumulate(const struct ag_graph *graph, uintptr_t lo, uintptr_t hi) {
  const struct ag_gathers *g = graph->gathers;
  for (struct field *f = field_behind(g, lo); f && f->at.lo < hi; f = next_field(f))
    if (f->how != AG_READS)
      return true;
  return false;
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
