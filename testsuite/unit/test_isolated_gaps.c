/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a kernel of an isolated device finds beside its sections, and in an output that it has not written:
 * poison, whatever batches before have left there. Inside of its sections it finds what it is to find. */
#include "instrumented.h"
#include "rt_tasks.h"

enum { LONGS = 16, LOOKS = 8, ROUNDS = 12, VALUE = 7 };
static const unsigned long POISON = 0xAAAAAAAAAAAAAAAA;

/* Whole lines each, so that alignment alone leaves nothing between their regions, which do not touch. */
static _Alignas(64) long memory[4][2 * LONGS];
static long *const x = memory[0], *const z = memory[1], *const y = memory[2], *const seen = memory[3];

struct look_args {
  const long *x, *z;
  long *y, *seen;
};

/* in(x[0:4], x[8:8]) or in(x[0:16]), in(z[0:16]), out(y[0:16]), out(seen[0:8]) */
static void look(const struct look_args *a) {
  volatile const long *xs = a->x, *zs = a->z;
  volatile long *ys = a->y;
  a->seen[0] = xs[4]; /* between two sections of one pointer */
  a->seen[1] = xs[7];
  a->seen[2] = xs[LONGS]; /* behind a region */
  a->seen[3] = zs[-1];
  a->seen[4] = zs[LONGS];
  a->seen[5] = ys[0]; /* before it is written */
  a->seen[6] = ys[LONGS];
  for (int i = 0; i < LONGS; ++i)
    ys[i] = xs[i % 4 + 8] + zs[i]; /* of what is named */
}

TASK_BODIES(look, struct look_args, look)

static const struct agglom_section look_sections[] = {
    {"in(x[0:n])", 2, AGGLOM_IN, sizeof(long), offsetof(struct look_args, x), 0, NULL, NULL},
    {"in(x[8:8])", 2, AGGLOM_IN, sizeof(long), offsetof(struct look_args, x), 0, NULL, NULL},
    {"in(z[0:16])", 2, AGGLOM_IN, sizeof(long), offsetof(struct look_args, z), 2, NULL, NULL},
    {"out(y[0:16])", 2, AGGLOM_OUT | AGGLOM_OVERWRITES, sizeof(long), offsetof(struct look_args, y), 3, NULL,
     NULL},
    {"out(seen[0:8])", 2, AGGLOM_OUT, sizeof(long), offsetof(struct look_args, seen), 4, NULL, NULL}};
static struct agglom_task look_task = {.name = "look",
                                       .file = "look.c",
                                       .line = 1,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct look_args),
                                       .args_align = _Alignof(struct look_args),
                                       .n_sections = 5,
                                       .sections = look_sections,
                                       .cpu = look_cpu,
                                       .emulated = look_emulated,
                                       .kernel = "look",
                                       .module = &mix_module_header};
static struct agglom_task *const look_tasks[] = {&look_task};
static struct agglom_module look_module = TASK_MODULE("look.c", look_tasks);

static void submit(long first) {
  struct look_args a = {x, z, y, seen};
  struct agglom_range ranges[] = {{x, 0, first}, {x, 8, 8}, {z, 0, LONGS}, {y, 0, LONGS}, {seen, 0, LOOKS}};
  assert_int_equal(agglom_submit(&look_task, &a, ranges, 0, 0), 0);
  assert_int_equal(agglom_wait(), 0);
}

static void poison(void **state) {
  (void)state;
  skip_if_instrumented();
  set_environment("AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=on AGGLOM_SPLIT=gpu AGGLOM_REUSE=off");
  assert_int_equal(agglom_register(&look_module), 0);
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < LONGS; ++i)
      x[i] = z[i] = y[i] = VALUE;
    memset(seen, 0, LOOKS * sizeof *seen);
    seen[LOOKS - 1] = VALUE; /* is not written, and keeps its value */
    submit(round % 2 ? 4 : LONGS);
    for (int i = round % 2 ? 0 : 2; i < LOOKS - 1; ++i)
      assert_true((unsigned long)seen[i] == POISON);
    assert_int_equal(seen[LOOKS - 1], VALUE);
    for (int i = 0; i < LONGS; ++i)
      assert_int_equal(y[i], 2 * VALUE);
  }
  assert_int_equal(agglom_shutdown(), 0);
  agglom_unregister(&look_module);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(poison)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
