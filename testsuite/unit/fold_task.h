/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A task for chunks of a loop of which each conflicts with all others, and shows its turn. */
#ifndef FOLD_TASK_H
#define FOLD_TASK_H

#include "rt_tasks.h"

/* void fold(uint64_t *cell, long from, long to) inout(cell[0:1]): for (i = from; i < to; ++i)
 * *cell = *cell * 31 + i */

struct fold_args {
  uint64_t *cell;
  long from, to;
};

static void fold(const struct fold_args *a) {
  for (long i = a->from; i < a->to; ++i)
    *a->cell = *a->cell * 31 + (uint64_t)i;
}

TASK_BODIES(fold, struct fold_args, fold)

static const struct agglom_section fold_sections[] = {{"inout(cell[0:1])", 61, AGGLOM_INOUT, sizeof(uint64_t),
                                                       offsetof(struct fold_args, cell), 0, NULL, NULL}};
static struct agglom_task fold_task = {.name = "fold",
                                       .file = "fold.c",
                                       .line = 60,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct fold_args),
                                       .args_align = _Alignof(struct fold_args),
                                       .n_sections = 1,
                                       .sections = fold_sections,
                                       .cpu = fold_cpu,
                                       .emulated = fold_emulated,
                                       .kernel = "fold",
                                       .module = &mix_module_header};

static inline void submit_fold(uint64_t *cell, unsigned long long from, unsigned long long to) {
  struct fold_args a = {cell, (long)from, (long)to};
  struct agglom_range range = {cell, 0, 1};
  assert_int_equal(agglom_submit(&fold_task, &a, &range, 0, 0), 0);
}

#endif /* FOLD_TASK_H */
