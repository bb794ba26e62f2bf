/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Batches of random boxes and runs, staged: each byte that units name reaches its place in the block, and
 * comes back from there, whether it is part of a whole region, of rows, moved on the device or used in place;
 * and what it costs. */
#include "random.h"
#include "stage/parts.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 1 << 20, SUMS = BYTES / 4, SECTIONS = 5, UNITS = 12, ROOM = 2 << 20 };

static void zero(void *to, unsigned long long bytes) { memset(to, 0, bytes); }
static void add(void *into, const void *from, unsigned long long bytes) {
  for (unsigned long long i = 0; i < bytes; ++i)
    ((unsigned char *)into)[i] =
        (unsigned char)(((unsigned char *)into)[i] + ((const unsigned char *)from)[i]);
}

static const struct agglom_section sections[SECTIONS] = {
    {"in(a)", 1, AGGLOM_IN | AGGLOM_SHAPED, 1, 0, 0, NULL, NULL},
    {"inout(b)", 1, AGGLOM_INOUT | AGGLOM_SHAPED, 1, 0, 1, NULL, NULL},
    {"out(c)", 1, AGGLOM_OUT | AGGLOM_OVERWRITES | AGGLOM_SHAPED, 1, 0, 2, NULL, NULL},
    {"in(d)", 1, AGGLOM_IN, 1, 0, 3, NULL, NULL},
    {"accumulate(+: e)", 1, AGGLOM_ACCUMULATE | AGGLOM_SHAPED | 1 << AGGLOM_OPERATION_SHIFT, 1, 0, 4, zero,
     add},
};
enum { IN, INOUT, OUT, RUN, SUM };

static struct agglom_task task = {.name = "t",
                                  .file = "t.c",
                                  .map = AGGLOM_MAP_THREAD,
                                  .args_size = sizeof(void *),
                                  .args_align = _Alignof(void *),
                                  .n_sections = SECTIONS,
                                  .sections = sections};

/* Sections SUM lie in the first SUMS bytes, all others behind them: no byte is used in both ways. */
static _Alignas(4096) unsigned char memory[BYTES], expected[BYTES], elsewhere[BYTES];
static _Alignas(4096) unsigned char staging[ROOM], block[ROOM];
static struct ag_unit *units[UNITS];

static struct ag_batch make_batch(void) {
  static unsigned start[UNITS], end[UNITS], part[UNITS], parts[UNITS];
  for (unsigned i = 0; i < UNITS; ++i) {
    start[i] = i;
    end[i] = i + 1;
    parts[i] = 1;
  }
  return (struct ag_batch){
      .task = &task, .units = units, .start = start, .end = end, .part = part, .parts = parts};
}

/* Rows of one pitch for all, mostly, and a column of one of a few widths. */
static void random_unit(uint64_t *random, struct ag_unit *u, size_t pitch) {
  struct agglom_range ranges[SECTIONS];
  struct agglom_shape shapes[SECTIONS];
  struct agglom_dim dims[SECTIONS][2];
  void *args = NULL;
  for (int s = 0; s < SECTIONS; ++s) {
    size_t from = s == SUM ? 0 : SUMS, size = s == SUM ? SUMS : BYTES - SUMS;
    bool any = next_random(random) % 3 != 0;
    size_t own = next_random(random) % 8 ? pitch : 40 + next_random(random) % 30000;
    size_t width = 1 + next_random(random) % (next_random(random) % 4 ? 24 : own);
    size_t rows = 1 + next_random(random) % ((size - width) / own < 60 ? (size - width) / own : 60);
    size_t at = next_random(random) % (size - width - (rows - 1) * own + 1);
    at -= next_random(random) % 3 ? at % 64 : 0;
    const struct agglom_dim *before = dims[INOUT];
    if (s == OUT && dims[INOUT][0].len && next_random(random) % 3 == 0) { /* next to what is read as well */
      at = (size_t)((const char *)shapes[INOUT].base - (const char *)memory) - from +
           (size_t)(before[0].len - 1) * before[0].pitch + (size_t)before[1].len;
      rows = 1;
      width = width < size - at ? width : size - at;
    }
    dims[s][0] = (struct agglom_dim){0, any ? (long long)rows : 0, 1, own};
    dims[s][1] = (struct agglom_dim){0, (long long)width, 1, 1};
    shapes[s] = (struct agglom_shape){.base = memory + from + at, .dims = dims[s], .n_dims = 2, .block = 1};
    if (sections[s].mode & AGGLOM_SHAPED) {
      ranges[s] = (struct agglom_range){&shapes[s], 0, 0};
    } else {
      size_t run = any ? next_random(random) % (next_random(random) % 4 ? 500 : 200000) : 0;
      ranges[s] =
          (struct agglom_range){memory + from + next_random(random) % (size - run), 0, (long long)run};
    }
  }
  assert_int_equal(ag_unit_check(&task, ranges, u->access, NULL), 0);
  ag_unit_fill(u, &task, &args, 0, 1, true);
}

/* Regions that a device has all bytes of, elsewhere; and pieces that it moves from there, or that it reads in
 * place. */
static void random_places(uint64_t *random, struct ag_stage *stage) {
  size_t in = 0;
  for (size_t r = 0; r < stage->n_regions; ++r) {
    size_t n = ag_stage_pieces(&stage->regions[r], stage->ins, stage->n_ins, &in);
    if (!n || stage->places[r].hidden)
      continue;
    if (next_random(random) % 4 == 0) {
      stage->places[r].in_place = true;
      stage->places[r].shift = (uintptr_t)elsewhere - (uintptr_t)memory;
      continue;
    }
    for (size_t i = 0; i < n && stage->n_moves < AG_MOVES / 2; ++i) {
      struct ag_interval p = ag_interval_within(&stage->regions[r], stage->ins[in + i]);
      uintptr_t lo = p.lo + next_random(random) % (p.hi - p.lo);
      if (!stage->poison &&
          next_random(random) % 4 == 0) { /* with what lies between this piece and another */
        i += next_random(random) % (n - i < 12 ? n - i : 12);
        p = ag_interval_within(&stage->regions[r], stage->ins[in + i]);
      }
      uintptr_t from = lo > p.lo ? lo : p.lo, hi = from + 1 + next_random(random) % (p.hi - from);
      if (next_random(random) % 6 == 0)
        stage->moves[stage->n_moves++] =
            (struct ag_move){.lo = lo, .hi = hi, .shift = (uintptr_t)elsewhere - (uintptr_t)memory};
      else if (lo >= p.lo && p.hi - p.lo >= 64 << 10 && next_random(random) % 2)
        stage->direct[stage->n_direct++] = p;
    }
  }
}

/* What a launch does before the kernel. */
static void send(const struct ag_stage *stage) {
  memset(block, 0xEE, sizeof block);
  for (size_t i = 0; i < stage->n_fills; ++i) {
    const struct ag_fill *f = &stage->fills[i];
    for (size_t k = 0; k < f->rows.n; ++k) {
      assert_true(f->from + k * f->rows.host_pitch + f->rows.bytes <= stage->staged);
      memcpy(block + f->to + k * f->rows.device_pitch, staging + f->from + k * f->rows.host_pitch,
             f->rows.bytes);
    }
  }
  for (size_t i = 0; i < stage->n_moves; ++i) {
    const struct ag_move *m = &stage->moves[i];
    memcpy(block + m->to, (const void *)(m->lo + (m->direct ? 0 : m->shift)), m->hi - m->lo);
    /* Each lies in one copy of one row, which is then made around it. */
    bool found = false;
    for (size_t k = 0; k < stage->n_fills; ++k) {
      const struct ag_fill *f = &stage->fills[k];
      found |= f->rows.n == 1 && f->to <= m->to && m->to + (m->hi - m->lo) <= f->to + f->rows.bytes;
    }
    assert_true(found);
  }
}

static unsigned char *on_device(const struct ag_stage *stage, uintptr_t address) {
  size_t r = ag_intervals_find(stage->regions, stage->n_regions, address);
  assert_true(r < stage->n_regions);
  return (unsigned char *)address + stage->places[r].shift;
}

/* Kernels see what they read, and write what they may. */
static void run(const struct ag_stage *stage, const struct ag_batch *batch) {
  size_t wrong = 0;
  for (int writes = 0; writes < 2; ++writes)
    for (unsigned k = 0; k < batch->n_units; ++k)
      for (int s = 0; s < SECTIONS; ++s) {
        const struct ag_access *a = &units[k]->access[s];
        for (size_t p = 0; p < ag_access_pieces(a); ++p) {
          struct ag_interval piece = ag_access_piece(a, p);
          uintptr_t shift = piece.lo < piece.hi ? (uintptr_t)on_device(stage, piece.lo) - piece.lo : 0;
          for (uintptr_t at = piece.lo; at < piece.hi; ++at) {
            unsigned char *there = (unsigned char *)at + shift, *wanted = expected + (at - (uintptr_t)memory);
            if (!writes && s != OUT && s != SUM)
              wrong += *there != *(const unsigned char *)at;
            else if (writes && s == SUM)
              ++*there, ++*wanted;
            else if (writes && (s == INOUT || s == OUT))
              *wanted = *there = (unsigned char)(at * 31 + 7);
          }
        }
      }
  assert_int_equal(wrong, 0);
}

static void fetch(const struct ag_stage *stage) {
  for (size_t i = 0; i < stage->n_spans; ++i) {
    const struct ag_span *span = &stage->spans[i];
    const struct ag_fetch *first = &stage->pieces[span->first], *last = first + span->n - 1;
    if (span->rows.n) {
      assert_true(span->rows.n == span->n && span->n > 1);
      for (size_t k = 0; k < span->n; ++k)
        memcpy((char *)first->to + k * span->rows.host_pitch,
               (const char *)first->from + k * span->rows.device_pitch, span->rows.bytes);
    } else {
      size_t bytes = (size_t)((const char *)last->from - (const char *)first->from) + last->bytes;
      assert_ptr_equal((char *)first->to + (bytes - last->bytes), last->to);
      memcpy(first->to, first->from, bytes);
    }
  }
}

static size_t bytes_of(const struct ag_interval *set, size_t n) {
  size_t bytes = 0;
  for (size_t i = 0; i < n; ++i)
    bytes += set[i].hi - set[i].lo;
  return bytes;
}

static void random_batches(void **state) {
  (void)state;
  enum { BATCHES = 400 };
  size_t cut = 0, rows = 0, moved = 0, rows_back = 0;
  task.state = ag_task_state_new(&task, 0);
  for (unsigned k = 0; k < UNITS; ++k)
    units[k] = calloc(1, task.state->unit_size);
  struct ag_stage stage = {.poison = 0};
  for (uint64_t seed = 1; seed <= BATCHES; ++seed) {
    uint64_t random = seed * 7919;
    struct ag_batch batch = make_batch();
    batch.n_units = batch.n_chains = 1 + (unsigned)(next_random(&random) % UNITS);
    size_t pitch = 64 + next_random(&random) % 20000;
    for (size_t i = 0; i < BYTES; ++i) {
      memory[i] = expected[i] = (unsigned char)next_random(&random);
      elsewhere[i] = memory[i];
    }
    for (unsigned k = 0; k < batch.n_units; ++k)
      random_unit(&random, units[k], pitch);
    stage.poison = seed % 3 ? 0 : 0xAB;
    assert_int_equal(ag_stage_collect(&stage, &batch), 0);
    random_places(&random, &stage);
    assert_int_equal(ag_stage_arrange(&stage, &batch, ROOM), 0);
    stage.poison = 0; /* all units name is memory: nobody need look */
    assert_int_equal(ag_stage_pack(&stage, &batch, staging, block), 0);
    send(&stage);
    run(&stage, &batch);
    fetch(&stage);
    ag_stage_commit(&stage, staging);
    assert_memory_equal(memory, expected, BYTES);
    /* What is sent beside what units name costs less than the copies that it spares. */
    size_t named = bytes_of(stage.named, stage.n_named);
    assert_true(stage.bytes_in <=
                named + 4096 + (stage.n_regions + stage.n_fills) * (AG_APART + 60 * AG_ROW_COST));
    cut += stage.cut;
    rows += stage.n_rows;
    moved += stage.n_moves;
    for (size_t i = 0; i < stage.n_spans; ++i)
      rows_back += stage.spans[i].rows.n > 0;
    for (unsigned k = 0; k < batch.n_units; ++k)
      ag_unit_release(&task, units[k]->access);
  }
  assert_true(cut > BATCHES / 2 && rows > BATCHES && moved > BATCHES && rows_back > BATCHES);
  ag_stage_free(&stage);
  for (unsigned k = 0; k < UNITS; ++k)
    free(units[k]);
  ag_task_state_free(task.state);
}

/* Makes the units of a batch, and stages it. */
static void stage_units(struct ag_stage *stage, void (*make)(unsigned k, struct agglom_range *ranges)) {
  task.state = ag_task_state_new(&task, 0);
  struct ag_batch batch = make_batch();
  batch.n_units = batch.n_chains = UNITS;
  void *args = NULL;
  struct agglom_dim none = {0, 0, 1, 1};
  struct agglom_shape empty = {.base = memory, .dims = &none, .n_dims = 1, .block = 1};
  for (unsigned k = 0; k < UNITS; ++k) {
    struct agglom_range ranges[SECTIONS];
    for (int s = 0; s < SECTIONS; ++s)
      ranges[s] =
          (struct agglom_range){sections[s].mode & AGGLOM_SHAPED ? (void *)&empty : (void *)memory, 0, 0};
    make(k, ranges);
    units[k] = calloc(1, task.state->unit_size);
    assert_int_equal(ag_unit_check(&task, ranges, units[k]->access, NULL), 0);
    ag_unit_fill(units[k], &task, &args, 0, 1, true);
  }
  *stage = (struct ag_stage){.poison = 0};
  assert_int_equal(ag_stage_fill(stage, &batch, staging, block, ROOM), 0);
}

static void end_stage(struct ag_stage *stage) {
  ag_stage_free(stage);
  for (unsigned k = 0; k < UNITS; ++k) {
    ag_unit_release(&task, units[k]->access);
    free(units[k]);
  }
  ag_task_state_free(task.state);
}

enum { ROWS = 63, PITCH = 8192, WIDTH = 21 };
static struct agglom_dim dims[2];
static struct agglom_shape shape = {.base = memory + SUMS, .dims = dims, .n_dims = 2, .block = 1};

static void column(unsigned k, struct agglom_range *ranges) {
  dims[0] = (struct agglom_dim){0, ROWS, 1, PITCH};
  dims[1] = (struct agglom_dim){(long long)k * WIDTH, WIDTH, 1, 1};
  ranges[INOUT] = (struct agglom_range){&shape, 0, 0};
}

/* Columns next to one another are one copy each way, of what they name. */
static void columns_are_rows(void **state) {
  (void)state;
  struct ag_stage stage;
  stage_units(&stage, column);
  assert_int_equal(stage.n_fills, 2); /* the launch arrays are one */
  assert_int_equal(stage.fills[1].rows.n, ROWS);
  assert_int_equal(stage.fills[1].rows.bytes, UNITS * WIDTH);
  assert_int_equal(stage.n_spans, 1);
  assert_int_equal(stage.spans[0].rows.n, ROWS);
  assert_int_equal(stage.bytes_out, ROWS * UNITS * WIDTH);
  end_stage(&stage);
}

static void run_of_own(unsigned k, struct agglom_range *ranges) {
  ranges[RUN] = (struct agglom_range){memory + 100 * k + 7 * k, 0, 50};
}

static void columns_and_runs(unsigned k, struct agglom_range *ranges) {
  run_of_own(k, ranges);
  if (k < UNITS / 2) {
    column(k, ranges);
    ranges[IN] = ranges[INOUT];
    ranges[INOUT] = ranges[OUT];
  } else if (k == UNITS - 1) { /* behind the columns */
    ranges[RUN] = (struct agglom_range){memory + SUMS + (ROWS + 1) * PITCH, 0, 9};
  } else if (k == UNITS - 2) {
    ranges[RUN] = (struct agglom_range){memory + SUMS + (ROWS + 1) * PITCH + 777, 0, 9};
  }
}

/* Regions without large gaps come in one copy with the launch arrays, however they are aligned; those behind
 * columns in one more. */
static void whole_regions_are_one_copy(void **state) {
  (void)state;
  struct ag_stage stage;
  stage_units(&stage, run_of_own);
  assert_int_equal(stage.n_regions, UNITS);
  assert_int_equal(stage.n_fills, 1);
  end_stage(&stage);
  stage_units(&stage, columns_and_runs);
  assert_int_equal(stage.n_fills, 3);
  end_stage(&stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_batches), cmocka_unit_test(columns_are_rows),
                                     cmocka_unit_test(whole_regions_are_one_copy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
