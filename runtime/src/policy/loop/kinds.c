/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/state.h"

static const struct ag_loop_policy *const policies[] = {
    [AGGLOM_SCHEDULE_AUTO] = &ag_loop_auto,
    [AGGLOM_SCHEDULE_STATIC] = &ag_loop_static,
    [AGGLOM_SCHEDULE_DYNAMIC] = &ag_loop_dynamic,
    [AGGLOM_SCHEDULE_RUNTIME] = &ag_loop_auto,
    [AGGLOM_SCHEDULE_LOGFIT] = &ag_loop_logfit,
    [AGGLOM_SCHEDULE_CONCORD] = &ag_loop_concord,
    [AGGLOM_SCHEDULE_HDSS] = &ag_loop_hdss,
    [AGGLOM_SCHEDULE_ORACLE] = &ag_loop_oracle,
    [AGGLOM_SCHEDULE_STATIC_PCF] = &ag_loop_static_pcf,
    [AGGLOM_SCHEDULE_GUIDED_SIZES] = &ag_loop_guided_sizes,
    [AGGLOM_SCHEDULE_GUIDED_RUNTIME] = &ag_loop_guided_runtime,
    [AGGLOM_SCHEDULE_CLUSTERED_GUIDED] = &ag_loop_clustered_guided,
    [AGGLOM_SCHEDULE_DYNAMIC_LOCKED] = &ag_loop_dynamic_locked,
};

const struct ag_loop_policy *ag_loop_policy(unsigned kind) {
  return policies[kind < sizeof policies / sizeof policies[0] ? kind : AGGLOM_SCHEDULE_AUTO];
}

const char *ag_loop_name(unsigned kind) { return ag_loop_policy(kind)->name; }

double ag_loop_argument(unsigned kind, uint64_t chunk, double ratio) {
  if (chunk || ratio == 0)
    return chunk ? (double)chunk : -1;
  return kind != AGGLOM_SCHEDULE_ORACLE ? ratio : ratio > 0 ? 100 * ratio : 0; /* percent; see oracle.c */
}
