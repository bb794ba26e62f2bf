/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One thread at a time goes through; the others sleep before the gate. For what calls the driver and must not
 * be done by two at once: unlike with a mutex, nothing is held that fork handlers, or whatever else the
 * driver calls, could meet. Not to be entered twice, nor with a lock held. Any thread. All zero: open. */
#ifndef AG_GATE_H
#define AG_GATE_H

#include "sys/futex.h"

struct ag_gate {
  _Atomic uint32_t state; /* AG_GATE_OPEN, ... */
};

enum { AG_GATE_OPEN = 0, AG_GATE_TAKEN, AG_GATE_TAKEN_SLEEPERS };

static inline void ag_gate_enter(struct ag_gate *gate) {
  uint32_t state = AG_GATE_OPEN;
  if (atomic_compare_exchange_strong(&gate->state, &state, AG_GATE_TAKEN))
    return;
  while (atomic_exchange(&gate->state, AG_GATE_TAKEN_SLEEPERS) != AG_GATE_OPEN)
    ag_futex_wait(&gate->state, AG_GATE_TAKEN_SLEEPERS, NULL);
}

static inline void ag_gate_leave(struct ag_gate *gate) {
  if (atomic_exchange(&gate->state, AG_GATE_OPEN) == AG_GATE_TAKEN_SLEEPERS)
    ag_futex_wake(&gate->state, 1);
}

#endif /* AG_GATE_H */
