/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short loops on CPUs by a crew: the thread whose loop it is, and those of the pool. Nothing is locked or
 * allocated where there is no reduction.
 *
 * The iterations, or chunks of them, are cut into a share for each thread, before anybody begins; where
 * sections of two shares conflict there is no crew. A thread takes its share piece by piece from the front,
 * and who is through takes the back half of what another one has left, unless sections conflict across that
 * cut. So a thread that comes late, or not at all, holds nobody up. The end is known by a count of
 * iterations.
 *
 * Threads of the pool look at the crew's epoch while they linger (wait/idle.c): odd, a loop is open. One that
 * joins says so in its seat before it looks again, and the loop's thread waits for the seats before it
 * returns, so that nobody reads a loop that is over. */
#ifndef AG_CREW_H
#define AG_CREW_H

#include "loops/run.h"

struct ag_crew;

struct ag_crew *ag_crew_new(struct ag_runtime *rt); /* NULL: no memory; then there are no crews */
void ag_crew_free(struct ag_crew *crew);

enum ag_crew_way {
  AG_CREW_SHARES, /* in pieces; who is through takes from others */
  AG_CREW_BLOCKS, /* in one piece, each by its thread if that comes */
  AG_CREW_CHUNKS, /* of `piece` iterations each; who is through takes from others */
  AG_CREW_TURNS   /* such chunks, by turns, each by its thread if that comes */
};
struct ag_crew_deal {
  enum ag_crew_way way;
  uint64_t piece; /* SHARES: iterations that are worth being taken from another thread */
  bool wake;      /* the others are asleep */
};

/* Runs the loop by a crew. 0. -EBUSY: nothing was run, as another loop has the crew, or this thread cannot
 * lead one; -EDEADLK: nothing was run, as parts of the loop conflict, or for want of memory. */
int ag_crew_run(struct ag_worker *w, const struct ag_for *call, const struct ag_crew_deal *deal,
                struct ag_run_result *result);

/* Nanoseconds since the last loop of a crew has ended; UINT64_MAX: there was none. */
uint64_t ag_crew_since(const struct ag_crew *crew, uint64_t now);

/* A loop begins that goes without a crew, for that sleeps; and how long ago the last one of these did. */
void ag_crew_wanted(struct ag_crew *crew, uint64_t now);
uint64_t ag_crew_wanted_since(const struct ag_crew *crew, uint64_t now);

/* Joins the loop of a crew, if there is one that w has not joined yet. False: there is none. */
bool ag_crew_join(struct ag_worker *w);

/* Whether it would. */
bool ag_crew_awaits(const struct ag_worker *w);

#endif /* AG_CREW_H */
