/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which class of work a worker looks at next. */
#ifndef AG_TURN_H
#define AG_TURN_H

#include <stdbool.h>

/* High and low are the classes of CPU-only units (priority > 0, <= 0); launching from an accelerator FIFO,
 * or running its units on the CPU, is of medium class. */
enum ag_class { AG_CLASS_HIGH = 0, AG_CLASS_MEDIUM, AG_CLASS_LOW, AG_N_CLASSES };

/* High goes first, then medium, then low; before high ones a launch of a step of which all units have come
 * (AG_ON_WHOLE). No starvation, in a worker's own sequence of actions:
 * - after AG_HIGH_BURST high ones, medium or low work goes first, medium and low by turns;
 * - after AG_ABOVE_LOW_BURST actions that were not low, low work goes first;
 * - after AG_OWN_BURST medium ones of its own, what other threads have left goes first.
 * And within a class, where larger priorities go first:
 * - a FIFO or a stream that was passed over AG_PASSED_MOST times goes first;
 * - of CPU-only units, every AG_OLDEST_EVERY-th that is taken is the oldest one;
 * - a FIFO whose units the policy holds back counts as quiet when nothing has arrived there while
 * high-priority work or other FIFOs had AG_QUIET_LOOKS turns. */
enum {
  AG_HIGH_BURST = 64,
  AG_ABOVE_LOW_BURST = 256,
  AG_OWN_BURST = 64,
  AG_PASSED_MOST = 64,
  AG_OLDEST_EVERY = 64,
  AG_QUIET_LOOKS = 64
};

/* What stands beside others of its class: its priority, and how often others went before it while it waited.
 */
struct ag_standing {
  long long priority;
  unsigned passed;
};

/* Whether a goes before b: 1, 0 when they are equal, or -1. */
int ag_turn_compare(struct ag_standing a, struct ag_standing b);

/* One worker's memory of what it did. All zero at first. */
struct ag_turn {
  unsigned high_run;  /* high-class actions since the last other one */
  unsigned above_low; /* actions since the last low-class one */
  bool low_turn;      /* at the end of the next burst, low goes before medium */
};

/* In which order the classes are to be tried now. */
void ag_turn_order(const struct ag_turn *turn, enum ag_class order[AG_N_CLASSES]);

/* Work of this class was found and done. */
void ag_turn_took(struct ag_turn *turn, enum ag_class taken);

/* There was no work of any class: a run of high ones is over, and who waits asks for high ones first again.
 */
void ag_turn_none(struct ag_turn *turn);

#endif /* AG_TURN_H */
