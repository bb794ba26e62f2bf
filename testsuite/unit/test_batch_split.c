/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timed batch policies and splits: worked examples. */
#include "split_views.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool near(double a, double b, double within) { return fabs(a - b) <= within; }

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
  assert_int_equal(p->decide(&c, &state, &v).reason, AG_REASON_AGE);
  v.full = true; /* as many as one launch can take: that is why */
  assert_int_equal(p->decide(&c, &state, &v).reason, AG_REASON_FULL);
  v.full = false;
  v.waiting = 250; /* never more than are resident */
  assert_int_equal(p->decide(&c, &state, &v).units, 104);
  assert_int_equal(p->decide(&c, &state, &v).reason, AG_REASON_POLICY);
}

/* N_cpu = N t_gpu / (t_cpu + t_gpu). */
static void items_by_hand(void **s) {
  (void)s;
  struct ag_split_state state = {0};
  struct ag_split_view v = {.units = 10, .items = 1000, .cpus = 1, .devices = 1},
                       one = {.units = 1, .items = 100};
  for (int i = 0; i < 2; ++i) { /* nothing is known of one side, or both: some for CPUs, unless that is all */
    assert_int_equal(ag_split_front(AG_SPLIT_ITEMS, &state, &v).units, 2);
    assert_int_equal(ag_split_front(AG_SPLIT_COUNT, &state, &v).units, 2);
    assert_int_equal(ag_split_front(AG_SPLIT_COUNT, &state, &one).units, 0);
    ag_split_told(&state, AG_SIDE_CPU, 1, 100, i ? 3000 : 0); /* 30 ns an item */
  }
  ag_split_told(&state, AG_SIDE_DEVICE, 1, 100, 1000); /* 10 ns */
  assert_true(fabs(ag_split_front(AG_SPLIT_ITEMS, &state, &v).items - 250) < 1e-6);
  ag_split_told(&state, AG_SIDE_CPU, 1, 100, 1000); /* running average: 20 ns */
  assert_true(fabs(ag_split_front(AG_SPLIT_ITEMS, &state, &v).items - 1000.0 / 3) < 1e-6);
  /* count keeps the ratio that it has seen first. */
  assert_int_equal(ag_split_front(AG_SPLIT_COUNT, &state, &v).units, 3);
  ag_split_told(&state, AG_SIDE_CPU, 1000, 100000, 100000);
  assert_int_equal(ag_split_front(AG_SPLIT_COUNT, &state, &v).units, 3);
}

/* Two CPUs with time at 10 us an item, one device at 1 us, 900 us a launch: with k items for the device both
 * have done when 900 + k = (1000 - k) 10 / 2, so k = 683 and T = 1583 us. */
static void auto_split_by_hand(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 1000,
                            .items = 1000,
                            .load = {.ready = 2},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 10e3,
                            .device = {.launch_ns = 900e3, .item_ns = 1e3}};
  assert_true(near(leave_of(&v), 317, 1.01));
  assert_true(near(take_of(&v), 10, 1e-6)); /* so that one of the two comes back every 50 us */
  v.load.ready = 20;
  assert_true(near(take_of(&v), 25, 1e-6)); /* half at once: others come */
  v.load.ready = 2;
  v.host.launch_ns = 1e6; /* it cannot begin before */
  assert_true(near(leave_of(&v), 400, 1.01));
  v.busy_ns = 2e6; /* nor before that */
  assert_true(near(leave_of(&v), 567, 1.01));
  v.busy_ns = v.host.launch_ns = 0;
  v.load.ready = 0;
  assert_true(leave_of(&v) == 0);
  double alone = take_of(&v); /* but the one that asks has time */
  v.load.ready = 1;
  assert_true(alone > 0 && near(alone, take_of(&v), 1e-6));
  /* And after 1 ms at most. */
  v.load.ready = 30;
  v.busy_ns = 1e9;
  v.units = 1000000000;
  v.items = 1e9;
  assert_true(near(take_of(&v), 100, 1e-6));
  /* Nothing is known of CPUs: they have a unit first. */
  v.cpu_ns = 0;
  assert_true(leave_of(&v) == INFINITY && take_of(&v) > 0 && take_of(&v) < 1);
  v.load.ready = 0; /* but for a device's sake nobody waits for CPUs that do not come */
  assert_true(leave_of(&v) == 0);
  /* Nor of the device, not even how many it runs: half, and nothing more as long as it is busy. */
  v.load.ready = 1;
  v.cpu_ns = 1;
  v.device = (struct ag_batch_times){0};
  assert_true(leave_of(&v) == v.items / 2);
  v.idle = 0;
  assert_true(leave_of(&v) == INFINITY);
}

/* The same two CPUs and device when the CPUs have other things to do. */
static void loaded_cpus_by_hand(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 1000,
                            .items = 1000,
                            .load = {.ready = 2, .ready_ns = 600e3},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 10e3,
                            .device = {.launch_ns = 900e3, .item_ns = 1e3}};
  /* Both have 300 us to do before: 900 + k = (1000 - k) 5 + 300, k = 733. */
  assert_true(near(leave_of(&v), 267, 1.01));
  /* Two more come when they have done 1 ms each: 900 + k = (1000 - k) 10 / 4 + 2600 / 4, k = 643, T = 1543.
   */
  v.load.others = 2;
  v.load.begun_ns = 2e6;
  assert_true(near(leave_of(&v), 357, 1.01));
  /* 3 ms each: they are of no help. */
  v.load.begun_ns = 6e6;
  assert_true(near(leave_of(&v), 267, 1.01));
  /* Behind the units there are 10 ms for each CPU, so all ends later with every unit that they get. */
  v.load.begun_ns = 0;
  v.load.after_ns = 40e6;
  assert_true(leave_of(&v) == 0 && take_of(&v) == 0);
  /* Before them there are 2 ms: 900 + k = (1000 - k) 10 / 4 + 650 as above. */
  v.load.after_ns = 0;
  v.load.before_ns = 2e6;
  assert_true(near(leave_of(&v), 357, 1.01));
  /* Another FIFO holds three times as much: 900 + k = (1000 - k) 10 x 4 / 2, k = 910. */
  v.load = (struct ag_split_cpus){.ready = 2, .more = 3};
  assert_true(near(leave_of(&v), 91, 1.01));
  /* Nobody has time now, but somebody will have: 900 + k = (1000 - k) 10 + 300, k = 855. */
  v.load = (struct ag_split_cpus){.others = 1, .begun_ns = 300e3};
  assert_true(near(leave_of(&v), 145, 1.01));
}

/* One unit of the 60 is 20 times as long as the others are in the mean: so long would take any batch that has
 * it. */
static void long_units_by_hand(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 60,
                            .items = 60,
                            .load = {.ready = 2},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 10e3,
                            .device = {.item_ns = 1e3, .fill = 100}};
  /* 0.1 ms on the device for any; CPUs have done 10 each by then, of which they take half at once. */
  assert_true(leave_of(&v) == 0 && near(take_of(&v), 5, 1e-6));
  /* It stands at the front: a CPU does it, and the device the others. */
  struct ag_sizes sizes = {0};
  ag_sizes_add(&sizes, 20);
  ag_sizes_add_alike(&sizes, 59, 40.0 / 59);
  v.sizes = &sizes;
  assert_true(near(leave_of(&v), 20, 1e-9));
  assert_true(near(take_of(&v), 5, 1e-6)); /* so much of it that both had the same */
  /* Nothing is known of the device: units like this one may take 50 us + 16 x 20 x 100 ns on it. */
  v.cpu_ns = 100;
  v.device = (struct ag_batch_times){.fill = 100};
  v.spent_ns = 327e3;
  assert_true(leave_of(&v) == INFINITY);
  v.spent_ns = 329e3; /* one of the cheap ones */
  assert_true(near(leave_of(&v), 60 - 40.0 / 59, 1e-9));
}

/* The only unit is for the device where that takes less time than a CPU. */
static void one_unit_by_hand(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 1,
                            .items = 1,
                            .load = {.ready = 1},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 50e3,
                            .device = {.launch_ns = 40e3, .item_ns = 1e3}};
  assert_true(leave_of(&v) == 0 && take_of(&v) == 0);
  v.device.launch_ns = 60e3;
  assert_true(leave_of(&v) == INFINITY);
}

/* A device that runs 100 units in 1 ms, and less in no less: of 60 units 7 CPUs would have 9 each in 0.9 ms;
 * of 80 it takes all that CPUs have not done sooner, for the same 1 ms; of 150 a second wave would take
 * longer than 50 of them on CPUs. */
static void empty_blocks_by_hand(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 60,
                            .items = 60,
                            .load = {.ready = 7},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 100e3,
                            .device = {.item_ns = 10e3, .fill = 100, .form = AG_FORM_WAVES}};
  assert_true(leave_of(&v) == INFINITY);
  v.units = 80;
  v.items = 80;
  assert_true(near(leave_of(&v), 0, 1e-9));
  assert_true(take_of(&v) > 0); /* as long as it is not launched, CPUs have something to do */
  v.units = 150;
  v.items = 150;
  assert_true(near(leave_of(&v), 50, 1e-9));
  /* Nothing is known of it but how many it runs: blocks a 16th as fast as a CPU, 50 us a launch. */
  v.cpu_ns = 100;
  v.device = (struct ag_batch_times){.fill = 100};
  assert_true(leave_of(&v) == INFINITY);
  v.units = 4000;
  v.items = 4000;
  /* 50 us + 16 ns k = (4000 - k) / 7 * 100 ns: k = 236. */
  assert_true(near(leave_of(&v), 4000 - 236, 1.01));
  /* It is tried with a unit when 4 times as much has been spent as that may cost: 4 (50 us + 1.6 us). */
  v.units = 60;
  v.items = 60;
  v.spent_ns = 206e3;
  assert_true(leave_of(&v) == INFINITY);
  v.spent_ns = 207e3;
  assert_true(near(leave_of(&v), 59, 1e-9));
  v.idle = 0; /* one trial at a time */
  assert_true(leave_of(&v) == INFINITY);
}

/* A CPU that launches has less time for units. */
static void launches_by_hand(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 100,
                            .items = 100,
                            .load = {.ready = 1},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 10e3,
                            .device = {.launch_ns = 400e3, .item_ns = 1e3}};
  /* 400 + k = 10 (100 - k): k = 55 */
  assert_true(near(leave_of(&v), 45, 1.01));
  /* 400 + k + 200 = 10 (100 - k) + 200 */
  v.host.launch_ns = 200e3;
  assert_true(near(leave_of(&v), 45, 1.01));
}

/* Where blocks would stay empty the device gets units for them: 160 take no longer than 119, by which CPUs
 * have done 81. */
static void empty_blocks_are_filled(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 200,
                            .items = 200,
                            .load = {.ready = 7},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 10e3,
                            .host = {.launch_ns = 10e3},
                            .device = {.item_ns = 640, .fill = 160, .form = AG_FORM_WAVES}};
  assert_true(near(leave_of(&v), 40, 1e-9));
  v.host.unit_ns = 50; /* though staging them takes a little longer; */
  assert_true(near(leave_of(&v), 40, 1e-9));
  v.in.unit_ns = 400; /* not where it would be much longer until they are there */
  assert_true(leave_of(&v) > 70);
  v.host.unit_ns = v.in.unit_ns = 0;
  v.device.fill = 80; /* two devices */
  v.device.item_ns = 1280;
  v.devices = v.idle = 2;
  assert_true(near(leave_of(&v), 40, 1e-9));
}

/* Data that has to be sent first, and back, is as much time as blocks take: of 300 units at 1 and 3 ns CPUs
 * do 3 of 4; and where transfers take 100 ns they do 3 (n + 100) = 300 - n. A device that is busy gets it
 * meanwhile. */
static void transfers_are_counted(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 300,
                            .items = 300,
                            .load = {.ready = 1},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 1,
                            .device = {.item_ns = 3}};
  assert_true(near(leave_of(&v), 225, 1.01));
  v.in.launch_ns = 60;
  v.out.launch_ns = 40;
  assert_true(near(leave_of(&v), 250, 1.01));
  v.out.launch_ns = 0;
  v.idle = 0;
  v.busy_ns = 60;
  assert_true(near(leave_of(&v), 240, 1.01));
}

/* A device takes 400 us for a launch and 1 us a unit, a CPU 10 us. */
static struct ag_split_view a_hundred(void) {
  return (struct ag_split_view){.units = 100,
                                .items = 100,
                                .devices = 1,
                                .idle = 1,
                                .cpu_ns = 10e3,
                                .device = {.launch_ns = 400e3, .item_ns = 1e3}};
}

/* Who submits has time when it pauses. 400 + k = 10 (100 - k): k = 55; and 64 if it comes 100 us later. */
static void who_submits_comes_back(void **s) {
  (void)s;
  struct ag_split_view v = a_hundred();
  ag_split_will_be_back(&v.load, 0);
  assert_true(near(leave_of(&v), 45, 1.01));
  v.load = (struct ag_split_cpus){0};
  ag_split_will_be_back(&v.load, 100e3);
  assert_true(near(leave_of(&v), 36, 1.01));
  v.load.begun_ns = 2e6;
  assert_true(near(leave_of(&v), 0, 1e-9));
  v.load.begun_ns = 0;
  v.cpu_ns = 0; /* if there is no other CPU nothing is held back for it to be measured */
  assert_true(near(leave_of(&v), 0, 1e-9));
  v.load.others = 2;
  assert_true(leave_of(&v) == INFINITY);
}

/* Nobody knows when it does: after 2 us that is believed to be in as long. After as long as devices would
 * take for all of it, 500 us, it is not believed to come back. */
static void who_submits_may_come_back(void **s) {
  (void)s;
  struct ag_split_view v = a_hundred();
  assert_true(near(leave_of(&v), 0, 1e-9));
  ag_split_may_be_back(&v.load, 2e3);
  assert_true(near(leave_of(&v), 45, 1.01));
  ag_split_may_be_back(&v.load, 300e3);
  assert_true(near(leave_of(&v), 18, 1.01));
  ag_split_may_be_back(&v.load, 501e3);
  assert_true(near(leave_of(&v), 0, 1e-9));
  ag_split_may_be_back(&v.load, 0);
  v.cpu_ns = 0; /* if there is no other CPU nothing is held back for it to be measured */
  assert_true(near(leave_of(&v), 0, 1e-9));
}

/* The commits of what devices do take a CPU's time, and the end is when they are over: with one CPU,
 * 400 + k + 3 k = 10 (100 - k) + 3 k. */
static void commits_count(void **s) {
  (void)s;
  struct ag_split_view v = a_hundred();
  v.load.ready = 1;
  v.commit.unit_ns = 3e3;
  assert_true(near(leave_of(&v), 45, 1.01));
  v.load.ready = 2; /* 400 + 4 k = 5 (100 - k) + 1.5 k: k = 13 */
  assert_true(near(leave_of(&v), 87, 1.01));
  v.commit.unit_ns = 11e3; /* CPUs do a unit in less than the time of its commit */
  assert_true(leave_of(&v) == INFINITY);
}

/* 50 units a microsecond apart, as in the step before. */
static void pauses_are_foreseen(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 130, .last_ns = 35000};
  state.phase.begun = 100;
  state.phase.first_ns = 5000;
  assert_true(ag_batch_until_pause(&state, 35000) < 0);
  state.phase.units = 50;
  state.phase.gap_ns = 1000;
  assert_true(near(ag_batch_until_pause(&state, 35000), 20e3, 1e-6));
  assert_true(ag_batch_until_pause(&state, 105001) < 0); /* they come no more */
  state.arrivals = 150;
  assert_true(near(ag_batch_until_pause(&state, 35000), 0, 1e-9));
}

/* A CPU unit takes 20 us' worth at least, or all. */
static void worth_by_hand(void **s) {
  (void)s;
  struct ag_split_view v = {.units = 100,
                            .items = 100,
                            .load = {.ready = 50},
                            .devices = 1,
                            .idle = 1,
                            .cpu_ns = 1e3,
                            .device = {.launch_ns = 1e9, .item_ns = 1}};
  assert_true(near(take_of(&v), 20, 1e-6));
  assert_true(ag_split_worth(v.cpu_ns, 20) && !ag_split_worth(v.cpu_ns, 19));
  v.units = 10;
  v.items = 10;
  assert_true(near(take_of(&v), 10, 1e-6));
  /* So 50 CPU units are not sooner than a device that has done in 15 us. */
  v.units = 1000;
  v.items = 1000;
  v.device.launch_ns = 19e3;
  assert_true(near(leave_of(&v), 19, 2.01));
}

/* The first device's batches teach what the others take. */
static void devices_of_one_kind(void **s) {
  (void)s;
  struct ag_model m = {0};
  struct ag_measured_batch b = {.units = 50, .items = 50, .chains = 100, .fill = 200, .ns = 1000};
  ag_model_device(&m.device[0], &b);
  struct ag_batch_times times = ag_model_times(&m, 1, 200);
  assert_true(near(times.fill, 100, 1e-9)); /* of units that are two chains each */
  assert_true(near(ag_times_ns(&times, 50, 50), 1000, 1e-6));
  assert_true(near(ag_times_ns(&times, 100, 100), 1000, 1e-6));
  assert_true(ag_model_times(&m, 1, 300).item_ns == 0);
}

/* What was measured on one device counts for others like it, until enough was measured on that one. */
static void devices_learn_together(void **s) {
  (void)s;
  struct ag_model m = {0};
  const double sizes[] = {160, 320, 80};
  for (unsigned d = 0; d < 3; ++d) {
    struct ag_measured_batch b = {.units = sizes[d], .items = sizes[d], .chains = sizes[d], .fill = 160};
    b.ns = 1000 + 10 * fmax(160, sizes[d]);
    b.host_ns = 500;
    ag_model_batch(&m, d, &b);
    b = (struct ag_measured_batch){.units = 300, .items = 300, .chains = 300, .fill = 300, .ns = 9e6};
    ag_model_batch(&m, 5, &b); /* this one is of another kind */
  }
  for (unsigned d = 0; d < 4; ++d) {
    struct ag_batch_times times = ag_model_times(&m, d, 160);
    assert_true(near(ag_times_ns(&times, 320, 320), 4200, 50) && near(ag_times_ns(&times, 1, 1), 2600, 50));
    assert_true(near(ag_model_of(&m, d, 160)->host.launch_ns, 500, 1));
  }
  assert_true(ag_model_times(&m, 4, 200).item_ns == 0);
  for (unsigned i = 0; i < 30; ++i) { /* it is slower, as is seen */
    struct ag_measured_batch b = {.units = 320, .items = 320, .chains = 320, .fill = 160, .ns = 8400};
    ag_model_batch(&m, 1, &b);
  }
  struct ag_batch_times slow = ag_model_times(&m, 1, 160), like = ag_model_times(&m, 3, 160);
  assert_true(near(ag_times_ns(&slow, 320, 320), 8400, 200));
  assert_true(ag_times_ns(&like, 320, 320) > 0);
}

/* Of two batches any form could be true. */
static void forms_need_three(void **s) {
  (void)s;
  struct ag_device_model m = {0};
  struct ag_measured_batch b = {
      .units = 65, .items = 65, .longest = 2.27, .chains = 65, .fill = 1000, .ns = 3018};
  ag_model_device(&m, &b);
  b = (struct ag_measured_batch){.units = 1, .items = 0.77, .chains = 1, .fill = 1000, .ns = 976};
  ag_model_device(&m, &b);
  assert_int_equal(m.times.form, AG_FORM_FULL);
}

/* How full the device has to be is found out. */
static void forms_are_found(void **s) {
  (void)s;
  for (enum ag_batch_form f = 0; f < AG_N_FORMS; ++f) {
    struct ag_device_model m = {0};
    struct ag_batch_times truth = {.launch_ns = 5000, .item_ns = 50, .fill = 160, .form = f};
    for (int i = 0; i < 40; ++i) {
      double n = 1 + (i * 37) % 400;
      struct ag_measured_batch b = {.units = n,
                                    .items = 3 * n,
                                    .chains = n,
                                    .fill = 160,
                                    .ns = ag_times_ns(&truth, n, 3 * n) * (i % 2 ? 1.01 : 0.99),
                                    .host_ns = 1000 + 20 * n};
      ag_model_device(&m, &b);
    }
    assert_int_equal(m.times.form, f);
    for (int n = 1; n < 1000; n *= 2)
      assert_true(near(ag_times_ns(&m.times, n, 3 * n) / ag_times_ns(&truth, n, 3 * n), 1, 0.05));
    assert_true(near(ag_host_ns(&m.host, 100), 3000, 30));
  }
}

/* Where CPUs are to do all no policy is asked; whoever submits looks into it again when a quarter more waits,
 * each of several threads its part of that. */
static void cpus_do_all(void **state) {
  (void)state;
  static const struct ag_batch_policy nobody = {.name = "nobody"};
  static const struct {
    uint64_t left;
    unsigned active;
    uint64_t patience;
  } cases[] = {{0, 1, 8}, {100, 1, 25}, {1600, 1, 400}, {1600, 4, 100}, {1600, 50, 8}, {10000000, 0, 4096}};
  struct ag_batch_state none = {0};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct ag_batch_view v = {
        .event = AG_ON_SUBMIT, .for_cpus = cases[i].left, .active = cases[i].active, .now_ns = 1};
    struct ag_batch_decision d = ag_batch_ask(&nobody, &(struct ag_batch_choice){0}, &none, &v);
    assert_int_equal(d.units, 0);
    assert_true(d.of_waiting);
    assert_int_equal(d.patience, cases[i].patience);
  }
  for (uint64_t gap = 1; gap <= 16; gap *= 16) { /* 10 us later at the earliest */
    struct ag_batch_state state_of = {0};
    ag_gaps_learn(&state_of.gaps, gap, 100);
    struct ag_batch_view v = {.event = AG_ON_SUBMIT, .for_cpus = 100, .active = 1, .now_ns = 1};
    struct ag_batch_decision d = ag_batch_ask(&nobody, &(struct ag_batch_choice){0}, &state_of, &v);
    uint64_t units = 10000 / ag_gaps_quantile(&state_of.gaps, 0.5);
    assert_int_equal(d.patience, units < 4096 ? units : 4096);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cpus_do_all),
      cmocka_unit_test(occupancy_by_hand),
      cmocka_unit_test(items_by_hand),
      cmocka_unit_test(auto_split_by_hand),
      cmocka_unit_test(launches_by_hand),
      cmocka_unit_test(empty_blocks_are_filled),
      cmocka_unit_test(transfers_are_counted),
      cmocka_unit_test(who_submits_comes_back),
      cmocka_unit_test(who_submits_may_come_back),
      cmocka_unit_test(commits_count),
      cmocka_unit_test(pauses_are_foreseen),
      cmocka_unit_test(empty_blocks_by_hand),
      cmocka_unit_test(loaded_cpus_by_hand),
      cmocka_unit_test(long_units_by_hand),
      cmocka_unit_test(one_unit_by_hand),
      cmocka_unit_test(worth_by_hand),
      cmocka_unit_test(devices_of_one_kind),
      cmocka_unit_test(devices_learn_together),
      cmocka_unit_test(forms_need_three),
      cmocka_unit_test(forms_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
