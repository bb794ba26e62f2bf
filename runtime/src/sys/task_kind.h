/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What stands before a task's name in messages: task 'f', loop in 'f'. No state; callable from any thread. */
#ifndef AG_TASK_KIND_H
#define AG_TASK_KIND_H

#include <agglom/abi.h>

static inline const char *ag_task_kind(const struct agglom_task *task) {
  return task->flags & AGGLOM_TASK_LOOP ? "loop in" : "task";
}

#endif /* AG_TASK_KIND_H */
