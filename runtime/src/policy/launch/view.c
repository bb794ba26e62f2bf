/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/launch/view.h"

/* When each device is through, the first one first. */
static void show_devices(struct ag_batch_view *view, const struct ag_launch_facts *facts) {
  unsigned n = 0;
  for (unsigned d = 0; d < facts->devices && n < AG_MODEL_DEVICES; ++d) {
    if (!facts->device[d].usable)
      continue;
    double ns = ag_device_busy_ns(&facts->device[d]);
    unsigned k = n++;
    for (; k && view->free_ns[k - 1] > ns; --k)
      view->free_ns[k] = view->free_ns[k - 1];
    view->free_ns[k] = ns;
  }
}

void ag_launch_show(struct ag_batch_view *view, bool timed, const struct ag_launch_facts *facts) {
  if (!timed || facts->next < 0)
    return;
  unsigned next = (unsigned)facts->next;
  const struct ag_device_model *model = ag_model_of(facts->model, next, facts->fill);
  struct ag_devices all = ag_devices_of(facts->device, facts->devices);
  view->in_flight = facts->device[next].taken;
  view->idle = all.idle;
  view->devices = all.all;
  show_devices(view, facts);
  view->device = ag_model_times(facts->model, next, facts->fill);
  view->fill = (uint64_t)(view->device.fill + 0.5);
  view->usual = facts->model->longest;
  view->host = model->host;
  view->commit = model->commit;
  view->in = model->in;
  view->out = model->out;
}

void ag_launch_show_waiting(struct ag_batch_view *view, const struct ag_waiting *waiting, uint64_t in_fifo) {
  if (in_fifo)
    view->filled *= (double)waiting->units / (double)in_fifo;
  view->waiting = waiting->units;
  view->items = waiting->cost;
  view->longest = waiting->longest;
  view->others = waiting->others;
  view->active = waiting->active;
}

/* What CPU units have spent on the task, before a device of which nothing is known is tried: each batch that
 * has failed since the last one that did not doubles what they are to spend. */
static double spent_ns(const struct ag_launch_facts *facts) {
  enum { FEW = 62 };
  return facts->model->cpu_spent / (double)(UINT64_C(1) << (facts->failed < FEW ? facts->failed : FEW));
}

/* Who is to do the work for the objective: whether one side does it alone for less is told by what all CPU
 * units would take for it, and all devices, transfers included. */
static enum ag_sides sides(const struct ag_split_view *view, const struct ag_launch_facts *facts) {
  if (!view->devices || !(view->cpu_ns > 0) || !(view->device.item_ns > 0))
    return AG_SIDES_BOTH;
  double each = (double)view->units / view->devices;
  double copies = ag_host_ns(&view->in, each) + ag_host_ns(&view->out, each);
  return ag_objective_sides(&facts->objective, view->items * view->cpu_ns / view->cpus,
                            copies + ag_times_ns(&view->device, each, view->items / view->devices));
}

struct ag_split_view ag_launch_split_view(uint64_t units, double items, const struct ag_launch_facts *facts) {
  struct ag_split_view view = {.units = units, .items = items, .cpus = facts->cpus};
  if (facts->next < 0)
    return view;
  unsigned next = (unsigned)facts->next;
  const struct ag_device_model *model = ag_model_of(facts->model, next, facts->fill);
  struct ag_devices all = ag_devices_of(facts->device, facts->devices);
  view.devices = all.all;
  view.idle = all.idle;
  view.busy_ns = ag_device_busy_ns(&facts->device[next]);
  view.cpu_ns = facts->model->cpu_ns;
  view.spent_ns = spent_ns(facts);
  view.device = ag_model_times(facts->model, next, facts->fill);
  view.host = model->host;
  view.commit = model->commit;
  view.in = model->in;
  view.out = model->out;
  view.sides = sides(&view, facts);
  return view;
}
