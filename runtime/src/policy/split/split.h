/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which units that have a kernel run on CPUs although there is a device (AGGLOM_SPLIT). Like all policies a
 * pure state machine; callers synchronise access to a state themselves. */
#ifndef AG_SPLIT_H
#define AG_SPLIT_H

#include "policy/model/model.h"
#include "policy/model/objective.h"
#include "policy/split/sizes.h"
#include "sys/env.h" /* enum ag_split_choice */
#include <stdbool.h>
#include <stdint.h>

/* Work that is worth moving to another CPU. */
enum { AG_CPU_WORTH_NS = 20000 };

enum ag_side { AG_SIDE_CPU = 0, AG_SIDE_DEVICE, AG_N_SIDES };

/* What count and items remember of one task. All zero at first. */
struct ag_split_state {
  struct {
    double units, items, ns; /* all that was measured on this side */
  } side[AG_N_SIDES];
  double cpu_part; /* count: the part of the units that CPUs get, once it is fixed */
};

/* auto: what the CPU units have to do, those of this runtime. Times are in ns, from now on.
 *
 * An example in brackets: 4 CPU units. One waits, one runs a CPU batch of such units for another 30 us, one
 * runs a CPU-only unit for another 200 us, and the fourth one submits; 5 CPU-only units of low priority are
 * ready, each of which takes 100 us. */
struct ag_split_cpus {
  unsigned ready;   /* CPU units that have time now, or run a CPU batch [2] */
  double ready_ns;  /* what these have left to do of such batches, in all [30e3] */
  unsigned others;  /* CPU units that run other things and will be back [1] */
  double begun_ns;  /* what these have left to do, in all [200e3] */
  bool submits;     /* one of the others is the one that submits: it is back when it pauses [false: it is not
                       known when] */
  double before_ns; /* other work that is ready and goes before the units that wait [0] */
  double after_ns;  /* other work that is ready and goes behind them [500e3] */
  double may_be_ns; /* the one that submits may be back in so long, which nobody knows; 0: it may not [0] */
  double more;      /* cost of what waits in other such FIFOs, in parts of what is decided about [0] */
};

/* What a CPU-only unit that is ready takes, if those of its class took so long: none of them has ended, 0, as
 * long as is worth another thread's while. */
static inline double ag_split_ready_ns(double mean) { return mean > 0 ? mean : AG_CPU_WORTH_NS; }

/* The thread that submits will be back in so many ns, when it pauses. */
static inline void ag_split_will_be_back(struct ag_split_cpus *load, double ns) {
  ++load->others;
  load->begun_ns += ns;
  load->submits = true;
}

/* When the thread that submits pauses nobody knows, and some unit has waited for so many ns: it is believed
 * to wait as long again, unless devices would have done all of it in that time. So a thread that never pauses
 * costs no more than twice the time of devices, where that is known. */
static inline void ag_split_may_be_back(struct ag_split_cpus *load, double waited_ns) {
  load->may_be_ns = waited_ns > 1 ? waited_ns : 1;
}

/* The one that submits: it pauses in so many ns, negative: nobody knows when; some unit has waited for so
 * many. */
static inline void ag_split_submits(struct ag_split_cpus *load, double pauses_ns, double waited_ns) {
  if (pauses_ns < 0)
    ag_split_may_be_back(load, waited_ns);
  else
    ag_split_will_be_back(load, pauses_ns);
}

/* What waits: in one FIFO, or, where the batch policy decides for all threads together, in those of all.
 * Times are in ns. What is marked auto is shown to AGGLOM_SPLIT=auto alone.
 *
 * An example in brackets: 100 units wait, the dearest costs 50, all together 1000. */
struct ag_split_view {
  uint64_t units;               /* that wait [100] */
  double items;                 /* their cost in all [1000] */
  const struct ag_sizes *sizes; /* auto: what each of them costs; the dearest stand at the front */
  unsigned cpus;                /* CPU units (count and items; auto goes by load) */
  unsigned devices;             /* devices that can take them */
  unsigned idle;                /* auto: devices of these that have nothing to do */
  struct ag_split_cpus load;    /* auto */
  /* Of this task, as measured; 0: not known. */
  double cpu_ns;   /* one item on one CPU unit */
  double spent_ns; /* auto: CPU units on such units so far, in all; halved by each batch that failed */
  struct ag_batch_times device; /* a batch on a device; its fill is known beforehand */
  struct ag_host_times host;    /* auto: a launch, of the time of the thread that makes it */
  struct ag_host_times commit;  /* auto: a commit, of the time of some thread */
  struct ag_host_times in, out; /* auto: transfers to the device and back */
  double busy_ns;               /* until the device that is through first has done what it has */
  enum ag_sides sides;          /* auto: who is to do the work, where AGGLOM_OBJECTIVE is not time */
};

/* So many units of so many items took one CPU unit, or one device, so long. Nonsense is not believed. */
void ag_split_told(struct ag_split_state *state, enum ag_side side, double units, double items, double ns);

/* count and items, when all that the view shows is about to be launched: up to which cost, counted from the
 * front of the FIFO, or up to how many units, CPUs take it. Until both sides are known each of them gets
 * something, where there is more than one unit. */
struct ag_split_share {
  double items;   /* items: the cost; else infinite */
  uint64_t units; /* count: the units; else all */
};
struct ag_split_share ag_split_front(enum ag_split_choice choice, struct ag_split_state *state,
                                     const struct ag_split_view *view);

/* Unit by unit from the front: whether CPUs take one more that costs so much, having taken so many units of
 * so many items. The unit at the border goes to the side to which
 * most of it belongs: else a dear one at the front, of which 60 % are the CPUs', would leave them nothing. */
static inline bool ag_split_share_takes(const struct ag_split_share *share, uint64_t units, double items,
                                        double cost) {
  return units < share->units && items + cost / 2 <= share->items;
}

/* auto, when all that the view shows is about to be launched: the cost at the front of the FIFO that is left
 * for CPUs with time, as they have done it before the devices have done the rest; infinite: all of it. */
double ag_split_leave(const struct ag_split_view *view);

/* auto: the cost that one CPU unit which has time takes from the front of the FIFO, so that it is done with
 * it before a device would have been: as few units as reach it. 0: it leaves all to the devices. */
double ag_split_take(const struct ag_split_view *view);

/* The same, for a while; and what an item takes on a CPU unit, as it was known then. */
struct ag_cpu_part {
  double items, cpu_ns;
};

/* auto: whether units of so many items are worth moving to another CPU than the one that submits, if an item
 * takes so long there; 0: that is not known. */
bool ag_split_worth(double cpu_ns, double items);

#endif /* AG_SPLIT_H */
