/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schedule `auto` where it knows of single iterations that cost much: who gets them, and who gets what is
 * before them. */
#include "policy/loop/auto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CPUS = 16 };

static _Alignas(max_align_t) char state[1 << 16];

/* An execution of a loop of n iterations begins: each CPU unit does 100 a ms, and each device, if it has
 * launched and is full, 1000. */
static struct ag_loop *begin(uint64_t n, unsigned devices, double launch_ms, double fill) {
  static struct ag_loop_view view;
  static const unsigned lanes[] = {16, 16};
  view = (struct ag_loop_view){.machine = {CPUS, devices, lanes, NULL}, .n = n, .kind = AGGLOM_SCHEDULE_AUTO};
  /* known, largest, densest, error, launch, fill, per; and the sizes that were measured */
  double curve[] = {100, 1e5, 1e5, 0.02, launch_ms, fill / 1000, 1e-3, 10, 1, 1e5, 1}, speed[] = {100, 1000};
  struct ag_loop_memo memos[CPUS + 1];
  for (unsigned u = 0; u < CPUS; ++u)
    memos[u] = (struct ag_loop_memo){"speed", u, 2, speed};
  memos[CPUS] = (struct ag_loop_memo){"curve", CPUS, 11, curve};
  memset(state, 0, sizeof state);
  assert_true(ag_loop_state_bytes(&view) <= sizeof state);
  assert_true(ag_loop_seed(state, &view, memos, CPUS + 1));
  struct ag_loop *l = ag_loop_begin(state, &view);
  ag_auto(l)->complete = true;
  return l;
}

static void add(const struct ag_loop *l, uint64_t from, uint64_t to, double work) {
  ag_peaks_add(&ag_auto_profile(l)->peaks, (struct ag_peak){from, to, work});
}

static struct ag_loop_grant ask_device(struct ag_loop *l, unsigned device) {
  return ag_loop_next(l, CPUS + device, 0);
}

/* A device that would take longer for any iteration than CPU units have for all waits if there is one that
 * these would have for longer, else it may go. */
static void devices_wait_for_peaks(void **s) {
  (void)s;
  static const double works[] = {0, 30, 5000};
  for (int i = 0; i < 3; ++i) {
    struct ag_loop *l = begin(1000, 1, 100, 0);
    if (i)
      add(l, 900, 901, works[i]);
    assert_int_equal(ag_loop_next(l, 0, 0).what, AG_LOOP_RUN);
    assert_int_equal(ask_device(l, 0).what, works[i] > 1000 ? AG_LOOP_LATER : AG_LOOP_NONE);
  }
}

/* Of 5000 iterations before one that is for the device 1923 take it as long as CPU units have the others,
 * unless another device will have time for that one. */
static void devices_are_back_for_peaks(void **s) {
  (void)s;
  struct ag_loop *l = begin(10000, 1, 0, 0);
  assert_in_range(ask_device(l, 0).to, 3400, 3846);
  l = begin(10000, 1, 0, 0);
  add(l, 5000, 5001, 2000);
  assert_in_range(ask_device(l, 0).to, 1700, 1923);
  l = begin(10000, 2, 0, 0);
  add(l, 5000, 5001, 2000);
  assert_in_range(ask_device(l, 0).to, 2800, 3400);
  l = begin(10000, 2, 0, 0);
  add(l, 5000, 5001, 2000);
  ag_auto_unit(l, CPUS + 1)->busy_until = 1e6;
  assert_in_range(ask_device(l, 0).to, 1700, 1923);
  l = begin(10000, 2, 0, 0);
  add(l, 5000, 5001, 2000);
  ag_auto_unit(l, CPUS + 1)->out = true; /* it does not come again */
  assert_in_range(ask_device(l, 0).to, 1700, 1923);
  l = begin(10000, 1, 0, 0);
  add(l, 5000, 5001, 2000);
  add(l, 4500, 4501, 10); /* CPU units do that one */
  for (unsigned u = 0; u < CPUS / 2; ++u)
    ag_auto_unit(l, u)->rate = 0; /* as fast as the others */
  assert_in_range(ask_device(l, 0).to, 1700, 1927);
  l = begin(10000, 1, 0, 0);
  add(l, 5000, 5001, 2000);
  ag_auto_unit(l, CPUS)->slower = 2;
  assert_in_range(ask_device(l, 0).to, 1000, 1190);
}

/* A device that has the range in which it is begins with all of that range. */
static void ranges_are_not_cut(void **s) {
  (void)s;
  struct ag_loop *l = begin(10000, 1, 0, 0);
  add(l, 1000, 4500, 2000);
  assert_int_equal(ask_device(l, 0).to, 4500);
}

/* A CPU unit that comes to the rest of it does half, so that it is known better next time. */
static void ranges_are_halved(void **s) {
  (void)s;
  struct ag_loop *l = begin(1000, 1, 0, 0);
  l->low = 100;
  assert_in_range(ag_loop_next(l, 0, 0).to, 101, 200);
  l = begin(1000, 1, 0, 0);
  add(l, 50, 850, 2000);
  l->low = 100;
  struct ag_loop_grant g = ag_loop_next(l, 0, 0);
  assert_true(g.what == AG_LOOP_RUN && g.from == 100 && g.to == 475);
}

/* On a device it needs others beside it, or all blocks would be as busy as the one that has it: of powers of
 * 2, 512 take the least, 3 ms. */
static void peaks_have_company(void **s) {
  (void)s;
  struct ag_loop *l = begin(2000, 1, 0, 100);
  add(l, 0, 1, 2000);
  struct ag_loop_grant g = ask_device(l, 0);
  assert_int_equal(g.what, AG_LOOP_RUN);
  assert_int_equal(g.to, 512);
  l = begin(800, 1, 0, 100); /* half of the loop at most */
  add(l, 0, 1, 2000);
  assert_int_equal(ask_device(l, 0).to, 256);
}

/* What takes a CPU unit a quarter of the execution, and several times as long as was expected, is because of
 * one iteration. */
static void what_is_a_peak(void **s) {
  (void)s;
  static const struct {
    uint64_t n, ns;
    unsigned peaks;
  } chunks[] = {{10, 2400000, 0}, {10, 2700000, 1}, {80, 3000000, 0}};
  for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; ++i) {
    struct ag_loop *l = begin(10000, 1, 0, 0);
    ag_auto(l)->since = 0;
    ag_auto(l)->until = 10;
    ag_auto_done(l, 0, 0, chunks[i].n, chunks[i].ns);
    assert_int_equal(ag_auto_profile(l)->peaks.count, chunks[i].peaks);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices_wait_for_peaks), cmocka_unit_test(devices_are_back_for_peaks),
      cmocka_unit_test(ranges_are_not_cut),     cmocka_unit_test(ranges_are_halved),
      cmocka_unit_test(peaks_have_company),     cmocka_unit_test(what_is_a_peak)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
