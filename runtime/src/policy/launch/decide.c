/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/launch/decide.h"

#include "policy/model/numbers.h"

void ag_launch_leave(struct ag_decided *d, struct ag_batch_view *view, const struct ag_split_view *split,
                     const struct ag_sizes *here, uint64_t count, bool taken) {
  double cost = ag_least(ag_split_leave(split), split->items);
  struct ag_sizes_front front = ag_sizes_front(split->sizes, cost);
  struct ag_sizes_for_cpus left = ag_sizes_for_cpus(here, split->sizes, front);
  d->unknown = !(split->device.item_ns > 0);
  if (left.all >= split->units && !taken)
    return;
  d->front = front;
  d->for_cpus = left.here < count ? left.here : count;
  double all = ag_most((double)view->waiting, 1);
  view->for_cpus = left.all < view->waiting ? left.all : view->waiting;
  view->waiting -= view->for_cpus;
  view->filled *= (double)view->waiting / all;
  view->full &= view->filled >= 1 || (view->most && view->waiting >= view->most);
  view->items -= cost;
}

void ag_launch_conclude(struct ag_decided *d, const struct ag_batch_view *view, uint64_t waiting) {
  if (d->unknown) /* it may take long for what joins the batch while it is staged */
    d->batch.most = d->batch.units;
  d->waiting = waiting;
  d->rest = d->batch.units < view->waiting;
  d->in_flight = view->in_flight;
}
