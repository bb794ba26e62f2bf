/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/runtime.h"

#include "observe/trace.h"
#include "shared/life.h"
#include "sys/log.h"
#include "sys/task_kind.h"
#include <agglom/rt.h>

static _Atomic bool exiting;

void ag_runtime_exits(void) { atomic_store(&exiting, true); }
bool ag_runtime_exiting(void) { return atomic_load(&exiting); }

/* The first submission starts the runtime, through agglom_init(), as a program may. */
struct ag_runtime *ag_runtime_get(void) {
  struct ag_runtime *rt = ag_life_running();
  if (rt || ag_life_over())
    return rt;
  agglom_init();
  return ag_life_running();
}

struct ag_runtime *ag_runtime_running(void) { return ag_life_running(); }

bool ag_runtime_reports(const struct ag_runtime *rt) {
  return rt->config.report.mode != AG_REPORT_OFF || ag_tracing() || rt->config.objective != AG_OBJECTIVE_TIME;
}

bool ag_runtime_on_device(struct ag_runtime *rt, struct agglom_task *task, enum ag_lane lane) {
  return lane == AG_LANE_DEVICE && rt->n_accelerators && rt->config.split != AG_SPLIT_CPU &&
         ag_task_on_device(rt, task);
}

void ag_runtime_miss_device(const struct ag_runtime *rt, const struct agglom_task *task) {
  if ((task->flags & AGGLOM_TASK_GPU) && !rt->n_accelerators && rt->config.split != AG_SPLIT_CPU)
    ag_warn_once(&task->state->first->state->said_no_gpu,
                 "%s:%u: %s '%s' is device(gpu), but there is no device to use; its units run on the CPU",
                 task->file, task->line, ag_task_kind(task), task->name);
}

bool ag_runtime_busy(const struct ag_runtime *rt) {
  for (int d = 0; d < rt->n_accelerators; ++d)
    if (ag_accelerator_busy(&rt->accelerators[d]))
      return true;
  return false;
}

void ag_runtime_miss_room(const struct ag_runtime *rt, const struct agglom_task *task, size_t bytes) {
  bool large = rt->caps.bytes >= 10000000;
  double unit = large ? 1e6 : 1e3;
  if (rt->config.split != AG_SPLIT_CPU)
    ag_warn_once(
        &task->state->first->state->said_no_room,
        "%s:%u: %s '%s': the sections of a unit are %.1f %s, and a launch can take %.1f %s, so units of "
        "that size run on the CPU; name less memory in the clauses, or write device(cpu) if that is fine",
        task->file, task->line, ag_task_kind(task), task->name, (double)bytes / unit, large ? "MB" : "kB",
        (double)rt->caps.bytes / unit, large ? "MB" : "kB");
}
