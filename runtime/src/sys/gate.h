/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One thread at a time goes through; the others sleep before the gate. For what calls the driver and must not
 * be done by two at once: unlike with a lock, no mutex is held inside, so fork handlers and whatever else the
 * driver calls never meet one of ours. Not to be entered twice, nor with a lock held. Any thread. */
#ifndef AG_GATE_H
#define AG_GATE_H

#include <pthread.h>
#include <stdbool.h>

struct ag_gate {
  pthread_mutex_t lock;
  pthread_cond_t left;
  bool taken;
};

#define AG_GATE_INITIALIZER {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false}

static inline void ag_gate_enter(struct ag_gate *gate) {
  pthread_mutex_lock(&gate->lock);
  while (gate->taken)
    pthread_cond_wait(&gate->left, &gate->lock);
  gate->taken = true;
  pthread_mutex_unlock(&gate->lock);
}

static inline void ag_gate_leave(struct ag_gate *gate) {
  pthread_mutex_lock(&gate->lock);
  gate->taken = false;
  pthread_cond_signal(&gate->left);
  pthread_mutex_unlock(&gate->lock);
}

#endif /* AG_GATE_H */
