/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs: units, host code and directives find the right contents, on good and bad machines.
 * STRESS_PROGRAMS says how many, STRESS_ROUNDS how long they are. */
#include "directives.h"
#include "graph/unit.h"
#include "machines.h"
#include "observe/observe.h"
#include "random.h"
#include "rt_tasks.h"

#include <pthread.h>

/* --- comb: void comb(uint64_t *y, long n, long step, long run, uint64_t v), inout of n pieces of `run`
 * elements, `step` elements apart: y = y * 3 + v. What lies between is others' to use. */

struct comb_args {
  uint64_t *y;
  long n, step, run;
  uint64_t v;
};

static void comb(const struct comb_args *a) {
  for (long i = 0; i < a->n; ++i)
    for (long j = i * a->step; j < i * a->step + a->run; ++j)
      a->y[j] = a->y[j] * 3 + a->v;
}

TASK_BODIES(comb, struct comb_args, comb)

static const struct agglom_section comb_sections[] = {{"inout(y[0:n:step])", 91, AGGLOM_INOUT | AGGLOM_SHAPED,
                                                       sizeof(uint64_t), offsetof(struct comb_args, y), 0,
                                                       NULL, NULL}};
static struct agglom_task comb_task = {.name = "comb",
                                       .file = "comb.c",
                                       .line = 90,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct comb_args),
                                       .args_align = _Alignof(struct comb_args),
                                       .n_sections = 1,
                                       .sections = comb_sections,
                                       .cpu = comb_cpu,
                                       .emulated = comb_emulated,
                                       .kernel = "comb",
                                       .module = &mix_module_header};

static void submit_comb(struct comb_args a) {
  struct agglom_dim dim = {0, a.n, 1, (unsigned long long)a.step * sizeof *a.y};
  struct agglom_shape shape = {a.y, &dim, 1, 0, (unsigned long long)a.run * sizeof *a.y, NULL, NULL};
  if (agglom_submit(&comb_task, &a, &(struct agglom_range){&shape, 0, 0}, 0, 0))
    abort();
}

/* --- body: host code in a task, device(cpu) inout(y[0:n]): writes, submits children, waits, writes again
 * ----- */

struct body_args {
  uint64_t *y;
  long n;
  uint64_t seed;
  bool plain;
};

static void body_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct body_args *a = args[i];
    long half = a->n / 2;
    struct mix_args m = {.y = a->y + half, .ny = a->n - half, .x = a->y, .nx = half, .v = a->seed};
    for (int round = 0; round < 2; ++round) {
      for (long j = 0; j < a->n; ++j)
        a->y[j] += a->seed;
      for (int k = 0; k < 3; ++k) {
        if (a->plain)
          mix(&m);
        else
          submit_mix(k == 1 ? &host_task : &mix_task, m);
      }
      if (!a->plain && round == 0 && agglom_wait())
        abort();
    }
  }
}

static const struct agglom_section body_sections[] = {
    {"inout(y[0:n])", 96, AGGLOM_INOUT, sizeof(uint64_t), offsetof(struct body_args, y), 0, NULL, NULL}};
static struct agglom_task body_task = {.name = "body",
                                       .file = "body.c",
                                       .line = 95,
                                       .flags = AGGLOM_TASK_CPU_ONLY,
                                       .args_size = sizeof(struct body_args),
                                       .args_align = _Alignof(struct body_args),
                                       .n_sections = 1,
                                       .sections = body_sections,
                                       .cpu = body_cpu,
                                       .module = &mix_module_header};

static struct agglom_task *const own_tasks[] = {&comb_task, &body_task};
static struct agglom_module own_module = TASK_MODULE("own.c", own_tasks);

static void start_here(const char *settings) {
  start_with(settings);
  assert_int_equal(agglom_register(&own_module), 0);
}

/* --- Random programs ------------------------------------------------------------------------------------ */

enum { SPAN = 20000, SHORT = 600, NESTED = 3, STEPS = 130 };

/* A program and the memory it works on; copy is what a serial run would have. */
struct program {
  uint64_t *real, *copy;
  uint64_t seed;
  bool wrong;
  struct {
    long lo, n;
    void *block;
  } open[NESTED]; /* data blocks */
  int depth;
};

static uint64_t pick(struct program *p, uint64_t n) { return next_random(&p->seed) % n; }

static bool resident(const struct program *p, long j) {
  for (int i = 0; i < p->depth; ++i)
    if (j >= p->open[i].lo && j < p->open[i].lo + p->open[i].n)
      return true;
  return false;
}

static void compare(struct program *p, long lo, long n) {
  for (long j = lo; j < lo + n; ++j)
    p->wrong |= !resident(p, j) && p->real[j] != p->copy[j];
}

static void host_writes(struct program *p, long lo, long n) {
  for (long j = lo; j < lo + n; ++j)
    if (!resident(p, j))
      p->real[j] = p->copy[j] = p->real[j] ^ (uint64_t)j;
}

static void submit_something(struct program *p, long lo, long n) {
  uint64_t kind = pick(p, 12), v = pick(p, 1000);
  uint64_t *y = p->real + lo, *z = p->copy + lo;
  if (kind < 1) {
    struct body_args b = {y, n, v, false}, q = {z, n, v, true};
    agglom_submit(&body_task, &b, &(struct agglom_range){y, 0, n}, 0, 0);
    const void *args = &q;
    body_cpu(&args, 1);
  } else if (kind < 2) {
    submit_grow(y, n);
    grow_range(&(struct grow_args){z, n}, 0, 1);
  } else if (kind < 4) {
    struct tally_args t = {y, 0, n, v, kind == 2};
    submit_tally(t);
    t.y = z;
    tally(&t);
  } else if (kind < 6) {
    long run = kind == 4 ? 40 : 3; /* kept piece by piece, and all together */
    struct comb_args c = {y, n < run ? 1 : (n - run) / 80 + 1, 80, n < run ? n : run, v};
    if (pick(p, 2)) { /* rows that lie so far apart that a device gets them without what is between them */
      c.step = pick(p, 3) ? 2000 : 1000;
      c.run = kind == 5 ? 3 : 20 + 80 * (long)pick(p, 3);
      c.run = c.run < SPAN - lo ? c.run : SPAN - lo;
      c.n = (SPAN - lo - c.run) / c.step + 1;
    }
    submit_comb(c);
    c.y = z;
    comb(&c);
  } else {
    struct agglom_task *tasks[] = {&mix_task, &mix_task, &mix_task, &thread_task, &host_task};
    long before = (long)pick(p, (uint64_t)lo + 1);
    struct mix_args m = {
        .y = p->real, .ly = lo, .ny = n, .x = p->real, .lx = before, .nx = lo - before, .v = v};
    submit_mix(tasks[pick(p, 5)], m);
    m.x = m.y = p->copy;
    mix(&m);
  }
}

static void step(struct program *p) {
  /* Some are long enough to be moved on a device. */
  long lo = (long)pick(p, SPAN), most = pick(p, 3) ? SHORT : SPAN / 2;
  long n = 1 + (long)pick(p, (uint64_t)(SPAN - lo < most ? SPAN - lo : most));
  struct agglom_range range = {p->real, lo, n};
  switch (pick(p, 40)) {
  case 0:
    if (agglom_wait())
      p->wrong = true;
    compare(p, 0, SPAN);
    host_writes(p, lo, n);
    break;
  case 1:
    agglom_wait_sections(&wait_on, &range);
    compare(p, lo, n);
    host_writes(p, lo, n);
    break;
  case 2:
    agglom_update_sections(&update_host, &range);
    for (long j = lo; j < lo + n; ++j)
      p->wrong |= p->real[j] != p->copy[j];
    break;
  case 3:
    agglom_wait_sections(&wait_on, &range);
    for (long j = lo; j < lo + n; ++j)
      p->real[j] = p->copy[j] = p->copy[j] + 5;
    agglom_update_sections(&update_device, &range);
    break;
  case 4:
    if (p->depth < NESTED) {
      p->open[p->depth].lo = lo;
      p->open[p->depth].n = n;
      p->open[p->depth++].block = agglom_data_begin(&data, &range);
    } else {
      --p->depth;
      agglom_data_end(p->open[p->depth].block);
      compare(p, p->open[p->depth].lo, p->open[p->depth].n);
      host_writes(p, p->open[p->depth].lo, p->open[p->depth].n);
    }
    break;
  default:
    submit_something(p, lo, n);
  }
}

static void *run_program(void *program) {
  struct program *p = program;
  for (int i = 0; i < SPAN; ++i)
    p->real[i] = p->copy[i] = (uint64_t)i;
  for (unsigned long i = 0; i < repeats(STEPS); ++i)
    step(p);
  while (p->depth)
    agglom_data_end(p->open[--p->depth].block);
  p->wrong |= agglom_wait() != 0;
  compare(p, 0, SPAN);
  return NULL;
}

/* Memory that devices read where it is, older than the first machine and there until the last one's end. */
static uint64_t *in_place;

static int take_memory(void **state) {
  (void)state;
  in_place = agglom_alloc(SPAN * sizeof *in_place);
  return in_place ? 0 : -1;
}

static int give_memory(void **state) {
  (void)state;
  agglom_free(in_place);
  return 0;
}

static bool wrong_on(const char *settings, size_t s, bool fails) {
  enum { THREADS = 2 };
  static uint64_t copy[THREADS][SPAN], plain[SPAN];
  uint64_t *const real[THREADS] = {in_place, plain};
  bool wrong = false;
  start_here(settings);
  for (uint64_t k = 1; k <= from_environment("STRESS_PROGRAMS", 1); ++k) {
    struct program programs[THREADS];
    pthread_t threads[THREADS];
    for (unsigned t = 0; t < THREADS; ++t) {
      programs[t] = (struct program){real[t], copy[t], k * 7919 + t * 104729 + s, false, {{0, 0, NULL}}, 0};
      assert_int_equal(pthread_create(&threads[t], NULL, run_program, &programs[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; ++t) {
      pthread_join(threads[t], NULL);
      wrong |= programs[t].wrong;
    }
  }
  struct agglom_counters counters;
  agglom_get_counters(&counters);
  wrong |= !fails && counters.failed; /* there is memory for each batch, whatever others hold */
  assert_int_equal(agglom_shutdown(), 0);
  return wrong;
}

static void good_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=static:4",
      "AGGLOM_DEVICES=emulated:3 AGGLOM_WORKERS=3 AGGLOM_BATCH=count:3",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=single",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=single AGGLOM_EMULATE=memory=2MB",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=static:2 AGGLOM_EMULATE=memory=600KB",
      "AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:2 AGGLOM_EMULATE=launch=50us,bandwidth=1GB/s",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:3 AGGLOM_REUSE=off",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:3 AGGLOM_COALESCE=sort",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=2",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:4 AGGLOM_SPLIT=count",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_SPLIT=items",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=auto AGGLOM_EMULATE=launch=50us",
  };
  ON_MACHINES(settings, wrong_on, false);
}

static void failing_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:3 AGGLOM_FAULT=call=launch,nth=5,times=40",
      "AGGLOM_DEVICES=emulated AGGLOM_BATCH=single AGGLOM_FAULT=call=copy_out,nth=20,times=30",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=single AGGLOM_FAULT=call=copy_in,nth=9,times=50",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=single AGGLOM_FAULT=call=mark,nth=7,times=60",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_BATCH=single AGGLOM_FAULT=call=launch,nth=60,error=sticky",
      ("AGGLOM_DEVICES=emulated:2 AGGLOM_BATCH=static:2 "
       "AGGLOM_FAULT=call=copy_in,nth=40,times=all,error=sticky"),
      "AGGLOM_DEVICES=emulated AGGLOM_BATCH=single AGGLOM_FAULT=call=move,nth=4,times=20",
      "AGGLOM_DEVICES=emulated AGGLOM_BATCH=single AGGLOM_FAULT=call=move,nth=11,error=sticky",
      "AGGLOM_DEVICES=emulated AGGLOM_BATCH=single AGGLOM_FAULT=call=milestone,nth=9,times=9",
      "AGGLOM_DEVICES=emulated AGGLOM_BATCH=single AGGLOM_FAULT=call=follow,nth=2,times=all",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_FAULT=call=stream,nth=3,times=all",
  };
  ON_MACHINES(settings, wrong_on, true);
}

/* An array that is on a device in several pieces serves units that use a little everywhere. */
static void gaps_are_moved_too(void **state) {
  (void)state;
  enum { BLOCKS = 4, BLOCK = 4096, ROUNDS = 6 };
  static uint64_t x[BLOCKS * BLOCK], wanted[BLOCKS * BLOCK];
  start_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=single");
  for (int round = 0; round < ROUNDS; ++round) {
    for (long b = 0; b < BLOCKS; ++b) {
      struct mix_args m = {.y = x, .ly = b * BLOCK, .ny = BLOCK, .x = x, .v = (uint64_t)(b + round)};
      submit_mix(&mix_task, m);
      m.x = m.y = wanted;
      mix(&m);
    }
    struct comb_args c = {x + round, BLOCKS * BLOCK / 8 - 1, 8, 1 + round % 3, 5};
    submit_comb(c);
    c.y = wanted + round;
    comb(&c);
  }
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(x, wanted, sizeof x);
  struct ag_observe_totals t;
  ag_observe_totals(comb_task.state->observe, &t);
#if !defined(__SANITIZE_THREAD__)
  assert_in_range(t.bytes_in, 1, ROUNDS * 1024);
#endif
  assert_int_equal(agglom_shutdown(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_are_moved_too),
      cmocka_unit_test_setup_teardown(good_machines, take_memory, give_memory),
      cmocka_unit_test_setup_teardown(failing_machines, take_memory, give_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
