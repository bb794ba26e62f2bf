/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/launch/waiting.h"

#include "policy/model/numbers.h"

void ag_waiting_add(struct ag_waiting *all, const struct ag_fifo_facts *fifo) {
  uint64_t units = fifo->units + fifo->streamed;
  all->units += units;
  all->streamed += fifo->streamed;
  all->arrivals += fifo->arrivals;
  all->cost += fifo->cost;
  all->longest = ag_most(all->longest, fifo->longest);
  all->active += fifo->active;
  all->others |= fifo->active && !fifo->own;
}

void ag_waiting_complete(struct ag_waiting *all) {
  uint64_t in_fifos = all->units - all->streamed;
  all->cost += (double)all->streamed * (in_fifos ? all->cost / (double)in_fifos : 1);
}

struct ag_waiting ag_waiting_of_one(const struct ag_fifo_facts *fifo) {
  struct ag_waiting all = {0};
  struct ag_fifo_facts one = *fifo;
  one.active = one.own = true;
  ag_waiting_add(&all, &one);
  ag_waiting_complete(&all);
  return all;
}
