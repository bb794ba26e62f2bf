/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unit.h"

#include "stage.h"
#include "sys/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

struct agglom_task_state *ag_task_state_new(const struct agglom_task *task, unsigned index) {
  struct agglom_task_state *state = calloc(1, sizeof *state);
  if (!state)
    return NULL;
  size_t align = task->args_align > _Alignof(struct ag_unit) ? task->args_align : _Alignof(struct ag_unit);
  state->index = index;
  state->unit_align = align;
  state->args_offset =
      round_up(offsetof(struct ag_unit, access) + task->n_sections * sizeof(struct ag_access), align);
  state->unit_size = state->args_offset + task->args_size;
  if (state->unit_size < sizeof(struct ag_unit))
    state->unit_size = sizeof(struct ag_unit);
  state->group = calloc(task->n_sections + 1, sizeof *state->group);
  if (!state->group) {
    free(state);
    return NULL;
  }
  atomic_flag_clear(&state->said_no_gpu);
  for (unsigned i = 0; i < task->n_sections; ++i) {
    unsigned first = 0;
    while (task->sections[first].arg_offset != task->sections[i].arg_offset)
      ++first;
    state->group[i] = first;
  }
  return state;
}

void ag_task_state_free(struct agglom_task_state *state) {
  if (!state)
    return;
  free(state->group);
  free(state);
}

int ag_unit_check(const struct agglom_task *task, const struct agglom_range *ranges,
                  struct ag_access *access) {
  for (unsigned i = 0; i < task->n_sections; ++i) {
    const struct agglom_section *s = &task->sections[i];
    const struct agglom_range *r = &ranges[i];
    if (r->len < 0) {
      ag_error("%s:%u: task '%s': section '%s' has length %lld; a length must be 0 or more", task->file,
               s->line, task->name, s->text, r->len);
      return -EINVAL;
    }
    access[i].lo = access[i].hi = (uintptr_t)r->base;
    if (r->len == 0)
      continue;
    if (!r->base) {
      ag_error("%s:%u: task '%s': section '%s' has length %lld but its pointer is NULL; pass memory of that "
               "length, or length 0",
               task->file, s->line, task->name, s->text, r->len);
      return -EINVAL;
    }
    __int128 lo = (__int128)(uintptr_t)r->base + (__int128)r->lo * (__int128)s->elem_size;
    __int128 hi = lo + (__int128)r->len * (__int128)s->elem_size;
    if (lo < 0 || hi > (__int128)UINTPTR_MAX) {
      ag_error("%s:%u: task '%s': section '%s' starts at element %lld and has length %lld, which reaches "
               "beyond all memory; check both values",
               task->file, s->line, task->name, s->text, r->lo, r->len);
      return -EINVAL;
    }
    access[i].lo = (uintptr_t)lo;
    access[i].hi = (uintptr_t)hi;
  }
  return 0;
}

bool ag_unit_hull(const struct ag_unit *u, unsigned first, struct ag_access *hull, bool *writes) {
  const struct agglom_task *task = u->task;
  const unsigned *group = task->state->group;
  bool any = false;
  *writes = false;
  for (unsigned i = first; i < task->n_sections; ++i) {
    const struct ag_access *a = &u->access[i];
    if (group[i] != first || a->lo == a->hi)
      continue;
    if (!any)
      *hull = *a;
    if (a->lo < hull->lo)
      hull->lo = a->lo;
    if (a->hi > hull->hi)
      hull->hi = a->hi;
    *writes |= (task->sections[i].mode & AGGLOM_OUT) != 0;
    any = true;
  }
  return any;
}

void ag_unit_fill(struct ag_unit *u, struct agglom_task *task, const void *args, long long priority,
                  unsigned long long cost) {
  u->task = task;
  u->state = AG_UNIT_WAITING;
  u->lane = AG_LANE_DEVICE;
  u->priority = priority;
  u->mark = u->batch = 0;
  u->preds = u->succs = NULL;
  memcpy(ag_unit_args(u), args, task->args_size);
  size_t bytes = 0;
  if (!(task->flags & AGGLOM_TASK_CPU_ONLY)) {
    u->footprint = ag_stage_unit_bytes(u);
    for (unsigned i = 0; i < task->n_sections; ++i)
      bytes += u->access[i].hi - u->access[i].lo;
  }
  u->cost = cost ? cost : bytes;
}
