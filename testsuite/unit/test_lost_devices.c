/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several devices of which some are lost: where later batches go, and what is left of the lost ones. */
#include "capture.h"
#include "rt_tasks.h"
#include "shared/runtime.h"

enum { LONG = 4096 };

static uint64_t x[LONG], y[LONG], wanted[LONG];

static struct ag_accelerator *device(int i) { return &ag_runtime_running()->accelerators[i]; }

/* Two batches at a time, so that both devices have one where there are two, on data that stays there. */
static void two_batches(unsigned round) {
  for (unsigned i = 0; i < 2; ++i) {
    struct mix_args a = {.y = y, .x = x, .ly = i, .ny = 1, .nx = LONG, .v = round};
    submit_mix(&mix_task, a);
    a.y = wanted;
    mix(&a);
  }
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(y, wanted, sizeof y);
}

static void *open_data(void) {
  static const struct agglom_section section = {"data in(x[0:n])", 1, AGGLOM_IN, sizeof *x, 0, 0, NULL, NULL};
  static const struct agglom_directive data = {"data", "data.c", 1, 0, &section};
  struct agglom_range range = {x, 0, LONG};
  return agglom_data_begin(&data, &range);
}

static void start_two(const char *fault) {
  char settings[200];
  snprintf(settings, sizeof settings,
           "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=1 AGGLOM_BATCH=single AGGLOM_FAULT=%s", fault);
  start_with(settings);
  assert_int_equal(ag_runtime_running()->n_accelerators, 2);
  for (unsigned i = 0; i < LONG; ++i) {
    x[i] = i * 2654435761u;
    y[i] = wanted[i] = i;
  }
}

/* The fifth launch takes its device down and the next one the other. After the first loss all batches go to
 * the device that is left, which still has its copy of the data; after the second they run on the CPU. Of a
 * lost device no copies are left. */
static void later_batches(void **state) {
  (void)state;
  struct agglom_counters c;
  capture_begin();
  start_two("call=launch,nth=5,error=sticky,times=2");
  void *block = open_data();
  for (unsigned round = 0; round < 2; ++round)
    two_batches(round);
  assert_true(device(0)->batches == 2 && device(1)->batches == 2);
  assert_true(device(0)->n_copies > 0 && device(1)->n_copies > 0);

  /* One batch by itself: the first device has it. */
  submit_mix(&mix_task, (struct mix_args){.y = y, .x = x, .ly = 0, .ny = 1, .nx = LONG, .v = 5});
  mix(&(struct mix_args){.y = wanted, .x = x, .ly = 0, .ny = 1, .nx = LONG, .v = 5});
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(y, wanted, sizeof y);
  assert_int_equal(device(0)->device->health, AG_DEVICE_QUARANTINED);
  assert_int_equal(device(1)->device->health, AG_DEVICE_OK);
  assert_int_equal(device(0)->n_copies, 0);
  assert_int_equal(device(0)->copies.count, 0);
  assert_true(device(1)->n_copies > 0);
  agglom_get_counters(&c);
  assert_int_equal(c.units_on_cpu, 1);
  uint64_t lost = device(0)->batches, left = device(1)->batches;

  submit_mix(&mix_task, (struct mix_args){.y = y, .x = x, .ly = 1, .ny = 1, .nx = LONG, .v = 6});
  mix(&(struct mix_args){.y = wanted, .x = x, .ly = 1, .ny = 1, .nx = LONG, .v = 6});
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(y, wanted, sizeof y);
  assert_int_equal(device(1)->batches, left + 1);
  assert_int_equal(device(1)->device->health, AG_DEVICE_QUARANTINED);
  assert_int_equal(device(1)->copies.count, 0);

  for (unsigned round = 10; round < 13; ++round)
    two_batches(round);
  assert_int_equal(device(0)->batches, lost);
  assert_int_equal(device(1)->batches, left + 1);
  agglom_get_counters(&c);
  assert_int_equal(c.failed, 2);
  assert_int_equal(c.units_on_device, 4);
  assert_int_equal(c.units_on_cpu, 8);
  agglom_data_end(block);
  assert_int_equal(agglom_shutdown(), 0);
  const char *said = capture_end();
  assert_int_equal(occurrences(said, "it is not used any more"), 2);
}

/* With one of two lost, the other takes everything, many batches at a time. */
static void one_takes_all(void **state) {
  (void)state;
  struct agglom_counters c;
  capture_begin();
  start_two("call=launch,nth=1,error=sticky");
  for (unsigned round = 0; round < 20; ++round)
    two_batches(round);
  agglom_get_counters(&c);
  assert_int_equal(device(0)->device->health, AG_DEVICE_QUARANTINED);
  assert_int_equal(c.failed, 1);
  assert_int_equal(c.units_on_cpu, 1);
  assert_int_equal(device(0)->batches, 1);
  assert_int_equal(device(1)->batches, 39);
  assert_int_equal(agglom_shutdown(), 0);
  capture_end();
}

/* A batch failed, and its stream cannot be waited for either: nobody gets its slot, nor the memory that it
 * may still be writing to. */
static void slot_in_doubt(void **state) {
  (void)state;
  struct agglom_counters c;
  unsigned seen = 0;
  for (unsigned nth = 8; nth < 20;
       ++nth) { /* the call after one of a batch that fails is the end of its stream */
    char settings[200];
    snprintf(
        settings, sizeof settings,
        "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=single AGGLOM_FAULT=call=any,nth=%u,times=2",
        nth);
    capture_begin();
    start_with(settings);
    for (unsigned round = 0; round < 20; ++round)
      two_batches(round);
    unsigned dead = 0, held = 0, in_flight = 0;
    for (unsigned i = 0; i < AG_SLOTS; ++i) {
      const struct ag_slot *slot = &device(0)->slots[i];
      dead += atomic_load(&slot->state) == AG_SLOT_DEAD;
      held += atomic_load(&slot->state) == AG_SLOT_DEAD && slot->holder && slot->pins;
      in_flight += slot->holder != 0;
    }
    agglom_get_counters(&c);
    assert_int_equal(agglom_shutdown(), 0);
    const char *said = capture_end();
    if (!strstr(said, "stream_destroy failed"))
      continue;
    ++seen;
    if (dead != 1 || held != 1 || in_flight != 1 || c.units_on_cpu != 1 || c.units_on_device != 39)
      fail_msg("%u: %u slots are dead, %u of them hold something, %u in flight\n%s", nth, dead, held,
               in_flight, said);
  }
  assert_true(seen > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(later_batches),
      cmocka_unit_test(one_takes_all),
      cmocka_unit_test(slot_in_doubt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
