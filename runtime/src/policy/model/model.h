/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long units of one task take, as measured: on a CPU unit, and in batches on each device. A batch takes
 * launch + item * its items, where blocks of the device that stay empty count like full ones: a device of
 * which one unit fills a part takes as long for that one unit as for as many as fill it, all of them as long
 * as the longest. From how many units on more of them take longer is found out, too (enum ag_batch_form).
 * Least squares of relative errors over what was measured, of which late batches count most. Times that are
 * not positive numbers are not believed, but for transfers of what is there already, and a spike counts as
 * three times what was expected. */
#ifndef AG_MODEL_H
#define AG_MODEL_H

#include "policy/model/longest.h"
#include <stdbool.h>
#include <stdint.h>

enum { AG_MODEL_DEVICES = 16 };

/* Fewer units than this part of those that are resident at a time take as long as that part: with 160
 * resident units and AG_FORM_HALF, 10 units take as long as 80. */
enum ag_batch_form {
  AG_FORM_FULL, /* all of them */
  AG_FORM_HALF,
  AG_FORM_4TH,
  AG_FORM_8TH,
  AG_FORM_16TH,
  AG_FORM_LINE,  /* none: each unit counts */
  AG_FORM_WAVES, /* all, and more units run in as many waves as it takes, each as long as a full one */
  AG_N_FORMS
};

/* What a batch takes of a device's time. */
struct ag_batch_times {
  double launch_ns, item_ns; /* item_ns 0: unknown */
  double fill;               /* units that run at a time; 0: unknown, a line */
  enum ag_batch_form form;
};

/* A batch of so many units, which are so many items; 0: unknown. */
double ag_times_ns(const struct ag_batch_times *times, double units, double items);
/* The same when the longest of them is known to be so many items. */
double ag_times_longest(const struct ag_batch_times *times, double units, double items, double longest);
/* What a batch takes at least for each item of its longest unit: blocks that stay empty wait for that. With
 * 160 units at a time of 5 ns an item, all of which count (AG_FORM_FULL), 800 ns. */
double ag_times_alone_ns(const struct ag_batch_times *times);

/* Copies to the device, its blocks, and copies back work on different batches at a time. What keeps a batch
 * longest is what the one behind it waits for: so long it takes there, when it has been so long before, and
 * has so long to go. */
struct ag_slowest {
  double before_ns, ns, behind_ns;
};
static inline struct ag_slowest ag_times_slowest(double in, double run, double out) {
  if (in > run && in >= out)
    return (struct ag_slowest){0, in, run + out};
  return run >= out ? (struct ag_slowest){in, run, out} : (struct ag_slowest){in + run, out, 0};
}

/* What a launch, or a commit, takes of its thread's time: once, and for each unit. All 0: unknown. */
struct ag_host_times {
  double launch_ns, unit_ns;
};

static inline double ag_host_ns(const struct ag_host_times *t, double units) {
  return t->launch_ns + units * t->unit_ns;
}

/* A batch that was measured. */
struct ag_measured_batch {
  double units, items;
  double longest;       /* items of its longest unit; 0: unknown */
  double chains;        /* of units that follow one another, and shares of units: what may run at a time */
  double fill;          /* chains that the device runs at a time, those of its resident blocks; 0: unknown */
  double ns;            /* of the device, batches before it and transfers excluded */
  double in_ns, out_ns; /* of its transfers to the device and back */
  double host_ns;       /* of the thread that launched it; 0: not measured; */
  double staged_ns;     /* of these, for staging its units */
};

/* Decayed sums over launches, commits or transfers. w: how many; some: those that took any time; x, y: units,
 * ns; xx, xy: their products; part: ns that are for the units. */
struct ag_host_sums {
  double w, some, x, y, xx, xy, part;
};

/* Batches of one task on one device. All zero at first: nothing is known. */
struct ag_device_model {
  struct ag_batch_times times; /* here fill is in chains */
  struct ag_host_times host, commit, in, out;
  struct {
    struct ag_host_sums host, commit, in, out;
  } sums;
  double largest;                      /* items of the largest batch that was measured */
  double weight, units, items, chains; /* sums, decayed: batches, and what was in them; */
  /* With r: time, u: 1, v: items that count, each divided by what was expected: */
  double ru, rr, uu;
  struct {
    double rv, vv, uv;
  } sum[AG_N_FORMS];
  uint64_t known; /* batches that were measured */
};

/* One task. All zero at first. */
struct ag_model {
  double cpu_ns;                /* of an item on one CPU unit; 0: unknown */
  uint64_t cpu_known;           /* how often that was measured */
  double cpu_spent;             /* ns of CPU units, in all */
  double brief_items, brief_ns; /* measured, but too short to tell something alone */
  struct ag_longest longest;    /* of batches on any device */
  struct ag_device_model device[AG_MODEL_DEVICES];
  struct ag_device_model alike; /* of all devices with the fill of the first one measured */
};

/* A CPU unit took ns for so many items. */
void ag_model_cpu(struct ag_model *model, double items, double ns);

/* A batch on this device, which tells of others like it, too. */
void ag_model_batch(struct ag_model *model, unsigned device, const struct ag_measured_batch *batch);

/* The model of the device, which runs `fill` chains at a time; as long as more is known of devices with the
 * same fill, the model of these. */
const struct ag_device_model *ag_model_of(const struct ag_model *model, unsigned device, double fill);

void ag_model_device(struct ag_device_model *model, const struct ag_measured_batch *batch);

/* A thread took ns to commit a batch of this device. */
void ag_model_committed(struct ag_model *model, unsigned device, double units, double ns);

/* What batches take of this device, which runs so many chains at a time: as measured, or else as on another
 * one of that kind; item_ns is 0 when nothing is known. */
struct ag_batch_times ag_model_times(const struct ag_model *model, unsigned device, double fill);
/* times, or, while item_ns is unknown there, a guess from the fill and cpu_ns, the time of an item on a CPU
 * unit: blocks that are a 16th as fast as that. */
struct ag_batch_times ag_times_believed(struct ag_batch_times times, double cpu_ns);

/* --- Between runs of a program: as numbers, and back. False: nothing is known, or they make no sense. -- */

enum { AG_MODEL_CPU_NUMBERS = 2, AG_MODEL_DEVICE_NUMBERS = 11 };
bool ag_model_keep_cpu(const struct ag_model *model, double x[AG_MODEL_CPU_NUMBERS]);
bool ag_model_seed_cpu(struct ag_model *model, const double *x, unsigned n);
bool ag_model_keep_device(const struct ag_device_model *model, double x[AG_MODEL_DEVICE_NUMBERS]);
bool ag_model_seed_device(struct ag_device_model *model, const double *x, unsigned n);

#endif /* AG_MODEL_H */
