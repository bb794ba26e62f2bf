/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each schedule of a loop does, on examples computed by hand. */
#include "policy/loop/fit.h"
#include "policy/loop/loop.h"
#include "random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static _Alignas(max_align_t) char memory[1 << 16];

static struct ag_loop *begin_new(const struct ag_loop_view *view) {
  memset(memory, 0, sizeof memory);
  assert_true(ag_loop_state_bytes(view) <= sizeof memory);
  return ag_loop_begin(memory, view);
}

static void expect_run(struct ag_loop *l, unsigned u, uint64_t from, uint64_t to) {
  struct ag_loop_grant g = ag_loop_next(l, u, 0);
  assert_int_equal(g.what, AG_LOOP_RUN);
  assert_int_equal(g.from, from);
  assert_int_equal(g.to, to);
}

/* Takes ns for each iteration at once. */
static uint64_t run_next(struct ag_loop *l, unsigned u, double ns) {
  struct ag_loop_grant g = ag_loop_next(l, u, 0);
  assert_int_equal(g.what, AG_LOOP_RUN);
  assert_true(ag_loop_done(l, u, g.from, g.to, (uint64_t)((double)(g.to - g.from) * ns)));
  return g.to - g.from;
}

/* --- Logarithms, and curves through samples ---------------------------------------------------------------
 */

static void logarithm(void **s) {
  (void)s;
  uint64_t seed = 5;
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = next_random(&seed) & INT64_MAX;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x) && x > 0)
      assert_true(fabs(ag_ln(x) - log(x)) <= 1e-15 + 4e-16 * fabs(log(x)));
  }
  assert_true(ag_ln(1) == 0 && fabs(ag_ln(DBL_TRUE_MIN) - log(DBL_TRUE_MIN)) < 1e-12);
  assert_true(ag_ln(0) == 0 && ag_ln(-1) == 0 && ag_ln(NAN) == 0 && ag_ln(INFINITY) == 0);
}

static void curves(void **s) {
  (void)s;
  uint64_t seed = 9;
  for (int i = 0; i < 100000; ++i) {
    double a = 0.01 + (double)(next_random(&seed) % 1000), b = (double)(next_random(&seed) % 1000);
    double x[4], y[4];
    for (int k = 0; k < 4; ++k) {
      x[k] = (double)(1 + next_random(&seed) % 50) * (k + 2);
      y[k] = a * log(x[k]) + b;
    }
    struct ag_fit fit;
    if (x[0] == x[1] || !ag_fit_log(&fit, x, y, 4))
      continue;
    assert_true(fabs(fit.a - a) < 1e-9 * (1 + a + b) && fabs(fit.b - b) < 1e-8 * (1 + a + b));
  }
  struct ag_fit fit;
  assert_false(ag_fit_log(&fit, (double[]){8, 8, 8}, (double[]){1, 2, 3}, 3));
  assert_false(ag_fit_log(&fit, (double[]){8, 9}, (double[]){1, 0}, 2));
  assert_false(ag_fit_log(&fit, (double[]){8, 9}, (double[]){1, INFINITY}, 2));
  assert_false(ag_fit_log(&fit, (double[]){8, NAN}, (double[]){1, 1}, 2));
}

/* --- static, dynamic --------------------------------------------------------------------------------------
 */

static void equal_blocks(void **s) {
  (void)s;
  struct ag_loop_view view = {.machine = {2, 1, NULL, NULL}, .n = 11, .kind = AGGLOM_SCHEDULE_STATIC};
  struct ag_loop *l = begin_new(&view);
  expect_run(l, 2, 8, 11);
  expect_run(l, 0, 0, 4);
  expect_run(l, 1, 4, 8);
  for (unsigned u = 0; u < 3; ++u)
    assert_int_equal(ag_loop_next(l, u, 0).what, AG_LOOP_NONE);
  view.chunk = 2; /* by turns */
  l = begin_new(&view);
  expect_run(l, 0, 0, 2);
  expect_run(l, 0, 6, 8);
  assert_int_equal(ag_loop_next(l, 0, 0).what, AG_LOOP_NONE);
  expect_run(l, 1, 2, 4);
  expect_run(l, 1, 8, 10);
  expect_run(l, 2, 4, 6);
  expect_run(l, 2, 10, 11);
}

static void on_demand(void **s) {
  (void)s;
  struct ag_loop_view view = {
      .machine = {1, 1, NULL, NULL}, .n = 100, .kind = AGGLOM_SCHEDULE_DYNAMIC, .chunk = 30};
  struct ag_loop *l = begin_new(&view);
  expect_run(l, 0, 0, 30);
  expect_run(l, 1, 30, 60);
  expect_run(l, 0, 60, 90);
  expect_run(l, 0, 90, 100);
  assert_int_equal(ag_loop_next(l, 1, 0).what, AG_LOOP_NONE);
}

/* What is left of a lost unit: its chunk, and its share. */
static void lost_units(void **s) {
  (void)s;
  struct ag_loop_view view = {.machine = {2, 1, NULL, NULL}, .n = 90, .kind = AGGLOM_SCHEDULE_STATIC};
  struct ag_loop *l = begin_new(&view);
  expect_run(l, 0, 0, 30);
  expect_run(l, 2, 60, 90);
  assert_true(ag_loop_lost(l, 1)); /* 30 .. 60, not begun */
  assert_true(ag_loop_lost(l, 2)); /* 60 .. 90, under way */
  assert_true(ag_loop_done(l, 0, 0, 30, 1));
  expect_run(l, 0, 60, 90);
  expect_run(l, 0, 30, 60);
  assert_false(ag_loop_done(l, 2, 60, 90, 1));
  assert_int_equal(ag_loop_left(l), 60);
}

/* --- logfit -----------------------------------------------------------------------------------------------
 */

/* A device whose throughput is a ln x + b iterations per ms exactly. */
static uint64_t run_on_curve(struct ag_loop *l, unsigned u, double a, double b) {
  struct ag_loop_grant g = ag_loop_next(l, u, 0);
  assert_int_equal(g.what, AG_LOOP_RUN);
  double x = (double)(g.to - g.from), ms = x / (a * log(x) + b);
  assert_true(ag_loop_done(l, u, g.from, g.to, (uint64_t)(ms * 1e6 + 0.5)));
  return g.to - g.from;
}

/* The paper's machine: 20 compute units, samples of 20, 40, 80, 160; a = 7 gives chunks of 700. */
static void fitted_chunks(void **s) {
  (void)s;
  unsigned lanes = 20;
  struct ag_loop_view view = {.machine = {0, 1, &lanes, NULL}, .n = 100000, .kind = AGGLOM_SCHEDULE_LOGFIT};
  struct ag_loop *l = begin_new(&view);
  for (uint64_t size = 20; size <= 160; size *= 2)
    assert_int_equal(run_on_curve(l, 0, 7, 10), size);
  for (int i = 0; i < 5; ++i)
    assert_in_range(run_on_curve(l, 0, 7, 10), 699, 701);
  uint64_t before = run_on_curve(l, 0, 9, 10); /* it became faster: larger chunks */
  assert_in_range(before, 699, 701);
  assert_true(run_on_curve(l, 0, 7, 10) > 720);
  /* The next time step begins with what is known. */
  l = ag_loop_begin(memory, &view);
  assert_in_range(run_on_curve(l, 0, 7, 10), 690, 710);
}

/* The threshold is a number of its own, or the first fit's. */
static void thresholds(void **s) {
  (void)s;
  unsigned lanes = 20;
  struct ag_loop_view view = {
      .machine = {0, 1, &lanes, NULL}, .n = 100000, .kind = AGGLOM_SCHEDULE_LOGFIT, .ratio = 0.02};
  struct ag_loop *l = begin_new(&view);
  for (int i = 0; i < 4; ++i)
    run_on_curve(l, 0, 7, 10);
  assert_in_range(run_on_curve(l, 0, 7, 10), 349, 351);
  const double speeds[] = {1e-3, 1, 1e5};
  for (int k = 0; k < 3; ++k) { /* whatever the unit of time */
    double speed = speeds[k];
    view.ratio = -1;
    l = begin_new(&view);
    for (int i = 0; i < 4; ++i)
      run_on_curve(l, 0, 7 * speed, 10 * speed);
    for (int i = 0; i < 4; ++i)
      assert_in_range(run_on_curve(l, 0, 7 * speed, 10 * speed), 158, 162);
  }
}

/* A CPU unit's chunk takes as long as the device's: 700 iterations at 55.86 a ms are 12.53 ms, of 5 a ms 63.
 */
static void cpu_chunks(void **s) {
  (void)s;
  unsigned lanes = 20;
  struct ag_loop_view view = {.machine = {1, 1, &lanes, NULL}, .n = 100000, .kind = AGGLOM_SCHEDULE_LOGFIT};
  struct ag_loop *l = begin_new(&view);
  assert_in_range(run_next(l, 0, 200000), 1, 20);
  for (int i = 0; i < 5; ++i)
    run_on_curve(l, 1, 7, 10);
  assert_in_range(run_next(l, 0, 200000), 62, 64);
}

/* What is left at the end is too little for the device. */
static void not_for_the_device(void **s) {
  (void)s;
  unsigned lanes = 20;
  struct ag_loop_view view = {.machine = {1, 1, &lanes, NULL}, .n = 305, .kind = AGGLOM_SCHEDULE_LOGFIT};
  struct ag_loop *l = begin_new(&view);
  for (int i = 0; i < 4; ++i)
    run_on_curve(l, 1, 7, -15); /* 300 of them */
  l = ag_loop_begin(memory, &view);
  uint64_t some = run_next(l, 0, 10000);
  assert_true(some < 305);
  assert_int_equal(ag_loop_next(l, 1, 0).what, AG_LOOP_NONE); /* 100 a ms on the CPU, 20 on the device */
  while (ag_loop_left(l))
    run_next(l, 0, 10000);
}

/* Broken clocks and curves that fall do no harm. */
static void odd_samples(void **s) {
  (void)s;
  unsigned lanes = 8;
  struct ag_loop_view view = {.machine = {0, 1, &lanes, NULL}, .n = 100000, .kind = AGGLOM_SCHEDULE_LOGFIT};
  struct ag_loop *l = begin_new(&view);
  struct ag_loop_grant g = ag_loop_next(l, 0, 0);
  assert_true(ag_loop_done(l, 0, g.from, g.to, 0));
  const double ns[] = {100, 50, 200, 900}; /* 16 a chunk is best */
  for (int i = 0; i < 4; ++i)
    assert_int_equal(run_next(l, 0, ns[i]), 8 << i); /* the first once more */
  assert_int_equal(run_next(l, 0, 100), 16);
}

/* --- Split once: oracle, concord, hdss, static_pcf --------------------------------------------------------
 */

static void offline_split(void **s) {
  (void)s;
  struct ag_loop_view view = {
      .machine = {2, 1, NULL, NULL}, .n = 100, .kind = AGGLOM_SCHEDULE_ORACLE, .ratio = 0.7};
  struct ag_loop *l = begin_new(&view);
  expect_run(l, 0, 0, 8); /* a quarter of the CPUs' 30 */
  expect_run(l, 2, 8, 78);
  expect_run(l, 1, 78, 84);
  assert_int_equal(ag_loop_next(l, 2, 0).what, AG_LOOP_NONE);
  view.ratio = -1;
  l = begin_new(&view);
  assert_int_equal(ag_loop_next(l, 2, 0).what, AG_LOOP_NONE);
  expect_run(l, 0, 0, 25);
  view.ratio = 1;
  l = begin_new(&view);
  expect_run(l, 2, 0, 100);
}

/* A device ten times as fast as the CPU unit: two rounds of 2048 agree, and of what is left 10 / 11 are its.
 */
static void profiled_split(void **s) {
  (void)s;
  struct ag_loop_view view = {.machine = {1, 1, NULL, NULL}, .n = 100000, .kind = AGGLOM_SCHEDULE_CONCORD};
  struct ag_loop *l = begin_new(&view);
  for (int round = 0; round < 2; ++round) {
    expect_run(l, 1, (uint64_t)round * 2176, (uint64_t)round * 2176 + 2048);
    assert_int_equal(ag_loop_next(l, 1, 0).what, AG_LOOP_LATER);
    assert_int_equal(run_next(l, 0, 1000), 128);
    assert_true(ag_loop_done(l, 1, (uint64_t)round * 2176, (uint64_t)round * 2176 + 2048, 204800));
  }
  assert_in_range(run_next(l, 1, 100), 86950, 86953);
  assert_int_equal(ag_loop_next(l, 1, 0).what, AG_LOOP_NONE);
  while (ag_loop_left(l))
    run_next(l, 0, 1000);
  ag_loop_end(l);
  l = ag_loop_begin(memory, &view); /* the next time step knows */
  assert_in_range(run_next(l, 1, 100), 90908, 90910);
}

/* The fit is exact at once, so the second recommended chunk ends the training: 1 / 2 each of what is left. */
static void trained_split(void **s) {
  (void)s;
  unsigned lanes = 20;
  struct ag_loop_view view = {.machine = {1, 1, &lanes, NULL}, .n = 100000, .kind = AGGLOM_SCHEDULE_HDSS};
  for (int execution = 0; execution < 2; ++execution) { /* nothing is remembered */
    struct ag_loop *l = execution ? ag_loop_begin(memory, &view) : begin_new(&view);
    double cpu_ns = 1e6 / (7 * log(700) + 10);
    assert_int_equal(run_next(l, 0, cpu_ns), 20);
    for (uint64_t size = 20; size <= 160; size *= 2)
      assert_int_equal(run_on_curve(l, 1, 7, 10), size);
    assert_in_range(run_on_curve(l, 1, 7, 10), 699, 701);
    uint64_t left = 100000 - 20 - 300 - 700;
    assert_in_range(run_on_curve(l, 1, 7, 10), left / 2 - left / 100, left / 2 + left / 100);
    assert_in_range(run_next(l, 0, cpu_ns), left / 4 - left / 100, left / 4 + left / 100);
    ag_loop_end(l);
  }
}

static uint64_t device_part(uint64_t n, unsigned cpus, unsigned devices, double pcf) {
  struct ag_loop_view view = {
      .machine = {cpus, devices, NULL, NULL}, .n = n, .kind = AGGLOM_SCHEDULE_STATIC_PCF, .ratio = pcf};
  struct ag_loop *l = begin_new(&view);
  uint64_t sum = 0;
  for (unsigned u = cpus; u < cpus + devices; ++u)
    for (struct ag_loop_grant g; (g = ag_loop_next(l, u, 0)).what == AG_LOOP_RUN;)
      sum += g.to - g.from;
  return sum;
}

/* The paper's example, and its benchmarks with its factors. */
static void conversion_factor(void **s) {
  (void)s;
  assert_int_equal(device_part(40, 1, 1, 4), 32);
  assert_int_equal(device_part(44, 1, 1, 4), 36); /* 4 are left: all of them */
  assert_int_equal(device_part(43, 1, 1, 4), 35);
  assert_int_equal(device_part(16, 1, 1, 6.74), 14);
  assert_int_equal(device_part(16, 1, 2, 6.74), 15);
  assert_int_equal(device_part(16, 1, 1, 2.55), 12);
  assert_int_equal(device_part(16, 1, 2, 2.55), 14);
  assert_int_equal(device_part(16, 1, 1, 2.16), 11);
  assert_int_equal(device_part(1024, 16, 1, 21.91), 592);
  assert_int_equal(device_part(1024, 16, 2, 21.91), 752);
  assert_int_equal(device_part(10, 0, 2, 3), 10);
  assert_int_equal(device_part(10, 2, 0, 3), 0);
}

static void measured_factor(void **s) {
  (void)s;
  struct ag_loop_view view = {.machine = {1, 1, NULL, NULL}, .n = 40, .kind = AGGLOM_SCHEDULE_STATIC_PCF};
  struct ag_loop *l = begin_new(&view);
  assert_false(ag_loop_settled(l));
  assert_int_equal(run_next(l, 0, 4000), 20);
  assert_int_equal(run_next(l, 1, 1000), 20);
  ag_loop_end(l);
  l = ag_loop_begin(memory, &view);
  assert_true(ag_loop_settled(l));
  expect_run(l, 1, 8, 40);
  expect_run(l, 0, 0, 8);
}

/* --- Between time steps: dynamic_locked, guided, clustered_guided -----------------------------------------
 */

static void locked_mapping(void **s) {
  (void)s;
  struct ag_loop_view view = {
      .machine = {1, 1, NULL, NULL}, .n = 95, .kind = AGGLOM_SCHEDULE_DYNAMIC_LOCKED, .chunk = 10};
  struct ag_loop *l = begin_new(&view);
  for (int step = 0; step < 4; ++step) {
    assert_false(ag_loop_planned(l) || ag_loop_settled(l));
    for (int k = 0; k < 10; ++k)
      run_next(l, k % 3 == 1, 100);
    ag_loop_end(l);
    l = ag_loop_begin(memory, &view);
  }
  assert_true(ag_loop_planned(l) && ag_loop_settled(l));
  expect_run(l, 1, 10, 20);
  expect_run(l, 0, 0, 10);
  expect_run(l, 0, 20, 30);
  expect_run(l, 1, 40, 50);
  expect_run(l, 1, 70, 80);
  assert_int_equal(ag_loop_next(l, 1, 0).what, AG_LOOP_NONE);
  assert_true(ag_loop_lost(l, 0)); /* its two chunks, and then those that were to come */
  expect_run(l, 1, 0, 10);
  expect_run(l, 1, 20, 30);
  expect_run(l, 1, 30, 40);
}

/* Equal iterations, the third unit twice as fast: 4 4 2 time units, 10/3 each; 3 3 3 after one adjustment. */
static void guided_by_time(void **s) {
  (void)s;
  for (int told = 0; told < 2; ++told) {
    struct ag_loop_view view = {
        .machine = {2, 1, NULL, NULL}, .n = 12, .kind = AGGLOM_SCHEDULE_GUIDED_RUNTIME};
    struct ag_loop *l = begin_new(&view);
    static const uint64_t end[2][4] = {{0, 4, 8, 12}, {0, 3, 6, 12}};
    for (int step = 0; step < 3; ++step) {
      for (unsigned u = 0; u < 3; ++u) {
        const uint64_t *e = end[step > 0];
        double ns = u < 2 ? 1000 : 500, each[] = {ns, ns, ns, ns, ns, ns};
        expect_run(l, u, e[u], e[u + 1]);
        if (told)
          ag_loop_items(l, e[u], e[u + 1], each);
        assert_true(ag_loop_done(l, u, e[u], e[u + 1], (uint64_t)((double)(e[u + 1] - e[u]) * ns)));
      }
      ag_loop_end(l);
      assert_int_equal(ag_loop_settled(l), step > 0);
      l = ag_loop_begin(memory, &view);
    }
  }
}

/* Times of single iterations: 1 2 3 4 5 6 7 8 is 36, the third cut (15 against 21) nearest to 18 is after the
 * 5th. */
static void guided_by_single_times(void **s) {
  (void)s;
  struct ag_loop_view view = {.machine = {2, 0, NULL, NULL}, .n = 8, .kind = AGGLOM_SCHEDULE_GUIDED_RUNTIME};
  struct ag_loop *l = begin_new(&view);
  const double ns[] = {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000};
  expect_run(l, 0, 0, 4);
  expect_run(l, 1, 4, 8);
  ag_loop_items(l, 0, 4, ns);
  assert_true(ag_loop_done(l, 0, 0, 4, 10000));
  ag_loop_items(l, 4, 8, ns + 4);
  assert_true(ag_loop_done(l, 1, 4, 8, 26000));
  ag_loop_end(l);
  l = ag_loop_begin(memory, &view);
  expect_run(l, 0, 0, 5);
  expect_run(l, 1, 5, 8);
}

/* Sums of 9 and 3, even at 6: the large iteration alone. */
static void guided_by_size(void **s) {
  (void)s;
  const double size[] = {6, 1, 1, 1, 1, 1, 1};
  struct ag_loop_view view = {
      .machine = {1, 1, NULL, NULL}, .n = 7, .kind = AGGLOM_SCHEDULE_GUIDED_SIZES, .cost = size};
  struct ag_loop *l = begin_new(&view);
  expect_run(l, 0, 0, 4);
  expect_run(l, 1, 4, 7);
  ag_loop_end(l);
  l = ag_loop_begin(memory, &view);
  expect_run(l, 0, 0, 1);
  expect_run(l, 1, 1, 7);
}

/* One execution of a planned loop on a machine whose devices are `pcf` times as fast; ns of the slowest unit.
 */
static uint64_t execute_plan(struct ag_loop *l, const struct ag_loop_view *view, double pcf) {
  uint64_t slowest = 0;
  for (unsigned u = 0; u < view->machine.cpus + view->machine.devices; ++u) {
    struct ag_loop_grant g = ag_loop_next(l, u, 0);
    if (g.what != AG_LOOP_RUN)
      continue;
    double ns = 0;
    for (uint64_t i = g.from; i < g.to; ++i)
      ns += view->cost[i] / (u < view->machine.cpus ? 1 : pcf);
    assert_true(ag_loop_done(l, u, g.from, g.to, (uint64_t)ns));
    slowest = (uint64_t)ns > slowest ? (uint64_t)ns : slowest;
  }
  ag_loop_end(l);
  return slowest;
}

/* 16 equal iterations, a device 7 times as fast as the CPU: 2 and 14 take the same time. */
static void clustered(void **s) {
  (void)s;
  double cost[16];
  for (int i = 0; i < 16; ++i)
    cost[i] = 7000;
  struct ag_loop_view view = {
      .machine = {1, 1, NULL, NULL}, .n = 16, .kind = AGGLOM_SCHEDULE_CLUSTERED_GUIDED, .cost = cost};
  struct ag_loop *l = begin_new(&view);
  expect_run(l, 0, 0, 1); /* one iteration for the CPU */
  l = begin_new(&view);
  for (int step = 0; step < 16; ++step) {
    execute_plan(l, &view, 7);
    l = ag_loop_begin(memory, &view);
  }
  assert_true(ag_loop_settled(l));
  expect_run(l, 0, 0, 2);
  expect_run(l, 1, 2, 16);
}

/* On any machine, it has settled after 4 log2 N executions, and is then near to the best pivot. */
static void clustered_settles(void **s) {
  (void)s;
  uint64_t seed = from_environment("STRESS_SEED", 20261122);
  static double cost[4096];
  static _Alignas(max_align_t) char state[1 << 18];
  for (unsigned long round = 0; round < from_environment("STRESS_SETTLES", 400); ++round) {
    struct ag_loop_view view = {.kind = AGGLOM_SCHEDULE_CLUSTERED_GUIDED,
                                .n = 16 << next_random(&seed) % 9,
                                .machine = {1 + (unsigned)(next_random(&seed) % 64),
                                            1 + (unsigned)(next_random(&seed) % 4), NULL, NULL},
                                .cost = cost};
    double pcf = 0.1 + (double)(next_random(&seed) % 4000) / 100, all = 0, most = 0,
           log2_n = log2((double)view.n);
    unsigned skew = (unsigned)(next_random(&seed) % 3), steps = 0;
    for (uint64_t i = 0; i < view.n; ++i) {
      cost[i] = 1e5 * (skew ? 1 + (double)(next_random(&seed) % (skew == 1 ? 4 : 20)) : 1);
      all += cost[i];
      most = cost[i] > most ? cost[i] : most;
    }
    memset(state, 0, sizeof state);
    assert_true(ag_loop_state_bytes(&view) <= sizeof state);
    struct ag_loop *l = ag_loop_begin(state, &view);
    uint64_t least = UINT64_MAX, last = 0;
    for (; !ag_loop_settled(l); ++steps) {
      last = execute_plan(l, &view, pcf);
      least = last < least ? last : least;
      l = ag_loop_begin(state, &view);
    }
    assert_true(steps < 4 * log2_n);
    last = execute_plan(l, &view, pcf);
    assert_true(last == least);
    double ideal = all / (view.machine.cpus + view.machine.devices * pcf), slow = pcf < 1 ? most / pcf : most;
    assert_true((double)last < 1.35 * ideal + 2 * slow);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logarithm),          cmocka_unit_test(curves),
      cmocka_unit_test(equal_blocks),       cmocka_unit_test(on_demand),
      cmocka_unit_test(lost_units),         cmocka_unit_test(fitted_chunks),
      cmocka_unit_test(thresholds),         cmocka_unit_test(cpu_chunks),
      cmocka_unit_test(not_for_the_device), cmocka_unit_test(odd_samples),
      cmocka_unit_test(offline_split),      cmocka_unit_test(profiled_split),
      cmocka_unit_test(trained_split),      cmocka_unit_test(conversion_factor),
      cmocka_unit_test(measured_factor),    cmocka_unit_test(locked_mapping),
      cmocka_unit_test(guided_by_time),     cmocka_unit_test(guided_by_single_times),
      cmocka_unit_test(guided_by_size),     cmocka_unit_test(clustered),
      cmocka_unit_test(clustered_settles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
