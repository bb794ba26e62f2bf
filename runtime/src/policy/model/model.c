/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/model/model.h"
#include "policy/model/numbers.h"

/* What was known counts that much after each measurement: some 16 of them are remembered. */
#define KEPT 0.94
/* A measurement counts as this many times what was expected at most, once some are known. */
#define SPIKE 3.0
/* Another form is taken when its sum of squares is below BETTER times the present one's, less BETTER_BY for
 * each batch remembered. */
#define BETTER 0.7
#define BETTER_BY 1e-4
/* Where no batch had more units than blocks, a long launch explains the times as well as slow blocks do. So
 * the square of the launch's part of the time, times this, is added to the sum of squares. */
#define LONG_LAUNCH 0.01
enum { TRUSTED = 3 };
/* From so many batches on, a device's own model counts more than that of others like it. */
enum { SELF = 8 };
/* Sizes are alike when their variance is less than this part of their mean square: that they differ by a
 * sixth is not enough, where noise and empty blocks hide what it does. */
#define ALIKE 0.03
/* As long as one size is known, a launch, a transfer or a commit is taken to take as long besides its units
 * as so many of them do, but no longer than this: a trial of a single one says little of what a hundred take.
 */
#define BESIDES 16
#define BESIDES_NS 10e3
/* A device of which nothing is known. */
#define PRIOR_LAUNCH_NS 50e3
#define PRIOR_BLOCK 16
/* Shorter times say little, as clocks go: they are added to the next ones. */
#define BRIEF_NS 1e3

void ag_model_cpu(struct ag_model *m, double items, double ns) {
  if (!ag_believable(items) || !ag_believable(ns))
    return;
  m->cpu_spent += ns;
  m->brief_items += items;
  m->brief_ns += ns;
  if (m->brief_ns < BRIEF_NS)
    return;
  double now = m->brief_ns / m->brief_items;
  m->brief_items = m->brief_ns = 0;
  if (m->cpu_known >= TRUSTED && now > SPIKE * m->cpu_ns)
    now = SPIKE * m->cpu_ns;
  /* Early measurements are means, so that the first, which is often the slowest, does not stay. */
  double weight = m->cpu_known < 8 ? 1.0 / (double)(m->cpu_known + 1) : 1.0 / 8;
  m->cpu_ns += weight * (now - m->cpu_ns);
  ++m->cpu_known;
}

/* The items that count, with empty blocks: as a block runs one unit at a time, all of them are as busy as the
 * one that has the longest. */
static const double part_of_fill[AG_N_FORMS] = {1, 0.5, 0.25, 0.125, 0.0625, 0, 1};

static double counted(enum ag_batch_form form, double fill, double units, double items, double longest) {
  if (!(fill > 0) || !(units > 0))
    return items;
  double waves = units / fill;
  if (form == AG_FORM_WAVES && waves < 1e9) {
    double whole = (double)(uint64_t)waves;
    items *= (whole + (whole < waves)) / waves;
  }
  return ag_most(items, part_of_fill[form] * fill * longest);
}

/* The line through what is known, and what is left of the squares of relative errors. When all sizes are
 * alike nothing tells launch and items apart: then the launch stays what it was, up to half of the time. An
 * item costs something, and a launch nothing less than nothing. */
static double fit(const struct ag_device_model *m, enum ag_batch_form form, double *launch, double *item) {
  double v = m->sum[form].rv, vv = m->sum[form].vv, uv = m->sum[form].uv;
  double det = m->uu * vv - uv * uv, mean = m->rr / m->ru;
  double a = ag_least(m->times.launch_ns, mean / 2);
  if (det > ALIKE * m->uu * vv)
    a = (m->ru * vv - v * uv) / det;
  a = ag_least(ag_most(a, 0), 0.98 * mean);
  double b = ag_most((v - a * uv) / vv, 0.02 * v / vv);
  *launch = a;
  *item = b;
  double part = a / mean;
  return LONG_LAUNCH * part * part + m->rr - 2 * a * m->ru - 2 * b * v + a * a * m->uu + 2 * a * b * uv +
         b * b * vv;
}

static void fit_best(struct ag_device_model *m) {
  double launch, item;
  double now = fit(m, m->times.form, &launch, &item), best = BETTER * now - BETTER_BY * m->weight;
  for (enum ag_batch_form f = 0; f < AG_N_FORMS; ++f) {
    double a, b, left = fit(m, f, &a, &b);
    if (left >= best || m->known < TRUSTED)
      continue;
    best = left;
    m->times.form = f;
    launch = a;
    item = b;
  }
  m->times.launch_ns = launch;
  m->times.item_ns = item;
}

/* Least squares; as long as the numbers of units hardly differ, `part` of the time is for them. What takes no
 * time now and then is no spike when it takes as much as before. */
static void fit_host(struct ag_host_sums *sums, struct ag_host_times *host, double units, double ns,
                     double part) {
  double expected = ag_host_ns(host, units);
  if (!(ns >= 0 && ns < 1e300) || !(units >= 0))
    return;
  if (sums->w > TRUSTED && sums->some > 0)
    expected *= sums->w / sums->some;
  if (sums->w > TRUSTED && expected > 0 && ns > SPIKE * expected)
    ns = SPIKE * expected;
  sums->w = KEPT * sums->w + 1;
  sums->some = KEPT * sums->some + (ns > 0);
  sums->x = KEPT * sums->x + units;
  sums->y = KEPT * sums->y + ns;
  sums->xx = KEPT * sums->xx + units * units;
  sums->xy = KEPT * sums->xy + units * ns;
  sums->part = KEPT * sums->part + part * ns;
  double x = sums->x / sums->w, y = sums->y / sums->w;
  double spread = sums->xx / sums->w - x * x, both = sums->xy / sums->w - x * y;
  double of_units = sums->part / sums->w, besides = ag_least(of_units * BESIDES / (x + BESIDES), BESIDES_NS);
  double unit = x > 0 ? (of_units - besides) / x : 0;
  if (spread > 0.01 * x * x)
    unit = both / spread;
  unit = ag_most(unit, 0);
  unit = unit * x <= 0.95 * y ? unit : 0.95 * y / x; /* y may be 0, and x, too */
  *host = (struct ag_host_times){y - unit * x, unit};
}

/* Items of the longest chain, when each chain has as many units as in the mean, or as small a part of one. */
static double longest_chain(const struct ag_measured_batch *b) {
  if (!(b->chains > 0))
    return 0;
  return ag_most(b->longest * b->units / b->chains, b->items / b->chains);
}

void ag_model_device(struct ag_device_model *m, const struct ag_measured_batch *b) {
  double ns = b->ns, chains = b->chains > 0 ? b->chains : 0;
  if (!ag_believable(b->items) || !ag_believable(ns))
    return;
  if (b->fill != m->times.fill) /* another kernel, so to speak */
    *m = (struct ag_device_model){.times = {.fill = b->fill},
                                  .host = m->host,
                                  .commit = m->commit,
                                  .in = m->in,
                                  .out = m->out,
                                  .sums = m->sums};
  double longest = longest_chain(b), expected = ag_times_longest(&m->times, chains, b->items, longest);
  if (m->known >= TRUSTED && ns > SPIKE * expected)
    ns = SPIKE * expected;
  /* Errors count in parts of what was expected, unless that is far off. */
  double about = expected > 0 ? expected : ns;
  about = ag_within(about, ns / SPIKE, ns * SPIKE);
  double u = 1 / about, y = ns / about;
  m->weight = KEPT * m->weight + 1;
  m->units = KEPT * m->units + b->units;
  m->items = KEPT * m->items + b->items;
  m->chains = KEPT * m->chains + chains;
  m->ru = KEPT * m->ru + y * u;
  m->rr = KEPT * m->rr + y * y;
  m->uu = KEPT * m->uu + u * u;
  for (enum ag_batch_form f = 0; f < AG_N_FORMS; ++f) {
    double v = counted(f, b->fill, chains, b->items, longest) * u;
    m->sum[f].rv = KEPT * m->sum[f].rv + y * v;
    m->sum[f].vv = KEPT * m->sum[f].vv + v * v;
    m->sum[f].uv = KEPT * m->sum[f].uv + u * v;
  }
  m->largest = ag_most(b->items, m->largest);
  ++m->known;
  fit_best(m);
  double staged = ag_believable(b->staged_ns) ? ag_least(b->staged_ns / b->host_ns, 1) : 0;
  if (ag_believable(b->host_ns))
    fit_host(&m->sums.host, &m->host, b->units, b->host_ns, staged);
  fit_host(&m->sums.in, &m->in, b->units, b->in_ns, 1);
  fit_host(&m->sums.out, &m->out, b->units, b->out_ns, 1);
}

/* A commit takes no time of the device; hardly anything but the units takes time. */
void ag_model_committed(struct ag_model *m, unsigned device, double units, double ns) {
  struct ag_device_model *d = &m->device[device];
  if (!ag_believable(ns))
    return;
  fit_host(&d->sums.commit, &d->commit, units, ns, 1);
  fit_host(&m->alike.sums.commit, &m->alike.commit, units, ns, 1);
}

void ag_model_batch(struct ag_model *m, unsigned device, const struct ag_measured_batch *b) {
  ag_model_device(&m->device[device], b);
  if (!m->alike.known || m->alike.times.fill == b->fill)
    ag_model_device(&m->alike, b);
  ag_longest_learn(&m->longest, b->units, b->longest);
}

const struct ag_device_model *ag_model_of(const struct ag_model *m, unsigned device, double fill) {
  const struct ag_device_model *d = &m->device[device];
  if (d->known < SELF && m->alike.known > d->known && m->alike.times.fill == fill)
    return &m->alike;
  for (unsigned i = 0; i < AG_MODEL_DEVICES && !(d->times.item_ns > 0); ++i)
    if (m->device[i].times.fill == fill && m->device[i].times.item_ns > 0)
      d = &m->device[i];
  return d;
}

struct ag_batch_times ag_model_times(const struct ag_model *m, unsigned device, double fill) {
  const struct ag_device_model *d = ag_model_of(m, device, fill);
  struct ag_batch_times times = d->times;
  times.fill = d->units > 0 && d->chains > 0 ? fill * d->units / d->chains : fill;
  return times;
}

struct ag_batch_times ag_times_believed(struct ag_batch_times t, double cpu_ns) {
  if (t.item_ns > 0 || !(t.fill > 0) || !(cpu_ns > 0))
    return t;
  return (struct ag_batch_times){PRIOR_LAUNCH_NS, PRIOR_BLOCK * cpu_ns / t.fill, t.fill, AG_FORM_FULL};
}

double ag_times_ns(const struct ag_batch_times *t, double units, double items) {
  return ag_times_longest(t, units, items, 0);
}

double ag_times_longest(const struct ag_batch_times *t, double units, double items, double longest) {
  longest = ag_most(longest, units > 0 ? items / units : 0);
  return t->item_ns > 0 ? t->launch_ns + counted(t->form, t->fill, units, items, longest) * t->item_ns : 0;
}

double ag_times_alone_ns(const struct ag_batch_times *t) {
  return t->fill > 0 ? part_of_fill[t->form] * t->fill * t->item_ns : 0;
}
