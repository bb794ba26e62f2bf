/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* agglom-sim: the policies of loops, the very objects that the runtime has, on machines and loops that are
 * only described. Time is virtual, so a result depends on the options alone. */
#ifndef AG_SIM_H
#define AG_SIM_H

#include "policy/loop/loop.h"
#include "sys/env.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SIM_MOST_UNITS = 4096, SIM_MOST_DEVICES = 64, SIM_MOST_FAILURES = 32 };

/* No run takes longer; policies are told the time as an integer. */
#define SIM_MOST_NS 1e18
#define SIM_TOO_LONG "it takes more than 1e18 ns, which are 31 years"

/* --- The work ---------------------------------------------------------------------------------------------
 */

enum sim_shape { SIM_UNIFORM, SIM_TRIANGULAR, SIM_BIMODAL, SIM_ZIPF, SIM_DRIFTING, SIM_LIST };

struct sim_work {
  enum sim_shape shape;
  double a, b; /* bimodal: part of large ones, how much larger. zipf: exponent. drifting: height, speed */
  const char *list; /* of SIM_LIST: a file of numbers */
  char why[1200];   /* it cannot be used */
  uint64_t n, seed;
  double mean_ns; /* of an iteration on a CPU unit */
  double *cost;   /* ns of each */
  double *sum;    /* sum[i] = cost[0] + ... + cost[i - 1] */
};

/* "zipf:1.1": true when it is understood. */
bool sim_work_parse(const char *text, struct sim_work *work);

/* Costs of the iterations in this time step; the costs of a step before stay where nothing drifts. 0 or a
 * negative errno, with *why then. */
int sim_work_make(struct sim_work *work, uint64_t step, const char **why);

void sim_work_free(struct sim_work *work);

/* Whether this machine has so much memory left. */
bool sim_memory_for(double bytes);

/* --- The machine ------------------------------------------------------------------------------------------
 */

enum sim_curve { SIM_FLAT, SIM_SATURATING, SIM_LOGARITHMIC };

struct sim_machine {
  unsigned cpus, devices, lanes;
  double speed;         /* of a device that is full: CPU units that are as fast */
  enum sim_curve curve; /* how much of it chunks of x iterations get */
  double a, b;          /* saturating: x / (x + a). logarithmic: a ln x + b, 1 at most */
  double decline, fall; /* above `decline` iterations the speed falls with x ^ -fall; 0: it does not */
  double launch_ns, bytes, bytes_per_ns; /* of a chunk; of an iteration, both ways together */
  double grant_ns;                       /* to get a chunk, on any unit */
  double noise;                          /* standard deviation of the logarithm of each chunk's time */
  uint64_t seed, most;                   /* most: iterations that a chunk on a device can have; 0: any */
};

/* How long a unit takes for from .. to - 1; `number` tells apart the chunks of a run, for the noise. */
double sim_chunk_ns(const struct sim_machine *machine, const struct sim_work *work, unsigned unit,
                    uint64_t from, uint64_t to, uint64_t number);

/* If every unit were at its best all the time, and nothing were left at the end. */
double sim_ideal_ns(const struct sim_machine *machine, const struct sim_work *work);

/* Standard normal, the same for the same arguments. */
double sim_gauss(uint64_t seed, uint64_t number);
double sim_uniform(uint64_t seed, uint64_t number); /* in [0, 1) */

/* --- A run ------------------------------------------------------------------------------------------------
 */

struct sim_failure {
  unsigned unit;
  uint64_t step;
  double ns; /* after the beginning of that time step */
};

struct sim_options {
  struct sim_machine machine;
  struct sim_work work;
  uint64_t steps;
  bool tell_sizes, tell_items; /* iterations' sizes beforehand, their times afterwards */
  struct sim_failure failure[SIM_MOST_FAILURES];
  unsigned failures;
  FILE *map; /* for the chunks of the last time step; NULL: nobody wants them */
};

struct sim_step {
  double ns, ideal_ns;
  double busy_cpu_ns, busy_device_ns;
  uint64_t chunks, device_chunks, on_devices; /* the last in iterations */
  bool settled;                               /* after it */
};

/* Called after each time step. */
typedef void sim_report(void *context, uint64_t step, const struct sim_step *result);

/* All time steps with one schedule. 0 or a negative errno, with *why then. */
int sim_run(struct sim_options *options, const struct ag_schedule_choice *schedule, sim_report *report,
            void *context, const char **why);

#endif /* AG_SIM_H */
