/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Staging buffers of slots: they grow with the batches, and batches are smaller where there is no pinned
 * memory for larger ones. */
#include "capture.h"
#include "cuda_batch.h"
#include "device/cuda_driver.h"
#include "rt_tasks.h"
#include "shared/runtime.h"

enum { MIB = 1 << 20, WORDS = MIB / (int)sizeof(uint64_t), UNITS = 8 };

static uint64_t x[UNITS * WORDS], y[UNITS], wanted[UNITS];

static struct ag_accelerator *device(void) { return &ag_runtime_running()->accelerators[0]; }

static size_t largest(void) {
  size_t most = 0;
  for (unsigned i = 0; i < AG_SLOTS; ++i)
    most = device()->slots[i].size > most ? device()->slots[i].size : most;
  return most;
}

/* AGGLOM_FAULT=fault on a device whose slots have so many MiB. */
static void start_slots(unsigned most, const char *fault) {
  char settings[200];
  snprintf(settings, sizeof settings,
           "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=gpu AGGLOM_BATCH=maximal "
           "AGGLOM_EMULATE=memory=%uMB %s",
           most * AG_SLOT_SHARE, fault);
  start_with(settings);
  for (size_t i = 0; i < sizeof x / sizeof *x; ++i)
    x[i] = i;
  memset(y, 0, sizeof y);
  memset(wanted, 0, sizeof wanted);
}

/* One batch, if there is memory for it: units of so many words each, of memory of their own. */
static void units_of(unsigned n, long words) {
  for (unsigned i = 0; i < n; ++i) {
    struct mix_args a = {.y = y, .x = x, .ly = i, .ny = 1, .lx = (long)i * words, .nx = words, .v = i};
    assert_int_equal(submit_mix(&mix_task, a), 0);
    a.y = wanted;
    mix(&a);
  }
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(y, wanted, sizeof y);
}

static struct agglom_counters counted(void) {
  struct agglom_counters c;
  agglom_get_counters(&c);
  return c;
}

static void it_grows(void **state) {
  (void)state;
  start_slots(7, "");
  assert_int_equal(device()->slot_bytes, 7 * MIB);
  assert_int_equal(ag_runtime_running()->caps.bytes, 7 * MIB);
  for (unsigned i = 0; i < AG_SLOTS; ++i)
    assert_int_equal(device()->slots[i].size, AG_STAGING_FIRST);
  units_of(2, WORDS / 4);
  assert_int_equal(largest(), AG_STAGING_FIRST);
  units_of(3, WORDS / 2); /* 1.5 MiB and what describes them */
  assert_int_equal(largest(), 2 * MIB);
  units_of(6, WORDS); /* as much as a slot may have, and not twice as much */
  assert_int_equal(largest(), 7 * MIB);
  for (unsigned i = 0; i < AG_SLOTS; ++i)
    assert_null(device()->slots[i].outgrown);
  assert_int_equal(counted().launches, 3);
  assert_int_equal(counted().failed, 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* There is no more pinned memory than at first: batches are smaller, and no unit goes to the CPU. */
static void smaller_batches(void **state) {
  (void)state;
  capture_begin();
  start_slots(16, "AGGLOM_FAULT=call=host_alloc,nth=4,times=all,error=oom");
  units_of(8, WORDS / 4);
  uint64_t failed = counted().failed;
  assert_in_range(failed, 1, 3);
  assert_int_equal(device()->most_staged, AG_STAGING_FIRST);
  for (unsigned round = 0; round < 4; ++round)
    units_of(8, WORDS / 4);
  assert_int_equal(counted().failed, failed); /* nothing is tried again that is known not to work */
  assert_int_equal(counted().units_on_device, 40);
  assert_int_equal(counted().units_on_cpu, 0);
  assert_int_equal(ag_runtime_running()->caps.bytes, 16 * MIB);
  assert_int_equal(agglom_shutdown(), 0);
  assert_int_equal(occurrences(capture_end(), "they are tried again in smaller batches"), 1);
}

/* A unit for which there is none runs on the CPU. */
static void too_large_a_unit(void **state) {
  (void)state;
  capture_begin();
  start_slots(16, "AGGLOM_FAULT=call=host_alloc,nth=4,times=all,error=oom");
  for (unsigned round = 0; round < 3; ++round) {
    units_of(2, 2 * WORDS);
    units_of(2, WORDS / 4);
  }
  assert_int_equal(counted().units_on_device, 6);
  assert_int_equal(counted().units_on_cpu, 6);
  assert_int_equal(agglom_shutdown(), 0);
  capture_end();
}

/* One that needs it finds out that there is some again. */
static void memory_comes_back(void **state) {
  (void)state;
  capture_begin();
  start_slots(16, "AGGLOM_FAULT=call=host_alloc,nth=4,times=4,error=oom");
  units_of(8, WORDS / 4); /* twice asked for what it needs doubled, and for what it needs: */
  assert_int_equal(device()->most_staged, AG_STAGING_FIRST);
  while (device()->most_staged < 16 * (size_t)MIB)
    units_of(1, 2 * WORDS);
  uint64_t failed = counted().failed, launches = counted().launches;
  units_of(8, WORDS / 4);
  assert_int_equal(counted().failed, failed);
  assert_int_equal(counted().launches, launches + 1);
  assert_int_equal(agglom_shutdown(), 0);
  capture_end();
}

/* What is asked for at first may be too much already. */
static void less_at_first(void **state) {
  (void)state;
  start_slots(16, "AGGLOM_FAULT=call=host_alloc,nth=1,times=2,error=oom");
  assert_int_equal(device()->slot_bytes, 16 * MIB);
  assert_int_equal(device()->slots[0].size, AG_STAGING_FIRST / 4);
  assert_int_equal(device()->slots[1].size, AG_STAGING_FIRST);
  units_of(8, WORDS / 4);
  assert_int_equal(counted().launches, 1);
  assert_int_equal(agglom_shutdown(), 0);
}

/* Freeing waits for the device, so what was outgrown stays as long as a batch is on it, and no longer. */
static void outgrown(void **state) {
  (void)state;
  struct ag_accelerator acc;
  struct ag_slot *slot = &acc.slots[0];
  assert_int_equal(ag_accelerator_open(&acc, open_one(), 0), 0);
  assert_int_equal(gpu_seen().host_memory, AG_SLOTS);
  atomic_store(&acc.slots[1].state, AG_SLOT_RUNNING);
  for (size_t bytes = MIB + 1; bytes <= acc.slot_bytes; bytes *= 2)
    assert_int_equal(ag_slot_make_room(&acc, slot, bytes), 0);
  assert_int_equal(slot->size, 8 * MIB);
  assert_int_equal(gpu_seen().host_memory, AG_SLOTS + 3);
  atomic_store(&acc.slots[1].state, AG_SLOT_FREE);
  assert_int_equal(ag_slot_make_room(&acc, slot, 1), 0);
  assert_int_equal(gpu_seen().host_memory, AG_SLOTS);
  assert_int_equal(slot->size, 8 * MIB);
  assert_int_equal(ag_slot_make_room(&acc, &acc.slots[1], 2 * MIB), 0);
  assert_int_equal(gpu_seen().host_memory, AG_SLOTS); /* freed at once */

  /* What fails leaves everything as it was. */
  capture_begin();
  make_fail("cuMemHostAlloc", 1, AG_CU_INVALID_VALUE);
  assert_int_equal(ag_slot_make_room(&acc, &acc.slots[2], 3 * MIB), -EIO);
  capture_end();
  assert_int_equal(acc.slots[2].size, AG_STAGING_FIRST);
  assert_int_equal(acc.most_staged, AG_STAGING_FIRST);
  assert_int_equal(ag_slot_make_room(&acc, &acc.slots[2], 3 * MIB), 0);
  assert_int_equal(acc.most_staged, acc.slot_bytes);
  ag_accelerator_close(&acc);
  assert_nothing_left();
}

int main(void) {
  if (!load_gpu("test_slot"))
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_grows),         cmocka_unit_test(smaller_batches),
      cmocka_unit_test(too_large_a_unit), cmocka_unit_test(memory_comes_back),
      cmocka_unit_test(less_at_first),    cmocka_unit_test_setup(outgrown, reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
