/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/launch/map.h"

static unsigned index_of(unsigned map) { return map == AGGLOM_MAP_WARP; }

unsigned ag_map_choose(enum ag_map_choice choice, struct ag_map_state *state,
                       const struct ag_map_view *view) {
  if (choice != AG_MAP_AUTO)
    return choice == AG_MAP_WARP ? AGGLOM_MAP_WARP : AGGLOM_MAP_BLOCK;
  if (view->most > AG_WARP_MOST)
    return AGGLOM_MAP_BLOCK;
  bool small = view->items <= (double)AG_WARP_MEAN * (double)view->units;
  unsigned first = small ? AGGLOM_MAP_WARP : AGGLOM_MAP_BLOCK;
  unsigned other = small ? AGGLOM_MAP_BLOCK : AGGLOM_MAP_WARP;
  unsigned *tried = state->tried;
  if (view->items >= AG_MAP_TELLS && (tried[0] < AG_MAP_TRIALS || tried[1] < AG_MAP_TRIALS)) {
    unsigned map = tried[index_of(first)] <= tried[index_of(other)] ? first : other;
    ++tried[index_of(map)];
    return map;
  }
  double here = state->ns_per_item[index_of(first)], there = state->ns_per_item[index_of(other)];
  return here > 0 && there > 0 && there < here ? other : first;
}

void ag_map_measured(struct ag_map_state *state, unsigned map, const struct ag_map_view *view, uint64_t ns) {
  if (!ns || view->items < AG_MAP_TELLS)
    return;
  double *mean = &state->ns_per_item[index_of(map)], now = (double)ns / view->items;
  *mean = *mean > 0 ? (3 * *mean + now) / 4 : now;
}
