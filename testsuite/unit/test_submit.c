/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From submission to wait, on the CPU and on the emulated device: each unit once, conflicts in program
 * order, results bit for bit those of plain calls. */
#include "rt_tasks.h"

enum { CELLS = 600 };

/* n random units over one array, overlapping partly; each also done at once on a copy. */
static void random_units(struct agglom_task *const *tasks, unsigned n_tasks, unsigned n, uint64_t seed) {
  static uint64_t real[CELLS], copy[CELLS];
  for (int i = 0; i < CELLS; ++i)
    real[i] = copy[i] = (uint64_t)i * 77;
  for (unsigned k = 0; k < n; ++k) {
    struct mix_args a = {.y = real, .x = real, .v = k};
    a.ny = (long)(next_random(&seed) % 12);
    a.ly = (long)(next_random(&seed) % (CELLS - 12));
    a.nx = (long)(next_random(&seed) % 12);
    a.lx = (long)(next_random(&seed) % (CELLS - 12));
    if (a.lx < a.ly + a.ny && a.ly < a.lx + a.nx)
      a.nx = 0; /* a unit that reads what it writes would not be defined */
    struct mix_args b = a;
    b.x = b.y = copy;
    mix(&b);
    assert_int_equal(submit_mix(tasks[next_random(&seed) % n_tasks], a), 0);
  }
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(real, copy, sizeof real);
}

static const char *const settings[] = {
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=4",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3",
    "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=count:100",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:16",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=cpu",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_EMULATE=memory=256KB",
};

static void one_task(void **state) {
  (void)state;
  struct agglom_task *tasks[] = {&mix_task};
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    start_with(settings[s]);
    random_units(tasks, 1, 3000, 1 + s);
    assert_int_equal(atomic_load(&mix_on_cpu) + atomic_load(&mix_on_device), 3000);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void three_mappings(void **state) {
  (void)state;
  struct agglom_task *tasks[] = {&mix_task, &thread_task, &host_task};
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    start_with(settings[s]);
    random_units(tasks, 3, 3000, 100 + s);
    random_units(tasks, 2, 1000, 200 + s); /* after a wait, all again */
    assert_int_equal(atomic_load(&mix_on_cpu) + atomic_load(&mix_on_device), 4000);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void single_launches(void **state) {
  (void)state;
  struct agglom_task *tasks[] = {&mix_task};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_BATCH=single AGGLOM_WORKERS=2");
  random_units(tasks, 1, 200, 5);
  struct agglom_counters c;
  agglom_get_counters(&c);
  assert_int_equal(c.launches, 200);
  assert_int_equal(atomic_load(&mix_largest), 1);
  assert_int_equal(agglom_shutdown(), 0);
}

static void few_launches(void **state) {
  (void)state;
  struct agglom_counters c;
  struct agglom_task *tasks[] = {&mix_task};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  random_units(tasks, 1, 2000, 9);
  agglom_get_counters(&c);
  assert_int_equal(c.units, 2000);
  assert_int_equal(c.units_on_device, 2000);
  assert_int_equal(c.units_on_cpu, 0);
  assert_in_range(c.launches, 1, 3);
  assert_int_equal(c.devices, 1);
  assert_int_equal(agglom_shutdown(), 0);
}

static void long_units_are_split(void **state) {
  (void)state;
  enum { N = 100000, SMALL = 3 };
  uint64_t *y = malloc(N * sizeof *y), *z = malloc(N * sizeof *z), small[SMALL] = {1, 2, 3};
  for (long i = 0; i < N; ++i)
    y[i] = z[i] = (uint64_t)i;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  assert_int_equal(submit_grow(y, N), 0);
  assert_int_equal(submit_grow(small, SMALL), 0);
  assert_int_equal(agglom_wait(), 0);
  assert_true(atomic_load(&grow_most_parts) > 1);
  grow_range(&(struct grow_args){z, N}, 0, 1);
  assert_memory_equal(y, z, N * sizeof *y);
  assert_int_equal(small[2], 17);
  /* Two that conflict are not split. */
  atomic_store(&grow_most_parts, 0);
  submit_grow(y, N);
  submit_grow(y, N);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(atomic_load(&grow_most_parts), 1);
  grow_range(&(struct grow_args){z, N}, 0, 1);
  grow_range(&(struct grow_args){z, N}, 0, 1);
  assert_memory_equal(y, z, N * sizeof *y);
  assert_int_equal(agglom_shutdown(), 0);
  free(y);
  free(z);
}

static void without_a_wait(void **state) {
  (void)state;
  uint64_t y[4] = {0, 0, 0, 0};
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    memset(y, 0, sizeof y);
    start_with(settings[s]);
    submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 4, .v = 5});
    assert_int_equal(agglom_shutdown(), 0); /* runs what is left */
    assert_int_equal(y[3], 5);
  }
}

/* --- void sides(uint64_t *a, long n, uint64_t *w): a[2n + i] = a[i] + 1; w[0] = n
 *     in(a[0:n]) out(a[2*n:n]), all of it, out(w[0:2]), not all of it -------------------------------------
 */

struct sides_args {
  uint64_t *a, *w;
  long n;
};

static void sides(const struct sides_args *s) {
  for (long i = 0; i < s->n; ++i)
    s->a[2 * s->n + i] = s->a[i] + 1;
  s->w[0] = (uint64_t)s->n;
}

TASK_BODIES(sides, struct sides_args, sides)

static const struct agglom_section sides_sections[] = {
    {"out(a[2*n:n])", 71, AGGLOM_OUT | AGGLOM_OVERWRITES, 8, offsetof(struct sides_args, a), 0, NULL, NULL},
    {"in(a[0:n])", 72, AGGLOM_IN, 8, offsetof(struct sides_args, a), 0, NULL, NULL},
    {"out(w[0:2])", 73, AGGLOM_OUT, 8, offsetof(struct sides_args, w), 2, NULL, NULL},
};

static struct agglom_task sides_task = {.name = "sides",
                                        .file = "sides.c",
                                        .line = 70,
                                        .map = AGGLOM_MAP_THREAD,
                                        .args_size = sizeof(struct sides_args),
                                        .args_align = _Alignof(struct sides_args),
                                        .n_sections = 3,
                                        .sections = sides_sections,
                                        .cpu = sides_cpu,
                                        .emulated = sides_emulated,
                                        .kernel = "sides",
                                        .module = &mix_module_header};
static struct agglom_task *const sides_tasks[] = {&sides_task};
static struct agglom_module sides_module = TASK_MODULE("sides.c", sides_tasks);

/* One pointer serves two sections with something between them that is nobody's business; what a unit may
 * leave unwritten keeps its content. The first submission starts the runtime. */
static void two_sections_of_one_pointer(void **state) {
  (void)state;
  enum { N = 37, UNITS = 5 };
  static uint64_t a[UNITS][3 * N], w[UNITS][2];
  set_environment("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  assert_int_equal(agglom_register(&sides_module), 0);
  for (int u = 0; u < UNITS; ++u) {
    for (int i = 0; i < 3 * N; ++i)
      a[u][i] = (uint64_t)(u * 1000 + i);
    w[u][1] = 55;
    struct sides_args args = {a[u], w[u], N};
    struct agglom_range ranges[] = {{a[u], 2 * N, N}, {a[u], 0, N}, {w[u], 0, 2}};
    assert_int_equal(agglom_submit(&sides_task, &args, ranges, 0, 0), 0);
    a[u][N] = 7; /* between the sections */
  }
  assert_int_equal(agglom_wait(), 0);
  struct agglom_counters c;
  agglom_get_counters(&c);
  assert_int_equal(c.units_on_device, UNITS);
  for (int u = 0; u < UNITS; ++u) {
    for (int i = 0; i < N; ++i) {
      assert_int_equal(a[u][i], u * 1000 + i);
      assert_int_equal(a[u][2 * N + i], u * 1000 + i + 1);
    }
    assert_int_equal(a[u][N], 7);
    assert_int_equal(w[u][0], N);
    assert_int_equal(w[u][1], 55);
  }
  assert_int_equal(agglom_shutdown(), 0);
  agglom_unregister(&sides_module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_task),
      cmocka_unit_test(three_mappings),
      cmocka_unit_test(single_launches),
      cmocka_unit_test(few_launches),
      cmocka_unit_test(long_units_are_split),
      cmocka_unit_test(without_a_wait),
      cmocka_unit_test(two_sections_of_one_pointer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
