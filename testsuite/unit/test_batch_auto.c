/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When AGGLOM_BATCH=auto launches: worked examples. */
#include "batch_views.h"

/* A busy device gets its next batch two launches before it is through; earlier by what the transfer takes. */
static void transfers_are_hidden(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_LOOK, 1000, 50000);
  assert_int_equal(launched(&state, &v), 0);
  v.in.unit_ns = 47;
  assert_int_equal(launched(&state, &v), 0);
  v.in.unit_ns = 49;
  assert_int_equal(launched(&state, &v), 1000);
  v.in.unit_ns = 0;
  v.busy_ns = 2000;
  assert_int_equal(launched(&state, &v), 1000);
}

/* A thread that has high-priority work for long asks now and then: that alone is no reason. */
static void bursts_do_not_cut_batches(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 100, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_BURST, 10, 0);
  assert_int_equal(launched(&state, &v), 0);
  state.oldest_ns = NOW - 500; /* half of what is lost */
  assert_int_equal(launched(&state, &v), 10);
}

/* A thread that waits, or has nothing more, does not speak for the others that submit to the same FIFOs. */
static void others_still_submit(void **s) {
  (void)s;
  static const enum ag_batch_event ends[] = {AG_ON_WAIT, AG_ON_NO_HIGH, AG_ON_NOTHING};
  struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 100, .last_ns = NOW - 100};
  ag_gaps_learn(&state.gaps, 10, 1);
  for (int i = 0; i < 3; ++i) {
    struct ag_batch_view v = some(ends[i], 10, 0);
    state.last_ns = NOW - 100;
    assert_int_equal(launched(&state, &v), 10);
    v.others = true;
    assert_int_equal(launched(&state, &v), 0);
    state.last_ns = NOW - 5000; /* they seem to have something else to do */
    assert_int_equal(launched(&state, &v), 10);
  }
}

/* Nothing will join them: so they go behind whatever the device has. */
static void complete_steps_do_not_wait_for_room(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 100, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 10, 40000);
  state.phase.begun = 10;
  v.in_flight = 2;
  assert_int_equal(launched(&state, &v), 10);
  v.busy_ns = 200000; /* CPUs may take them until then */
  assert_int_equal(launched(&state, &v), 0);
}

/* Units that take as long to stage as to run: an idle device gets some first, so that the others are staged
 * while it runs. */
static void staging_goes_on_beside(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10000, .oldest_ns = NOW - 100000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 10000, 0);
  v.device.launch_ns = 20000;
  v.host.launch_ns = 5000;
  assert_int_equal(launched(&state, &v), 10000);
  v.host.unit_ns = 10; /* n x 10 ns before it begins, 10000 / n x 25 us of launches: 5000 units */
  assert_in_range(launched(&state, &v), 5000, 5050);
  v.commit.unit_ns = 30; /* so long for each of the last batch when all have run */
  assert_in_range(launched(&state, &v), 2500, 2525);
  v.commit.unit_ns = 0;
  v.fill = 8000;
  v.device.fill = 8000;
  assert_int_equal(launched(&state, &v), 8000);
  v = some(AG_ON_WAIT, 10000, 85000);
  v.device.launch_ns = 20000;
  v.host.launch_ns = 5000;
  v.host.unit_ns = 10;
  assert_int_equal(launched(&state, &v), 8000); /* it is through when these are staged */
}

/* Not all to one device because nothing has come for a while. */
static void quiet_units_are_shared(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 5000, .oldest_ns = NOW - 9000000, .last_ns = NOW - 8000000};
  struct ag_batch_view v = some(AG_ON_LOOK, 5000, 1000);
  v.idle = 1;
  v.devices = 2;
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 100, .item_ns = 10, .fill = 64, .form = AG_FORM_WAVES};
  assert_int_equal(launched(&state, &v), 4 * 256);
}

/* All devices are busy, and nothing more comes: each gets its part, not the first one all. */
static void the_end_is_shared(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 8000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 8000, 1000);
  v.devices = 4;
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 10000, .item_ns = 10, .fill = 64, .form = AG_FORM_FULL};
  v.all_busy_ns = 4 * 1000;
  state.phase.begun = 8000;
  assert_int_equal(launched(&state, &v), 2000); /* 32 * 64 would not make it fewer launches */
  v.all_busy_ns = 1000 + 3 * 4000;              /* the others have more to do */
  assert_int_equal(launched(&state, &v), 2225);
  v.all_busy_ns = 1000 + 3 * 100000; /* they need it for longer than this one for all */
  assert_int_equal(launched(&state, &v), 8000);
  v.all_busy_ns = 4 * 1000;
  state.phase.units = 8000; /* of the next step nobody knows when it begins */
  state.phase.first_ns = NOW - 8000;
  state.phase.gap_ns = 1;
  assert_int_equal(launched(&state, &v), 2000);
  state.phase.units = 0;
  state.phase.begun = 7000; /* more is to come */
  assert_int_equal(launched(&state, &v), 8000);
  v.device.launch_ns = 1000; /* 1900 are enough, so there is enough for each */
  assert_int_equal(launched(&state, &v), 32 * 64);
}

/* A part of what waits is meant for units of the mean cost, and so is what a batch may grow to; what is all
 * there is goes whatever it costs. */
static void parts_are_of_the_cost(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state state = {.arrivals = 8000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 8000, 1000);
  v.devices = 4;
  v.fill = 64;
  v.items = 24000;
  v.device = (struct ag_batch_times){.launch_ns = 10000, .item_ns = 10, .fill = 64, .form = AG_FORM_FULL};
  v.all_busy_ns = 4 * 1000;
  state.phase.begun = 8000;
  struct ag_batch_decision d = ag_batch_policy(c.rule)->decide(&c, &state, &v);
  assert_true(d.units && d.units < 8000);
  assert_true(d.worth.unit > 2.999 && d.worth.unit < 3.001);
  assert_int_equal(d.worth.wave, 64);
  v = some(AG_ON_WAIT, 100, 0);
  d = ag_batch_policy(c.rule)->decide(&c, &state, &v);
  assert_int_equal(d.units, 100);
  assert_true(d.most > 100); /* dearer ones that join count for more */
  assert_true(d.worth.unit > 0.999 && d.worth.unit < 1.001);
  v.items = 1900; /* no room to grow */
  d = ag_batch_policy(c.rule)->decide(&c, &state, &v);
  assert_int_equal(d.units, 100);
  assert_true(d.worth.unit == 0);
}

/* All have come, and who has time stages them at once: an idle device gets its share besides a busy one,
 * though blocks of it stay empty. */
static void shares_below_a_fill(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 400, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 400, 0);
  state.phase.begun = 400;
  v.fill = 1000;
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 10, .fill = 1000, .form = AG_FORM_LINE};
  v.devices = 2;
  v.all_busy_ns = 2000; /* in which 200 of them are done */
  assert_int_equal(launched(&state, &v), 300);
  v.devices = 3;
  v.idle = 2;
  assert_int_equal(launched(&state, &v), 200);
  v.lookers = 0; /* it stages for one after the other, while the first one runs what it has */
  assert_int_equal(launched(&state, &v), 200);
  v.event = AG_ON_NO_HIGH; /* it has other things to do */
  assert_int_equal(launched(&state, &v), 400);
}

/* What is to come is cheaper than what waits, as it was in the step before: so a device's share of all is
 * less of what waits. */
static void shares_are_of_what_comes(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 1000, 0);
  v.devices = 2;
  v.items = 3000;
  state.phase.units = 2000;
  state.phase.first_ns = NOW - 1000;
  state.phase.gap_ns = 1;
  assert_int_equal(launched(&state, &v), 1000); /* half of 2000 */
  ag_outline_learn(&state.phase.last, 1000, 3000);
  ag_outline_learn(&state.phase.last, 2000, 4000);
  assert_in_range(launched(&state, &v), 660, 675); /* half of 4000 items, as far as places tell */
}

/* What fills the device four times is enough, not one unit more, which would take as long as a fill. */
static void enough_are_whole_fills(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 5000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 5000, 0);
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 100, .item_ns = 10, .fill = 64, .form = AG_FORM_WAVES};
  assert_int_equal(launched(&state, &v), 4 * 64);
  v.device.launch_ns = 1501; /* 19 times that are 2852 units and a part of one */
  assert_int_equal(launched(&state, &v), 5000);
  v.waiting = 6000;
  v.items = 6000;
  assert_int_equal(launched(&state, &v), 2852);
  v.items = 0; /* of units that cost nothing there are never too many */
  assert_int_equal(launched(&state, &v), 6000);
}

/* Nothing more comes that would want the other devices: they may as well lose some of their time. */
static void idle_devices_have_time_to_lose(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 512, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 512, 0);
  v.devices = v.idle = 4;
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 20000, .item_ns = 30, .fill = 64, .form = AG_FORM_FULL};
  assert_int_equal(launched(&state, &v), 512); /* 35 us; on two devices 28 each, 20 of these lost */
  state.phase.begun = 512;
  assert_int_equal(launched(&state, &v), 128);
}

/* The longest unit keeps a block busy when all others are empty: that is lost, so it is worth waiting for
 * more. */
static void long_units_wait(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_LOOK, 640, 0);
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 10, .fill = 64, .form = AG_FORM_FULL};
  assert_int_equal(launched(&state, &v), 640); /* 1 us of 7.4 is lost */
  v.longest = 100;
  assert_int_equal(launched(&state, &v), 0); /* 59 of 65 */
}

/* A long unit waits, and takes longer than the rest of the step needs to come. */
static struct ag_batch_view a_long_one(struct ag_batch_state *state) {
  *state = (struct ag_batch_state){.arrivals = 30, .oldest_ns = NOW - 2500000, .last_ns = NOW};
  state->phase.first_ns = NOW - 2500000;
  state->phase.units = 1030;
  state->phase.gap_ns = 10000;
  struct ag_batch_view v = some(AG_ON_LOOK, 30, 0);
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 10, .fill = 64, .form = AG_FORM_FULL};
  v.longest = 50000; /* 32 ms, and the others come in 10 */
  return v;
}

/* It is not put off for others that have no such unit among them. */
static void long_units_go_first(void **s) {
  (void)s;
  struct ag_batch_state state;
  struct ag_batch_view v = a_long_one(&state);
  ag_longest_learn(&v.usual, 1000, 50000); /* the next ones would wait for it, and take as long again */
  assert_int_equal(launched(&state, &v), 0);
  v.usual = (struct ag_longest){0};
  ag_longest_learn(&v.usual, 1000, 100);
  assert_int_equal(launched(&state, &v), 30);
}

/* What follows a launch may go to a device that is free before this one, but not in two halves: its longest
 * unit is in one of them. */
static void others_take_what_follows(void **s) {
  (void)s;
  struct ag_batch_state state;
  struct ag_batch_view v = a_long_one(&state);
  ag_longest_learn(&v.usual, 1000, 49000);
  v.devices = 2;
  v.all_busy_ns = 40e6;
  assert_int_equal(launched(&state, &v), 0);
  v.all_busy_ns = 5e6;
  assert_int_equal(launched(&state, &v), 30);
}

/* Units that come every few ns are not asked about every few units: that would take longer than to submit
 * them. */
static void asking_takes_time(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  static const uint64_t gaps[] = {4, 16, 250, 1000, 100000};
  for (int i = 0; i < 5; ++i) {
    struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000000000, .last_ns = NOW};
    struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 0);
    ag_gaps_learn(&state.gaps, gaps[i], 100);
    state.phase.first_ns = NOW - 1;
    state.phase.units = 100000;
    state.phase.gap_ns = 1;
    v.lookers = 0;
    v.device.launch_ns = 1e6; /* so that it pays to wait */
    struct ag_batch_decision d = ag_batch_auto.decide(&c, &state, &v);
    uint64_t units = 10000 / ag_gaps_quantile(&state.gaps, 0.5);
    assert_int_equal(d.units, 0);
    assert_int_equal(ag_batch_least_patience(&state), units < 8 ? 8 : units);
    assert_true(d.patience >= (units < 8 ? 8 : units) && d.patience <= AG_ASK_LATEST);
  }
}

/* Who submits while no other thread has time asks again when the device will soon need something. */
static void asks_before_the_device_is_idle(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 900000000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 100, 44000);
  ag_gaps_learn(&state.gaps, 1000, 100);
  state.phase.units = 100000;
  state.phase.gap_ns = 1000;
  v.device.launch_ns = 1e6;
  v.host.launch_ns = 2000; /* twice that before it is idle it gets the next batch */
  v.in_flight = 2;
  v.lookers = 0;
  uint64_t gap = ag_gaps_quantile(&state.gaps, 0.5);
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).patience, 40000 / gap);
  v.lookers = 1; /* that launches, if it stays */
  v.host.launch_ns = 5000;
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).patience, 50000 / gap);
  v.device = (struct ag_batch_times){0}; /* nobody knows when it will be: as often as others come */
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).patience, 100000 / gap);
}

/* A few units that are still to come, at once: nobody launches without them. */
static void the_last_ones_are_waited_for(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 100000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_LOOK, 1000, 0);
  state.phase.first_ns = NOW - 10000;
  state.phase.units = 1003;
  state.phase.gap_ns = 10; /* 30 of the 1000 ns of a launch */
  v.devices = v.idle = 4;
  assert_int_equal(launched(&state, &v), 0);
  state.phase.units = 1008;
  assert_int_not_equal(launched(&state, &v), 0);
}

/* What keeps one block busy for long goes with as much other work, and the others are not cut short for it.
 */
static void much_goes_with_long_units(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 20000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 20000, 0);
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 10, .item_ns = 10, .fill = 64, .form = AG_FORM_FULL};
  v.longest = 1;
  assert_in_range(launched(&state, &v), 4 * 64, 4 * 64 + 1);
  v.longest = 50;
  assert_in_range(launched(&state, &v), 100 * 64, 100 * 64 + 1);
}

/* A batch that is staged grows by what comes, but not by what other devices are to get of it. */
static void growing_batches_share(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 1000, 1000);
  state.phase.first_ns = NOW - 1000;
  state.phase.units = 4000;
  state.phase.gap_ns = 1;
  v.device.launch_ns = 10000;
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).most, 19000); /* enough */
  v.devices = 2;
  v.all_busy_ns = 2 * 1000;
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).most, 2000);
  v.all_busy_ns = 1000 + 3000;
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).most, 2100);
  v.devices = 8;
  v.all_busy_ns = 8 * 1000;
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).units, 500);
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).most, 500);
}

/* Nor for so long that staging it anew keeps the device waiting. */
static void growing_batches_are_in_time(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 1000, 0);
  state.phase.first_ns = NOW - 1000;
  state.phase.units = 10000;
  state.phase.gap_ns = 1;
  v.device.launch_ns = 20000;
  v.host = (struct ag_host_times){.launch_ns = 5000, .unit_ns = 10};
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).units, 1000);
  assert_in_range(ag_batch_auto.decide(&c, &state, &v).most, 5000, 5050); /* as above */
}

/* What comes is shared out anew where CPUs have been left some: it does not go to the batch. */
static void what_is_shared_out_does_not_join(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state state = {.arrivals = 200, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 100, 0);
  assert_true(ag_batch_auto.decide(&c, &state, &v).most > 100);
  v.for_cpus = 100;
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).units, 100);
  assert_int_equal(ag_batch_auto.decide(&c, &state, &v).most, 100);
}

/* Nor, while the device has nothing to do, for so long that staging it and copying it takes. */
static void batches_are_copied_in_time(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 10000, 0);
  state.phase.begun = 10000;
  v.device.launch_ns = 20000;
  v.host = (struct ag_host_times){.launch_ns = 5000, .unit_ns = 10};
  assert_in_range(launched(&state, &v), 5000, 5050); /* the root of 10000 * (20000 + 5000) / 10 */
  v.in.unit_ns = 30;
  assert_in_range(launched(&state, &v), 2500, 2525);
  v.in.unit_ns = 10;
  v.out.unit_ns = 20;
  assert_in_range(launched(&state, &v), 2500, 2525);
  v.out.unit_ns = 0;
  v.in.unit_ns = 30;
  v.lookers = 0;
  v.in_flight = 1;
  v.idle = 0;
  v.busy_ns = 5000 + 4000 * 40; /* 4000 are on the device when it is through */
  assert_int_equal(launched(&state, &v), 4000);
  v.in.launch_ns = 1000;
  v.busy_ns += 1000;
  assert_int_equal(launched(&state, &v), 4000);
}

/* One thread stages for each device in turn: 1000 m + 1000 + 4000 / m, and half of 1000 (m - 1) that is
 * wasted, are least for two of them; and where data of 16 ns a unit is sent to all at the same time, for
 * three. */
static void parts_are_sent_at_once(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 400, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 400, 0);
  v.devices = v.idle = 4;
  v.lookers = 0;
  v.active = 1;
  assert_int_equal(launched(&state, &v), 200);
  v.in.unit_ns = 16;
  assert_int_equal(launched(&state, &v), 134);
}

/* Where one thread stages for all devices it takes longer than one device needs for all; several do it at
 * the same time, if all have come: even what does not fill the devices. */
static void threads_with_time_stage_at_once(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 400, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 400, 0);
  v.devices = v.idle = 4;
  v.fill = 1000;
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 10, .fill = 1000, .form = AG_FORM_FULL};
  v.host.unit_ns = 10;
  state.phase.begun = 400;
  static const uint64_t units[] = {400, 200, 134, 100, 100};
  for (unsigned lookers = 0; lookers < 5; ++lookers) {
    v.lookers = lookers;
    assert_int_equal(launched(&state, &v), units[lookers]);
    v.lookers = 0;
    v.active = 1 + lookers; /* threads that submit have time when all has come */
    assert_int_equal(launched(&state, &v), units[lookers]);
    v.active = 0;
  }
  v.event = AG_ON_WAIT; /* one device runs its part while the next one is staged */
  assert_int_equal(launched(&state, &v), 100);
  v.event = AG_ON_NOTHING;
  assert_int_equal(launched(&state, &v), 100);
  v.event = AG_ON_WAIT;
  v.lookers = 4;
  v.host.unit_ns = 1; /* whole fills would take hardly longer, but that many do not wait */
  assert_int_equal(launched(&state, &v), 100);
  v.host.unit_ns = 10;
  state.phase.begun = 0;
  assert_int_equal(launched(&state, &v), 400); /* others may come that fill them */
  state.arrivals = state.phase.begun = v.waiting = 1200;
  v.items = 1200;
  assert_int_equal(launched(&state, &v), 300);
  v.host.unit_ns = 1; /* so that whole fills take no longer: one goes to one device */
  assert_int_equal(launched(&state, &v), 1000);
}

/* Units come about as fast as the device runs them: it does not wait for the end of the step. */
static void no_waiting_at_full_load(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 698, .oldest_ns = NOW - 200000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_LOOK, 131, 0);
  state.phase.first_ns = NOW - 1126000;
  state.phase.units = 2333;
  state.phase.gap_ns = 1613;
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 13000, .item_ns = 1583, .fill = 64, .form = AG_FORM_WAVES};
  assert_int_equal(launched(&state, &v), 128);
}

/* Where no thread has time each launch puts off what is still to be submitted: fewer, larger ones, but not
 * larger than is of use, and not where many threads share that. */
static void launches_put_off(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100, .oldest_ns = NOW - 100000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_BURST, 100, 0);
  state.phase.first_ns = NOW - 100000;
  state.phase.units = 8000;
  state.phase.gap_ns = 1000;
  assert_int_equal(launched(&state, &v), 100);
  v.lookers = false;
  v.active = 1;
  assert_int_equal(launched(&state, &v), 0);
  v.waiting = state.arrivals = 3800; /* the launch is a 20th of the batch, the thread's time included */
  v.items = 3800;
  state.phase.first_ns = NOW - 3800000;
  assert_int_equal(launched(&state, &v), 3800);
  v.commit.launch_ns = 1; /* that is the thread's, too */
  assert_int_equal(launched(&state, &v), 0);
  v.commit.launch_ns = 0;
  v.waiting = state.arrivals = 500; /* the device has as much to do as the threads */
  v.items = 500;
  v.host.launch_ns = 3000;
  state.phase.units = 1000;
  state.phase.gap_ns = 10;
  state.phase.first_ns = NOW - 5000;
  assert_int_equal(launched(&state, &v), 0);
  v.active = 4;
  assert_int_equal(launched(&state, &v), 500);
}

/* All is done when it is committed. The first of two batches is committed while the second one runs, which is
 * lost when all go together; and the longer that takes the fewer are to be in the last one. */
static void commits_count(void **s) {
  (void)s;
  static const struct {
    double unit_ns;
    uint64_t launched;
  } commits[] = {{0, 0}, {1, 500}, {4, 0}};
  struct ag_batch_state state = {.arrivals = 500, .oldest_ns = NOW - 750, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_LOOK, 500, 0);
  state.phase.first_ns = NOW - 750;
  state.phase.units = 1000;
  state.phase.gap_ns = 1.5;
  for (int i = 0; i < 3; ++i) {
    v.commit.unit_ns = commits[i].unit_ns;
    assert_int_equal(launched(&state, &v), commits[i].launched);
  }
}

/* A busy thread that nobody helps stages the units sooner or later: only the launch itself has to be worth
 * it. */
static void staging_is_no_reason_to_wait(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100, .oldest_ns = NOW - 40000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 100, 0);
  v.lookers = false;
  v.host.unit_ns = 100;
  assert_true(launched(&state, &v)); /* 1000 ns / 0.03 ago */
  state.oldest_ns = NOW - 30000;
  assert_int_equal(launched(&state, &v), 0);
  v.lookers = true;
  state.oldest_ns = NOW - 300000;
  assert_int_equal(launched(&state, &v), 0);
  state.oldest_ns = NOW - 400000; /* 11000 ns / 0.03 */
  assert_true(launched(&state, &v));
}

/* The second step is expected to be like the first. Steps that differ a little: as many as in the larger ones
 * are expected, and after a while fewer. */
static void steps_that_differ(void **s) {
  (void)s;
  static const uint64_t come[] = {100, 100, 108, 100, 100}, expected[] = {100, 100, 108, 106, 105};
  struct ag_batch_state b = {0};
  for (int i = 0; i < 5; ++i) {
    b.arrivals += come[i];
    ag_batch_tick(&b, b.arrivals, (uint64_t)(i + 1) * 1000);
    ag_batch_pause(&b);
    assert_int_equal(b.phase.units, expected[i]);
  }
  b.arrivals += 50; /* another step altogether */
  ag_batch_tick(&b, b.arrivals, 10000);
  ag_batch_pause(&b);
  assert_int_equal(b.phase.units, 0);
  assert_int_equal(b.phase.most, 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transfers_are_hidden),
      cmocka_unit_test(bursts_do_not_cut_batches),
      cmocka_unit_test(others_still_submit),
      cmocka_unit_test(complete_steps_do_not_wait_for_room),
      cmocka_unit_test(staging_goes_on_beside),
      cmocka_unit_test(quiet_units_are_shared),
      cmocka_unit_test(the_end_is_shared),
      cmocka_unit_test(parts_are_of_the_cost),
      cmocka_unit_test(shares_are_of_what_comes),
      cmocka_unit_test(idle_devices_have_time_to_lose),
      cmocka_unit_test(shares_below_a_fill),
      cmocka_unit_test(commits_count),
      cmocka_unit_test(long_units_wait),
      cmocka_unit_test(enough_are_whole_fills),
      cmocka_unit_test(much_goes_with_long_units),
      cmocka_unit_test(growing_batches_share),
      cmocka_unit_test(no_waiting_at_full_load),
      cmocka_unit_test(what_is_shared_out_does_not_join),
      cmocka_unit_test(batches_are_copied_in_time),
      cmocka_unit_test(parts_are_sent_at_once),
      cmocka_unit_test(threads_with_time_stage_at_once),
      cmocka_unit_test(growing_batches_are_in_time),
      cmocka_unit_test(the_last_ones_are_waited_for),
      cmocka_unit_test(asking_takes_time),
      cmocka_unit_test(asks_before_the_device_is_idle),
      cmocka_unit_test(steps_that_differ),
      cmocka_unit_test(launches_put_off),
      cmocka_unit_test(long_units_go_first),
      cmocka_unit_test(others_take_what_follows),
      cmocka_unit_test(staging_is_no_reason_to_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
