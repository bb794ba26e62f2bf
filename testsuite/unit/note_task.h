/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks of which each unit writes down where it ran. */
#ifndef AG_TEST_NOTE_TASK_H
#define AG_TEST_NOTE_TASK_H

#include "fifo/queues.h"
#include "workers/worker.h"

#include "hold_task.h"

enum { N = 1 << 20, MOST_LAUNCHES = 256, ON_CPU = 1, ON_DEVICE = 2 };

struct note_args {
  unsigned char *where;
};

static unsigned char where[N];
static unsigned sizes[MOST_LAUNCHES]; /* of launches, as they began: several may do so at once */
static unsigned first[MOST_LAUNCHES]; /* the unit that each began with */
static _Atomic unsigned launches;

static void note_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    *((const struct note_args *)args[i])->where += ON_CPU;
}

static void note_emulated(const struct agglom_launch *l, unsigned c) {
  const struct note_args *args = l->units;
  if (!c) {
    unsigned i = atomic_fetch_add(&launches, 1);
    if (i < MOST_LAUNCHES) {
      sizes[i] = l->n_units;
      first[i] = l->start[c];
    }
  }
  for (unsigned u = l->start[c]; u < l->end[c]; ++u)
    *args[u].where += ON_DEVICE;
}

static const struct agglom_section note_sections[] = {
    {"inout(where[0:1])", 2, AGGLOM_INOUT, 1, offsetof(struct note_args, where), 0, NULL, NULL}};

#define NOTE_TASK(Name, Flags, Line)                                                                         \
  static struct agglom_task Name = {.name = #Name,                                                           \
                                    .file = "note.c",                                                        \
                                    .line = (Line),                                                          \
                                    .flags = (Flags),                                                        \
                                    .map = AGGLOM_MAP_BLOCK,                                                 \
                                    .args_size = sizeof(struct note_args),                                   \
                                    .args_align = _Alignof(struct note_args),                                \
                                    .n_sections = 1,                                                         \
                                    .sections = note_sections,                                               \
                                    .cpu = note_cpu,                                                         \
                                    .emulated = note_emulated,                                               \
                                    .kernel = #Name,                                                         \
                                    .module = &mix_module_header}
NOTE_TASK(note_task, 0, 1);
NOTE_TASK(gpu_note_task, AGGLOM_TASK_GPU, 2);
NOTE_TASK(free_note_task, AGGLOM_TASK_INDEPENDENT, 3);

static struct agglom_task *const note_tasks[] = {&note_task, &gpu_note_task, &free_note_task, &hold_task};
static struct agglom_module note_module = TASK_MODULE("note.c", note_tasks);

static inline void start_here(const char *settings) {
  memset(where, 0, sizeof where);
  atomic_store(&launches, 0);
  atomic_store(&let_go, false);
  set_environment(settings);
  assert_int_equal(agglom_register(&note_module), 0);
}

/* At the end of a group of tests, one of which may have failed and left units that nobody lets go. */
static inline int let_all_go(void **state) {
  (void)state;
  atomic_store(&let_go, true);
  return 0;
}

static inline void end_here(void) {
  assert_int_equal(agglom_shutdown(), 0);
  agglom_unregister(&note_module);
}

/* The unit for where[i]. */
static inline void note_one(struct agglom_task *task, int i, long long priority, unsigned long long cost) {
  struct note_args a = {&where[i]};
  struct agglom_range range = {a.where, 0, 1};
  assert_int_equal(agglom_submit(task, &a, &range, priority, cost), 0);
}

/* Units for where[from] .. where[to - 1]. */
static inline void note(struct agglom_task *task, int from, int to, unsigned long long cost) {
  enum { TOO_LONG = 10000 }; /* to run in the call */
  for (int i = from; i < to; ++i) {
    struct ag_worker *w = ag_worker_here();
    unsigned index = task->state->index;
    if (w && index < w->n_queues && w->queues[index] && w->queues[index]->cpu_ns)
      atomic_store(&w->queues[index]->cpu_ns, TOO_LONG);
    note_one(task, i, 0, cost);
  }
}

/* How many at the front of from .. to - 1 ran on CPUs; all others ran on a device. */
static inline int front(int from, int to) {
  int n = from;
  while (n < to && where[n] == ON_CPU)
    ++n;
  for (int i = n; i < to; ++i)
    assert_int_equal(where[i], ON_DEVICE);
  return n - from;
}

#endif /* AG_TEST_NOTE_TASK_H */
