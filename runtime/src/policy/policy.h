/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* policy/: decisions, and nothing else. A policy is a state machine over what it is told; it knows no
 * threads, no clock and no device, so that the runtime, a simulator and the unit tests can drive the very
 * same code. Nothing here allocates, blocks or fails; callers synchronise access to a state themselves. */
#ifndef AG_POLICY_H
#define AG_POLICY_H

#include "policy/batch/batch.h"
#include "policy/launch/map.h"
#include "policy/loop/schedule.h"
#include "policy/split/split.h"
#include "policy/turn/turn.h"

#endif /* AG_POLICY_H */
