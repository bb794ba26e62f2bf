/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/schedule.h"

#include "policy/loop/loop.h"
#include "sys/align.h"

/* Chunks for each CPU, so that one that is slower than the others holds up the loop by a fraction of its
 * share; and for each device, whose blocks take a chunk each. */
enum { AUTO_PER_CPU = 4, DYNAMIC_PER_CPU = 16, PER_DEVICE = 256 };

struct ag_schedule_cut ag_schedule_cut(const struct ag_schedule_view *view) {
  if (view->chunk)
    return (struct ag_schedule_cut){ag_ceil(view->n, view->chunk), view->chunk};
  uint64_t per_cpu = view->kind == AGGLOM_SCHEDULE_DYNAMIC  ? DYNAMIC_PER_CPU
                     : view->kind == AGGLOM_SCHEDULE_STATIC ? 1
                                                            : AUTO_PER_CPU;
  uint64_t chunks = view->devices ? (uint64_t)view->devices * PER_DEVICE : 1;
  chunks = chunks < view->cpus * per_cpu ? view->cpus * per_cpu : chunks;
  return (struct ag_schedule_cut){chunks < view->n ? chunks : view->n, 0};
}

uint64_t ag_schedule_from(const struct ag_schedule_view *view, const struct ag_schedule_cut *cut,
                          uint64_t i) {
  if (i >= cut->chunks)
    return view->n;
  return cut->size ? i * cut->size : ag_loop_part(view->n, cut->chunks, i);
}
