/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a loop is cut into chunks (schedule(...), AGGLOM_SCHEDULE). */
#ifndef AG_SCHEDULE_H
#define AG_SCHEDULE_H

#include <agglom/abi.h> /* enum agglom_schedule */
#include <stdint.h>

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

#endif /* AG_SCHEDULE_H */
