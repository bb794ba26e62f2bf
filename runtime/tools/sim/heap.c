/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "heap.h"

#include <stdlib.h>

static bool before(const struct sim_heap *h, unsigned a, unsigned b) {
  return h->at[a] < h->at[b] || (h->at[a] == h->at[b] && a < b);
}

static void put(struct sim_heap *h, unsigned place, unsigned clock) {
  h->order[place] = clock;
  h->place[clock] = place;
}

bool sim_heap_make(struct sim_heap *h, unsigned n) {
  *h = (struct sim_heap){n, calloc(n, sizeof *h->at), calloc(n, sizeof *h->order),
                         calloc(n, sizeof *h->place)};
  if (!h->at || !h->order || !h->place)
    return false;
  for (unsigned i = 0; i < n; ++i) {
    h->at[i] = SIM_NEVER;
    put(h, i, i);
  }
  return true;
}

void sim_heap_free(struct sim_heap *h) {
  free(h->at);
  free(h->order);
  free(h->place);
  *h = (struct sim_heap){0};
}

void sim_heap_set(struct sim_heap *h, unsigned clock, double at) {
  unsigned i = h->place[clock];
  h->at[clock] = at;
  for (; i && before(h, clock, h->order[(i - 1) / 2]); i = (i - 1) / 2)
    put(h, i, h->order[(i - 1) / 2]);
  for (;;) {
    unsigned child = 2 * i + 1;
    if (child + 1 < h->n && before(h, h->order[child + 1], h->order[child]))
      ++child;
    if (child >= h->n || !before(h, h->order[child], clock))
      break;
    put(h, i, h->order[child]);
    i = child;
  }
  put(h, i, clock);
}
