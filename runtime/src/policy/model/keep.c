/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Models of tasks, from one run of a program to the next. */
#include "policy/model/model.h"
#include "policy/model/numbers.h"

#define MOST_NS 1e15
#define MOST_KNOWN 1e15
#define MOST_SUM 1e30
#define MOST_FILL 1e15

bool ag_model_keep_cpu(const struct ag_model *m, double x[AG_MODEL_CPU_NUMBERS]) {
  x[0] = (double)m->cpu_known;
  x[1] = m->cpu_ns;
  return m->cpu_ns > 0;
}

bool ag_model_seed_cpu(struct ag_model *m, const double *x, unsigned n) {
  if (n != AG_MODEL_CPU_NUMBERS || !ag_is_in(x[0], 1, MOST_KNOWN) || !ag_is_in(x[1], 1 / MOST_NS, MOST_NS))
    return false;
  m->cpu_known = (uint64_t)x[0];
  m->cpu_ns = x[1];
  return true;
}

bool ag_model_keep_device(const struct ag_device_model *m, double x[AG_MODEL_DEVICE_NUMBERS]) {
  const struct ag_batch_times *t = &m->times;
  const double all[AG_MODEL_DEVICE_NUMBERS] = {
      (double)m->known,    t->launch_ns, t->item_ns,      m->host.launch_ns,    m->host.unit_ns,
      m->largest,          t->fill,      (double)t->form, m->units / m->weight, m->chains / m->weight,
      m->items / m->weight};
  for (unsigned i = 0; i < AG_MODEL_DEVICE_NUMBERS; ++i)
    x[i] = all[i];
  return t->item_ns > 0;
}

/* As if batches of these parts of the mean size, and before them the largest one, had taken just what the
 * numbers say: that one tells what more units than blocks take. */
static struct ag_device_model seeded(const double *x) {
  const struct ag_batch_times times = {x[1], x[2], x[6], (enum ag_batch_form)x[7]};
  const struct ag_host_times host = {x[3], x[4]};
  struct ag_device_model m = {.times = times};
  const double sizes[] = {x[5] / x[10], 0.5, 1, 2};
  for (int k = 0; k < 4; ++k) {
    double size = sizes[k];
    struct ag_measured_batch b = {.units = size * x[8],
                                  .chains = size * x[9],
                                  .items = size * x[10],
                                  .fill = x[6],
                                  .ns = ag_times_ns(&times, size * x[9], size * x[10]),
                                  .host_ns = ag_host_ns(&host, size * x[8])};
    for (int i = 0; i < (k ? 3 : 1); ++i)
      ag_model_device(&m, &b);
  }
  m.times = times;
  m.host = host;
  m.sums.in = m.sums.out = (struct ag_host_sums){0}; /* nobody knows yet what has to be sent */
  m.largest = x[5];
  m.units = x[8] * m.weight;
  m.chains = x[9] * m.weight;
  m.items = x[10] * m.weight;
  m.known = (uint64_t)x[0];
  return m;
}

bool ag_model_seed_device(struct ag_device_model *model, const double *x, unsigned n) {
  if (n != AG_MODEL_DEVICE_NUMBERS || !ag_is_in(x[0], 1, MOST_KNOWN) || !ag_is_in(x[1], 0, MOST_NS) ||
      !ag_is_in(x[2], 1 / MOST_NS, MOST_NS) || !ag_is_in(x[3], 0, MOST_NS) || !ag_is_in(x[4], 0, MOST_NS) ||
      !ag_is_in(x[5], 1 / MOST_SUM, MOST_SUM) || !ag_is_in(x[6], 0, MOST_SUM) ||
      !ag_is_in(x[7], 0, AG_N_FORMS - 1) || !ag_is_in(x[8], 0, MOST_SUM) || !ag_is_in(x[9], 0, MOST_SUM) ||
      !ag_is_in(x[10], 1 / MOST_SUM, 1.001 * x[5]) || x[6] * x[8] > MOST_FILL * x[9])
    return false;
  struct ag_device_model m = seeded(x);
  if (m.weight > 1)
    *model = m;
  return m.weight > 1;
}
