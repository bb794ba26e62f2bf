/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objectives against brute force; powers learnt from traces whose powers are known; and what loops and split
 * units make of them in virtual time. STRESS_OBJECTIVES says how many random cases. */
#include "policy/loop/loop.h"
#include "policy/model/power.h"
#include "random.h"
#include "split_views.h"
#include "virtual_time.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed;

static int new_seed(void **s) {
  (void)s;
  seed = from_environment("STRESS_SEED", 20261122);
  return 0;
}

static uint64_t below(uint64_t n) { return next_random(&seed) % n; }

/* --- Who works ------------------------------------------------------------------------------------------ */

/* From the definition: both sides begin at 0. */
static double cost_of(const struct ag_objective *o, double cpus, double devices, double part) {
  double time = fmax(part * cpus, (1 - part) * devices);
  double energy = o->idle * time + o->cpus * part * cpus + o->devices * (1 - part) * devices;
  return o->choice == AG_OBJECTIVE_ENERGY ? energy : o->choice == AG_OBJECTIVE_EDP ? energy * time : time;
}

static double chosen(const struct ag_objective *o, double cpus, double devices) {
  switch (ag_objective_sides(o, cpus, devices)) {
  case AG_SIDES_CPUS:
    return 1;
  case AG_SIDES_DEVICES:
    return 0;
  case AG_SIDES_BOTH:
    break;
  }
  return ag_objective_balance(cpus, devices);
}

static double any(void) { return ldexp((double)(1 + below(1000)) / 1000, (int)below(12) - 6); }

/* No other part of the work is better, also none between the three that are looked at. */
static void nothing_is_better(void **s) {
  (void)s;
  unsigned times[3] = {0};
  for (unsigned long i = 0, n = from_environment("STRESS_OBJECTIVES", 300000); i < n; ++i) {
    struct ag_objective o = {.choice = 1 + below(2), .known = true};
    o.idle = below(4) ? any() : 0;
    o.cpus = below(8) ? any() : 0;
    o.devices = below(8) ? any() : 0;
    double cpus = any(), devices = any(), part = chosen(&o, cpus, devices);
    double cost = cost_of(&o, cpus, devices, part);
    ++times[ag_objective_sides(&o, cpus, devices)];
    assert_true(fabs(ag_objective_cost(&o, cpus, devices, part) - cost) <= 1e-12 * cost);
    for (unsigned k = 0; k <= 16; ++k)
      assert_true(cost <= cost_of(&o, cpus, devices, k / 16.0) * (1 + 1e-6) + 1e-300);
    for (unsigned k = 0; k < 8; ++k)
      assert_true(cost <= cost_of(&o, cpus, devices, (double)below(1000001) / 1e6) * (1 + 1e-6) + 1e-300);
  }
  assert_true(times[0] && times[1] && times[2]);
}

/* By hand: CPUs need 4 s, devices 1 s. Together 0.8 s with a fifth for the CPUs. Idle 10 W, CPUs 40 W more,
 * devices 100 W more: together 8 + 32 + 80 = 120 J, devices alone 10 + 100 = 110 J, CPUs alone 200 J. */
static void worked_example(void **s) {
  (void)s;
  struct ag_objective o = {AG_OBJECTIVE_ENERGY, true, 10, 40, 100};
  assert_true(fabs(ag_objective_balance(4, 1) - 0.2) < 1e-12);
  assert_true(fabs(ag_objective_cost(&o, 4, 1, 0.2) - 120) < 1e-9);
  assert_true(fabs(ag_objective_cost(&o, 4, 1, 0) - 110) < 1e-9);
  assert_true(fabs(ag_objective_cost(&o, 4, 1, 1) - 200) < 1e-9);
  assert_int_equal(ag_objective_sides(&o, 4, 1), AG_SIDES_DEVICES);
  o.choice = AG_OBJECTIVE_EDP; /* 96 Js together, 110 Js on the devices */
  assert_true(fabs(ag_objective_cost(&o, 4, 1, 0.2) - 96) < 1e-9);
  assert_int_equal(ag_objective_sides(&o, 4, 1), AG_SIDES_BOTH);
  o.choice = AG_OBJECTIVE_TIME;
  assert_int_equal(ag_objective_sides(&o, 4, 1), AG_SIDES_BOTH);
  o = (struct ag_objective){AG_OBJECTIVE_ENERGY, true, 10, 5, 300}; /* a thrifty CPU: 60, 310 and 252 J */
  assert_int_equal(ag_objective_sides(&o, 4, 1), AG_SIDES_CPUS);
}

/* Where all parts cost the same, both work: what rounding makes of that does not decide. */
static void rounding_decides_nothing(void **s) {
  (void)s;
  for (int i = 1; i < 60; ++i)
    for (int k = 1; k < 60; ++k) {
      double cpus = i / 7.0, devices = k / 3.0;
      struct ag_objective o = {AG_OBJECTIVE_ENERGY, true, 0, 30 / cpus, 30 / devices};
      assert_int_equal(ag_objective_sides(&o, cpus, devices), AG_SIDES_BOTH);
    }
}

static void what_is_not_known(void **s) {
  (void)s;
  const struct ag_objective zero = {0}, good = {AG_OBJECTIVE_ENERGY, true, 10, 40, 100};
  assert_int_equal(ag_objective_sides(&zero, 4, 1), AG_SIDES_BOTH);
  assert_int_equal(ag_objective_sides(&good, 4, 1), AG_SIDES_DEVICES);
  const double bad[] = {0, -1, NAN, INFINITY, 1e301};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    assert_int_equal(ag_objective_sides(&good, bad[i], 1), AG_SIDES_BOTH);
    assert_int_equal(ag_objective_sides(&good, 4, bad[i]), AG_SIDES_BOTH);
    struct ag_objective o = good;
    o.idle = i ? bad[i] : -1;
    assert_int_equal(ag_objective_sides(&o, 4, 1), AG_SIDES_BOTH);
    o = good;
    o.known = false;
    assert_int_equal(ag_objective_sides(&o, 4, 1), AG_SIDES_BOTH);
  }
}

/* --- Powers --------------------------------------------------------------------------------------------- */

/* Any trace of a side that takes idle W and busy W more: found, once its shares differ. */
static void powers_are_found(void **s) {
  (void)s;
  for (unsigned round = 0; round < 2000; ++round) {
    struct ag_power p = {0};
    double idle = (double)below(200), busy = (double)(1 + below(500)), found_idle, found_busy;
    bool known = ag_power_line(&p, &found_idle, &found_busy);
    assert_false(known);
    for (unsigned i = 0; i < 40; ++i) {
      double seconds = 0.05 + (double)below(1000) / 1e4;
      double share = i < 20 ? 0.9 : below(2) ? 0 : (double)below(1000) / 999;
      double noise = 1 + ((double)below(1000) - 499.5) / 1e5;
      ag_power_learn(&p, seconds, share, seconds * (idle + share * busy) * noise);
      if (i == 19)
        assert_false(ag_power_line(&p, &found_idle, &found_busy)); /* nothing tells them apart */
    }
    assert_true(ag_power_line(&p, &found_idle, &found_busy));
    assert_true(fabs(found_idle - idle) < 0.02 * (idle + busy));
    assert_true(fabs(found_busy - busy) < 0.05 * (idle + busy));
  }
}

/* What was idle for a moment long ago is remembered while all is busy; a new level is learnt. */
static void idle_power_stays(void **s) {
  (void)s;
  struct ag_power p = {0};
  double idle, busy;
  ag_power_learn(&p, 0.2, 0, 0.2 * 50);
  for (int i = 0; i < 10000; ++i)
    ag_power_learn(&p, 0.1, 1, 0.1 * 250);
  assert_true(ag_power_line(&p, &idle, &busy));
  assert_true(fabs(idle - 50) < 0.1 && fabs(busy - 200) < 0.1);
  for (int i = 0; i < 200; ++i)
    ag_power_learn(&p, 0.1, 1, 0.1 * 150); /* it was throttled */
  assert_true(ag_power_line(&p, &idle, &busy));
  assert_true(fabs(busy - 100) < 5);
}

static void power_of_nonsense(void **s) {
  (void)s;
  const double odd[] = {0, -1, NAN, INFINITY, -INFINITY, 1e300, 1e-300, 1, 0.5};
  enum { N = sizeof odd / sizeof odd[0] };
  struct ag_power p = {0};
  for (unsigned i = 0; i < N * N * N; ++i) {
    double idle = 0, busy = 0;
    ag_power_learn(&p, odd[i % N], odd[i / N % N], odd[i / N / N]);
    if (ag_power_line(&p, &idle, &busy))
      assert_true(idle >= 0 && busy >= 0 && idle <= 1e6 && busy <= 1e7);
  }
  p = (struct ag_power){0}; /* work takes power only: less in idle times than any line says */
  double idle, busy;
  for (int i = 0; i < 20; ++i) {
    ag_power_learn(&p, 1, 0.5, 1);
    ag_power_learn(&p, 1, 1, 10);
  }
  assert_true(ag_power_line(&p, &idle, &busy));
  assert_true(idle == 0 && busy > 0);
  p = (struct ag_power){0}; /* less power while it works: others are at work */
  ag_power_learn(&p, 1, 0, 100);
  ag_power_learn(&p, 1, 1, 50);
  assert_true(ag_power_line(&p, &idle, &busy));
  assert_true(busy == 0 && idle == 75);
}

static void powers_are_kept(void **s) {
  (void)s;
  struct ag_power p = {0}, q = {0};
  double x[AG_POWER_NUMBERS];
  assert_false(ag_power_keep(&p, x));
  ag_power_learn(&p, 0.3, 0.1, 13.7);
  ag_power_learn(&p, 0.7, 0.9, 77.1);
  assert_true(ag_power_keep(&p, x));
  assert_true(ag_power_seed(&q, x, AG_POWER_NUMBERS));
  assert_memory_equal(&p, &q, sizeof p);
  const double bad[] = {NAN, -1, 1e300, INFINITY};
  for (unsigned i = 0; i < AG_POWER_NUMBERS; ++i)
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
      double before = x[i];
      x[i] = bad[k];
      assert_false(ag_power_seed(&q, x, AG_POWER_NUMBERS));
      x[i] = before;
    }
  assert_false(ag_power_seed(&q, x, AG_POWER_NUMBERS - 1));
  assert_memory_equal(&p, &q, sizeof p);
}

/* --- Loops ---------------------------------------------------------------------------------------------- */

enum { CPUS = 2, UNITS = 3, N = 1000000 };

/* ns of an iteration: 40 and 10. */
static double cost(const void *context, unsigned u, uint64_t from, uint64_t to) {
  (void)context;
  double n = (double)(to - from);
  return u < CPUS ? 40 * n : 20000 + 10 * n;
}

/* Iterations of each unit. */
static void execute(void *state, const struct ag_loop_view *view, uint64_t done[UNITS]) {
  struct virtual_unit unit[UNITS];
  in_virtual_time(state, view, cost, NULL, unit);
  for (unsigned u = 0; u < UNITS; ++u)
    done[u] = unit[u].done;
}

/* The same units, first one side's energy is dear, then the other's, then nobody's. */
static void loops_follow_it(void **s) {
  (void)s;
  struct ag_loop_view view = {.machine = {.cpus = CPUS, .devices = 1}, .n = N};
  void *state = calloc(1, ag_loop_state_bytes(&view));
  uint64_t done[UNITS];
  assert_non_null(state);
  for (int i = 0; i < 3; ++i)
    execute(state, &view, done);
  assert_true(done[0] + done[1] > N / 5 && done[2] > N / 2); /* together */
  view.objective = (struct ag_objective){AG_OBJECTIVE_ENERGY, true, 10, 500, 20};
  for (int i = 0; i < 3; ++i)
    execute(state, &view, done);
  assert_true(done[2] > N / 100 * 99);
  view.objective = (struct ag_objective){AG_OBJECTIVE_ENERGY, true, 10, 20, 500};
  for (int i = 0; i < 3; ++i)
    execute(state, &view, done);
  assert_int_equal(done[2], 0);
  unsigned looks = 0; /* what a device can do is found out again */
  for (int i = 0; i < 64; ++i) {
    execute(state, &view, done);
    looks += done[2] > 0;
  }
  assert_int_equal(looks, 2);
  view.objective = (struct ag_objective){AG_OBJECTIVE_EDP, true, 10, 20, 20};
  for (int i = 0; i < 3; ++i)
    execute(state, &view, done);
  assert_true(done[0] + done[1] > N / 5 && done[2] > N / 2);
  free(state);
}

/* The first execution finds out what the sides can do; the next one follows. */
static void second_execution(void **s) {
  (void)s;
  struct ag_loop_view view = {
      .machine = {.cpus = CPUS, .devices = 1}, .n = N, .objective = {AG_OBJECTIVE_ENERGY, true, 10, 500, 20}};
  void *state = calloc(1, ag_loop_state_bytes(&view));
  uint64_t done[UNITS];
  execute(state, &view, done);
  assert_true(done[0] && done[1] && done[2]);
  execute(state, &view, done);
  assert_int_equal(done[2], N);
  free(state);
}

/* --- Units ---------------------------------------------------------------------------------------------- */

static void split_follows_it(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 100,
                            .items = 1000,
                            .load = {.ready = 2},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 10e3,
                            .device = {.launch_ns = 100e3, .item_ns = 5e3}};
  assert_true(take_of(&v) > 0 && take_of(&v) < 1000);
  assert_true(leave_of(&v) > 0 && leave_of(&v) < 1000);
  v.sides = AG_SIDES_DEVICES;
  assert_true(take_of(&v) == 0 && leave_of(&v) == 0);
  v.sides = AG_SIDES_CPUS;
  assert_true(take_of(&v) == 1000 && leave_of(&v) == INFINITY);
  v.cpu_ns = 0; /* one unit, to know */
  assert_true(take_of(&v) > 0 && take_of(&v) < 11);
  v.device.item_ns = 0;
  assert_true(take_of(&v) > 0 && take_of(&v) < 11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(nothing_is_better, new_seed),
      cmocka_unit_test(worked_example),
      cmocka_unit_test(rounding_decides_nothing),
      cmocka_unit_test(what_is_not_known),
      cmocka_unit_test_setup(powers_are_found, new_seed),
      cmocka_unit_test(idle_power_stays),
      cmocka_unit_test(power_of_nonsense),
      cmocka_unit_test(powers_are_kept),
      cmocka_unit_test(loops_follow_it),
      cmocka_unit_test(second_execution),
      cmocka_unit_test(split_follows_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
