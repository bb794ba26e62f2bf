/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How large the largest of some units is, while units come and go: counts and sums by powers of two. Each
 * unit that is submitted comes and goes here, so that is inline. */
#ifndef AG_SIZES_H
#define AG_SIZES_H

#include "sys/relaxed.h"

enum { AG_SIZE_CLASSES = 64 };

/* All zero: none. One thread at a time changes it, any reads it: of numbers that change meanwhile some may be
 * of other moments. */
struct ag_sizes {
  _Atomic uint64_t used; /* bit i: there are some in class i */
  struct {
    _Atomic uint64_t n;
    _Atomic double items;
  } of[AG_SIZE_CLASSES]; /* class i: 2^i items or more and less than 2^(i+1); class 0: whatever is less than 2
                          */
};

static inline unsigned ag_size_class(double items) {
  uint64_t n = items >= 0x1p63 ? UINT64_MAX : items >= 1 ? (uint64_t)items : 1;
  return 63 - (unsigned)__builtin_clzll(n);
}

static inline void ag_sizes_set(struct ag_sizes *sizes, unsigned i, uint64_t n, double items) {
  ag_set(&sizes->of[i].n, n);
  atomic_store_explicit(&sizes->of[i].items, items, memory_order_relaxed);
}

static inline double ag_sizes_items(const struct ag_sizes *sizes, unsigned i) {
  return atomic_load_explicit(&sizes->of[i].items, memory_order_relaxed);
}

static inline void ag_sizes_add(struct ag_sizes *sizes, double items) {
  unsigned i = ag_size_class(items);
  ag_sizes_set(sizes, i, ag_get(&sizes->of[i].n) + 1, ag_sizes_items(sizes, i) + items);
  ag_set(&sizes->used, ag_get(&sizes->used) | (uint64_t)1 << i);
}

/* One that was added. */
static inline void ag_sizes_remove(struct ag_sizes *sizes, double items) {
  unsigned i = ag_size_class(items);
  uint64_t n = ag_get(&sizes->of[i].n) - 1;
  ag_sizes_set(sizes, i, n, n ? ag_sizes_items(sizes, i) - items : 0); /* but for what rounding has left */
  if (!n)
    ag_set(&sizes->used, ag_get(&sizes->used) & ~((uint64_t)1 << i));
}

/* The mean of the highest class: what the largest one has, within a factor of 2; exact when all have as many.
 * 0: there is none. */
double ag_sizes_longest(const struct ag_sizes *sizes);

/* Those of the one and of the other. */
void ag_sizes_join(struct ag_sizes *sizes, const struct ag_sizes *more);

/* n units that are so many items each. */
void ag_sizes_add_alike(struct ag_sizes *sizes, uint64_t n, double items);

/* What the n largest have in all. */
double ag_sizes_of_largest(const struct ag_sizes *sizes, uint64_t n);

/* The largest units: all of the classes above this one, and a part of those in it. */
struct ag_sizes_front {
  unsigned class;
  double part;
};

#define AG_SIZES_NONE ((struct ag_sizes_front){AG_SIZE_CLASSES - 1, 0})

/* Those that have so many items in all. */
struct ag_sizes_front ag_sizes_front(const struct ag_sizes *sizes, double items);
struct ag_sizes_front ag_sizes_largest(const struct ag_sizes *sizes, uint64_t n);

/* How many of these units belong to it; a part of one may. */
double ag_sizes_in_front(const struct ag_sizes *sizes, struct ag_sizes_front front);

/* How many units that is, where a front is what CPUs get: of `here`, and of `all`, which `here` is a part of,
 * at most. With 3.5 of all in the front and 1.2 of them here: 1 here, 4 of all. */
struct ag_sizes_for_cpus {
  uint64_t here, all;
};
struct ag_sizes_for_cpus ag_sizes_for_cpus(const struct ag_sizes *here, const struct ag_sizes *all,
                                           struct ag_sizes_front front);

/* As ag_sizes_longest(), of those that do not belong to it. */
double ag_sizes_longest_behind(const struct ag_sizes *sizes, struct ag_sizes_front front);

#endif /* AG_SIZES_H */
