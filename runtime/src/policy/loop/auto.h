/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inside of the schedule auto: the model of the loop and of its units, which auto_learn.c learns from
 * chunks that are done, and by which auto.c foretells those to come. */
#ifndef AG_LOOP_AUTO_H
#define AG_LOOP_AUTO_H

#include "policy/loop/curve.h"
#include "policy/loop/profile.h"
#include "policy/loop/state.h"

/* Chunks of a new device that are looked at again at the end of its first execution. */
enum { AG_AUTO_SEEN = 16 };

struct ag_auto_unit {
  double busy_until; /* ms on the clock of the calls */
  double rate, span; /* of a CPU unit: work per ms (0: unknown), and the ms over which that is the mean */
  bool out;          /* of this execution: it has been told NONE */
};

struct ag_auto_device {
  struct ag_curve curve;
  /* What auto.c foretells of it at one moment. */
  double wait;            /* ms until it is free; infinite: it does nothing */
  double empty, per;      /* a chunk of x iterations takes empty + x per ms */
  double best, best_rate; /* the size with the best throughput, and iterations per ms then */
  bool fresh;             /* the curve was not known when this execution began */
  unsigned seen;          /* chunks in this execution that are in `at` */
  struct ag_auto_seen {
    uint64_t from, to;
    double ms;
  } at[AG_AUTO_SEEN];
};

struct ag_auto {
  struct ag_profile profile;
  double until;       /* ms on the clock of the calls: when all are through together; 0: unknown */
  uint64_t left_then; /* iterations in the pool when that was computed */
  bool complete;      /* the loop has been executed as a whole, so the work of all its parts is known */
  double error;       /* mean relative one of what was foretold of CPU units' chunks since then */
  struct ag_auto_unit unit[]; /* and behind them the devices */
};

static inline struct ag_auto *ag_auto(const struct ag_loop *loop) { return loop->mine; }

static inline struct ag_auto_unit *ag_auto_unit(const struct ag_loop *loop, unsigned u) {
  return &ag_auto(loop)->unit[u];
}

static inline struct ag_auto_device *ag_auto_device(const struct ag_loop *loop, unsigned u) {
  struct ag_auto_device *first = (void *)(ag_auto(loop)->unit + loop->units);
  return first + (u - loop->view.machine.cpus);
}

static inline bool ag_auto_is_known(const struct ag_loop *loop, unsigned u) {
  return ag_loop_is_device(loop, u) ? ag_curve_largest(&ag_auto_device(loop, u)->curve) > 0
                                    : ag_auto_unit(loop, u)->rate > 0;
}

/* What the unit, which is known, takes for that many iterations with so much work in them, in ms. */
double ag_auto_ms(const struct ag_loop *loop, unsigned u, double size, double work);

/* Of the CPU units whose rate is known, in the mean; 0: of none. */
double ag_auto_mean_rate(const struct ag_loop *loop);

/* What the schedule has of them; see state.h. */
size_t ag_auto_bytes(const struct ag_loop_view *view);
void ag_auto_begin(struct ag_loop *loop, bool fresh);
void ag_auto_done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns);
void ag_auto_end(struct ag_loop *loop);
void ag_auto_keep(const struct ag_loop *loop, unsigned u, const struct ag_loop_keeper *keeper);
bool ag_auto_seed(struct ag_loop *loop, const struct ag_loop_memo *memo);

#endif /* AG_LOOP_AUTO_H */
