/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each schedule of a loop does, on examples computed by hand. */
#include "policy/fit.h"
#include "policy/loop.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logarithm),   cmocka_unit_test(curves),     cmocka_unit_test(equal_blocks),
      cmocka_unit_test(on_demand),   cmocka_unit_test(lost_units), cmocka_unit_test(fitted_chunks),
      cmocka_unit_test(thresholds),  cmocka_unit_test(cpu_chunks), cmocka_unit_test(not_for_the_device),
      cmocka_unit_test(odd_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
