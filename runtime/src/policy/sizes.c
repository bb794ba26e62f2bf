/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/sizes.h"

static unsigned class_of(double items) {
  uint64_t n = items >= 0x1p63 ? UINT64_MAX : items >= 1 ? (uint64_t)items : 1;
  return 63 - (unsigned)__builtin_clzll(n);
}

void ag_sizes_add(struct ag_sizes *s, double items) {
  unsigned i = class_of(items);
  ++s->of[i].n;
  s->of[i].items += items;
  s->used |= (uint64_t)1 << i;
}

void ag_sizes_remove(struct ag_sizes *s, double items) {
  unsigned i = class_of(items);
  s->of[i].items -= items;
  if (--s->of[i].n)
    return;
  s->of[i].items = 0; /* what rounding has left */
  s->used &= ~((uint64_t)1 << i);
}

double ag_sizes_longest(const struct ag_sizes *s) {
  if (!s->used)
    return 0;
  unsigned i = 63 - (unsigned)__builtin_clzll(s->used);
  return s->of[i].items / (double)s->of[i].n;
}
