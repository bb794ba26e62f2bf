/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units that are too short to be queued, staged and committed run in their call where there is a device, too,
 * if the policies may choose: what devices have of what they write is stale then. */
#include "measure/measure.h"

#include "busy_world.h"
#include "directives.h"

#include <time.h>

enum { CELLS = 64, SHORT = 100, LONG = 1000000 };

#define AUTO "AGGLOM_BATCH=auto AGGLOM_SPLIT=auto"

static uint64_t cell[CELLS], wanted[CELLS];

static void seem_short(bool yes) {
  seem(&mix_task, yes ? SHORT : LONG);
  ag_task_model_lock(&mix_task)->cpu_ns =
      yes ? SHORT : LONG; /* of an item: devices do all where it is long */
  ag_task_model_unlock(&mix_task);
}

static void both(struct mix_args a) {
  struct mix_args serial = a;
  serial.y = wanted;
  serial.x = wanted;
  mix(&serial);
  assert_int_equal(submit_mix(&mix_task, a), 0);
}

static struct mix_args any(uint64_t *seed) {
  struct mix_args a = {.y = cell, .x = cell, .v = next_random(seed) % 1000};
  a.ny = 1 + (long)(next_random(seed) % 6);
  a.nx = (long)(next_random(seed) % 12);
  a.ly = (long)(next_random(seed) % (uint64_t)(CELLS - a.ny));
  a.lx = a.ly + a.ny + a.nx <= CELLS ? a.ly + a.ny : 0;
  if (a.lx < a.ly + a.ny && a.ly < a.lx + a.nx)
    a.nx = 0;
  return a;
}

static void begin(const char *settings) {
  start_with(settings);
  memset(cell, 0, sizeof cell);
  memset(wanted, 0, sizeof wanted);
  atomic_store(&mix_on_device, 0);
  assert_true(ag_queue_ready(mine(), &mix_task));
}

/* Devices have copies of what such units write, as it is resident, and read it again. */
static void random_programs(void **state) {
  (void)state;
  static const char *const machines[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 " AUTO, "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 " AUTO,
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 " AUTO " AGGLOM_EMULATE=launch=20us,copy=5us"};
  enum { PHASES = 60, MOST_CALLS = 40 };
  uint64_t in_calls = 0, on_device = 0;
  for (unsigned round = 0; round < 12; ++round) {
    struct agglom_range range = {cell, 0, CELLS};
    uint64_t seed = round + 1, calls = 0;
    begin(machines[round % 3]);
    void *block = agglom_data_begin(&data, &range);
    for (int phase = 0; phase < PHASES; ++phase) {
      seem_short(phase % 2);
      for (uint64_t i = next_random(&seed) % MOST_CALLS; i; --i, ++calls)
        both(any(&seed));
      if (next_random(&seed) % 4)
        assert_int_equal(agglom_wait(), 0); /* so that what follows is free */
    }
    agglom_data_end(block);
    compare(cell, wanted, sizeof cell);
    in_calls += queue_of(&mix_task)->at_once;
    on_device += atomic_load(&mix_on_device);
    struct agglom_counters c;
    agglom_get_counters(&c);
    assert_int_equal(c.units, calls);
    assert_int_equal(c.units_on_cpu + c.units_on_device, calls);
    assert_int_equal(agglom_shutdown(), 0);
  }
  assert_true(in_calls > 100);
  assert_true(on_device > 100);
}

/* How many of some short units run in their calls. */
static uint64_t in_calls(const char *settings) {
  begin(settings);
  for (int i = 0; i < 20; ++i) {
    seem_short(true);
    both((struct mix_args){.y = cell, .ly = i, .ny = 1, .x = cell, .v = 3});
  }
  uint64_t n = queue_of(&mix_task)->at_once;
  compare(cell, wanted, sizeof cell);
  assert_int_equal(agglom_shutdown(), 0);
  return n;
}

/* Who asks for devices, for launches of some size, or for the least energy gets that. */
static void where_policies_may_choose(void **state) {
  (void)state;
  assert_int_equal(in_calls("AGGLOM_DEVICES=emulated " AUTO), 20);
  assert_int_equal(in_calls("AGGLOM_DEVICES=emulated AGGLOM_BATCH=auto AGGLOM_SPLIT=gpu"), 0);
  assert_int_equal(in_calls("AGGLOM_DEVICES=emulated AGGLOM_BATCH=auto AGGLOM_SPLIT=count"), 0);
  assert_int_equal(in_calls("AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:4 AGGLOM_SPLIT=auto"), 0);
  assert_int_equal(in_calls("AGGLOM_DEVICES=emulated AGGLOM_BATCH=maximal AGGLOM_SPLIT=auto"), 0);
  assert_int_equal(in_calls("AGGLOM_DEVICES=emulated AGGLOM_OBJECTIVE=energy " AUTO), 0);
}

/* Units that were queued before go on, on the device and to it, without another thread. */
static void what_waits_goes_on(void **state) {
  (void)state;
  enum { UNITS = 400 };
  static uint64_t longer[UNITS];
  begin("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_EMULATE=launch=1ms,copy=5us " AUTO);
  assert_true(ag_queue_ready(mine(), &thread_task));
  for (int i = 0; i < UNITS; ++i) {
    seem(&thread_task, LONG);
    assert_int_equal(submit_mix(&thread_task, (struct mix_args){.y = longer, .ly = i, .ny = 1, .x = longer}),
                     0);
  }
  for (time_t from = time(NULL); !ag_worker_idle_now(mine()) && time(NULL) - from < 20;) {
    seem_short(true);
    both((struct mix_args){.y = cell, .ny = 1, .x = cell, .v = 3});
  }
  assert_true(ag_worker_idle_now(mine()));
  compare(cell, wanted, sizeof cell);
  assert_int_equal(agglom_shutdown(), 0);
}

/* A device that moves 200 KB in a second, where a CPU takes 1 ns for what is 8 bytes, is tried. A launch that
 * can take no more is no reason for it to get any, though nobody but the thread that submits has time, at the
 * end. */
static void slow_devices_get_little(void **state) {
  (void)state;
  enum { EACH = 2048, UNITS = 1000 };
  static const char *const workers[] = {"AGGLOM_WORKERS=1", "AGGLOM_WORKERS=2"};
  uint64_t *large = calloc((size_t)UNITS * EACH, sizeof *large);
  assert_non_null(large);
  for (int s = 0; s < 2; ++s) {
    char settings[160];
    snprintf(settings, sizeof settings,
             "AGGLOM_DEVICES=emulated AGGLOM_EMULATE=memory=1MB,bandwidth=200KB/s %s " AUTO, workers[s]);
    begin(settings);
    for (int i = 0; i < UNITS; ++i) {
      struct mix_args unit = {.y = large, .ly = (long)i * EACH, .ny = EACH, .x = large, .v = 1};
      assert_int_equal(submit_mix(&mix_task, unit), 0);
    }
    assert_int_equal(agglom_wait(), 0);
    struct agglom_counters c;
    agglom_get_counters(&c);
    assert_int_equal(c.units, UNITS);
    assert_in_range(c.launches, 1, 2);
    assert_int_equal(agglom_shutdown(), 0);
  }
  free(large);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs), cmocka_unit_test(where_policies_may_choose),
      cmocka_unit_test(what_waits_goes_on), cmocka_unit_test(slow_devices_get_little)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
