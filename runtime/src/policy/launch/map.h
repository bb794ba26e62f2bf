/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether blocks or warps run the units of a launch (AGGLOM_MAP). */
#ifndef AG_MAP_H
#define AG_MAP_H

#include "sys/env.h"    /* enum ag_map_choice */
#include <agglom/abi.h> /* AGGLOM_MAP_BLOCK, _WARP */
#include <stdint.h>

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

#endif /* AG_MAP_H */
