/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* policy/: decisions, and nothing else. A policy is a state machine over what it is told; it knows no
 * threads, no clock and no device, so that the runtime, a simulator and the unit tests can drive the very
 * same code. Nothing here allocates, blocks or fails; callers synchronise access to a state themselves. */
#ifndef AG_POLICY_H
#define AG_POLICY_H

#include "policy/batch.h"
#include "policy/split.h"
#include <agglom/abi.h> /* enum agglom_schedule */
#include <stdbool.h>
#include <stdint.h>

/* --- Whether blocks or warps run the units of a launch (AGGLOM_MAP) -------------------------------- */

/* What is known of a launch that is being formed. */
struct ag_map_view {
  uint64_t units;
  double items; /* the units' cost in all */
  double most;  /* of one unit */
};

/* What is remembered of one task. All zero at first. */
struct ag_map_state {
  unsigned tried[2];     /* by AGGLOM_MAP_BLOCK, by AGGLOM_MAP_WARP: launches that were made to compare */
  double ns_per_item[2]; /* as measured; 0 = not yet */
};

/* Units of more items than AG_WARP_MOST are for blocks. Up to AG_WARP_MEAN items a unit, warps are tried
 * first. Launches of AG_MAP_TELLS items and more are compared: AG_MAP_TRIALS of each, by turns; afterwards
 * the faster mapping is taken. */
enum { AG_WARP_MOST = 4096, AG_WARP_MEAN = 64, AG_MAP_TELLS = 16384, AG_MAP_TRIALS = 2 };

/* AGGLOM_MAP_BLOCK or AGGLOM_MAP_WARP, for a task that has both. */
unsigned ag_map_choose(enum ag_map_choice choice, struct ag_map_state *state, const struct ag_map_view *view);

/* A launch in this mapping took so long on the device; ns == 0: unknown. */
void ag_map_measured(struct ag_map_state *state, unsigned map, const struct ag_map_view *view, uint64_t ns);

/* --- Which class of work a worker looks at next --------------------------------------------------- */

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

/* --- How a loop is cut into chunks (schedule(...), AGGLOM_SCHEDULE) --------------------------------- */

struct ag_schedule_view {
  uint64_t n;     /* iterations, 1 or more */
  unsigned kind;  /* enum agglom_schedule, not RUNTIME */
  uint64_t chunk; /* iterations in a chunk, as the program wants it; 0 = the schedule chooses */
  unsigned cpus, devices;
};

struct ag_schedule_cut {
  uint64_t chunks; /* 1 or more */
  uint64_t size;   /* iterations in each but the last; 0: all sizes differ by one at most */
};

struct ag_schedule_cut ag_schedule_cut(const struct ag_schedule_view *view);

/* The first iteration of chunk i; n for i == chunks. */
uint64_t ag_schedule_from(const struct ag_schedule_view *view, const struct ag_schedule_cut *cut, uint64_t i);

#endif /* AG_POLICY_H */
