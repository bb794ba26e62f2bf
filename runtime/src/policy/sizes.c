/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/sizes.h"

double ag_sizes_longest(const struct ag_sizes *s) {
  if (!s->used)
    return 0;
  unsigned i = 63 - (unsigned)__builtin_clzll(s->used);
  return s->of[i].items / (double)s->of[i].n;
}
