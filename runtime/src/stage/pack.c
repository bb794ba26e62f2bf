/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Third step of staging: the bytes themselves, to the staging buffer and back. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "stage/inside.h"
#include "stage/parts.h"
#include "sys/align.h"
#include "sys/log.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

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
  p->at += ag_align_up(n * sizeof *values, AG_ARRAY_ALIGN);
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
    if (!ag_unit_hull(u, i, &hull) || (hull.pieces && hull.pieces->holder))
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
    const struct ag_staged_part *part = ag_stage_part(stage, p->holder);
    if (!part)
      return -EINVAL; /* the memory that holds the pointer is in no section */
    p->at = part->at + (p->holder - part->lo);
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
  struct ag_part_cursor at = {0, 0};
  size_t next = 0;
  for (size_t i = 0; i < n; ++i)
    for (uintptr_t lo = set[i].lo, hi; lo < set[i].hi; lo = hi) {
      size_t r = ag_part_region(stage, lo, &at);
      hi = stage->regions[r].hi < set[i].hi ? stage->regions[r].hi : set[i].hi;
      if (way == COPY_IN && stage->places[r].in_place)
        continue;
      const struct ag_staged_part *part = ag_part_at(stage, lo, &at);
      char *staged = host + part->at + (lo - part->lo);
      if (way == COPY_IN)
        bring(stage, lo, hi, staged, &next);
      else if (way == COPY_OUT)
        memcpy((void *)lo, staged, hi - lo);
      else if (way == IDENTITY)
        section->identity(staged, hi - lo);
      else
        section->combine((void *)lo, staged, hi - lo);
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
  *launch = (struct agglom_launch){
      .epoch = 1, .n_chains = batch->n_chains, .n_units = n, .by_warp = batch->map == AGGLOM_MAP_WARP};
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
    memset((char *)host + at, stage->poison, stage->staged - at);
  }
  for (unsigned k = 0; k < n; ++k)
    pack_args(stage, batch->units[k], (char *)host + stage->units_at + (size_t)k * batch->task->args_size);
  move(stage, stage->ins, stage->n_ins, host, COPY_IN, NULL);
  move_sums(stage, host, IDENTITY);
  ag_stage_find_spans(stage, host);
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
