/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the policies minimise (AGGLOM_OBJECTIVE): which side gets work so that time, energy or the product of
 * the two is least. Like all policies without threads, clock or device. */
#ifndef AG_OBJECTIVE_H
#define AG_OBJECTIVE_H

#include "sys/env.h" /* enum ag_objective_choice */
#include <stdbool.h>

/* Powers in watts. All zero: not known, and time is minimised. */
struct ag_objective {
  enum ag_objective_choice choice;
  bool known;
  double idle;          /* of everything, always */
  double cpus, devices; /* beyond that, of a side at work: all CPU units, all devices */
};

/* Work is shared by both sides so that they end together, or one of them does all of it. */
enum ag_sides { AG_SIDES_BOTH = 0, AG_SIDES_CPUS, AG_SIDES_DEVICES };

/* What it costs that the CPU units get this part (0 to 1) of the work and the devices the rest. cpus,
 * devices: the time in which a side does all of it alone. In s, J or Js when times are in s. */
double ag_objective_cost(const struct ag_objective *o, double cpus, double devices, double part);

/* The part for the CPU units with which both sides end together. */
double ag_objective_balance(double cpus, double devices);

/* Who is to do the work so that this costs least. BOTH, too, where something is not known. */
enum ag_sides ag_objective_sides(const struct ag_objective *o, double cpus, double devices);

#endif /* AG_OBJECTIVE_H */
