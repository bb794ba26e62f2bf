/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "loops/look.h"

#include <stdalign.h>
#include <stdlib.h>

static int note(struct ag_capture *base, struct agglom_task *task, const void *args,
                const struct agglom_range *ranges, long long priority, unsigned long long cost) {
  struct ag_look *look = (struct ag_look *)(void *)base;
  _Atomic bool silent = true;
  (void)args;
  (void)priority;
  (void)cost;
  if (look->calls++)
    return 0;
  struct ag_access *access = look->here;
  if (task->n_sections > AG_SECTIONS_HERE)
    access = malloc(task->n_sections * sizeof *access);
  if (access && !ag_unit_check(task, ranges, access, &silent)) {
    look->part.task = task;
    look->part.access = access;
  } else if (access != look->here) {
    free(access);
  }
  return 0;
}

bool ag_look_at(struct ag_worker *w, const struct ag_for *call, uint64_t from, uint64_t to, void *slot,
                struct ag_look *look) {
  look->base = (struct ag_capture){.take = note};
  look->part.access = NULL;
  look->calls = 0;
  ag_chunk_submit(w, call, from, to, slot, &look->base);
  return look->part.access && look->calls == 1;
}

void ag_look_forget(struct ag_look *look) {
  if (look->part.access)
    ag_unit_release(look->part.task, look->part.access);
  if (look->part.access != look->here)
    free(look->part.access);
}

bool ag_is_one_unit(struct ag_worker *w, const struct ag_for *call) {
  _Alignas(max_align_t) char here[AG_SLOTS_HERE];
  size_t size;
  char *slot = ag_run_slots(call, 1, here, sizeof here, &size);
  if (!slot)
    return false;
  struct ag_look look;
  bool fine = ag_look_at(w, call, 0, call->n, slot, &look);
  ag_look_forget(&look);
  if (slot != here)
    free(slot);
  return fine;
}

bool ag_ranges_apart(struct ag_worker *w, const struct ag_for *call, uint64_t first, uint64_t cut,
                     uint64_t end) {
  _Alignas(max_align_t) char here[AG_SLOTS_HERE];
  size_t size;
  char *slots = ag_run_slots(call, 2, here, sizeof here, &size);
  if (!slots)
    return false;
  struct ag_look a, b;
  bool fine = ag_look_at(w, call, first, cut, slots, &a);
  fine = ag_look_at(w, call, cut, end, slots + size, &b) && fine && !ag_parts_conflict(&a.part, &b.part);
  ag_look_forget(&a);
  ag_look_forget(&b);
  if (slots != here)
    free(slots);
  return fine;
}

/* Whether different indexes of the section are different bytes, in the whole loop. Pieces that are no box may
 * have come from rows that overlap. */
static bool is_one_to_one(const struct ag_access *whole) {
  return !whole->pieces || whole->pieces->box.n_dims;
}

/* Whether no two iterations write the same bytes of section i. What it names moves on by as much from each
 * iteration to the next, so if the first two are apart, all are. one, two: these; NULL: their indexes are
 * known to differ. */
static bool is_written_apart(const struct ag_look *one, const struct ag_look *two, const struct ag_look *all,
                             unsigned i) {
  if (!(all->part.task->sections[i].mode & AGGLOM_OUT))
    return true;
  if (!one)
    return is_one_to_one(&all->part.access[i]);
  const struct ag_access *a = &one->part.access[i], *b = &two->part.access[i];
  return a->hi <= b->lo || b->hi <= a->lo;
}

/* Whether no other section uses what section i writes or accumulates, nor the other way round. */
static bool is_elsewhere(const struct ag_look *all, unsigned i) {
  const struct agglom_task *task = all->part.task;
  const struct ag_access *whole = all->part.access;
  for (unsigned j = 0; j < task->n_sections; ++j)
    if (j != i && ag_modes_conflict(task->sections[i].mode, task->sections[j].mode) &&
        ag_access_overlap(&whole[i], &whole[j]))
      return false;
  return true;
}

enum { LOOKS = 3 };

/* The three looks are made by now, or the last one alone. */
static bool sections_apart(const struct ag_look *one, const struct ag_look *two, const struct ag_look *all,
                           const char *slots, size_t slots_bytes) {
  for (unsigned i = 0; i < all->part.task->n_sections; ++i) {
    bool own = all->part.access[i].lo - (uintptr_t)slots < slots_bytes; /* a piece's own */
    if (!own && (!is_written_apart(one, two, all, i) || !is_elsewhere(all, i)))
      return false;
  }
  return true;
}

bool ag_iterations_apart(struct ag_worker *w, const struct ag_for *call, bool devices) {
  _Alignas(max_align_t) char here[AG_SLOTS_HERE];
  size_t size;
  bool told = call->apart && !devices; /* a device sends back the boxes around what chunks write */
  if (call->n == 1)
    return true;
  char *slots = told || call->even ? ag_run_slots(call, LOOKS, here, sizeof here, &size) : NULL;
  if (!slots)
    return false;
  struct ag_look one, two, all;
  bool fine = ag_look_at(w, call, 0, call->n, slots + 2 * size, &all);
  fine = fine &&
         !(devices && all.base.asked); /* to look at each iteration would take longer than to see to order */
  if (told) {
    fine = fine && sections_apart(NULL, NULL, &all, slots, LOOKS * size);
  } else {
    fine = ag_look_at(w, call, 0, 1, slots, &one) && fine;
    fine = ag_look_at(w, call, 1, 2, slots + size, &two) && fine;
    fine = fine && one.part.task == two.part.task && one.part.task == all.part.task &&
           sections_apart(&one, &two, &all, slots, LOOKS * size);
    ag_look_forget(&one);
    ag_look_forget(&two);
  }
  ag_look_forget(&all);
  if (slots != here)
    free(slots);
  return fine;
}
