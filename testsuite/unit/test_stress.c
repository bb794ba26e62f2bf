/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many units of mixed types, sizes, conflicts and priorities, tasks that create tasks; and starting and
 * stopping over and over. STRESS_UNITS and STRESS_CYCLES say how many: `make stress` takes ten
 * million and ten thousand. */
#include "random_steps.h"

#include <unistd.h>

enum {
  SPAN = 1 << 14,   /* elements of the array */
  WINDOW = 512,     /* steps that are taken in one part of it */
  STEPS_A_WAIT = 10 /* windows between two waits */
};

static unsigned long long units_so_far(void) {
  struct agglom_counters c;
  agglom_get_counters(&c);
  return c.units;
}

static void stress(const char *settings, unsigned long long units, uint64_t seed) {
  static uint64_t real[SPAN], copy[SPAN];
  for (int i = 0; i < SPAN; ++i)
    real[i] = copy[i] = (uint64_t)i;
  start_with(settings);
  assert_int_equal(agglom_register(&part_module), 0);
  do {
    for (int w = 0; w < STEPS_A_WAIT; ++w) {
      long lo = (long)(next_random(&seed) % SPAN), n = 1 + (long)(next_random(&seed) % 700);
      struct part_args top = {real, lo, lo + n < SPAN ? n : SPAN - lo, 3, false, next_random(&seed) | 1};
      steps(&top, WINDOW);
      top.y = copy;
      top.plain = true;
      steps(&top, WINDOW);
      if (next_random(&seed) % 8 == 0) { /* a long one among the short */
        submit_grow(real, SPAN);
        grow_range(&(struct grow_args){copy, SPAN}, 0, 1);
      }
    }
    assert_int_equal(agglom_wait(), 0);
    assert_memory_equal(real, copy, sizeof real);
  } while (units_so_far() < units);
  struct agglom_counters c;
  agglom_get_counters(&c);
  assert_int_equal(c.units, c.units_on_cpu + c.units_on_device);
  assert_int_equal(agglom_shutdown(), 0);
}

static void many_units(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=4",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=4",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=4 AGGLOM_LINGER=200us",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=count:300",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_EMULATE=memory=512KB",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=4 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto AGGLOM_LINGER=200us",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=occupancy AGGLOM_SPLIT=items",
  };
  enum { N = sizeof settings / sizeof settings[0] };
  unsigned long units = from_environment("STRESS_UNITS", 25000);
  for (int s = 0; s < N; ++s)
    stress(settings[s], units / N, 17 + (uint64_t)s);
}

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &pages, &resident) != 2)
    resident = -1;
  if (f)
    fclose(f);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void starts_and_stops(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=2",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_EMULATE=memory=1MB"};
  unsigned long cycles = from_environment("STRESS_CYCLES", 100);
  uint64_t y[8] = {0}, z[8] = {0};
  long before = 0;
  for (unsigned long i = 0; i < cycles; ++i) {
    start_with(settings[i % 2]);
    for (uint64_t k = 0; k < 20; ++k) {
      struct mix_args a = {.y = y, .ny = 8, .v = k}, b = a;
      assert_int_equal(submit_mix(k % 2 ? &mix_task : &host_task, a), 0);
      b.y = z;
      mix(&b);
    }
    assert_int_equal(agglom_shutdown(), 0); /* without a wait: shutdown runs what is left */
    assert_memory_equal(y, z, sizeof y);
    if (i == cycles / 5)
      before = resident_kib();
  }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  before = resident_kib(); /* a sanitizer's own memory grows; it looks for leaks itself */
#endif
  /* A leak of 64 bytes a cycle would show in ten thousand. The first cycles warm the allocator up. */
  long grown = resident_kib() - before;
  if (grown > 512 + (long)cycles / 100)
    fail_msg("%ld KiB more after %lu starts and stops", grown, cycles);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_units), cmocka_unit_test(starts_and_stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
