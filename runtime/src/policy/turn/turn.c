/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/turn/turn.h"

#include <string.h>

void ag_turn_order(const struct ag_turn *turn, enum ag_class order[AG_N_CLASSES]) {
  static const enum ag_class orders[][AG_N_CLASSES] = {
      {AG_CLASS_LOW, AG_CLASS_HIGH, AG_CLASS_MEDIUM},  /* low work has been passed over long enough */
      {AG_CLASS_HIGH, AG_CLASS_MEDIUM, AG_CLASS_LOW},  /* mostly */
      {AG_CLASS_LOW, AG_CLASS_MEDIUM, AG_CLASS_HIGH},  /* after a burst of high work, by turns this */
      {AG_CLASS_MEDIUM, AG_CLASS_LOW, AG_CLASS_HIGH}}; /* or that */
  bool low_due = turn->above_low >= AG_ABOVE_LOW_BURST, burst = turn->high_run >= AG_HIGH_BURST;
  unsigned i = low_due ? 0 : !burst ? 1 : turn->low_turn ? 2 : 3;
  memcpy(order, orders[i], sizeof orders[i]);
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
