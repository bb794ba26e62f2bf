/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small programs whose results show each unit that was lost, repeated or out of order: cells with reads of
 * their neighbours, a factorisation in blocks, gathers with an accumulation, cells by themselves, and memory
 * that devices read where it is. Each unit also adds 1 to an entry of its own in a ledger. */
#ifndef FAULT_WORKLOADS_H
#define FAULT_WORKLOADS_H

#include "memory/pinned.h"
#include "rt_tasks.h"
#include "sweep_ptx.h"

/* --- step: out[0:n] in terms of itself, a[0:n] and b[0:n]; does not commute -------------------------------
 */

struct step_args {
  uint64_t *out;
  const uint64_t *a, *b;
  uint64_t *ledger;
  long n;
  uint64_t v;
};

static void step_one(const struct step_args *s) {
  for (long i = 0; i < s->n; ++i)
    s->out[i] = s->out[i] * 31 + s->a[i] * 7 + s->b[s->n - 1 - i] + s->v;
  ++*s->ledger;
}

TASK_BODIES(step, struct step_args, step_one)

static const struct agglom_section step_sections[] = {
    {"inout(out[0:n])", 11, AGGLOM_INOUT, 8, offsetof(struct step_args, out), 0, NULL, NULL},
    {"in(a[0:n])", 12, AGGLOM_IN, 8, offsetof(struct step_args, a), 1, NULL, NULL},
    {"in(b[0:n])", 13, AGGLOM_IN, 8, offsetof(struct step_args, b), 2, NULL, NULL},
    {"inout(ledger[0:1])", 14, AGGLOM_INOUT, 8, offsetof(struct step_args, ledger), 3, NULL, NULL},
};

/* --- pick: sum[0:1] += the elements of p that the indexes name ---------------------------------------------
 */

struct pick_args {
  const uint64_t *p;
  const int *at;
  uint64_t *sum, *ledger;
  long n;
  uint64_t v;
};

static void pick_one(const struct pick_args *s) {
  uint64_t sum = s->v;
  for (long i = 0; i < s->n; ++i)
    sum = sum * 3 + s->p[s->at[i]];
  __atomic_fetch_add(s->sum, sum, __ATOMIC_RELAXED);
  ++*s->ledger;
}

TASK_BODIES(pick, struct pick_args, pick_one)

static const struct agglom_section pick_sections[] = {
    {"in(p[at[0:n]])", 21, AGGLOM_IN | AGGLOM_SHAPED, 8, offsetof(struct pick_args, p), 0, NULL, NULL},
    {"in(at[0:n])", 22, AGGLOM_IN, sizeof(int), offsetof(struct pick_args, at), 1, NULL, NULL},
    {"accumulate(+: sum[0:1])", 23, AGGLOM_ACCUMULATE | 1 << AGGLOM_OPERATION_SHIFT, 8,
     offsetof(struct pick_args, sum), 2, tally_identity, tally_combine},
    {"inout(ledger[0:1])", 24, AGGLOM_INOUT, 8, offsetof(struct pick_args, ledger), 3, NULL, NULL},
};

_Static_assert(sizeof(struct step_args) == 48 && sizeof(struct pick_args) == 48, "as in sweep_ptx.h");

/* --- The module --------------------------------------------------------------------------------------------
 */

static const struct agglom_image sweep_images[] = {{AGGLOM_IMAGE_PTX, 50, sizeof sweep_ptx - 1, sweep_ptx}};
static struct agglom_module sweep_module;

#define SWEEP_TASK(NAME, KIND, BY, MAP, LINE)                                                                \
  static struct agglom_task NAME##_task = {.name = #NAME,                                                    \
                                           .file = "sweep.c",                                                \
                                           .line = LINE,                                                     \
                                           .map = MAP,                                                       \
                                           .args_size = sizeof(struct KIND##_args),                          \
                                           .args_align = _Alignof(struct KIND##_args),                       \
                                           .n_sections = 4,                                                  \
                                           .sections = KIND##_sections,                                      \
                                           .cpu = KIND##_cpu,                                                \
                                           .emulated = KIND##_emulated,                                      \
                                           .kernel = #KIND "_by_" #BY,                                       \
                                           .module = &sweep_module};
SWEEP_TASK(force, step, block, AGGLOM_MAP_BLOCK, 10)
SWEEP_TASK(move, step, thread, AGGLOM_MAP_THREAD, 11)
SWEEP_TASK(diagonal, step, block, AGGLOM_MAP_BLOCK, 12)
SWEEP_TASK(panel, step, warp, AGGLOM_MAP_WARP, 13)
SWEEP_TASK(update, step, block, AGGLOM_MAP_BLOCK, 14)
SWEEP_TASK(pick, pick, thread, AGGLOM_MAP_THREAD, 20)
#undef SWEEP_TASK

static struct agglom_task *const sweep_tasks[] = {&force_task, &move_task,   &diagonal_task,
                                                  &panel_task, &update_task, &pick_task};
static struct agglom_module sweep_module = {.abi_version = AGGLOM_ABI_VERSION,
                                            .size = sizeof(struct agglom_module),
                                            .file = "sweep.c",
                                            .producer = "by hand",
                                            .n_tasks = sizeof sweep_tasks / sizeof sweep_tasks[0],
                                            .n_images = 1,
                                            .tasks = sweep_tasks,
                                            .images = sweep_images};

/* --- The programs ------------------------------------------------------------------------------------------
 */

enum {
  BLOCK = 8,
  CELLS = 9,
  SIDE = 4,
  SWEEP_MEMORY = 320,
  MOST_UNITS = 256,
  LARGE = AG_DIRECT_LEAST / (int)sizeof(uint64_t)
};

/* What a program works on. */
struct sweep_data {
  bool plain; /* the reference: units are run at once */
  unsigned units;
  uint64_t memory[SWEEP_MEMORY];
  uint64_t ledger[MOST_UNITS];
  int at[CELLS][BLOCK];
  uint64_t *large; /* of agglom_alloc(); given back when the runtime has ended */
};

static void step_on(struct sweep_data *d, struct agglom_task *task, uint64_t *out, const uint64_t *a,
                    const uint64_t *b, long n) {
  struct step_args args = {
      .out = out, .a = a, .b = b, .ledger = &d->ledger[d->units], .n = n, .v = ++d->units};
  struct agglom_range ranges[] = {{out, 0, n}, {a, 0, n}, {b, 0, n}, {args.ledger, 0, 1}};
  if (d->plain)
    step_one(&args);
  else
    assert_int_equal(agglom_submit(task, &args, ranges, 0, 0), 0);
}

static void step(struct sweep_data *d, struct agglom_task *task, unsigned out, unsigned a, unsigned b) {
  step_on(d, task, &d->memory[out * BLOCK], &d->memory[a * BLOCK], &d->memory[b * BLOCK], BLOCK);
}

static void finish(struct sweep_data *d) {
  if (!d->plain)
    assert_int_equal(agglom_wait(), 0);
}

/* Forces of a ring of cells, from each cell's neighbours one after another: chains; then the cells move. */
static void cells(struct sweep_data *d) {
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned k = 0; k < 3; ++k)
      for (unsigned c = 0; c < CELLS; ++c)
        step(d, &force_task, CELLS + c, c, (c + k) % CELLS);
    for (unsigned c = 0; c < CELLS; ++c)
      step(d, &move_task, c, CELLS + c, CELLS + c);
    if (round)
      finish(d);
  }
}

/* As LU in blocks: several tasks that follow each other across their FIFOs. */
static void factorise(struct sweep_data *d) {
  for (unsigned k = 0; k < SIDE; ++k) {
    step(d, &diagonal_task, k * SIDE + k, SIDE * SIDE, SIDE * SIDE);
    for (unsigned i = k + 1; i < SIDE; ++i) {
      step(d, &panel_task, i * SIDE + k, k * SIDE + k, SIDE * SIDE);
      step(d, &panel_task, k * SIDE + i, k * SIDE + k, SIDE * SIDE);
    }
    for (unsigned i = k + 1; i < SIDE; ++i)
      for (unsigned j = k + 1; j < SIDE; ++j)
        step(d, &update_task, i * SIDE + j, i * SIDE + k, k * SIDE + j);
  }
  finish(d);
}

/* Gathers from memory that is written in between, added up in few places. */
static void gathers(struct sweep_data *d) {
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned c = 0; c < CELLS; ++c) {
      struct pick_args args = {.p = d->memory,
                               .at = d->at[c],
                               .sum = &d->memory[CELLS * BLOCK + c % 2],
                               .ledger = &d->ledger[d->units],
                               .n = BLOCK,
                               .v = ++d->units};
      struct agglom_shape shape = {
          .base = args.p, .index_bytes = -(int)sizeof(int), .block = 8, .indexes = args.at};
      struct agglom_range ranges[] = {
          {&shape, 0, BLOCK}, {args.at, 0, BLOCK}, {args.sum, 0, 1}, {args.ledger, 0, 1}};
      if (d->plain)
        pick_one(&args);
      else
        assert_int_equal(agglom_submit(&pick_task, &args, ranges, 0, 0), 0);
    }
    for (unsigned c = 0; c < CELLS; c += 2)
      step(d, &move_task, c, CELLS + 1 + c % 3, c);
    if (round == 1)
      finish(d);
  }
  finish(d);
}

/* Cells that have nothing to do with each other, by several tasks: many batches at a time. */
static void islands(struct sweep_data *d) {
  static struct agglom_task *const tasks[] = {&force_task, &move_task, &panel_task, &update_task};
  for (unsigned round = 0; round < 4; ++round) {
    for (unsigned c = 0; c < 2 * CELLS; ++c)
      step(d, tasks[(c + round) % 4], c, 2 * CELLS + c % 3, c);
    if (round == 2)
      finish(d);
  }
  finish(d);
}

/* Inputs that are read where they are, changed between the waits; one of them is gone before the end. */
static void in_place(struct sweep_data *d) {
  uint64_t *x = agglom_alloc(LARGE * sizeof *x), *y = agglom_alloc(LARGE * sizeof *y);
  for (unsigned i = 0; i < LARGE; ++i)
    x[i] = y[i] = i;
  for (unsigned round = 0; round < 2; ++round) {
    step_on(d, &force_task, x, y, y, LARGE);
    step(d, &force_task, 1, 2, 3);
    step_on(d, &move_task, y, x, x, LARGE);
    step_on(d, &force_task, x, y, x, LARGE);
    finish(d);
    for (unsigned i = 0; i < LARGE; i += 100)
      y[i] += round;
  }
  for (unsigned i = 0; i < LARGE; ++i)
    d->memory[i % BLOCK] = d->memory[i % BLOCK] * 5 + x[i] * 3 + y[i];
  agglom_free(y);
  d->large = x;
}

static const struct sweep_program {
  const char *name;
  void (*run)(struct sweep_data *d);
  unsigned kb; /* of device memory: little, so that it runs out */
} sweep_programs[] = {{"cells", cells, 256},
                      {"factorise", factorise, 256},
                      {"gathers", gathers, 256},
                      {"islands", islands, 256},
                      {"in_place", in_place, 2048}};
enum { ISLANDS = 3, SWEEP_PROGRAMS = sizeof sweep_programs / sizeof sweep_programs[0] };

static inline void sweep_fill(struct sweep_data *d, bool plain) {
  memset(d, 0, sizeof *d);
  d->plain = plain;
  for (unsigned i = 0; i < SWEEP_MEMORY; ++i)
    d->memory[i] = i * 2654435761u;
  for (unsigned c = 0; c < CELLS; ++c)
    for (unsigned i = 0; i < BLOCK; ++i)
      d->at[c][i] = (int)((c * 11 + i * 5) % (CELLS * BLOCK));
}

#endif /* FAULT_WORKLOADS_H */
