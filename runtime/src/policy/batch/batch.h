/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When units of one accelerator FIFO are launched together (AGGLOM_BATCH). Like all policies a pure state
 * machine; callers synchronise access to a state themselves. */
#ifndef AG_BATCH_H
#define AG_BATCH_H

#include "observe/observe.h" /* enum ag_reason */
#include "policy/batch/gaps.h"
#include "policy/model/model.h"
#include "sys/env.h" /* struct ag_batch_choice */
#include <stdbool.h>
#include <stdint.h>

/* What just happened when a decision is asked for. */
enum ag_batch_event {
  AG_ON_SUBMIT,  /* a unit has arrived */
  AG_ON_NO_HIGH, /* a worker has found no high-priority work */
  AG_ON_BURST,   /* high-priority work has had its longest permitted run */
  AG_ON_NOTHING, /* a worker has found no work of any class: nothing else will arrive from it */
  AG_ON_WAIT,    /* somebody waits for a unit of this FIFO */
  AG_ON_QUIET,   /* nothing has arrived for a while and the owner of the FIFO is busy elsewhere */
  AG_ON_LOOK,    /* another thread, which has time, looks after it; its owner is busy. For timed policies */
  AG_ON_WHOLE,   /* all units of a step have come, and a thread has better things to do. For timed ones */
  AG_N_BATCH_EVENTS
};

/* The thread that asks has better things to do than units of the FIFO: it submits, or has work of high
 * priority. */
static inline bool ag_batch_is_busy(enum ag_batch_event event) {
  return event == AG_ON_SUBMIT || event == AG_ON_WHOLE;
}

/* What a policy is shown of the units of one task that wait: in one FIFO, or, where the policy decides for
 * all threads together, in those of all. Times are in ns. Of devices and of what is measured timed policies
 * alone are told: others find zeros in what is marked timed.
 *
 * Numbers of an example in brackets: two threads have submitted 60 and 40 units of cost 10, the first one
 * asks; 20 units are to be left to CPUs. There are 3 devices: one runs a batch for another 50 us, two are
 * idle. */
struct ag_batch_view {
  enum ag_batch_event event;
  uint64_t waiting;  /* units that may be launched: those that wait, without for_cpus [80] */
  uint64_t for_cpus; /* units that wait, but are left to CPUs [20] */
  bool full;         /* one launch cannot take more than these */
  uint64_t most;     /* units that one launch may have; 0: any number [0] */
  double slot_bytes; /* memory of one launch; 0: it has no end, or is not known [32e6] */
  double filled;     /* how much of the memory of one launch they need, by those of the FIFO [0.1] */
  uint64_t now_ns;   /* timed: the time */
  uint64_t fill;  /* timed: units that a device runs at a time, those of its resident blocks; 0: not known */
  double items;   /* cost of the units that may be launched, in all [800] */
  double longest; /* cost of the longest of them; 0: not known [10] */
  unsigned in_flight; /* timed: batches of the device that would get the next one; done ones count till
                         committed [0] */
  unsigned idle;      /* timed: devices without a batch [2] */
  unsigned devices;   /* timed: devices in all [3] */
  unsigned lookers;   /* timed: other threads that have time, and look after this FIFO now and then */
  bool others;        /* other threads than the asking one submit, too [true] */
  unsigned active;    /* threads that submit; 0 counts as 1 [2] */
  /* timed: of this task, as measured; 0: not known. */
  struct ag_host_times host;    /* of a launch: the time of the thread that makes it */
  struct ag_host_times commit;  /* of a commit: the time of some thread */
  struct ag_batch_times device; /* of a batch: the device's time */
  struct ag_longest usual;      /* the longest units of so and so many */
  struct ag_host_times in, out; /* of transfers to the device and back, while others may run */
  /* timed: until each device has done what it has, the first one to be through first [0, 0, 50000]. */
  double free_ns[AG_MODEL_DEVICES];
};

/* What a policy remembers of one FIFO. All zero at first. */
struct ag_batch_state {
  uint64_t arrivals; /* units that ever entered */
  uint64_t looked;   /* arrivals when others last had a turn, */
  unsigned looks;    /* and how often they had one since the last arrival */
  uint64_t mark;     /* count:N: arrivals up to the last combination that was due */
  /* Timed policies: */
  uint64_t timed;      /* arrivals that were seen when somebody looked at the time */
  uint64_t last_ns;    /* when the last one of these was */
  uint64_t oldest_ns;  /* since when some unit waits; 0: none does */
  uint64_t longest_ns; /* occupancy: the longest gap between arrivals so far */
  uint64_t
      nothing_ns[AG_N_BATCH_EVENTS]; /* when the policy last wanted nothing at such an event; 0: it did */
  struct ag_gaps gaps;               /* auto: those of late */
  /* auto: what comes between two pauses of the one that submits, as steps of a program repeat themselves. */
  struct {
    uint64_t begun, first; /* arrivals at its begin, and when its first ones were seen, */
    uint64_t first_ns;     /* at that time */
    uint64_t last;         /* units of the last one, */
    uint64_t units;        /* and expected of this one; 0: the last one says nothing of it */
    uint64_t most;         /* of the late ones */
    bool exact;            /* the last one had as many as the one before it, or was the first */
    double gap_ns;         /* between arrivals of the last one */
  } phase;
};

/* What a policy answers. */
struct ag_batch_decision {
  uint64_t units; /* to launch now, at most; 0: none. Fewer than may be: the rest is for another device */
  enum ag_reason reason; /* why */
  uint64_t patience;     /* after AG_ON_SUBMIT: it is of no use to ask again before so many more have come, */
  bool of_waiting;       /* or, where CPUs take them as they come, before so many more wait */
  uint64_t most;         /* units to which the batch may grow while it is staged; 0: as many as come */
};

struct ag_batch_policy {
  const char *name;
  struct ag_batch_decision (*decide)(const struct ag_batch_choice *choice, const struct ag_batch_state *state,
                                     const struct ag_batch_view *view);
  /* ag_batch_due() of it; 0: the number in the choice. */
  uint64_t due;
  /* units have left the FIFO for a launch; NULL when the policy does not care. */
  void (*launched)(const struct ag_batch_choice *choice, struct ag_batch_state *state, uint64_t units);
  /* What arrives while a batch is being staged may join it. Rules that name a number of units mean it. */
  bool grows;
  /* It wants to know the time of each decision, of devices and what is measured, and asks for AG_ON_LOOK. */
  bool timed;
  /* It decides for the FIFOs of all threads together, as if they were one. */
  bool common;
  /* Whoever submits leaves it to others to launch, however many units wait; NULL: never. */
  bool (*for_others)(const struct ag_batch_view *view);
  /* Dear units of a launch are begun before cheap ones (policy/launch/order.h); else all in their order. */
  bool dear_first;
};

extern const struct ag_batch_policy ag_batch_maximal, ag_batch_single, ag_batch_static, ag_batch_count,
    ag_batch_occupancy, ag_batch_auto;

/* For policies that hold units back: all that is there when one launch cannot take more, somebody waits,
 * nothing else can arrive or the FIFO has gone quiet; nothing otherwise. */
struct ag_batch_decision ag_batch_rest(const struct ag_batch_view *view);

/* Others had a turn: another FIFO, or a whole burst of high-priority work. */
void ag_batch_look(struct ag_batch_state *state);

/* Somebody looks at the time, for a timed policy: `waiting` units are in the FIFO. What has arrived since the
 * last such look is taken to have come evenly. To be called before each decision. */
void ag_batch_tick(struct ag_batch_state *state, uint64_t waiting, uint64_t now_ns);

/* Who submits now waits, or has nothing to do. For a timed policy, before the tick. */
void ag_batch_pause(struct ag_batch_state *state);

/* How long it is until who submits now pauses, if this step of the program is like those before it; negative:
 * nobody knows. For a timed policy. */
double ag_batch_until_pause(const struct ag_batch_state *state, uint64_t now_ns);

/* How long some unit has waited. For a timed policy. */
double ag_batch_waited(const struct ag_batch_state *state, uint64_t now_ns);

/* Units that are expected before whoever submits pauses; 0: not known, or it does pause. */
double ag_batch_expected(const struct ag_batch_state *state, uint64_t now_ns);

/* How long it is at least until all units of this step have come, of which so many have ever arrived; 0: all
 * have, and they are as many as in the step before. */
double ag_batch_until_whole(const struct ag_batch_state *state, uint64_t arrivals);

/* A launch has taken all it was about; so many units still wait, which have come since. For a timed policy.
 */
void ag_batch_gone(struct ag_batch_state *state, uint64_t waiting);

/* After how many arrivals whoever submits asks a timed policy again at the earliest: asking costs as much as
 * a few units do. */
double ag_batch_least_patience(const struct ag_batch_state *state);

/* What a policy wants. It is not asked where none of the units that wait are for it, as CPUs are to do all,
 * and that is looked into again when noticeably more have come.
 * Where several threads submit to the FIFOs that it decides about together, one of them asks again after its
 * part of so many units; as threads that ask at once wait for one another, not before AG_ASK_AGAIN, unless
 * that is wanted. */
enum { AG_ASK_AGAIN = 8, AG_ASK_LATEST = 4096 };
/* To ask takes some 500 ns, and as much again to look into what is for CPUs: whoever submits, or has better
 * things to do, does so once in this time at most. */
#define AG_ASK_NS 10e3
struct ag_batch_decision ag_batch_ask(const struct ag_batch_policy *policy,
                                      const struct ag_batch_choice *choice, struct ag_batch_state *state,
                                      const struct ag_batch_view *view);

/* When whoever submits asks again: at so many arrivals, or when so many wait in its FIFO. All zero: at once.
 */
struct ag_batch_again {
  uint64_t at, from;
};

static inline struct ag_batch_again ag_batch_again(const struct ag_batch_decision *d, uint64_t arrivals,
                                                   uint64_t waiting) {
  return (struct ag_batch_again){arrivals + (d->of_waiting ? AG_ASK_LATEST : d->patience),
                                 d->of_waiting ? waiting + d->patience : UINT64_MAX};
}

/* CPUs were to do all when it was asked last. */
static inline bool ag_batch_was_for_cpus(const struct ag_batch_again *again) {
  return again->from && again->from != UINT64_MAX;
}

/* How many more units that takes. */
static inline uint64_t ag_batch_until(const struct ag_batch_again *again, uint64_t arrivals,
                                      uint64_t waiting) {
  if (again->at <= arrivals || again->from <= waiting)
    return 0;
  return again->at - arrivals < again->from - waiting ? again->at - arrivals : again->from - waiting;
}

/* Whether whoever submits asks with this unit: as it was told to; or because a launch is full, if CPUs were
 * not to do all. */
static inline bool ag_batch_asks(const struct ag_batch_again *again, uint64_t arrivals, uint64_t waiting,
                                 bool full) {
  return !ag_batch_until(again, arrivals, waiting) || (full && !ag_batch_was_for_cpus(again));
}

/* Whether a timed policy that decides for all threads has just wanted nothing: threads that have time need
 * not all ask it at once, nor those that run short units of high priority after each of these. */
bool ag_batch_asked(const struct ag_batch_policy *policy, const struct ag_batch_state *state,
                    enum ag_batch_event event, uint64_t now_ns);

/* The event to tell a policy of: what others do again and again does not hold back a FIFO into which nothing
 * comes. */
enum ag_batch_event ag_batch_event(const struct ag_batch_state *state, enum ag_batch_event event);

/* At how many arrivals since a launch was last due one may be due at the earliest, if none is full. */
uint64_t ag_batch_due(const struct ag_batch_choice *choice);

/* Whether whoever submits leaves the launch of what this view shows to others. */
static inline bool ag_batch_for_others(const struct ag_batch_policy *policy,
                                       const struct ag_batch_view *view) {
  return policy->for_others && policy->for_others(view);
}

/* The policy that AGGLOM_BATCH names; never NULL. */
const struct ag_batch_policy *ag_batch_policy(enum ag_batch_rule rule);

#endif /* AG_BATCH_H */
