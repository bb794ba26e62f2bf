/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timed batch policies and splits: worked examples, and what holds whatever happens. */
#include "policy/model.h"
#include "policy/policy.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CASES = 200000 }; /* TEST_CASES in the environment asks for more */

static unsigned cases(void) {
  const char *text = getenv("TEST_CASES");
  return text ? (unsigned)strtoul(text, NULL, 10) : CASES;
}

static double any(double least, double most) { return least + (most - least) * rand() / RAND_MAX; }

/* The force kernel of the paper: 8 blocks on each of 13 multiprocessors. */
static void occupancy_by_hand(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_OCCUPANCY, 0};
  struct ag_batch_state state = {0};
  const struct ag_batch_policy *p = ag_batch_policy(c.rule);
  struct ag_batch_view v = {.event = AG_ON_SUBMIT, .fill = 8 * 13};
  uint64_t now = 1000, waiting = 0;
  for (int i = 0; i < 103; ++i) {
    now += i == 50 ? 700 : 100; /* the longest gap */
    ++state.arrivals;
    ag_batch_tick(&state, ++waiting, now);
    v.waiting = waiting;
    v.now_ns = now;
    assert_int_equal(p->decide(&c, &state, &v).units, 0);
  }
  v.event = AG_ON_LOOK;
  v.now_ns = now + 2 * 700; /* exactly twice: not yet */
  assert_int_equal(p->decide(&c, &state, &v).units, 0);
  ++v.now_ns;
  assert_int_equal(p->decide(&c, &state, &v).units, 103);
  v.waiting = 250; /* never more than are resident */
  assert_int_equal(p->decide(&c, &state, &v).units, 104);
  assert_int_equal(p->decide(&c, &state, &v).reason, AG_REASON_POLICY);
}

/* N_cpu = N t_gpu / (t_cpu + t_gpu). */
static void items_by_hand(void **s) {
  (void)s;
  struct ag_split_state state = {0};
  struct ag_split_view v = {.units = 10, .items = 1000, .cpus = 1, .devices = 1};
  ag_split_told(&state, AG_SIDE_CPU, 1, 100, 3000);    /* 30 ns an item */
  ag_split_told(&state, AG_SIDE_DEVICE, 1, 100, 1000); /* 10 ns */
  assert_true(fabs(ag_split_front(AG_SPLIT_ITEMS, &state, &v).items - 250) < 1e-6);
  ag_split_told(&state, AG_SIDE_CPU, 1, 100, 1000); /* running average: 20 ns */
  assert_true(fabs(ag_split_front(AG_SPLIT_ITEMS, &state, &v).items - 1000.0 / 3) < 1e-6);
  /* count keeps the ratio that it has seen first. */
  assert_int_equal(ag_split_front(AG_SPLIT_COUNT, &state, &v).units, 3);
  ag_split_told(&state, AG_SIDE_CPU, 1000, 100000, 100000);
  assert_int_equal(ag_split_front(AG_SPLIT_COUNT, &state, &v).units, 3);
}

/* Two CPUs with time at 10 ns an item, one device at 1 ns, 900 ns a launch: T = (900 + 1000) / (1 + 2 / 10)
 * ns, so that CPUs get 2 T / 10 items. */
static void auto_split_by_hand(void **s) {
  (void)s;
  struct ag_split_view v = {
      .units = 1000, .items = 1000, .cpus = 2, .devices = 1, .cpu_ns = 10, .item_ns = 1, .launch_ns = 900};
  double until = (900 + 1000) / (1 + 0.2);
  assert_true(fabs(ag_split_leave(&v) - 2 * until / 10) < 1e-6);
  assert_true(fabs(ag_split_take(&v) - until / 10 / 2) < 1e-6); /* half at once: others come */
  v.cpus = 0;
  assert_true(ag_split_leave(&v) == 0);
  /* Alone: back when the device has nothing left to do, and after 1 ms at most. */
  v.cpus = 1;
  v.busy_ns = 100;
  assert_true(fabs(ag_split_take(&v) - 10) < 1e-6);
  v.busy_ns = 1e9;
  v.units = 1000000000;
  v.items = 1e9;
  assert_true(fabs(ag_split_take(&v) - 1e5) < 1e-6);
  /* Nothing is known of CPUs: half, and nothing more as long as the device is busy. */
  v.cpu_ns = 0;
  assert_true(ag_split_leave(&v) == v.items);
  v.busy_ns = 0;
  assert_true(ag_split_leave(&v) == v.items / 2);
}

static void random_splits(void **s) {
  (void)s;
  srand(5);
  for (unsigned i = cases(); i; --i) {
    struct ag_split_view v = {.units = (uint64_t)pow(10, any(0, 6)), .cpus = (unsigned)rand() % 65};
    v.items = (double)v.units * pow(10, any(-1, 4));
    v.devices = 1 + (unsigned)rand() % 8;
    v.cpu_ns = rand() % 8 ? pow(10, any(-3, 9)) : 0;
    v.item_ns = rand() % 8 ? pow(10, any(-3, 9)) : 0;
    v.launch_ns = rand() % 4 ? pow(10, any(0, 9)) : 0;
    v.busy_ns = rand() % 2 ? pow(10, any(0, 10)) : 0;
    double leave = ag_split_leave(&v), take = ag_split_take(&v);
    assert_true(leave >= 0 && leave <= v.items);
    assert_true(take >= 0 && take <= 1.0011 * v.items);
    if (!v.cpus)
      assert_true(leave == 0);
    /* The more a device has to do, the more is left to CPUs. */
    struct ag_split_view busier = v;
    busier.busy_ns += 1000;
    assert_true(ag_split_leave(&busier) >= leave * (1 - 1e-9));
    /* Both sides end at the same time, unless CPUs do all. */
    if (v.cpus && v.cpu_ns > 0 && v.item_ns > 0 && leave < v.items) {
      double cpu = leave / v.cpus * v.cpu_ns;
      double device = v.busy_ns + v.launch_ns + (v.items - leave) * v.item_ns / v.devices;
      /* up to rounding of what is left over */
      assert_true(fabs(cpu - device) <= 1e-6 * (cpu + device) + 1e-9 * v.items * v.item_ns);
    }
    struct ag_split_state state = {0};
    for (int k = rand() % 4; k; --k)
      ag_split_told(&state, (enum ag_side)(rand() % 2), any(-1, 5), any(-1, 100),
                    rand() % 9 ? any(-1, 1e6) : NAN);
    struct ag_split_share share = ag_split_front(rand() % 2 ? AG_SPLIT_COUNT : AG_SPLIT_ITEMS, &state, &v);
    assert_true(share.units <= v.units && share.items >= 0);
  }
}

/* Whatever was measured: never more than there is, all of it in the end, and what waits long goes. */
static void random_batches(void **s) {
  (void)s;
  srand(6);
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state state = {0};
  struct ag_device_model model = {0};
  uint64_t now = 1, waiting = 0;
  for (unsigned i = cases(); i; --i) {
    c.rule = rand() % 1000 ? c.rule : rand() % 2 ? AG_BATCH_AUTO : AG_BATCH_OCCUPANCY;
    now += (uint64_t)pow(10, any(0, 6));
    struct ag_batch_view v = {.event = (enum ag_batch_event)(rand() % AG_N_BATCH_EVENTS), .now_ns = now};
    uint64_t come = v.event == AG_ON_SUBMIT ? 1 + (uint64_t)rand() % 8 : 0;
    waiting += come;
    state.arrivals += come;
    if (!waiting)
      continue;
    ag_batch_tick(&state, waiting, now);
    v.waiting = waiting;
    v.items = (double)waiting * pow(10, any(-1, 3));
    v.fill = rand() % 3 ? (uint64_t)pow(10, any(0, 4)) : 0;
    v.in_flight = (unsigned)rand() % 4;
    v.full = waiting > 5000;
    v.host_ns = model.host_ns;
    v.launch_ns = model.launch_ns;
    v.item_ns = model.item_ns;
    struct ag_batch_decision d = ag_batch_policy(c.rule)->decide(&c, &state, &v);
    assert_true(d.units <= waiting);
    assert_true(d.units > 0 || !v.full);
    assert_true(d.units > 0 || (v.event != AG_ON_QUIET && (v.event != AG_ON_WAIT || v.in_flight > 1)));
    if (!d.units && c.rule == AG_BATCH_AUTO) { /* some time later, on a device with room */
      struct ag_batch_view later = v;
      later.event = AG_ON_LOOK;
      later.in_flight = 0;
      later.now_ns = now + (uint64_t)1e15;
      assert_int_equal(ag_batch_policy(c.rule)->decide(&c, &state, &later).units, waiting);
    }
    if (!d.units)
      continue;
    waiting -= d.units;
    ag_batch_left(&state, waiting);
    ag_model_device(&model, (double)d.units, rand() % 9 ? any(-10, 1e7) : INFINITY, any(-10, 1e5));
    assert_true(model.launch_ns >= 0 && isfinite(model.launch_ns) && isfinite(model.item_ns));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(occupancy_by_hand), cmocka_unit_test(items_by_hand),
                                     cmocka_unit_test(auto_split_by_hand), cmocka_unit_test(random_splits),
                                     cmocka_unit_test(random_batches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
