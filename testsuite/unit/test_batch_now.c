/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AGGLOM_BATCH=auto: whether it is time to launch, by what is to come, who has time, and what the device has.
 */
#include "batch_views.h"

/* --- What is to come ----------------------------------------------------------------------------------- */

/* As many as in the step before are all only if that one, too, had as many as the one before it. */
static void steps_that_are_alike_end(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(10, 10, 1);
  struct ag_batch_view v = some(AG_ON_LOOK, 10, 0);
  assert_int_equal(launched(&state, &v), 0);
  state.phase.exact = true;
  assert_int_equal(launched(&state, &v), 10);
}

/* The thread that submits the last one leaves the launch to others that have time. */
static void others_launch_what_is_complete(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(1000, 1000, 1);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 0);
  state.phase.exact = true;
  assert_int_equal(launched(&state, &v), 0);
  v.event = AG_ON_LOOK;
  assert_int_equal(launched(&state, &v), 1000);
  v.event = AG_ON_SUBMIT;
  v.lookers = 0;
  assert_int_equal(launched(&state, &v), 1000);
}

/* Nor does one with better things to do, which finds that all have come; else it launches as if it had
 * submitted the last one, also where others submit. */
static void whole_steps_as_if_submitted(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(1000, 1000, 1);
  struct ag_batch_view v = some(AG_ON_WHOLE, 1000, 0);
  state.phase.exact = true;
  for (int others = 0; others < 2; ++others) {
    v.others = others;
    v.lookers = 1;
    assert_int_equal(launched(&state, &v), 0);
    v.lookers = 0;
    assert_int_equal(launched(&state, &v), 1000);
  }
}

/* What is late is waited for until twice the time has passed in which it came before. */
static void late_units_are_given_up(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(1000, 1010, 10);
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 1000, 0);
  v.lookers = 0;
  v.active = 1;
  state.phase.first_ns = NOW - 15000;
  assert_int_equal(launched(&state, &v), 0);
  state.phase.first_ns = NOW - 25000;
  assert_int_equal(launched(&state, &v), 1000);
}

/* A thread that has nothing at all to do does not wait for what it would have to submit itself. */
static void nothing_comes_from_nothing(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(1000, 2000, 1);
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 1000, 0);
  v.lookers = 0;
  v.device.launch_ns = 10000;
  assert_int_equal(launched(&state, &v), 0);
  v.event = AG_ON_NOTHING;
  assert_int_equal(launched(&state, &v), 1000);
}

/* Where no thread has time: however little follows, it takes a launch of its own. */
static void the_rest_takes_a_launch(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(1000, 1500, 1);
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 1000, 0);
  v.lookers = 0;
  v.device.launch_ns = 0;
  v.host.launch_ns = 10000;
  assert_int_equal(launched(&state, &v), 0);
  v.host.launch_ns = 1000;
  assert_int_equal(launched(&state, &v), 1000);
}

/* What follows a launch now goes to other devices, too. What follows a later one is not taken to: they would
 * have nothing to do until then. */
static void others_help_now(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(10000, 100000, 1);
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 10000, 0);
  v.lookers = 0;
  v.device.launch_ns = 100000;
  assert_int_equal(launched(&state, &v), 0);
  v.devices = 4;
  assert_int_equal(launched(&state, &v), 10000);
}

/* What follows goes to another device if that has nothing to do; else it would be a batch of its own behind
 * this one. */
static void others_take_a_part_of_what_follows(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(100, 900, 6.6);
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 100, 0);
  v.lookers = 0;
  v.host.launch_ns = 0;
  v.device = (struct ag_batch_times){.launch_ns = 1500, .item_ns = 30};
  v.devices = 2;
  assert_int_equal(launched(&state, &v), 100);
  v.all_busy_ns = 30000;
  assert_int_equal(launched(&state, &v), 0);
}

/* Of a device that runs its first batch nothing is known: the next one waits for what that tells, unless it
 * fills the device several times; and so does an old unit, as long as others look after it. */
static void the_first_batch_tells(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 255, .oldest_ns = NOW - 100000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 255, 1);
  v.device = (struct ag_batch_times){0};
  v.fill = 64;
  v.lookers = 0;
  assert_int_equal(launched(&state, &v), 0);
  v.waiting = 256;
  v.items = 256;
  assert_int_equal(launched(&state, &v), 256);
  v.waiting = 100;
  v.items = 100;
  state.oldest_ns = NOW - 3000000;
  assert_int_equal(launched(&state, &v), 0);
  v.lookers = 1;
  v.event = AG_ON_LOOK;
  state.last_ns = NOW - 3000000; /* quiet */
  assert_int_equal(launched(&state, &v), 0);
  v.event = AG_ON_WAIT;
  v.lookers = 0;
  assert_int_equal(launched(&state, &v), 100);
}

/* Who submits and has no help stops to launch the later, the less devices have to hurry for it. */
static void devices_that_keep_pace_wait(void **s) {
  (void)s;
  static const struct {
    uint64_t age_ns; /* of 1000 units, which take a device 10.5 us in good batches */
    unsigned devices;
    bool launched;
  } of[] = {{13125, 1, true}, {13125, 2, false}, {21000, 1, true}, {26250, 1, false}, {34000, 1, true}};
  for (unsigned i = 0; i < sizeof of / sizeof *of; ++i) {
    struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - of[i].age_ns, .last_ns = NOW};
    struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 0);
    v.lookers = 0;
    v.devices = v.idle = of[i].devices;
    assert_int_equal(launched(&state, &v) > 0, of[i].launched);
  }
}

/* A thread that has run units of high priority for long, and has more of them, is as busy as one that
 * submits, as long as others submit. */
static void who_has_better_things_to_do(void **s) {
  (void)s;
  for (enum ag_batch_event event = AG_ON_SUBMIT; event <= AG_ON_BURST; ++event) {
    struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 1000, .last_ns = NOW};
    struct ag_batch_view v = some(event, 10, 0);
    v.lookers = 0;
    v.others = true;
    v.active = 2;
    v.own = 10;
    v.device.launch_ns = 10; /* nothing is lost by a launch */
    assert_int_equal(launched(&state, &v) > 0, event == AG_ON_NO_HIGH);
    v.others = false;
    assert_int_equal(launched(&state, &v) > 0, event != AG_ON_SUBMIT);
  }
}

static uint64_t asked_after(const struct ag_batch_state *state, const struct ag_batch_view *view) {
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  return ag_batch_policy(c.rule)->decide(&c, state, view).patience;
}

/* Of several threads that do nothing but submit each launches in its turn: not the one that has less than its
 * share of what waits, as it has fallen behind. */
static void threads_launch_by_turns(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 0);
  ag_gaps_learn(&state.gaps, 10, 100);
  v.lookers = 0;
  v.others = true;
  v.active = 4;
  v.host.launch_ns = 20000;
  v.own = 199;
  v.submitted = 1000;
  assert_int_equal(launched(&state, &v), 0);
  v.own = 200;
  assert_true(launched(&state, &v));
  v.own = 199;
  v.submitted = 600; /* the others are of threads that submit no more, and none of these takes them */
  assert_true(launched(&state, &v));
  v.own = 119;
  assert_int_equal(launched(&state, &v), 0);
  state.oldest_ns = NOW - 2100000; /* the others may be busy with other things */
  assert_true(launched(&state, &v));
  state.oldest_ns = NOW - 1000000;
  v.submitted = 1000;
  v.own = 10;
  struct ag_batch_view many = v;
  many.items = (double)(many.waiting = many.submitted = 32000);
  assert_int_equal(asked_after(&state, &many), 625); /* soon, the first time in 10 us */
  v.event = AG_ON_WAIT;                              /* it falls behind with nothing */
  v.others = false;
  assert_true(launched(&state, &v));
  v.event = AG_ON_SUBMIT;
  v.others = true;
  v.active = 1; /* the others have nothing more to submit */
  assert_true(launched(&state, &v));
  v.active = 4;
  v.lookers = 1; /* somebody has time, and will stage the next one */
  assert_true(launched(&state, &v));
  v.lookers = 0;
  state.phase.begun = 1000; /* nobody has anything to fall behind with */
  assert_true(launched(&state, &v));
  state.phase.begun = 0;
  assert_int_equal(launched(&state, &v), 0);
  v.full = true;
  assert_true(launched(&state, &v));
  v.full = false;
  v.host.launch_ns = 5000; /* it takes longer until another one asks */
  assert_true(launched(&state, &v));
}

/* Old units go to a device that will soon be through, not to one that has something to do for long. */
static void old_units_go_when_that_helps(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 3000000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 10, 3000000);
  v.lookers = 0;
  v.host.launch_ns = 10000;
  ag_gaps_learn(&state.gaps, 1000, 10);
  assert_int_equal(launched(&state, &v), 0);
  v.busy_ns = 1000000;
  assert_int_equal(launched(&state, &v), 10);
}

/* The rest of the step comes in the time of a few launches: two threads can then stage a part for each
 * device, while one that launches now submits its last units after that. */
static void all_threads_stage_at_the_end(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(600, 1000, 10);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 600, 0);
  state.oldest_ns = NOW - 1000000;
  v.lookers = 0;
  v.host.launch_ns = 4500;
  v.device.item_ns = 20;
  v.devices = v.idle = 2;
  v.active = 2;
  assert_int_equal(launched(&state, &v), 0);
  v.device.launch_ns = 5000;
  v.host.launch_ns = 1010; /* four of these are longer than it takes until they have come, */
  assert_int_equal(launched(&state, &v), 0);
  v.host.launch_ns = 990; /* and of these not */
  assert_int_equal(launched(&state, &v), 300);
  v.host.launch_ns = 2100;
  v.device = (struct ag_batch_times){.launch_ns = 200, .item_ns = 10};
  v.host.launch_ns = 4500; /* one of both has more to submit than to stage */
  assert_int_equal(launched(&state, &v), 500);
  v.host.launch_ns = 2100;
  v.active = 1; /* nobody else stages, and no such launch is as long */
  v.device.item_ns = 100;
  assert_int_equal(launched(&state, &v), 300);
}

/* Devices have blocks for all units of the step at a time: a launch now would end no sooner than one of all,
 * and hold up a thread that submits, be it long until all have come. One of more units than blocks is not so.
 */
static void blocks_for_the_whole_step(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(600, 3600, 10);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 600, 0);
  state.oldest_ns = NOW - 1000000;
  v.lookers = 0;
  v.host.launch_ns = 500; /* 60 of these until all have come */
  v.fill = 1000;
  v.longest = 1;
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 100, .fill = 1000, .form = AG_FORM_FULL};
  v.devices = v.idle = v.active = 4;
  v.own = v.submitted = 600;
  assert_int_equal(launched(&state, &v), 0);
  state.phase.units = 4000;
  assert_int_equal(launched(&state, &v), 0);
  state.phase.units = 8000; /* two on each device end sooner if one begins now */
  assert_int_equal(launched(&state, &v), 600);
  state.phase.units = 3600;
  v.event = AG_ON_LOOK; /* who has time holds up nobody */
  v.others = true;
  assert_int_equal(launched(&state, &v), 600);
}

/* That is all that waits and comes; where there are more, or somebody has time who would launch them, four
 * launches are waited for at most. Nobody waits for long for what does not come. */
static void more_units_than_blocks(void **s) {
  (void)s;
  struct ag_batch_view v = some(AG_ON_SUBMIT, 768, 0);
  v.lookers = 0;
  v.host.launch_ns = 500;
  v.fill = 1000;
  v.longest = 1;
  v.device = (struct ag_batch_times){.launch_ns = 2000, .item_ns = 400, .fill = 1000, .form = AG_FORM_FULL};
  v.devices = v.idle = v.active = 4;
  v.own = v.submitted = 768;
  struct ag_batch_state state = step_of(768, 4463, 44);
  state.oldest_ns = NOW - 1000000;
  assert_int_equal(launched(&state, &v), 768);
  state.phase.units = 4000;
  assert_int_equal(launched(&state, &v), 0);
  state.phase.first_ns = NOW - 4000 * 44 * 3;
  assert_int_equal(launched(&state, &v), 768); /* the others are overdue */

  v = some(AG_ON_LOOK, 11, 0);
  v.lookers = 0;
  v.host.launch_ns = 1000;
  v.fill = 1000;
  v.longest = 1;
  v.device = (struct ag_batch_times){.launch_ns = 5000, .item_ns = 160, .fill = 1000, .form = AG_FORM_FULL};
  v.devices = v.idle = v.active = 4;
  v.own = v.submitted = 11;
  v.others = true;
  state = step_of(11, 3601, 17);
  state.oldest_ns = NOW - 1000000;
  assert_int_equal(launched(&state, &v), 11);
  v.event = AG_ON_SUBMIT;
  assert_int_equal(launched(&state, &v), 0);
}

/* Most of the step is still to come, and two devices get batches by turns, where no thread has time that
 * would launch for the one that is through. Near the end this one gets its part. */
static void devices_by_turns(void **s) {
  (void)s;
  static const struct {
    bool help;
    double item_ns, launch_ns;
    uint64_t units;
  } of[] = {{false, 30, 1000, 0}, {true, 10, 1000, 0}, {false, 90, 5000, 50}};
  for (unsigned i = 0; i < sizeof of / sizeof *of; ++i) {
    struct ag_batch_state state = step_of(100, 2000, 10);
    struct ag_batch_view v = some(of[i].help ? AG_ON_LOOK : AG_ON_SUBMIT, 100, 0);
    state.oldest_ns = NOW - 1000000;
    v.lookers = of[i].help;
    v.host.launch_ns = 100;
    v.device = (struct ag_batch_times){.launch_ns = of[i].launch_ns, .item_ns = of[i].item_ns};
    v.devices = v.idle = v.active = 2;
    v.own = v.submitted = 100;
    assert_int_equal(launched(&state, &v), of[i].units);
  }
}

/* --- Who has time -------------------------------------------------------------------------------------- */

/* A thread that submits leaves young units to those that look every 100 us. */
static void others_come_soon(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10000, .oldest_ns = NOW - 50000, .last_ns = NOW};
  for (uint64_t waiting = 1000; waiting <= 10000;
       waiting += 9000) { /* worth a launch many times over or not */
    struct ag_batch_view v = some(AG_ON_SUBMIT, waiting, 0);
    assert_int_equal(launched(&state, &v), 0);
    v.lookers = 0;
    assert_true(launched(&state, &v));
  }
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 0);
  state.oldest_ns = NOW - 150000;
  assert_int_equal(launched(&state, &v), 1000);
}

/* Who waits launches behind whatever the device has, unless CPUs with time may take the units until then. */
static void nobody_takes_them(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 100, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 1000, 1e6);
  v.in_flight = 2;
  assert_int_equal(launched(&state, &v), 0);
  v.lookers = 0;
  assert_int_equal(launched(&state, &v), 1000);
}

/* Nothing has come for 10 ms: it does not matter that other threads submit elsewhere. */
static void old_ones_go_though_others_submit(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 100, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_QUIET, 10, 0);
  v.others = true;
  assert_int_equal(launched(&state, &v), 10);
  v.event = AG_ON_WAIT;
  assert_int_equal(launched(&state, &v), 0);
}

/* --- What is usual ------------------------------------------------------------------------------------- */

/* It is quiet when nothing has come for 4 times what 9 of 10 gaps stay below, not half of them. */
static void one_long_gap_is_not_quiet(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 80000, .last_ns = NOW - 30000};
  struct ag_batch_view v = some(AG_ON_LOOK, 10, 0);
  v.device.launch_ns = 1e6; /* so that it pays to wait */
  for (int i = 0; i < 10; ++i)
    ag_gaps_learn(&state.gaps, i < 8 ? 10 : 10000, 1);
  assert_int_equal(launched(&state, &v), 0);
  state.last_ns = NOW - 70000;
  assert_int_equal(launched(&state, &v), 10);
}

/* And in any case when nothing has come for 2 ms. */
static void two_ms_are_quiet(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 3000000, .last_ns = NOW - 1500000};
  struct ag_batch_view v = some(AG_ON_WAIT, 10, 40000);
  v.others = true;
  v.in_flight = 2;
  ag_gaps_learn(&state.gaps, 1000000, 100);
  assert_int_equal(launched(&state, &v), 0); /* they submit, and the device has enough to do */
  state.last_ns = NOW - 2500000;
  assert_int_equal(launched(&state, &v), 10);
}

/* --- What the device has ------------------------------------------------------------------------------- */

/* Nothing is known of it: units that fill it go, others when they have waited for 50 us, and a second batch
 * when the first one has told something. */
static void unknown_devices(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 64, .oldest_ns = NOW - 40000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_LOOK, 63, 0);
  v.device = (struct ag_batch_times){0};
  v.fill = 64;
  assert_int_equal(launched(&state, &v), 0);
  v.waiting = 64;
  assert_int_equal(launched(&state, &v), 64);
  v.waiting = 63;
  v.host = (struct ag_host_times){0};
  v.items = 63;
  state.oldest_ns = NOW - 50000;
  assert_int_equal(launched(&state, &v), 63);
  v.in_flight = 1;
  v.idle = 0;
  assert_int_equal(launched(&state, &v), 0);
}

/* Whole fills lose little, and the units that are over wait for others; but not when somebody waits, or no
 * others come. */
static void units_that_are_over(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100, .oldest_ns = NOW - 100, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_LOOK, 100, 0);
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 300, .item_ns = 10, .fill = 64, .form = AG_FORM_WAVES};
  assert_int_equal(launched(&state, &v), 64);
  v.event = AG_ON_WAIT;
  assert_int_equal(launched(&state, &v), 100);
  v.event = AG_ON_LOOK;
  state.phase.begun = 100;
  assert_int_equal(launched(&state, &v), 100);
}

/* Behind two batches only those go that lose little, however old they are; nor many from a thread that
 * submits, as long as the device has something to do. */
static void behind_two_batches(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 10, .oldest_ns = NOW - 3000000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 10, 1000);
  v.in_flight = 2;
  assert_int_equal(launched(&state, &v), 0);
  v.waiting = 1000;
  v.items = 1000;
  assert_int_equal(launched(&state, &v), 1000);
  state.oldest_ns = NOW - 100;
  v = some(AG_ON_SUBMIT, 4000, 1e6);
  v.lookers = 0;
  assert_int_equal(launched(&state, &v), 4000);
  v.in_flight = 2;
  assert_int_equal(launched(&state, &v), 0);
}

/* A busy device gets nothing yet when more is to come that may go along. */
static void more_may_go_along(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(10000, 20000, 1);
  struct ag_batch_view v = some(AG_ON_NO_HIGH, 10000, 1e6);
  v.lookers = 0;
  v.device.launch_ns = v.host.launch_ns = 0;
  assert_int_equal(launched(&state, &v), 0);
  state.phase.units = 0;
  assert_int_equal(launched(&state, &v), 10000);
}

/* A device that has nothing more to do before the thread that submits asks again gets its next batch now. */
static void before_it_is_asked_again(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(1000, 2000, 1);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 2000 + 9000); /* 2000 for the launch, and in 10000 */
  state.phase.gap_ns = 1000;
  state.oldest_ns = NOW - 1000000;
  v.lookers = 0;
  ag_gaps_learn(&state.gaps, 4, 100);
  assert_int_equal(launched(&state, &v), 1000);
  v.busy_ns = 2000 + 11000;
  assert_int_equal(launched(&state, &v), 0);
}

/* As long as the device has something to do, whoever submits leaves the launch to others that have time. */
static void others_launch_for_busy_devices(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .oldest_ns = NOW - 1000000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 1);
  assert_int_equal(launched(&state, &v), 0);
  v.event = AG_ON_LOOK;
  v.others = true;
  assert_int_equal(launched(&state, &v), 1000);
  v = some(AG_ON_SUBMIT, 1000, 0);
  assert_int_equal(launched(&state, &v), 1000);
}

/* A thread that does not submit launches, and puts nothing off by that, although no other one has time. */
static void launches_of_others_put_nothing_off(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(1000, 5000, 10);
  struct ag_batch_view v = some(AG_ON_LOOK, 1000, 0);
  v.host.launch_ns = 5000;
  v.lookers = 0;
  assert_int_equal(launched(&state, &v), 0);
  v.others = true;
  assert_int_equal(launched(&state, &v), 1000);
}

/* Each of several devices gets its part, and none of what is left to the others joins it while it is staged.
 */
static void parts_do_not_grow(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state state = {.arrivals = 4000, .oldest_ns = NOW - 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 4000, 0);
  v.devices = v.idle = 4;
  v.fill = 64;
  v.device = (struct ag_batch_times){.launch_ns = 1000, .item_ns = 10, .fill = 64, .form = AG_FORM_FULL};
  struct ag_batch_decision d = ag_batch_auto.decide(&c, &state, &v);
  assert_in_range(d.units, 1000, 1063);
  assert_int_equal(d.most, d.units);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_that_are_alike_end),
      cmocka_unit_test(others_launch_what_is_complete),
      cmocka_unit_test(whole_steps_as_if_submitted),
      cmocka_unit_test(late_units_are_given_up),
      cmocka_unit_test(nothing_comes_from_nothing),
      cmocka_unit_test(the_rest_takes_a_launch),
      cmocka_unit_test(others_help_now),
      cmocka_unit_test(others_take_a_part_of_what_follows),
      cmocka_unit_test(the_first_batch_tells),
      cmocka_unit_test(old_units_go_when_that_helps),
      cmocka_unit_test(all_threads_stage_at_the_end),
      cmocka_unit_test(blocks_for_the_whole_step),
      cmocka_unit_test(more_units_than_blocks),
      cmocka_unit_test(devices_by_turns),
      cmocka_unit_test(others_come_soon),
      cmocka_unit_test(nobody_takes_them),
      cmocka_unit_test(old_ones_go_though_others_submit),
      cmocka_unit_test(one_long_gap_is_not_quiet),
      cmocka_unit_test(two_ms_are_quiet),
      cmocka_unit_test(unknown_devices),
      cmocka_unit_test(units_that_are_over),
      cmocka_unit_test(behind_two_batches),
      cmocka_unit_test(more_may_go_along),
      cmocka_unit_test(others_launch_for_busy_devices),
      cmocka_unit_test(launches_of_others_put_nothing_off),
      cmocka_unit_test(before_it_is_asked_again),
      cmocka_unit_test(parts_do_not_grow),
      cmocka_unit_test(devices_that_keep_pace_wait),
      cmocka_unit_test(threads_launch_by_turns),
      cmocka_unit_test(who_has_better_things_to_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
