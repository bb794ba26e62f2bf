/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 64 /* region starts keep their address modulo this */, READ = 1, WRITTEN = 2 };

static size_t align_up(size_t n, size_t to) { return (n + to - 1) & ~(to - 1); }

size_t ag_stage_unit_bytes(const struct ag_unit *u) {
  const unsigned *group = u->task->state->group;
  size_t bytes = u->task->args_size;
  for (unsigned i = 0; i < u->task->n_sections; ++i) {
    struct ag_access hull;
    bool writes;
    if (group[i] != i || !ag_unit_hull(u, i, &hull, &writes))
      continue;
    /* A sum of hulls may be more than there is memory in the world: saturate. */
    if (__builtin_add_overflow(bytes, hull.hi - hull.lo, &bytes) ||
        __builtin_add_overflow(bytes, (size_t)KEEP, &bytes))
      return SIZE_MAX;
  }
  return bytes;
}

/* --- Which bytes ------------------------------------------------------------------------------------ */

static int reserve(struct ag_stage *stage, size_t n) {
  if (n <= stage->capacity)
    return 0;
  size_t cap = stage->capacity * 2 > n ? stage->capacity * 2 : n;
  struct ag_interval *regions = malloc(cap * sizeof *regions);
  struct ag_interval *ins = malloc(cap * sizeof *ins);
  struct ag_interval *outs = malloc(cap * sizeof *outs);
  size_t *offset = malloc(cap * sizeof *offset);
  if (!regions || !ins || !outs || !offset) {
    free(regions);
    free(ins);
    free(outs);
    free(offset);
    return -ENOMEM;
  }
  ag_stage_free(stage); /* old content is of no use */
  stage->regions = regions;
  stage->ins = ins;
  stage->outs = outs;
  stage->offset = offset;
  stage->capacity = cap;
  return 0;
}

static void collect(struct ag_stage *stage, const struct ag_batch *batch) {
  const struct agglom_task *task = batch->task;
  const unsigned *group = task->state->group;
  stage->n_regions = stage->n_ins = stage->n_outs = 0;
  for (unsigned k = 0; k < batch->n_units; ++k) {
    const struct ag_unit *u = batch->units[k];
    for (unsigned i = 0; i < task->n_sections; ++i) {
      const struct ag_access *a = &u->access[i];
      unsigned mode = task->sections[i].mode, tag = 0;
      struct ag_access hull;
      bool writes;
      if (a->lo != a->hi) {
        /* What a unit may leave unwritten must be sent, or the commit would bring garbage back. */
        if ((mode & AGGLOM_IN) || !(mode & AGGLOM_OVERWRITES)) {
          stage->ins[stage->n_ins++] = (struct ag_interval){a->lo, a->hi, 0, 0};
          tag |= READ;
        }
        if (mode & AGGLOM_OUT) {
          stage->outs[stage->n_outs++] = (struct ag_interval){a->lo, a->hi, 0, 0};
          tag |= WRITTEN;
        }
        stage->regions[stage->n_regions++] = (struct ag_interval){a->lo, a->hi, tag, 0};
      }
      if (group[i] == i && ag_unit_hull(u, i, &hull, &writes) && (hull.lo != a->lo || hull.hi != a->hi))
        stage->regions[stage->n_regions++] = (struct ag_interval){hull.lo, hull.hi, 0, 0};
    }
  }
  stage->n_regions = ag_intervals_merge(stage->regions, stage->n_regions);
  stage->n_ins = ag_intervals_merge(stage->ins, stage->n_ins);
  stage->n_outs = ag_intervals_merge(stage->outs, stage->n_outs);
}

/* Gives the regions of one kind their places from `at` on; returns the end. */
static size_t arrange(struct ag_stage *stage, size_t at, bool written, bool read_too) {
  for (size_t r = 0; r < stage->n_regions; ++r) {
    const struct ag_interval *region = &stage->regions[r];
    if (((region->tag & WRITTEN) != 0) != written || (written && ((region->tag & READ) != 0) != read_too))
      continue;
    at += (region->lo - at) % KEEP; /* unsigned: the smallest step to the same remainder */
    stage->offset[r] = at;
    at += region->hi - region->lo;
  }
  return at;
}

/* --- Packing ---------------------------------------------------------------------------------------- */

/* Walks the slot's layout from its start. */
struct packer {
  char *host, *device;
  size_t at;
};

/* n elements from `values` (zeros when NULL); returns their device address. */
static void *pack(struct packer *p, const unsigned *values, size_t n) {
  p->at = align_up(p->at, 16);
  size_t at = p->at;
  if (values)
    memcpy(p->host + at, values, n * sizeof *values);
  else
    memset(p->host + at, 0, n * sizeof *values);
  p->at += n * sizeof *values;
  return p->device + at;
}

/* The argument structure of unit u, with pointers as the device sees them. */
static void pack_args(const struct ag_stage *stage, struct ag_unit *u, char *to, const char *device) {
  const struct agglom_task *task = u->task;
  memcpy(to, ag_unit_args(u), task->args_size);
  for (unsigned i = 0; i < task->n_sections; ++i) {
    struct ag_access hull;
    bool writes;
    if (task->state->group[i] != i || !ag_unit_hull(u, i, &hull, &writes))
      continue;
    size_t r = ag_intervals_find(stage->regions, stage->n_regions, hull.lo);
    uintptr_t pointer, there = (uintptr_t)device + stage->offset[r] + (hull.lo - stage->regions[r].lo);
    memcpy(&pointer, to + task->sections[i].arg_offset, sizeof pointer);
    pointer = there - (hull.lo - pointer);
    memcpy(to + task->sections[i].arg_offset, &pointer, sizeof pointer);
  }
}

/* Copies the bytes of a merged set between their places in host memory and in the staging buffer. A piece may
 * reach over several regions that touch. */
static void move(const struct ag_stage *stage, const struct ag_interval *set, size_t n, char *host, bool in) {
  const struct ag_interval *region = stage->regions;
  for (size_t i = 0; i < n; ++i) {
    for (uintptr_t lo = set[i].lo; lo < set[i].hi;) {
      while (region->hi <= lo)
        ++region;
      uintptr_t hi = region->hi < set[i].hi ? region->hi : set[i].hi;
      char *staged = host + stage->offset[region - stage->regions] + (lo - region->lo);
      if (in)
        memcpy(staged, (const void *)lo, hi - lo);
      else
        memcpy((void *)lo, staged, hi - lo);
      lo = hi;
    }
  }
}

int ag_stage_fill(struct ag_stage *stage, const struct ag_batch *batch, void *host, void *device,
                  size_t size) {
  const struct agglom_task *task = batch->task;
  unsigned n = batch->n_units;
  if (reserve(stage, 2 * (size_t)n * task->n_sections + 1))
    return -ENOMEM;
  collect(stage, batch);
  size_t args_align = task->args_align > 64 ? task->args_align : 64;
  size_t arrays = ag_batch_overhead(n, batch->n_preds, &(struct ag_caps){.fill = batch->n_chains});
  if (arrays > size || (size_t)n * task->args_size > size - arrays)
    return -E2BIG;

  struct packer p = {host, device, 0};
  struct agglom_launch *launch = &stage->launch;
  *launch = (struct agglom_launch){.epoch = 1, .n_chains = batch->n_chains, .n_units = n};
  launch->start = pack(&p, batch->start, batch->n_chains);
  launch->end = pack(&p, batch->end, batch->n_chains);
  launch->part = pack(&p, batch->part, batch->n_chains);
  launch->parts = pack(&p, batch->parts, batch->n_chains);
  if (batch->n_preds) {
    launch->pred_start = pack(&p, batch->pred_start, (size_t)n + 1);
    launch->pred = pack(&p, batch->pred, batch->n_preds);
    launch->done = pack(&p, NULL, n);
  }
  size_t units = align_up(p.at, args_align);
  launch->units = (char *)device + units;

  size_t end = arrange(stage, units + (size_t)n * task->args_size, false, true);
  stage->out_begin = end;
  stage->bytes_in = arrange(stage, end, true, true);
  end = arrange(stage, stage->bytes_in, true, false);
  stage->bytes_out = end - stage->out_begin;
  if (end > size)
    return -E2BIG;

  for (unsigned k = 0; k < n; ++k)
    pack_args(stage, batch->units[k], (char *)host + units + (size_t)k * task->args_size, device);
  move(stage, stage->ins, stage->n_ins, host, true);
  return 0;
}

void ag_stage_commit(const struct ag_stage *stage, void *host) {
  move(stage, stage->outs, stage->n_outs, host, false);
}

void ag_stage_free(struct ag_stage *stage) {
  free(stage->regions);
  free(stage->ins);
  free(stage->outs);
  free(stage->offset);
  *stage = (struct ag_stage){0};
}
