/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much a CPU takes of what waits, and what is worth another thread's while. */
#ifndef AG_CPUS_H
#define AG_CPUS_H

#include "policy/split/split.h" /* AG_CPU_WORTH_NS */
#include <stdbool.h>
#include <stdint.h>

enum {
  /* A CPU takes what is there / (AG_CPU_SHARE x CPUs), so that others find some too. */
  AG_CPU_SHARE = 2,
  AG_CPU_MOST = 1024, /* units of a CPU batch, */
  AG_CPU_LONG_NS =
      200000, /* and how long one may take that others wait for: 100 times what it costs to take it */
  AG_CPU_AWAY_NS = 50000, /* who has submitted nothing for so long is busy with other things */
  AG_QUIET_MS = 10 /* after so long without an arrival others launch what a thread has left in its FIFO */
};

/* What a CPU takes: units at most, and of these at most so many that follow no other. */
struct ag_cpu_share {
  uint64_t units, free;
};

/* Of so many units that wait and take unit_ns each; 0: that is not known. `free` is for those that follow no
 * other: of 640 tiles in ten steps these are the 64 of the first step. A CPU that took 160 would leave
 * nothing to the other ones, as all that is left follows some of them, and what follows a unit waits for the
 * end of its batch. So of the free ones a share is taken, or what is worth its while; and what follows these
 * alone, for no long time, if there are free ones enough for the others. */
static inline struct ag_cpu_share ag_cpu_share(uint64_t waiting, uint64_t free, unsigned cpus,
                                               uint64_t unit_ns) {
  uint64_t shares = cpus > 1 ? AG_CPU_SHARE * (uint64_t)cpus : 1;
  struct ag_cpu_share share = {waiting / shares, UINT64_MAX};
  if (cpus > 1 && free < waiting) {
    uint64_t worth = unit_ns ? AG_CPU_WORTH_NS / unit_ns : 0, in_all = unit_ns ? AG_CPU_LONG_NS / unit_ns : 0;
    share.free = free / shares > worth ? free / shares : worth;
    share.free = share.free < 1 ? 1 : share.free;
    in_all = free >= shares && in_all > share.free ? in_all : share.free;
    share.units = share.units < in_all ? share.units : in_all;
  }
  share.units = share.units < 1 ? 1 : share.units < AG_CPU_MOST ? share.units : AG_CPU_MOST;
  return share;
}

/* What a CPU that has nothing to do is handed of them: a share, or at least what is worth its while, as the
 * units that are there may be few because others take them as they come. */
static inline struct ag_cpu_share ag_cpu_dealt(uint64_t waiting, uint64_t free, unsigned cpus,
                                               uint64_t unit_ns) {
  struct ag_cpu_share share = ag_cpu_share(waiting, free, cpus, unit_ns);
  uint64_t worth = unit_ns ? AG_CPU_WORTH_NS / unit_ns : 1;
  if (share.units < worth)
    share.units = worth < AG_CPU_MOST ? worth : AG_CPU_MOST;
  return share;
}

/* Whether one part in `shares` of so many units is worth the while of another CPU than the one that submits
 * them, if a unit takes so long; 0: that is not known. Moving units costs more than they do themselves when
 * they are few and short. */
static inline bool ag_cpu_worth(uint64_t unit_ns, uint64_t units, uint64_t shares) {
  return !unit_ns || units * unit_ns >= AG_CPU_WORTH_NS * shares;
}

/* What a unit is taken to take after some have taken `ns` each, if it was `before`; 0: nothing was known.
 * A spike counts little. */
static inline uint64_t ag_cpu_lately(uint64_t before, uint64_t ns) {
  return !before || ns < before ? ns : before + (ns - before) / 8;
}

/* The same after a single one has taken `ns`. Units of one task may differ: one that is short says nothing of
 * the others. */
static inline uint64_t ag_cpu_mean(uint64_t before, uint64_t ns) {
  return !before ? ns : ns < before ? before - (before - ns) / 8 : before + (ns - before) / 8;
}

/* When another thread than the one that submits first found too little in a FIFO to be worth its while, and
 * how many units had ever come by then. All zero: never. */
struct ag_away {
  uint64_t arrivals, ns;
};

/* Whether the thread that submits has gone away: nothing has come for AG_CPU_AWAY_NS since somebody found too
 * little. What is there would else be left to a thread that does not look after it. */
static inline bool ag_is_away(struct ag_away *away, uint64_t arrivals, uint64_t now_ns) {
  if (away->ns && away->arrivals == arrivals)
    return now_ns - away->ns >= AG_CPU_AWAY_NS;
  *away = (struct ag_away){arrivals, now_ns};
  return false;
}

#endif /* AG_CPUS_H */
