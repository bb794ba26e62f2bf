/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/split/split.h"
#include "policy/model/numbers.h"

#include <math.h> /* INFINITY; nothing that needs the mathematics library */

/* As long as a side is not known: what CPUs get to be measured. */
#define TRIAL 0.125
/* auto: the part that is left to CPUs until both sides are known. */
#define UNKNOWN 0.5
/* auto: the part that a CPU takes at once of what it could do in time. Others come for theirs, and what is
 * left at the end may go either way. */
#define AT_ONCE 0.5
/* auto, ns: nor more than takes so long: who comes back often sees soon when times are other than was
 * believed. */
#define AT_ONCE_NS 1e6
/* auto, ns: of all CPUs that take some, one comes back so often, and launches what is due. With 4 of them
 * each takes what it runs in 200 us. */
#define COMES_BACK_NS 50e3
/* auto: a device of which nothing is known is tried with a unit when CPUs have spent so many times what that
 * is believed to take. */
#define TRIES 4
/* auto: blocks that would stay empty are filled if it takes no longer than this part of the time to stage and
 * to send what fills them. */
#define FILLING 0.1
/* So little of a unit is the first one, whatever that costs. */
#define FIRST_UNIT 1e-9

void ag_split_told(struct ag_split_state *s, enum ag_side side, double units, double items, double ns) {
  if (!ag_believable(units) || !ag_believable(items) || !ag_believable(ns))
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
    share.units = ag_whole(s->cpu_part * (double)v->units + 0.5);
  } else {
    share.items = v->items * part(s, v, s->side[AG_SIDE_CPU].items, s->side[AG_SIDE_DEVICE].items);
  }
  return share;
}

/* --- auto ----------------------------------------------------------------------------------------------- */

static double mean(const struct ag_split_view *v) { return v->items / (double)v->units; }

/* What CPUs do when they do so many units, from the front. */
static double front(const struct ag_split_view *v, uint64_t units) {
  return ag_sizes_of_largest(v->sizes, units);
}

/* What devices do when they do so many: the last ones, and like these all if there were more. */
static double behind(const struct ag_split_view *v, uint64_t units) {
  return units < v->units ? ag_most(v->items - front(v, v->units - units), 0) : (double)units * mean(v);
}

/* The longest of those. */
static double longest_behind(const struct ag_split_view *v, uint64_t units) {
  uint64_t for_cpus = units < v->units ? v->units - units : 0;
  return ag_sizes_longest_behind(v->sizes, ag_sizes_largest(v->sizes, for_cpus));
}

/* How the units are shared out, so that all is done as soon as it can be: units for devices, at least and at
 * most, and when that is. Between the two only blocks are filled that would stay empty. */
struct plan {
  struct ag_batch_times times;
  double ns;
  uint64_t least, most;
};

static bool any_busy(const struct ag_split_view *v) { return v->idle < v->devices; }

/* Those that share what is launched now: the others get something when they have time again. */
static unsigned devices(const struct ag_split_view *v) { return v->idle ? v->idle : v->devices; }

/* When devices have done so many units and these are committed. Batches before them keep busy what takes them
 * longest, so from there on they wait: for copies to the device, its blocks, or copies back. */
static double on_devices(const struct ag_split_view *v, const struct plan *p, uint64_t units) {
  if (!units)
    return 0;
  double each = ag_most((double)units / devices(v), 1), cost = behind(v, units) / (double)units;
  double in = ag_host_ns(&v->in, each), out = ag_host_ns(&v->out, each),
         run = ag_times_longest(&p->times, each, each * cost, longest_behind(v, units));
  struct ag_slowest slowest = ag_times_slowest(in, run, out);
  double begin = ag_most(v->busy_ns, ag_host_ns(&v->host, each) + slowest.before_ns);
  return begin + slowest.ns + slowest.behind_ns + ag_host_ns(&v->commit, each);
}

/* When CPU units have done so much work: those that have time now alone, or with the others if that is
 * sooner. */
static double when(const struct ag_split_cpus *c, double ns) {
  double alone = c->ready ? ns / c->ready : INFINITY;
  return ag_least(alone, (ns + c->begun_ns) / (c->ready + c->others));
}

/* When CPUs have done so many of the units, and all that waits besides, and launched and committed the
 * others. Of other FIFOs they do as large a part. What is not worth moving one of them does. */
static double on_cpus(const struct ag_split_view *v, uint64_t units) {
  const struct ag_split_cpus *c = &v->load;
  double unit = mean(v) * v->cpu_ns, own = front(v, units) * v->cpu_ns;
  double others = (double)(v->units - units);
  double host = others > 0 ? ag_host_ns(&v->host, others) + ag_host_ns(&v->commit, others) : 0;
  double before = own * (1 + c->more) + c->ready_ns + c->before_ns + host;
  double done = ag_most(when(c, before), ag_most(unit, ag_least(own, AG_CPU_WORTH_NS)));
  double all = when(c, before + c->after_ns);
  return units ? ag_most(done, all) : all;
}

/* What staging and copies take longer with so many units more. */
static double staged_more(const struct ag_split_view *v, uint64_t units) {
  return (v->host.unit_ns + v->in.unit_ns + v->out.unit_ns) * (double)units / devices(v);
}

static struct plan plan(const struct ag_split_view *v) {
  struct plan p = {.times = ag_times_believed(v->device, v->cpu_ns)};
  /* The fewest units with which devices end no sooner than CPUs do with the rest. */
  uint64_t low = 0, high = v->units;
  while (low < high) {
    uint64_t k = low + (high - low) / 2;
    if (on_devices(v, &p, k) >= on_cpus(v, v->units - k))
      high = k;
    else
      low = k + 1;
  }
  p.ns = ag_most(on_devices(v, &p, low), on_cpus(v, v->units - low));
  p.least = low;
  if (low && on_cpus(v, v->units - (low - 1)) < p.ns) {
    p.ns = on_cpus(v, v->units - (low - 1));
    p.least = low - 1;
  }
  if (on_cpus(v, v->units) <= p.ns) { /* without a launch */
    p.ns = on_cpus(v, v->units);
    p.least = 0;
  }
  for (low = p.least, high = v->units; low < high;) {
    uint64_t k = low + (high - low + 1) / 2;
    double more = staged_more(v, k - p.least);
    if (more <= FILLING * p.ns && on_devices(v, &p, k) - more <= p.ns * (1 + 1e-9)) /* but for rounding */
      low = k;
    else
      high = k - 1;
  }
  p.most = p.least || on_cpus(v, v->units - low) <= p.ns ? low : 0;
  return p;
}

static bool both_known(const struct ag_split_view *v) {
  return v->cpu_ns > 0 && (v->device.item_ns > 0 || v->device.fill > 0);
}

/* Nothing is known of the device, and it is time to find out. */
static bool tries(const struct ag_split_view *v) {
  if (v->device.item_ns > 0 || any_busy(v))
    return false;
  struct ag_batch_times times = ag_times_believed(v->device, v->cpu_ns);
  return v->spent_ns > TRIES * ag_times_longest(&times, 1, mean(v), ag_sizes_longest(v->sizes));
}

/* The view with the thread that submits among the CPU units, if that may be back in time. */
static struct ag_split_view with_submitter(const struct ag_split_view *v) {
  struct ag_split_view w = *v;
  struct plan p = {.times = ag_times_believed(v->device, v->cpu_ns)};
  if (v->load.may_be_ns > 0 && (!both_known(v) || on_devices(v, &p, v->units) > v->load.may_be_ns))
    ag_split_will_be_back(&w.load, v->load.may_be_ns);
  return w;
}

static double leave(const struct ag_split_view *v) {
  unsigned there = v->load.ready + v->load.others;
  if (!there || (!both_known(v) && there == v->load.submits))
    return 0;
  /* Both get something to know them by, CPUs first, of which a unit takes no more than one; what is left is
   * shared out then. */
  if (!(v->cpu_ns > 0))
    return INFINITY;
  if (!both_known(v))
    return any_busy(v) ? INFINITY : UNKNOWN * v->items;
  if (v->sides != AG_SIDES_BOTH)
    return v->sides == AG_SIDES_CPUS ? INFINITY : 0;
  uint64_t most = plan(v).most;
  if (!most && tries(v))
    most = 1;
  return most ? front(v, v->units - most) : INFINITY;
}

double ag_split_leave(const struct ag_split_view *v) {
  if (!v->units || !(v->items > 0))
    return 0;
  struct ag_split_view w = with_submitter(v);
  return leave(&w);
}

double ag_split_take(const struct ag_split_view *v) {
  if (!v->units || !(v->items > 0))
    return 0;
  if (!both_known(v)) /* one, to know, and because the device may be busy for long */
    return FIRST_UNIT * mean(v);
  if (v->sides != AG_SIDES_BOTH)
    return v->sides == AG_SIDES_CPUS ? v->items : 0;
  struct ag_split_view w = *v;
  w.load.ready += !v->load.ready; /* the one that asks */
  struct plan p = plan(&w);
  uint64_t rest = v->units - p.least;
  /* What a CPU does until all have done their part. */
  double all = front(v, rest), each = ag_least(all, on_cpus(&w, rest) / v->cpu_ns);
  double back = ag_least(COMES_BACK_NS * w.load.ready, AT_ONCE_NS);
  double take = ag_least(AT_ONCE * each, back / v->cpu_ns);
  return ag_most(take, ag_least(all, AG_CPU_WORTH_NS / v->cpu_ns));
}

bool ag_split_worth(double cpu_ns, double items) {
  return !(cpu_ns > 0) || items * cpu_ns >= AG_CPU_WORTH_NS;
}
