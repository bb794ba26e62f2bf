/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs: tasks that submit tasks, with and without waits, over memory that overlaps, on all kinds
 * of machines, some of which fail. The same program run as plain calls must give the same memory.
 * STRESS_PROGRAMS says how many. */
#include "machines.h"
#include "random_steps.h"

enum { SPAN = 240 };

static bool is_wrong(uint64_t seed, uint64_t *real, uint64_t *copy) {
  for (int i = 0; i < SPAN; ++i)
    real[i] = copy[i] = (uint64_t)i;
  struct part_args top = {real, 0, SPAN, 4, false, seed};
  steps(&top, 700);
  assert_int_equal(agglom_wait(), 0);
  top.y = copy;
  top.plain = true;
  steps(&top, 700);
  return memcmp(real, copy, SPAN * sizeof *real) != 0;
}

static bool wrong_on(const char *settings, size_t s, bool fails) {
  static uint64_t real[SPAN], copy[SPAN];
  bool wrong = false;
  (void)fails;
  for (uint64_t p = 1 + s % 2; p <= s % 2 + from_environment("STRESS_PROGRAMS", 1); ++p) {
    parts_are_alike = p % 2;
    start_with(settings);
    assert_int_equal(agglom_register(&part_module), 0);
    wrong |= is_wrong(p * 7919, real, copy);
    wrong |= is_wrong(p * 104729, real, copy);
    assert_int_equal(agglom_shutdown(), 0);
  }
  return wrong;
}

static void good_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=4",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=4 AGGLOM_LINGER=200us",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=4",
      "AGGLOM_DEVICES=emulated:3 AGGLOM_WORKERS=3 AGGLOM_BATCH=count:7",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:5",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=single",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_EMULATE=memory=24KB",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=occupancy",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_BATCH=occupancy AGGLOM_SPLIT=items",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=4 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto AGGLOM_LINGER=200us",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=4 AGGLOM_BATCH=auto AGGLOM_SPLIT=count",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=static:5 AGGLOM_SPLIT=items",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto AGGLOM_EMULATE=memory=24KB,launch=20us",
  };
  ON_MACHINES(settings, wrong_on, false);
}

static void failing_machines(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_FAULT=call=launch,nth=5,times=9",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_FAULT=call=launch,nth=6,error=sticky",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_FAULT=call=copy_out,nth=9,times=2,error=sticky",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_FAULT=call=copy_in,nth=3,times=all,error=oom",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_FAULT=call=mark,nth=4,error=sticky",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_FAULT=call=stream,nth=3,times=all",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=items AGGLOM_FAULT=call=launch,nth=5,times=9",
      ("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto "
       "AGGLOM_FAULT=call=copy_out,nth=9,times=2,error=sticky"),
      ("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto AGGLOM_SPLIT=gpu "
       "AGGLOM_FAULT=call=any,nth=10,times=all,error=oom"),
  };
  ON_MACHINES(settings, wrong_on, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(good_machines), cmocka_unit_test(failing_machines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
