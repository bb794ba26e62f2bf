/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/unit.h"

#include "graph/footprint.h"
#include "sys/align.h"
#include "sys/log.h"
#include "sys/task_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct agglom_task_state *ag_task_state_new(const struct agglom_task *task, unsigned index) {
  struct agglom_task_state *state = calloc(1, sizeof *state);
  if (!state)
    return NULL;
  size_t align = task->args_align > _Alignof(struct ag_unit) ? task->args_align : _Alignof(struct ag_unit);
  state->index = index;
  state->unit_align = align;
  state->args_offset =
      ag_align_up(offsetof(struct ag_unit, access) + task->n_sections * sizeof(struct ag_access), align);
  state->unit_size = state->args_offset + task->args_size;
  if (state->unit_size < sizeof(struct ag_unit))
    state->unit_size = sizeof(struct ag_unit);
  state->first = task;
  state->gather = -1;
  for (unsigned i = task->n_sections; i-- > 0;)
    if ((task->sections[i].mode & AGGLOM_SHAPED) && (task->sections[i].mode & AGGLOM_IN))
      state->gather = (int)i;
  for (unsigned i = 0; i < task->n_sections; ++i)
    state->shaped |= (task->sections[i].mode & AGGLOM_SHAPED) != 0;
  for (unsigned i = 0; i < task->n_sections; ++i)
    state->grouped |= task->sections[i].group != i;
  atomic_flag_clear(&state->said_no_gpu);
  atomic_flag_clear(&state->said_no_room);
  return state;
}

void ag_task_state_free(struct agglom_task_state *state) { free(state); }

/* Memory that a unit accumulates into must have no other use in it: a read would find partial results. */
static int check_accumulated(const struct ag_owner *of, const struct ag_access *access) {
  const struct agglom_task *task = of->task;
  for (unsigned i = 0; i < task->n_sections; ++i)
    for (unsigned j = 0; (task->sections[i].mode & AGGLOM_ACCUMULATE) && j < task->n_sections; ++j) {
      const struct agglom_section *s = &task->sections[i], *other = &task->sections[j];
      unsigned differs = (s->mode ^ other->mode) & ~(unsigned)AGGLOM_SHAPED;
      if (differs && ag_access_overlap(&access[i], &access[j])) {
        const char *end = ag_owner_speaks(of);
        if (end)
          ag_error("%s:%u: %s '%s': section '%s' overlaps section '%s' of the same call; memory that a unit "
                   "accumulates can have no other use in it%s",
                   task->file, s->line, ag_task_kind(task), task->name, s->text, other->text, end);
        return -EINVAL;
      }
    }
  return 0;
}

int ag_unit_check(const struct agglom_task *task, const struct agglom_range *ranges, struct ag_access *access,
                  _Atomic bool *said) {
  struct ag_owner of = {.task = task, .said = said, .messages = task->state ? &task->state->messages : NULL};
  int err = ag_sections_check(&of, task->sections, task->n_sections, ranges, access);
  if (err)
    return err;
  if (check_accumulated(&of, access)) {
    ag_sections_release(access, task->n_sections);
    return -EINVAL;
  }
  return 0;
}

bool ag_unit_is_plain(const struct agglom_task *task, const struct agglom_range *ranges) {
  for (unsigned i = 0; i < task->n_sections; ++i)
    if ((task->sections[i].mode & AGGLOM_ACCUMULATE) || !ag_section_is_right(&task->sections[i], &ranges[i]))
      return false;
  return true;
}

size_t ag_unit_bytes_of_shaped(const struct ag_unit *u) {
  size_t bytes = u->task->state->unit_size;
  for (unsigned i = 0; i < u->task->n_sections; ++i) {
    const struct ag_pieces *p = u->access[i].pieces;
    bytes += p ? sizeof *p + (p->box.n_dims ? 0 : p->n * sizeof p->at[0]) : 0;
  }
  return bytes;
}

void ag_call_begin(union ag_call *call, struct agglom_task *task, struct ag_domain *domain,
                   long long priority, const struct ag_access *access) {
  struct ag_unit *u = &call->unit;
  u->task = task;
  u->domain = domain;
  u->priority = priority;
  u->seq = access && task->n_sections <= AG_CALL_SECTIONS;
  for (unsigned i = 0; u->seq && i < task->n_sections; ++i)
    u->access[i] = access[i];
}

void ag_unit_release(const struct agglom_task *task, struct ag_access *access) {
  ag_sections_release(access, task->n_sections);
}

bool ag_unit_hull_of_group(const struct ag_unit *u, unsigned first, struct ag_access *hull) {
  const struct agglom_task *task = u->task;
  bool any = false;
  for (unsigned i = first; i < task->n_sections; ++i) {
    const struct ag_access *a = &u->access[i];
    if (task->sections[i].group != first || a->lo == a->hi)
      continue;
    if (!any)
      *hull = *a;
    if (a->lo < hull->lo)
      hull->lo = a->lo;
    if (a->hi > hull->hi)
      hull->hi = a->hi;
    any = true;
  }
  return any;
}

static size_t bytes_named(const struct ag_unit *u) {
  size_t bytes = 0;
  for (unsigned i = 0; i < u->task->n_sections; ++i) {
    const struct ag_access *a = &u->access[i];
    if (!a->pieces)
      bytes += a->hi - a->lo;
    for (size_t k = 0; a->pieces && k < ag_access_pieces(a); ++k) {
      struct ag_interval piece = ag_access_piece(a, k);
      bytes += piece.hi - piece.lo;
    }
  }
  return bytes;
}

void ag_unit_fill(struct ag_unit *u, struct agglom_task *task, const void *args, long long priority,
                  unsigned long long cost, bool sized) {
  u->task = task;
  u->state = AG_UNIT_WAITING;
  u->lane = AG_LANE_DEVICE;
  u->priority = priority;
  u->mark = u->batch = u->most_units = 0;
  u->awaited = false;
  u->whole = NULL;
  u->more = NULL;
  u->preds = u->succs = NULL;
  memcpy(ag_unit_args(u), args, task->args_size);
  u->footprint = 0;
  u->large = false;
  if (sized)
    u->footprint = ag_unit_footprint(u, &u->large);
  u->cost = cost || !sized ? cost : bytes_named(u);
}
