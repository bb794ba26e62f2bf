/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* dynamic: chunks of one size, to whoever is free. */
#include "policy/loop/state.h"

/* Chunks for each unit, when the program does not say how large they are. */
enum { PER_UNIT = 16 };

static struct ag_loop_want want(struct ag_loop *loop, unsigned unit, uint64_t now_ns) {
  (void)unit, (void)now_ns;
  uint64_t chunk = loop->view.chunk;
  return (struct ag_loop_want){AG_LOOP_RUN,
                               chunk ? chunk : ag_ceil(loop->view.n, (uint64_t)PER_UNIT * loop->units)};
}

const struct ag_loop_policy ag_loop_dynamic = {.name = "dynamic", .want = want};
