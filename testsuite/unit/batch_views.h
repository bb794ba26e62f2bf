/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What AGGLOM_BATCH=auto is shown in worked examples. */
#ifndef AG_TEST_BATCH_VIEWS_H
#define AG_TEST_BATCH_VIEWS_H

#include "policy/policy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NOW = 1000000000 };

static inline struct ag_batch_decision decided(const struct ag_batch_state *state,
                                               const struct ag_batch_view *view) {
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  return ag_batch_policy(c.rule)->decide(&c, state, view);
}

static inline uint64_t launched(const struct ag_batch_state *state, const struct ag_batch_view *view) {
  return decided(state, view).units;
}

/* Units of 10 ns, 1000 ns a launch on the device and for the thread, and others have time. */
static inline struct ag_batch_view some(enum ag_batch_event event, uint64_t waiting, double busy_ns) {
  return (struct ag_batch_view){.event = event,
                                .waiting = waiting,
                                .items = (double)waiting,
                                .now_ns = NOW,
                                .in_flight = busy_ns > 0,
                                .idle = !(busy_ns > 0),
                                .devices = 1,
                                .lookers = true,
                                .host = {.launch_ns = 1000},
                                .device = {.launch_ns = 1000, .item_ns = 10},
                                .free_ns = {busy_ns}};
}

/* A step like the one before it: so many units have come, and so many are expected in all, `gap` ns apart. */
static inline struct ag_batch_state step_of(uint64_t come, uint64_t units, double gap) {
  struct ag_batch_state state = {.arrivals = come, .oldest_ns = NOW - 100, .last_ns = NOW};
  state.phase.units = units;
  state.phase.gap_ns = gap;
  state.phase.first_ns = NOW - (uint64_t)((double)come * gap);
  return state;
}

#endif /* AG_TEST_BATCH_VIEWS_H */
