/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* auto: whatever ends sooner. What is measured of the machine (a launch, transfers, a batch, a commit) and
 * known of the program (units that wait, and that are to come before the next pause, as steps repeat
 * themselves) tells when all units are done (policy/batch/course.h) if a launch is made now, of all that wait
 * or of a part, or later, when so many more have come. If the earliest end is that of a launch now it is
 * made; else it is asked again when as many have come as the best one of the later ones waits for.
 *
 * No launch is made for a device that is busy until it needs it: who decides later knows more, and CPUs may
 * have taken some meanwhile. */
#include "policy/batch/course.h"
#include "policy/model/numbers.h"

#include <math.h> /* INFINITY; nothing that needs the mathematics library */

/* ns: other threads that have time look about so often. */
#define LOOK_NS 20e3
/* ns: whoever leaves a busy device to them asks again when that is through, but not before so long. */
#define STILL_NS 50e3
/* ns: as long as nothing is measured the first units wait so long for others that go with them, which is what
 * a few launches take. */
#define TRIAL_NS 50e3
/* Nothing has come for so many times what nine of ten gaps do not exceed: no more is to be expected. */
#define QUIET_GAPS 4
/* Parts into which what waits is cut at most, and points of time that are tried: when the last unit has come,
 * half of what is to come, and so on. */
enum { PARTS = 4, WAITS = 5 };
/* So many units come before it is asked for the first time: from then on it says itself when to ask again. */
enum { AUTO_LOOKS = 64 };
/* The first launch fills the device so often at most, which is enough to know it by. */
#define TRIAL_TIMES 4
/* Bytes that the first launch moves at most, of which nobody knows yet whether it pays: they take a bus of
 * 4 GB/s 2 ms. */
#define TRIAL_BYTES 8e6

static bool known(const struct ag_batch_view *v) { return v->device.item_ns > 0; }

/* --- What is to come -------------------------------------------------------------------------------------
 */

/* All have come before the next pause, or in it. */
static bool complete(const struct ag_batch_state *s) {
  return s->arrivals == s->phase.begun || ag_batch_until_whole(s, s->arrivals) == 0;
}

/* As many are expected as in the step before; if that is not known as many as have come, until none comes.
 * Where launches put off what comes, the step before tells of a pace with them: that of this one may be
 * nearer to the truth. */
static void expect(struct ag_outlook *o, const struct ag_batch_state *s) {
  const struct ag_batch_view *v = o->view;
  double late = s->timed > s->phase.first ? (double)(s->timed - s->phase.first) : 0;
  double pace =
      late > 0 ? (double)(s->last_ns - s->phase.first_ns) / late : (double)ag_gaps_quantile(&s->gaps, 0.5);
  if (complete(s))
    return;
  o->rest = ag_batch_expected(s, v->now_ns);
  if (o->rest > 0) {
    o->gap_ns = late > 0 && !(o->stagers > 0) ? ag_least(s->phase.gap_ns, pace) : s->phase.gap_ns;
    return;
  }
  double since = (double)(int64_t)(v->now_ns - s->last_ns);
  double quiet = QUIET_GAPS * (double)ag_gaps_quantile(&s->gaps, 0.9) + ag_host_ns(&v->host, o->units);
  o->gap_ns = pace;
  o->rest = since <= quiet ? (double)(s->arrivals - s->phase.begun) : 0;
}

static struct ag_outlook outlook(const struct ag_batch_state *s, const struct ag_batch_view *v) {
  struct ag_outlook o = {.view = v, .units = (double)v->waiting};
  o.busy = ag_batch_is_busy(v->event) || v->event == AG_ON_BURST;
  o.active = v->active > 1 ? v->active : 1;
  o.stagers = v->lookers + !o.busy;
  o.end_stagers = ag_most(v->lookers + 1, o.active);
  expect(&o, s);
  /* Of what is to come CPUs get as large a part as of what waits. */
  double part = o.units / (o.units + (double)v->for_cpus);
  o.rest *= part;
  o.gap_ns /= part;
  return o;
}

/* --- The candidates --------------------------------------------------------------------------------------
 */

struct best {
  double ns, units; /* the end; units to launch, or to wait for */
};

/* True: it is the best one so far. */
static bool consider(struct best *b, double ns, double units) {
  if (!(ns < b->ns))
    return false;
  *b = (struct best){ns, units};
  return true;
}

/* A launch now: of all that wait; or of a part, where others may have the rest or it takes another fill, of
 * ever smaller ones as long as they end sooner; in whole fills of the device or not. */
static struct best launch_now(const struct ag_outlook *o) {
  struct best b = {INFINITY, o->units};
  double all = ag_least(o->units, o->enough);
  unsigned parts = o->view->devices > 1 || all > o->fill ? PARTS : 1;
  bool sooner = true;
  for (unsigned k = 1; k <= parts && sooner; k *= 2) {
    double part = (double)ag_whole((all + k - 1) / k), fills = ag_outlook_whole(o, part);
    struct ag_rhythm r = {part, 0, part < o->units ? part : o->enough, o->busy};
    sooner = consider(&b, ag_course_end_ns(o, &r, b.ns), part);
    if (fills < part) {
      r.units = r.most = fills;
      sooner |= consider(&b, ag_course_end_ns(o, &r, b.ns), fills);
    }
  }
  return b;
}

static bool try_later(struct best *b, const struct ag_outlook *o, double more, bool puts_off) {
  struct ag_rhythm r = {o->units + more, more * o->gap_ns, o->enough, puts_off};
  return consider(b, ag_course_end_ns(o, &r, b->ns), more);
}

/* A launch later, if that ends before `ns`: when all has come, or earlier; by another thread, if one has
 * time. Ever longer waits are tried until one that is the best so far is followed by one that is not. */
static struct best launch_later(const struct ag_outlook *o, double ns) {
  struct best b = {ns, 0};
  bool puts_off = o->busy && !(o->stagers > 0);
  if (!(o->rest > 0))
    return b;
  consider(&b, ag_course_late_ns(o), o->rest);
  if (o->busy && !puts_off)
    try_later(&b, o, ag_least(LOOK_NS / o->gap_ns, o->rest), false);
  bool found = false, sooner = true;
  for (int i = WAITS; i-- > 0 && (sooner || !found); found |= sooner)
    sooner = o->rest >= 1 << i && try_later(&b, o, o->rest / (1 << i), puts_off);
  return b;
}

/* --- The decision ----------------------------------------------------------------------------------------
 */

/* Whoever submits leaves launches for a busy device to threads that have time, and goes on. */
static bool for_others(const struct ag_batch_view *v) {
  return v->event == AG_ON_SUBMIT && !v->full && v->lookers && known(v) && v->in_flight && v->free_ns[0] > 0;
}

/* How long the device has enough to do beyond the time of a launch, and until somebody looks again. */
static double spare_ns(const struct ag_batch_view *v) {
  double units = (double)v->waiting, launch = v->host.launch_ns + ag_host_ns(&v->host, units);
  return v->in_flight ? v->free_ns[0] - LOOK_NS - launch - ag_host_ns(&v->in, units) : 0;
}

/* How many trials what waits would be, by the memory it needs. */
static double trials(const struct ag_batch_view *v) {
  return v->filled * ag_most(v->slot_bytes / TRIAL_BYTES, 1);
}

/* As long as nothing is measured: one batch for each device, to know. Idle ones share what waits, but if more
 * comes each gets what fills it. */
static uint64_t trial(const struct ag_outlook *o, const struct ag_batch_state *s) {
  const struct ag_batch_view *v = o->view;
  bool ends = complete(s) || (!v->others && !o->busy);
  bool old = s->oldest_ns && (double)(int64_t)(v->now_ns - s->oldest_ns) >= TRIAL_NS;
  bool due = !v->in_flight && (v->full || old || ends || v->waiting >= v->fill);
  if (!due && v->event != AG_ON_QUIET)
    return 0;
  double all = (double)v->waiting, fill = (double)v->fill, parts = ag_most(v->idle, 1);
  double units = (double)ag_whole((all + parts - 1) / parts);
  if (fill > 0)
    units = ag_within(units, ends ? 0 : ag_least(fill, all), TRIAL_TIMES * fill);
  return (uint64_t)ag_most(1, units / ag_most(1, trials(v)));
}

/* After how many more arrivals it is of use to ask again. */
static uint64_t patience(const struct ag_batch_state *s, double units) {
  return (uint64_t)ag_least(ag_most(units, ag_batch_least_patience(s)), AG_ASK_LATEST);
}

static uint64_t patience_ns(const struct ag_batch_state *s, double ns) {
  double gap = (double)ag_gaps_quantile(&s->gaps, 0.5);
  return patience(s, gap > 0 ? ns / gap : AG_ASK_LATEST);
}

/* It grows by what comes if nobody else could have that. */
static void launches(struct ag_batch_decision *d, const struct ag_batch_view *v, uint64_t units) {
  d->units = units;
  d->most = units >= v->waiting && v->devices <= 1 && !v->for_cpus ? 0 : units;
}

/* Why a launch is made, for reports. */
static enum ag_reason reason(const struct ag_batch_view *v) {
  return v->event == AG_ON_QUIET  ? AG_REASON_AGE
         : v->event == AG_ON_WAIT ? AG_REASON_FLUSH
         : v->in_flight           ? AG_REASON_NO_HIGH_PRIORITY
                                  : AG_REASON_IDLE;
}

static struct ag_batch_decision decide(const struct ag_batch_choice *choice, const struct ag_batch_state *s,
                                       const struct ag_batch_view *v) {
  struct ag_batch_decision d = {.reason = AG_REASON_POLICY};
  bool submits = v->event == AG_ON_SUBMIT;
  (void)choice;
  if (for_others(v)) {
    d.patience = patience_ns(s, ag_most(v->free_ns[0], STILL_NS));
    return d;
  }
  /* Nobody else submits, and this thread has nothing more: it waits, and asks again when it is woken. */
  bool ends =
      v->event == AG_ON_QUIET || (!v->others && (v->event == AG_ON_WAIT || v->event == AG_ON_NOTHING));
  if (known(v) && !v->full && (v->lookers || !ends) && v->event != AG_ON_QUIET && spare_ns(v) > 0) {
    d.patience = submits ? patience_ns(s, spare_ns(v)) : 0;
    return d;
  }
  struct ag_outlook o = outlook(s, v);
  if (v->full && (known(v) || trials(v) <= 1)) {
    ag_outlook_complete(&o);
    launches(&d, v, known(v) ? (uint64_t)launch_now(&o).units : v->waiting);
    d.reason = AG_REASON_FULL;
    d.patience = submits ? patience(s, 0) : 0; /* if no device has room for them */
    return d;
  }
  if (!known(v)) {
    launches(&d, v, trial(&o, s));
    d.reason = reason(v);
    d.patience = submits && !d.units ? patience(s, 0) : 0;
    return d;
  }
  ag_outlook_complete(&o);
  struct best now = launch_now(&o), later = ends ? now : launch_later(&o, now.ns);
  if (now.ns <= later.ns) {
    launches(&d, v, (uint64_t)now.units);
    d.reason = reason(v);
    d.patience = submits ? patience(s, 0) : 0; /* if no device has room for them */
  } else if (submits) {
    d.patience = patience(s, later.units);
    d.patience = o.rest > 1 && (double)d.patience > o.rest ? (uint64_t)o.rest : d.patience;
  }
  return d;
}

const struct ag_batch_policy ag_batch_auto = {.name = "auto",
                                              .decide = decide,
                                              .due = AUTO_LOOKS,
                                              .grows = true,
                                              .timed = true,
                                              .common = true,
                                              .for_others = for_others,
                                              .dear_first = true};
