/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs: tasks that submit tasks, with and without waits, over memory that overlaps, on all kinds
 * of machines, some of which fail. The same program run as plain calls must give the same memory. */
#include "capture.h"
#include "rt_tasks.h"

enum { SPAN = 240, PROGRAMS = 4 };

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
static struct agglom_module part_module = {.abi_version = AGGLOM_ABI_VERSION,
                                           .size = sizeof(struct agglom_module),
                                           .file = "part.c",
                                           .producer = "by hand",
                                           .n_tasks = 1,
                                           .tasks = part_tasks};

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
        agglom_submit(&part_task, &inner, &(struct agglom_range){a->y, l, room}, (long long)(value % 5) - 2,
                      0);
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

static void program(uint64_t seed, uint64_t *real, uint64_t *copy) {
  for (int i = 0; i < SPAN; ++i)
    real[i] = copy[i] = (uint64_t)i;
  struct part_args top = {real, 0, SPAN, 4, false, seed};
  steps(&top, 700);
  assert_int_equal(agglom_wait(), 0);
  top.y = copy;
  top.plain = true;
  steps(&top, 700);
  assert_memory_equal(real, copy, SPAN * sizeof *real);
}

static void run_all(const char *const *settings, size_t n, bool quiet) {
  static uint64_t real[SPAN], copy[SPAN];
  for (size_t s = 0; s < n; ++s)
    for (uint64_t p = 1; p <= PROGRAMS; ++p) {
      if (quiet)
        capture_begin();
      start_with(settings[s]);
      assert_int_equal(agglom_register(&part_module), 0);
      program(p * 7919, real, copy);
      program(p * 104729, real, copy);
      assert_int_equal(agglom_shutdown(), 0);
      if (quiet)
        capture_end();
    }
}

static void good_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=4",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=4",
      "AGGLOM_DEVICES=emulated:3 AGGLOM_WORKERS=3 AGGLOM_BATCH=count:7",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:5",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=single",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_EMULATE=memory=24KB",
  };
  run_all(settings, sizeof settings / sizeof settings[0], false);
}

static void failing_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_FAULT=call=launch,nth=5,times=9",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_FAULT=call=launch,nth=6,error=sticky",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_FAULT=call=copy_out,nth=9,times=2,error=sticky",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_FAULT=call=copy_in,nth=3,times=all,error=oom",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_FAULT=call=mark,nth=4,error=sticky",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_FAULT=call=stream,nth=3,times=all",
  };
  run_all(settings, sizeof settings / sizeof settings[0], true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(good_machines), cmocka_unit_test(failing_machines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
