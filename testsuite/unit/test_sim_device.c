/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What agglom-sim tasks believes of its devices and threads, as the runtime would know it: until when they
 * are busy, and which have time. */
#include "tasks_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LAUNCH = 1000, ITEM = 10, KERNEL = 500 };

/* Of other parts of the simulator; nothing here needs them. */
void sim_map(const struct sim_tasks *r, const char *what, const char *where, unsigned number, double since,
             uint64_t units) {
  (void)r, (void)what, (void)where, (void)number, (void)since, (void)units;
}
void sim_thread_goes_on(struct sim_tasks *r, unsigned w) { (void)r, (void)w; }
void sim_chain_return(struct sim_tasks *r, struct sim_chain *c, const struct sim_chain *first) {
  (void)r, (void)c, (void)first;
}

/* A batch of no units that is said to be so many items. */
static struct sim_batch *batch(struct sim_tasks *r, double items) {
  struct sim_batch *b = sim_slot_take(r, 0);
  assert_non_null(b);
  b->units.items = items;
  sim_device_expect(r, b, false);
  return b;
}

/* Batches take KERNEL ns, whatever they were expected to: what was believed too much or too little is put
 * right with each that ends. */
static void belief_is_put_right(void **state) {
  (void)state;
  struct sim_task_machine m = {
      .devices = 1, .slots = 3, .speed = 1, .fill = 1, .saturated = 1, .blocks = 1, .launch_ns = KERNEL};
  struct sim_batch slots[3] = {{.used = false}};
  struct sim_device device = {.slot = slots};
  struct sim_tasks_result result = {.ns = 0};
  struct sim_tasks r = {.m = &m, .device = &device, .devices_left = 1, .result = &result};
  r.model.device[0].times = (struct ag_batch_times){LAUNCH, ITEM, 0, AG_FORM_LINE};
  assert_true(sim_heap_make(&r.clock, 4));
  struct sim_batch *a = batch(&r, 100), *b = batch(&r, 200);
  assert_true(device.believed_free == 2 * LAUNCH + 300 * ITEM);
  a->units.items = 150; /* it has grown */
  sim_device_launch(&r, a);
  assert_true(device.believed_free == 2 * LAUNCH + 350 * ITEM && device.since == 0);
  r.now = a->finish;
  assert_true(r.now == KERNEL);
  sim_device_finished(&r, 0);
  assert_true(device.believed_free == KERNEL + LAUNCH + 200 * ITEM && device.since == KERNEL);
  sim_slot_give(&r, a);
  r.now = 600;
  sim_device_launch(&r, b);
  assert_true(device.since == 600 && b->finish == 600 + KERNEL);
  r.now = b->finish;
  sim_device_finished(&r, 0);
  assert_true(device.believed_free == r.now);
  sim_slot_give(&r, b);
  r.now = 10000; /* it had nothing to do */
  a = batch(&r, 100);
  assert_true(device.believed_free == 10000 + LAUNCH + 100 * ITEM);
  b = batch(&r, 100);
  sim_device_launch(&r, a);
  assert_true(device.since == 10000);
  r.now = 10100;
  sim_device_launch(&r, b);
  assert_true(device.since == 10000);
  sim_heap_free(&r.clock);
}

/* A device that has nothing else to do begins when a batch is staged, and there. */
static void staging_comes_first(void **state) {
  (void)state;
  enum { HOST = 300, IN = 70 };
  struct sim_task_machine m = {
      .devices = 1, .slots = 3, .speed = 1, .fill = 1, .saturated = 1, .blocks = 1, .launch_ns = KERNEL};
  struct sim_batch slots[3] = {{.used = false}};
  struct sim_device device = {.slot = slots};
  struct sim_tasks_result result = {.ns = 0};
  struct sim_tasks r = {.m = &m, .device = &device, .devices_left = 1, .result = &result, .now = 50};
  r.model.device[0].times = (struct ag_batch_times){LAUNCH, ITEM, 1, AG_FORM_LINE};
  r.model.device[0].host = (struct ag_host_times){HOST, 1};
  r.model.device[0].in = (struct ag_host_times){IN, 0};
  assert_true(sim_heap_make(&r.clock, 4));
  struct sim_batch *a = sim_slot_take(&r, 0), *b = sim_slot_take(&r, 0);
  a->units.items = b->units.items = 100;
  sim_device_expect(&r, a, true);
  assert_true(device.since == 0); /* the other one may come first */
  sim_slot_give(&r, b);
  sim_device_expect(&r, a, true);
  assert_true(device.since == 50 + HOST + IN);
  b = sim_slot_take(&r, 0);
  b->units.items = 100;
  assert_true(device.believed_free == 50 + HOST + IN + LAUNCH + 100 * ITEM);
  r.now = 1000; /* that has taken longer */
  sim_device_launch(&r, a);
  assert_true(device.believed_free == 1000 + IN + LAUNCH + 100 * ITEM);
  assert_true(device.since == 1000 + IN);
  sim_device_expect(&r, b, true); /* while the other one runs */
  assert_true(device.believed_free == 1000 + IN + 2 * (LAUNCH + 100 * ITEM));
  assert_true(device.since == 1000 + IN);
  sim_heap_free(&r.clock);
}

/* Where transfers take longer than what they are for, the device does not take longer for the next batch: its
 * data only comes later, as it has to wait for that of others. */
static void copies_wait_for_one_another(void **state) {
  (void)state;
  enum { COPY = 2000, BACK = 300 };
  struct sim_task_machine m = {.devices = 1,
                               .slots = 3,
                               .speed = 1,
                               .fill = 1,
                               .saturated = 1,
                               .blocks = 1,
                               .launch_ns = KERNEL,
                               .bytes_in = COPY,
                               .bytes_out = BACK,
                               .bytes_per_ns = 1};
  struct sim_batch slots[3] = {{.used = false}};
  struct sim_device device = {.slot = slots};
  struct sim_tasks_result result = {.ns = 0};
  struct sim_tasks r = {.m = &m, .device = &device, .devices_left = 1, .result = &result, .now = 50};
  assert_true(sim_heap_make(&r.clock, 4));
  struct sim_batch *a = batch(&r, 1), *b = batch(&r, 1);
  sim_device_launch(&r, a);
  r.now = 70;
  sim_device_launch(&r, b);
  assert_true(a->finish == 50 + COPY + KERNEL + BACK && b->finish == a->finish + COPY);
  assert_true(b->in_ns == COPY && b->out_ns == BACK);
  assert_true(a->own_ns == KERNEL && b->own_ns == KERNEL);
  assert_true(a->service_ns == COPY + KERNEL + BACK &&
              b->service_ns == COPY); /* others had the device before */
  sim_heap_free(&r.clock);
}

/* A thread that looks after the units of others is not one of those that have time besides, though it was
 * idle until now. */
static void others_have_time(void **state) {
  (void)state;
  struct sim_task_machine m = {.cpus = 4};
  struct sim_thread threads[4] = {
      {.doing = SIM_IDLE}, {.doing = SIM_IDLE}, {.doing = SIM_RUNS}, {.doing = SIM_CPU_BATCH}};
  struct sim_tasks r = {.m = &m, .thread = threads, .idle = 2};
  assert_int_equal(sim_lookers(&r, 0), 2);
  assert_int_equal(sim_lookers(&r, 2), 3);
}

/* What ready units have to do, by what such took in the mean, or as long as is worth another thread's while.
 */
static void ready_units_are_counted(void **state) {
  (void)state;
  struct sim_task_machine m = {.cpus = 1};
  struct sim_thread thread = {.doing = SIM_IDLE};
  struct sim_tasks r = {.m = &m, .thread = &thread, .idle = 1, .ready_n = {[SIM_HIGH] = 3, [SIM_LOW] = 2}};
  struct ag_split_cpus load = sim_load(&r, 0, 0, false);
  assert_true(load.before_ns == 3 * AG_CPU_WORTH_NS && load.after_ns == 2 * AG_CPU_WORTH_NS);
  sim_task_took(&r, SIM_HIGH, 7000);
  sim_task_took(&r, SIM_LOW, 5000);
  load = sim_load(&r, 0, 0, false);
  assert_true(load.before_ns == 21000 && load.after_ns == 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(belief_is_put_right), cmocka_unit_test(staging_comes_first),
      cmocka_unit_test(copies_wait_for_one_another), cmocka_unit_test(others_have_time),
      cmocka_unit_test(ready_units_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
