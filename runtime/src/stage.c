/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 64 /* region starts keep their address modulo this */, READ = 1, WRITTEN = 2 };

static size_t align_up(size_t n, size_t to) { return (n + to - 1) & ~(to - 1); }

size_t ag_stage_unit_bytes(const struct ag_unit *u) {
  size_t bytes = u->task->args_size;
  for (unsigned i = 0; i < u->task->n_sections; ++i) {
    struct ag_access hull;
    bool writes;
    if (u->task->sections[i].group != i || !ag_unit_hull(u, i, &hull, &writes))
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
  struct ag_interval *sums = malloc(cap * sizeof *sums);
  struct ag_patch *patches = malloc(cap * sizeof *patches);
  size_t *offset = malloc(cap * sizeof *offset);
  if (!regions || !ins || !outs || !sums || !patches || !offset) {
    free(regions);
    free(ins);
    free(outs);
    free(sums);
    free(patches);
    free(offset);
    return -ENOMEM;
  }
  ag_stage_free(stage); /* old content is of no use */
  stage->regions = regions;
  stage->ins = ins;
  stage->outs = outs;
  stage->sums = sums;
  stage->patches = patches;
  stage->offset = offset;
  stage->capacity = cap;
  return 0;
}

/* How many entries each array may get: per access a region and a patch, per group and per patch a hull. */
static size_t entries(const struct ag_batch *batch) {
  size_t accesses = (size_t)batch->n_units * batch->task->n_sections, pieces = 0;
  for (unsigned k = 0; k < batch->n_units; ++k)
    for (unsigned i = 0; i < batch->task->n_sections; ++i)
      pieces += ag_access_pieces(&batch->units[k]->access[i]);
  return (pieces > 3 * accesses ? pieces : 3 * accesses) + 1;
}

static int by_holder(const void *a, const void *b) {
  const struct ag_patch *x = a, *y = b;
  return x->holder < y->holder ? -1 : x->holder > y->holder;
}

/* One pointer in memory serves all units of the batch: what they reach through it lies in one region. */
static void merge_patches(struct ag_stage *stage) {
  if (!stage->n_patches)
    return;
  qsort(stage->patches, stage->n_patches, sizeof *stage->patches, by_holder);
  size_t last = 0;
  for (size_t i = 1; i < stage->n_patches; ++i) {
    struct ag_patch next = stage->patches[i], *p = &stage->patches[last];
    if (next.holder != p->holder) {
      stage->patches[++last] = next;
      continue;
    }
    p->lo = next.lo < p->lo ? next.lo : p->lo;
    p->hi = next.hi > p->hi ? next.hi : p->hi;
  }
  stage->n_patches = last + 1;
  for (size_t i = 0; i < stage->n_patches; ++i)
    stage->regions[stage->n_regions++] =
        (struct ag_interval){stage->patches[i].lo, stage->patches[i].hi, 0, 0};
}

static void collect_access(struct ag_stage *stage, const struct ag_access *a, unsigned mode) {
  /* What a unit may leave unwritten must be sent, or the commit would bring garbage back. */
  bool sums = (mode & AGGLOM_ACCUMULATE) != 0;
  bool reads = (mode & AGGLOM_IN) || !(mode & AGGLOM_OVERWRITES), writes = sums || (mode & AGGLOM_OUT);
  for (size_t k = 0; k < ag_access_pieces(a) && !sums; ++k) {
    struct ag_interval piece = ag_access_piece(a, k);
    if (reads)
      stage->ins[stage->n_ins++] = piece;
    if (writes)
      stage->outs[stage->n_outs++] = piece;
  }
  if (a->lo == a->hi)
    return;
  /* Between pieces nothing is known of the device's bytes, but nothing is copied back there either. */
  unsigned tag = (reads ? READ : 0u) | (writes ? WRITTEN : 0u);
  stage->regions[stage->n_regions++] = (struct ag_interval){a->lo, a->hi, tag, 0};
  if (a->pieces && a->pieces->holder)
    stage->patches[stage->n_patches++] =
        (struct ag_patch){(uintptr_t)a->pieces->holder, a->lo, a->hi, a->pieces->pointer, 0};
}

/* The accumulated bytes, merged for each operation and its section: several units have one partial result. */
static void collect_sums(struct ag_stage *stage, const struct ag_batch *batch) {
  const struct agglom_task *task = batch->task;
  stage->n_sums = 0;
  for (unsigned i = 0; i < task->n_sections; ++i) {
    size_t first = stage->n_sums;
    unsigned mode = task->sections[i].mode & ~(unsigned)AGGLOM_SHAPED, before = 0;
    if (!(mode & AGGLOM_ACCUMULATE))
      continue;
    while ((task->sections[before].mode & ~(unsigned)AGGLOM_SHAPED) != mode)
      ++before;
    if (before < i)
      continue; /* went with that one */
    for (unsigned j = i; j < task->n_sections; ++j)
      for (unsigned k = 0; k < batch->n_units && (task->sections[j].mode & ~(unsigned)AGGLOM_SHAPED) == mode;
           ++k) {
        const struct ag_access *a = &batch->units[k]->access[j];
        for (size_t p = 0; p < ag_access_pieces(a); ++p) {
          stage->sums[stage->n_sums] = ag_access_piece(a, p);
          stage->sums[stage->n_sums++].tag = i;
        }
      }
    stage->n_sums = first + ag_intervals_merge(stage->sums + first, stage->n_sums - first);
  }
}

static void collect(struct ag_stage *stage, const struct ag_batch *batch) {
  const struct agglom_task *task = batch->task;
  stage->n_regions = stage->n_ins = stage->n_outs = stage->n_patches = 0;
  for (unsigned k = 0; k < batch->n_units; ++k) {
    const struct ag_unit *u = batch->units[k];
    for (unsigned i = 0; i < task->n_sections; ++i) {
      const struct ag_access *a = &u->access[i];
      struct ag_access hull;
      bool writes;
      collect_access(stage, a, task->sections[i].mode);
      if (task->sections[i].group == i && ag_unit_hull(u, i, &hull, &writes) &&
          (hull.lo != a->lo || hull.hi != a->hi))
        stage->regions[stage->n_regions++] = (struct ag_interval){hull.lo, hull.hi, 0, 0};
    }
  }
  merge_patches(stage);
  collect_sums(stage, batch);
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

/* Where the host memory at `address`, which some region holds, lies in the slot. */
static size_t place_of(const struct ag_stage *stage, uintptr_t address) {
  size_t r = ag_intervals_find(stage->regions, stage->n_regions, address);
  return stage->offset[r] + (address - stage->regions[r].lo);
}

/* The argument structure of unit u, with pointers as the device sees them. */
static void pack_args(const struct ag_stage *stage, struct ag_unit *u, char *to, const char *device) {
  const struct agglom_task *task = u->task;
  memcpy(to, ag_unit_args(u), task->args_size);
  for (unsigned i = 0; i < task->n_sections; ++i) {
    struct ag_access hull;
    bool writes;
    if (task->sections[i].group != i || !ag_unit_hull(u, i, &hull, &writes) ||
        (hull.pieces && hull.pieces->holder))
      continue;
    uintptr_t pointer, there = (uintptr_t)device + place_of(stage, hull.lo);
    memcpy(&pointer, to + task->sections[i].arg_offset, sizeof pointer);
    pointer = there - (hull.lo - pointer);
    memcpy(to + task->sections[i].arg_offset, &pointer, sizeof pointer);
  }
}

/* The pointers that units find in memory: the staged copy of that memory gets the device's. */
static int patch(struct ag_stage *stage, char *host, const char *device) {
  for (size_t i = 0; i < stage->n_patches; ++i) {
    struct ag_patch *p = &stage->patches[i];
    if (ag_intervals_find(stage->regions, stage->n_regions, p->holder) == stage->n_regions)
      return -EINVAL; /* the memory that holds the pointer is in no section */
    p->at = place_of(stage, p->holder);
    uintptr_t there = (uintptr_t)device + place_of(stage, p->lo) - (p->lo - p->pointer);
    memcpy(host + p->at, &there, sizeof there);
  }
  return 0;
}

enum way { COPY_IN, COPY_OUT, IDENTITY, COMBINE };

/* Takes the bytes of a merged set between their places in host memory and in the staging buffer. A piece may
 * reach over several regions that touch. section: of what is accumulated. */
static void move(const struct ag_stage *stage, const struct ag_interval *set, size_t n, char *host,
                 enum way way, const struct agglom_section *section) {
  const struct ag_interval *region = stage->regions;
  for (size_t i = 0; i < n; ++i) {
    for (uintptr_t lo = set[i].lo; lo < set[i].hi;) {
      while (region->hi <= lo)
        ++region;
      uintptr_t hi = region->hi < set[i].hi ? region->hi : set[i].hi;
      char *staged = host + stage->offset[region - stage->regions] + (lo - region->lo);
      if (way == COPY_IN)
        memcpy(staged, (const void *)lo, hi - lo);
      else if (way == COPY_OUT)
        memcpy((void *)lo, staged, hi - lo);
      else if (way == IDENTITY)
        section->identity(staged, (hi - lo) / section->elem_size);
      else
        section->combine((void *)lo, staged, (hi - lo) / section->elem_size);
      lo = hi;
    }
  }
}

/* The partial results, operation by operation. */
static void move_sums(const struct ag_stage *stage, char *host, enum way way) {
  for (size_t i = 0, end; i < stage->n_sums; i = end) {
    for (end = i + 1; end < stage->n_sums && stage->sums[end].tag == stage->sums[i].tag;)
      ++end;
    move(stage, stage->sums + i, end - i, host, way, &stage->sections[stage->sums[i].tag]);
  }
}

int ag_stage_fill(struct ag_stage *stage, const struct ag_batch *batch, void *host, void *device,
                  size_t size) {
  const struct agglom_task *task = batch->task;
  unsigned n = batch->n_units;
  if (reserve(stage, entries(batch)))
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
  move(stage, stage->ins, stage->n_ins, host, COPY_IN, NULL);
  stage->sections = task->sections;
  move_sums(stage, host, IDENTITY);
  return patch(stage, host, device);
}

void ag_stage_commit(const struct ag_stage *stage, void *host) {
  /* The host's pointers are the host's. */
  for (size_t i = 0; i < stage->n_patches; ++i)
    memcpy((char *)host + stage->patches[i].at, &stage->patches[i].pointer, sizeof stage->patches[i].pointer);
  move(stage, stage->outs, stage->n_outs, host, COPY_OUT, NULL);
  move_sums(stage, host, COMBINE);
}

void ag_stage_free(struct ag_stage *stage) {
  free(stage->regions);
  free(stage->ins);
  free(stage->outs);
  free(stage->sums);
  free(stage->patches);
  free(stage->offset);
  *stage = (struct ag_stage){0};
}
