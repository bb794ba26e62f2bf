/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a task is, as its descriptor says. No state; callable from any thread. */
#ifndef AG_TASK_KIND_H
#define AG_TASK_KIND_H

#include <agglom/abi.h>
#include <stdbool.h>

/* What stands before its name in messages: task 'f', loop in 'f'. */
static inline const char *ag_task_kind(const struct agglom_task *task) {
  return task->flags & AGGLOM_TASK_LOOP ? "loop in" : "task";
}

/* Whether blocks or warps may run its units, as each launch says. */
static inline bool ag_task_has_both(const struct agglom_task *task) {
  return task->map == AGGLOM_MAP_BLOCK_OR_WARP;
}

#endif /* AG_TASK_KIND_H */
