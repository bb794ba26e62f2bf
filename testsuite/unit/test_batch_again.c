/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AGGLOM_BATCH=auto: when whoever submits asks again. */
#include "batch_views.h"

static uint64_t patience(const struct ag_batch_state *state, const struct ag_batch_view *view) {
  struct ag_batch_decision d = decided(state, view);
  assert_int_equal(d.units, 0);
  return d.patience;
}

/* With the last unit of the step, if not before. */
static void asked_at_the_end_of_a_step(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(100, 103, 1);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 100, 0);
  v.lookers = 0; /* a launch puts them off */
  assert_int_equal(patience(&state, &v), 3);
}

/* Units that come every few ns are not asked about every few units: that would take longer than to submit
 * them. Nor is it put off for ever. */
static void asking_takes_time(void **s) {
  (void)s;
  static const uint64_t gaps[] = {4, 16, 250, 1000, 100000};
  for (int i = 0; i < 5; ++i) {
    struct ag_batch_state state = step_of(1000, 100000, 1);
    struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 0);
    ag_gaps_learn(&state.gaps, gaps[i], 100);
    v.lookers = 0;
    v.device.launch_ns = 1e6; /* so that it pays to wait */
    uint64_t units = 10000 / ag_gaps_quantile(&state.gaps, 0.5);
    assert_int_equal(ag_batch_least_patience(&state), units < 8 ? 8 : units);
    assert_in_range(patience(&state, &v), units < 8 ? 8 : units, AG_ASK_LATEST);
  }
}

/* Of a device with much to do it is asked again before that is through, by the pace at which units come. */
static void asked_before_the_device_is_idle(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(1000, 100000, 1000);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 100, 200000);
  ag_gaps_learn(&state.gaps, 1000, 100);
  uint64_t gap = ag_gaps_quantile(&state.gaps, 0.5);
  v.lookers = 0;
  assert_in_range(patience(&state, &v), 170000 / gap, 200000 / gap);
  v.lookers = 1; /* that launches, if it stays */
  assert_int_equal(patience(&state, &v), 200000 / gap);
  v.free_ns[0] = 10; /* in a moment; but whether somebody has time is looked into now and then only */
  assert_int_equal(patience(&state, &v), 50000 / gap);
}

/* All go, but no slot may be free: then it is not asked with each unit. */
static void asked_again_if_there_was_no_room(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 1000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 0);
  v.full = true;
  struct ag_batch_decision d = decided(&state, &v);
  assert_int_equal(d.units, 1000);
  assert_int_equal(d.patience, AG_ASK_AGAIN);
}

/* However many units wait: whoever submits leaves a device that is busy to others that have time. */
static void who_submits_leaves_it_to_others(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 100000, .oldest_ns = NOW - 100000000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1, 10000);
  ag_gaps_learn(&state.gaps, 1000, 100);
  v.in_flight = 1;
  v.lookers = 1;
  assert_true(ag_batch_auto.for_others(&v));
  for (v.waiting = 1; v.waiting < 100000; v.waiting *= 3) {
    v.items = (double)v.waiting;
    assert_int_equal(launched(&state, &v), 0);
  }
  struct ag_batch_view other[] = {v, v, v, v, v, v};
  other[0].event = AG_ON_NO_HIGH;
  other[1].full = true;
  other[2].lookers = 0;
  other[3].in_flight = 0;
  other[4].device = (struct ag_batch_times){0};
  other[5].free_ns[0] = 0;
  for (int i = 0; i < 6; ++i)
    assert_false(ag_batch_auto.for_others(&other[i]));
}

static struct ag_batch_decision said;

static struct ag_batch_decision say(const struct ag_batch_choice *choice, const struct ag_batch_state *state,
                                    const struct ag_batch_view *view) {
  (void)choice, (void)state, (void)view;
  return said;
}

/* Threads that have time, or run units of high priority, believe for 10 us that the policy wants nothing, if
 * it has just said so. */
static void others_have_asked(void **state) {
  (void)state;
  struct ag_batch_policy p = {.name = "said", .decide = say, .timed = true, .common = true};
  const struct ag_batch_choice c = {0};
  const uint64_t then = 1000000;
  for (enum ag_batch_event event = 0; event < AG_N_BATCH_EVENTS; ++event)
    for (uint64_t units = 0; units < 2; ++units) {
      struct ag_batch_state s = {0};
      struct ag_batch_view v = {.event = event, .waiting = 10, .now_ns = then};
      bool again =
          event == AG_ON_LOOK || event == AG_ON_NO_HIGH || event == AG_ON_BURST || event == AG_ON_WHOLE;
      bool holds = !units && again;
      said = (struct ag_batch_decision){.units = units};
      assert_false(ag_batch_asked(&p, &s, event, then));
      ag_batch_ask(&p, &c, &s, &v);
      assert_true(ag_batch_asked(&p, &s, event, then + 9999) == holds);
      assert_false(ag_batch_asked(&p, &s, event, then + 10000));
      assert_false(ag_batch_asked(&p, &s, event == AG_ON_LOOK ? AG_ON_NO_HIGH : AG_ON_LOOK, then));
      p.timed = false;
      assert_false(ag_batch_asked(&p, &s, event, then));
      p = (struct ag_batch_policy){.name = "said", .decide = say, .timed = true};
      assert_false(ag_batch_asked(&p, &s, event, then));
      p.common = true;
      said.units = 1; /* now it wants something */
      ag_batch_ask(&p, &c, &s, &v);
      assert_false(ag_batch_asked(&p, &s, event, then));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_have_asked),
      cmocka_unit_test(asked_at_the_end_of_a_step),
      cmocka_unit_test(asking_takes_time),
      cmocka_unit_test(asked_before_the_device_is_idle),
      cmocka_unit_test(asked_again_if_there_was_no_room),
      cmocka_unit_test(who_submits_leaves_it_to_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
