/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inside of policy/loop/loop.h: what the frame (deal.c) keeps, and what a policy (NAME.c) is. */
#ifndef AG_LOOP_STATE_H
#define AG_LOOP_STATE_H

#include "policy/loop/loop.h"
#include "sys/align.h"

/* Part of the iterations that belongs to one unit: pieces of `size` iterations, one at next, next + step, ...
 * before end. Of the first piece `taken` iterations are granted. */
struct ag_loop_share {
  uint64_t next, end, size, step, taken;
};

enum ag_loop_slot { AG_LOOP_FREE = 0, AG_LOOP_GRANTED, AG_LOOP_GIVEN_BACK };

struct ag_loop_unit {
  struct {
    enum ag_loop_slot state;
    uint64_t from, to;
  } slot[AG_LOOP_IN_FLIGHT];
  unsigned in_flight;
  bool lost;
  struct ag_loop_share share;
  uint64_t reserved;  /* iterations of the pool that are kept for it */
  uint64_t untracked; /* iterations of a plan, granted and not done, for which there was no slot */
  uint64_t done, ns;  /* in this execution: iterations, and the time they took */
  uint64_t done_before, ns_before; /* the same in its last execution with any */
  /* Kept between executions: iterations per ms (0: unknown), and the time over which that is the mean. A
   * chunk counts by its time, so the small ones at the end of a loop do not tell what the large ones will do.
   */
  double rate, span;
};

struct ag_loop {
  const struct ag_loop_policy *policy;
  struct ag_loop_view view;
  unsigned units, lost; /* all of them, and the lost ones among them */
  unsigned lost_cpus;
  uint64_t low, high; /* the pool: iterations in nobody's share, granted from low up */
  uint64_t reserved;  /* of these, for all units together */
  bool planned;       /* the pool was empty from the beginning */
  uint64_t done;
  unsigned executions; /* so far, in a row */
  enum ag_sides sides; /* who is to work, for the objective */
  unsigned in_flight;  /* chunks granted and not done */
  unsigned given_back; /* slots of lost units with work in them */
  struct ag_loop_unit *unit;
  void *mine; /* the policy's own bytes */
};

/* What a policy wants for a unit that has nothing in its own share: `size` iterations of the pool, or as many
 * as are left there; or nothing now, or nothing at all. The frame grants something all the same when nobody
 * else would come for it: LATER needs a chunk in flight, NONE is for devices that have a CPU unit beside
 * them. */
struct ag_loop_want {
  enum ag_loop_answer what;
  uint64_t size;
};

/* Who keeps what ag_loop_keep() tells. */
struct ag_loop_keeper {
  void (*put)(void *to, const struct ag_loop_memo *memo);
  void *to;
};
void ag_loop_put(const struct ag_loop_keeper *keeper, const char *what, unsigned unit, const double *x,
                 unsigned n);

/* Whether a memo is called so, and has n numbers, all of them in least .. most. */
bool ag_loop_memo_is(const struct ag_loop_memo *memo, const char *what, unsigned n, double least,
                     double most);

struct ag_loop_policy {
  const char *name;
  bool by_items; /* what it remembers is of single iterations: forgotten when n or the chunk size change */
  /* Bytes of the policy's own, beyond the frame's. NULL: none. */
  size_t (*bytes)(const struct ag_loop_view *view);
  /* All iterations are in the pool, and no unit has a share. fresh: the own bytes are zero. NULL: fine so. */
  void (*begin)(struct ag_loop *loop, bool fresh);
  /* The share of `unit` is used up: set the next one. False: there is none. NULL: one share each. */
  bool (*refill)(struct ag_loop *loop, unsigned unit);
  /* How much of the pool a unit gets. NULL: the pool is always empty. */
  struct ag_loop_want (*want)(struct ag_loop *loop, unsigned unit, uint64_t now_ns);
  /* A chunk is done; its unit's rate is set already. NULL: who cares. */
  void (*done)(struct ag_loop *loop, unsigned unit, uint64_t from, uint64_t to, uint64_t ns);
  void (*items)(struct ag_loop *loop, uint64_t from, uint64_t to, const double *ns);
  void (*end)(struct ag_loop *loop); /* only after complete executions in which no unit was lost */
  bool (*settled)(const struct ag_loop *loop);
  /* For later runs. keep: tells what the policy knows of the unit, besides the frame's rates. seed: is told
   * it; false when that makes no sense. NULL, both: nothing is kept, nor the rates. */
  void (*keep)(const struct ag_loop *loop, unsigned unit, const struct ag_loop_keeper *keeper);
  bool (*seed)(struct ag_loop *loop, const struct ag_loop_memo *memo);
};

extern const struct ag_loop_policy ag_loop_auto, ag_loop_static, ag_loop_dynamic, ag_loop_dynamic_locked,
    ag_loop_logfit, ag_loop_concord, ag_loop_hdss, ag_loop_oracle, ag_loop_static_pcf, ag_loop_guided_sizes,
    ag_loop_guided_runtime, ag_loop_clustered_guided;

/* Never NULL. */
const struct ag_loop_policy *ag_loop_policy(unsigned kind);

static inline bool ag_loop_is_device(const struct ag_loop *loop, unsigned unit) {
  return unit >= loop->view.machine.cpus;
}
/* Whether the unit is to have a part of the pool. */
static inline bool ag_loop_works(const struct ag_loop *loop, unsigned unit) {
  enum ag_sides other = ag_loop_is_device(loop, unit) ? AG_SIDES_CPUS : AG_SIDES_DEVICES;
  return !loop->unit[unit].lost && loop->sides != other;
}

/* Compute units of a device, 1 or more. */
unsigned ag_loop_lanes(const struct ag_loop *loop, unsigned device_unit);
unsigned ag_loop_cpus_alive(const struct ag_loop *loop);
static inline uint64_t ag_loop_pool(const struct ag_loop *loop) { return loop->high - loop->low; }

/* The unit's share becomes from .. to - 1, in pieces of the chunk size if there is one. Taking them out of
 * the pool is the policy's business. */
void ag_loop_give(struct ag_loop *loop, unsigned unit, uint64_t from, uint64_t to);

/* Gives from .. to - 1 to `count` units from `first` on, in consecutive parts whose sizes differ by one at
 * most. */
void ag_loop_give_evenly(struct ag_loop *loop, uint64_t from, uint64_t to, unsigned first, unsigned count);

/* Keeps `size` iterations of the pool for this unit, instead of what was kept before. */
void ag_loop_reserve(struct ag_loop *loop, unsigned unit, uint64_t size);

/* Wants for loops that are split once: what is kept for a device; for a CPU unit a part of what is kept for
 * nobody, smaller and smaller towards the end. */
struct ag_loop_want ag_loop_want_reserved(const struct ag_loop *loop, unsigned unit);
struct ag_loop_want ag_loop_want_rest(const struct ag_loop *loop);

/* Rounded, between least and most, whatever x is; NaN gives least. */
uint64_t ag_loop_count(double x, uint64_t least, uint64_t most);

/* A chunk of this unit took ns, at this rate: learns the unit's rate. */
void ag_loop_learn(struct ag_loop_unit *unit, double rate, uint64_t ns);

/* Iterations per ms; 0 when ns cannot be right. */
double ag_loop_rate(uint64_t iterations, uint64_t ns);

/* Rates known of the living CPU units together, those unknown taken as the mean of the others; 0: none is
 * known. */
double ag_loop_cpu_rate(const struct ag_loop *loop);

/* The rate of a unit, or, while that is unknown, of a CPU unit in the mean; 1: of none is one known. */
double ag_loop_speed(const struct ag_loop *loop, unsigned unit);

#endif /* AG_LOOP_STATE_H */
