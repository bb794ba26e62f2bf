/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fifo.h"

#include "graph.h"

void ag_fifo_push(struct ag_fifo *fifo, struct ag_unit *u) {
  u->state = AG_UNIT_QUEUED;
  u->next = NULL;
  u->prev = fifo->tail;
  if (fifo->tail)
    fifo->tail->next = u;
  else
    fifo->head = u;
  fifo->tail = u;
  ++fifo->count;
  fifo->bytes += u->footprint;
  ++fifo->policy.arrivals;
}

void ag_fifo_push_front(struct ag_fifo *fifo, struct ag_unit *u) {
  u->state = AG_UNIT_QUEUED;
  u->prev = NULL;
  u->next = fifo->head;
  if (fifo->head)
    fifo->head->prev = u;
  else
    fifo->tail = u;
  fifo->head = u;
  ++fifo->count;
  fifo->bytes += u->footprint;
}

void ag_fifo_remove(struct ag_fifo *fifo, struct ag_unit *u) {
  if (u->prev)
    u->prev->next = u->next;
  else
    fifo->head = u->next;
  if (u->next)
    u->next->prev = u->prev;
  else
    fifo->tail = u->prev;
  u->prev = u->next = NULL;
  --fifo->count;
  fifo->bytes -= u->footprint;
}

bool ag_unit_may_enter(const struct ag_unit *u) {
  bool kernel = !(u->task->flags & AGGLOM_TASK_CPU_ONLY);
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred) {
    const struct ag_unit *p = e->pred;
    if (!kernel || p->queue != u->queue || p->lane != u->lane || p->state != AG_UNIT_QUEUED)
      return false;
  }
  return true;
}
