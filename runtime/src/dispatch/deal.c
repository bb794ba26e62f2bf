/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dispatch/deal.h"

#include "dispatch/dispatch.h"
#include "fifo/queues.h"
#include "shared/runtime.h"
#include "workers/hand.h"

/* The next worker, behind the one that was handed work last, whose hand is open; NULL: none of the next few.
 */
static struct ag_worker *open_one(struct ag_worker *w) {
  enum { LOOK_AT = 16 };
  struct ag_worker *v = w->dealt_to ? w->dealt_to : w;
  for (unsigned i = 0; i < LOOK_AT && i < w->rt->cpus; ++i) {
    v = v->next ? v->next : atomic_load(&w->rt->workers);
    if (ag_hand_is(&v->hand, AG_HAND_OPEN))
      return v;
    w->dealt_to = v;
  }
  return NULL;
}

/* Whether w has something for others, as the FIFOs tell that got their units last. */
static bool has_some(const struct ag_worker *w) {
  enum { LOOK_AT = 4 };
  const struct ag_fifo *fifo = ag_get(&w->arrivals) >= w->deal_from ? w->fifos.last : NULL;
  for (int i = 0; fifo && i < LOOK_AT; ++i, fifo = fifo->prev)
    if (!fifo->stalled && (w->rt->n_accelerators || ag_queue_worth(fifo->head->queue, fifo->calls, 1)))
      return true;
  return ag_ready_any(&w->ready);
}

/* Units of w's FIFOs for v. Where policies are asked, that takes some time: after a no it is left alone for
 * some arrivals. */
static bool deal(struct ag_worker *v, struct ag_worker *w) {
  enum { MOST = 31 };
  bool did = ag_get(&w->queued) && ag_dispatch_deal(v, w, AG_ON_NO_HIGH);
  w->deal_again = did || !w->rt->n_accelerators ? 0 : w->deal_again < MOST ? 2 * w->deal_again + 1 : MOST;
  w->deal_from = ag_get(&w->arrivals) + w->deal_again;
  return did;
}

/* In the order in which v would have looked itself. */
static bool fill(struct ag_worker *v, struct ag_worker *w) {
  bool differ = atomic_load_explicit(&w->rt->priorities_differ, memory_order_relaxed);
  enum ag_class order[AG_N_CLASSES];
  ag_turn_order(&v->turn, order);
  for (unsigned i = 0; i < AG_N_CLASSES; ++i) {
    bool did = order[i] == AG_CLASS_MEDIUM
                   ? deal(v, w)
                   : (v->takes = ag_ready_take(
                          &w->ready, order[i] == AG_CLASS_HIGH ? AG_URGENT : AG_NOT_URGENT, differ)) != NULL;
    if (did) {
      v->helped = w;
      ag_turn_took(&v->turn, order[i]);
      return true;
    }
  }
  return false;
}

/* Whether what v was handed may keep it from looking for long. Its hand is reached for. */
static bool is_long(const struct ag_worker *v) {
  if (v->launches)
    return false;
  const struct agglom_task *task = v->takes ? v->takes->task : v->cpu_batch.task;
  return ag_load_may_take_long(&task->state->longest.ns, v->takes ? 1 : v->cpu_batch.n_calls);
}

/* Whether anything waits that somebody who sleeps could run: others may have left it to whom w has dealt. */
static bool anything_waits(const struct ag_runtime *rt) {
  bool any = false;
  if (!atomic_load_explicit(&rt->sleepers, memory_order_relaxed))
    return false;
  for (const struct ag_worker *v = atomic_load(&rt->workers); v && !any; v = v->next)
    any = ag_get(&v->queued) || ag_ready_any(&v->ready);
  return any;
}

enum ag_dealt ag_deal(struct ag_worker *w) {
  if (!ag_get(&w->queued) && !ag_ready_any(&w->ready))
    return AG_DEAL_SEEN;
  if (w->rt->must_fence)
    atomic_thread_fence(memory_order_seq_cst); /* a hand that was closed may be a sleeper's: workers/wake.c */
  struct ag_worker *v = open_one(w);
  bool seen = v, takes_long = false;
  for (unsigned i = 0; v && has_some(w) && i < w->rt->cpus; ++i) {
    bool reached = ag_hand_reach(&v->hand), full = reached && fill(v, w);
    takes_long |= full && is_long(v);
    if (reached)
      ag_hand_leave(&v->hand, full);
    if (reached && !full)
      break;
    w->dealt_to = v;
    v = open_one(w);
  }
  if (!v && !seen)
    return AG_DEAL_NO_HAND;
  bool left = !v && (ag_ready_any(&w->ready) || (takes_long && anything_waits(w->rt)));
  return left ? AG_DEAL_LEFT : AG_DEAL_SEEN;
}

bool ag_deal_launch(struct ag_worker *w) {
  struct ag_worker *v = open_one(w);
  if (!v || !ag_hand_reach(&v->hand))
    return false;
  bool full = ag_dispatch_deal(v, w, AG_ON_SUBMIT);
  v->helped = full ? w : v->helped;
  ag_hand_leave(&v->hand, full);
  return full;
}
