/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Models of tasks, from one run of a program to the next. */
#include "policy/model.h"

#define MOST_NS 1e15
#define MOST_KNOWN 1e15
#define MOST_WEIGHT 100.0
#define MOST_SUM 1e30

static bool within(double x, double least, double most) { return x >= least && x <= most; }

bool ag_model_keep_cpu(const struct ag_model *m, double x[AG_MODEL_CPU_NUMBERS]) {
  x[0] = (double)m->cpu_known;
  x[1] = m->cpu_ns;
  return m->cpu_ns > 0;
}

bool ag_model_seed_cpu(struct ag_model *m, const double *x, unsigned n) {
  if (n != AG_MODEL_CPU_NUMBERS || !within(x[0], 1, MOST_KNOWN) || !within(x[1], 1 / MOST_NS, MOST_NS))
    return false;
  m->cpu_known = (uint64_t)x[0];
  m->cpu_ns = x[1];
  return true;
}

bool ag_model_keep_device(const struct ag_device_model *m, double x[AG_MODEL_DEVICE_NUMBERS]) {
  const double all[AG_MODEL_DEVICE_NUMBERS] = {
      (double)m->known, m->launch_ns, m->item_ns, m->host_ns, m->largest,
      m->weight,        m->x,         m->y,       m->xx,      m->xy};
  for (unsigned i = 0; i < AG_MODEL_DEVICE_NUMBERS; ++i)
    x[i] = all[i];
  return m->item_ns > 0;
}

/* The numbers belong together: the line goes through the mean of the measurements. */
bool ag_model_seed_device(struct ag_device_model *model, const double *x, unsigned n) {
  if (n != AG_MODEL_DEVICE_NUMBERS || !within(x[0], 1, MOST_KNOWN))
    return false;
  struct ag_device_model m = {.known = (uint64_t)x[0],
                              .launch_ns = x[1],
                              .item_ns = x[2],
                              .host_ns = x[3],
                              .largest = x[4],
                              .weight = x[5],
                              .x = x[6],
                              .y = x[7],
                              .xx = x[8],
                              .xy = x[9]};
  if (!within(m.launch_ns, 0, MOST_NS) || !within(m.item_ns, 1 / MOST_NS, MOST_NS) ||
      !within(m.host_ns, 0, MOST_NS) || !within(m.weight, 1, MOST_WEIGHT))
    return false;
  for (unsigned i = 6; i < AG_MODEL_DEVICE_NUMBERS; ++i)
    if (!within(x[i], 1 / MOST_SUM, MOST_SUM))
      return false;
  double mean_x = m.x / m.weight, mean_y = m.y / m.weight;
  if (!within(m.largest, 0.999 * mean_x, MOST_SUM) ||
      !within(m.xx / m.weight, 0.999 * mean_x * mean_x, MOST_SUM) ||
      !within(ag_model_ns(&m, mean_x), 0.999 * mean_y, 1.001 * mean_y))
    return false;
  *model = m;
  return true;
}
