/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/split/sizes.h"
#include "policy/model/numbers.h"

static unsigned highest(uint64_t used) { return 63 - (unsigned)__builtin_clzll(used); }

/* In a class from which units may vanish at this moment. */
static double mean(const struct ag_sizes *s, unsigned i) {
  uint64_t n = ag_get(&s->of[i].n);
  return n ? ag_sizes_items(s, i) / (double)n : 0;
}

double ag_sizes_longest(const struct ag_sizes *s) {
  uint64_t used = ag_get(&s->used);
  return used ? mean(s, highest(used)) : 0;
}

void ag_sizes_join(struct ag_sizes *s, const struct ag_sizes *more) {
  uint64_t used = ag_get(&more->used);
  ag_set(&s->used, ag_get(&s->used) | used);
  for (; used; used &= used - 1) {
    unsigned i = (unsigned)__builtin_ctzll(used);
    ag_sizes_set(s, i, ag_get(&s->of[i].n) + ag_get(&more->of[i].n),
                 ag_sizes_items(s, i) + ag_sizes_items(more, i));
  }
}

void ag_sizes_add_alike(struct ag_sizes *s, uint64_t n, double items) {
  unsigned i = ag_size_class(items);
  if (!n)
    return;
  ag_sizes_set(s, i, ag_get(&s->of[i].n) + n, ag_sizes_items(s, i) + (double)n * items);
  ag_set(&s->used, ag_get(&s->used) | (uint64_t)1 << i);
}

double ag_sizes_of_largest(const struct ag_sizes *s, uint64_t n) {
  double sum = 0;
  for (uint64_t used = ag_get(&s->used); used;) {
    unsigned i = highest(used);
    uint64_t in = ag_get(&s->of[i].n);
    if (n < in)
      return sum + (double)n * mean(s, i);
    n -= in;
    sum += ag_sizes_items(s, i);
    used &= ~((uint64_t)1 << i);
  }
  return sum;
}

static double units_in(const struct ag_sizes *s, unsigned i) { return (double)ag_get(&s->of[i].n); }

/* The largest units that are so much in all; `in` says how much a class is. */
static struct ag_sizes_front front_of(const struct ag_sizes *s, double much,
                                      double (*in)(const struct ag_sizes *, unsigned)) {
  struct ag_sizes_front front = {0, 1};
  for (uint64_t used = ag_get(&s->used); used; used &= ~((uint64_t)1 << front.class)) {
    front.class = highest(used);
    double here = in(s, front.class);
    if (much < here * (1 - 1e-9)) {
      front.part = much / here;
      return front;
    }
    much = ag_most(much - here, 0); /* but for rounding */
  }
  return front;
}

struct ag_sizes_front ag_sizes_front(const struct ag_sizes *s, double items) {
  return front_of(s, items, ag_sizes_items);
}

struct ag_sizes_front ag_sizes_largest(const struct ag_sizes *s, uint64_t n) {
  return front_of(s, (double)n, units_in);
}

static uint64_t above(uint64_t used, unsigned class) { return used >> class >> 1 << 1 << class; }

double ag_sizes_in_front(const struct ag_sizes *s, struct ag_sizes_front front) {
  double n = front.part * units_in(s, front.class) * (1 + 1e-9); /* what is in it has been rounded */
  for (uint64_t used = above(ag_get(&s->used), front.class); used; used &= used - 1)
    n += units_in(s, (unsigned)__builtin_ctzll(used));
  return n;
}

struct ag_sizes_for_cpus ag_sizes_for_cpus(const struct ag_sizes *here, const struct ag_sizes *all,
                                           struct ag_sizes_front front) {
  double mine = ag_sizes_in_front(here, front), others = ag_sizes_in_front(all, front) - mine;
  struct ag_sizes_for_cpus left = {.here = (uint64_t)mine};
  left.all = left.here + (uint64_t)((others > 0 ? others : 0) + 1 - 1e-6); /* rounded up */
  return left;
}

double ag_sizes_longest_behind(const struct ag_sizes *s, struct ag_sizes_front front) {
  uint64_t used = ag_get(&s->used);
  used &= ~above(used, front.class);
  if (front.part >= 1 - 1e-9)
    used &= ~((uint64_t)1 << front.class);
  return used ? mean(s, highest(used)) : 0;
}
