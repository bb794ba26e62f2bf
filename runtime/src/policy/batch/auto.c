/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* auto: of the time t(n) that n units take of the device, as measured, t(n) - n * what one takes in large
 * batches is lost: the launch, blocks that stay empty, and the end, when only the longest units run. So units
 * wait for more, but an idle device, or one that soon will be, not longer than for a part of the loss, or
 * until nothing has come for a while. Where the loss is small beside t(n), or the units are worth a launch
 * many times over (the knee), they go; a device that has something to do for some time gets them later.
 *
 * Programs repeat their steps: as many units as came between the last two pauses of the thread that submits
 * are expected until the next one, if these were about as many as before, or the first. So it is known
 * whether all have come, which then go at once, and whether all would be done sooner if the launch waited,
 * which it then does. Where no thread has time, launches put off what is still to be submitted, and that
 * counts, too. What is still to come is as long as usual, not as the longest unit that waits, and may go to
 * other devices: so a unit that is longer than usual goes early. And a batch goes so early that what it needs
 * is on the device when that is through with those before it.
 *
 * A thread that has better things to do launches only when it has not done so for many times as long as that
 * takes, or the device needs longer for the units than they took to come. So no size has to be chosen.
 * Several idle devices share what there is. The batch grows until it is launched. */
#include "policy/batch/forecast.h"

#include <math.h> /* INFINITY; nothing that needs the mathematics library */

/* Host time for launches beside the time in which the units come, where the thread is busy. */
#define HOST_PART 0.03
#define HOST_MOST 0.5
/* The knee: a launch costs this part of the batch's time. */
#define LAUNCH_PART 0.05
/* What may be lost of a batch's time. */
#define LOSS_PART 0.3
/* An idle device waits for this part of what would be lost. */
#define WAIT_PART 0.5
/* Other threads that have time come so often. */
#define LOOKERS_NS 100e3
/* Whoever leaves a busy device to them sees so often whether they still have time. */
#define STILL_NS 50e3
/* What is complete waits for a device with more to do than that: CPUs that have time may take some. */
#define HELD_NS 50e3
/* Several threads stage at once what has come: that is waited for, up to so many launches. */
#define TOGETHER 4
/* Of threads that submit the one launches that has at least this part of its share of what they have. */
#define TURN 0.8
/* Several devices lose more than one: that counts so much, as what is still to come wants them. */
#define WASTE_PART 0.5
/* A quiet FIFO: no arrival in so many times what nine of ten gaps do not exceed. */
#define QUIET_GAPS 4
#define LATENCY_CAP_NS 2e6
/* So many points of time are tried for a launch. */
#define TRIES 8
/* As long as nothing is measured: what a launch takes, and how many of these the first units wait. */
#define HOST_NS 10e3
#define FIRST_HOSTS 5
enum { IN_FLIGHT = 2, FILLS = 4, LONGEST = 2, BUSY_MOST = 4 };

static double host_ns(const struct ag_batch_view *v) {
  double ns = ag_host_ns(&v->host, (double)v->waiting);
  return ns > 0 ? ns : HOST_NS;
}

static bool known(const struct ag_batch_view *v) { return v->device.item_ns > 0; }

/* Items beside which a launch is of no importance, nor what it takes of a thread where none has time; 0: that
 * is not known, or it is of none anyway. */
static double by_launch(const struct ag_batch_view *v) {
  double launch = v->device.launch_ns + (v->lookers ? 0 : v->host.launch_ns + v->commit.launch_ns);
  return known(v) ? launch / v->device.item_ns * (1 - LAUNCH_PART) / LAUNCH_PART : 0;
}

/* Where blocks are all there is to fill, a few times as many as are resident level out their differences; and
 * when one unit takes much longer than the others, as much work again as all blocks could do meanwhile. */
static double by_fill(const struct ag_batch_view *v) {
  return (double)v->fill * ag_most(FILLS * ag_batch_mean(v), LONGEST * v->longest);
}

/* Items at which a launch costs so little beside them that more win nothing. */
static double knee(const struct ag_batch_view *v) {
  double launch = by_launch(v), fill = by_fill(v);
  double items = launch > 0 && fill > 0 ? ag_least(launch, fill) : ag_most(launch, fill);
  return known(v) && items > 0 ? items : INFINITY;
}

static double age_ns(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  return s->oldest_ns && v->now_ns > s->oldest_ns ? (double)(v->now_ns - s->oldest_ns) : 0;
}

/* More than that in one batch win nothing, and their staging keeps the device waiting. */
static uint64_t enough(const struct ag_batch_view *v) {
  double units = ag_most(by_launch(v), by_fill(v)) / ag_batch_mean(v);
  return units > 0 && units < 1e18 ? (uint64_t)(units * (1 - 1e-9)) + 1 : UINT64_MAX; /* rounded up */
}

/* The part of their time that devices need for what comes, in good batches. */
static double load(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double n = (double)v->waiting, good = ag_most(n, ag_least((double)enough(v), 1e15)), age = age_ns(s, v);
  double devices = v->devices > 1 ? v->devices : 1;
  return age > 0 && known(v) ? ag_batch_time_ns(v, good) / good * n / age / devices : 1;
}

/* How old the oldest unit must be before a busy thread stops to launch: there is no hurry where devices keep
 * pace with it. Where no other one has time it has to stage the units sooner or later: that is no part of
 * what it costs to launch them now. */
static double worth_ns(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double host = v->lookers || !(v->host.launch_ns > 0) ? host_ns(v) : v->host.launch_ns;
  double part = load(s, v);
  double worth = host / ag_least(ag_most(HOST_PART, HOST_MOST * part * part * part), HOST_MOST);
  return v->lookers ? ag_most(worth, LOOKERS_NS) : worth;
}

/* Somebody waits, or has nothing else to do. */
static bool ends(const struct ag_batch_view *v) {
  return v->event == AG_ON_WAIT || v->event == AG_ON_NOTHING || v->event == AG_ON_NO_HIGH;
}

/* No more is to be expected soon. */
static bool quiet(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double gap = QUIET_GAPS * (double)ag_gaps_quantile(&s->gaps, 0.9);
  double enough = ag_least(ag_most(gap, host_ns(v)), LATENCY_CAP_NS);
  return v->now_ns > s->last_ns && (double)(v->now_ns - s->last_ns) > enough;
}

/* What is lost with these units, or those of them that fill the device so and so often. */
static double loss_ns(const struct ag_batch_view *v) {
  double n = (double)(v->fill && v->waiting > v->fill ? v->waiting / v->fill * v->fill : v->waiting);
  return ag_most(0, ag_batch_time_ns(v, n) - n * ag_batch_mean(v) * v->device.item_ns);
}

static bool small_loss(const struct ag_batch_view *v) {
  if (!known(v))
    return v->fill && v->waiting >= (v->in_flight ? FILLS : 1) * v->fill;
  return loss_ns(v) <= LOSS_PART * ag_batch_time_ns(v, (double)v->waiting);
}

/* Of a busy device: until it has to get what is there, if that is to be on it when it is through. */
static double spare_ns(const struct ag_batch_view *v) {
  return ag_batch_busy_ns(v) - AG_HOSTS_AHEAD * host_ns(v) - ag_host_ns(&v->in, (double)v->waiting);
}

/* The device will soon have nothing to do, or has not. */
static bool soon_idle(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double gap = (double)ag_gaps_quantile(&s->gaps, 0.5);
  return spare_ns(v) <= ag_batch_least_patience(s) * gap;
}

/* It needs them soon, and the units have waited for as long as they would lose.
 * As long as nothing is known of it, one batch has to be complete before it is given the next one for that.
 */
static bool needs_some(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  if (!known(v))
    return !v->in_flight && age_ns(s, v) >= FIRST_HOSTS * HOST_NS;
  return soon_idle(s, v) && age_ns(s, v) >= WAIT_PART * loss_ns(v);
}

/* All have come before the next pause, or in it. */
static bool complete(const struct ag_batch_state *s) {
  return s->arrivals == s->phase.begun || ag_batch_until_whole(s, s->arrivals) == 0;
}

/* Until then, or until so many have come, the answer stays what it is. */
struct wait {
  double ns, units;
};

/* By then a busy device will soon be idle, or others may have found something else to do. */
static double until_idle(const struct ag_batch_view *v) {
  return v->lookers ? ag_most(spare_ns(v), STILL_NS) : spare_ns(v);
}

/* After how many more arrivals it is of use to ask again. */
static uint64_t patience(const struct ag_batch_state *s, const struct ag_batch_view *v,
                         const struct wait *wait) {
  double gap = (double)ag_gaps_quantile(&s->gaps, 0.5), rest = ag_batch_expected(s, v->now_ns);
  double n = ag_least(gap > 0 ? wait->ns / gap : AG_ASK_AGAIN, wait->units);
  n = ag_least(ag_most(n, ag_batch_least_patience(s)), AG_ASK_LATEST);
  return (uint64_t)(rest > 0 ? ag_least(n, rest) : n);
}

/* All have come, and so many idle devices may get less than they could run at a time: as many threads have
 * time, or this one has nothing else to do. */
static bool at_once(const struct ag_batch_state *s, const struct ag_batch_view *v, unsigned devices) {
  return complete(s) && !v->in_flight &&
         (devices <= ag_batch_stagers(v) || v->event == AG_ON_WAIT || v->event == AG_ON_NOTHING);
}

/* Over how many devices n units are spread, so that all have done as soon as possible if one after the other
 * is given its part, or several at once by threads that have time: those that have nothing to do; or all, for
 * they are about as busy, when there is none and nothing more comes, or there is enough for each. */
static unsigned spread(const struct ag_batch_state *s, const struct ag_batch_view *v, uint64_t n) {
  unsigned best = 1;
  double soonest = INFINITY;
  for (unsigned m = 1; m <= (v->in_flight ? v->devices : v->idle); ++m) {
    uint64_t each = (n + m - 1) / m;
    double batch = known(v) ? ag_batch_time_ns(v, (double)each) : (double)each * HOST_NS;
    double wasted = known(v) && !complete(s) ? ag_most(0, m * batch - ag_batch_time_ns(v, (double)n)) : 0;
    unsigned stagers = complete(s) ? ag_batch_stagers(v) : 1 + v->lookers;
    unsigned rounds = (m + stagers - 1) / stagers; /* others stage at the same time */
    double ns = rounds * ag_host_ns(&v->host, (double)each) + ag_host_ns(&v->in, (double)each) + batch +
                WASTE_PART * wasted;
    bool few = v->in_flight && !complete(s) && known(v) && each < enough(v);
    if (m > 1 && ((each < v->fill && !at_once(s, v, m)) || few))
      break;
    if (ns < soonest) {
      soonest = ns;
      best = m;
    }
  }
  return best;
}

/* While the first batch is staged and copied, and the last one committed, the device has nothing to do: so
 * many units in each, that this, and what is lost with each batch, take the least. What is staged while the
 * device is busy costs nothing. */
static double in_time(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double all = (double)v->waiting + ag_batch_expected(s, v->now_ns), in = v->in.unit_ns,
         unit = v->host.unit_ns + v->commit.unit_ns + in + v->out.unit_ns;
  double square = all * (ag_most(loss_ns(v), v->device.launch_ns) + v->host.launch_ns) / unit, n = all;
  if (!(v->host.unit_ns > 0) || !known(v))
    return INFINITY;
  for (int i = 0; i < 64 && n * n > square * 1.01; ++i) /* Newton's square root, from above */
    n = (n + square / n) / 2;
  return ag_most(ag_most(n, (double)v->fill),
                 (ag_batch_busy_ns(v) - v->host.launch_ns - v->in.launch_ns) / (v->host.unit_ns + in));
}

/* What so many units take, in what an item takes: as long as nothing else is known. */
static double waves(const struct ag_batch_view *v, uint64_t n) {
  struct ag_batch_times times = {.item_ns = 1, .fill = (double)v->fill, .form = AG_FORM_WAVES};
  return ag_times_longest(&times, (double)n, (double)n * ag_batch_mean(v), v->longest);
}

/* n units of those that wait, or those that fill a device once or more: fewer when the rest would take a wave
 * of its own, and others may come that go with it; more when other devices get the rest, and blocks of this
 * one would stay empty. */
static uint64_t whole(const struct ag_batch_state *s, const struct ag_batch_view *v, uint64_t n,
                      bool shared) {
  uint64_t down = v->fill ? n / v->fill * v->fill : n, up = down < n ? down + v->fill : n;
  double longer = ag_batch_time_ns(v, (double)up) - ag_batch_time_ns(v, (double)n);
  bool more = n < v->waiting || (!ends(v) && !complete(s));
  if (!known(v))
    return down && more && waves(v, down) < waves(v, n) ? down : n;
  if (v->lookers) /* else this thread stages them anyway */
    longer += (double)(up - n) * v->host.unit_ns;
  if (shared && complete(s) && (v->waiting + up - 1) / up >= (v->waiting + n - 1) / n) /* no fewer launches */
    return n;
  if (shared)
    return up <= v->waiting && longer < v->device.launch_ns ? up : n;
  return down && more &&
                 ag_batch_time_ns(v, (double)n) - ag_batch_time_ns(v, (double)down) > v->device.launch_ns
             ? down
             : n;
}

/* At least one: somebody may wait. */
static uint64_t at_most(uint64_t n, double most) { return (double)n > most ? (uint64_t)ag_most(most, 1) : n; }

/* So many units that this device is done when the others are, if these share the rest of all that waits and
 * comes; no limit where that is not known. */
static double fair(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double unit = ag_batch_mean(v) * v->device.item_ns,
         all = (double)v->waiting + ag_batch_expected(s, v->now_ns);
  if (v->devices < 2 || !known(v) || !(all > (double)v->waiting || complete(s)))
    return INFINITY;
  double end = (v->all_busy_ns + ag_forecast_cost(s, v, 0, all) * v->device.item_ns) / v->devices;
  return ag_most((end - v->busy_ns) / unit, at_once(s, v, v->idle) ? 1 : (double)v->fill);
}

/* How many of these units to launch now: a part of them where several devices are idle; not more than this
 * one's share; not so many that their staging keeps the device waiting; as many as fill it once or more, if
 * others may come. */
static uint64_t part(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  unsigned devices = spread(s, v, v->waiting);
  uint64_t n = (v->waiting + devices - 1) / devices;
  if (v->in_flight && complete(s) && fair(s, v) < INFINITY)
    n = v->waiting;
  if (n / (v->in_flight ? BUSY_MOST : 2) >= enough(v))
    n = (v->in_flight ? BUSY_MOST : 1) * enough(v);
  n = at_most(at_most(n, in_time(s, v)), fair(s, v));
  return whole(s, v, n, devices > 1);
}

/* How many launches it may be until several threads stage at once what has come. All that devices have blocks
 * for at a time takes as long as a part of it, so an earlier launch only holds up a thread that submits. */
static double together(const struct ag_batch_view *v, double all) {
  if (v->active < 2)
    return 1;
  return all <= (double)v->fill * v->devices && !ag_batch_helped(v) ? INFINITY : TOGETHER;
}

/* The device would have done its part of the units sooner if the launch waited for more, even if others help
 * with what follows a launch now, and nobody with what follows a later one. */
static bool too_early(const struct ag_batch_state *s, const struct ag_batch_view *v, double *until) {
  double n = (double)v->waiting, rest = ag_batch_expected(s, v->now_ns), gap = s->phase.gap_ns;
  if (!known(v) || !(rest > 0))
    return false;
  *until = rest;
  if (ag_batch_in_no_time(rest * gap, host_ns(v)))
    return true;
  struct ag_rest all = {n + rest, gap, rest * gap, 1};
  if (v->devices > 1 && all.come_ns <= together(v, all.units) * host_ns(v) &&
      ag_forecast_ns(s, v, &all, 0, 0, false) < ag_forecast_ns(s, v, &all, (double)part(s, v), 0, true))
    return true;
  unsigned parts = spread(s, v, (uint64_t)(n + rest));
  if (parts > 1 && !ag_batch_helped(v) && ag_forecast_is_far(v, &all)) {
    all.devices = parts;
  } else {
    rest = (n + rest) / parts - n;
    if (!(rest > 0))
      return false;
    all = (struct ag_rest){n + rest, gap, rest * gap, 1};
  }
  double without = ag_forecast_ns(s, v, &all, (double)part(s, v), 0, parts == 1);
  double more =
      ag_batch_helped(v) ? rest : ag_least(rest, (double)enough(v) - n); /* a launch takes no more */
  for (unsigned i = 1; i <= TRIES && more > 0; ++i)
    if (ag_forecast_ns(s, v, &all, n + more * i / TRIES, more * gap * i / TRIES, false) < without) {
      *until = more * i / TRIES;
      return true;
    }
  return false;
}

static bool for_others(const struct ag_batch_view *v) {
  return v->event == AG_ON_SUBMIT && !v->full && v->lookers && known(v) && ag_batch_busy_ns(v) > 0;
}

/* It is another one's turn to launch: of threads that have nothing but their units to submit none is to fall
 * behind. What those left that submit no more is nobody's share, else all could leave it to one another. Not
 * where it takes longer than a launch until another one asks, nor for long: the others may be busy with other
 * things. */
static bool others_turn(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  double gap = (double)ag_gaps_quantile(&s->gaps, 0.5);
  return !v->full && v->active > 1 && !v->lookers && !complete(s) && age_ns(s, v) <= LATENCY_CAP_NS &&
         ag_batch_least_patience(s) * gap <= host_ns(v) &&
         (double)v->own * v->active < TURN * (double)v->submitted;
}

/* Whether to launch now, and why; or until when not. */
static bool now(const struct ag_batch_state *s, const struct ag_batch_view *v, enum ag_reason *reason,
                struct wait *until) {
  *reason = v->full ? AG_REASON_FULL : AG_REASON_AGE;
  *until = (struct wait){until_idle(v), INFINITY};
  if (v->full || v->event == AG_ON_QUIET)
    return true;
  double age = age_ns(s, v);
  *reason = v->event == AG_ON_WAIT ? AG_REASON_FLUSH
            : v->in_flight         ? AG_REASON_NO_HIGH_PRIORITY
                                   : AG_REASON_IDLE;
  bool room = v->in_flight < IN_FLIGHT, others = v->event == AG_ON_SUBMIT && v->lookers;
  bool free = !v->lookers || spare_ns(v) <= HELD_NS;
  if (free && (v->event == AG_ON_WAIT || (complete(s) && !others)))
    return true;
  /* There is time, and somebody will ask again. */
  if (v->in_flight && known(v) && !soon_idle(s, v) &&
      (v->lookers || !room || ag_batch_expected(s, v->now_ns) > 0))
    return false;
  if (for_others(v)) /* they launch, and this thread goes on */
    return false;
  until->ns = INFINITY;
  if (v->event != AG_ON_NOTHING && too_early(s, v, &until->units))
    return false;
  until->units = INFINITY;
  if (v->event == AG_ON_SUBMIT && age < worth_ns(s, v)) {
    *reason = AG_REASON_POLICY;
    *until = (struct wait){worth_ns(s, v) - age, (knee(v) - v->items) / ag_batch_mean(v)};
    return !(others && age < LOOKERS_NS) && v->items >= knee(v);
  }
  bool busy = known(v) && ag_batch_busy_ns(v) > 0;
  *until = v->lookers ? (struct wait){LOOKERS_NS, INFINITY}
                      : (struct wait){busy ? until_idle(v) : INFINITY, ag_batch_grown(v)};
  if (!room)
    return known(v) && small_loss(v);
  bool later = v->in_flight && (!known(v) || spare_ns(v) > LATENCY_CAP_NS);
  if (small_loss(v))
    return true;
  if (later && v->lookers && !known(v))
    return false;
  return (age > LATENCY_CAP_NS && !later) || (v->event != AG_ON_SUBMIT && (ends(v) || quiet(s, v))) ||
         needs_some(s, v);
}

/* To how many units a batch may grow while it is staged: other devices get their share, and this one gets it
 * in time, though what has joined is staged anew. Where some are left to CPUs what comes is shared out anew,
 * and these do not wait for a device that has got all of it. */
static uint64_t to_grow(const struct ag_batch_state *s, const struct ag_batch_view *v, uint64_t n) {
  double most = ag_least(ag_least((double)enough(v), in_time(s, v)), fair(s, v));
  most = v->for_cpus ? ag_least(most, (double)v->waiting) : most;
  return most > (double)n ? (uint64_t)ag_least(most, 1e18) : n;
}

static struct ag_batch_decision decide(const struct ag_batch_choice *choice, const struct ag_batch_state *s,
                                       const struct ag_batch_view *v) {
  struct ag_batch_decision d = {.reason = AG_REASON_POLICY};
  struct ag_batch_view look = *v;
  struct wait until = {0};
  bool submits = v->event == AG_ON_SUBMIT;
  (void)choice;
  if (v->event == AG_ON_WHOLE) {
    look.event = AG_ON_SUBMIT; /* as if it did submit */
    v = &look;
  } else if (v->others && !submits && v->event != AG_ON_QUIET && !quiet(s, v)) {
    /* This thread has no more, but others have; or it has better things to do, as if it did submit. */
    look.event = v->event == AG_ON_BURST ? AG_ON_SUBMIT : AG_ON_LOOK;
    v = &look;
  }
  bool due = v->waiting && now(s, v, &d.reason, &until);
  if (due && submits && others_turn(s, v)) {
    until = (struct wait){0, 0};
    d.reason = AG_REASON_POLICY;
  } else if (due) {
    d.units = part(s, v);
    until = (struct wait){0, 0}; /* if no device has room for them */
    d.most = d.units < v->waiting ? d.units : to_grow(s, v, d.units);
    if (d.units < v->waiting || d.most >= v->waiting + (v->fill ? v->fill : 1))
      d.worth = (struct ag_batch_worth){ag_batch_mean(v), v->fill};
  }
  if (submits)
    d.patience = patience(s, v, &until);
  return d;
}

const struct ag_batch_policy ag_batch_auto = {.name = "auto",
                                              .decide = decide,
                                              .grows = true,
                                              .timed = true,
                                              .common = true,
                                              .for_others = for_others,
                                              .dear_first = true};
