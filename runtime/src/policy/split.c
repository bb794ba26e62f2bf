/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/split.h"

#include <math.h> /* INFINITY; nothing that needs the mathematics library */

/* As long as a side is not known: what CPUs get to be measured. */
#define TRIAL 0.125
/* auto: the part that is left to CPUs until both sides are known. */
#define UNKNOWN 0.5
/* auto: the part that a CPU takes at once of what it could do in time. Others come for theirs, and what is
 * left at the end may go either way. */
#define AT_ONCE 0.5
/* Nor more than this takes: who comes back often sees soon when times are other than was believed. */
#define AT_ONCE_NS 1e6

static double least(double a, double b) { return a < b ? a : b; }

static bool believable(double x) { return x > 0 && x < 1e300; }

void ag_split_told(struct ag_split_state *s, enum ag_side side, double units, double items, double ns) {
  if (!believable(units) || !believable(items) || !believable(ns))
    return;
  s->side[side].units += units;
  s->side[side].items += items;
  s->side[side].ns += ns;
}

/* The part of the work for CPUs, by what all of them and all devices do in the same time; `of` is what is
 * counted on the two sides. */
static double part(const struct ag_split_state *s, const struct ag_split_view *v, double cpu, double device) {
  double cpus = v->cpus * cpu / s->side[AG_SIDE_CPU].ns;
  double devices = v->devices * device / s->side[AG_SIDE_DEVICE].ns;
  return cpus / (cpus + devices);
}

static bool known(const struct ag_split_state *s) {
  return s->side[AG_SIDE_CPU].ns > 0 && s->side[AG_SIDE_DEVICE].ns > 0;
}

struct ag_split_share ag_split_front(enum ag_split_choice choice, struct ag_split_state *s,
                                     const struct ag_split_view *v) {
  struct ag_split_share share = {INFINITY, v->units};
  bool both = known(s);
  if (!both) {
    share.units = (uint64_t)(TRIAL * (double)v->units) + (v->units > 1);
    return share;
  }
  if (choice == AG_SPLIT_COUNT) {
    if (!(s->cpu_part > 0))
      s->cpu_part = part(s, v, s->side[AG_SIDE_CPU].units, s->side[AG_SIDE_DEVICE].units);
    share.units = (uint64_t)(s->cpu_part * (double)v->units + 0.5);
  } else {
    share.items = v->items * part(s, v, s->side[AG_SIDE_CPU].items, s->side[AG_SIDE_DEVICE].items);
  }
  return share;
}

/* How much each of the CPUs with time does until devices have done the rest, when these are known: they need
 * busy + launch + (items - cpus * x) * item for that. */
static double in_time(const struct ag_split_view *v) {
  double device = v->item_ns / (v->devices ? v->devices : 1);
  return (v->busy_ns + v->launch_ns + v->items * device) / (v->cpu_ns + v->cpus * device);
}

static bool both_known(const struct ag_split_view *v) { return v->item_ns > 0 && v->cpu_ns > 0; }

/* So that sums of rounded numbers hold a whole unit. */
static double one_unit(const struct ag_split_view *v) { return v->items / (double)v->units * 1.001; }

double ag_split_leave(const struct ag_split_view *v) {
  if (!v->units || !(v->items > 0) || !v->cpus)
    return 0;
  if (!both_known(v)) /* both get something to know them by; what is left is shared out then */
    return v->busy_ns > 0 ? v->items : UNKNOWN * v->items;
  if (v->sides != AG_SIDES_BOTH)
    return v->sides == AG_SIDES_CPUS ? v->items : 0;
  return least(in_time(v) * v->cpus, v->items);
}

double ag_split_take(const struct ag_split_view *v) {
  if (!v->units || !(v->items > 0))
    return 0;
  if (!both_known(v)) /* one, to know, and because the device may be busy for long */
    return least(one_unit(v), v->items);
  if (v->sides != AG_SIDES_BOTH)
    return v->sides == AG_SIDES_CPUS ? v->items : 0;
  double mean = v->items / (double)v->units, x = in_time(v), take = least(AT_ONCE * x, v->items);
  /* Who is alone with it is back when the device has nothing left to do. */
  take = least(take, (v->cpus < 2 ? least(v->busy_ns, AT_ONCE_NS) : AT_ONCE_NS) / v->cpu_ns);
  /* A single unit that a CPU has done in time is not cut in half. */
  return take < mean && x >= mean ? one_unit(v) : take;
}
