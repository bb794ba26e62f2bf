/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/turn/turn.h"

static void set(enum ag_class order[AG_N_CLASSES], enum ag_class a, enum ag_class b, enum ag_class c) {
  order[0] = a;
  order[1] = b;
  order[2] = c;
}

void ag_turn_order(const struct ag_turn *turn, enum ag_class order[AG_N_CLASSES]) {
  if (turn->above_low >= AG_ABOVE_LOW_BURST)
    set(order, AG_CLASS_LOW, AG_CLASS_HIGH, AG_CLASS_MEDIUM);
  else if (turn->high_run < AG_HIGH_BURST)
    set(order, AG_CLASS_HIGH, AG_CLASS_MEDIUM, AG_CLASS_LOW);
  else if (turn->low_turn)
    set(order, AG_CLASS_LOW, AG_CLASS_MEDIUM, AG_CLASS_HIGH);
  else
    set(order, AG_CLASS_MEDIUM, AG_CLASS_LOW, AG_CLASS_HIGH);
}

void ag_turn_took(struct ag_turn *turn, enum ag_class taken) {
  if (taken == AG_CLASS_HIGH) {
    if (turn->high_run < AG_HIGH_BURST)
      ++turn->high_run;
  } else {
    if (turn->high_run >= AG_HIGH_BURST)
      turn->low_turn = taken == AG_CLASS_MEDIUM;
    turn->high_run = 0;
  }
  if (taken == AG_CLASS_LOW)
    turn->above_low = 0;
  else if (turn->above_low < AG_ABOVE_LOW_BURST)
    ++turn->above_low;
}

void ag_turn_none(struct ag_turn *turn) { turn->high_run = 0; }

int ag_turn_compare(struct ag_standing a, struct ag_standing b) {
  bool a_late = a.passed >= AG_PASSED_MOST, b_late = b.passed >= AG_PASSED_MOST;
  if (a_late != b_late)
    return a_late ? 1 : -1;
  if (a_late && a.passed != b.passed)
    return a.passed > b.passed ? 1 : -1;
  return (a.priority > b.priority) - (a.priority < b.priority);
}
