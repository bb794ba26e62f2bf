/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the schedule `auto` learns: curves of devices, and where in a loop the work is. */
#include "policy/loop/curve.h"
#include "policy/loop/profile.h"
#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool near(double a, double b, double part) { return fabs(a - b) <= part * fabs(b); }

/* A launch of 1 ms, 0.5 ms to fill the device, and 100 iterations a ms, where iterations differ. */
static double device_ms(double size, double density) { return 1 + density * (0.5 + size / 100); }

/* What is written down is the curve, for iterations of any cost. */
static void curve_that_is_kept(void **s) {
  (void)s;
  struct ag_curve c = {0}, again = {0};
  double x[AG_CURVE_NUMBERS];
  for (int i = 0; i < 50; ++i)
    ag_curve_learn(&c, 50 << i % 7, 1 + i % 3, device_ms(50 << i % 7, 1 + i % 3));
  unsigned n = ag_curve_keep(&c, x);
  assert_true(n == AG_CURVE_HEAD + 2 * 7 && ag_curve_seed(&again, x, n));
  for (int i = 0; i < 22; ++i)
    for (int k = 0; k < 6; ++k) {
      double size = 40 * pow(1.3, i), density = ldexp(0.1, k);
      assert_true(near(ag_curve_ms(&again, size, density), ag_curve_ms(&c, size, density), 1e-9));
    }
  for (unsigned i = 0; i < n; ++i) {
    double was = x[i];
    x[i] = -1;
    assert_false(ag_curve_seed(&again, x, n));
    x[i] = was;
  }
  assert_false(ag_curve_seed(&again, x, n - 1));
  assert_false(ag_curve_seed(&again, x, AG_CURVE_HEAD));
  /* Chunks, largest, heaviest, error, launch, fill, per: what was written before there were four of them. */
  assert_false(ag_curve_seed(&again, (double[]){37, 65536, 1.1, 0.02, 0.01, 0.2, 6e-5, 1024, 1}, 9));
  x[AG_CURVE_HEAD + 2] = x[AG_CURVE_HEAD] * 1.2; /* two points between the same powers of 2 */
  assert_false(ag_curve_seed(&again, x, n));
}

static void curve_of_a_launch(void **s) {
  (void)s;
  struct ag_curve c = {0};
  const double densities[] = {1, 0.2, 3, 0.5, 2};
  assert_true(ag_curve_largest(&c) == 0);
  for (int i = 0; i < 400; ++i)
    ag_curve_learn(&c, 50 << i % 7, densities[i % 5], device_ms(50 << i % 7, densities[i % 5]));
  assert_true(near(c.launch, 1, 0.1) && near(c.fill, 0.5, 0.2) && near(c.per, 0.01, 0.05));
  const double sizes[] = {50, 60, 200, 333, 1000, 3200, 10000};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    for (size_t k = 0; k < 5; ++k) {
      double ms = device_ms(sizes[i], densities[k]);
      assert_true(near(ag_curve_ms(&c, sizes[i], densities[k]), ms, 0.05));
    }
  double rate;
  assert_true(ag_curve_best(&c, 1, &rate) == 3200 && near(rate, 3200 / ag_curve_ms(&c, 3200, 1), 1e-9));
  double before = ag_curve_ms(&c, 333, 1);
  ag_curve_scale(&c, 2);
  assert_true(near(ag_curve_ms(&c, 333, 0.5), before, 1e-9));
  assert_true(ag_curve_largest(&c) == 3200);
}

/* Where large chunks are slower, the best size is one before. */
static void curve_with_a_best_size(void **s) {
  (void)s;
  struct ag_curve c = {0};
  for (int i = 0; i < 100; ++i) {
    double size = 50 << i % 10;
    ag_curve_learn(&c, size, 1, 0.5 + size / 100 * pow(fmax(size / 1000, 1), 0.3));
  }
  double rate, best = ag_curve_best(&c, 1, &rate);
  assert_true(best == 800 || best == 1600);
  assert_true(ag_curve_ms(&c, 25600, 1) / 25600 > 2 * ag_curve_ms(&c, 800, 1) / 800);
}

/* Two chunks that take as long, one four times as large, of the lightest iterations of a loop: it is the
 * launch or the filling that takes the time, not the iterations. */
static void curve_of_light_iterations(void **s) {
  (void)s;
  struct ag_curve c = {0};
  ag_curve_learn(&c, 32, 1, 1);
  ag_curve_scale(&c, 100);
  ag_curve_learn(&c, 128, 0.01, 1);
  assert_true(near(ag_curve_ms(&c, 512, 0.01), 1, 0.3));
}

/* It follows the device, and says when it did not. */
static void curve_that_changes(void **s) {
  (void)s;
  struct ag_curve c = {0};
  ag_curve_learn(&c, 100, 1, 10);
  for (int i = 0; i < 30; ++i)
    ag_curve_learn(&c, 1000, 1, 100);
  assert_true(c.error < 0.01);
  ag_curve_learn(&c, 1000, 1, 300);
  assert_true(c.error > 0.1 && ag_curve_ms(&c, 1000, 1) > 120);
  for (int i = 0; i < 30; ++i)
    ag_curve_learn(&c, 1000, 1, 300);
  assert_true(near(ag_curve_ms(&c, 1000, 1), 300, 0.05) && c.error < 0.05);
  ag_curve_learn(&c, NAN, 1, 1);
  ag_curve_learn(&c, 10, 1, NAN);
  ag_curve_learn(&c, 10, NAN, 1);
  ag_curve_learn(&c, 10, 1, 0);
  assert_true(near(ag_curve_ms(&c, 1000, 1), 300, 0.05));
}

/* Finite numbers above 0, whatever was measured. */
static void curves_are_sound(void **s) {
  (void)s;
  uint64_t seed = from_environment("STRESS_SEED", 20261122);
  for (int round = 0; round < 20000; ++round) {
    struct ag_curve c = {0};
    for (uint64_t k = 0, n = 1 + next_random(&seed) % 12; k < n; ++k)
      ag_curve_learn(&c, (double)(1 + (next_random(&seed) >> next_random(&seed) % 63)),
                     1e-3 * (double)(1 + next_random(&seed) % 100000),
                     1e-6 * (double)(1 + (next_random(&seed) >> next_random(&seed) % 63)));
    for (int i = 0; i < 50; i += 7) {
      double ms = ag_curve_ms(&c, (double)((uint64_t)1 << i), 0.5);
      assert_true(isfinite(ms) && ms > 0);
    }
    double rate;
    assert_true(ag_curve_best(&c, 1, &rate) >= 1);
  }
}

/* From .. to - 1 is measured to be that work, again and again. */
static void measure(struct ag_profile *p, uint64_t from, uint64_t to, double work) {
  for (int i = 0; i < 40; ++i)
    ag_profile_learn(p, from, to, work / ag_profile_work(p, from, to), 1);
}

/* Finite numbers above 0, whatever was measured of however long loops. */
static void profiles_are_sound(void **s) {
  (void)s;
  uint64_t seed = from_environment("STRESS_SEED", 20261123);
  for (int round = 0; round < 300; ++round) {
    static struct ag_profile p;
    uint64_t n = 1 + (next_random(&seed) >> (next_random(&seed) % 53 + 11));
    memset(&p, 0, sizeof p);
    ag_profile_begin(&p, n);
    for (int execution = 0; execution < 6; ++execution) {
      for (uint64_t from = 0, to; from < n; from = to) {
        uint64_t most = 1 + n / (1 + next_random(&seed) % 60);
        to = from + 1 + next_random(&seed) % most;
        to = to < n ? to : n;
        double work = ag_profile_work(&p, from, to), ms = 1e-6 * ldexp(1, (int)(next_random(&seed) % 64));
        ag_profile_learn(&p, from, to, ms / work, 1e-3 * (double)(next_random(&seed) % 1001));
        work = ag_profile_work(&p, from, to);
        assert_true(isfinite(work) && work > 0);
        assert_true(ag_profile_size(&p, from, n, work) <= (double)(n - from) * (1 + 1e-9));
      }
      ag_profile_level(&p);
      for (uint64_t i = 0; i < p.known; ++i)
        assert_true(isfinite(p.density[i]) && p.density[i] > 0);
    }
  }
}

static void work_of_parts(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 1000);
  assert_true(ag_profile_work(&p, 0, 1000) == 1000 && ag_profile_size(&p, 10, 1000, 50) == 50);
  ag_profile_learn(&p, 0, 500, 3, 1);
  assert_true(near(ag_profile_work(&p, 0, 500), 1500, 0.1));    /* at once, nearly */
  assert_true(near(ag_profile_work(&p, 500, 1000), 1000, 0.1)); /* half way as what was before it */
  measure(&p, 0, 500, 1500);
  measure(&p, 500, 1000, 500);
  assert_true(near(ag_profile_level(&p), 2, 1e-6));
  assert_true(near(ag_profile_work(&p, 0, 500), 750, 1e-6) &&
              near(ag_profile_work(&p, 500, 1000), 250, 1e-6));
  assert_true(near(ag_profile_size(&p, 0, 1000, 900), 800, 1e-6));
  assert_true(ag_profile_size(&p, 900, 1000, 900) == 100);
  ag_profile_learn(&p, 0, 500, 1.2, 1); /* by then it counts half */
  assert_true(near(ag_profile_work(&p, 0, 500), 750 * 1.1, 0.02));
  ag_profile_begin(&p, 1000);
  assert_true(near(ag_profile_work(&p, 0, 500), 750 * 1.1, 0.02));
  ag_profile_begin(&p, 999);
  assert_true(ag_profile_work(&p, 0, 999) == 999);
}

/* A measurement that went wrong is half forgotten with each that follows, and no one is believed to be more
 * than a thousand times off. */
static void work_after_a_spike(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 1000);
  measure(&p, 0, 1000, 1000);
  ag_profile_learn(&p, 200, 300, 100, 1);
  for (int i = 0; i < 7; ++i)
    ag_profile_learn(&p, 200, 300, 100 / ag_profile_work(&p, 200, 300), 1);
  assert_true(ag_profile_work(&p, 200, 300) < 200);
  ag_profile_learn(&p, 200, 300, 1e30, 1);
  assert_true(ag_profile_work(&p, 200, 300) < 200 * 1000);
  ag_profile_learn(&p, 200, 300, NAN, 1);
  assert_true(ag_profile_work(&p, 200, 300) > 0);
}

/* What nobody has seen is like what comes next, and at the end like what was last. */
static void work_of_unknown_parts(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 512);
  measure(&p, 100, 200, 1000);
  measure(&p, 300, 400, 100);
  assert_true(near(ag_profile_work(&p, 0, 100), 1000, 1e-6));
  assert_true(near(ag_profile_work(&p, 200, 300), 100, 1e-6));
  assert_true(near(ag_profile_work(&p, 400, 512), 112, 1e-6));
}

/* Of 10000 iterations 15, of which one is as much work as a hundred, make the first of them heavy, and no
 * other one. It stays as long as it is there, and is forgotten if it is not. A device does not tell. */
static void work_of_one_iteration(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 10000);
  measure(&p, 0, 10000, 10000);
  ag_profile_learn(&p, 5000, 5015, 8, 0.3);
  assert_int_equal(ag_profile_heavy(&p, 0, 10000, 0), 10000);
  measure(&p, 5000, 5015, 15);
  measure(&p, 5000, 5015, 115);
  assert_int_equal(ag_profile_heavy(&p, 0, 10000, 0), 5000);
  assert_int_equal(ag_profile_heavy(&p, 0, 10000, 200), 10000);
  assert_true(near(ag_profile_work(&p, 4000, 5000), 1000, 0.1) && ag_profile_work(&p, 5000, 5001) > 90);
  measure(&p, 4000, 6000, 2100);
  assert_int_equal(ag_profile_heavy(&p, 0, 10000, 0), 5000);
  assert_true(near(ag_profile_work(&p, 4000, 6000), 2100, 0.1));
  measure(&p, 4990, 5010, 20);
  assert_int_equal(ag_profile_heavy(&p, 0, 10000, 0), 10000);
}

/* However parts were learnt: the work of many iterations is that of all of them one by one, and so many
 * iterations are that much work, unless one is heavy by itself. */
static void work_adds_up(void **s) {
  (void)s;
  enum { ROUNDS = 300, MOST_ITEMS = 5000, MOST_LEARNT = 20 };
  uint64_t seed = from_environment("STRESS_SEED", 20261122);
  for (int round = 0; round < ROUNDS; ++round) {
    struct ag_profile p = {0};
    uint64_t n = 1 + next_random(&seed) % MOST_ITEMS;
    ag_profile_begin(&p, n);
    for (uint64_t k = next_random(&seed) % MOST_LEARNT; k-- > 0;) {
      uint64_t a = next_random(&seed) % n, b = a + 1 + next_random(&seed) % (n - a);
      ag_profile_learn(&p, a, b, 0.25 * (double)(1 + next_random(&seed) % 16), 0.5);
      if (next_random(&seed) % 8 == 0)
        (void)ag_profile_level(&p);
    }
    uint64_t from = next_random(&seed) % n, to = from + next_random(&seed) % (n - from + 1);
    double work = 0;
    for (uint64_t i = from; i < to; ++i)
      work += ag_profile_work(&p, i, i + 1);
    assert_true(fabs(ag_profile_work(&p, from, to) - work) <= 1e-9 * work);
    if (ag_profile_heavy(&p, from, to, 0) < to)
      continue;
    for (uint64_t i = from + 1; i < to; i += 1 + n / 16)
      assert_true(
          near(ag_profile_size(&p, from, to, ag_profile_work(&p, from, i)), (double)(i - from), 1e-6));
    assert_true(ag_profile_size(&p, from, to, 2 * work + 1) == (double)(to - from));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curve_that_is_kept),     cmocka_unit_test(curve_of_a_launch),
      cmocka_unit_test(curve_with_a_best_size), cmocka_unit_test(curve_of_light_iterations),
      cmocka_unit_test(curve_that_changes),     cmocka_unit_test(curves_are_sound),
      cmocka_unit_test(work_of_parts),          cmocka_unit_test(profiles_are_sound),
      cmocka_unit_test(work_after_a_spike),     cmocka_unit_test(work_of_unknown_parts),
      cmocka_unit_test(work_of_one_iteration),  cmocka_unit_test(work_adds_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
