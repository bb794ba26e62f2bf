/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fifo/ready.h"

#include "policy/policy.h"

/* Domains that are looked at for a unit of the largest priority, or of a certain domain. */
enum { LOOK_AT = 16 };

/* --- The heap of a set whose priorities differ
 * -------------------------------------------------------------- A pairing heap (Fredman, Sedgewick, Sleator,
 * Tarjan 1986): the children of a unit are a list by `sibling`, and `back` is the one before in that list, or
 * the parent. */

static bool before(const struct ag_unit *a, const struct ag_unit *b) {
  return a->priority != b->priority ? a->priority > b->priority : a->seq < b->seq;
}

static struct ag_unit *meld(struct ag_unit *a, struct ag_unit *b) {
  if (!a || !b)
    return a ? a : b;
  if (before(b, a)) {
    struct ag_unit *c = a;
    a = b;
    b = c;
  }
  b->back = a;
  b->sibling = a->child;
  if (a->child)
    a->child->back = b;
  a->child = b;
  return a;
}

/* Makes one heap of a list of siblings: in pairs from the left, then these from the right. */
static struct ag_unit *meld_all(struct ag_unit *list) {
  struct ag_unit *pairs = NULL, *heap = NULL;
  while (list) {
    struct ag_unit *a = list, *b = a->sibling;
    list = b ? b->sibling : NULL;
    a->sibling = NULL;
    if (b)
      b->sibling = NULL;
    a = meld(a, b);
    a->sibling = pairs;
    pairs = a;
  }
  while (pairs) {
    struct ag_unit *a = pairs;
    pairs = a->sibling;
    a->sibling = NULL;
    heap = meld(heap, a);
  }
  if (heap)
    heap->back = NULL;
  return heap;
}

static void add_to_heap(struct ag_ready_set *set, struct ag_unit *u) {
  u->child = u->sibling = u->back = NULL;
  set->heap = meld(set->heap, u);
}

static void take_from_heap(struct ag_ready_set *set, struct ag_unit *u) {
  if (u != set->heap) {
    *(u->back->child == u ? &u->back->child : &u->back->sibling) = u->sibling;
    if (u->sibling)
      u->sibling->back = u->back;
    set->heap = meld(set->heap, meld_all(u->child));
  } else {
    set->heap = meld_all(u->child);
  }
}

/* --- A set: the ready units of a domain and a class --------------------------------------------------------
 */

static void add(struct ag_ready_set *set, struct ag_unit *u) {
  u->prev = set->newest;
  u->next = NULL;
  if (set->newest)
    set->newest->next = u;
  else
    set->oldest = u;
  set->newest = u;
  if (!set->heap && u->prev && u->prev->priority != u->priority)
    for (struct ag_unit *v = set->oldest; v; v = v->next)
      add_to_heap(set, v);
  else if (set->heap)
    add_to_heap(set, u);
}

static void take(struct ag_ready_set *set, struct ag_unit *u) {
  *(u->prev ? &u->prev->next : &set->oldest) = u->next;
  *(u->next ? &u->next->prev : &set->newest) = u->prev;
  u->prev = u->next = NULL;
  if (set->heap)
    take_from_heap(set, u);
}

static struct ag_unit *first(const struct ag_ready_set *set) { return set->heap ? set->heap : set->oldest; }

/* --- The domains of a worker
 * --------------------------------------------------------------------------------
 */

static void append(struct ag_ready_class *c, struct ag_domain *d, enum ag_urgency of) {
  d->ready[of].prev = c->last;
  d->ready[of].next = NULL;
  *(c->last ? &c->last->ready[of].next : &c->first) = d;
  c->last = d;
}

static void leave(struct ag_ready_class *c, struct ag_domain *d, enum ag_urgency of) {
  struct ag_ready_set *set = &d->ready[of];
  *(set->prev ? &set->prev->ready[of].next : &c->first) = set->next;
  *(set->next ? &set->next->ready[of].prev : &c->last) = set->prev;
}

static void count(struct ag_ready_class *c, size_t more) {
  size_t now = atomic_load_explicit(&c->count, memory_order_relaxed) + more;
  atomic_store_explicit(&c->count, now, memory_order_release);
}

void ag_ready_push(struct ag_ready *ready, struct ag_unit *u) {
  enum ag_urgency of = ag_urgency_of(u);
  struct ag_ready_class *c = &ready->at[of];
  struct ag_ready_set *set = &u->domain->ready[of];
  u->state = AG_UNIT_READY;
  if (!set->oldest)
    append(c, u->domain, of);
  add(set, u);
  bool only = c->first == c->last && set->oldest == u;
  if (only || u->priority > atomic_load_explicit(&c->top, memory_order_relaxed))
    atomic_store_explicit(&c->top, u->priority, memory_order_relaxed);
  count(c, 1);
}

struct ag_unit *ag_ready_first(const struct ag_ready *ready, enum ag_urgency of) {
  const struct ag_domain *d = ready->at[of].first;
  return d ? first(&d->ready[of]) : NULL;
}

struct ag_unit *ag_ready_first_of(const struct ag_domain *domain, enum ag_urgency of) {
  return first(&domain->ready[of]);
}

void ag_ready_take_unit(struct ag_ready *ready, struct ag_unit *u) {
  enum ag_urgency of = ag_urgency_of(u);
  struct ag_ready_class *c = &ready->at[of];
  struct ag_ready_set *set = &u->domain->ready[of];
  take(set, u);
  if (!set->oldest)
    leave(c, u->domain, of);
  u->state = AG_UNIT_RUNNING;
  count(c, -(size_t)1);
}

/* The domain whose first unit has the largest priority, of the first few. */
static struct ag_domain *largest(const struct ag_ready_class *c, enum ag_urgency of) {
  struct ag_domain *best = c->first, *d = best;
  for (int i = 0; d && i < LOOK_AT; ++i, d = d->ready[of].next)
    if (first(&d->ready[of])->priority > first(&best->ready[of])->priority)
      best = d;
  return best;
}

/* Takes out the oldest unit of a domain when it is its turn, else the one that `next` names. */
static struct ag_unit *take_of(struct ag_ready *ready, enum ag_urgency of, const struct ag_domain *d,
                               struct ag_unit *next) {
  struct ag_ready_class *c = &ready->at[of];
  if (++c->taken >= AG_OLDEST_EVERY) { /* neither a larger priority nor a later call is a right for ever */
    c->taken = 0;
    next = d->ready[of].oldest;
  }
  ag_ready_take_unit(ready, next);
  return next;
}

struct ag_unit *ag_ready_take_of(struct ag_ready *ready, enum ag_urgency of, const struct ag_domain *d) {
  const struct ag_ready_set *set = &d->ready[of];
  return set->oldest ? take_of(ready, of, d, set->heap ? set->heap : set->newest) : NULL;
}

struct ag_unit *ag_ready_take(struct ag_ready *ready, enum ag_urgency of, bool differ) {
  struct ag_ready_class *c = &ready->at[of];
  struct ag_domain *d = c->first;
  if (!d)
    return NULL;
  if (c->taken + 1 >= AG_OLDEST_EVERY) { /* the next domain has a turn */
    leave(c, d, of);
    append(c, d, of);
  } else {
    d = differ ? largest(c, of) : d;
  }
  struct ag_unit *u = take_of(ready, of, d, first(&d->ready[of]));
  if (differ && c->first)
    atomic_store_explicit(&c->top, first(&largest(c, of)->ready[of])->priority, memory_order_relaxed);
  return u;
}

/* Units within a domain come after it: so the domains are looked at first that have begun to have some last.
 */
struct ag_unit *ag_ready_take_within(struct ag_ready *ready, enum ag_urgency of,
                                     const struct ag_domain *within, bool all) {
  const struct ag_domain *d = ready->at[of].last;
  for (int i = 0; d && (all || i < LOOK_AT); ++i, d = d->ready[of].prev)
    if (ag_domain_is_within(d, within))
      return take_of(ready, of, d, first(&d->ready[of]));
  return NULL;
}
