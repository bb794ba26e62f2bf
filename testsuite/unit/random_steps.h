/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs: steps that submit units of all kinds, and tasks that take such steps, in a part of an
 * array; the same steps taken at once give what the array must hold. */
#ifndef RANDOM_STEPS_H
#define RANDOM_STEPS_H

#include "rt_tasks.h"

/* void part(uint64_t *y, long ly, long ny, int depth, uint64_t seed) inout(y[ly:ny]) device(cpu) */
struct part_args {
  uint64_t *y;
  long ly, ny;
  int depth;
  bool plain; /* the reference */
  uint64_t seed;
};

static const struct agglom_section part_sections[] = {
    {"inout(y[ly:ny])", 61, AGGLOM_INOUT, sizeof(uint64_t), offsetof(struct part_args, y), 0, NULL, NULL}};

static void part_cpu(const void *const *args, unsigned long n);

static bool parts_are_alike; /* they have the default priority, so that they may run in the call */

static struct agglom_task part_task = {.name = "part",
                                       .file = "part.c",
                                       .line = 60,
                                       .flags = AGGLOM_TASK_CPU_ONLY,
                                       .args_size = sizeof(struct part_args),
                                       .args_align = _Alignof(struct part_args),
                                       .n_sections = 1,
                                       .sections = part_sections,
                                       .cpu = part_cpu,
                                       .module = &mix_module_header};
static struct agglom_task *const part_tasks[] = {&part_task};
static struct agglom_module part_module = TASK_MODULE("part.c", part_tasks);

/* Steps of a random program on y[ly .. ly+ny-1]; plain ones are taken at once. */
static void steps(const struct part_args *a, int n) {
  uint64_t seed = a->seed;
  for (int k = 0; k < n; ++k) {
    uint64_t kind = next_random(&seed) % 16;
    long l = a->ly + (long)(next_random(&seed) % (uint64_t)a->ny), room = a->ly + a->ny - l;
    long m = 1 + (long)(next_random(&seed) % (uint64_t)(room < 9 ? room : 9));
    uint64_t value = next_random(&seed);
    if (kind == 0 && a->depth > 0) {
      struct part_args inner = {a->y, l, room, a->depth - 1, a->plain, value | 1};
      const void *args = &inner;
      if (a->plain)
        part_cpu(&args, 1);
      else
        agglom_submit(&part_task, &inner, &(struct agglom_range){a->y, l, room},
                      parts_are_alike ? 1 : (long long)(value % 5) - 2, 0);
    } else if (kind == 1) {
      if (!a->plain && agglom_wait())
        abort();
    } else if (kind == 2) {
      struct grow_args g = {a->y + l, m};
      if (a->plain)
        grow_range(&g, 0, 1);
      else
        submit_grow(a->y + l, m);
    } else if (kind < 8) {
      struct tally_args t = {a->y, l, m, value % 1000, kind == 3};
      if (a->plain)
        tally(&t);
      else
        submit_tally(t);
    } else {
      struct mix_args x = {.y = a->y, .x = a->y, .ly = l, .ny = m, .lx = a->ly, .v = value % 1000};
      x.nx = l - a->ly < 5 ? l - a->ly : 5; /* what lies before */
      struct agglom_task *tasks[] = {&mix_task, &mix_task, &thread_task, &host_task};
      if (a->plain)
        mix(&x);
      else
        submit_mix(tasks[value % 4], x);
    }
  }
}

static void part_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    steps(args[i], 12);
}

#endif /* RANDOM_STEPS_H */
