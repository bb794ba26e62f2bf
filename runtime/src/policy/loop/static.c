/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* static: consecutive blocks of equal size, one for each unit, whatever it is. With a chunk size: chunks by
 * turns, chunk i for unit i modulo the number of units. */
#include "policy/loop/state.h"

static void begin(struct ag_loop *loop, bool fresh) {
  (void)fresh;
  uint64_t n = loop->view.n, chunk = loop->view.chunk, step;
  loop->low = loop->high; /* nothing is left in the pool */
  if (!chunk) {
    ag_loop_give_evenly(loop, 0, n, 0, loop->units);
    return;
  }
  if (__builtin_mul_overflow(chunk, loop->units, &step))
    step = UINT64_MAX;
  for (unsigned u = 0; u < loop->units; ++u) {
    uint64_t from;
    if (__builtin_mul_overflow(chunk, u, &from) || from > n)
      from = n;
    loop->unit[u].share = (struct ag_loop_share){.next = from, .end = n, .size = chunk, .step = step};
  }
}

const struct ag_loop_policy ag_loop_static = {.name = "static", .begin = begin};
