/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unit.h"

#include "stage.h"
#include "sys/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
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
  atomic_flag_clear(&state->said_no_gpu);
  return state;
}

void ag_task_state_free(struct agglom_task_state *state) { free(state); }

/* What is wrong with a section, said with its place. */
__attribute__((format(printf, 3, 4))) static int
refuse(const struct agglom_task *task, const struct agglom_section *s, const char *format, ...) {
  char text[256];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  ag_error("%s:%u: task '%s': section '%s' %s", task->file, s->line, task->name, s->text, text);
  return -EINVAL;
}

static int check_base(const struct agglom_task *task, const struct agglom_section *s, const void *base,
                      long long len) {
  if (base)
    return 0;
  return refuse(task, s, "has length %lld but its pointer is NULL; pass memory of that length, or length 0",
                len);
}

/* lo .. hi as addresses; they were computed without overflow. */
static int set_hull(const struct agglom_task *task, const struct agglom_section *s, __int128 lo, __int128 hi,
                    const struct agglom_range *r, struct ag_access *a) {
  if (lo < 0 || hi > (__int128)UINTPTR_MAX)
    return refuse(task, s,
                  "starts at element %lld and has length %lld, which reaches beyond all memory; check both "
                  "values",
                  r->lo, r->len);
  a->lo = (uintptr_t)lo;
  a->hi = (uintptr_t)hi;
  return 0;
}

static int check_run(const struct agglom_task *task, const struct agglom_section *s, const void *base,
                     const struct agglom_range *r, struct ag_access *a) {
  if (r->len < 0)
    return refuse(task, s, "has length %lld; a length must be 0 or more", r->len);
  if (r->len == 0)
    return 0;
  if (check_base(task, s, base, r->len))
    return -EINVAL;
  __int128 lo = (__int128)(uintptr_t)base + (__int128)r->lo * (__int128)s->elem_size;
  return set_hull(task, s, lo, lo + (__int128)r->len * (__int128)s->elem_size, r, a);
}

/* Room for n pieces in the access, with what it has already kept. */
static int make_pieces(struct ag_access *a, const struct agglom_shape *shape, uint64_t n) {
  if (n > (SIZE_MAX - sizeof *a->pieces) / sizeof *a->pieces->at)
    return -ENOMEM;
  a->pieces = malloc(sizeof *a->pieces + n * sizeof *a->pieces->at);
  if (!a->pieces)
    return -ENOMEM;
  *a->pieces = (struct ag_pieces){.holder = shape->holder, .pointer = (uintptr_t)shape->base};
  return 0;
}

/* Sorted, disjoint, and without a list when there is only one. */
static void close_pieces(struct ag_access *a, uint64_t n) {
  n = ag_intervals_merge(a->pieces->at, n);
  a->lo = a->pieces->at[0].lo;
  a->hi = a->pieces->at[n - 1].hi;
  a->pieces->n = n > 1 ? n : 0;
}

enum { MOST_DIMS = 8 };

static int check_dims(const struct agglom_task *task, const struct agglom_section *s,
                      const struct agglom_shape *shape, struct ag_access *a) {
  struct agglom_dim dims[MOST_DIMS] = {{0, 0, 1, 0}};
  unsigned n_dims = shape->n_dims < MOST_DIMS ? shape->n_dims : MOST_DIMS;
  __int128 first = (__int128)(uintptr_t)shape->base, last = first;
  bool empty = false;
  for (unsigned d = 0; d < n_dims; ++d) {
    dims[d] = shape->dims[d];
    if (dims[d].len < 0)
      return refuse(task, s, "has length %lld in dimension %u; a length must be 0 or more", dims[d].len,
                    d + 1);
    if (dims[d].step < 1)
      return refuse(task, s, "has stride %lld in dimension %u; a stride must be 1 or more", dims[d].step,
                    d + 1);
    empty |= dims[d].len == 0;
  }
  if (empty)
    return 0;
  if (check_base(task, s, shape->base, dims[0].len))
    return -EINVAL;
  for (unsigned d = 0; d < n_dims; ++d) {
    first += (__int128)dims[d].lo * (__int128)dims[d].pitch;
    last += ((__int128)dims[d].lo + (__int128)(dims[d].len - 1) * dims[d].step) * (__int128)dims[d].pitch;
  }
  struct agglom_range outer = {shape->base, dims[0].lo, dims[0].len};
  if (set_hull(task, s, first, last + shape->block, &outer, a))
    return -EINVAL;
  /* Innermost dimensions without gaps are one block. */
  uint64_t block = shape->block, n = 1;
  while (n_dims &&
         ((dims[n_dims - 1].step == 1 && dims[n_dims - 1].pitch == block) || dims[n_dims - 1].len == 1))
    block *= (uint64_t)dims[--n_dims].len;
  for (unsigned d = 0; d < n_dims; ++d)
    if (__builtin_mul_overflow(n, (uint64_t)dims[d].len, &n))
      return -ENOMEM;
  if (n == 1 && !shape->holder)
    return 0;
  if (make_pieces(a, shape, n))
    return -ENOMEM;
  long long at[MOST_DIMS] = {0};
  for (uint64_t k = 0; k < n; ++k) {
    uintptr_t lo = (uintptr_t)first;
    for (unsigned d = 0; d < n_dims; ++d)
      lo += (uintptr_t)at[d] * (uintptr_t)dims[d].step * dims[d].pitch;
    a->pieces->at[k] = (struct ag_interval){lo, lo + block, 0, 0};
    for (unsigned d = n_dims; d-- > 0;) {
      if (++at[d] < dims[d].len)
        break;
      at[d] = 0;
    }
  }
  close_pieces(a, n);
  return 0;
}

static __int128 index_at(const struct agglom_shape *shape, long long k) {
  const char *at =
      (const char *)shape->indexes + k * (shape->index_bytes < 0 ? -shape->index_bytes : shape->index_bytes);
  switch (shape->index_bytes) {
  case 1:
    return *(const uint8_t *)at;
  case -1:
    return *(const int8_t *)at;
  case 2:
    return *(const uint16_t *)at;
  case -2:
    return *(const int16_t *)at;
  case 4:
    return *(const uint32_t *)at;
  case -4:
    return *(const int32_t *)at;
  case 8:
    return *(const uint64_t *)at;
  default:
    return *(const int64_t *)at;
  }
}

static int check_gather(const struct agglom_task *task, const struct agglom_section *s,
                        const struct agglom_shape *shape, const struct agglom_range *r, struct ag_access *a) {
  if (r->len < 0)
    return refuse(task, s, "has length %lld; a length must be 0 or more", r->len);
  if (r->len == 0)
    return 0;
  if (!shape->indexes)
    return refuse(task, s, "takes %lld indexes from NULL; pass the indexes, or length 0", r->len);
  if (check_base(task, s, shape->base, r->len))
    return -EINVAL;
  if (make_pieces(a, shape, (uint64_t)r->len))
    return -ENOMEM;
  for (long long k = 0; k < r->len; ++k) {
    __int128 index = index_at(shape, r->lo + k);
    __int128 lo = (__int128)(uintptr_t)shape->base + index * (__int128)shape->block;
    if (lo < 0 || lo + shape->block > (__int128)UINTPTR_MAX)
      return refuse(task, s, "has index %lld at place %lld, which reaches beyond all memory",
                    (long long)index, r->lo + k);
    a->pieces->at[k] = (struct ag_interval){(uintptr_t)lo, (uintptr_t)lo + shape->block, 0, 0};
  }
  close_pieces(a, (uint64_t)r->len);
  return 0;
}

static int check_shaped(const struct agglom_task *task, const struct agglom_section *s,
                        const struct agglom_range *r, struct ag_access *a) {
  const struct agglom_shape *shape = r->base;
  if (shape->index_bytes)
    return check_gather(task, s, shape, r, a);
  if (shape->n_dims)
    return check_dims(task, s, shape, a);
  int err = check_run(task, s, shape->base, r, a);
  return err ? err : a->lo == a->hi ? 0 : make_pieces(a, shape, 0);
}

static bool overlap(const struct ag_access *a, const struct ag_access *b) {
  if (a->lo >= b->hi || b->lo >= a->hi)
    return false;
  for (size_t i = 0, j = 0; i < ag_access_pieces(a) && j < ag_access_pieces(b);) {
    struct ag_interval x = ag_access_piece(a, i), y = ag_access_piece(b, j);
    if (x.lo < y.hi && y.lo < x.hi)
      return true;
    if (x.hi <= y.lo)
      ++i;
    else
      ++j;
  }
  return false;
}

/* What a unit accumulates it uses in no other way: it would find partial results there. */
static int check_accumulated(const struct agglom_task *task, const struct ag_access *access) {
  for (unsigned i = 0; i < task->n_sections; ++i)
    for (unsigned j = 0; (task->sections[i].mode & AGGLOM_ACCUMULATE) && j < task->n_sections; ++j) {
      const struct agglom_section *s = &task->sections[i], *other = &task->sections[j];
      unsigned differs = (s->mode ^ other->mode) & ~(unsigned)AGGLOM_SHAPED;
      if (differs && overlap(&access[i], &access[j])) {
        ag_error("%s:%u: task '%s': section '%s' overlaps section '%s' of the same call; memory that a unit "
                 "accumulates can have no other use in it",
                 task->file, s->line, task->name, s->text, other->text);
        return -EINVAL;
      }
    }
  return 0;
}

int ag_unit_check(const struct agglom_task *task, const struct agglom_range *ranges,
                  struct ag_access *access) {
  for (unsigned i = 0; i < task->n_sections; ++i) {
    const struct agglom_section *s = &task->sections[i];
    const struct agglom_range *r = &ranges[i];
    bool shaped = (s->mode & AGGLOM_SHAPED) != 0;
    access[i] = (struct ag_access){(uintptr_t)r->base, (uintptr_t)r->base, NULL};
    int err = shaped ? check_shaped(task, s, r, &access[i]) : check_run(task, s, r->base, r, &access[i]);
    if (err) {
      for (unsigned k = 0; k <= i; ++k)
        free(access[k].pieces);
      return err;
    }
  }
  if (check_accumulated(task, access)) {
    ag_unit_release(task, access);
    return -EINVAL;
  }
  return 0;
}

void ag_unit_release(const struct agglom_task *task, struct ag_access *access) {
  for (unsigned i = 0; i < task->n_sections; ++i) {
    free(access[i].pieces);
    access[i].pieces = NULL;
  }
}

bool ag_unit_hull(const struct ag_unit *u, unsigned first, struct ag_access *hull, bool *writes) {
  const struct agglom_task *task = u->task;
  bool any = false;
  *writes = false;
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
    *writes |= (task->sections[i].mode & (AGGLOM_OUT | AGGLOM_ACCUMULATE)) != 0;
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
      for (size_t k = 0; k < ag_access_pieces(&u->access[i]); ++k) {
        struct ag_interval piece = ag_access_piece(&u->access[i], k);
        bytes += piece.hi - piece.lo;
      }
  }
  u->cost = cost ? cost : bytes;
}
