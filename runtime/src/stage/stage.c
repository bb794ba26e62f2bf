/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "stage/stage.h"
#include "sys/align.h"
#include "sys/log.h"

#include "memory/pinned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  BRIDGE = 4096,    /* outputs of the block with gaps up to this come back in one copy */
  ARRAY_ALIGN = 16, /* of the launch arrays */
  /* Tags of regions. */
  READ = 1,
  WRITTEN = 2
};

/* --- Which bytes ------------------------------------------------------------------------------------ */

/* Makes *array hold n elements; old content is of no use. */
static bool renew(void *array, size_t n, size_t element) {
  void *fresh = n > SIZE_MAX / element ? NULL : malloc(n * element);
  if (!fresh)
    return false;
  void **old = array;
  free(*old);
  *old = fresh;
  return true;
}

static int reserve(struct ag_stage *stage, size_t n) {
  if (n <= stage->capacity)
    return 0;
  size_t cap = stage->capacity * 2 > n ? stage->capacity * 2 : n;
  stage->capacity = 0;
  if (!renew(&stage->regions, cap, sizeof *stage->regions) ||
      !renew(&stage->places, cap, sizeof *stage->places) || !renew(&stage->ins, cap, sizeof *stage->ins) ||
      !renew(&stage->outs, cap, sizeof *stage->outs) || !renew(&stage->uses, 2 * cap, sizeof *stage->uses) ||
      !renew(&stage->sums, cap, sizeof *stage->sums) ||
      !renew(&stage->patches, cap, sizeof *stage->patches) ||
      !renew(&stage->spans, 2 * cap, sizeof *stage->spans) ||
      !renew(&stage->pieces, 2 * cap, sizeof *stage->pieces) ||
      !renew(&stage->order, cap, sizeof *stage->order))
    return -ENOMEM;
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

/* Whether two accesses are one run of bytes: what many units share is collected once, and need not be sorted
 * among what each has for itself. */
static bool same_run(const struct ag_access *a, const struct ag_access *b) {
  return a->lo == b->lo && a->hi == b->hi && !a->pieces && !b->pieces;
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
      continue; /* was collected with section `before` */
    for (unsigned j = i; j < task->n_sections; ++j)
      for (unsigned k = 0; k < batch->n_units && (task->sections[j].mode & ~(unsigned)AGGLOM_SHAPED) == mode;
           ++k) {
        const struct ag_access *a = &batch->units[k]->access[j];
        if (k && same_run(a, &batch->units[k - 1]->access[j]))
          continue;
        for (size_t p = 0; p < ag_access_pieces(a); ++p) {
          stage->sums[stage->n_sums] = ag_access_piece(a, p);
          stage->sums[stage->n_sums++].tag = i;
        }
      }
    stage->n_sums = first + ag_intervals_merge(stage->sums + first, stage->n_sums - first);
  }
}

/* Of the region that holds the address. */
static void hide(struct ag_stage *stage, uintptr_t address) {
  size_t r = ag_intervals_find(stage->regions, stage->n_regions, address);
  if (r < stage->n_regions)
    stage->places[r].hidden = true;
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
      if (!k || !same_run(a, &batch->units[k - 1]->access[i]))
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
  stage->n_uses = ag_intervals_union(stage->uses, stage->ins, stage->n_ins, stage->outs, stage->n_outs);
  memset(stage->places, 0, stage->n_regions * sizeof *stage->places);
  stage->n_moves = stage->n_direct = stage->bytes_reused = stage->bytes_direct = 0;
  for (size_t i = 0; i < stage->n_patches; ++i)
    hide(stage, stage->patches[i].holder);
  for (size_t i = 0; i < stage->n_sums; ++i)
    hide(stage, stage->sums[i].lo);
}

int ag_stage_collect(struct ag_stage *stage, const struct ag_batch *batch) {
  if (reserve(stage, entries(batch)))
    return -ENOMEM;
  stage->sections = batch->task->sections;
  collect(stage, batch);
  return 0;
}

size_t ag_stage_pieces(const struct ag_interval *region, const struct ag_interval *set, size_t n,
                       size_t *first) {
  while (*first < n && set[*first].hi <= region->lo)
    ++*first;
  size_t end = *first;
  while (end < n && set[end].lo < region->hi)
    ++end;
  return end - *first;
}

/* --- Where ------------------------------------------------------------------------------------------ */

/* Gives the regions of one kind their images from `at` on; returns the end. */
static size_t arrange(struct ag_stage *stage, size_t at, bool written, bool read_too) {
  size_t apart =
      stage->poison != 0; /* with the alignment no more than AG_REGION_KEEP, which is planned for */
  for (size_t r = 0; r < stage->n_regions; ++r) {
    const struct ag_interval *region = &stage->regions[r];
    struct ag_place *place = &stage->places[r];
    if (place->in_place || ((region->tag & WRITTEN) != 0) != written ||
        (written && ((region->tag & READ) != 0) != read_too))
      continue;
    at += apart;
    at += (region->lo - at) % AG_REGION_KEEP; /* unsigned: the smallest step to the same remainder */
    place->offset = at;
    at += region->hi - region->lo;
  }
  return at;
}

static int by_device(const void *a, const void *b) {
  const struct ag_order *x = a, *y = b;
  return x->device < y->device ? -1 : x->device > y->device;
}

/* Gives the regions that are written in place their images behind the block's; returns the end. Those with
 * gaps of up to `bridge` bytes on the device keep their distance. */
static size_t arrange_in_place(struct ag_stage *stage, size_t bridge) {
  size_t n = 0, at = stage->block_bytes;
  for (size_t r = 0; r < stage->n_regions; ++r)
    if (stage->places[r].in_place && (stage->regions[r].tag & WRITTEN))
      stage->order[n++] = (struct ag_order){stage->regions[r].lo + stage->places[r].shift, r};
  qsort(stage->order, n, sizeof *stage->order, by_device);
  for (size_t i = 0; i < n; ++i) {
    const struct ag_order *o = &stage->order[i], *last = i ? o - 1 : NULL;
    const struct ag_interval *before = last ? &stage->regions[last->region] : NULL;
    size_t gap = last ? o->device - last->device - (before->hi - before->lo) : SIZE_MAX;
    at += gap <= bridge ? gap : 0;
    stage->places[o->region].offset = at;
    at += stage->regions[o->region].hi - stage->regions[o->region].lo;
  }
  return at;
}

static void add_direct(struct ag_stage *stage, uintptr_t lo, uintptr_t hi) {
  if (lo >= hi || hi - lo < (size_t)AG_DIRECT_LEAST || stage->n_moves == AG_MOVES)
    return;
  stage->moves[stage->n_moves++] = (struct ag_move){.lo = lo, .hi = hi, .direct = true};
  stage->bytes_direct += hi - lo;
}

static int by_start(const void *a, const void *b) {
  const struct ag_move *x = a, *y = b;
  return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Adds moves for what the device can read in place, as far as it has to be sent and is to look on the device
 * as in host memory. */
static void find_direct(struct ag_stage *stage) {
  size_t n = stage->n_moves;
  for (size_t i = 0; i < stage->n_direct; ++i) {
    const struct ag_interval *part = &stage->direct[i];
    for (size_t r = ag_intervals_find(stage->regions, stage->n_regions, part->lo);
         r < stage->n_regions && stage->regions[r].lo < part->hi; ++r) {
      const struct ag_interval *region = &stage->regions[r];
      uintptr_t lo = region->lo > part->lo ? region->lo : part->lo;
      uintptr_t hi = region->hi < part->hi ? region->hi : part->hi;
      if (stage->places[r].in_place || stage->places[r].hidden)
        continue;
      for (size_t m = 0; m < n && stage->moves[m].lo < hi; ++m)
        if (stage->moves[m].hi > lo) {
          add_direct(stage, lo, stage->moves[m].lo);
          lo = stage->moves[m].hi;
        }
      add_direct(stage, lo, hi);
    }
  }
  if (n && stage->n_moves > n)
    qsort(stage->moves, stage->n_moves, sizeof *stage->moves, by_start);
}

static size_t args_align(const struct agglom_task *task) {
  return task->args_align > 64 ? task->args_align : 64;
}

int ag_stage_arrange(struct ag_stage *stage, const struct ag_batch *batch, size_t size) {
  const struct agglom_task *task = batch->task;
  size_t n = batch->n_units;
  size_t arrays = ag_batch_overhead(n, batch->n_preds, &(struct ag_caps){.fill = batch->n_chains});
  if (arrays > size || n * task->args_size > size - arrays)
    return -E2BIG;
  size_t at = 4 * ag_align_up(batch->n_chains * sizeof(unsigned), ARRAY_ALIGN);
  if (batch->n_preds)
    at += ag_align_up((n + 1) * sizeof(unsigned), ARRAY_ALIGN) +
          ag_align_up(batch->n_preds * sizeof(unsigned), ARRAY_ALIGN) +
          ag_align_up(n * sizeof(unsigned), ARRAY_ALIGN);
  stage->units_at = ag_align_up(at, args_align(task));
  at = arrange(stage, stage->units_at + n * task->args_size, false, true);
  stage->filled = arrange(stage, at, true, true);
  stage->block_bytes = arrange(stage, stage->filled, true, false);
  if (stage->poison) /* another batch's block may follow */
    stage->block_bytes += AG_REGION_KEEP;
  find_direct(stage);
  stage->bytes_in = stage->filled;
  for (size_t i = 0; i < stage->n_moves; ++i) {
    struct ag_move *m = &stage->moves[i];
    size_t r = ag_intervals_find(stage->regions, stage->n_regions, m->lo);
    m->to = stage->places[r].offset + (m->lo - stage->regions[r].lo);
    stage->bytes_in -= m->direct ? 0 : m->hi - m->lo;
  }
  at = arrange_in_place(stage, BRIDGE);
  if (at > size)
    at = arrange_in_place(stage, 0);
  return at > size ? -E2BIG : 0;
}

static int by_source(const void *a, const void *b) {
  const struct ag_fetch *x = a, *y = b;
  uintptr_t p = (uintptr_t)x->from, q = (uintptr_t)y->from;
  return p < q ? -1 : p > q;
}

/* Adds a piece for each interval of a merged set, cut where regions end. */
static void add_pieces(struct ag_stage *stage, const struct ag_interval *set, size_t n, char *host) {
  for (size_t i = 0, r = 0; i < n; ++i)
    for (uintptr_t lo = set[i].lo, hi; lo < set[i].hi; lo = hi) {
      if (r == stage->n_regions || stage->regions[r].lo > lo) /* the sets of several operations begin anew */
        r = ag_intervals_find(stage->regions, stage->n_regions, lo);
      while (stage->regions[r].hi <= lo)
        ++r;
      const struct ag_interval *region = &stage->regions[r];
      const struct ag_place *place = &stage->places[r];
      hi = region->hi < set[i].hi ? region->hi : set[i].hi;
      /* NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are computed with */
      const void *from = (const void *)(lo + place->shift);
      stage->pieces[stage->n_pieces++] =
          (struct ag_fetch){host + place->offset + (lo - region->lo), from, hi - lo};
    }
}

/* Finds what comes back: the outputs, neighbours in one span with what lies between them. */
static void find_spans(struct ag_stage *stage, char *host) {
  struct ag_fetch *pieces = stage->pieces;
  stage->n_pieces = stage->n_spans = stage->bytes_out = 0;
  add_pieces(stage, stage->outs, stage->n_outs, host);
  add_pieces(stage, stage->sums, stage->n_sums, host);
  bool sorted = true;
  for (size_t i = 1; i < stage->n_pieces && sorted; ++i)
    sorted = (uintptr_t)pieces[i - 1].from <= (uintptr_t)pieces[i].from;
  if (!sorted)
    qsort(pieces, stage->n_pieces, sizeof *pieces, by_source);
  for (size_t i = 0; i < stage->n_pieces; ++i) {
    uintptr_t end = i ? (uintptr_t)pieces[i - 1].from + pieces[i - 1].bytes : 0;
    size_t gap = (uintptr_t)pieces[i].from - end;
    if (i && gap <= BRIDGE && (char *)pieces[i].to == (char *)pieces[i - 1].to + pieces[i - 1].bytes + gap) {
      ++stage->spans[stage->n_spans - 1].n;
      stage->bytes_out += gap;
    } else {
      stage->spans[stage->n_spans++] = (struct ag_span){i, 1};
    }
    stage->bytes_out += pieces[i].bytes;
  }
}

/* --- Packing ---------------------------------------------------------------------------------------- */

/* Walks the slot's layout from its start. */
struct packer {
  char *host, *device;
  size_t at;
};

/* n elements from `values` (zeros when NULL); returns their device address. */
static void *pack(struct packer *p, const unsigned *values, size_t n) {
  size_t at = p->at;
  if (values)
    memcpy(p->host + at, values, n * sizeof *values);
  else
    memset(p->host + at, 0, n * sizeof *values);
  p->at += ag_align_up(n * sizeof *values, ARRAY_ALIGN);
  return p->device + at;
}

/* Of the region that holds host memory at `address`. */
static const struct ag_place *place_of(const struct ag_stage *stage, uintptr_t address) {
  return &stage->places[ag_intervals_find(stage->regions, stage->n_regions, address)];
}

/* The argument structure of unit u, with pointers as the device sees them. */
static void pack_args(const struct ag_stage *stage, struct ag_unit *u, char *to) {
  const struct agglom_task *task = u->task;
  memcpy(to, ag_unit_args(u), task->args_size);
  for (unsigned i = 0; i < task->n_sections; ++i) {
    struct ag_access hull;
    bool writes;
    if (task->sections[i].group != i || !ag_unit_hull(u, i, &hull, &writes) ||
        (hull.pieces && hull.pieces->holder))
      continue;
    uintptr_t pointer;
    memcpy(&pointer, to + task->sections[i].arg_offset, sizeof pointer);
    pointer += place_of(stage, hull.lo)->shift;
    memcpy(to + task->sections[i].arg_offset, &pointer, sizeof pointer);
  }
}

/* Pointers that units find in memory: puts the device's into the staged copy of that memory. 0 or -EINVAL. */
static int patch(struct ag_stage *stage, char *host) {
  for (size_t i = 0; i < stage->n_patches; ++i) {
    struct ag_patch *p = &stage->patches[i];
    size_t r = ag_intervals_find(stage->regions, stage->n_regions, p->holder);
    if (r == stage->n_regions)
      return -EINVAL; /* the memory that holds the pointer is in no section */
    p->at = stage->places[r].offset + (p->holder - stage->regions[r].lo);
    uintptr_t there = p->pointer + place_of(stage, p->lo)->shift;
    memcpy(host + p->at, &there, sizeof there);
  }
  return 0;
}

enum way { COPY_IN, COPY_OUT, IDENTITY, COMBINE };

/* Copies lo .. hi-1 to the staging buffer, but for what moves bring to its place. *next: index of the first
 * move that may matter, kept from call to call. */
static void bring(const struct ag_stage *stage, uintptr_t lo, uintptr_t hi, char *staged, size_t *next) {
  while (*next < stage->n_moves && stage->moves[*next].hi <= lo)
    ++*next;
  for (size_t i = *next; lo < hi; ++i) {
    const struct ag_move *m = i < stage->n_moves && stage->moves[i].lo < hi ? &stage->moves[i] : NULL;
    uintptr_t end = !m ? hi : m->lo > lo ? m->lo : lo, on = !m ? hi : m->hi < hi ? m->hi : hi;
    memcpy(staged, (const void *)lo, end - lo);
    staged += on - lo;
    lo = on;
  }
}

/* Takes the bytes of a merged set between their places in host memory and in the staging buffer. A piece may
 * reach over several regions that touch. section: of what is accumulated. */
static void move(const struct ag_stage *stage, const struct ag_interval *set, size_t n, char *host,
                 enum way way, const struct agglom_section *section) {
  const struct ag_interval *region = stage->regions;
  size_t next = 0;
  for (size_t i = 0; i < n; ++i) {
    for (uintptr_t lo = set[i].lo; lo < set[i].hi;) {
      while (region->hi <= lo)
        ++region;
      uintptr_t hi = region->hi < set[i].hi ? region->hi : set[i].hi;
      const struct ag_place *place = &stage->places[region - stage->regions];
      char *staged = host + place->offset + (lo - region->lo);
      if (way == COPY_IN) {
        if (!place->in_place)
          bring(stage, lo, hi, staged, &next);
      } else if (way == COPY_OUT)
        memcpy((void *)lo, staged, hi - lo);
      else if (way == IDENTITY)
        section->identity(staged, hi - lo);
      else
        section->combine((void *)lo, staged, hi - lo);
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

static bool is_there(uintptr_t at) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void *)at, 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 || errno != EFAULT;
}

/* For an isolated device, which looks for errors of the program: whether the first and the last byte of all
 * that units name is memory of the process. Copying would crash where it is not. False after an error
 * line. */
static bool all_there(const struct ag_batch *batch) {
  const struct agglom_task *task = batch->task;
  for (unsigned k = 0; k < batch->n_units; ++k)
    for (unsigned i = 0; i < task->n_sections; ++i) {
      const struct ag_access *a = &batch->units[k]->access[i];
      for (size_t p = 0; p < ag_access_pieces(a); ++p) {
        struct ag_interval piece = ag_access_piece(a, p);
        if (piece.lo == piece.hi || (is_there(piece.lo) && is_there(piece.hi - 1)))
          continue;
        ag_error(
            "%s:%u: task '%s': section '%s' of a unit names the memory from %p to %p, which the process does "
            "not have; name what is there, in the first and the last unit, too",
            task->file, task->sections[i].line, task->name, task->sections[i].text, (void *)piece.lo,
            (void *)piece.hi);
        return false;
      }
    }
  return true;
}

int ag_stage_pack(struct ag_stage *stage, const struct ag_batch *batch, void *host, void *device) {
  if (stage->poison && !all_there(batch))
    return -EFAULT;
  unsigned n = batch->n_units;
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
  launch->units = (char *)device + stage->units_at;
  for (size_t r = 0; r < stage->n_regions; ++r)
    if (!stage->places[r].in_place)
      stage->places[r].shift = (uintptr_t)device + stage->places[r].offset - stage->regions[r].lo;
  if (stage->poison) {
    size_t at = stage->units_at + n * batch->task->args_size;
    memset((char *)host + at, stage->poison, stage->filled - at);
  }
  for (unsigned k = 0; k < n; ++k)
    pack_args(stage, batch->units[k], (char *)host + stage->units_at + (size_t)k * batch->task->args_size);
  move(stage, stage->ins, stage->n_ins, host, COPY_IN, NULL);
  move_sums(stage, host, IDENTITY);
  find_spans(stage, host);
  return patch(stage, host);
}

int ag_stage_fill(struct ag_stage *stage, const struct ag_batch *batch, void *host, void *device,
                  size_t size) {
  int err = ag_stage_collect(stage, batch);
  if (!err)
    err = ag_stage_arrange(stage, batch, size);
  return err ? err : ag_stage_pack(stage, batch, host, device);
}

void ag_stage_commit(const struct ag_stage *stage, void *host) {
  /* Patched pointers become the host's again, before they are copied back. */
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
  free(stage->places);
  free(stage->uses);
  free(stage->spans);
  free(stage->pieces);
  free(stage->order);
  *stage = (struct ag_stage){0};
}
