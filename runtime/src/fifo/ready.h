/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPU-only units that may run now, of all workers: a class of high priority (> 0) and one of low. Within a
 * class larger priority goes first, among equals the one that came first; every AG_OLDEST_EVERY-th unit taken
 * is the oldest one. Has its own lock; callers may hold a worker's lock, never the other way round. */
#ifndef AG_READY_H
#define AG_READY_H

#include "graph/unit.h"
#include <pthread.h>
#include <stdatomic.h>

struct ag_heap {
  struct ag_unit **units;
  size_t n, capacity;
  _Atomic size_t count;            /* n, to be read without the lock */
  struct ag_unit *oldest, *newest; /* by arrival, linked by prev and next */
  unsigned taken;                  /* units, since the oldest one went first */
};

struct ag_ready {
  pthread_mutex_t lock;
  struct ag_heap high, low;
  size_t promised; /* units that were promised a place and have not been popped */
  uint64_t arrivals;
};

int ag_ready_init(struct ag_ready *ready); /* 0 or a negative errno */
void ag_ready_destroy(struct ag_ready *ready);

/* Promises a place to one more unit: 0 or -ENOMEM. Done at submission, so that pushing, which happens when
 * nobody is there to take an error, cannot fail. cancel: the unit will not come after all. */
int ag_ready_promise(struct ag_ready *ready);
void ag_ready_cancel(struct ag_ready *ready);
void ag_ready_push(struct ag_ready *ready, struct ag_unit *u);

/* The next unit of a class, or NULL. With within: only units that this domain has submitted, or units of
 * these, and so on. */
struct ag_unit *ag_ready_pop(struct ag_ready *ready, bool high, const struct ag_domain *within);

#endif /* AG_READY_H */
