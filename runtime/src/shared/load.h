/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What CPU units have to do, as AGGLOM_SPLIT=auto wants to know it: each worker's thread says what it does
 * and until when, as is believed, and any thread may read it. */
#ifndef AG_LOAD_H
#define AG_LOAD_H

#include "policy/split/split.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum ag_doing {
  AG_DOES_NOTHING = 0, /* that the runtime knows of: its own things, or it looks for work, or sleeps */
  AG_DOES_SHARE,       /* runs units that a device could have had */
  AG_DOES_OTHERS,      /* runs a CPU-only unit; it will be back */
  AG_DOES_LAUNCH       /* launches; it will be back */
};

/* Of one worker. All zero at first. */
struct ag_load {
  _Atomic int doing;          /* enum ag_doing; */
  _Atomic uint64_t until_ns;  /* what it does is believed to end then. Both are stored by its thread alone */
  _Atomic uint64_t queued_ns; /* what CPU units would need for its FIFOs for devices; stored under its lock */
};

/* Means of what CPU-only units take, the late ones above all; 0: unknown. */
struct ag_load_means {
  _Atomic uint64_t high_ns, low_ns;
};

#endif /* AG_LOAD_H */
