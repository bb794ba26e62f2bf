/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single iterations of a loop that cost much, as the schedule `auto` knows them. */
#include "policy/loop/peaks.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_peak(const struct ag_peak *peak, uint64_t from, uint64_t to, double work) {
  assert_non_null(peak);
  assert_int_equal(peak->from, from);
  assert_int_equal(peak->to, to);
  assert_true(peak->work == work);
}

/* Work above what is usual was measured in from .. to - 1; what is left of it. */
static double learn(struct ag_peaks *p, uint64_t from, uint64_t to, double above) {
  double found;
  struct ag_peak spread;
  double rest = ag_peaks_learn(p, from, to, above, &found, &spread);
  assert_true(spread.work == 0 && rest == above - found);
  return rest;
}

/* A chunk that has most of the work has the iteration, and it is in both ranges. A chunk that has little of
 * it has it not; of what is left on both sides the larger part is kept. */
static void where_they_are(void **state) {
  (void)state;
  struct ag_peaks p = {0};
  ag_peaks_add(&p, (struct ag_peak){1000, 1100, 1000});
  assert_true(learn(&p, 1010, 1200, 990) == -10);
  assert_peak(p.at, 1010, 1100, 1000);
  assert_true(learn(&p, 900, 1095, 1010) == 10);
  assert_peak(p.at, 1010, 1095, 1000);
  assert_true(learn(&p, 1060, 1065, -20) == -20);
  assert_peak(p.at, 1010, 1060, 1000);
  assert_true(learn(&p, 1020, 1025, 0) == 0);
  assert_peak(p.at, 1025, 1060, 1000);
  assert_true(learn(&p, 1026, 1060, 100) == 100);
  assert_peak(p.at, 1025, 1026, 1000);
  assert_true(learn(&p, 1026, 1200, 0) == 0 && learn(&p, 900, 1025, 0) == 0); /* beside it */
  assert_int_equal(p.count, 1);
  assert_true(learn(&p, 1025, 1026, 0) == 0);
  assert_int_equal(p.count, 0);
}

/* Two in one chunk, of which it has one, or both. */
static void two_in_a_chunk(void **state) {
  (void)state;
  struct ag_peaks p = {0};
  ag_peaks_add(&p, (struct ag_peak){100, 200, 1000});
  ag_peaks_add(&p, (struct ag_peak){300, 400, 500});
  assert_true(learn(&p, 150, 400, 1000) == 0);
  assert_int_equal(p.count, 1);
  assert_peak(p.at, 150, 200, 1000);
  ag_peaks_add(&p, (struct ag_peak){300, 400, 500});
  assert_true(learn(&p, 150, 350, 1500) == 0);
  assert_peak(&p.at[1], 300, 350, 500);
}

/* About as much in a part of the range as is its part of the work, in one range at a time. */
static void what_is_spread(void **state) {
  (void)state;
  struct ag_peaks p = {0};
  double found;
  struct ag_peak spread;
  ag_peaks_add(&p, (struct ag_peak){0, 100, 1000});
  ag_peaks_add(&p, (struct ag_peak){0, 100, 900});
  assert_true(ag_peaks_learn(&p, 0, 50, 500, &found, &spread) == -400 && found == 900);
  assert_peak(&spread, 0, 100, 1000);
  assert_int_equal(p.count, 1); /* more than half of the other one */
  assert_peak(p.at, 0, 50, 900);
}

/* What is asked of a range is asked of those that begin in it. */
static void ranges(void **state) {
  (void)state;
  struct ag_peaks p = {0};
  assert_null(ag_peaks_first(&p, 0, UINT64_MAX));
  ag_peaks_add(&p, (struct ag_peak){50, 80, 300});
  ag_peaks_add(&p, (struct ag_peak){20, 60, 200});
  ag_peaks_add(&p, (struct ag_peak){30, 40, 100});
  assert_peak(ag_peaks_first(&p, 0, 100), 20, 60, 200);
  assert_peak(ag_peaks_first(&p, 21, 100), 30, 40, 100);
  assert_null(ag_peaks_first(&p, 51, 100));
  assert_null(ag_peaks_first(&p, 0, 20));
  assert_true(ag_peaks_work(&p, 20, 51) == 600 && ag_peaks_work(&p, 21, 50) == 100);
  assert_peak(ag_peaks_around(&p, 55), 50, 80, 300);
  assert_peak(ag_peaks_around(&p, 39), 20, 60, 200);
  assert_null(ag_peaks_around(&p, 80));
  ag_peaks_scale(&p, 30, 50, 5);
  assert_peak(ag_peaks_around(&p, 39), 30, 40, 500);
  assert_peak(&p.at[1], 50, 80, 300);
}

/* The highest are kept, in their order. */
static void the_highest_are_kept(void **state) {
  (void)state;
  enum { MORE = 3 * AG_PEAKS };
  struct ag_peaks p = {0};
  unsigned place[MORE] = {0};
  uint64_t seed = 11;
  for (unsigned i = 0; i < MORE; ++i)
    place[i] = i;
  for (unsigned i = MORE; i-- > 1;) { /* shuffled */
    unsigned k = (unsigned)(next_random(&seed) % (i + 1)), was = place[i];
    place[i] = place[k];
    place[k] = was;
  }
  for (unsigned i = 0; i < MORE; ++i)
    ag_peaks_add(&p, (struct ag_peak){place[i], place[i] + 1, 1000 - place[i]});
  assert_int_equal(p.count, AG_PEAKS);
  for (unsigned i = 0; i < AG_PEAKS; ++i)
    assert_int_equal(p.at[i].from, i);
}

static void assert_sound(const struct ag_peaks *p) {
  assert_true(p->count <= AG_PEAKS);
  for (unsigned i = 0; i < p->count; ++i) {
    assert_true(p->at[i].from < p->at[i].to && p->at[i].work > 0);
    assert_true(!i || p->at[i].work <= p->at[i - 1].work);
  }
}

/* One iteration is looked for, by chunks that have it and chunks that do not: it is never lost, and found. */
static void one_is_found(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int round = 0; round < 2000; ++round) {
    struct ag_peaks p = {0};
    struct ag_peak spread;
    uint64_t n = 2 + next_random(&seed) % 5000, at = next_random(&seed) % n;
    double found, work = 1 + (double)(next_random(&seed) % 1000);
    ag_peaks_add(&p, (struct ag_peak){0, n, work});
    for (int i = 0; i < 400; ++i) {
      const struct ag_peak *r = &p.at[0];
      uint64_t from = r->from + next_random(&seed) % (r->to - r->from),
               to = from + 1 + next_random(&seed) % (n - from);
      bool has_it = from <= at && at < to;
      /* A chunk from the middle of where it may be would leave two ranges, of which one is kept. */
      from = has_it || to >= r->to ? from : r->from;
      has_it = from <= at && at < to;
      assert_true(ag_peaks_learn(&p, from, to, has_it ? work : 0, &found, &spread) == 0);
      assert_true(found == (has_it ? work : 0) && p.count == 1 && r->from <= at && at < r->to);
    }
    assert_true(p.at[0].to - p.at[0].from == 1);
  }
}

/* Whatever is said of whichever peaks. */
static void the_highest_stand_first(void **state) {
  (void)state;
  uint64_t seed = 8;
  struct ag_peaks p = {0};
  for (int i = 0; i < 300000; ++i) {
    uint64_t from = next_random(&seed) % 1000, to = from + 1 + next_random(&seed) % 300;
    double work = 1 + (double)(next_random(&seed) % 1000), found;
    struct ag_peak spread;
    if (next_random(&seed) % 2)
      ag_peaks_add(&p, (struct ag_peak){from, to, work});
    else if (next_random(&seed) % 2)
      ag_peaks_scale(&p, from, to, work > 500 ? 1.4 : 0.7);
    else
      (void)ag_peaks_learn(&p, from, to, work, &found, &spread);
    assert_sound(&p);
    const struct ag_peak *around = ag_peaks_around(&p, from);
    for (unsigned k = 0; k < p.count; ++k)
      if (p.at[k].from <= from && from < p.at[k].to)
        assert_true(around && around->work >= p.at[k].work);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(where_they_are),         cmocka_unit_test(two_in_a_chunk),
      cmocka_unit_test(what_is_spread),         cmocka_unit_test(ranges),
      cmocka_unit_test(the_highest_are_kept),   cmocka_unit_test(one_is_found),
      cmocka_unit_test(the_highest_stand_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
