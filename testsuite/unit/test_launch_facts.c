/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which device gets the next batch, what a CPU takes, and how often a batch is tried again: of facts alone.
 */
#include "policy/launch/cpus.h"
#include "policy/launch/devices.h"
#include "policy/launch/retry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Room goes before all; then who is through first, where that is measured; then who has fewest batches. */
static void next(void **state) {
  (void)state;
  struct ag_device_facts d[3] = {{.usable = true, .taken = 2, .known = true, .left_ns = 500},
                                 {.usable = true, .taken = 1, .known = true, .left_ns = 900},
                                 {.usable = true, .taken = 3, .known = true, .left_ns = 100, .full = true}};
  assert_int_equal(ag_device_next(d, 3, 0, true), 0);
  assert_int_equal(ag_device_next(d, 3, 0, false), 1);
  assert_int_equal(ag_device_next(d, 3, 1U << 0, true), 1);
  assert_int_equal(ag_device_next(d, 3, 1U << 0 | 1U << 1, true), 2);
  assert_int_equal(ag_device_next(d, 3, 7, true), -1);
  d[0].usable = d[1].usable = d[2].usable = false;
  assert_int_equal(ag_device_next(d, 3, 0, true), -1);
  assert_int_equal(ag_device_next(d, 0, 0, true), -1);
}

/* Of something that is not known nobody knows when it ends. */
static void unknown(void **state) {
  (void)state;
  struct ag_device_facts d[2] = {{.usable = true, .taken = 1},
                                 {.usable = true, .taken = 2, .known = true, .left_ns = 1e9}};
  assert_int_equal(ag_device_next(d, 2, 0, true), 1);
  d[0].taken = 0; /* nothing is known of what is not there, and nothing needs to be */
  assert_int_equal(ag_device_next(d, 2, 0, true), 0);
}

/* Among equals the first. */
static void equals(void **state) {
  (void)state;
  struct ag_device_facts d[3] = {{.usable = true}, {.usable = true}, {.usable = true}};
  assert_int_equal(ag_device_next(d, 3, 0, true), 0);
  assert_int_equal(ag_device_next(d, 3, 1U << 0, true), 1);
  d[1].usable = false;
  assert_int_equal(ag_device_next(d, 3, 1U << 0, true), 2);
}

/* Late: as long again as it has been. Idle is who has no batch, in flight or staged. */
static void busy(void **state) {
  (void)state;
  struct ag_device_facts d[4] = {{.usable = true, .taken = 1, .left_ns = 300, .late_ns = 40},
                                 {.usable = true, .taken = 1, .left_ns = 0, .late_ns = 40},
                                 {.usable = true, .taken = 0, .left_ns = 300, .late_ns = 40},
                                 {.usable = false, .taken = 1, .left_ns = 1000}};
  assert_true(ag_device_busy_ns(&d[0]) == 300);
  assert_true(ag_device_busy_ns(&d[1]) == 40);
  assert_true(ag_device_busy_ns(&d[2]) == 0);
  struct ag_devices all = ag_devices_of(d, 4);
  assert_int_equal(all.all, 3);
  assert_int_equal(all.idle, 1);
}

static void share(void **state) {
  (void)state;
  assert_int_equal(ag_cpu_share(0, 0, 4, 0).units, 1);
  assert_int_equal(ag_cpu_share(800, 800, 4, 0).units, 100);
  assert_int_equal(ag_cpu_share(800, 800, 4, AG_CPU_LONG_NS).units, 100);
  assert_int_equal(ag_cpu_share(800, 800, 1, 0).units, 800);
  assert_int_equal(ag_cpu_share(1 << 20, 1 << 20, 1, 0).units, AG_CPU_MOST);
  assert_int_equal(ag_cpu_share(1 << 20, 1 << 20, 4, 0).units, AG_CPU_MOST);
  assert_true(ag_cpu_share(800, 800, 4, 0).free >= 100);
  /* Where some follow others: a share of those that follow none, or what is worth a CPU's while; */
  assert_int_equal(ag_cpu_share(800, 80, 4, 0).free, 10);
  assert_int_equal(ag_cpu_share(800, 80, 4, 0).units, 10);
  assert_int_equal(ag_cpu_share(800, 80, 4, AG_CPU_WORTH_NS / 40).free, 40);
  assert_int_equal(ag_cpu_share(800, 1, 4, AG_CPU_LONG_NS).free, 1);
  /* with what follows them, for no long time, */
  assert_int_equal(ag_cpu_share(800, 80, 4, AG_CPU_LONG_NS).units, 10);
  assert_int_equal(ag_cpu_share(800, 80, 4, AG_CPU_LONG_NS / 20).units, 20);
  assert_int_equal(ag_cpu_share(800, 80, 4, 1).units, 100);
  /* unless others have nothing else. */
  assert_int_equal(ag_cpu_share(800, 7, 4, AG_CPU_WORTH_NS / 5).units, 5);
  assert_int_equal(ag_cpu_share(800, 7, 4, AG_CPU_LONG_NS).units, 1);
  assert_int_equal(ag_cpu_share(800, 1, 1, AG_CPU_LONG_NS).units, 800);
}

/* Only when nothing has come for a while since somebody looked; what comes begins that anew. */
static void away(void **state) {
  (void)state;
  struct ag_away away = {0};
  assert_false(ag_is_away(&away, 7, 1000));
  assert_false(ag_is_away(&away, 7, 1000 + AG_CPU_AWAY_NS - 1));
  assert_true(ag_is_away(&away, 7, 1000 + AG_CPU_AWAY_NS));
  assert_false(ag_is_away(&away, 8, 2000 + AG_CPU_AWAY_NS));
  assert_false(ag_is_away(&away, 8, 1000 + 2 * AG_CPU_AWAY_NS));
}

/* Halves, down to single units, and not for ever. */
static void retries(void **state) {
  (void)state;
  unsigned tried = 0, units = 1000;
  while ((units = ag_retry_most(units, tried + 1)))
    ++tried;
  assert_int_equal(tried, 10);
  assert_int_equal(ag_retry_most(1, 1), 0);
  assert_int_equal(ag_retry_most(3, 1), 2);
  assert_int_equal(ag_retry_most(1000, 24), 500);
  assert_int_equal(ag_retry_most(1000, 25), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(next),  cmocka_unit_test(unknown), cmocka_unit_test(equals), cmocka_unit_test(busy),
      cmocka_unit_test(share), cmocka_unit_test(away),    cmocka_unit_test(retries)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
