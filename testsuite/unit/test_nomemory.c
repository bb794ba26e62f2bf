/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Without memory for new units a call is made in its turn: later than the others, never lost, never early. */
#include "rt_tasks.h"

static _Atomic bool none_left;

/* Pools take their memory with aligned_alloc(): this one is linked instead of the library's. */
void *aligned_alloc(size_t align, size_t bytes) {
  void *p = NULL;
  if (atomic_load(&none_left) || posix_memalign(&p, align, bytes))
    return NULL;
  return p;
}

static uint64_t y[3], z[3];

static void round_of(int units) {
  for (int k = 0; k < units; ++k) {
    struct agglom_task *tasks[] = {&mix_task, &host_task, &thread_task};
    struct mix_args a = {.y = y, .ly = k % 3, .ny = 1, .x = y, .lx = (k + 1) % 3, .nx = 1, .v = (uint64_t)k};
    assert_int_equal(submit_mix(tasks[k % 7 % 3], a), 0);
    a.x = a.y = z;
    mix(&a);
  }
}

static void memory_runs_out(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2"};
  for (size_t s = 0; s < 2; ++s) {
    memset(y, 0, sizeof y);
    memset(z, 0, sizeof z);
    start_with(settings[s]);
    for (int i = 0; i < 8; ++i) {
      round_of(20 << i);
      atomic_store(&none_left, true);
      round_of(1000);
      atomic_store(&none_left, false);
    }
    assert_int_equal(agglom_wait(), 0);
    assert_memory_equal(y, z, sizeof y);
    struct agglom_counters c;
    agglom_get_counters(&c);
    assert_int_equal(c.units, 8 * 1000 + 20 * 255);
    assert_int_equal(c.units_on_cpu + c.units_on_device, c.units);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* Not even the submitting task's own bookkeeping can be had. */
static void inner(void *context) {
  uint64_t *p = context;
  atomic_store(&none_left, true);
  submit_mix(&mix_task, (struct mix_args){.y = p, .ny = 1, .v = 2});
  submit_mix(&host_task, (struct mix_args){.y = p, .ny = 1, .v = 3});
  atomic_store(&none_left, false);
}

static void none_inside_a_task(void **state) {
  (void)state;
  uint64_t p[1] = {0};
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  submit_call(inner, p, 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(p[0], 2 * 31 + 3);
  assert_int_equal(agglom_shutdown(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out), cmocka_unit_test(none_inside_a_task)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
