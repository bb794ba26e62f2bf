/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What AGGLOM_BATCH=auto promises: when it launches, how much, and that it does in the end. */
#include "batch_views.h"

#include <math.h>

/* --- It launches in the end ------------------------------------------------------------------------------
 */

/* Nobody else submits, and the thread waits or has nothing else to do: all goes, whatever is expected. */
static void who_waits_gets_all(void **s) {
  (void)s;
  static const enum ag_batch_event ends[] = {AG_ON_WAIT, AG_ON_NOTHING, AG_ON_QUIET};
  for (int i = 0; i < 3; ++i)
    for (unsigned in_flight = 0; in_flight < 4; ++in_flight) {
      struct ag_batch_state state = step_of(10, 1000, 10);
      struct ag_batch_view v = some(ends[i], 10, in_flight * 1e5);
      v.in_flight = in_flight;
      v.lookers = 0;
      assert_int_equal(launched(&state, &v), 10);
      state = (struct ag_batch_state){.arrivals = 10, .oldest_ns = NOW, .last_ns = NOW};
      assert_int_equal(launched(&state, &v), 10);
    }
}

/* A thread that waits does not speak for the others that submit to the same FIFOs; a quiet FIFO does. */
static void others_still_submit(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(10, 1000, 10);
  struct ag_batch_view v = some(AG_ON_WAIT, 10, 0);
  v.others = true;
  v.device.launch_ns = 1e6;
  assert_int_equal(launched(&state, &v), 0);
  v.event = AG_ON_QUIET;
  assert_int_equal(launched(&state, &v), 10);
}

/* A device that has much to do gets its next batch later: CPUs may take some meanwhile. Not if nobody will
 * look again. */
static void busy_devices_get_it_later(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  static const enum ag_batch_event events[] = {AG_ON_LOOK, AG_ON_NO_HIGH, AG_ON_WAIT, AG_ON_NOTHING};
  state.phase.begun = 1000;
  for (int i = 0; i < 4; ++i) {
    struct ag_batch_view v = some(events[i], 1000, 1e6);
    assert_int_equal(launched(&state, &v), 0);
    v.free_ns[0] = 10000;
    assert_int_equal(launched(&state, &v), 1000);
  }
}

/* So early that it is on the device when that is through: staged and sent. */
static void transfers_are_hidden(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_LOOK, 1000, 50000);
  state.phase.begun = 1000;
  assert_int_equal(launched(&state, &v), 0);
  v.in.unit_ns = 40;
  assert_int_equal(launched(&state, &v), 1000);
  v.in.unit_ns = 0;
  v.host.unit_ns = 40;
  assert_int_equal(launched(&state, &v), 1000);
}

/* Of what needs much memory the first launch takes 8 MB, to know; and it is waited for. */
static void first_launches_move_little(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(1000, 2000, 10);
  struct ag_batch_view v = some(AG_ON_WAIT, 1000, 0);
  v.lookers = 0;
  v.device.item_ns = 0;
  v.slot_bytes = 128e6;
  v.filled = 0.05;
  assert_int_equal(launched(&state, &v), 1000);
  v.filled = 0.125;
  assert_int_equal(launched(&state, &v), 500);
  v.full = true;
  v.filled = 2;
  assert_int_equal(launched(&state, &v), 31);
  v.filled = 1e6;
  assert_int_equal(launched(&state, &v), 1);
  v.in_flight = 1;
  assert_int_equal(launched(&state, &v), 0);
  v.filled = 0; /* full of as many as one launch is to have */
  assert_int_equal(launched(&state, &v), 1000);
  v.in_flight = 0;
  v.filled = 2;
  v.slot_bytes = 1e6; /* a small one is taken whole */
  assert_int_equal(launched(&state, &v), 500);
}

/* As long as nothing is measured the devices that are idle share what waits; while more comes each gets what
 * fills it at least; and none gets much more than tells how long it takes. */
static void first_launches_leave_some(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(10, 100000, 10);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 0);
  v.device.item_ns = 0;
  v.others = true;
  v.devices = v.idle = 4;
  v.fill = 100;
  struct ag_batch_decision d = decided(&state, &v);
  assert_int_equal(d.units, 250);
  assert_int_equal(d.most, 250); /* what comes meanwhile is for the others */
  v.waiting = 200;
  assert_int_equal(launched(&state, &v), 100);
  v.waiting = 99; /* not enough yet */
  assert_int_equal(launched(&state, &v), 0);
  v.waiting = 10000;
  assert_int_equal(launched(&state, &v), 400);
  v.idle = v.devices = 1;
  assert_int_equal(launched(&state, &v), 400);
  v.fill = 0;
  assert_int_equal(launched(&state, &v), 10000);
  v.event = AG_ON_WAIT; /* and no more comes */
  v.others = false;
  v.lookers = 0;
  v.devices = v.idle = 4;
  v.fill = 100;
  v.waiting = 200;
  assert_int_equal(launched(&state, &v), 50);
}

/* A launch cannot take more: they go, whatever else may come. */
static void full_launches_go(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(10, 1000, 10);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 10, 1e6);
  v.full = true;
  struct ag_batch_decision d = decided(&state, &v);
  assert_int_equal(d.units, 10);
  assert_int_equal(d.reason, AG_REASON_FULL);
  assert_int_equal(d.most, 0);
  v.for_cpus = 5; /* what comes is shared out anew, */
  assert_int_equal(decided(&state, &v).most, 10);
  v = some(AG_ON_SUBMIT, 4000, 0);
  v.full = true;
  v.devices = v.idle = 4; /* and each device gets its part */
  state = (struct ag_batch_state){.arrivals = 4000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  state.phase.begun = 4000;
  d = decided(&state, &v);
  assert_int_equal(d.units, 1000);
  assert_int_equal(d.most, 1000);
}

/* Of 160 blocks, all of which take as long as one: 55 units go where 150 more come, for two launches are
 * needed anyhow. Where CPUs get three of five a single one is enough, and it waits for the others. */
static void what_comes_is_shared_out(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(150, 300, 100);
  struct ag_batch_view v = some(AG_ON_LOOK, 55, 0);
  v.host.launch_ns = v.device.launch_ns = 10000;
  v.fill = 160;
  v.device = (struct ag_batch_times){10000, 500, 160, AG_FORM_WAVES};
  assert_int_equal(launched(&state, &v), 55);
  v.for_cpus = 95;
  assert_int_equal(launched(&state, &v), 0);
}

/* What was measured may be nonsense: what somebody waits for goes, and no more than there is. */
static void nonsense_holds_nothing_up(void **s) {
  (void)s;
  static const double odd[] = {0, NAN, INFINITY, 1e300, 5e-324};
  for (unsigned i = 0; i < 5 * 5 * 5 * 5; ++i) {
    struct ag_batch_state state = {.arrivals = 100, .oldest_ns = NOW, .last_ns = NOW};
    struct ag_batch_view v = some(AG_ON_WAIT, 100, 0);
    v.items = odd[i % 5];
    v.longest = odd[i / 5 % 5];
    v.device.launch_ns = v.host.unit_ns = odd[i / 25 % 5];
    v.device.item_ns = i % 2 ? odd[i / 125 % 5] : 10;
    v.device.fill = i % 3 ? 64 : 0;
    v.fill = i % 3 ? 64 : 0;
    v.device.form = (enum ag_batch_form)(i % AG_N_FORMS);
    v.devices = v.idle = 1 + i % 4;
    v.lookers = 0;
    uint64_t n = launched(&state, &v);
    assert_in_range(n, 1, 100);
    state = step_of(100, 1000, 10);
    state.phase.gap_ns = odd[i % 5];
    state.timed = i % 2 ? 100 : 0;
    n = launched(&state, &v);
    assert_in_range(n, 1, 100);
  }
}

/* --- Now or later ----------------------------------------------------------------------------------------
 */

/* The rest comes in less time than a launch takes: all is done sooner if it goes along. If it takes long to
 * come, what is there has been launched before the last one comes. */
static void what_comes_soon_is_waited_for(void **s) {
  (void)s;
  struct ag_batch_state soon = step_of(1000, 1010, 10);
  struct ag_batch_view v = some(AG_ON_LOOK, 1000, 0);
  assert_int_equal(launched(&soon, &v), 0);
  uint64_t come = 1000, n = 0;
  for (; come < 1010 && !n; come += !n) {
    struct ag_batch_state late = step_of(come, 1010, 10000);
    v.waiting = come;
    v.items = (double)come;
    n = launched(&late, &v);
  }
  assert_int_equal(n, come);
  assert_true(come < 1010);
}

/* Nothing has come for twice as long as the whole step took before: it comes no more. */
static void late_units_are_given_up(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(100, 1100, 1);
  struct ag_batch_view v = some(AG_ON_LOOK, 100, 0);
  v.device.launch_ns = 1e5;
  assert_int_equal(launched(&state, &v), 0);
  v.now_ns = NOW + 1000; /* more than a few gaps, but less than a launch would take of the thread */
  assert_int_equal(launched(&state, &v), 0);
  v.now_ns = NOW + 3000;
  assert_int_equal(launched(&state, &v), 100);
}

/* Of the first step nobody knows how long it is: as many are expected as have come, until none comes. */
static void the_first_step(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100, .timed = 100, .oldest_ns = NOW - 10000, .last_ns = NOW};
  state.phase.first = 1;
  state.phase.first_ns = NOW - 10000;
  ag_gaps_learn(&state.gaps, 100, 100);
  struct ag_batch_view v = some(AG_ON_LOOK, 100, 0);
  v.device.launch_ns = 1e6;
  assert_int_equal(launched(&state, &v), 0);
  v.now_ns = NOW + 1000; /* more than a few gaps, but less than a launch would take of the thread */
  assert_int_equal(launched(&state, &v), 0);
  v.now_ns = NOW + 3000;
  assert_int_equal(launched(&state, &v), 100);
}

/* All of a step have come: they go at once, also behind what the device has, if that is soon through. */
static void complete_steps_go(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(100, 100, 10);
  struct ag_batch_view v = some(AG_ON_LOOK, 100, 0);
  state.phase.exact = true;
  assert_int_equal(launched(&state, &v), 100);
  v.event = AG_ON_WHOLE;
  assert_int_equal(launched(&state, &v), 100);
  v.free_ns[0] = 5000;
  v.in_flight = 1;
  assert_int_equal(launched(&state, &v), 100);
}

/* A unit that takes longer than the rest of the step needs to come goes before that; not if there is one like
 * it among the rest, which would take as long again. */
static void long_units_go_first(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(30, 1030, 10000);
  struct ag_batch_view v = some(AG_ON_LOOK, 30, 0);
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 10, .fill = 64, .form = AG_FORM_FULL};
  v.longest = 50000; /* 32 ms, and the others come in 10 */
  ag_longest_learn(&v.usual, 1000, 50000);
  assert_int_equal(launched(&state, &v), 0);
  v.usual = (struct ag_longest){0};
  ag_longest_learn(&v.usual, 1000, 100);
  assert_int_equal(launched(&state, &v), 30);
}

/* Units come about as fast as the device runs them: it does not wait for the end of the step. */
static void no_waiting_at_full_load(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(698, 2333, 1613);
  struct ag_batch_view v = some(AG_ON_LOOK, 131, 0);
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 13000, .item_ns = 1583, .fill = 64, .form = AG_FORM_WAVES};
  assert_int_equal(launched(&state, &v), 128); /* two whole waves */
}

/* Whoever submits leaves launches for a busy device to threads that have time. */
static void others_launch(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 100000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 5000);
  state.phase.begun = 1000;
  assert_int_equal(launched(&state, &v), 0);
  v.lookers = 0;
  assert_int_equal(launched(&state, &v), 1000);
}

/* --- How much --------------------------------------------------------------------------------------------
 */

/* Nothing more comes: each idle device gets its part, if threads have time to launch for all of them. */
static void idle_devices_share(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 4000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 4000, 0);
  state.phase.begun = 4000;
  v.devices = v.idle = 4;
  v.lookers = 3;
  assert_int_equal(launched(&state, &v), 1000);
  v.free_ns[2] = v.free_ns[3] = 1e9; /* two of them have other things to do */
  v.idle = 2;
  assert_int_equal(launched(&state, &v), 2000);
  v.devices = v.idle = 1;
  assert_int_equal(launched(&state, &v), 4000);
}

/* A little is not worth a launch on each. */
static void little_goes_to_one(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 10, 0);
  state.phase.begun = 10;
  v.devices = v.idle = 4;
  v.lookers = 0;
  assert_int_equal(launched(&state, &v), 10);
}

/* Staging takes as long as running: an idle device gets some first, so that the others are staged while it
 * runs. */
static void staging_goes_on_beside(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 10000, 0);
  state.phase.begun = 10000;
  assert_int_equal(launched(&state, &v), 10000);
  v.host.unit_ns = 10;
  assert_in_range(launched(&state, &v), 1, 5000);
}

/* What joins a batch that is staged is what nobody else could have. */
static void batches_grow(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 1000, 0);
  state.phase.begun = 1000;
  assert_int_equal(decided(&state, &v).most, 0); /* as many as come */
  v.for_cpus = 100;                              /* what comes is shared out anew */
  assert_int_equal(decided(&state, &v).most, 1000);
  v.for_cpus = 0;
  v.devices = v.idle = 2;
  struct ag_batch_decision d = decided(&state, &v);
  assert_int_equal(d.most, d.units);
}

/* --- As long as nothing is known -------------------------------------------------------------------------
 */

/* So many units wait for a device of which nothing is known but that it runs 64 at a time. */
static struct ag_batch_view unknown(uint64_t waiting) {
  struct ag_batch_view v = some(AG_ON_LOOK, waiting, 0);
  v.device = (struct ag_batch_times){0};
  v.fill = 64;
  v.others = true;
  return v;
}

/* Units that fill the device go, others when they have waited for a while; and a second batch when the first
 * one has told what it takes. */
static void unknown_devices(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(10, 1000, 1000);
  struct ag_batch_view v = unknown(10);
  state.oldest_ns = NOW - 1000;
  assert_int_equal(launched(&state, &v), 0);
  state.oldest_ns = NOW - 100000;
  assert_int_equal(launched(&state, &v), 10);
  v.in_flight = 1;
  assert_int_equal(launched(&state, &v), 0);
  v.event = AG_ON_QUIET;
  assert_int_equal(launched(&state, &v), 10);
  v = unknown(64);
  state.oldest_ns = NOW - 1000;
  assert_int_equal(launched(&state, &v), 64);
}

/* Nor is more waited for where whoever submits has paused, and nothing has come since. */
static void nothing_comes_in_a_pause(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(10, 0, 0);
  struct ag_batch_view v = unknown(10);
  assert_int_equal(launched(&state, &v), 0);
  ag_batch_pause(&state);
  assert_int_equal(launched(&state, &v), 10);
}

/* Each device gets some when nothing more comes. */
static void unknown_devices_share(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100, .oldest_ns = NOW, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 100, 0);
  v.device = (struct ag_batch_times){0};
  v.devices = v.idle = 4;
  assert_int_equal(launched(&state, &v), 25);
}

/* --- Steps -------------------------------------------------------------------------------------------------
 */

/* As many as in the step before are all only if that one, too, had as many as the one before it. */
static void steps_that_are_alike_end(void **s) {
  (void)s;
  struct ag_batch_state b = step_of(100, 100, 10);
  b.phase.exact = true;
  assert_true(ag_batch_until_whole(&b, 100) <= 0);
  b.phase.exact = false;
  assert_true(ag_batch_until_whole(&b, 100) > 0);
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
      cmocka_unit_test(who_waits_gets_all),
      cmocka_unit_test(others_still_submit),
      cmocka_unit_test(busy_devices_get_it_later),
      cmocka_unit_test(transfers_are_hidden),
      cmocka_unit_test(first_launches_move_little),
      cmocka_unit_test(first_launches_leave_some),
      cmocka_unit_test(full_launches_go),
      cmocka_unit_test(what_comes_is_shared_out),
      cmocka_unit_test(nonsense_holds_nothing_up),
      cmocka_unit_test(what_comes_soon_is_waited_for),
      cmocka_unit_test(late_units_are_given_up),
      cmocka_unit_test(the_first_step),
      cmocka_unit_test(complete_steps_go),
      cmocka_unit_test(long_units_go_first),
      cmocka_unit_test(no_waiting_at_full_load),
      cmocka_unit_test(others_launch),
      cmocka_unit_test(idle_devices_share),
      cmocka_unit_test(little_goes_to_one),
      cmocka_unit_test(staging_goes_on_beside),
      cmocka_unit_test(batches_grow),
      cmocka_unit_test(unknown_devices),
      cmocka_unit_test(nothing_comes_in_a_pause),
      cmocka_unit_test(unknown_devices_share),
      cmocka_unit_test(steps_that_are_alike_end),
      cmocka_unit_test(steps_that_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
