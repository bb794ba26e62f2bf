/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For unit tests of schedules: executions of loops in virtual time. */
#ifndef VIRTUAL_TIME_H
#define VIRTUAL_TIME_H

#include "policy/loop/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { VIRTUAL_UNITS = 72 };

struct virtual_unit {
  uint64_t first, second, done; /* iterations of its first two chunks, and of all */
  unsigned chunks;
};

/* ns of iterations from .. to - 1 on unit u. */
typedef double virtual_cost(const void *context, unsigned u, uint64_t from, uint64_t to);

/* One execution; its time in ns. What each unit did is put into unit, unless that is NULL. */
static double in_virtual_time(void *state, const struct ag_loop_view *view, virtual_cost *cost,
                              const void *context, struct virtual_unit *unit) {
  struct ag_loop *l = ag_loop_begin(state, view);
  unsigned units = view->machine.cpus + view->machine.devices;
  struct virtual_unit did[VIRTUAL_UNITS] = {{0}};
  struct ag_loop_grant g[VIRTUAL_UNITS];
  double until[VIRTUAL_UNITS] = {0}, now = 0;
  bool busy[VIRTUAL_UNITS] = {false}, out[VIRTUAL_UNITS] = {false};
  assert_true(units <= VIRTUAL_UNITS);
  for (;;) {
    unsigned next = units;
    for (unsigned u = units; u-- > 0;) {
      if (!busy[u] && !out[u]) {
        g[u] = ag_loop_next(l, u, (uint64_t)now);
        busy[u] = g[u].what == AG_LOOP_RUN;
        out[u] = g[u].what == AG_LOOP_NONE;
        if (busy[u])
          until[u] = now + cost(context, u, g[u].from, g[u].to);
        if (busy[u] && did[u].chunks++ < 2)
          *(did[u].first ? &did[u].second : &did[u].first) = g[u].to - g[u].from;
      }
      if (busy[u] && (next == units || until[u] < until[next]))
        next = u;
    }
    if (next == units)
      break;
    now = until[next];
    busy[next] = false;
    did[next].done += g[next].to - g[next].from;
    double ns = cost(context, next, g[next].from, g[next].to);
    assert_true(ag_loop_done(l, next, g[next].from, g[next].to, (uint64_t)ns));
  }
  assert_int_equal(ag_loop_left(l), 0);
  ag_loop_end(l);
  for (unsigned u = 0; unit && u < units; ++u)
    unit[u] = did[u];
  return now;
}

#endif /* VIRTUAL_TIME_H */
