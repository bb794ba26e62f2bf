/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the units of a step cost, and when all of them are done: worked examples. */
#include "policy/batch/forecast.h"
#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t below(uint64_t *rng, uint64_t n) { return next_random(rng) % n; }

static void about(double x, double expected) {
  assert_true(fabs(x - expected) <= 1e-6 * (1 + fabs(expected)));
}

/* --- Outlines ------------------------------------------------------------------------------------------ */

/* Costs that rise from unit to unit, whatever is seen of them at a time: the sum up to any place is right
 * within what comes between two of the places that are kept. */
static void sums_are_kept(void **s) {
  (void)s;
  uint64_t rng = 1;
  for (uint64_t most = 1; most <= 100000; most = most * 3 + 1) {
    struct ag_outline o = {0};
    for (uint64_t n = 0; n < most;) {
      n += 1 + below(&rng, most / 40 + 1);
      n = n < most ? n : most;
      ag_outline_learn(&o, n, (double)n * (double)n);
    }
    double within = 2.0 * (double)most * ((double)most / 8 + 1);
    for (uint64_t n = 0; n <= most; n += most / 100 + 1)
      assert_true(fabs(ag_outline_cost(&o, (double)n) - (double)n * (double)n) <= within);
    about(ag_outline_cost(&o, (double)most), (double)most * (double)most);
    about(ag_outline_cost(&o, 2.0 * (double)most), 2.0 * (double)most * (double)most); /* as in the mean */
  }
}

/* Nothing is known, nothing has come, costs that seem to fall. */
static void odd_outlines(void **s) {
  (void)s;
  struct ag_outline o = {0};
  about(ag_outline_cost(&o, 10), 0);
  ag_outline_learn(&o, 0, 5);
  about(ag_outline_cost(&o, 10), 0);
  ag_outline_learn(&o, 10, 100);
  ag_outline_learn(&o, 10, 50);
  ag_outline_learn(&o, 20, 50); /* the next ten cost nothing */
  about(ag_outline_cost(&o, 10), 100);
  about(ag_outline_cost(&o, 20), 100);
  about(ag_outline_cost(&o, -1), 0);
  ag_outline_learn(&o, UINT64_MAX, 9e18);
  assert_true(ag_outline_cost(&o, 1e19) > 0);
}

/* Places of which each unit costs as many as are before its place; the last one is not a whole one. */
static void dearest_places(void **s) {
  (void)s;
  struct ag_outline o = {0};
  about(ag_outline_dearest(&o, 0, 10), 0);
  double cost = 0;
  for (uint64_t n = 1; n <= 1005; ++n)
    ag_outline_learn(&o, n, cost += (double)(n <= 1000 ? (n - 1) / 50 * 50 : 7000));
  assert_int_equal(o.apart, 32); /* fewer than 32 places */
  double of_place = ag_outline_cost(&o, 64) - ag_outline_cost(&o, 32);
  about(ag_outline_dearest(&o, 32, 64), of_place / 32);
  about(ag_outline_dearest(&o, 40, 41), of_place / 32);
  about(ag_outline_dearest(&o, 63.5, 63.75), of_place / 32);
  about(ag_outline_dearest(&o, 0, 64), of_place / 32);
  about(ag_outline_dearest(&o, 64, 32), ag_outline_dearest(&o, 64, 65));
  about(ag_outline_dearest(&o, -1e30, 64), of_place / 32);
  double end = (cost - ag_outline_cost(&o, 992)) / 13;
  about(ag_outline_dearest(&o, 0, 1005), end); /* what has come of the last place */
  about(ag_outline_dearest(&o, 0, 1e30), end);
  about(ag_outline_dearest(&o, 1005, 1006), cost / 1005); /* behind the end, as in the mean */
  struct ag_outline each = {0};
  for (uint64_t n = 1; n <= 10; ++n)
    ag_outline_learn(&each, n, (double)(n * n));
  about(ag_outline_dearest(&each, 4.5, 4.75), 9); /* a part of a unit, */
  about(ag_outline_dearest(&each, 4, 5.5), 11);   /* and of the last one */
  about(ag_outline_dearest(&each, 4, 5), 9);
  ag_outline_learn(&each, UINT64_MAX, 100);
  assert_true(ag_outline_dearest(&each, 0, 1e30) > 0);
}

/* Places tell what units cost if neighbours cost alike, and nothing where all cost the same, where costs come
 * by chance, by turns, or there are three places at most. */
static void smooth_costs(void **s) {
  (void)s;
  uint64_t rng = 3;
  unsigned rough = 0;
  for (int i = 0; i < 200; ++i) {
    struct ag_outline rising = {0}, chance = {0}, same = {0}, turns = {0}, few = {0};
    double rise = 0, random = 0;
    uint64_t most = 20 + below(&rng, 5000);
    for (uint64_t n = 1; n <= most; ++n) {
      ag_outline_learn(&rising, n, rise += (double)n);
      ag_outline_learn(&chance, n, random += (double)below(&rng, 1000));
      ag_outline_learn(&same, n, 16 * (double)n);
    }
    for (uint64_t n = 1; n <= 31; ++n)
      ag_outline_learn(&turns, n, (double)(n & ~1ULL));
    for (uint64_t n = 1; n <= below(&rng, 4); ++n)
      ag_outline_learn(&few, n, (double)(n * n));
    assert_true(ag_outline_smooth(&rising) > 0.8 && ag_outline_smooth(&rising) < 1);
    rough += ag_outline_smooth(&chance) < 0.1;
    about(ag_outline_smooth(&same), 0);
    about(ag_outline_smooth(&turns), 0);
    about(ag_outline_smooth(&few), 0);
  }
  assert_true(rough > 190);
}

/* Who submits looks but now and then: what has come between two looks is taken to have cost alike, which does
 * not make costs smooth that come by chance. */
static void seldom_looks_are_not_smooth(void **s) {
  (void)s;
  uint64_t rng = 5;
  for (uint64_t every = 256; every <= 4096; every *= 2) {
    unsigned rough = 0;
    for (int i = 0; i < 200; ++i) {
      struct ag_outline chance = {0}, rising = {0};
      double cost = 0;
      for (uint64_t n = 1; n <= 30000; ++n) {
        cost += (double)below(&rng, 1000);
        if (n % every == 0 || n == 30000) {
          ag_outline_learn(&chance, n, cost);
          ag_outline_learn(&rising, n, (double)n * (double)n);
        }
      }
      rough += ag_outline_smooth(&chance) < 0.25;
      assert_true(ag_outline_smooth(&rising) > 0.7);
    }
    assert_true(rough > (every < 4096 ? 190 : 160)); /* seven looks tell little */
  }
}

/* --- What is to come ----------------------------------------------------------------------------------- */

/* 1000 ns a launch, 10 ns an item; others have time, and it costs nothing to launch. */
static struct ag_batch_view view_of(uint64_t waiting) {
  return (struct ag_batch_view){.waiting = waiting,
                                .items = (double)waiting,
                                .devices = 1,
                                .lookers = 1,
                                .device = {.launch_ns = 1000, .item_ns = 10}};
}

/* Units that are still to come cost what they cost in the step before, at the same place. */
static void costs_as_before(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1020, .phase = {.begun = 1000}};
  struct ag_batch_view v = view_of(10);
  about(ag_forecast_cost(&state, &v, 0, 200), 200);
  for (uint64_t n = 1; n <= 20; ++n)
    ag_outline_learn(&state.phase.last, n, (double)n); /* places are kept exactly */
  ag_outline_learn(&state.phase.last, 30, 70);
  about(ag_forecast_cost(&state, &v, 0, 10), 10);
  about(ag_forecast_cost(&state, &v, 0, 15), 10 + 25);
  about(ag_forecast_cost(&state, &v, 12, 4), 20);
  v.items = 100; /* those that wait cost what they cost */
  about(ag_forecast_cost(&state, &v, 0, 15), 100 + 25);
}

/* The longest of the units to come is as long as usual, or as far as places tell it as at its place in the
 * step before: at the end of a step of rising costs a device is busy with one unit for longer. */
static void the_longest_at_its_place(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 0};
  struct ag_batch_view v = view_of(0);
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 0.001, .fill = 1000, .form = AG_FORM_FULL};
  struct ag_rest rest = {20, 0, 0, 1};
  double cost = 0;
  for (uint64_t n = 1; n <= 20; ++n)
    ag_outline_learn(&state.phase.last, n, cost += (double)n);
  for (int k = 0; k < 6; ++k)
    ag_longest_learn(&v.usual, (double)(1U << k), 12);
  double usual = ag_forecast_ns(&state, &v, &rest, 0, 0, true);
  state.phase.smooth = 1;
  double there = ag_forecast_ns(&state, &v, &rest, 0, 0, true);
  about(usual, ag_times_longest(&v.device, 20, cost, 12));
  about(there, ag_times_longest(&v.device, 20, cost, 20));
  assert_true(there > usual);
  state.phase.smooth = 0.5;
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, true), ag_times_longest(&v.device, 20, cost, 16));
  state.phase.smooth = 1;
  state.arrivals = 5; /* the first five wait, one of them is longer than any later one */
  v.waiting = 5;
  v.items = 15;
  v.longest = 30;
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, true), ag_times_longest(&v.device, 20, cost, 30));
  v.longest = 0; /* how long those are that wait nobody knows */
  rest.units = 5;
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, true), ag_times_longest(&v.device, 5, 15, 12));
  rest.units = 20;
  v.usual = (struct ag_longest){{0}}; /* no batch has been seen */
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, true), ag_times_longest(&v.device, 20, cost, 0));
}

/* Units come one by one, each cheaper than the one before it, and a batch takes as long as its longest one:
 * the last ones are those of which the end of the step before tells, be it near or far. */
static void the_last_are_short(void **s) {
  (void)s;
  for (uint64_t units = 4; units <= 20; units += 16) {
    struct ag_batch_state state = {.arrivals = 1, .phase.smooth = 1};
    struct ag_batch_view v = view_of(1);
    v.device =
        (struct ag_batch_times){.launch_ns = 1000, .item_ns = 0.001, .fill = 1000, .form = AG_FORM_FULL};
    v.items = v.longest = (double)units * 5;
    double cost = 0, come = (double)(units - 1) * 1200;
    for (uint64_t n = 1; n <= units; ++n)
      ag_outline_learn(&state.phase.last, n, cost += (double)(units + 1 - n) * 5);
    for (int k = 0; k < 6; ++k)
      ag_longest_learn(&v.usual, (double)(1U << k), 12);
    struct ag_rest rest = {(double)units, 1200, come, 1};
    assert_int_equal(ag_forecast_is_far(&v, &rest), units == 20);
    double ns = ag_forecast_ns(&state, &v, &rest, 1, 0, true) - come - 1000;
    assert_true(ns > 4.99 && ns < 10.01); /* the last batch has one or two units */
  }
}

/* The longest one that waits goes with the first batch: those that follow it are as short as at their places,
 * be they shared in the end, launched before, or far from the end. */
static void the_longest_goes_first(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 4, .phase.smooth = 1};
  struct ag_batch_view v = view_of(4);
  for (int k = 0; k < 8; ++k)
    ag_longest_learn(&v.usual, (double)(1U << k), 12);
  for (uint64_t n = 1; n <= 44; ++n)
    ag_outline_learn(&state.phase.last, n, (double)n);
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 0.001, .fill = 1000, .form = AG_FORM_FULL};
  v.items = v.longest = 30;
  struct ag_rest at_once = {20, 1, 16, 1};
  about(ag_forecast_ns(&state, &v, &at_once, 4, 0, true), 1030 + 1001);

  v.items = 16;
  v.longest = 4;
  v.device = (struct ag_batch_times){.launch_ns = 100, .item_ns = 100, .fill = 10, .form = AG_FORM_FULL};
  struct ag_rest by_and_by = {44, 400, 16000, 1};
  assert_false(ag_forecast_is_far(&v, &by_and_by));
  assert_true(ag_forecast_ns(&state, &v, &by_and_by, 4, 0, true) < 16000 + 1300);

  state.arrivals = 1;
  state.phase.last = (struct ag_outline){0};
  for (uint64_t n = 1; n <= 201; ++n)
    ag_outline_learn(&state.phase.last, n, 50 * (double)n);
  v.waiting = v.in_flight = 1;
  v.items = v.longest = 900;
  v.busy_ns = v.all_busy_ns = 1e6;
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 1, .fill = 10, .form = AG_FORM_FULL};
  struct ag_rest far = {11, 1e5 / 2, 5e5, 1};
  about(ag_forecast_ns(&state, &v, &far, 1, 0, true), 1010000 + 1500); /* this device alone */
  far = (struct ag_rest){201, 1200, 240000, 1};
  v.devices = 2;
  v.all_busy_ns = 2004000;
  about(ag_forecast_ns(&state, &v, &far, 1, 0, true), 1007000 + 6000); /* both */
}

/* A step's end tells how far its places did; the next step may be another. */
static void steps_tell_their_places(void **s) {
  (void)s;
  struct ag_batch_state state = {0};
  for (int step = 0; step < 3; ++step) {
    for (uint64_t n = 1; n <= 20; ++n) {
      ++state.arrivals;
      state.fed += step == 1 ? 10 : n;
      ag_batch_tick(&state, 1, state.arrivals * 10);
    }
    ag_batch_pause(&state);
    assert_true(step == 1 ? state.phase.smooth == 0 : state.phase.smooth > 0.8);
  }
}

/* All are there: one batch, and its commit. */
static void one_batch(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  struct ag_rest rest = {100, 10, 0, 1};
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 2000);
  about(ag_forecast_ns(&state, &v, &rest, 100, 500, true), 2500);
  v.commit.unit_ns = 2;
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 2200);
  v.in_flight = 1;
  v.busy_ns = 5000;
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 7200);
  v.in_flight = 0; /* it has nothing to do, whatever it had */
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 2200);
}

/* A batch begins when its data is there, which others do not wait for, and is done when that is back. */
static void transfers_take_time(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  v.in = (struct ag_host_times){300, 1};
  v.out = (struct ag_host_times){70, 0.3};
  struct ag_rest rest = {100, 10, 0, 1};
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 400 + 2000 + 100);
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, true), 350 + 2000 + 85); /* two send a half each */
  v.in_flight = 1;
  v.busy_ns = v.all_busy_ns = 5000; /* it is sent while the device is busy */
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 7000 + 100);
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, true), 7000 + 85);
  struct ag_rest far = {1000, 1000, 900000, 1};
  v.in_flight = 0;
  v.busy_ns = v.all_busy_ns = 0;
  assert_true(ag_forecast_is_far(&v, &far));
  double with = ag_forecast_ns(&state, &v, &far, 100, 0, true);
  v.in = (struct ag_host_times){0, 1}; /* the last one's, which has two units */
  v.out = (struct ag_host_times){0, 0.3};
  about(with - ag_forecast_ns(&state, &v, &far, 100, 0, true), 370);
  v.lookers = 0; /* who submits stages the last one then */
  v.event = AG_ON_SUBMIT;
  double without = ag_forecast_ns(&state, &v, &far, 100, 0, true);
  v.in.launch_ns = 300;
  v.out.launch_ns = 70;
  about(ag_forecast_ns(&state, &v, &far, 100, 0, true) - without, 370);
  with = ag_forecast_ns(&state, &v, &far, 1000, 0, true); /* one batch of all */
  v.in = v.out = (struct ag_host_times){0, 0};
  about(with - ag_forecast_ns(&state, &v, &far, 1000, 0, true), 300 + 1000 + 70 + 300);
}

/* Batches of up to 64 units take 6640 ns. When the last of 128 comes after 10 us, a launch of 20 units now
 * leaves too many for one wave, unless another batch comes between. */
static void waves_at_the_end(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 20};
  struct ag_batch_view v = view_of(20);
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 240, .item_ns = 100, .fill = 64, .form = AG_FORM_WAVES};
  struct ag_rest rest = {128, 10000.0 / 108, 10000, 1};
  double now = ag_forecast_ns(&state, &v, &rest, 20, 0, true);
  about(now, 2 * 6640 + 6640); /* 20; 72 at 6640, of which 64 go; 44 */
  double later = ag_forecast_ns(&state, &v, &rest, 64, 44 * rest.gap_ns, true);
  about(later, 44 * rest.gap_ns + 2 * 6640);
  rest.come_ns = 20000;
  rest.gap_ns = 20000.0 / 108; /* there is time for two batches before the last one */
  about(ag_forecast_ns(&state, &v, &rest, 20, 0, true), 20000 + 6640);
  v.host.launch_ns = 500; /* each is staged while the one before it runs, but for the first and the last */
  about(ag_forecast_ns(&state, &v, &rest, 20, 0, true), 20000 + 500 + 6640);
}

/* Units that come slower than the device does one: it gets them one by one. */
static void units_come_slowly(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1};
  struct ag_batch_view v = view_of(1);
  struct ag_rest rest = {3, 1500, 3000, 1};
  about(ag_forecast_ns(&state, &v, &rest, 1, 0, true), 3000 + 1010);
}

/* Threads that have time when all has come stage parts of it, whole fills at least, and none waits for the
 * one that launches now. */
static void the_end_is_staged_by_all(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 400};
  struct ag_batch_view v = view_of(400);
  struct ag_rest rest = {400, 10, 3000, 1};
  v.lookers = 3;
  v.host = (struct ag_host_times){500, 10};
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, false), 3000 + (500 + 1000) + 5000);
  v.fill = 200;
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, false), 3000 + (500 + 2000) + 5000);
  v = view_of(100);
  v.lookers = 0;
  v.event = AG_ON_LOOK;
  v.others = true;
  v.active = 2;
  v.devices = 2;
  v.host.launch_ns = 5000;
  rest = (struct ag_rest){200, 1, 100, 1};
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 5000 + 2000);
}

/* Of three devices the other two have 6000 ns to do: 2000 and 4000, not 3000 each. */
static void others_end_one_after_the_other(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  struct ag_rest rest = {400, 1, 300, 1};
  v.devices = 3;
  v.all_busy_ns = 6000;
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 2000 + 2500); /* the first two share it */
}

/* A thread that has time stages one batch while another one stages the next: of two devices the second one
 * gets what has come after half of what a launch takes, 50 units until 3000, and both share the others. */
static void others_stage_the_next(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  struct ag_rest rest = {300, 10, 2000, 1};
  v.devices = 2;
  v.host.launch_ns = 1000;
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 3000 + 1000 + 750);
}

/* Two devices, the other one idle: what follows goes there, and none waits for the first. */
static void others_are_through(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  struct ag_rest rest = {200, 1, 100, 1};
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 2000 + 1000 + 1000);
  v.devices = 2;
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 100 + 2000);
  v.all_busy_ns = 1500;
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 1750 + 1500); /* in two parts */
}

/* Nothing is launched before all have come: then all threads that submit stage parts for all devices. */
static void all_at_the_end(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  struct ag_rest rest = {400, 10, 3000, 1};
  v.lookers = 0;
  v.active = 2;
  v.devices = 2;
  v.host.launch_ns = 500;
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, false), 3000 + 500 + 3000);
  v.active = 1; /* one after the other */
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, false), 3000 + 1000 + 3000);
  v.host.launch_ns = 3000; /* it would take longer than that is worth */
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, false), 3000 + 3000 + 5000);
  v.lookers = 1;
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, false), 3000 + 3000 + 3000);
  rest.come_ns = 1e9; /* however far the end is */
  about(ag_forecast_ns(&state, &v, &rest, 0, 0, false), 1e9 + 3000 + 3000);
}

/* It does so with the end of the step: that of the first one, and of those that follow. */
static void launches_put_off_the_end(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  struct ag_rest rest = {200, 10, 1000, 1};
  v.lookers = 0;
  v.event = AG_ON_SUBMIT;
  v.host.launch_ns = 500;
  v.devices = 2;
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 1000 + 500 + 500 + 2000);
  v.others = true; /* have no time either */
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 1000 + 500 + 500 + 2000);
  v = view_of(10);
  state.arrivals = 10;
  rest = (struct ag_rest){40, 100, 3000, 1};
  v.lookers = 0;
  v.event = AG_ON_NO_HIGH;
  v.host.launch_ns = 500;
  about(ag_forecast_ns(&state, &v, &rest, 10, 0, true), 3000 + 500 + 1300); /* another one does not pay */
}

/* Two devices get batches by turns, so the units of each come half as fast: faster than it does them they
 * would be 5100 in the last one, and are 101. */
static void devices_by_turns(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  struct ag_rest rest = {10100, 10, 100000, 2};
  v.lookers = 0;
  v.event = AG_ON_SUBMIT;
  v.devices = 2;
  v.host.launch_ns = 500;
  assert_true(ag_forecast_is_far(&v, &rest));
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, false), 100000 + 101 * 500 + 2010);
  rest.devices = 1;
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, false), 100000 + 101 * 500 + 52000);
  rest.devices = 2;
  v.host.launch_ns = 0; /* one would be done 1000 after that */
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, false), 100000 + 2010);
  rest.come_ns = 4000;
  assert_false(ag_forecast_is_far(&v, &rest));
}

/* Far from the end, too, units cost what they cost in the step before, at their place. */
static void costs_as_before_from_afar(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  struct ag_rest rest = {10100, 10, 100000, 1};
  ag_outline_learn(&state.phase.last, 10100, 101000);
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 2000 + 1000 + 1e6);
  about(ag_forecast_ns(&state, &v, &rest, 200, 1000, true), 1000 + 1000 + 11000 + 1000 + 0.99e6);
  v.devices = 3;
  about(ag_forecast_ns(&state, &v, &rest, 100, 0, true), 100000 + 1000 + 510000); /* the last 5100 of one */
  state.arrivals = 1000;
  v = view_of(1000);
  v.devices = 3;
  rest.units = 11000;
  state.phase.last = (struct ag_outline){0};
  ag_outline_learn(&state.phase.last, 11000, 110000);
  about(ag_forecast_ns(&state, &v, &rest, 1000, 0, true), 11000.0 / 3 + 1000 + 1e6 / 3); /* all share it */
}

/* Where no thread has time a launch puts off what is to come. */
static void launches_take_time(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100};
  struct ag_batch_view v = view_of(100);
  struct ag_rest rest = {300, 50, 10000, 1};
  v.host.launch_ns = 1000;
  double helped = ag_forecast_ns(&state, &v, &rest, 100, 0, true);
  v.lookers = 0;
  assert_true(ag_forecast_ns(&state, &v, &rest, 100, 0, true) > helped);
}

/* Whatever is known, or seems to be: a number that is not less than what the first batch takes, and soon. */
static void forecasts_are_times(void **s) {
  (void)s;
  uint64_t rng = 7;
  for (int i = 0; i < 200000; ++i) {
    uint64_t waiting = 1 + below(&rng, 5000), come = waiting + below(&rng, 100);
    struct ag_batch_state state = {.arrivals = come};
    struct ag_batch_view v = view_of(waiting);
    v.items = (double)waiting * (double)(1 + below(&rng, 100));
    v.fill = below(&rng, 3) * 64;
    v.device.fill = (double)v.fill;
    v.device.form = v.fill ? (enum ag_batch_form)below(&rng, AG_N_FORMS) : AG_FORM_LINE;
    v.longest = (double)below(&rng, 1000);
    v.devices = (unsigned)(1 + below(&rng, 20));
    v.lookers = (unsigned)below(&rng, 5);
    v.active = (unsigned)below(&rng, 5);
    v.host.launch_ns = (double)below(&rng, 20000);
    v.in_flight = below(&rng, 2) > 0;
    v.busy_ns = v.in_flight ? (double)below(&rng, 100000) : 0;
    v.all_busy_ns = v.busy_ns * (double)v.devices;
    if (below(&rng, 2))
      for (uint64_t k = 1 + below(&rng, 50); k; --k)
        ag_outline_learn(&state.phase.last, k * below(&rng, 10000), (double)(k * below(&rng, 100000)));
    state.phase.smooth = (double)below(&rng, 3) / 2;
    if (below(&rng, 2))
      ag_longest_learn(&v.usual, (double)below(&rng, 1000), (double)below(&rng, 1000));
    double more = (double)below(&rng, 10000), gap = (double)below(&rng, 1000);
    double n = (double)(1 + below(&rng, waiting)), wait = (double)below(&rng, 1000);
    struct ag_rest rest = {(double)waiting + more, gap, more * gap, 1};
    double ns = ag_forecast_ns(&state, &v, &rest, n, wait, below(&rng, 2));
    assert_true(isfinite(ns));
    assert_true(ns >= wait + v.device.launch_ns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_kept),
      cmocka_unit_test(odd_outlines),
      cmocka_unit_test(dearest_places),
      cmocka_unit_test(smooth_costs),
      cmocka_unit_test(seldom_looks_are_not_smooth),
      cmocka_unit_test(costs_as_before),
      cmocka_unit_test(the_longest_at_its_place),
      cmocka_unit_test(the_last_are_short),
      cmocka_unit_test(the_longest_goes_first),
      cmocka_unit_test(steps_tell_their_places),
      cmocka_unit_test(one_batch),
      cmocka_unit_test(waves_at_the_end),
      cmocka_unit_test(others_are_through),
      cmocka_unit_test(others_stage_the_next),
      cmocka_unit_test(devices_by_turns),
      cmocka_unit_test(costs_as_before_from_afar),
      cmocka_unit_test(launches_take_time),
      cmocka_unit_test(all_at_the_end),
      cmocka_unit_test(forecasts_are_times),
      cmocka_unit_test(transfers_take_time),
      cmocka_unit_test(units_come_slowly),
      cmocka_unit_test(the_end_is_staged_by_all),
      cmocka_unit_test(others_end_one_after_the_other),
      cmocka_unit_test(launches_put_off_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
