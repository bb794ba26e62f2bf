/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop whose chunks say in their reductions which iterations they were. */
#ifndef RUN_LOOP_H
#define RUN_LOOP_H

#include "rt_tasks.h"

/* y[from .. to-1] = y * 31 + 1; reduction: from and to. */
static inline void submit_run_of(uint64_t *y, unsigned long long from, unsigned long long to, void *slot) {
  struct mix_args a = {.y = y, .ly = (long)from, .ny = (long)(to - from), .x = y, .v = 1};
  assert_int_equal(submit_mix(&mix_task, a), 0);
  if (slot) {
    ((uint32_t *)slot)[0] = (uint32_t)from;
    ((uint32_t *)slot)[1] = (uint32_t)to;
  }
}

/* Whether the reduction is of what comes next, without a gap; *next is then behind it. */
static inline bool comes_next(uint64_t *next, const void *slot) {
  bool right = ((const uint32_t *)slot)[0] == *next;
  *next = ((const uint32_t *)slot)[1];
  return right;
}

#endif /* RUN_LOOP_H */
