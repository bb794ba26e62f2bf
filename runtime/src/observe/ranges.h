/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges for profilers that understand NVTX, such as NVIDIA's Nsight Systems: what a thread does for a batch,
 * and which unit it runs, beside the kernels and copies that such a profiler sees by itself.
 *
 * A profiler names a library in NVTX_INJECTION64_PATH and expects programs to load it, to hand it tables of
 * pointers to functions, and to call what it has put there; that is all there is to NVTX. Without that
 * variable a range costs one branch. */
#ifndef AG_RANGES_H
#define AG_RANGES_H

#include <agglom/abi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic bool ag_ranges_are_on;

/* Loads what a profiler wants loaded, once in a process. One that cannot be loaded is none: no message. */
void ag_ranges_start(void);

void ag_range_begin(const char *what, const struct agglom_task *task, uint64_t units);
void ag_range_end(void);

/* The thread begins to do something for a task: "stage", "commit" and so on, or NULL to run its units. Each
 * begin has its end, in the same thread, and they nest. */
static inline bool ag_range(const char *what, const struct agglom_task *task, uint64_t units) {
  bool on = __builtin_expect(atomic_load_explicit(&ag_ranges_are_on, memory_order_relaxed), false);
  if (on)
    ag_range_begin(what, task, units);
  return on;
}

#endif /* AG_RANGES_H */
