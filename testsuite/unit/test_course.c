/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When all is done, by the model of AGGLOM_BATCH=auto: by hand, and what holds whatever was measured. */
#include "batch_views.h"
#include "policy/batch/course.h"

#include <math.h>
#include <stdlib.h>

/* 100 units of 1 us each wait, and 300 are to come, one each us; a launch takes 10 us of the device. */
static struct ag_batch_view view_of(void) {
  struct ag_batch_view v = some(AG_ON_LOOK, 100, 0);
  v.device = (struct ag_batch_times){.launch_ns = 10, .item_ns = 1};
  v.host = (struct ag_host_times){0};
  return v;
}

/* So many wait, of 1 us each. */
static void let_wait(struct ag_batch_view *v, uint64_t units) {
  v->waiting = units;
  v->items = (double)units;
}

static struct ag_outlook outlook_of(const struct ag_batch_view *v) {
  struct ag_outlook o = {.view = v, .units = (double)v->waiting, .rest = 300, .gap_ns = 1};
  o.stagers = o.end_stagers = o.active = 1;
  ag_outlook_complete(&o);
  return o;
}

static double end_of(const struct ag_outlook *o, double units, double wait, bool puts_off) {
  struct ag_rhythm r = {units, wait, o->enough, puts_off};
  return ag_course_end_ns(o, &r, INFINITY);
}

static void assert_about(double ns, double expected) {
  assert_true(ns > expected * (1 - 1e-9) && ns < expected * (1 + 1e-9));
}

/* The example in course.c. */
static void by_hand(void **s) {
  (void)s;
  struct ag_batch_view v = view_of();
  struct ag_outlook o = outlook_of(&v);
  assert_about(end_of(&o, 100, 0, false), 300 + 200);
  assert_about(ag_course_late_ns(&o), 300 + 410);
  o.rest = 0;
  assert_about(end_of(&o, 100, 0, false), 110);
  assert_about(end_of(&o, 100, 50, false), 160);
  assert_about(end_of(&o, 50, 0, false), 60 + 60);
  v.free_ns[0] = 1000;
  assert_about(end_of(&o, 100, 0, false), 1110);
}

/* Transfers, staging and commits are before and after what the device does; the launch that follows is staged
 * while it runs. */
static void staging_goes_on_beside(void **s) {
  (void)s;
  struct ag_batch_view v = view_of();
  v.host.unit_ns = 1;
  v.in.unit_ns = 0.5;
  v.out.unit_ns = 0.25;
  v.commit.unit_ns = 0.5;
  struct ag_outlook o = outlook_of(&v);
  o.rest = 0;
  assert_about(end_of(&o, 100, 0, false), 150 + 110 + 75);
  v.commit.unit_ns = 0;
  o = outlook_of(&v);
  o.rest = 0;
  assert_about(end_of(&o, 50, 0, false), 75 + 60 + 60 + 12.5);
}

/* A launch of a thread that submits puts off what is to come; of several such threads, by less. */
static void launches_put_off(void **s) {
  (void)s;
  struct ag_batch_view v = view_of();
  v.host.launch_ns = 100;
  struct ag_outlook o = outlook_of(&v);
  o.stagers = 0;
  double alone = end_of(&o, 100, 0, true);
  o.active = 4;
  double four = end_of(&o, 100, 0, true);
  o.active = o.stagers = 1;
  double helped = end_of(&o, 100, 0, false);
  assert_true(alone > four && four > helped);
  o.rest = 0;
  o.stagers = 0;
  assert_about(end_of(&o, 100, 0, true), 100 + 110 + 5); /* a 20th of what the launch takes is its price */
}

/* What is left is shared by as many devices as are of use, each of which takes a launch. */
static void devices_share(void **s) {
  (void)s;
  struct ag_batch_view v = view_of();
  v.devices = 4;
  let_wait(&v, 400);
  struct ag_outlook o = outlook_of(&v);
  o.rest = 0;
  assert_about(end_of(&o, 100, 0, false), 112.5); /* (0 + 0 + 0 + 110) / 4, and a launch of 75 each */
  assert_about(ag_course_late_ns(&o), 110);
  for (int d = 1; d < 4; ++d)
    v.free_ns[d] = 1e6; /* the others have other things to do for long, whatever is decided now */
  o.enough = 1e9;
  assert_about(end_of(&o, 400, 0, false), 410);
  for (int d = 0; d < 4; ++d)
    v.free_ns[d] = 0;
  v.device.launch_ns = 1000; /* one launch each, at the same time */
  o = outlook_of(&v);
  o.rest = 0;
  assert_about(ag_course_late_ns(&o), 1100);
  v.host.launch_ns = 1000; /* one thread makes one after the other */
  o = outlook_of(&v);
  o.rest = 0;
  assert_true(ag_course_late_ns(&o) < 4 * 1000);
  o.end_stagers = 4;
  assert_true(ag_course_late_ns(&o) < 2400);
}

/* A batch takes no less than its longest unit does while all other blocks are empty. Of units that are to
 * come the longest one is as long as usual. */
static void longest_units_count(void **s) {
  (void)s;
  struct ag_batch_view v = view_of();
  v.fill = 64;
  v.device.fill = 64;
  struct ag_outlook o = outlook_of(&v);
  o.rest = 0;
  assert_about(end_of(&o, 1, 0, false), 10 + 64 + 10 + 99); /* not known: as long as the mean at least */
  v.longest = 100;
  o = outlook_of(&v);
  o.rest = 0;
  assert_about(end_of(&o, 100, 0, false), 10 + 6400);
  o.rest = 300;
  v.longest = 1;
  ag_longest_learn(&v.usual, 400, 3);
  assert_about(ag_course_late_ns(&o), 300 + 10 + 400); /* 3 * 64 are less than all */
  v.longest = 100;                                     /* one of those that wait goes along */
  assert_about(ag_course_late_ns(&o), 300 + 10 + 6400);
  v.usual = (struct ag_longest){0};
  ag_longest_learn(&v.usual, 400, 300); /* or one that is to come */
  assert_about(ag_course_late_ns(&o), 300 + 10 + 19200);
  v.usual = (struct ag_longest){0};
  v.longest = 1;
  v.device.form = AG_FORM_WAVES;
  o = outlook_of(&v);
  assert_about(ag_course_late_ns(&o), 300 + 10 + 7 * 64);
}

/* Also of a second launch that takes some of those that wait. */
static void later_launches_have_long_units(void **s) {
  (void)s;
  struct ag_batch_view v = view_of();
  let_wait(&v, 1000);
  v.longest = 1;
  v.fill = 64;
  v.device.fill = 64;
  ag_longest_learn(&v.usual, 100, 300);
  struct ag_outlook o = outlook_of(&v);
  o.rest = 1;
  struct ag_rhythm r = {100, 0, 100, false};
  assert_true(ag_course_end_ns(&o, &r, INFINITY) > 9 * 64 * 300);
}

/* Each launch has its price: 50 of 1000, on each of two devices; and a thread makes one after the other. */
static void launches_have_a_price(void **s) {
  (void)s;
  struct ag_batch_view v = view_of();
  v.devices = 2;
  let_wait(&v, 400);
  v.device.launch_ns = 0;
  v.host.launch_ns = 1000;
  struct ag_outlook o = outlook_of(&v);
  o.rest = 0;
  o.enough = 1e9;
  o.end_stagers = 2;
  assert_about(ag_course_late_ns(&o), 1000 + 200 + 2 * 50);
  let_wait(&v, 4000);
  v.host.launch_ns = 100;
  o = outlook_of(&v);
  o.rest = 0;
  o.enough = 1000;
  assert_about(ag_course_late_ns(&o), 100 + 100 + 2 * 1000 + 4 * 5);
}

/* What a launch has put off comes later, also where another thread is there to make the next one. */
static void what_is_put_off_comes_later(void **s) {
  (void)s;
  struct ag_batch_view v = view_of();
  v.host.launch_ns = 1000;
  struct ag_outlook o = outlook_of(&v);
  o.rest = 100;
  assert_about(end_of(&o, 100, 0, true), 1000 + 100 + 1000 + 110 + 2 * 50);
}

/* A largest batch there is where devices share, in whole fills, and never less than a unit. */
static void enough_is_enough(void **s) {
  (void)s;
  struct ag_batch_view v = view_of();
  assert_true(outlook_of(&v).enough > 1e12);
  v.devices = 2;
  assert_about(outlook_of(&v).enough, 200); /* 20 launches */
  v.fill = 64;
  assert_about(outlook_of(&v).enough, 4 * 64); /* more than that, in whole fills */
  assert_about(ag_outlook_whole(&(struct ag_outlook){.fill = 64}, 200), 192);
  assert_about(ag_outlook_whole(&(struct ag_outlook){.fill = 64}, 50), 50);
  v.device.launch_ns = 0;
  assert_about(outlook_of(&v).enough, 2 * 64); /* more than one fill, */
  v.longest = 9.5 * v.items / (double)v.waiting;
  assert_about(outlook_of(&v).enough, 10 * 64); /* and what hides the longest unit */
  v.fill = 0;
  assert_about(outlook_of(&v).enough, 1);
}

static double any(double least, double most) { return least + (most - least) * rand() / RAND_MAX; }

/* No course ends before the last unit has come, nor before all devices together can have run all; and who
 * says how late is too late gets the same answer if it is sooner. */
static void random_courses(void **s) {
  (void)s;
  srand(7);
  for (int i = 0; i < 100000; ++i) {
    struct ag_batch_view v = some(AG_ON_LOOK, (uint64_t)pow(10, any(0, 5)), 0);
    v.items = (double)v.waiting * pow(10, any(-1, 4));
    v.longest = rand() % 2 ? v.items / (double)v.waiting * any(1, 100) : 0;
    v.devices = 1 + (unsigned)rand() % AG_MODEL_DEVICES;
    for (unsigned d = 0; d < v.devices; ++d)
      v.free_ns[d] = (d ? v.free_ns[d - 1] : 0) + (rand() % 2 ? any(0, 1e5) : 0);
    v.device = (struct ag_batch_times){.launch_ns = rand() % 4 ? pow(10, any(0, 6)) : 0,
                                       .item_ns = pow(10, any(-3, 4)),
                                       .fill = rand() % 2 ? pow(10, any(0, 4)) : 0,
                                       .form = (enum ag_batch_form)(rand() % AG_N_FORMS)};
    v.fill = (uint64_t)v.device.fill;
    v.host = (struct ag_host_times){any(0, 1e5), any(0, 100)};
    v.commit = (struct ag_host_times){any(0, 1e4), any(0, 100)};
    v.in = (struct ag_host_times){any(0, 1e4), any(0, 100)};
    struct ag_outlook o = {.view = &v, .units = (double)v.waiting, .active = 1 + rand() % 8};
    o.rest = rand() % 4 ? (double)(uint64_t)pow(10, any(0, 6)) : 0;
    o.gap_ns = pow(10, any(-1, 5));
    o.stagers = rand() % 4;
    o.end_stagers = fmax(1, o.stagers);
    ag_outlook_complete(&o);
    bool puts_off = !(o.stagers > 0);
    struct ag_rhythm r = {fmin(o.units, o.enough), 0, o.enough, puts_off};
    if (o.rest > 0 && rand() % 2)
      r = (struct ag_rhythm){o.units + o.rest / 2, o.rest / 2 * o.gap_ns, o.enough, puts_off};
    double end = ag_course_end_ns(&o, &r, INFINITY), late = ag_course_late_ns(&o);
    double work = (o.units + o.rest) * v.items / (double)v.waiting * v.device.item_ns / v.devices;
    assert_true(isfinite(end) && isfinite(late));
    assert_true(end >= o.rest * o.gap_ns * 0.999 && late >= o.rest * o.gap_ns);
    assert_true(end >= work * 0.999 && late >= work * 0.999);
    double best = end * any(0.5, 2), again = ag_course_end_ns(&o, &r, best);
    assert_true(end < best ? again == end : again >= best);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),
      cmocka_unit_test(staging_goes_on_beside),
      cmocka_unit_test(launches_put_off),
      cmocka_unit_test(devices_share),
      cmocka_unit_test(longest_units_count),
      cmocka_unit_test(later_launches_have_long_units),
      cmocka_unit_test(launches_have_a_price),
      cmocka_unit_test(what_is_put_off_comes_later),
      cmocka_unit_test(enough_is_enough),
      cmocka_unit_test(random_courses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
