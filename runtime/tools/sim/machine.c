/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Machines: how long a unit takes for a chunk. */
#include "sim.h"

#include <math.h>

/* The part of its speed that a device has with chunks of x iterations. */
static double part_of_speed(const struct sim_machine *m, double x) {
  double part = 1;
  if (m->curve == SIM_SATURATING)
    part = x / (x + m->a);
  else if (m->curve == SIM_LOGARITHMIC)
    part = fmin(1, m->a * log(x) + m->b);
  if (m->decline > 0 && x > m->decline)
    part *= pow(m->decline / x, m->fall);
  return fmax(part, 1e-6);
}

double sim_chunk_ns(const struct sim_machine *m, const struct sim_work *w, unsigned unit, uint64_t from,
                    uint64_t to, uint64_t number) {
  double ns = w->sum[to] - w->sum[from], x = (double)(to - from);
  if (unit >= m->cpus) {
    ns = m->launch_ns + ns / (m->speed * part_of_speed(m, x));
    if (m->bytes_per_ns > 0)
      ns += x * m->bytes / m->bytes_per_ns;
  }
  if (m->noise > 0)
    ns *= exp(m->noise * sim_gauss(m->seed + unit, number));
  return m->grant_ns + ns;
}

double sim_ideal_ns(const struct sim_machine *m, const struct sim_work *w) {
  double all = w->sum[w->n], mean = all / (double)w->n, device = 0, x = 1;
  while (m->devices && all > 0 && x <= (double)w->n) { /* the best size of a chunk */
    double ns = m->launch_ns + mean * x / (m->speed * part_of_speed(m, x));
    if (m->bytes_per_ns > 0)
      ns += x * m->bytes / m->bytes_per_ns;
    device = fmax(device, mean * x / ns);
    x *= 1.1;
  }
  return all / (m->cpus + m->devices * device);
}
