/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Task descriptors as agglomcc would emit them, written by hand, for tests of the whole runtime. */
#ifndef RT_TASKS_H
#define RT_TASKS_H

#include <agglom/abi.h>
#include <agglom/rt.h>

#include "random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A module without device code, of an array of tasks. */
#define TASK_MODULE(FILE, TASKS)                                                                             \
  {.abi_version = AGGLOM_ABI_VERSION,                                                                        \
   .size = sizeof(struct agglom_module),                                                                     \
   .file = (FILE),                                                                                           \
   .producer = "by hand",                                                                                    \
   .n_tasks = sizeof(TASKS) / sizeof(TASKS)[0],                                                              \
   .tasks = (TASKS)}

/* NAME_cpu() and NAME_emulated(): ONE(const ARGS *) for each unit. */
#define TASK_BODIES(NAME, ARGS, ONE)                                                                         \
  static void NAME##_cpu(const void *const *args, unsigned long n) {                                         \
    for (unsigned long i = 0; i < n; ++i)                                                                    \
      ONE(args[i]);                                                                                          \
  }                                                                                                          \
  static void NAME##_emulated(const struct agglom_launch *l, unsigned c) {                                   \
    const ARGS *args = l->units;                                                                             \
    for (unsigned u = l->start[c]; u < l->end[c]; ++u) {                                                     \
      agglom_emulated_begin(l, u);                                                                           \
      ONE(&args[u]);                                                                                         \
      agglom_emulated_end(l, u);                                                                             \
    }                                                                                                        \
  }

/* --- mix: void mix(uint64_t *y, long ly, long ny, const uint64_t *x, long lx, long nx, uint64_t v)
 *     inout(y[ly:ny]) in(x[lx:nx]): y[j] = y[j] * 31 + sum(x) + v. Shows order: it does not commute. ------
 */

struct mix_args {
  uint64_t *y;
  const uint64_t *x;
  long ly, ny, lx, nx;
  uint64_t v;
};

static inline void mix(const struct mix_args *a) {
  uint64_t sum = a->v;
  for (long i = 0; i < a->nx; ++i)
    sum = sum * 7 + a->x[a->lx + i];
  for (long j = 0; j < a->ny; ++j)
    a->y[a->ly + j] = a->y[a->ly + j] * 31 + sum;
}

static _Atomic unsigned long mix_on_cpu, mix_on_device;
static _Atomic unsigned mix_largest; /* units of the largest launch */

static void mix_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    mix(args[i]);
  atomic_fetch_add(&mix_on_cpu, n);
}

static void mix_emulated(const struct agglom_launch *l, unsigned c) {
  const struct mix_args *args = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    mix(&args[u]);
    agglom_emulated_end(l, u);
  }
  atomic_fetch_add(&mix_on_device, l->end[c] - l->start[c]);
  unsigned largest = atomic_load(&mix_largest);
  while (largest < l->n_units && !atomic_compare_exchange_weak(&mix_largest, &largest, l->n_units)) {
  }
}

static const struct agglom_section mix_sections[] = {
    {"inout(y[ly:ny])", 11, AGGLOM_INOUT, sizeof(uint64_t), offsetof(struct mix_args, y), 0, NULL, NULL},
    {"in(x[lx:nx])", 12, AGGLOM_IN, sizeof(uint64_t), offsetof(struct mix_args, x), 1, NULL, NULL},
};

static const struct agglom_module mix_module_header;

/* A task that mixes; what else is to be said of it comes last. */
#define MIX_TASK(title, at, ...)                                                                             \
  {.name = title,                                                                                            \
   .file = "mix.c",                                                                                          \
   .line = at,                                                                                               \
   .args_size = sizeof(struct mix_args),                                                                     \
   .args_align = _Alignof(struct mix_args),                                                                  \
   .n_sections = 2,                                                                                          \
   .sections = mix_sections,                                                                                 \
   .cpu = mix_cpu,                                                                                           \
   .module = &mix_module_header,                                                                             \
   __VA_ARGS__}

static struct agglom_task mix_task =
    MIX_TASK("mix", 10, .map = AGGLOM_MAP_BLOCK, .emulated = mix_emulated, .kernel = "mix");

/* The same in thread mapping. */
static struct agglom_task thread_task =
    MIX_TASK("mix_thread", 20, .map = AGGLOM_MAP_THREAD, .emulated = mix_emulated, .kernel = "mix_thread");

/* The same on the CPU only. */
static struct agglom_task host_task = MIX_TASK("mix_host", 30, .flags = AGGLOM_TASK_CPU_ONLY);

static inline int submit_mix(struct agglom_task *task, struct mix_args a) {
  struct agglom_range ranges[] = {{a.y, a.ly, a.ny}, {a.x, a.lx, a.nx}};
  return agglom_submit(task, &a, ranges, 0, 0);
}

/* --- grow: void grow(uint64_t *y, long n) inout(y[0:n]) with a loop: y[j] = y[j] * 5 + j; splittable -------
 */

struct grow_args {
  uint64_t *y;
  long n;
};

static void grow_range(const struct grow_args *a, long first, long step) {
  for (long j = first; j < a->n; j += step)
    a->y[j] = a->y[j] * 5 + (uint64_t)j;
}

static void grow_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    grow_range(args[i], 0, 1);
}

static _Atomic unsigned grow_most_parts;

static void grow_emulated(const struct agglom_launch *l, unsigned c) {
  const struct grow_args *args = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    grow_range(&args[u], l->part[c], l->parts[c]);
    agglom_emulated_end(l, u);
  }
  if (l->parts[c] > atomic_load(&grow_most_parts))
    atomic_store(&grow_most_parts, l->parts[c]);
}

static const struct agglom_section grow_sections[] = {
    {"inout(y[0:n])", 41, AGGLOM_INOUT, sizeof(uint64_t), offsetof(struct grow_args, y), 0, NULL, NULL}};

static struct agglom_task grow_task = {.name = "grow",
                                       .file = "grow.c",
                                       .line = 40,
                                       .flags = AGGLOM_TASK_SPLITTABLE,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct grow_args),
                                       .args_align = _Alignof(struct grow_args),
                                       .n_sections = 1,
                                       .sections = grow_sections,
                                       .cpu = grow_cpu,
                                       .emulated = grow_emulated,
                                       .kernel = "grow",
                                       .module = &mix_module_header};

static inline int submit_grow(uint64_t *y, long n) {
  struct grow_args a = {y, n};
  struct agglom_range range = {y, 0, n};
  return agglom_submit(&grow_task, &a, &range, 0, (unsigned long long)n);
}

/* --- tally: void tally(uint64_t *y, long ly, long ny, uint64_t v) accumulate(+: y[ly:ny]): y[j] += v * j,
 * and the same with ^
 * ------------------------------------------------------------------------------------------------
 */

struct tally_args {
  uint64_t *y;
  long ly, ny;
  uint64_t v;
  bool flip; /* ^ */
};

static void tally(const struct tally_args *a) {
  for (long j = a->ly; j < a->ly + a->ny; ++j)
    if (a->flip)
      __atomic_fetch_xor(&a->y[j], a->v, __ATOMIC_RELAXED);
    else
      __atomic_fetch_add(&a->y[j], a->v * (uint64_t)j, __ATOMIC_RELAXED);
}

TASK_BODIES(tally, struct tally_args, tally)

static void tally_identity(void *to, unsigned long long bytes) { memset(to, 0, bytes); }
static void tally_combine(void *into, const void *from, unsigned long long bytes) {
  for (unsigned long long i = 0; i < bytes / sizeof(uint64_t); ++i)
    __atomic_fetch_add((uint64_t *)into + i, ((const uint64_t *)from)[i], __ATOMIC_RELAXED);
}
static void flip_combine(void *into, const void *from, unsigned long long bytes) {
  for (unsigned long long i = 0; i < bytes / sizeof(uint64_t); ++i)
    __atomic_fetch_xor((uint64_t *)into + i, ((const uint64_t *)from)[i], __ATOMIC_RELAXED);
}

static const struct agglom_section tally_sections[] = {
    {"accumulate(+: y[ly:ny])", 71, AGGLOM_ACCUMULATE | 1 << AGGLOM_OPERATION_SHIFT, sizeof(uint64_t),
     offsetof(struct tally_args, y), 0, tally_identity, tally_combine}};
static const struct agglom_section flip_sections[] = {
    {"accumulate(^: y[ly:ny])", 81, AGGLOM_ACCUMULATE | 7 << AGGLOM_OPERATION_SHIFT, sizeof(uint64_t),
     offsetof(struct tally_args, y), 0, tally_identity, flip_combine}};

static struct agglom_task tally_task = {.name = "tally",
                                        .file = "tally.c",
                                        .line = 70,
                                        .map = AGGLOM_MAP_BLOCK,
                                        .args_size = sizeof(struct tally_args),
                                        .args_align = _Alignof(struct tally_args),
                                        .n_sections = 1,
                                        .sections = tally_sections,
                                        .cpu = tally_cpu,
                                        .emulated = tally_emulated,
                                        .kernel = "tally",
                                        .module = &mix_module_header};
static struct agglom_task flip_task = {.name = "flip",
                                       .file = "tally.c",
                                       .line = 80,
                                       .map = AGGLOM_MAP_THREAD,
                                       .args_size = sizeof(struct tally_args),
                                       .args_align = _Alignof(struct tally_args),
                                       .n_sections = 1,
                                       .sections = flip_sections,
                                       .cpu = tally_cpu,
                                       .emulated = tally_emulated,
                                       .kernel = "flip",
                                       .module = &mix_module_header};

static inline int submit_tally(struct tally_args a) {
  struct agglom_range range = {a.y, a.ly, a.ny};
  return agglom_submit(a.flip ? &flip_task : &tally_task, &a, &range, 0, 0);
}

/* --- call: a CPU-only task without sections that calls a function ------------------------------------------
 */

struct call_args {
  void (*function)(void *);
  void *context;
};

static void call_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct call_args *a = args[i];
    a->function(a->context);
  }
}

static struct agglom_task call_task = {.name = "call",
                                       .file = "call.c",
                                       .line = 50,
                                       .flags = AGGLOM_TASK_CPU_ONLY,
                                       .args_size = sizeof(struct call_args),
                                       .args_align = _Alignof(struct call_args),
                                       .cpu = call_cpu,
                                       .module = &mix_module_header};

static inline int submit_call(void (*function)(void *), void *context, long long priority) {
  struct call_args a = {function, context};
  return agglom_submit(&call_task, &a, NULL, priority, 0);
}

/* --- The module
 * ---------------------------------------------------------------------------------------------- */

static struct agglom_task *const all_tasks[] = {&mix_task,  &thread_task, &host_task, &grow_task,
                                                &call_task, &tally_task,  &flip_task};

static struct agglom_module tasks_module = TASK_MODULE("tasks.c", all_tasks);

/* Sets the environment for the runtime's next start: "AGGLOM_X=y AGGLOM_Z=w"; all else is unset, but for
 * AGGLOM_BATCH=maximal AGGLOM_SPLIT=gpu. */
static inline void set_environment(const char *settings) {
  static const char *const names[] = {
      "AGGLOM_DEVICES",      "AGGLOM_WORKERS", "AGGLOM_CUS",     "AGGLOM_BATCH",    "AGGLOM_SPLIT",
      "AGGLOM_EMULATE",      "AGGLOM_FAULT",   "AGGLOM_REPORT",  "AGGLOM_MAP",      "AGGLOM_TRACE",
      "AGGLOM_TRACE_MEMORY", "AGGLOM_REUSE",   "AGGLOM_TIMEOUT", "AGGLOM_COALESCE", "AGGLOM_MODELS",
      "AGGLOM_OBJECTIVE",    "AGGLOM_LINGER"};
  char text[2048], *save = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    unsetenv(names[i]);
  /* Unless they say otherwise: tests that count launches want these to depend on what is submitted alone. */
  setenv("AGGLOM_BATCH", "maximal", 1);
  setenv("AGGLOM_SPLIT", "gpu", 1);
  snprintf(text, sizeof text, "%s", settings);
  for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
    char *equals = strchr(word, '=');
    *equals = '\0';
    setenv(word, equals + 1, 1);
  }
}

/* Starts the runtime with these settings and no counts. */
static inline void start_with(const char *settings) {
  set_environment(settings);
  atomic_store(&mix_on_cpu, 0);
  atomic_store(&mix_on_device, 0);
  atomic_store(&mix_largest, 0);
  atomic_store(&grow_most_parts, 0);
  assert_int_equal(agglom_register(&tasks_module), 0);
  assert_int_equal(agglom_init(), 0);
}

#endif /* RT_TASKS_H */
