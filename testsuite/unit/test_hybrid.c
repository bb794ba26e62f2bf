/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chunks of loops that go other ways than planned. */
#include "capture.h"
#include "loops/hybrid_state.h"
#include "rt_tasks.h"

enum { LENGTH = 600 };

static uint64_t y[LENGTH];

/* y[j] = y[j] * 31 + 1, for each iteration, in so many units as there are parts. */
static void submit_parts(unsigned long long from, unsigned long long to, unsigned parts) {
  for (unsigned p = 0; p < parts; ++p) {
    unsigned long long n = to - from, first = from + n * p / parts, end = from + n * (p + 1) / parts;
    if (first < end)
      assert_int_equal(
          submit_mix(&mix_task,
                     (struct mix_args){.y = y, .ly = (long)first, .ny = (long)(end - first), .x = y, .v = 1}),
          0);
  }
}

static void submit_one(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)env, (void)slot;
  submit_parts(from, to, 1);
}

static void submit_two(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)env, (void)slot;
  submit_parts(from, to, 2);
}

static void loop(void (*submit)(const void *, unsigned long long, unsigned long long, void *),
                 unsigned schedule) {
  memset(y, 0, sizeof y);
  assert_int_equal(agglom_for(submit, NULL, NULL, 0, 0, LENGTH, schedule, 0, -1, 0), 0);
  for (int j = 0; j < LENGTH; ++j)
    assert_int_equal(y[j], 1);
}

/* A loop that submits one unit for its first iteration, and more for others. */
static void several_units_in_a_chunk(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2"};
  for (int s = 0; s < 3; ++s) {
    start_with(settings[s]);
    loop(submit_two, AGGLOM_SCHEDULE_STATIC);
    loop(submit_two, AGGLOM_SCHEDULE_AUTO);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static unsigned memos[2]; /* by unit: what a schedule knows of it */

static void count(void *to, const struct ag_loop_memo *memo) {
  (void)to;
  assert_in_range(memo->unit, 0, 1);
  ++memos[memo->unit];
}

/* What the schedule has learnt of a CPU unit and a device. */
static void learn(const char *settings) {
  start_with(settings);
  loop(submit_one, AGGLOM_SCHEDULE_AUTO);
  memset(memos, 0, sizeof memos);
  ag_loop_keep(ag_runtime_running()->loops.all->memories->state, count, NULL);
}

/* Chunks for a device that CPUs run after all do not tell how fast the device is. */
static void failed_chunks_tell_nothing(void **state) {
  (void)state;
  static const char *const calls[] = {"launch", "copy_in", "mark"};
  learn("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  assert_true(memos[1] > 0);
  assert_int_equal(agglom_shutdown(), 0);
  for (size_t c = 0; c < sizeof calls / sizeof calls[0]; ++c) {
    char settings[200];
    snprintf(settings, sizeof settings,
             "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto AGGLOM_FAULT=call=%s,times=all",
             calls[c]);
    capture_begin();
    learn(settings);
    assert_int_equal(memos[1], 0);
    assert_true(atomic_load(&mix_on_cpu) > 0);
    assert_int_equal(agglom_shutdown(), 0);
    assert_non_null(strstr(capture_end(), "failed on emulated:0")); /* it was given something */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(several_units_in_a_chunk),
                                     cmocka_unit_test(failed_chunks_tell_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
