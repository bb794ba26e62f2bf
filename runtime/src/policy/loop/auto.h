/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inside of the schedule auto: what it knows, which auto_learn.c learns and auto.c deals out
 * by. */
#ifndef AG_LOOP_AUTO_H
#define AG_LOOP_AUTO_H

#include "policy/loop/curve.h"
#include "policy/loop/profile.h"
#include "policy/loop/state.h"

/* A CPU unit's chunk takes that time at least, for taking one costs, too. */
#define AG_AUTO_LEAST_CPU_MS 0.01

enum { AG_AUTO_SIZES = 48, AG_AUTO_SEEN = 64 };

struct ag_auto_unit {
  double busy_until; /* ms on the clock of the calls */
  double rate, span; /* of a CPU unit: work per ms, and the time over which that is the mean */
  double slower;     /* of a device: times what the course says; 0: unknown */
  unsigned chunks;   /* in this execution */
  unsigned like;     /* see below */
  bool out;          /* of this execution: it has been told NONE */
};

/* Of a device. Those with as many compute units are taken to be alike but for `slower`, so the first of them
 * has the course of all: `like` is its unit. */
struct ag_auto_course {
  struct ag_curve curve;
  double best, best_rate; /* at this moment: the size with the best throughput, and iterations per ms */
  unsigned tried;         /* chunks granted so far, as long as they are few */
  bool fresh;             /* the curve was not known when this execution began */
  unsigned seen;          /* chunks of this very device in this execution, the first ones of them here */
  struct ag_auto_seen {
    uint64_t from, to;
    double ms;
  } at[AG_AUTO_SEEN];
};

struct ag_auto {
  struct ag_profile profile;
  double since;       /* ms on the clock of the calls: when the first unit asked */
  double until;       /* ms on the clock of the calls: when all are through together; 0: unknown */
  uint64_t left_then; /* iterations in the pool when that was computed */
  bool complete;      /* the loop has been executed as a whole, so the work of all its parts is known */
  double error[AG_AUTO_SIZES]; /* mean relative one of what was foretold of CPU units' chunks, by log2 of
                                  the size */
  unsigned told[AG_AUTO_SIZES];
  struct ag_auto_unit unit[]; /* and behind them a course of each device */
};

static inline struct ag_auto *ag_auto(const struct ag_loop *loop) { return loop->mine; }

static inline struct ag_auto_unit *ag_auto_unit(const struct ag_loop *loop, unsigned u) {
  return &ag_auto(loop)->unit[u];
}

static inline struct ag_profile *ag_auto_profile(const struct ag_loop *loop) {
  return &ag_auto(loop)->profile;
}

/* Of a device: its own course, and that of all that are like it. */
static inline struct ag_auto_course *ag_auto_own(const struct ag_loop *loop, unsigned u) {
  struct ag_auto_course *first = (void *)(ag_auto(loop)->unit + loop->units);
  return first + (u - loop->view.machine.cpus);
}
static inline struct ag_auto_course *ag_auto_course(const struct ag_loop *loop, unsigned u) {
  return ag_auto_own(loop, ag_auto_unit(loop, u)->like);
}
static inline struct ag_curve *ag_auto_curve(const struct ag_loop *loop, unsigned u) {
  return &ag_auto_course(loop, u)->curve;
}

static inline double ag_auto_slower(const struct ag_loop *loop, unsigned u) {
  return ag_auto_unit(loop, u)->slower > 0 ? ag_auto_unit(loop, u)->slower : 1;
}

static inline bool ag_auto_is_known(const struct ag_loop *loop, unsigned u) {
  return ag_loop_is_device(loop, u) ? ag_curve_known(ag_auto_curve(loop, u))
                                    : ag_auto_unit(loop, u)->rate > 0;
}

/* What the unit, which is known, takes for that many iterations with so much work in them. */
double ag_auto_ms(const struct ag_loop *loop, unsigned u, double size, double work);

/* Of the CPU units whose rate is known, in the mean; 0: of none. */
double ag_auto_mean_rate(const struct ag_loop *loop);

/* Of what is foretold of CPU units' chunks of that size. */
double ag_auto_error(const struct ag_auto *all, double size);

/* What the schedule has of them; see state.h. */
size_t ag_auto_bytes(const struct ag_loop_view *view);
void ag_auto_begin(struct ag_loop *loop, bool fresh);
void ag_auto_done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns);
void ag_auto_end(struct ag_loop *loop);
void ag_auto_keep(const struct ag_loop *loop, unsigned u, const struct ag_loop_keeper *keeper);
bool ag_auto_seed(struct ag_loop *loop, const struct ag_loop_memo *memo);

#endif /* AG_LOOP_AUTO_H */
