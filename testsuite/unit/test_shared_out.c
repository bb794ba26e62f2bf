/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units with a kernel on CPUs and devices at once (AGGLOM_SPLIT), and batches by what is measured
 * (AGGLOM_BATCH=occupancy, auto). Which unit ran where is written down by the units themselves. */
#include "capture.h"
#include "measure/measure.h"
#include "note_task.h"
#include "shared/runtime.h"
#include "workers/worker.h"

#include <limits.h>
#include <math.h>

/* The first batch is shared out to know both sides, later ones by what is known then. */
static void shares(void **state) {
  (void)state;
  enum { BATCH = 64, TRIAL = BATCH / 8 + 1 };
  for (int items = 0; items < 2; ++items) {
    start_here(items ? "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:64 AGGLOM_SPLIT=items"
                     : "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:64 AGGLOM_SPLIT=count");
    int share[8];
    for (int b = 0; b < 8; ++b) {
      note(&note_task, b * BATCH, (b + 1) * BATCH, 1);
      assert_int_equal(agglom_wait(), 0);
      share[b] = front(b * BATCH, (b + 1) * BATCH);
    }
    assert_int_equal(share[0], TRIAL);
    assert_int_equal(sizes[0], BATCH - TRIAL);
    for (int b = 2; b < 8 && !items; ++b) /* once and for all */
      assert_int_equal(share[b], share[1]);
    end_here();
  }
}

/* With items the units for CPUs cost as much as is theirs, but for half of the one at the border, which goes
 * to the side to which most of it belongs: a large one that stands first, too. */
static void unit_at_the_border(void **state) {
  (void)state;
  enum { BATCH = 64, LARGE = 1000000 };
  start_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:64 AGGLOM_SPLIT=items");
  for (int large_for_cpus = 0; large_for_cpus < 2; ++large_for_cpus) {
    /* Both sides are known: one of them does an item in an eighth of the time. */
    note(&note_task, 0, BATCH, 1);
    assert_int_equal(agglom_wait(), 0);
    struct ag_measured *m = note_task.state->measured;
    ag_lock(&m->lock);
    m->split.side[AG_SIDE_CPU].items = m->split.side[AG_SIDE_DEVICE].items = 1e9;
    m->split.side[AG_SIDE_CPU].ns = large_for_cpus ? 1e9 : 8e9;
    m->split.side[AG_SIDE_DEVICE].ns = large_for_cpus ? 8e9 : 1e9;
    ag_unlock(&m->lock);
    note(&note_task, BATCH, BATCH + 1, LARGE);
    note(&note_task, BATCH + 1, 2 * BATCH, 1);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(front(BATCH, 2 * BATCH) > 0, large_for_cpus);
    for (unsigned i = 0; i < 2 * BATCH; ++i)
      where[i] = 0;
  }
  end_here();
}

/* Of 10 units alike CPUs get 1 when 0.6 are theirs, none when 0.4 are. */
static void share_by_unit(void **state) {
  (void)state;
  for (unsigned tenths = 0; tenths <= 100; ++tenths) {
    struct ag_split_share share = {.items = tenths / 10.0, .units = 10};
    uint64_t n = 0;
    while (ag_split_share_takes(&share, n, (double)n, 1))
      ++n;
    assert_int_equal(n, tenths > 95 ? 10 : (tenths + 5) / 10);
    share = (struct ag_split_share){.items = INFINITY, .units = tenths / 10};
    for (n = 0; ag_split_share_takes(&share, n, (double)n, 1); ++n)
      ;
    assert_int_equal(n, tenths / 10);
  }
}

/* The same byte again and again: CPUs have the front of that, too, and a device follows them. */
static void chains(void **state) {
  (void)state;
  start_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:16 AGGLOM_SPLIT=items");
  for (int i = 0; i < 16; ++i)
    note(&note_task, 0, 1, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(where[0], 3 * ON_CPU + 13 * ON_DEVICE);
  end_here();
}

/* Of several batches that have failed more units come back than the next one has: what was left to devices
 * stays with them. */
static void left_to_devices_once(void **state) {
  (void)state;
  capture_begin();
  start_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 AGGLOM_SPLIT=items "
             "AGGLOM_FAULT=call=finished,nth=1,times=2");
  note(&note_task, 0, 32, 1);
  const struct ag_worker *mine = ag_worker_mine(ag_runtime_running());
  uint64_t for_cpus = mine->queues[note_task.state->index]->lane[AG_LANE_CPU].count;
  assert_int_equal(agglom_wait(), 0);
  unsigned on_cpus = 0;
  for (int i = 0; i < 32; ++i)
    on_cpus += where[i] == ON_CPU;
  end_here();
  assert_non_null(strstr(capture_end(), "failed"));
  assert_in_range(for_cpus, 2, 8);
  assert_int_equal(on_cpus, for_cpus);
}

static void only_devices(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:16 AGGLOM_SPLIT=items",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:16 AGGLOM_SPLIT=count",
      ("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=single AGGLOM_SPLIT=auto "
       "AGGLOM_EMULATE=unit=50us"),
  };
  for (int s = 0; s < 3; ++s) {
    start_here(settings[s]);
    note(&gpu_note_task, 0, 200, 1);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(front(0, 200), 0);
    end_here();
  }
}

/* All that a device has no time for. */
static void busy_device(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=auto AGGLOM_BATCH=auto",
  };
  for (int s = 0; s < 3; ++s)
    for (int known = 0; known < 2; ++known) {
      start_here(settings[s]);
      if (known) {
        note(&note_task, 0, 100, 1);
        assert_int_equal(agglom_wait(), 0);
      }
      char nothing = 0;
      for (unsigned i = 0; i < 3; ++i) /* as many as a device can have */
        assert_int_equal(agglom_submit(&hold_task, &nothing, NULL, 0, 1), 0);
      note(&note_task, 1000, 1500, 1);
      assert_int_equal(agglom_wait_on(where + 1000, 500), 0);
      assert_int_equal(front(1000, 1500), 500);
      atomic_store(&let_go, true);
      assert_int_equal(agglom_wait(), 0);
      end_here();
    }
}

/* Whatever units cost: none is left for a CPU that does not want it. */
static void skewed(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=auto AGGLOM_BATCH=auto",
  };
  srand(7);
  for (int s = 0; s < 2; ++s) {
    start_here(settings[s]);
    for (int round = 0; round < 500; ++round) {
      int units = 1 + rand() % 6;
      memset(where, 0, (size_t)units);
      for (int i = 0; i < units; ++i)
        note(&note_task, i, i + 1, 1ull << rand() % 24);
      assert_int_equal(agglom_wait(), 0);
      for (int i = 0; i < units; ++i)
        assert_in_range(where[i], ON_CPU, ON_DEVICE);
    }
    end_here();
  }
}

/* What was expected of a batch, and was wrong, is forgotten when the batch is over, however it ended. Else
 * the device would count as busy for years. */
static void expected(void **state) {
  (void)state;
  static const unsigned long long costs[] = {0, 1, 1000000000000, ULLONG_MAX};
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=single AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=auto AGGLOM_FAULT=call=mark,nth=3,times=2",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=auto AGGLOM_FAULT=call=finished,nth=4,times=3",
  };
  for (int s = 0; s < 4; ++s) {
    capture_begin();
    start_here(settings[s]);
    for (int round = 0; round < 8; ++round) {
      memset(where, 0, 10);
      note(&gpu_note_task, 0, 10, costs[round % 4]);
      assert_int_equal(agglom_wait(), 0);
      assert_int_equal(atomic_load(&ag_runtime_running()->accelerators[0].expected_ns), 0);
      for (int i = 0; i < 10; ++i)
        assert_in_range(where[i], ON_CPU, ON_DEVICE);
    }
    end_here();
    capture_end();
  }
}

static int larger_first(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x < y) - (x > y);
}

/* Two threads of an emulated device count as two multiprocessors of 32 blocks. */
static void occupancy(void **state) {
  (void)state;
  static const unsigned expected[] = {64, 64, 64, 2};
  start_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=occupancy AGGLOM_EMULATE=threads=2");
  note(&note_task, 0, 194, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(launches, 4);
  qsort(sizes, 4, sizeof *sizes, larger_first);
  assert_memory_equal(sizes, expected, sizeof expected);
  end_here();
}

/* Of a thread that goes on submitting and never waits, the device gets something. */
static void under_way(void **state) {
  (void)state;
  struct agglom_task *const both[] = {&note_task, &free_note_task};
  for (int workers = 1; workers < 3; ++workers)
    for (int t = 0; t < 2; ++t) {
      start_here(workers == 1 ? "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto"
                              : "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=auto");
      struct agglom_counters c = {0};
      for (int i = 0; i < N && c.launches < 5; ++i) {
        if (i % 64 == 0)
          agglom_get_counters(&c);
        note(both[t], i, i + 1, 1);
      }
      assert_true(c.launches >= 5);
      assert_int_equal(agglom_wait(), 0);
      end_here();
    }
}

int main(void) {
  const struct CMUnitTest cases[] = {cmocka_unit_test(shares),
                                     cmocka_unit_test(chains),
                                     cmocka_unit_test(unit_at_the_border),
                                     cmocka_unit_test(share_by_unit),
                                     cmocka_unit_test(only_devices),
                                     cmocka_unit_test(busy_device),
                                     cmocka_unit_test(skewed),
                                     cmocka_unit_test(occupancy),
                                     cmocka_unit_test(under_way),
                                     cmocka_unit_test(expected),
                                     cmocka_unit_test(left_to_devices_once)};
  return cmocka_run_group_tests(cases, NULL, NULL);
}
