/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What schedules know, from one run of a program to the next. */
#include "policy/loop/state.h"

#include <string.h>

/* Rates in iterations per ms, and the time over which they are the mean. */
static const char rate[] = "rate";
enum { RATE_NUMBERS = 2 };
#define MOST 1e18

void ag_loop_put(const struct ag_loop_keeper *keeper, const char *what, unsigned unit, const double *x,
                 unsigned n) {
  keeper->put(keeper->to, &(struct ag_loop_memo){what, unit, n, x});
}

bool ag_loop_memo_is(const struct ag_loop_memo *memo, const char *what, unsigned n, double least,
                     double most) {
  if (strcmp(memo->what, what) != 0 || memo->n != n)
    return false;
  for (unsigned i = 0; i < n; ++i)
    if (!(memo->x[i] >= least && memo->x[i] <= most))
      return false;
  return true;
}

void ag_loop_keep(const void *state, void (*put)(void *to, const struct ag_loop_memo *memo), void *to) {
  const struct ag_loop *loop = state;
  struct ag_loop_keeper keeper = {put, to};
  if (!loop->policy || !loop->policy->keep)
    return;
  for (unsigned u = 0; u < loop->units; ++u) {
    if (loop->unit[u].rate > 0)
      ag_loop_put(&keeper, rate, u, (double[]){loop->unit[u].rate, loop->unit[u].span}, RATE_NUMBERS);
    loop->policy->keep(loop, u, &keeper);
  }
}

static bool seed(struct ag_loop *loop, const struct ag_loop_memo *memo) {
  if (!loop->policy->seed || memo->unit >= loop->units)
    return false;
  if (strcmp(memo->what, rate) != 0)
    return loop->policy->seed(loop, memo);
  if (!ag_loop_memo_is(memo, rate, RATE_NUMBERS, 1 / MOST, MOST))
    return false;
  loop->unit[memo->unit].rate = memo->x[0];
  loop->unit[memo->unit].span = memo->x[1];
  return true;
}

/* As though an execution had been given up: the next one keeps what is known. */
bool ag_loop_seed(void *state, const struct ag_loop_view *view, const struct ag_loop_memo *memos,
                  unsigned n) {
  struct ag_loop *loop = ag_loop_begin(state, view);
  bool fine = true;
  for (unsigned i = 0; i < n; ++i)
    fine &= seed(loop, &memos[i]);
  return fine;
}
