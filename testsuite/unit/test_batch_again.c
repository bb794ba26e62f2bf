/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AGGLOM_BATCH=auto: when whoever submits asks again. */
#include "batch_views.h"

static uint64_t patience(const struct ag_batch_state *state, const struct ag_batch_view *view) {
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_decision d = ag_batch_auto.decide(&c, state, view);
  assert_int_equal(d.units, 0);
  return d.patience;
}

/* With the last unit of the step, if not before. */
static void asked_at_the_end_of_a_step(void **s) {
  (void)s;
  struct ag_batch_state state = step_of(100, 103, 1);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 100, 0);
  assert_int_equal(patience(&state, &v), 3);
}

/* Units grow old, and are worth a launch then; but not behind two batches, so that is no reason to ask. */
static void age_is_no_reason_behind_two_batches(void **s) {
  (void)s;
  struct ag_batch_state young = {.arrivals = 400, .oldest_ns = NOW - 100, .last_ns = NOW};
  ag_gaps_learn(&young.gaps, 100, 100);
  struct ag_batch_state old = young;
  old.oldest_ns = NOW - 4000;
  struct ag_batch_view v = some(AG_ON_SUBMIT, 400, 1e6);
  v.device.launch_ns = 100000;
  v.host.launch_ns = 10000;
  v.lookers = 0;
  assert_true(patience(&old, &v) < patience(&young, &v));
  v.in_flight = 2;
  assert_int_equal(patience(&old, &v), patience(&young, &v));
}

/* Whoever submits asks again when the answer may be another one. */
static void asked_when_it_matters(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state step = step_of(1000, 3000, 1);
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1000, 0);
  ag_gaps_learn(&step.gaps, 3000, 100);
  uint64_t gap = ag_gaps_quantile(&step.gaps, 0.5);
  v.lookers = 0;
  v.host.launch_ns = 1e6; /* the rest comes in no time */
  assert_int_equal(patience(&step, &v), 2000);
  step.oldest_ns = NOW - 100000000;
  v.host.launch_ns = v.device.launch_ns = 500; /* 1900 of the 3000 go at once */
  step.phase.gap_ns = 32;
  assert_int_equal(patience(&step, &v), 900 / 8); /* an eighth of what there is still room for */
  struct ag_batch_state none = {.arrivals = 1600, .oldest_ns = NOW - 100000000, .last_ns = NOW};
  ag_gaps_learn(&none.gaps, 3000, 100);
  v = some(AG_ON_SUBMIT, 1600, 1000);
  v.device = (struct ag_batch_times){0}; /* there is no room, and nobody knows until when */
  v.in_flight = 2;
  assert_int_equal(patience(&none, &v), (uint64_t)(100e3 / (double)gap)); /* others come */
  v.lookers = 0;
  assert_int_equal(patience(&none, &v), 100);
  v = some(AG_ON_SUBMIT, 1600, 0);
  v.lookers = 0;
  none.oldest_ns = NOW - 1;
  v.host.launch_ns = 1199000;
  v.device.item_ns = 40000; /* 19 * 30 are worth it */
  v.items = 570 - 30;
  v.waiting = 54;
  assert_int_equal(patience(&none, &v), 8); /* 3 of those */
  v.items = 54;
  assert_int_equal(patience(&none, &v), 570 - 54);
  v.full = true; /* all go; but no slot may be free */
  assert_int_equal(ag_batch_auto.decide(&c, &none, &v).patience, AG_ASK_AGAIN);
}

/* However many units wait: whoever submits leaves a device that is busy to others that have time. */
static void who_submits_leaves_it_to_others(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state state = {.arrivals = 100000, .oldest_ns = NOW - 100000000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 1, 10000);
  ag_gaps_learn(&state.gaps, 1000, 100);
  v.in_flight = 1;
  v.lookers = 1;
  assert_true(ag_batch_auto.for_others(&v));
  for (v.waiting = 1; v.waiting < 100000; v.waiting *= 3) {
    v.items = (double)v.waiting;
    assert_int_equal(ag_batch_auto.decide(&c, &state, &v).units, 0);
  }
  struct ag_batch_view other[] = {v, v, v, v, v, v};
  other[0].event = AG_ON_NO_HIGH;
  other[1].full = true;
  other[2].lookers = 0;
  other[3].in_flight = 0;
  other[4].device = (struct ag_batch_times){0};
  other[5].busy_ns = 0;
  for (int i = 0; i < 6; ++i)
    assert_false(ag_batch_auto.for_others(&other[i]));
}

/* A device that has two batches, but not for long. */
static void asked_before_there_is_room(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 16000, .oldest_ns = NOW - 10000000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_SUBMIT, 16000, 10000);
  ag_gaps_learn(&state.gaps, 1000, 100);
  v.lookers = 0;
  v.in_flight = 2;
  v.device.launch_ns = 1e6;
  assert_int_equal(patience(&state, &v), ag_batch_least_patience(&state));
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
      cmocka_unit_test(age_is_no_reason_behind_two_batches),
      cmocka_unit_test(asked_when_it_matters),
      cmocka_unit_test(who_submits_leaves_it_to_others),
      cmocka_unit_test(asked_before_there_is_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
