/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much work the CPU units have, for AGGLOM_SPLIT=auto: each worker's thread says what it does, and until
 * when by its estimate, and any thread may read that. */
#ifndef AG_LOAD_H
#define AG_LOAD_H

#include "policy/split/split.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum ag_doing {
  AG_DOES_NOTHING = 0, /* nothing for the runtime: it runs the program, looks for work, or sleeps */
  AG_DOES_TURN,        /* a thread of the pool between two of what follows: it looks for work at once */
  AG_DOES_LOOK,        /* spins, and looks for work now and then */
  AG_DOES_SHARE,       /* runs units that a device could have had */
  AG_DOES_OTHERS,      /* runs a CPU-only unit, and then looks for work */
  AG_DOES_LAUNCH       /* launches or commits a batch, and then looks for work */
};

/* Of one worker. All zero at first. */
struct ag_load {
  _Atomic int doing;          /* enum ag_doing */
  _Atomic uint64_t until_ns;  /* when that is expected to end. Both are stored by its thread alone */
  _Atomic uint64_t queued_ns; /* time of CPU units for all in its FIFOs for devices; under its lock */
};

/* Running means of the time of a CPU-only unit of the high and the low class, of which late units count most;
 * 0: unknown. */
struct ag_load_means {
  _Atomic uint64_t high_ns, low_ns;
};

/* What takes longer is not short, for a thread that waits for something else. */
enum { AG_BRIEF_NS = 200000 };

/* Whether n things, the longest of which takes as long as is known, may keep a thread for so long that others
 * should not wait for what it has left. */
static inline bool ag_load_may_take_long(const _Atomic uint64_t *known, uint64_t n) {
  enum { LONG_NS = 100000 };
  uint64_t ns = atomic_load_explicit(known, memory_order_relaxed);
  return !ns || ns >= LONG_NS / n;
}

#endif /* AG_LOAD_H */
