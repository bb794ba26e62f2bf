/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/life.h"

#include <pthread.h>

struct ag_runtime *_Atomic ag_life_runs; /* written under the lock */
_Atomic unsigned ag_life_eras = 1;       /* likewise */

/* COLD: not running, the next submission starts it. OVER: for good. */
enum phase { COLD = 0, STARTING, UP, ENDING, OVER };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all this */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Atomic int phase;              /* read without the lock */
static struct ag_runtime *left_behind; /* a runtime that is never freed; leak checkers find it here */
static unsigned holds;                 /* calls of ag_life_hold() that keep it from being freed */
static _Thread_local bool changing;    /* this thread starts or ends the runtime */

bool ag_life_over(void) { return atomic_load(&phase) == OVER; }

bool ag_life_lives_on(void) {
  pthread_mutex_lock(&lock);
  bool lives = atomic_load(&ag_life_runs) || left_behind;
  pthread_mutex_unlock(&lock);
  return lives;
}

void ag_life_lock(void) { pthread_mutex_lock(&lock); }
void ag_life_unlock(void) { pthread_mutex_unlock(&lock); }

/* Waits while another thread starts or ends the runtime, and returns the phase. running_will_do: a runtime
 * that can be found is enough, even if it is being ended. Lock held; is let go for a while. */
static enum phase settled(bool running_will_do) {
  for (;;) {
    enum phase now = (enum phase)atomic_load(&phase);
    if ((now != STARTING && now != ENDING) || changing || (running_will_do && atomic_load(&ag_life_runs)))
      return now;
    pthread_cond_wait(&changed, &lock);
  }
}

static void enter(enum phase next) {
  if (atomic_load(&phase) != OVER)
    atomic_store(&phase, next);
  pthread_cond_broadcast(&changed);
}

bool ag_life_may_start(void) {
  pthread_mutex_lock(&lock);
  bool may = settled(true) == COLD;
  if (may) {
    enter(STARTING);
    changing = true;
  }
  pthread_mutex_unlock(&lock);
  return may;
}

void ag_life_started(struct ag_runtime *rt) {
  pthread_mutex_lock(&lock);
  changing = false;
  if (atomic_load(&phase) == OVER)
    left_behind = rt; /* the process has ended meanwhile, by what the start has called */
  else
    atomic_store(&ag_life_runs, rt);
  enter(rt ? UP : COLD);
  pthread_mutex_unlock(&lock);
}

struct ag_runtime *ag_life_may_end(bool for_good) {
  pthread_mutex_lock(&lock);
  enum phase now = settled(false);
  struct ag_runtime *rt = now == UP ? atomic_load(&ag_life_runs) : NULL;
  if (rt) {
    enter(ENDING);
    changing = true;
  } else if (for_good) {
    enter(OVER);
  }
  pthread_mutex_unlock(&lock);
  return rt;
}

bool ag_life_close(struct ag_runtime *rt, bool (*keep)(struct ag_runtime *rt)) {
  pthread_mutex_lock(&lock);
  bool stays = keep && (holds || keep(rt));
  if (stays) {
    enter(UP);
    changing = false;
  } else {
    atomic_store(&ag_life_runs, NULL);
    while (holds)
      pthread_cond_wait(&changed, &lock);
    atomic_fetch_add(&ag_life_eras, 1);
  }
  pthread_mutex_unlock(&lock);
  return !stays;
}

void ag_life_ended(bool for_good) {
  pthread_mutex_lock(&lock);
  changing = false;
  enter(for_good ? OVER : COLD);
  pthread_mutex_unlock(&lock);
}

struct ag_runtime *ag_life_forsake(void) {
  pthread_mutex_lock(&lock);
  struct ag_runtime *rt = atomic_exchange(&ag_life_runs, NULL);
  if (rt)
    left_behind = rt;
  enter(OVER);
  pthread_mutex_unlock(&lock);
  return rt;
}

struct ag_runtime *ag_life_hold(void) {
  pthread_mutex_lock(&lock);
  struct ag_runtime *rt = atomic_load(&ag_life_runs);
  holds += rt != NULL;
  pthread_mutex_unlock(&lock);
  return rt;
}

void ag_life_let_go(struct ag_runtime *held) {
  if (!held)
    return;
  pthread_mutex_lock(&lock);
  if (!--holds)
    pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

struct ag_runtime *ag_life_in_child(void) {
  struct ag_runtime *rt = atomic_exchange(&ag_life_runs, NULL);
  if (rt) {
    left_behind = rt;
    atomic_fetch_add(&ag_life_eras, 1);
  }
  if (atomic_load(&phase) != COLD)
    atomic_store(&phase, OVER);
  holds = 0; /* the threads that held the runtime or waited are not in the child */
  pthread_cond_init(&changed, NULL);
  pthread_mutex_unlock(&lock);
  return rt;
}
