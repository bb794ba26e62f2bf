/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* static_pcf (Gonzalez Tallada and Morancho, "Evaluation of work distribution schedulers for heterogeneous
 * architectures and scientific applications"). PCF says how many iterations a device does while a CPU unit
 * does one. The loop is cut into groups of devices * PCF + cpus iterations; a group is devices * PCF
 * iterations for the devices and the rest for the CPU units; of what does not fill a group the devices get
 * the first devices * PCF. Within either side the parts are equal. PCF is the view's ratio; without one, the
 * first execution is cut as if it were 1, and what it shows is taken from then on. */
#include "policy/loop/state.h"

static size_t bytes(const struct ag_loop_view *view) {
  (void)view;
  return sizeof(double);
}

static uint64_t device_part(uint64_t n, unsigned cpus, unsigned devices, double pcf) {
  if (!cpus || !devices)
    return cpus ? 0 : n;
  double side = devices * pcf, group = side + cpus, all = (double)n;
  double groups = all / group < 0x1p53 ? (double)(uint64_t)(all / group) : all / group;
  double rest = all - groups * group;
  return ag_loop_count(groups * side + (rest < side ? rest : side), 0, n);
}

static void begin(struct ag_loop *loop, bool fresh) {
  unsigned cpus = loop->view.machine.cpus, devices = loop->view.machine.devices;
  const double *measured = loop->mine;
  (void)fresh;
  double pcf = loop->view.ratio > 0 ? loop->view.ratio : *measured > 0 ? *measured : 1;
  uint64_t split = loop->view.n - device_part(loop->view.n, cpus, devices, pcf);
  ag_loop_give_evenly(loop, 0, split, 0, cpus);
  ag_loop_give_evenly(loop, split, loop->view.n, cpus, devices);
  loop->low = loop->high;
}

/* Mean speed of units first .. end-1, in iterations per ns; 0: not known. */
static double mean_speed(const struct ag_loop *loop, unsigned first, unsigned end) {
  double iterations = 0, ns = 0;
  for (unsigned u = first; u < end; ++u)
    if (loop->unit[u].ns && loop->unit[u].ns < UINT64_MAX) {
      iterations += (double)loop->unit[u].done;
      ns += (double)loop->unit[u].ns;
    }
  return ns > 0 ? iterations / ns : 0;
}

static void end(struct ag_loop *loop) {
  double *measured = loop->mine;
  unsigned cpus = loop->view.machine.cpus;
  double cpu = mean_speed(loop, 0, cpus), device = mean_speed(loop, cpus, loop->units);
  if (!(*measured > 0) && cpu > 0 && device > 0)
    *measured = device / cpu;
}

static bool settled(const struct ag_loop *loop) {
  const struct ag_loop_machine *m = &loop->view.machine;
  return !m->cpus || !m->devices || loop->view.ratio > 0 || *(const double *)loop->mine > 0;
}

const struct ag_loop_policy ag_loop_static_pcf = {
    .name = "static_pcf", .bytes = bytes, .begin = begin, .end = end, .settled = settled};
