/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* oracle: the devices get a fixed part of the loop, one chunk each, and the CPU units share the rest on
 * demand. The part is the view's ratio, 0 to 1 (0: one half; negative: nothing), which somebody has found by
 * trying them all. */
#include "policy/loop/state.h"

static void begin(struct ag_loop *loop, bool fresh) {
  (void)fresh;
  unsigned cpus = loop->view.machine.cpus, devices = loop->view.machine.devices;
  double ratio = loop->view.ratio == 0 ? 0.5 : loop->view.ratio;
  uint64_t n = loop->view.n, part = cpus ? ag_loop_count(ratio * (double)n, 0, n) : n;
  for (unsigned d = 0; d < devices; ++d)
    ag_loop_reserve(loop, cpus + d, ag_loop_part(part, devices, d + 1) - ag_loop_part(part, devices, d));
}

static struct ag_loop_want want(struct ag_loop *loop, unsigned u, uint64_t now_ns) {
  (void)now_ns;
  return ag_loop_is_device(loop, u) ? ag_loop_want_reserved(loop, u) : ag_loop_want_rest(loop);
}

const struct ag_loop_policy ag_loop_oracle = {.name = "oracle", .begin = begin, .want = want};
