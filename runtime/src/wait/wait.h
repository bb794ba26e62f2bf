/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting, which is finding work until something is complete: all that the thread's own context has
 * submitted, or goals, which may lie with other threads.
 *
 * A goal is what has been submitted when it is set, so threads that go on submitting do not hold up those
 * that wait for them. Nothing is counted for a goal when units are submitted: units of a worker have
 * ascending numbers, and records of a stream are claimed in their order, so a look at the oldest incomplete
 * one tells whether the goal is reached. A thread that waits looks at one worker after the other, helps
 * meanwhile, and launches what a policy holds back there.
 *
 * Only for the calling thread's own worker, without a lock. */
#ifndef AG_WAIT_H
#define AG_WAIT_H

#include "workers/worker.h"

enum ag_goal_kind {
  AG_GOAL_ALL,    /* units of the worker's host thread up to a number */
  AG_GOAL_STREAM, /* the first `number` records of the worker's stream for a task */
  AG_GOAL_UNIT    /* a unit, or a joint, that has this number */
};

struct ag_goal {
  struct ag_worker *of; /* whose lock */
  union {
    struct ag_unit *unit;
    unsigned task; /* its index */
  };
  uint64_t number;
  enum ag_goal_kind kind;
  /* The worker's `drops` when the goal was set. Once it has more, the goal is reached, and what it refers to
   * may be gone. */
  unsigned drops;
};

/* Empty when zero. */
struct ag_goals {
  struct ag_goal *at; /* few, or allocated */
  size_t n, room;
  struct ag_goal few[8];
};

/* Adds a goal and fills in its drops. False: no memory. The lock of goal.of is held. */
bool ag_goals_add(struct ag_goals *goals, struct ag_goal goal);
void ag_goals_free(struct ag_goals *goals);

/* The thread is to wait for units of all threads, outside of tasks: *w is its worker, which it gets if need
 * be; NULL when there is nothing to wait for. 0, or -ENOMEM after a message. */
int ag_wait_begins(struct ag_worker **w);

/* Helps until all units of the domain are complete. The domain is the thread's own. */
void ag_wait_domain(struct ag_worker *w, struct ag_domain *domain);

/* The same for a domain whose owner has ended, and which is given back then. */
void ag_wait_and_give(struct ag_worker *w, struct ag_domain *domain);

/* Helps until all goals are reached, the last one first. tied: as in struct ag_worker. Then the goals are
 * empty, and their memory is freed. */
void ag_wait_goals(struct ag_worker *w, struct ag_goals *goals, const struct ag_domain *tied);

/* Helps until all units are complete that host threads, the calling one among them, have submitted so far,
 * but for loops that another thread waits for itself. */
void ag_wait_all(struct ag_worker *w);

/* Whether there are none. */
bool ag_wait_needless(const struct ag_worker *w);

/* Runs work of all threads, by the calling thread's worker w, until done() says so. */
void ag_runtime_flush(struct ag_runtime *rt, struct ag_worker *w, bool (*done)(struct ag_runtime *, void *),
                      void *context);

#endif /* AG_WAIT_H */
