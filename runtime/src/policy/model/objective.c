/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* With the part f of the work for the CPU units the time is T = max(f Tc, (1 - f) Td), and the energy
 * E = T Pidle + f Tc Pc + (1 - f) Td Pd. Both are straight lines in f up to the balance point and behind it.
 * So E is least at 0, 1 or the balance. And so is E T: where both lines rise, or both fall, it does the same;
 * where one rises and the other falls its second derivative 2 E' T' is negative, and it has no minimum in
 * between. */
#include "policy/model/objective.h"
#include "policy/model/numbers.h"

static bool is_power(double x) { return x >= 0 && x < 1e9; }

double ag_objective_balance(double cpus, double devices) { return devices / (cpus + devices); }

double ag_objective_cost(const struct ag_objective *o, double cpus, double devices, double part) {
  double busy_cpus = part * cpus, busy_devices = (1 - part) * devices;
  double time = busy_cpus > busy_devices ? busy_cpus : busy_devices;
  double energy = time * o->idle + busy_cpus * o->cpus + busy_devices * o->devices;
  switch (o->choice) {
  case AG_OBJECTIVE_ENERGY:
    return energy;
  case AG_OBJECTIVE_EDP:
    return energy * time;
  case AG_OBJECTIVE_TIME:
    break;
  }
  return time;
}

/* A side alone must be better by more than what rounding makes. Not both sides are: T is least at the
 * balance, and E, a sum of T and a straight line, is convex, so that it cannot be lower to the left and to
 * the right. */
enum ag_sides ag_objective_sides(const struct ag_objective *o, double cpus, double devices) {
  if (o->choice == AG_OBJECTIVE_TIME || !o->known || !ag_believable(cpus) || !ag_believable(devices) ||
      !is_power(o->idle) || !is_power(o->cpus) || !is_power(o->devices))
    return AG_SIDES_BOTH;
  double both = ag_objective_cost(o, cpus, devices, ag_objective_balance(cpus, devices)) * (1 - 1e-9);
  if (ag_objective_cost(o, cpus, devices, 0) < both)
    return AG_SIDES_DEVICES;
  return ag_objective_cost(o, cpus, devices, 1) < both ? AG_SIDES_CPUS : AG_SIDES_BOTH;
}
