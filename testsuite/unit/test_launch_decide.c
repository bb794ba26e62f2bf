/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is decided of a launch, of facts alone: what waits, what policies are shown of devices, what is left
 * to CPUs, and what joins while a batch is staged. */
#include "policy/launch/decide.h"
#include "policy/launch/join.h"
#include "policy/launch/view.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Units of streams cost as much as those in FIFOs do in the mean; who submits counts with all it has. */
static void what_waits(void **state) {
  (void)state;
  struct ag_waiting all = {0};
  ag_waiting_add(&all,
                 &(struct ag_fifo_facts){
                     .units = 3, .arrivals = 7, .cost = 30, .longest = 20, .active = true, .own = true});
  assert_int_equal(all.active, 1);
  assert_false(all.others);
  ag_waiting_add(&all,
                 &(struct ag_fifo_facts){
                     .units = 1, .streamed = 4, .arrivals = 9, .cost = 10, .longest = 10, .active = true});
  ag_waiting_add(&all, &(struct ag_fifo_facts){.units = 2, .arrivals = 2, .cost = 20, .longest = 10});
  ag_waiting_complete(&all);
  assert_int_equal(all.units, 10);
  assert_int_equal(all.streamed, 4);
  assert_int_equal(all.arrivals, 18);
  assert_int_equal(all.active, 2);
  assert_true(all.others && all.cost == 100 && all.longest == 20);
  struct ag_waiting streams = {.units = 5, .streamed = 5}; /* of which nobody knows what they cost */
  ag_waiting_complete(&streams);
  assert_true(streams.cost == 5);
  struct ag_waiting one = ag_waiting_of_one(&(struct ag_fifo_facts){.units = 3, .arrivals = 3, .cost = 6});
  assert_true(one.active == 1 && !one.others && one.cost == 6);
}

static struct ag_model model;
static struct ag_device_facts devices[2];

static struct ag_launch_facts facts(int next) {
  model = (struct ag_model){.cpu_ns = 100, .cpu_spent = 8000};
  model.device[0].times = (struct ag_batch_times){1000, 2, 64, AG_FORM_FULL};
  model.device[1].times = (struct ag_batch_times){3000, 4, 64, AG_FORM_FULL};
  model.device[1].host = (struct ag_host_times){50, 1};
  model.device[1].commit = (struct ag_host_times){70, 3};
  devices[0] = (struct ag_device_facts){.usable = true, .taken = 2, .known = true, .left_ns = 700};
  devices[1] = (struct ag_device_facts){.usable = true};
  return (struct ag_launch_facts){
      .device = devices, .devices = 2, .next = next, .fill = 64, .model = &model, .cpus = 4};
}

/* Of the device that would get the batch, and of all. */
static void what_is_shown(void **state) {
  (void)state;
  struct ag_launch_facts f = facts(0);
  struct ag_batch_view v = {0};
  ag_launch_show(&v, false, &f);
  assert_true(v.devices == 0 && v.fill == 0 && v.host.launch_ns == 0); /* not timed: nothing of devices */
  ag_launch_show(&v, true, &f);
  assert_true(v.in_flight == 2 && v.idle == 1 && v.devices == 2);
  assert_true(v.free_ns[0] == 0 && v.free_ns[1] == 700);
  f = facts(1);
  ag_launch_show(&v, true, &f);
  assert_true(v.in_flight == 0 && v.free_ns[1] == 700 && v.fill == 64 && v.host.launch_ns == 50);
  struct ag_split_view split = ag_launch_split_view(8, 80, &f);
  assert_true(split.host.launch_ns == 50 && split.commit.launch_ns == 70 && split.commit.unit_ns == 3);
  f = facts(-1);
  v = (struct ag_batch_view){.waiting = 3, .filled = 0.5};
  ag_launch_show_waiting(&v, &(struct ag_waiting){.units = 3}, 1); /* two more, elsewhere */
  assert_true(v.filled == 1.5);
  ag_launch_show_waiting(&v, &(struct ag_waiting){.units = 3}, 0);
  assert_true(v.filled == 1.5);
  ag_launch_show(&v, true, &f);
  assert_true(v.devices == 0 && v.fill == 0 && v.waiting == 3);
}

/* Each batch that fails doubles what CPUs spend before a device is tried again. */
static void failures_count(void **state) {
  (void)state;
  for (unsigned failed = 0; failed < 100; ++failed) {
    struct ag_launch_facts f = facts(1);
    f.failed = failed;
    struct ag_split_view v = ag_launch_split_view(10, 100, &f);
    assert_true(v.spent_ns == ldexp(8000, failed < 62 ? -(int)failed : -62));
    assert_true(v.cpu_ns == 100 && v.idle == 1 && v.devices == 2 && v.units == 10 && v.items == 100);
  }
  struct ag_launch_facts f = facts(-1);
  assert_true(ag_launch_split_view(10, 100, &f).cpu_ns == 0); /* no device: nothing to share */
}

/* As many units as make up the part, and no more than a CPU takes at once. */
static void fronts(void **state) {
  (void)state;
  struct ag_front none = {.items = 0}, some = {.items = 25}, all = {.items = INFINITY};
  assert_false(ag_front_takes(&none, 1));
  while (ag_front_takes(&some, 10))
    ;
  assert_true(some.n == 3 && some.cost == 30);
  while (ag_front_takes(&all, 10))
    ;
  assert_int_equal(all.n, AG_CPU_MOST);
}

static struct ag_sizes alike(uint64_t n) {
  struct ag_sizes sizes = {0};
  ag_sizes_add_alike(&sizes, n, 10);
  return sizes;
}

/* A launch leaves all to CPUs only when some CPU takes any now: else nobody might. */
static void not_all_is_left(void **state) {
  (void)state;
  for (int taken = 0; taken < 2; ++taken) {
    struct ag_sizes sizes = alike(8);
    struct ag_launch_facts f = facts(1);
    struct ag_split_view split = ag_launch_split_view(8, 80, &f);
    split.sizes = &sizes;
    split.load.ready = 1;
    split.cpu_ns = 1e-3; /* far sooner on CPUs than any launch is made */
    struct ag_batch_view view = {.waiting = 8, .items = 80, .full = true, .filled = 2};
    struct ag_decided d = ag_launch_undecided();
    ag_launch_leave(&d, &view, &split, &sizes, 8, taken);
    assert_int_equal(view.full, !taken);
    assert_true(view.filled == (taken ? 0 : 2));
    assert_int_equal(view.waiting, taken ? 0 : 8);
    assert_int_equal(view.for_cpus, taken ? 8 : 0);
    assert_int_equal(d.for_cpus, taken ? 8 : 0);
    assert_int_equal(ag_sizes_in_front(&sizes, d.front), taken ? 8 : 0);
    assert_false(d.unknown);
  }
}

/* What is left for devices may fit into one launch: 10 - k = k. */
static void what_is_left_may_fit(void **state) {
  (void)state;
  static const struct {
    double filled;
    uint64_t most;
    bool full;
  } cases[] = {{1.5, 0, false}, {2.5, 0, true}, {0, 6, false}, {0, 5, true}};
  struct ag_sizes sizes = alike(10);
  struct ag_launch_facts f = facts(1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct ag_split_view split = ag_launch_split_view(10, 100, &f);
    split.sizes = &sizes;
    split.load = (struct ag_split_cpus){.ready = 1};
    split.cpu_ns = 100e3;
    split.device = (struct ag_batch_times){.item_ns = 100e3};
    split.host = split.commit = split.in = split.out = (struct ag_host_times){0};
    struct ag_batch_view view = {
        .waiting = 10, .items = 100, .full = true, .filled = cases[i].filled, .most = cases[i].most};
    struct ag_decided d = ag_launch_undecided();
    ag_launch_leave(&d, &view, &split, &sizes, 10, false);
    assert_int_equal(view.waiting, 5);
    assert_int_equal(view.full, cases[i].full);
    assert_true(view.filled >= 0.499 * cases[i].filled && view.filled <= 0.501 * cases[i].filled);
  }
}

/* What joins a batch of which nobody knows what it takes would wait for nobody knows how long. */
static void unknown_batches_do_not_grow(void **state) {
  (void)state;
  struct ag_batch_view view = {.waiting = 10, .in_flight = 1};
  for (int unknown = 0; unknown < 2; ++unknown) {
    struct ag_decided d = {.unknown = unknown, .batch = {.units = 6, .most = 100}};
    ag_launch_conclude(&d, &view, 12);
    assert_int_equal(d.batch.most, unknown ? 6 : 100);
    assert_true(d.rest && d.in_flight && d.waiting == 12);
    d.batch.units = 10;
    ag_launch_conclude(&d, &view, 12);
    assert_false(d.rest);
  }
}

static void joins(void **state) {
  (void)state;
  static const struct ag_batch_policy grows = {.grows = true}, fixed = {.grows = false};
  struct ag_join_facts f = {.units = 10, .most = 100, .busy = true, .own = 4, .come = 3, .others = 6};
  assert_true(ag_join_wanted(&grows, &f));
  assert_false(ag_join_wanted(&fixed, &f));
  f.others = 5; /* as many again: staging them costs as much as has been done */
  assert_false(ag_join_wanted(&grows, &f));
  f.come = 5; /* those that have come stand in the FIFO, or follow units of the batch */
  assert_true(ag_join_wanted(&grows, &f));
  f.come = 0;
  f.own = 7;
  assert_true(ag_join_wanted(&grows, &f));
  f.for_cpus = 3; /* these do not join */
  assert_false(ag_join_wanted(&grows, &f));
  f.for_cpus = 8;
  assert_false(ag_join_wanted(&grows, &f));
  f.come = 5;
  assert_true(ag_join_wanted(&grows, &f));
  f.busy = false;
  assert_false(ag_join_wanted(&grows, &f));
  f.busy = f.shared_out = true;
  assert_false(ag_join_wanted(&grows, &f));
  f.shared_out = false;
  f.most = 10;
  assert_false(ag_join_wanted(&grows, &f));
}

int main(void) {
  const struct CMUnitTest cases[] = {cmocka_unit_test(what_waits),
                                     cmocka_unit_test(what_is_shown),
                                     cmocka_unit_test(failures_count),
                                     cmocka_unit_test(fronts),
                                     cmocka_unit_test(not_all_is_left),
                                     cmocka_unit_test(what_is_left_may_fit),
                                     cmocka_unit_test(unknown_batches_do_not_grow),
                                     cmocka_unit_test(joins)};
  return cmocka_run_group_tests(cases, NULL, NULL);
}
