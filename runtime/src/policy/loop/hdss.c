/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* hdss (Belviranli et al., "A Dynamic Self-Scheduling Scheme for Heterogeneous Multiprocessor Architectures",
 * as Vilches et al. compare with it). Training: a device's chunks grow from its number of compute units by
 * factors of two; from the fourth on their sizes are those that a logarithmic fit through all samples
 * recommends, until its speed relative to the CPU changes by less than 1 % from one to the next, or a fifth
 * of the loop is handed out. Completion: each unit gets its part of what is left, by speed: large chunks
 * first, small ones at the end. The next execution trains anew. */
#include "policy/loop/fit.h"
#include "policy/loop/state.h"

enum { FIRST = 4, MOST_SAMPLES = 32 };
#define THLD 0.01
#define STABLE 0.01

struct model {
  double size[MOST_SAMPLES], rate[MOST_SAMPLES];
  unsigned known, asked;
  double relative; /* to the CPU, after the last sample */
  uint64_t chunk;
  bool trained;
};

static size_t bytes(const struct ag_loop_view *view) { return view->machine.devices * sizeof(struct model); }

static struct model *model_of(const struct ag_loop *loop, unsigned u) {
  return (struct model *)loop->mine + (u - loop->view.machine.cpus);
}

static void begin(struct ag_loop *loop, bool fresh) {
  (void)fresh;
  for (unsigned u = 0; u < loop->units; ++u)
    loop->unit[u].rate = loop->unit[u].span = 0;
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
    *model_of(loop, u) = (struct model){0};
}

static bool training(const struct ag_loop *loop) {
  if (loop->low >= loop->view.n / 5)
    return false;
  for (unsigned u = loop->view.machine.cpus; u < loop->units; ++u)
    if (!loop->unit[u].lost && !model_of(loop, u)->trained)
      return true;
  return false;
}

/* Learns the device's speed for large chunks: as the fit has it for the size that it recommends. */
static void learn(struct ag_loop *loop, struct model *m, unsigned u) {
  struct ag_fit fit;
  if (m->known < FIRST)
    return;
  double speed = loop->unit[u].rate, cpus = ag_loop_cpu_rate(loop), size = m->size[m->known - 1];
  if (ag_fit_log(&fit, m->size, m->rate, m->known) && fit.a > 0) {
    size = fit.a / THLD;
    if (ag_fit_at(&fit, size) > 0)
      speed = ag_fit_at(&fit, size);
  }
  m->chunk = ag_loop_count(size, ag_loop_lanes(loop, u), UINT64_MAX / 2);
  double relative = cpus > 0 ? speed / cpus : 0, change = relative - m->relative;
  m->trained |= m->known == MOST_SAMPLES ||
                (relative > 0 && change < STABLE * m->relative && -change < STABLE * m->relative);
  m->relative = relative;
}

static void done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  if (!ag_loop_is_device(loop, u))
    return;
  struct model *m = model_of(loop, u);
  double rate = ag_loop_rate(to - from, ns);
  if (m->trained || m->known == MOST_SAMPLES)
    return;
  if (rate > 0) {
    m->size[m->known] = (double)(to - from);
    m->rate[m->known++] = rate;
    learn(loop, m, u);
  } else if (m->asked > m->known)
    --m->asked;
}

static double speed_of(const struct ag_loop *loop, unsigned u) {
  double relative = ag_loop_is_device(loop, u) ? model_of(loop, u)->relative * ag_loop_cpu_rate(loop) : 0;
  return relative > 0 ? relative : ag_loop_speed(loop, u);
}

static struct ag_loop_want complete(const struct ag_loop *loop, unsigned u) {
  double all = 0;
  for (unsigned other = 0; other < loop->units; ++other)
    all += loop->unit[other].lost ? 0 : speed_of(loop, other);
  uint64_t least = ag_loop_is_device(loop, u) ? ag_loop_lanes(loop, u) : 1;
  return (struct ag_loop_want){
      AG_LOOP_RUN, ag_loop_count((double)ag_loop_pool(loop) * speed_of(loop, u) / all, least, UINT64_MAX)};
}

static struct ag_loop_want want(struct ag_loop *loop, unsigned u, uint64_t now_ns) {
  (void)now_ns;
  if (!training(loop))
    return complete(loop, u);
  if (!ag_loop_is_device(loop, u)) {
    uint64_t lanes = ag_loop_lanes(loop, loop->view.machine.cpus), part = loop->view.n / loop->units / 64;
    return (struct ag_loop_want){AG_LOOP_RUN, part < lanes ? part + !part : lanes};
  }
  struct model *m = model_of(loop, u);
  if (m->chunk)
    return (struct ag_loop_want){AG_LOOP_RUN, m->chunk};
  if (m->asked == FIRST)
    return (struct ag_loop_want){AG_LOOP_LATER, 0};
  return (struct ag_loop_want){AG_LOOP_RUN, (uint64_t)ag_loop_lanes(loop, u) << m->asked++};
}

const struct ag_loop_policy ag_loop_hdss = {
    .name = "hdss", .bytes = bytes, .begin = begin, .want = want, .done = done};
