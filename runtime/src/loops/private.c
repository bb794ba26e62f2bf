/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "loops/private.h"

#include "sys/align.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum {
  FEW = 2,              /* iterations of a number, at least: each is set and combined */
  NUMBER = 8,           /* bytes of one, at most; an element may be an array of them */
  MOST_BYTES = 1 << 24, /* of all copies of a thread */
  LINE = 64             /* each copy has lines of its own, and lies in them as what it stands for */
};

/* Before the copy's first byte: its pointer may be declared to be aligned. */
static size_t before(const struct ag_access *access) { return access->lo % LINE; }

/* What the copy takes, beginning on a line. */
static size_t room(const struct ag_access *access) {
  return ag_align_up(before(access) + (access->hi - access->lo), LINE);
}

/* The bytes of all copies and of the arguments; 0: none can be made. */
static size_t needed(const struct agglom_task *task, const struct ag_access *access, uint64_t iterations) {
  size_t bytes = ag_align_up(task->args_size, LINE);
  for (unsigned i = 0; i < task->n_sections; ++i) {
    const struct agglom_section *s = &task->sections[i];
    if (!(s->mode & AGGLOM_ACCUMULATE))
      continue;
    size_t of = access[i].hi - access[i].lo, number = s->elem_size < NUMBER ? s->elem_size : NUMBER;
    if (access[i].pieces || of > MOST_BYTES || of / number > iterations / FEW)
      return 0;
    bytes += room(&access[i]);
  }
  return bytes > MOST_BYTES ? 0 : bytes;
}

/* At least so many bytes, which the caller gives back: a body may come here again. */
static char *take(struct ag_worker *w, size_t *bytes) {
  char *memory = w->scratch;
  w->scratch = NULL;
  if (!memory || w->scratch_bytes < *bytes) {
    free(memory);
    memory = aligned_alloc(LINE, ag_align_up(*bytes, LINE));
  } else {
    *bytes = w->scratch_bytes;
  }
  return memory;
}

static void give_back(struct ag_worker *w, char *memory, size_t bytes) {
  free(w->scratch);
  w->scratch = memory;
  w->scratch_bytes = bytes;
}

bool ag_private_run(struct ag_worker *w, const struct agglom_task *task, const void *args,
                    const struct ag_access *access, uint64_t iterations) {
  if (!task->cpu_private || task->args_align > LINE)
    return false;
  size_t bytes = needed(task, access, iterations);
  char *memory = bytes ? take(w, &bytes) : NULL, *at = memory;
  if (!memory)
    return false;
  memcpy(memory, args, task->args_size);
  at += ag_align_up(task->args_size, LINE);
  for (unsigned i = 0; i < task->n_sections; ++i) {
    const struct agglom_section *s = &task->sections[i];
    size_t of = access[i].hi - access[i].lo;
    if (!(s->mode & AGGLOM_ACCUMULATE))
      continue;
    uintptr_t base; /* moves as its section does */
    memcpy(&base, (const char *)args + s->arg_offset, sizeof base);
    base += (uintptr_t)at + before(&access[i]) - access[i].lo;
    memcpy(memory + s->arg_offset, &base, sizeof base);
    s->identity(at + before(&access[i]), of);
    at += room(&access[i]);
  }
  const void *unit = memory;
  task->cpu_private(&unit, 1);
  at = memory + ag_align_up(task->args_size, LINE);
  for (unsigned i = 0; i < task->n_sections; ++i)
    if (task->sections[i].mode & AGGLOM_ACCUMULATE) {
      size_t of = access[i].hi - access[i].lo;
      task->sections[i].combine((void *)access[i].lo, at + before(&access[i]), of);
      at += room(&access[i]);
    }
  give_back(w, memory, bytes);
  return true;
}
