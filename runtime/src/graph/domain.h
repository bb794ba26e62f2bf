/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A context that submits, and the units of it that are not complete: data, and its place below other
 * contexts. Protected by the lock of its home worker, but for what is said to be atomic. */
#ifndef AG_DOMAIN_H
#define AG_DOMAIN_H

#include "graph/graph.h"

struct ag_worker;

/* CPU-only units with a priority above 0 are urgent. */
enum ag_urgency { AG_URGENT, AG_NOT_URGENT, AG_N_URGENCIES };

/* The ready units of a domain and a class; fifo/ready.c. */
struct ag_ready_set {
  struct ag_unit *oldest, *newest; /* by arrival, linked by prev and next */
  struct ag_unit *heap;            /* by priority, where priorities differ; else NULL */
  struct ag_domain *next, *prev;   /* among the domains of the home worker that have some */
};

/* A context that submits: a host thread, or the body of a CPU-only unit. Only its thread inserts units. */
struct ag_domain {
  struct ag_worker *home; /* the thread's worker; its lock protects the rest */
  struct ag_unit *owner;  /* the CPU-only unit, or NULL for a host thread */
  /* Fixed. The parent is the owner's domain; jump is an ancestor further up, so that those are found in
   * logarithmic time (Myers 1983, "An applicative random-access stack"). */
  struct ag_domain *parent, *jump;
  uint64_t depth; /* 0: of a host thread */
  struct ag_ready_set ready[AG_N_URGENCIES];
  struct ag_graph graph;
  struct ag_unit *live;      /* units that are not complete, newest first */
  struct ag_unit *oldest;    /* the last of this list: the one that was submitted first */
  size_t independent;        /* of the live ones, units of `independent` tasks; they are not in the graph */
  _Atomic uint64_t streamed; /* units that went into a stream, ever; stored by the thread, without the lock */
  uint64_t streamed_done;    /* units that went into a stream and are complete */
  _Atomic int error;         /* first error since the last wait; without the lock */
  _Atomic bool *said; /* a loop is being cut: whether there was a message about its sections; else NULL */
  bool waited_for;    /* the domain's thread sleeps until all its units are complete */
  bool finished;      /* the owner's body has returned */
  /* Of a host thread: other threads sleep until all units up to this number are complete; 0: none does. Of
   * several numbers, as 7 and 12, the lowest one. */
  uint64_t waited_to;
  /* Of a host thread: units from this number on belong to a loop that the thread waits for itself, and no
   * other thread's wait is for them; 0: there is no such loop. */
  uint64_t loop_from;
};

/* Whether all units of the domain are complete. Its lock held. */
static inline bool ag_domain_over(const struct ag_domain *d) {
  return !d->live && d->streamed_done == atomic_load_explicit(&d->streamed, memory_order_relaxed);
}

/* Notes an error of the domain, unless it has one since its last wait: only the first one is returned. */
static inline void ag_domain_fail(struct ag_domain *d, int err) {
  int none = 0;
  atomic_compare_exchange_strong(&d->error, &none, err);
}

/* Begins a domain, whose home and owner are set. It is new, all zero, or was over: nothing of it is ready or
 * live, and its graph has been cleared. */
static inline void ag_domain_begin(struct ag_domain *d) {
  struct ag_domain *up = d->owner ? d->owner->domain : NULL;
  d->parent = up;
  d->depth = up ? up->depth + 1 : 0;
  d->jump = !up                                                                      ? d
            : up->depth - up->jump->depth == up->jump->depth - up->jump->jump->depth ? up->jump->jump
                                                                                     : up;
  atomic_store_explicit(&d->streamed, 0, memory_order_relaxed);
  d->streamed_done = 0;
  atomic_store_explicit(&d->error, 0, memory_order_relaxed);
  d->said = NULL;
  d->waited_for = d->finished = false;
  d->waited_to = d->loop_from = 0;
}

/* Whether `domain` is `outer`, or was submitted by it directly or not. It has units that are not complete, so
 * those above it are there, too. No lock. */
static inline bool ag_domain_is_within(const struct ag_domain *domain, const struct ag_domain *outer) {
  while (domain->depth > outer->depth)
    domain = domain->jump->depth >= outer->depth ? domain->jump : domain->parent;
  return domain == outer;
}

#endif /* AG_DOMAIN_H */
