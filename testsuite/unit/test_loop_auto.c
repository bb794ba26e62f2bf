/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schedule `auto`: what it learns, and what it makes of it. How it compares with the others is tested
 * with agglom-sim, in testsuite/sim. */
#include "policy/curve.h"
#include "policy/loop.h"
#include "policy/profile.h"
#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool near(double a, double b, double part) { return fabs(a - b) <= part * fabs(b); }

/* A launch of 1 ms and 100 iterations a ms: exact between and behind the points. */
static void curve_of_a_launch(void **s) {
  (void)s;
  struct ag_curve c = {0};
  assert_false(ag_curve_known(&c));
  for (int i = 0; i < 4; ++i)
    ag_curve_learn(&c, 50 << 2 * i, 1 + (50 << 2 * i) / 100.0);
  const double sizes[] = {50, 60, 200, 333, 1000, 3200, 10000};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    assert_true(near(ag_curve_ms(&c, sizes[i]), 1 + sizes[i] / 100, 1e-9));
    assert_true(near(ag_curve_size(&c, 1 + sizes[i] / 100), sizes[i], 1e-9));
  }
  assert_true(ag_curve_best(&c) == 3200);
  ag_curve_scale(&c, 2);
  assert_true(near(ag_curve_ms(&c, 333), 8.66, 1e-9));
}

/* It follows the device, soon when the change is large. */
static void curve_that_changes(void **s) {
  (void)s;
  struct ag_curve c = {0};
  ag_curve_learn(&c, 100, 10);
  ag_curve_learn(&c, 1000, 100);
  for (int i = 0; i < 6; ++i)
    ag_curve_learn(&c, 1000, 300);
  assert_true(near(ag_curve_ms(&c, 1000), 300, 0.05));
  assert_true(ag_curve_ms(&c, 100) > 15); /* most likely there, too */
  ag_curve_learn(&c, NAN, 1);
  ag_curve_learn(&c, 10, NAN);
  ag_curve_learn(&c, 10, 0);
  assert_true(near(ag_curve_ms(&c, 1000), 300, 0.05));
}

/* Both directions rise and belong together, whatever was measured. */
static void curves_are_sound(void **s) {
  (void)s;
  uint64_t seed = from_environment("STRESS_SEED", 20261122);
  for (int round = 0; round < 20000; ++round) {
    struct ag_curve c = {0};
    for (uint64_t k = 0, n = 1 + next_random(&seed) % 12; k < n; ++k)
      ag_curve_learn(&c, (double)(1 + (next_random(&seed) >> next_random(&seed) % 63)),
                     1e-6 * (double)(1 + (next_random(&seed) >> next_random(&seed) % 63)));
    double last = 0;
    for (int i = 0; i < 50; ++i) {
      double ms = ag_curve_ms(&c, (double)((uint64_t)1 << i));
      assert_true(isfinite(ms) && isfinite(ag_curve_size(&c, ms)));
      last = ms > last ? ms : last;
    }
    assert_true(last > 0 && ag_curve_best(&c) >= 1 && ag_curve_best_rate(&c) > 0);
  }
}

static void work_of_parts(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 1000);
  assert_true(ag_profile_work(&p, 0, 1000) == 1000 && ag_profile_size(&p, 10, 1000, 50) == 50);
  ag_profile_learn(&p, 0, 500, 3, 1);
  ag_profile_learn(&p, 500, 1000, 1.0 / 3, 1); /* of the 3 that it was expected to be like */
  assert_true(near(ag_profile_level(&p), 2, 1e-9));
  assert_true(near(ag_profile_work(&p, 0, 500), 750, 1e-9) &&
              near(ag_profile_work(&p, 500, 1000), 250, 1e-9));
  assert_true(near(ag_profile_size(&p, 0, 1000, 900), 800, 1e-9));
  assert_true(ag_profile_size(&p, 900, 1000, 900) == 100);
  ag_profile_learn(&p, 0, 500, 3, 0.5);
  assert_true(near(ag_profile_work(&p, 0, 500), 1500, 1e-9));
  ag_profile_begin(&p, 1000);
  assert_true(near(ag_profile_work(&p, 0, 500), 1500, 1e-9));
  ag_profile_begin(&p, 999);
  assert_true(ag_profile_work(&p, 0, 999) == 999);
}

/* --- Whole loops: one CPU unit and one device in virtual time ----------------------------------------------
 */

struct machine {
  double cpu_ns, device_ns, launch_ns; /* of an iteration, of an iteration, of a chunk */
};

/* Time of an execution. */
static double execute(void *state, const struct ag_loop_view *view, const struct machine *m) {
  struct ag_loop *l = ag_loop_begin(state, view);
  struct ag_loop_grant g[2];
  double until[2] = {0, 0}, now = 0;
  bool busy[2] = {false, false};
  for (;;) {
    for (unsigned k = 0; k < 2; ++k) {
      unsigned u = 1 - k;
      if (busy[u])
        continue;
      g[u] = ag_loop_next(l, u, (uint64_t)now);
      busy[u] = g[u].what == AG_LOOP_RUN;
      double n = (double)(g[u].to - g[u].from);
      until[u] = now + (u ? m->launch_ns + n * m->device_ns : n * m->cpu_ns);
    }
    if (!busy[0] && !busy[1])
      break;
    unsigned u = busy[1] && (!busy[0] || until[1] <= until[0]);
    double n = (double)(g[u].to - g[u].from);
    now = until[u];
    busy[u] = false;
    assert_true(ag_loop_done(l, u, g[u].from, g[u].to,
                             (uint64_t)(u ? m->launch_ns + n * m->device_ns : n * m->cpu_ns)));
  }
  assert_int_equal(ag_loop_left(l), 0);
  ag_loop_end(l);
  return now;
}

static double steady(const struct ag_loop_view *view, const struct machine *m) {
  static _Alignas(max_align_t) char state[1 << 15];
  double ns = 0;
  memset(state, 0, sizeof state);
  assert_true(ag_loop_state_bytes(view) <= sizeof state);
  for (int i = 0; i < 8; ++i)
    ns = execute(state, view, m);
  return ns;
}

/* All but a few percent of what both can do together, on very different machines. */
static void both_are_used(void **s) {
  (void)s;
  unsigned lanes = 32;
  struct ag_loop_view view = {.machine = {1, 1, &lanes, NULL}, .n = 100000, .kind = AGGLOM_SCHEDULE_AUTO};
  const struct machine machines[] = {
      {1000, 100, 20000}, {1000, 1000, 1000}, {1000, 5000, 10000}, {200, 10, 100000}};
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; ++i) {
    const struct machine *m = &machines[i];
    double rate = 1 / m->cpu_ns + 1 / m->device_ns, ideal = (100000 + m->launch_ns / m->device_ns) / rate;
    assert_true(steady(&view, m) < 1.05 * ideal);
  }
}

/* One iteration on the CPU would take longer than all of them on the device; or 14 and 2 of 16 are best. */
static void large_iterations(void **s) {
  (void)s;
  struct ag_loop_view view = {.machine = {1, 1, NULL, NULL}, .n = 16, .kind = AGGLOM_SCHEDULE_AUTO};
  assert_true(steady(&view, &(struct machine){30e6, 1e6, 0}) < 16.01e6);
  assert_true(steady(&view, &(struct machine){6.74e6, 1e6, 0}) < 14.01e6);
  assert_true(steady(&view, &(struct machine){1e6, 30e6, 0}) < 16.01e6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curve_of_a_launch), cmocka_unit_test(curve_that_changes),
      cmocka_unit_test(curves_are_sound),  cmocka_unit_test(work_of_parts),
      cmocka_unit_test(both_are_used),     cmocka_unit_test(large_iterations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
