/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop_state.h"

const struct ag_loop_policy *ag_loop_policy(unsigned kind) {
  switch (kind) {
  case AGGLOM_SCHEDULE_STATIC:
    return &ag_loop_static;
  case AGGLOM_SCHEDULE_DYNAMIC:
    return &ag_loop_dynamic;
  default:
    return &ag_loop_logfit;
  }
}

const char *ag_loop_name(unsigned kind) {
  return kind == AGGLOM_SCHEDULE_AUTO || kind == AGGLOM_SCHEDULE_RUNTIME ? "auto"
                                                                         : ag_loop_policy(kind)->name;
}
