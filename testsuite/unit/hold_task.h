/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A task of which each launch keeps a device busy until it is let go. */
#ifndef AG_TEST_HOLD_TASK_H
#define AG_TEST_HOLD_TASK_H

#include "rt_tasks.h"

#include <sched.h>

static _Atomic bool let_go;

static void hold_emulated(const struct agglom_launch *l, unsigned c) {
  (void)l, (void)c;
  while (!atomic_load(&let_go))
    sched_yield();
}

static void hold_cpu(const void *const *args, unsigned long n) { (void)args, (void)n; }

static struct agglom_task hold_task = {.name = "hold",
                                       .file = "hold.c",
                                       .line = 1,
                                       .flags = AGGLOM_TASK_GPU,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .max_units = 1, /* so it is launched at once */
                                       .args_size = 1,
                                       .args_align = 1,
                                       .cpu = hold_cpu,
                                       .emulated = hold_emulated,
                                       .kernel = "hold",
                                       .module = &mix_module_header};

#endif /* AG_TEST_HOLD_TASK_H */
