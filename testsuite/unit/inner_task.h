/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A task that reaches its memory through a pointer in memory. */
#ifndef INNER_TASK_H
#define INNER_TASK_H

#include "rt_tasks.h"

/* void inner(struct box *b) in(b[0:...]) inout(b->p[0:b->n]): p[j] += 1, through a pointer in memory. */

struct box {
  uint64_t *p;
  uint64_t n;
};

static void inner(struct box *const *b) {
  for (uint64_t j = 0; j < (*b)->n; ++j)
    (*b)->p[j] += 1;
}

static void inner_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    inner(args[i]);
}

static void inner_emulated(const struct agglom_launch *l, unsigned c) {
  struct box *const *args = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    inner(&args[u]);
    agglom_emulated_end(l, u);
  }
}

static const struct agglom_section inner_sections[] = {
    {"in(b[0:n])", 99, AGGLOM_IN, sizeof(struct box), 0, 0, NULL, NULL},
    {"inout(b->p[0:b->n])", 99, AGGLOM_INOUT | AGGLOM_SHAPED, sizeof(uint64_t), 0, 1, NULL, NULL}};
static struct agglom_task inner_task = {.name = "inner",
                                        .file = "inner.c",
                                        .line = 98,
                                        .map = AGGLOM_MAP_BLOCK,
                                        .args_size = sizeof(struct box *),
                                        .args_align = _Alignof(struct box *),
                                        .n_sections = 2,
                                        .sections = inner_sections,
                                        .cpu = inner_cpu,
                                        .emulated = inner_emulated,
                                        .kernel = "inner",
                                        .module = &mix_module_header};

/* b is the first of n boxes that the section names. */
static inline void submit_inner(struct box *b, long n) {
  struct agglom_dim dim = {0, (long long)b->n, 1, sizeof(uint64_t)};
  struct agglom_shape shape = {b->p, &dim, 1, 0, sizeof(uint64_t), NULL, &b->p};
  struct agglom_range ranges[] = {{b, 0, n}, {&shape, 0, 0}};
  assert_int_equal(agglom_submit(&inner_task, &b, ranges, 0, 0), 0);
}

#endif /* INNER_TASK_H */
