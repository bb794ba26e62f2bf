/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* logfit (Vilches et al., "Adaptive Partitioning for Irregular Applications on Heterogeneous CPU-GPU Chips").
 * The throughput of a device is taken to be a ln x + b in the size x of a chunk. Four samples x = lanes * 1,
 * 2, 4, 8 give the first fit; from then on the fourth sample is the chunk before. The chunk is a / thld,
 * where the slope a / x has fallen to thld. A CPU unit gets what takes it as long as a device takes for its
 * chunk.
 *
 * thld has a unit: iterations per ms for each iteration; 0.01 as in the paper, or the view's ratio. A
 * negative ratio asks for the normalised form: the first fit sets thld = a / (largest chunk sampled), so that
 * the unit of time and the speed of the device cancel out.
 *
 * Not in the paper: the end of the loop. When a device's part of what is left, by rates, is less than its
 * chunk, it gets the size at which it ends with the CPUs by its own fit; when there is none, the rest is not
 * for it. A CPU unit never gets more than its part of what is left. A fit that falls with x gives the best
 * sample's size. */
#include "policy/loop/fit.h"
#include "policy/loop/state.h"

enum { SAMPLES = 4 };
#define PAPERS_THLD 0.01
/* A CPU unit's chunk is not to take less than this, for taking one costs, too. */
#define LEAST_CPU_MS 0.02

struct model {
  double size[SAMPLES], rate[SAMPLES];
  unsigned known, asked; /* samples taken; those, and the ones under way */
  bool fits;
  struct ag_fit fit;
  double thld;    /* of the normalised form, once known */
  uint64_t chunk; /* 0: sampling */
  bool out;       /* gets nothing more in this execution */
};

static size_t bytes(const struct ag_loop_view *view) { return view->machine.devices * sizeof(struct model); }

static struct model *model_of(const struct ag_loop *loop, unsigned device_unit) {
  return (struct model *)loop->mine + (device_unit - loop->view.machine.cpus);
}

static void begin(struct ag_loop *loop, bool fresh) {
  (void)fresh;
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u) {
    struct model *m = model_of(loop, u);
    m->asked = m->known;
    m->out = false;
  }
}

/* --- Learning ---------------------------------------------------------------------------------------------
 */

static double best_size(const struct model *m) {
  unsigned best = 0;
  for (unsigned i = 1; i < m->known; ++i)
    if (m->rate[i] > m->rate[best])
      best = i;
  return m->size[best];
}

static void refit(struct ag_loop *loop, struct model *m, unsigned lanes) {
  m->fits = ag_fit_log(&m->fit, m->size, m->rate, m->known) && m->fit.a > 0;
  double size = best_size(m), thld = loop->view.ratio > 0 ? loop->view.ratio : PAPERS_THLD;
  if (m->fits && loop->view.ratio < 0 && !(m->thld > 0))
    m->thld = m->fit.a / m->size[m->known - 1];
  if (loop->view.ratio < 0)
    thld = m->thld;
  if (m->fits)
    size = m->fit.a / thld;
  m->chunk = ag_loop_count(size, lanes, UINT64_MAX / 2);
}

static void done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  if (!ag_loop_is_device(loop, u))
    return;
  struct model *m = model_of(loop, u);
  double rate = ag_loop_rate(to - from, ns);
  if (rate > 0) {
    unsigned at = m->known < SAMPLES ? m->known++ : SAMPLES - 1;
    m->size[at] = (double)(to - from);
    m->rate[at] = rate;
    if (m->known == SAMPLES)
      refit(loop, m, ag_loop_lanes(loop, u));
  } else if (m->known < SAMPLES && m->asked > m->known)
    --m->asked; /* sample this size again */
}

/* --- Dealing out ------------------------------------------------------------------------------------------
 */

static double device_rates(const struct ag_loop *loop) {
  double sum = 0;
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
    if (!loop->unit[u].lost && !model_of(loop, u)->out)
      sum += loop->unit[u].rate;
  return sum;
}

/* The chunk with which this device ends when the others, at their rate, end with the rest; 0: there is none.
 */
static double last_chunk(const struct ag_loop *loop, const struct model *m, double rate, double others) {
  double left = (double)ag_loop_pool(loop), size = left * rate / (rate + others);
  for (int i = 0; m->fits && i < 12; ++i) {
    double y = ag_fit_at(&m->fit, size);
    if (!(y > 0 && size >= 1))
      return 0;
    size = left * y / (y + others);
  }
  return size;
}

static struct ag_loop_want for_device(struct ag_loop *loop, unsigned u) {
  struct model *m = model_of(loop, u);
  unsigned lanes = ag_loop_lanes(loop, u);
  if (!m->chunk) {
    if (m->asked == SAMPLES)
      return (struct ag_loop_want){AG_LOOP_LATER, 0};
    return (struct ag_loop_want){AG_LOOP_RUN, (uint64_t)lanes << m->asked++};
  }
  double rate = m->rate[SAMPLES - 1],
         others = device_rates(loop) - loop->unit[u].rate + ag_loop_cpu_rate(loop);
  uint64_t left = ag_loop_pool(loop);
  if (!(others > 0) || (double)m->chunk * (rate + others) <= (double)left * rate)
    return (struct ag_loop_want){AG_LOOP_RUN, m->chunk};
  uint64_t size = ag_loop_count(last_chunk(loop, m, rate, others), 0, m->chunk);
  if (size >= lanes || !ag_loop_cpus_alive(loop))
    return (struct ag_loop_want){AG_LOOP_RUN, size ? size : 1};
  m->out = true;
  return (struct ag_loop_want){AG_LOOP_NONE, 0};
}

/* How long the devices take for their chunks, on average; 0: unknown, or there are none any more. */
static double interval(const struct ag_loop *loop) {
  double sum = 0;
  unsigned known = 0;
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u) {
    const struct model *m = model_of(loop, u);
    if (loop->unit[u].lost || m->out || !m->chunk)
      continue;
    sum += (double)m->chunk / m->rate[SAMPLES - 1];
    ++known;
  }
  return known ? sum / known : 0;
}

static struct ag_loop_want for_cpu(struct ag_loop *loop, unsigned u) {
  uint64_t left = ag_loop_pool(loop), cpus = ag_loop_cpus_alive(loop);
  double all = ag_loop_cpu_rate(loop),
         rate = loop->unit[u].rate > 0 ? loop->unit[u].rate : all / (double)cpus;
  double devices = device_rates(loop), ms = interval(loop);
  if (!(rate > 0)) { /* nothing is known: little, to know something soon */
    uint64_t first =
        loop->units > loop->view.machine.cpus ? ag_loop_lanes(loop, loop->view.machine.cpus) : 64;
    uint64_t part = left / (16 * (uint64_t)loop->units);
    return (struct ag_loop_want){AG_LOOP_RUN, part < first ? part + !part : first};
  }
  uint64_t least = ag_loop_count(rate * LEAST_CPU_MS, 1, left);
  double fair = (double)left * rate / (all + devices + rate);
  double size = ms > 0 && ms * rate < fair ? ms * rate : fair;
  return (struct ag_loop_want){AG_LOOP_RUN, ag_loop_count(size, least, left)};
}

static struct ag_loop_want want(struct ag_loop *loop, unsigned u, uint64_t now_ns) {
  (void)now_ns;
  return ag_loop_is_device(loop, u) ? for_device(loop, u) : for_cpu(loop, u);
}

/* --- Between runs of a program ------------------------------------------------------------------------ */

/* The threshold of the normalised form, or 0, and pairs of size and rate. */
static const char samples[] = "samples";
enum { NUMBERS = 1 + 2 * SAMPLES };

static void keep(const struct ag_loop *loop, unsigned u, const struct ag_loop_keeper *keeper) {
  double x[NUMBERS];
  if (!ag_loop_is_device(loop, u))
    return;
  const struct model *m = model_of(loop, u);
  x[0] = m->thld;
  for (unsigned i = 0; i < m->known; ++i) {
    x[1 + 2 * i] = m->size[i];
    x[2 + 2 * i] = m->rate[i];
  }
  if (m->known)
    ag_loop_put(keeper, samples, u, x, 1 + 2 * m->known);
}

static bool seed(struct ag_loop *loop, const struct ag_loop_memo *memo) {
  if (!ag_loop_is_device(loop, memo->unit) || memo->n > NUMBERS || memo->n % 2 == 0 || memo->n < 3 ||
      !ag_loop_memo_is(memo, samples, memo->n, 0, 1e18))
    return false;
  struct model m = {.thld = memo->x[0]};
  for (unsigned i = 1; i < memo->n; i += 2, ++m.known) {
    m.size[m.known] = memo->x[i];
    m.rate[m.known] = memo->x[i + 1];
    if (!(m.size[m.known] >= 1 && m.rate[m.known] > 1e-18))
      return false;
  }
  if (m.known == SAMPLES)
    refit(loop, &m, ag_loop_lanes(loop, memo->unit));
  *model_of(loop, memo->unit) = m;
  return true;
}

const struct ag_loop_policy ag_loop_logfit = {
    .name = "logfit", .bytes = bytes, .begin = begin, .want = want, .done = done, .keep = keep, .seed = seed};
