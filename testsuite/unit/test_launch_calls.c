/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which calls of the driver a launch makes: each costs a microsecond and more. */
#include "capture.h"
#include "fault_workloads.h"
#include "gpu_in_software.h"

enum { LAUNCHES = 20 };

static struct sweep_data data;

/* Calls of one launch. */
static const char *const counted[] = {"cuCtxPushCurrent_v2",  "cuCtxPopCurrent_v2", "cuMemcpyHtoDAsync_v2",
                                      "cuMemcpyDtoHAsync_v2", "cuLaunchKernel",     "cuEventQuery",
                                      "cuEventRecord",        "cuEventElapsedTime", "cuStreamWaitEvent"};
enum { PUSH, POP, IN, OUT, LAUNCH, QUERY, RECORD, ELAPSED, FOLLOW, CALLS };

static void count(unsigned *calls) {
  for (int i = 0; i < CALLS; ++i)
    calls[i] = gpu_calls(counted[i]);
}

static void start(const char *settings) {
  char all[300];
  gpu_reset("EAGER=1 MEMORY=8M");
  snprintf(all, sizeof all, "AGGLOM_DEVICES=cuda AGGLOM_WORKERS=1 AGGLOM_SPLIT=gpu AGGLOM_BATCH=single %s",
           settings);
  sweep_fill(&data, false);
  start_with(all);
  assert_int_equal(agglom_register(&sweep_module), 0);
}

static void end(void) {
  assert_int_equal(agglom_shutdown(), 0);
  assert_int_equal(gpu_seen().misuses, 0);
  assert_int_equal(gpu_seen().left_behind, 0);
}

static uint64_t from[MOST_UNITS][BLOCK], to[MOST_UNITS][BLOCK];

/* A launch that writes all that it uses. */
static void writes(void) {
  uint64_t *own = to[data.units];
  step_on(&data, &force_task, own, own, own, BLOCK);
}

/* One that reads besides what no other one does. */
static void reads(void) {
  const uint64_t *own = from[data.units];
  step_on(&data, &force_task, to[data.units], own, own, BLOCK);
}

/* One that reads besides what all of them do. */
static void reads_table(void) { step_on(&data, &force_task, to[data.units], from[0], from[0], BLOCK); }

/* The calls of later launches, all of one sort. */
static void calls_of(void (*launch)(void), unsigned *calls) {
  unsigned before[CALLS];
  launch();
  assert_int_equal(agglom_wait_on(to, sizeof to), 0);
  count(before);
  for (unsigned i = 0; i < LAUNCHES; ++i)
    launch();
  assert_int_equal(agglom_wait_on(to, sizeof to), 0);
  count(calls);
  for (int i = 0; i < CALLS; ++i)
    calls[i] -= before[i];
}

static void context(void **state) {
  (void)state;
  unsigned calls[CALLS];
  start("");
  calls_of(reads, calls);
  assert_int_equal(calls[LAUNCH], LAUNCHES);
  assert_int_equal(calls[IN], LAUNCHES);
  assert_int_equal(calls[OUT], LAUNCHES);
  assert_int_equal(calls[QUERY], LAUNCHES);
  assert_int_equal(calls[PUSH], 2 * LAUNCHES); /* for the launch, and to find that it is complete */
  assert_int_equal(calls[POP], 2 * LAUNCHES);
  end();
}

/* The mark, begin and end of a kernel that is timed; and the milestone only where another batch may follow.
 */
static void assert_recorded(const unsigned *calls, unsigned each) {
  assert_int_equal(calls[RECORD], each * LAUNCHES + 2 * calls[ELAPSED]);
}

static void milestones(void **state) {
  (void)state;
  unsigned calls[CALLS];
  start("");
  calls_of(reads, calls);
  assert_recorded(calls, 2);
  calls_of(writes, calls);
  assert_recorded(calls, 1);
  calls_of(reads_table, calls);
  assert_recorded(calls, 1);
  end();
  start("AGGLOM_REUSE=off");
  calls_of(reads, calls);
  assert_recorded(calls, 1);
  end();
}

int main(void) {
  if (!load_gpu("test_launch_calls"))
    return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(context), cmocka_unit_test(milestones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
