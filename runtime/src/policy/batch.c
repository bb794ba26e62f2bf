/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/policy.h"

const struct ag_batch_policy *ag_batch_policy(enum ag_batch_rule rule) {
  switch (rule) {
  case AG_BATCH_SINGLE:
    return &ag_batch_single;
  case AG_BATCH_STATIC:
    return &ag_batch_static;
  case AG_BATCH_COUNT:
    return &ag_batch_count;
  case AG_BATCH_MAXIMAL:
    break;
  }
  return &ag_batch_maximal;
}
