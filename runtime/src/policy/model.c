/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/model.h"

#include <stdbool.h>

/* What was known counts that much after each measurement: some 16 of them are remembered. */
#define KEPT 0.94
/* A measurement counts as this many times what was expected at most, once some are known. */
#define SPIKE 3.0
enum { TRUSTED = 3 };

static bool believable(double x) { return x > 0 && x < 1e300; }

void ag_model_cpu(struct ag_model *m, double items, double ns) {
  if (!believable(items) || !believable(ns))
    return;
  double now = ns / items;
  if (m->cpu_known >= TRUSTED && now > SPIKE * m->cpu_ns)
    now = SPIKE * m->cpu_ns;
  /* Early measurements are means, so that the first, which is often the slowest, does not stay. */
  double weight = m->cpu_known < 8 ? 1.0 / (double)(m->cpu_known + 1) : 1.0 / 8;
  m->cpu_ns += weight * (now - m->cpu_ns);
  ++m->cpu_known;
}

/* The line through what is known. When all sizes are alike nothing tells launch and items apart: then the
 * launch stays what it was, up to half of the time. */
static void fit(struct ag_device_model *m) {
  double mean_x = m->x / m->weight, mean_y = m->y / m->weight;
  double spread = m->xx / m->weight - mean_x * mean_x, both = m->xy / m->weight - mean_x * mean_y;
  double launch = m->launch_ns < mean_y / 2 ? m->launch_ns : mean_y / 2;
  if (spread > 0.01 * mean_x * mean_x)
    launch = mean_y - mean_x * (both / spread);
  /* An item costs something, and a launch nothing less than nothing. */
  if (launch > 0.98 * mean_y)
    launch = 0.98 * mean_y;
  m->launch_ns = launch > 0 ? launch : 0;
  m->item_ns = (mean_y - m->launch_ns) / mean_x;
}

void ag_model_device(struct ag_device_model *m, double items, double ns, double host_ns) {
  if (!believable(items) || !believable(ns))
    return;
  double expected = ag_model_ns(m, items);
  if (m->known >= TRUSTED && ns > SPIKE * expected)
    ns = SPIKE * expected;
  m->weight = KEPT * m->weight + 1;
  m->x = KEPT * m->x + items;
  m->y = KEPT * m->y + ns;
  m->xx = KEPT * m->xx + items * items;
  m->xy = KEPT * m->xy + items * ns;
  m->largest = items > m->largest ? items : m->largest;
  ++m->known;
  fit(m);
  if (!believable(host_ns))
    return;
  if (m->host_ns > 0 && host_ns > SPIKE * m->host_ns)
    host_ns = SPIKE * m->host_ns;
  m->host_ns += (m->host_ns > 0 ? 1.0 / 8 : 1) * (host_ns - m->host_ns);
}

double ag_model_ns(const struct ag_device_model *m, double items) {
  return m->item_ns > 0 ? m->launch_ns + items * m->item_ns : 0;
}
