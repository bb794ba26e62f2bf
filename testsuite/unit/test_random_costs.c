/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs whose units cost nothing, as much as can be said, and all between: in whatever order they
 * stand and are begun, memory is what the same program gives when its units are plain calls. Several threads,
 * each in memory of its own. COSTS_PROGRAMS says how many programs each machine runs, COSTS_SEED which. */
#include "machines.h"
#include "rt_tasks.h"

#include <pthread.h>

enum { THREADS = 3, SPAN = 96, FREE = 512, STEPS = 400 };

/* mix, without dependences: who uses it knows that no two units in flight use the same memory. */
static struct agglom_task free_task =
    MIX_TASK("mix_free", 40, .flags = AGGLOM_TASK_INDEPENDENT | AGGLOM_TASK_PRIORITIES,
             .map = AGGLOM_MAP_BLOCK, .emulated = mix_emulated, .kernel = "mix_free");

/* Thread mapping, of a kernel that can wait for flags. Urgent units have a queue of their own. */
static struct agglom_task waits_task =
    MIX_TASK("mix_waits", 50, .flags = AGGLOM_TASK_WAITS | AGGLOM_TASK_PRIORITIES, .map = AGGLOM_MAP_THREAD,
             .emulated = mix_emulated, .kernel = "mix_waits");

/* Steps in y[ly .. ly+ny-1], with units that follow none in `free`, or NULL. */
struct program {
  uint64_t *y, *free;
  long ly, ny;
  int depth, costs;
  uint64_t seed;
  bool calm;  /* one task, and hardly any waits: large launches */
  bool plain; /* the reference */
};

static void program_cpu(const void *const *args, unsigned long n);

static const struct agglom_section program_sections[] = {
    {"inout(y[ly:ny])", 61, AGGLOM_INOUT, sizeof(uint64_t), offsetof(struct program, y), 0, NULL, NULL}};

static struct agglom_task program_task = {.name = "program",
                                          .file = "costs.c",
                                          .line = 60,
                                          .flags = AGGLOM_TASK_CPU_ONLY,
                                          .args_size = sizeof(struct program),
                                          .args_align = _Alignof(struct program),
                                          .n_sections = 1,
                                          .sections = program_sections,
                                          .cpu = program_cpu,
                                          .module = &mix_module_header};

static struct agglom_task *const cost_tasks[] = {&free_task, &waits_task, &program_task};
static struct agglom_module costs_module = TASK_MODULE("costs.c", cost_tasks);

enum { ANY_COST, SMALL, GROWING, FALLING, MOST, KINDS };

static unsigned long long cost_of(int kind, uint64_t random, int k) {
  static const unsigned long long some[] = {0,         1, 2, 3, 1000, 1ULL << 32, 1ULL << 63, UINT64_MAX - 1,
                                            UINT64_MAX};
  switch (kind) {
  case SMALL:
    return random % 100;
  case GROWING:
    return 1ULL << (k / 16 % 50);
  case FALLING:
    return 1ULL << (50 - k / 16 % 50);
  case MOST:
    return UINT64_MAX;
  default:
    return random % 3 ? some[random / 3 % (sizeof some / sizeof some[0])] : random >> random % 64;
  }
}

static void take(struct agglom_task *task, struct mix_args x, bool plain, long long priority,
                 unsigned long long cost) {
  struct agglom_range ranges[] = {{x.y, x.ly, x.ny}, {x.x, x.lx, x.nx}};
  if (plain)
    mix(&x);
  else if (agglom_submit(task, &x, ranges, priority, cost))
    abort();
}

static void wait_for(const void *p, size_t n) {
  if (p ? agglom_wait_on(p, n) : agglom_wait())
    abort();
}

static void steps(const struct program *p, int n) {
  struct agglom_task *const tasks[] = {&mix_task, &mix_task,   &mix_task,   &thread_task,
                                       &mix_task, &waits_task, &waits_task, &host_task};
  uint64_t seed = p->seed;
  long freed = 0;
  for (int k = 0; k < n; ++k) {
    unsigned kind = (unsigned)(next_random(&seed) % (p->calm ? 300 : 32));
    long l = p->ly + (long)(next_random(&seed) % (uint64_t)p->ny), room = p->ly + p->ny - l;
    long m = 1 + (long)(next_random(&seed) % (uint64_t)(room < 4 ? room : 4));
    uint64_t value = next_random(&seed), random = next_random(&seed);
    unsigned long long cost = cost_of(p->costs, random, k);
    long long priority = (long long)(value >> 20) % 5 - 2;
    if (kind == 0 && p->depth > 0) {
      struct program inner = {p->y, NULL, l, room, p->depth - 1, p->costs, value | 1, p->calm, p->plain};
      const void *args = &inner;
      if (p->plain)
        program_cpu(&args, 1);
      else if (agglom_submit(&program_task, &inner, &(struct agglom_range){p->y, l, room}, priority, cost))
        abort();
    } else if (kind == 1) {
      if (!p->plain)
        wait_for(p->y + l, (size_t)m * sizeof *p->y);
    } else if (kind == 2 && value % 4 == 0) {
      freed = 0;
      if (!p->plain)
        wait_for(NULL, 0);
    } else if (kind < 5) {
      struct tally_args t = {p->y, l, m, value % 1000, kind == 3};
      struct agglom_range range = {t.y, t.ly, t.ny};
      if (p->plain)
        tally(&t);
      else if (agglom_submit(t.flip ? &flip_task : &tally_task, &t, &range, priority, cost))
        abort();
    } else if (kind == 5) {
      struct grow_args g = {p->y + l, m};
      if (p->plain)
        grow_range(&g, 0, 1);
      else if (agglom_submit(&grow_task, &g, &(struct agglom_range){g.y, 0, m}, priority, cost))
        abort();
    } else if (kind < 12 && p->free && freed < FREE) {
      struct mix_args x = {.y = p->free, .ly = freed++, .ny = 1, .v = value};
      take(&free_task, x, p->plain, priority, cost);
    } else {
      struct mix_args x = {.y = p->y, .x = p->y, .ly = l, .ny = m, .lx = p->ly, .v = value % 1000};
      x.nx = value % 2 ? 0 : l - p->ly < 2 ? l - p->ly : 2; /* what lies before */
      x.lx = l - x.nx;
      take(tasks[p->calm ? p->seed >> 8 & 7 : random >> 40 & 7], x, p->plain, priority, cost);
    }
  }
}

static void program_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    steps(args[i], 10);
}

struct thread {
  uint64_t real[SPAN], copy[SPAN], free[FREE], free_copy[FREE], seed;
  bool wrong;
};

static void *run(void *context) {
  struct thread *t = context;
  for (int i = 0; i < FREE; ++i)
    t->free[i] = t->free_copy[i] = (uint64_t)i;
  for (int i = 0; i < SPAN; ++i)
    t->real[i] = t->copy[i] = (uint64_t)i;
  bool calm = t->seed >> 4 & 1;
  struct program top = {t->real, t->free, 0,    SPAN, calm ? 0 : 2, (int)(t->seed % KINDS),
                        t->seed, calm,    false};
  steps(&top, STEPS);
  bool failed = agglom_wait();
  top.y = t->copy;
  top.free = t->free_copy;
  top.plain = true;
  steps(&top, STEPS);
  t->wrong = failed || memcmp(t->real, t->copy, sizeof t->real) != 0 ||
             memcmp(t->free, t->free_copy, sizeof t->free) != 0;
  return NULL;
}

static bool wrong_on(const char *settings, size_t s, bool fails) {
  static struct thread threads[THREADS];
  bool wrong = false;
  uint64_t seed = 7919 * (from_environment("COSTS_SEED", 1) + 100 * s + 50 * fails);
  start_with(settings);
  assert_int_equal(agglom_register(&costs_module), 0);
  for (unsigned long i = from_environment("COSTS_PROGRAMS", 6); i--;) {
    unsigned n = 1 + (unsigned)(next_random(&seed) % THREADS);
    pthread_t ids[THREADS];
    for (unsigned t = 0; t < n; ++t) {
      threads[t].seed = next_random(&seed) | 1;
      assert_int_equal(pthread_create(&ids[t], NULL, run, &threads[t]), 0);
    }
    for (unsigned t = 0; t < n; ++t) {
      assert_int_equal(pthread_join(ids[t], NULL), 0);
      wrong |= threads[t].wrong;
    }
  }
  struct agglom_counters c;
  agglom_get_counters(&c);
  wrong |= c.units != c.units_on_cpu + c.units_on_device;
  assert_int_equal(agglom_shutdown(), 0);
  return wrong;
}

#define OPEN "AGGLOM_BATCH=auto AGGLOM_SPLIT=auto AGGLOM_DEVICES=emulated"

static void good_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      OPEN " AGGLOM_WORKERS=1",
      OPEN " AGGLOM_WORKERS=2",
      OPEN ":2 AGGLOM_WORKERS=4",
      OPEN ":3 AGGLOM_WORKERS=1 AGGLOM_EMULATE=threads=1",
      OPEN " AGGLOM_WORKERS=1 AGGLOM_EMULATE=memory=24KB,launch=20us",
      OPEN " AGGLOM_WORKERS=2 AGGLOM_EMULATE=launch=30us,unit=1us,copy=5us,threads=4",
      OPEN ":2 AGGLOM_WORKERS=2 AGGLOM_MAP=warp AGGLOM_COALESCE=sort",
      OPEN ":2 AGGLOM_WORKERS=3 AGGLOM_OBJECTIVE=energy",
      OPEN " AGGLOM_WORKERS=1 AGGLOM_BATCH=static:7",
      OPEN " AGGLOM_WORKERS=2 AGGLOM_BATCH=maximal",
      OPEN " AGGLOM_WORKERS=2 AGGLOM_BATCH=occupancy",
      OPEN " AGGLOM_WORKERS=2 AGGLOM_SPLIT=gpu",
      OPEN " AGGLOM_WORKERS=2 AGGLOM_SPLIT=items",
      OPEN " AGGLOM_WORKERS=4 AGGLOM_LINGER=200us",
      OPEN " AGGLOM_CUS=2x2",
  };
  ON_MACHINES(settings, wrong_on, false);
}

static void failing_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      OPEN " AGGLOM_WORKERS=2 AGGLOM_FAULT=call=launch,nth=2,times=9",
      OPEN " AGGLOM_WORKERS=4 AGGLOM_LINGER=200us AGGLOM_FAULT=call=launch,nth=2,times=9",
      OPEN " AGGLOM_WORKERS=1 AGGLOM_FAULT=call=launch,nth=6,times=all",
      OPEN " AGGLOM_WORKERS=1 AGGLOM_FAULT=call=launch,nth=6,error=sticky",
      OPEN ":2 AGGLOM_WORKERS=2 AGGLOM_FAULT=call=copy_out,nth=9,times=2,error=sticky",
      OPEN ":3 AGGLOM_WORKERS=2 AGGLOM_FAULT=call=copy_in,nth=3,times=all,error=oom",
      OPEN ":2 AGGLOM_WORKERS=3 AGGLOM_FAULT=call=finished,nth=4,times=12",
      OPEN " AGGLOM_WORKERS=2 AGGLOM_SPLIT=gpu AGGLOM_FAULT=call=launch,nth=3,times=20",
      OPEN " AGGLOM_WORKERS=1 AGGLOM_FAULT=call=any,nth=40,times=all,error=oom",
      OPEN ":2 AGGLOM_WORKERS=2 AGGLOM_TIMEOUT=50ms AGGLOM_FAULT=call=launch,nth=5,error=hang",
  };
  ON_MACHINES(settings, wrong_on, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(good_machines), cmocka_unit_test(failing_machines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
