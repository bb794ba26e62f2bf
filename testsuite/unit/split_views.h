/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AGGLOM_SPLIT=auto asked about units that all cost the same, unless the view says what they cost. */
#ifndef AG_TEST_SPLIT_VIEWS_H
#define AG_TEST_SPLIT_VIEWS_H

#include "policy/policy.h"

static inline struct ag_split_view alike(const struct ag_split_view *v, struct ag_sizes *sizes) {
  struct ag_split_view w = *v;
  ag_sizes_add_alike(sizes, v->units, v->units ? v->items / (double)v->units : 0);
  w.sizes = v->sizes ? v->sizes : sizes;
  return w;
}

static inline double leave_of(const struct ag_split_view *v) {
  struct ag_sizes sizes = {0};
  struct ag_split_view w = alike(v, &sizes);
  return ag_split_leave(&w);
}

static inline double take_of(const struct ag_split_view *v) {
  struct ag_sizes sizes = {0};
  struct ag_split_view w = alike(v, &sizes);
  return ag_split_take(&w);
}

#endif /* AG_TEST_SPLIT_VIEWS_H */
