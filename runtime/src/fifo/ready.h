/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPU-only units that may run now, kept by the domain that submitted them; each worker has a list of its
 * domains that have some. So a thread that waits in a unit finds what that unit has submitted at once.
 *
 * There is a class of high priority (> 0) and one of low. Within a domain and a class the larger priority
 * goes first, among equals the one that came first; but a thread that waits for units of a domain takes the
 * one that came last where all have the same priority, as its data are the likeliest to be in the cache
 * still, and other threads take from the other end (Blumofe and Leiserson, Scheduling multithreaded
 * computations by work stealing, 1999). Of several domains the one goes first that has had units for the
 * longest time, or, where priorities differ, the one with the largest priority of some that are looked at.
 * Every AG_OLDEST_EVERY-th unit taken is the oldest one of its domain, and the next domain has a turn.
 *
 * The lock of the home worker protects a domain's ready units and the worker's list. Nothing is allocated. */
#ifndef AG_READY_H
#define AG_READY_H

#include "graph/domain.h"
#include <stdatomic.h>

/* Those of one class of a worker. */
struct ag_ready_class {
  struct ag_domain *first, *last; /* domains that have some, in the order in which they began to */
  _Atomic size_t count;           /* units; stored under the lock, read without */
  _Atomic long long top;          /* the largest priority, as far as is known; likewise */
  unsigned taken;                 /* units, since the oldest one went first */
};

struct ag_ready {
  struct ag_ready_class at[AG_N_URGENCIES];
};

static inline enum ag_urgency ag_urgency_of(const struct ag_unit *u) {
  return u->priority > 0 ? AG_URGENT : AG_NOT_URGENT;
}

static inline size_t ag_ready_count(const struct ag_ready *ready, enum ag_urgency of) {
  return atomic_load_explicit(&ready->at[of].count, memory_order_relaxed);
}

static inline size_t ag_ready_total(const struct ag_ready *ready) {
  return ag_ready_count(ready, AG_URGENT) + ag_ready_count(ready, AG_NOT_URGENT);
}

static inline bool ag_ready_any(const struct ag_ready *ready) { return ag_ready_total(ready); }

/* Adds a unit of one of the worker's domains. */
void ag_ready_push(struct ag_ready *ready, struct ag_unit *u);

/* A unit of a class that may go now, in the domain that has had some for the longest time; NULL: there is
 * none. It stays where it is. */
struct ag_unit *ag_ready_first(const struct ag_ready *ready, enum ag_urgency of);

/* Of a domain: the one that may go now, or NULL. It stays where it is. */
struct ag_unit *ag_ready_first_of(const struct ag_domain *domain, enum ag_urgency of);

/* Takes out the next unit of a class, or NULL. differ: whether units of a class have different priorities. */
struct ag_unit *ag_ready_take(struct ag_ready *ready, enum ag_urgency of, bool differ);

/* For a thread that waits for the units of a domain, whose home the worker is: the next one that it has
 * submitted itself, or NULL. */
struct ag_unit *ag_ready_take_of(struct ag_ready *ready, enum ag_urgency of, const struct ag_domain *domain);

/* Takes out a unit that `within` has submitted, or units of these, and so on; or NULL. all: looks at all
 * domains, not only at some that it may be in. */
struct ag_unit *ag_ready_take_within(struct ag_ready *ready, enum ag_urgency of,
                                     const struct ag_domain *within, bool all);

/* Takes out this unit, which is ready. */
void ag_ready_take_unit(struct ag_ready *ready, struct ag_unit *u);

#endif /* AG_READY_H */
