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
  x[AG_CURVE_HEAD + 2] = x[AG_CURVE_HEAD] * 1.2; /* two points between the same powers of 2 */
  assert_false(ag_curve_seed(&again, x, n));
}

static void curve_of_a_launch(void **s) {
  (void)s;
  struct ag_curve c = {0};
  const double densities[] = {1, 0.2, 3, 0.5, 2};
  assert_false(ag_curve_known(&c));
  for (int i = 0; i < 400; ++i)
    ag_curve_learn(&c, 50 << i % 7, densities[i % 5], device_ms(50 << i % 7, densities[i % 5]));
  assert_true(near(c.launch, 1, 0.1) && near(c.fill, 0.5, 0.2) && near(c.per, 0.01, 0.05));
  const double sizes[] = {50, 60, 200, 333, 1000, 3200, 10000};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    for (size_t k = 0; k < 5; ++k) {
      double ms = device_ms(sizes[i], densities[k]);
      assert_true(near(ag_curve_ms(&c, sizes[i], densities[k]), ms, 0.05));
      assert_true(near(ag_curve_size(&c, densities[k], ms), sizes[i], 0.15));
    }
  double rate;
  assert_true(ag_curve_best(&c, 1, &rate) == 3200 && near(rate, 3200 / ag_curve_ms(&c, 3200, 1), 1e-9));
  double before = ag_curve_ms(&c, 333, 1);
  ag_curve_scale(&c, 2);
  assert_true(near(ag_curve_ms(&c, 333, 0.5), before, 1e-9));
  assert_true(near(c.densest, 1.5, 1e-9) && c.largest == 3200);
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

/* Chunks of one size that are foretold badly say nothing of others. */
static void curve_errors_by_size(void **s) {
  (void)s;
  struct ag_curve c = {0};
  for (int i = 0; i < 60; ++i)
    ag_curve_learn(&c, 100 << i % 6, 1, device_ms(100 << i % 6, 1));
  assert_true(ag_curve_tried(&c, 150) && !ag_curve_tried(&c, 1) && ag_curve_error(&c, 1) == c.error);
  double before = ag_curve_error(&c, 1000);
  ag_curve_learn(&c, 1, 1, 0.1);
  assert_true(!ag_curve_tried(&c, 1));
  ag_curve_learn(&c, 1, 1, 10);
  assert_true(ag_curve_tried(&c, 1) && ag_curve_error(&c, 1) > 0.5);
  assert_true(ag_curve_error(&c, 1000) < before + 0.15 && before < 0.05);
}

/* Chunks are not faster than measured ones with fewer iterations, but for what those are lighter. */
static void least_by_smaller_ones(void **s) {
  (void)s;
  struct ag_curve c = {0};
  ag_curve_learn(&c, 100, 1, 10);
  ag_curve_learn(&c, 400, 2, 10.5);
  ag_curve_learn(&c, 800, 1, 2);
  assert_true(ag_curve_least_ms(&c, 99, 1) == 0);
  assert_true(near(ag_curve_least_ms(&c, 100, 1), 10, 1e-9));
  assert_true(near(ag_curve_least_ms(&c, 300, 7), 10, 1e-9));
  assert_true(near(ag_curve_least_ms(&c, 300, 0.5), 5, 1e-9));
  assert_true(near(ag_curve_least_ms(&c, 500, 2), 10.5, 1e-9));
  assert_true(near(ag_curve_least_ms(&c, 900, 1), 10, 1e-9));
}

/* What was foretold badly long ago may be foretold well by now. */
static void curve_errors_of_long_ago(void **s) {
  (void)s;
  struct ag_curve c = {0};
  for (int i = 0; i < 8; ++i)
    ag_curve_learn(&c, 400, 1, i % 2 ? 2 : 40);
  double then = ag_curve_error(&c, 400);
  assert_true(then > 0.5);
  for (int i = 0; i < 100; ++i)
    ag_curve_learn(&c, 100 << i % 2, 1, device_ms(100 << i % 2, 1));
  assert_true(ag_curve_error(&c, 400) < then / 4);
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

/* It follows the device. */
static void curve_that_changes(void **s) {
  (void)s;
  struct ag_curve c = {0};
  ag_curve_learn(&c, 100, 1, 10);
  ag_curve_learn(&c, 1000, 1, 100);
  for (int i = 0; i < 30; ++i)
    ag_curve_learn(&c, 1000, 1, 300);
  assert_true(near(ag_curve_ms(&c, 1000, 1), 300, 0.05));
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
      double ms = ag_curve_ms(&c, (double)((uint64_t)1 << i), 0.5), size = ag_curve_size(&c, 0.5, ms);
      assert_true(isfinite(ms) && ms > 0 && isfinite(size) && size >= 0);
    }
    double rate;
    assert_true(ag_curve_best(&c, 1, &rate) >= 1);
  }
}

/* From .. to - 1 is measured to be that work, again and again. */
static void measure(struct ag_profile *p, uint64_t from, uint64_t to, double work) {
  for (int i = 0; i < 40; ++i)
    ag_profile_learn(p, from, to, work / ag_profile_work(p, from, to), 1, false);
}

/* Where a single iteration is that costs much is known better with each chunk that has it, or has it not. */
static void peaks_of_profiles(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 100000);
  assert_true(ag_profile_peaks(&p, 1000, 1100, 11, 500) == 1);
  assert_true(near(ag_profile_work(&p, 1000, 1001), 1001, 1e-6) && ag_profile_work(&p, 1001, 1100) == 99);
  assert_true(ag_profile_size(&p, 900, 2000, 500) == 100);  /* up to it */
  assert_true(ag_profile_size(&p, 900, 2000, 1150) == 150); /* it and 50 more */
  (void)ag_profile_peaks(&p, 950, 1050, 100.0 / 1100, 500); /* not there */
  assert_true(p.peaks.count == 1 && p.peaks.at[0].from == 1050 && p.peaks.at[0].to == 1100);
  (void)ag_profile_peaks(&p, 1040, 1060, 1, 500);
  assert_true(p.peaks.count == 1 && p.peaks.at[0].from == 1050 && p.peaks.at[0].to == 1060);
  (void)ag_profile_peaks(&p, 1050, 1060, 10.0 / 1010, 500); /* nor there */
  assert_true(p.peaks.count == 0);
  assert_true(ag_profile_peaks(&p, 1000, 1100, 11, 500) == 1);
  double ratio = ag_profile_peaks(&p, 1000, 1050, 550.0 / 1050, 500); /* half of it in each half: no peak */
  assert_true(p.peaks.count == 0 && ag_profile_work(&p, 1060, 1061) > 2);
  assert_true(near(ratio * ag_profile_work(&p, 1000, 1050), 550, 1e-6));
}

/* Two of them in one place are both in what has it. */
static void peaks_in_one_place(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 100000);
  ag_peaks_add(&p.peaks, (struct ag_peak){1000, 1100, 500});
  ag_peaks_add(&p.peaks, (struct ag_peak){1000, 1050, 300});
  assert_true(near(ag_profile_size(&p, 900, 2000, 950), 150, 1e-9));
}

/* Not what is little work, nor what may be the rest as well. What they are changes with each measurement, by
 * half and at most by half of what they are, and with the mean of the loop. */
static void heights_of_peaks(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 100000);
  assert_true(near(ag_profile_peaks(&p, 1000, 1100, 3, 100), 3, 1e-6) && !p.peaks.count);
  assert_true(near(ag_profile_peaks(&p, 1000, 1100, 11, 2000), 11, 1e-6) && !p.peaks.count);
  assert_true(ag_profile_peaks(&p, 1000, 1100, 11, 500) == 1 && p.peaks.at[0].work == 1000);
  assert_true(near(ag_profile_peaks(&p, 1000, 1100, 1.5, 1e6), 1.5, 1e-6));
  assert_true(near(p.peaks.at[0].work, 1250, 1e-6));
  (void)ag_profile_peaks(&p, 1000, 1100, 5, 1e6);
  assert_true(near(p.peaks.at[0].work, 1875, 1e-6));
  assert_true(near(ag_profile_level(&p), 1.01875, 1e-9));
  assert_true(near(p.peaks.at[0].work, 1875 / 1.01875, 1e-6));
}

/* Finite numbers above 0 also with peaks, whatever was measured of however long loops. */
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
        double work = ag_profile_work(&p, from, to), ms = 1e-6 * ldexp(1, (int)(next_random(&seed) % 64)),
               least = ldexp(1, (int)(next_random(&seed) % 40));
        double ratio = ag_profile_peaks(&p, from, to, ms / work, least);
        ag_profile_learn(&p, from, to, ratio, 1e-3 * (double)(next_random(&seed) % 1001), false);
        work = ag_profile_work(&p, from, to);
        assert_true(isfinite(work) && work > 0);
        assert_true(ag_profile_size(&p, from, n, work) <= (double)(n - from) * (1 + 1e-9));
      }
      ag_profile_level(&p);
      for (uint64_t i = 0; i < p.known; ++i)
        assert_true(isfinite(p.density[i]) && p.density[i] > 0);
      for (unsigned i = 0; i < p.peaks.count; ++i) {
        const struct ag_peak *peak = &p.peaks.at[i];
        assert_true(isfinite(peak->work) && peak->work > 0 && peak->from < peak->to && peak->to <= n);
        assert_true(!i || peak[-1].work >= peak->work);
      }
    }
  }
}

static void work_of_parts(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 1000);
  assert_true(ag_profile_work(&p, 0, 1000) == 1000 && ag_profile_size(&p, 10, 1000, 50) == 50);
  ag_profile_learn(&p, 0, 500, 3, 1, false);
  assert_true(near(ag_profile_work(&p, 0, 500), 1500, 0.1));    /* at once, nearly */
  assert_true(near(ag_profile_work(&p, 500, 1000), 1000, 0.1)); /* half way as what was before it */
  measure(&p, 0, 500, 1500);
  measure(&p, 500, 1000, 500);
  assert_true(near(ag_profile_level(&p), 2, 1e-6));
  assert_true(near(ag_profile_work(&p, 0, 500), 750, 1e-6) &&
              near(ag_profile_work(&p, 500, 1000), 250, 1e-6));
  assert_true(near(ag_profile_size(&p, 0, 1000, 900), 800, 1e-6));
  assert_true(ag_profile_size(&p, 900, 1000, 900) == 100);
  ag_profile_learn(&p, 0, 500, 1.2, 1, false); /* by then it counts half */
  assert_true(near(ag_profile_work(&p, 0, 500), 750 * 1.1, 0.02));
  ag_profile_begin(&p, 1000);
  assert_true(near(ag_profile_work(&p, 0, 500), 750 * 1.1, 0.02));
  ag_profile_begin(&p, 999);
  assert_true(ag_profile_work(&p, 0, 999) == 999);
}

/* A measurement that went wrong is forgotten with the next two. */
static void work_after_a_spike(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 1000);
  measure(&p, 0, 1000, 1000);
  ag_profile_learn(&p, 200, 300, 100, 1, false);
  for (int i = 0; i < 2; ++i)
    ag_profile_learn(&p, 200, 300, 100 / ag_profile_work(&p, 200, 300), 1, false);
  assert_true(ag_profile_work(&p, 200, 300) < 400);
}

/* Who said what is known, from chunk to chunk. */
static void whose_work_is_known(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 1000);
  assert_true(ag_profile_own(&p, 0, 1000) == 0 && ag_profile_own(&p, 7, 7) == 0);
  ag_profile_learn(&p, 0, 500, 1, 1, false);
  ag_profile_learn(&p, 500, 1000, 1, 0.3, true);
  assert_true(ag_profile_own(&p, 0, 500) > 0.9 && ag_profile_own(&p, 500, 1000) == 0);
  assert_true(near(ag_profile_own(&p, 0, 1000), 0.45, 0.1));
  for (int i = 0; i < 4; ++i)
    ag_profile_learn(&p, 0, 500, 1, 0.3, true);
  assert_true(ag_profile_own(&p, 0, 500) < 0.5);
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

/* However parts were learnt: the work of many iterations is that of all of them one by one, and so many
 * iterations are that much work. */
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
      ag_profile_learn(&p, a, b, 0.25 * (double)(1 + next_random(&seed) % 16), 0.5, false);
      if (next_random(&seed) % 8 == 0)
        (void)ag_profile_level(&p);
    }
    uint64_t from = next_random(&seed) % n, to = from + next_random(&seed) % (n - from + 1);
    double work = 0;
    for (uint64_t i = from; i < to; ++i)
      work += ag_profile_work(&p, i, i + 1);
    assert_true(fabs(ag_profile_work(&p, from, to) - work) <= 1e-9 * work);
    for (uint64_t i = from + 1; i < to; i += 1 + n / 16)
      assert_true(
          near(ag_profile_size(&p, from, to, ag_profile_work(&p, from, i)), (double)(i - from), 1e-6));
    assert_true(ag_profile_size(&p, from, to, 2 * work + 1) == (double)(to - from));
  }
}

/* A gap is bridged from both sides; at an end of the loop it is like the mean of what is beside it. */
static void work_of_gaps(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 512);
  ag_profile_bridge(&p);
  assert_true(ag_profile_work(&p, 0, 512) == 512);
  for (uint64_t i = 100; i < 104; ++i)
    measure(&p, i, i + 1, i % 2 ? 1 : 3);
  measure(&p, 112, 120, 8 * 5);
  ag_profile_bridge(&p);
  assert_true(near(ag_profile_work(&p, 0, 100), 2 * 100, 1e-6));
  assert_true(near(ag_profile_work(&p, 100, 101), 3, 1e-6) &&
              near(ag_profile_work(&p, 112, 120), 8 * 5, 1e-6));
  for (uint64_t i = 104; i < 112; ++i)
    assert_true(near(ag_profile_work(&p, i, i + 1), 2 + 3 * ((double)i - 103.5) / 8, 1e-6));
  double all = 0;
  for (uint64_t i = 0; i < 512; ++i)
    all += ag_profile_work(&p, i, i + 1);
  assert_true(near(ag_profile_work(&p, 0, 512), all, 1e-9));
}

/* Iterations of 1 and 3 by turns, two in a cell or one: the variance of a single one is 1. */
static void rough_loops(void **s) {
  (void)s;
  struct ag_profile p = {0};
  ag_profile_begin(&p, 512);
  for (uint64_t i = 0; i < 512; ++i)
    measure(&p, i, i + 1, i % 2 ? 3 : 1);
  (void)ag_profile_level(&p);
  assert_true(near(p.rough, 0.5, 1e-3)); /* of the mean, 2, squared, twice, for no two neighbours are alike */
  memset(&p, 0, sizeof p);
  ag_profile_begin(&p, 512);
  measure(&p, 0, 512, 1000);
  (void)ag_profile_level(&p);
  assert_true(p.rough < 1e-9);
}
int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(curve_that_is_kept),
                                     cmocka_unit_test(curve_of_a_launch),
                                     cmocka_unit_test(curve_with_a_best_size),
                                     cmocka_unit_test(curve_errors_by_size),
                                     cmocka_unit_test(least_by_smaller_ones),
                                     cmocka_unit_test(curve_errors_of_long_ago),
                                     cmocka_unit_test(curve_of_light_iterations),
                                     cmocka_unit_test(curve_that_changes),
                                     cmocka_unit_test(curves_are_sound),
                                     cmocka_unit_test(work_of_parts),
                                     cmocka_unit_test(peaks_of_profiles),
                                     cmocka_unit_test(heights_of_peaks),
                                     cmocka_unit_test(peaks_in_one_place),
                                     cmocka_unit_test(profiles_are_sound),
                                     cmocka_unit_test(work_after_a_spike),
                                     cmocka_unit_test(whose_work_is_known),
                                     cmocka_unit_test(work_of_unknown_parts),
                                     cmocka_unit_test(work_adds_up),
                                     cmocka_unit_test(work_of_gaps),
                                     cmocka_unit_test(rough_loops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
