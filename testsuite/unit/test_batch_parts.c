/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AGGLOM_BATCH=auto: how many of the units that wait a launch takes. */
#include "batch_views.h"

/* Units of equal cost wait, of the first step, for devices of which nothing but the fill is known. */
static struct ag_batch_view first_ones(uint64_t waiting, unsigned devices) {
  struct ag_batch_view v = some(AG_ON_LOOK, waiting, 0);
  v.device = (struct ag_batch_times){0};
  v.devices = v.idle = devices;
  v.fill = 64;
  v.longest = 1;
  return v;
}

/* While more are to come the first batch is a whole number of fills. If a unit is so long that the others are
 * done before it all go. */
static void first_batches_are_whole(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 70, .oldest_ns = NOW - 60000, .last_ns = NOW};
  struct ag_batch_view v = first_ones(70, 1);
  assert_int_equal(launched(&state, &v), 64);
  v.longest = 2;
  assert_int_equal(launched(&state, &v), 70);
  v.longest = 1;
  v.event = AG_ON_WAIT;
  assert_int_equal(launched(&state, &v), 70);
  v = first_ones(63, 1);
  assert_int_equal(launched(&state, &v), 63);
}

/* What waits behind first batches is shared by all devices, a fill for each at least. */
static void second_batches_are_shared(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 600, .oldest_ns = NOW - 60000, .last_ns = NOW};
  struct ag_batch_view v = first_ones(4 * 64 + 10, 4);
  v.in_flight = 1;
  v.idle = 0;
  assert_int_equal(launched(&state, &v), 64);
  v.waiting = 8 * 64 + 10;
  v.items = (double)v.waiting;
  assert_int_equal(launched(&state, &v), 2 * 64);
  v.devices = 1;
  assert_int_equal(launched(&state, &v), 8 * 64);
}

/* An idle device gets so many that it need not wait long for their staging: whole fills, as the rest follows.
 */
static void parts_are_whole(void **s) {
  (void)s;
  struct ag_batch_state state = {.last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 1000, 0);
  v.host = (struct ag_host_times){1000, 10};
  v.device.launch_ns = 800;
  assert_int_equal(launched(&state, &v), 424); /* the root of 1000 (800 + 1000) / 10 */
  v.fill = 100;
  v.device = (struct ag_batch_times){800, 10, 100, AG_FORM_WAVES};
  assert_int_equal(launched(&state, &v), 400);
}

/* Blocks of an idle device are filled with units that another one would get otherwise: one thread stages all
 * of them anyway, but two would stage at the same time. */
static void staged_anyway(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 200, .oldest_ns = NOW - 60000, .last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 200, 0);
  state.phase.begun = 200;
  v.devices = v.idle = 2;
  v.fill = 64;
  v.host = (struct ag_host_times){100, 30};
  v.device = (struct ag_batch_times){1000, 10, 64, AG_FORM_FULL};
  v.lookers = 0;
  assert_int_equal(launched(&state, &v), 2 * 64);
  v.lookers = 1;
  assert_in_range(launched(&state, &v), 84, 86); /* the root of 200 (1000 + 100) / 30 */
}

/* Staging takes longer than all that it would save, and nobody knows how many blocks there are: at least one
 * goes, or they would wait for ever. */
static void one_goes_at_least(void **s) {
  (void)s;
  struct ag_batch_state state = {.last_ns = NOW};
  struct ag_batch_view v = some(AG_ON_WAIT, 100, 0);
  v.host = (struct ag_host_times){0, 1e6};
  v.device.launch_ns = 0;
  assert_int_equal(launched(&state, &v), 1);
  v.devices = 2;
  v.in_flight = 1;
  v.idle = 0;
  v.busy_ns = 40e3;
  v.all_busy_ns = 40e3;
  assert_int_equal(launched(&state, &v), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_batches_are_whole), cmocka_unit_test(second_batches_are_shared),
      cmocka_unit_test(parts_are_whole),         cmocka_unit_test(one_goes_at_least),
      cmocka_unit_test(staged_anyway),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
