/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For unit tests of schedules: executions of loops in virtual time. */
#ifndef VIRTUAL_TIME_H
#define VIRTUAL_TIME_H

#include "policy/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { VIRTUAL_UNITS = 8 };

struct virtual_unit {
  uint64_t first, done; /* iterations of its first chunk, and of all */
};

/* ns of a chunk of n iterations on unit u. */
typedef double virtual_cost(const void *context, unsigned u, double n);

/* One execution; its time in ns. What each unit did is put into unit, unless that is NULL. */
static double in_virtual_time(void *state, const struct ag_loop_view *view, virtual_cost *cost,
                              const void *context, struct virtual_unit *unit) {
  struct ag_loop *l = ag_loop_begin(state, view);
  unsigned units = view->machine.cpus + view->machine.devices;
  struct virtual_unit did[VIRTUAL_UNITS] = {{0}};
  struct ag_loop_grant g[VIRTUAL_UNITS];
  double until[VIRTUAL_UNITS], now = 0;
  bool busy[VIRTUAL_UNITS] = {false};
  assert_true(units <= VIRTUAL_UNITS);
  for (;;) {
    unsigned next = units;
    for (unsigned u = units; u-- > 0;) {
      if (!busy[u]) {
        g[u] = ag_loop_next(l, u, (uint64_t)now);
        busy[u] = g[u].what == AG_LOOP_RUN;
        until[u] = now + cost(context, u, (double)(g[u].to - g[u].from));
        if (busy[u] && !did[u].first)
          did[u].first = g[u].to - g[u].from;
      }
      if (busy[u] && (next == units || until[u] < until[next]))
        next = u;
    }
    if (next == units)
      break;
    uint64_t n = g[next].to - g[next].from;
    now = until[next];
    busy[next] = false;
    did[next].done += n;
    assert_true(ag_loop_done(l, next, g[next].from, g[next].to, (uint64_t)cost(context, next, (double)n)));
  }
  assert_int_equal(ag_loop_left(l), 0);
  ag_loop_end(l);
  for (unsigned u = 0; unit && u < units; ++u)
    unit[u] = did[u];
  return now;
}

#endif /* VIRTUAL_TIME_H */
