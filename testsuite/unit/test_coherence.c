/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is sent: copies on devices are there when they are worth something, as long as they are current. */
#include "capture.h"
#include "directives.h"
#include "inner_task.h"
#include "launch/coherence.h"
#include "shared/runtime.h"

#include <pthread.h>

static struct agglom_task *const own_tasks[] = {&inner_task};
static struct agglom_module own_module = TASK_MODULE("own.c", own_tasks);

static void start_here(const char *settings) {
  start_with(settings);
  assert_int_equal(agglom_register(&own_module), 0);
}

/* Totals of a task since the start. */
static struct ag_observe_totals totals_of(const struct agglom_task *task) {
  struct ag_observe_totals t;
  ag_observe_totals(task->state->observe, &t);
  return t;
}

enum { LONG = 4096 };

static void mix_once(uint64_t *y, long ly, long ny, uint64_t *x, long lx, long nx) {
  submit_mix(&mix_task, (struct mix_args){.y = y, .ly = ly, .ny = ny, .x = x, .lx = lx, .nx = nx, .v = 1});
}

/* Bytes that a function makes move, with settings; *reused as the device had them. */
static uint64_t moved(const char *settings, void (*function)(void), uint64_t *reused) {
  char all[300];
  snprintf(all, sizeof all, "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=single %s", settings);
  start_here(all);
  function();
  assert_int_equal(agglom_wait(), 0);
  struct ag_observe_totals t = totals_of(&mix_task);
  assert_int_equal(t.failed, 0);
  assert_int_equal(agglom_shutdown(), 0);
  *reused = t.bytes_reused;
  return t.bytes_in;
}

static uint64_t x[LONG], y[LONG], z[LONG];

static void read_often(void) {
  for (int i = 0; i < 10; ++i)
    mix_once(y, i, 1, x, 0, LONG);
}

/* Many units read the same: it is sent once, and again after a wait. */
static void sent_once(void **state) {
  (void)state;
  uint64_t reused, without = moved("AGGLOM_REUSE=off", read_often, &reused);
  assert_int_equal(reused, 0);
  assert_true(without >= 10 * sizeof x);
  uint64_t with = moved("", read_often, &reused);
  assert_int_equal(reused, 9 * sizeof x);
  assert_in_range(with + reused, without - 10 * 64, without + 10 * 64); /* but for alignment */
}

static void part_by_part(void) {
  mix_once(y, 0, 1, x, 0, LONG);
  mix_once(y, 1, 1, x, 100, 700);
  mix_once(y, 2, 1, x, LONG - 500, 500);
}

static void parts_of_a_copy_serve(void **state) {
  (void)state;
  uint64_t reused;
  moved("", part_by_part, &reused);
  assert_int_equal(reused, 1200 * sizeof *x);
}

static void written_in_place(void) {
  for (int i = 0; i < 8; ++i) {
    mix_once(x, 0, LONG, z, 0, 0);
    mix_once(y, 0, 1, x, 0, LONG);
  }
}

static void results_stay(void **state) {
  (void)state;
  uint64_t reused;
  moved("", written_in_place, &reused);
  /* All but the first use of x; y[0] is too. */
  assert_int_equal(reused, 15 * sizeof x + 7 * sizeof *y);
}

/* Two arrays by turns, the first and the last element stay as they are: neither is in one place as a whole.
 */
static void back_and_forth(void) {
  for (int i = 0; i < 6; ++i) {
    mix_once(y, 1, LONG - 2, x, 0, LONG);
    mix_once(x, 1, LONG - 2, y, 0, LONG);
  }
}

static void parts_are_moved(void **state) {
  (void)state;
  uint64_t reused, off = moved("AGGLOM_REUSE=off", back_and_forth, &reused);
  uint64_t on = moved("", back_and_forth, &reused);
  assert_true(off > 20 * sizeof x);
  /* x as a whole, and the inner part of y, which the first unit updates; then edges and arguments. */
  assert_true(on < 2 * sizeof x + 12 * 1024);
}

/* Outputs that lie near each other come back in one copy, also from where an earlier batch has put them. */
static void neighbours_come_together(void **state) {
  (void)state;
  for (int calls = 1; calls <= 3; ++calls) { /* the first, second, third copy out fails, if there is one */
    char settings[200];
    snprintf(
        settings, sizeof settings,
        "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 AGGLOM_FAULT=call=copy_out,nth=%d",
        calls);
    capture_begin();
    start_here(settings);
    memset(y, 0, sizeof y);
    for (int round = 0; round < 2; ++round)
      for (long i = 0; i < 16; ++i)
        mix_once(y, i * 110, 100, x, 0, 0);
    assert_int_equal(agglom_wait(), 0);
    struct ag_observe_totals t = totals_of(&mix_task);
    assert_int_equal(agglom_shutdown(), 0);
    capture_end();
    assert_int_equal(t.failed, calls <= 2);
    for (long i = 0; i < 16 * 110; ++i)
      assert_int_equal(y[i], i % 110 < 100 ? 32 : 0);
  }
}

static void waits_between(void) {
  for (int i = 0; i < 5; ++i) {
    mix_once(y, 0, 1, x, 0, LONG);
    assert_int_equal(agglom_wait(), 0);
  }
}

static void waits_in_block(void) {
  struct agglom_range range = {x, 0, LONG};
  void *block = agglom_data_begin(&data, &range);
  waits_between();
  agglom_data_end(block);
  waits_between();
}

static void only_resident_memory_survives_waits(void **state) {
  (void)state;
  uint64_t reused;
  moved("", waits_between, &reused);
  assert_int_equal(reused, 0);
  moved("", waits_in_block, &reused);
  assert_int_equal(reused, 4 * sizeof x);
}

static void updates_in_block(void) {
  struct agglom_range range = {x, 0, LONG}, part = {x, 0, LONG / 2};
  void *block = agglom_data_begin(&data, &range);
  mix_once(y, 0, 1, x, 0, LONG);
  agglom_update_sections(&update_device, &part);
  mix_once(y, 0, 1, x, LONG / 2, LONG / 2);
  mix_once(z, 0, 1, x, 0, LONG / 2);
  agglom_wait_on(x, sizeof x);
  mix_once(y, 1, 1, x, LONG / 2, LONG / 2);
  agglom_data_end(block);
}

static void updates_take_what_they_name(void **state) {
  (void)state;
  uint64_t reused;
  moved("", updates_in_block, &reused);
  assert_int_equal(reused, sizeof x + sizeof *y);
}

/* What a unit writes on the CPU is sent anew, and what a CPU-only unit names. */
static void cpu_between(void) {
  mix_once(y, 0, 1, x, 0, LONG);
  submit_mix(&host_task, (struct mix_args){.y = x, .ny = LONG / 2, .x = z, .v = 1});
  assert_int_equal(agglom_wait_on(z, 0), 0);
  while (totals_of(&host_task).on_cpu < 1)
    assert_int_equal(agglom_wait_on(x, 8), 0);
  mix_once(y, 1, 1, x, LONG / 2, LONG / 2);
  mix_once(y, 2, 1, x, 0, LONG / 2);
}

static void cpu_units_make_copies_stale(void **state) {
  (void)state;
  uint64_t reused;
  moved("", cpu_between, &reused);
  assert_int_equal(reused, LONG / 2 * sizeof *x);
}

/* More data than the device holds, round and round: never more traffic than without reuse. */
static void too_much(void) {
  for (int round = 0; round < 6; ++round)
    for (long i = 0; i + 256 <= LONG; i += 256)
      mix_once(y, 0, 1, x, i, 256);
}

static void eviction_costs_nothing(void **state) {
  (void)state;
  uint64_t reused, small = moved("AGGLOM_EMULATE=memory=40KB", too_much, &reused);
  uint64_t off = moved("AGGLOM_REUSE=off AGGLOM_EMULATE=memory=40KB", too_much, &reused);
  uint64_t large = moved("", too_much, &reused);
  assert_true(small > 0 && small <= off);
  assert_true(large < off / 3);
}

/* The device's copy of a structure holds the device's pointers: it serves one batch, and no other. */
static void pointers_are_not_shared(void **state) {
  (void)state;
  enum { N = 700 };
  start_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=single");
  static uint64_t cells[N];
  memset(y, 0, sizeof y);
  static struct box box[20];
  for (int i = 0; i < 20; ++i)
    box[i] = (struct box){cells, N};
  for (int i = 0; i < 20; ++i) {
    submit_inner(&box[i], 1);
    mix_once(y, i, 1, (uint64_t *)box, 2 * i, 1); /* reads the pointer as a number */
    mix_once(z, i, 1, cells, 0, N);
  }
  assert_int_equal(agglom_wait(), 0);
  for (int i = 0; i < 20; ++i)
    assert_int_equal(y[i], 7 + (uintptr_t)cells);
  assert_int_equal(cells[N - 1], 20);
  assert_true(totals_of(&inner_task).bytes_reused >= 19 * sizeof cells);
  assert_int_equal(agglom_shutdown(), 0);
}

/* n units of two batches that read single elements, none next to another. */
static void read_scattered(int n) {
  for (int i = 0; i < n; ++i)
    mix_once(y, i, 1, x, 6 * i, 1);
  for (int i = 0; i < n; ++i)
    mix_once(z, i, 1, x, 6 * i, 1);
}

static void read_some(void) { read_scattered(100); }
static void read_many(void) { read_scattered(600); }

/* A few small regions are there for the next batch; of many, each would cost more than to send it again. */
static void many_scattered_ones_are_sent_again(void **state) {
  (void)state;
  uint64_t reused;
  moved("AGGLOM_BATCH=static:100", read_some, &reused);
  assert_int_equal(reused, 100 * sizeof *x);
  moved("AGGLOM_BATCH=static:600", read_many, &reused);
  assert_int_equal(reused, 0);
}

/* A batch that reads x, placed in a slot. */
static void place_on(struct ag_runtime *rt, struct ag_slot *slot, struct ag_unit **u, uint64_t *from,
                     long n) {
  static unsigned zero = 0, one = 1;
  struct mix_args args = {.y = y, .x = from, .nx = n};
  struct agglom_range ranges[] = {{y, 0, 0}, {from, 0, n}};
  *u = calloc(1, mix_task.state->unit_size);
  assert_int_equal(ag_unit_check(&mix_task, ranges, (*u)->access, NULL), 0);
  ag_unit_fill(*u, &mix_task, &args, 0, 1, true);
  slot->batch = (struct ag_batch){.task = &mix_task,
                                  .units = u,
                                  .n_units = 1,
                                  .start = &zero,
                                  .end = &one,
                                  .part = &zero,
                                  .parts = &one,
                                  .n_chains = 1};
  void *block;
  assert_int_equal(ag_stage_collect(&slot->stage, &slot->batch), 0);
  assert_int_equal(ag_coherence_place(rt, slot, &block), 0);
  assert_int_equal(ag_stage_pack(&slot->stage, &slot->batch, slot->staging, block), 0);
  ag_coherence_publish(rt, slot);
}

static void place(struct ag_runtime *rt, struct ag_slot *slot, struct ag_unit **u) {
  place_on(rt, slot, u, x, LONG);
}

/* Whatever the batches in flight hold, in whatever order they end: the next one finds memory. */
static void memory_for_each_batch(void **state) {
  (void)state;
  enum { WORDS = 128 << 10 };
  static uint64_t from[WORDS];
  static struct ag_runtime rt;
  struct ag_accelerator *acc = &rt.accelerators[0];
  struct ag_unit *unit[AG_SLOTS] = {NULL};
  struct ag_device *device;
  uint64_t seed = 3;
  set_environment("AGGLOM_EMULATE=memory=1MB");
  assert_int_equal(agglom_register(&tasks_module), 0);
  assert_int_equal(ag_devices_open("emulated", &device, 1), 1);
  assert_int_equal(ag_accelerator_open(acc, device, 0), 0);
  rt.config.reuse = true;
  rt.n_accelerators = 1;
  pthread_mutex_init(&rt.residents.lock, NULL);
  size_t reused = 0;
  for (int step = 0; step < 20000; ++step) {
    unsigned s = (unsigned)(next_random(&seed) % AG_SLOTS);
    if (unit[s]) {
      ag_slot_release(acc, &acc->slots[s], false);
      acc->slots[s].batch = (struct ag_batch){0};
      free(unit[s]);
      unit[s] = NULL;
    } else {
      long n = 1 + (long)(next_random(&seed) % (acc->slot_bytes / sizeof *from - 256));
      place_on(&rt, &acc->slots[s], &unit[s], from + next_random(&seed) % (uint64_t)(WORDS - n), n);
      reused += acc->slots[s].stage.bytes_reused;
    }
  }
  assert_true(reused > (size_t)100 << 20);
  for (unsigned s = 0; s < AG_SLOTS; ++s) {
    acc->slots[s].batch = (struct ag_batch){0};
    free(unit[s]);
  }
  ag_accelerator_close(acc);
}

/* Who uses a copy that is on its way waits for who brings it, and fails with it. */
static void users_fail_with_their_loader(void **state) {
  (void)state;
  struct ag_device *device;
  set_environment("");
  assert_int_equal(agglom_register(&tasks_module), 0);
  assert_int_equal(ag_devices_open("emulated", &device, 1), 1);
  for (int fails = 0; fails < 2; ++fails) {
    static struct ag_runtime rt;
    struct ag_accelerator *acc = &rt.accelerators[0];
    struct ag_slot *slot[3];
    struct ag_unit *unit[3];
    if (!fails)
      assert_int_equal(ag_accelerator_open(acc, device, 0), 0);
    rt.config.reuse = true;
    rt.n_accelerators = 1;
    if (!fails)
      pthread_mutex_init(&rt.residents.lock, NULL);
    for (int i = 0; i < 3; ++i) {
      slot[i] = ag_slot_acquire(acc);
      place(&rt, slot[i], &unit[i]);
      assert_int_equal(slot[i]->stage.bytes_reused, i || fails ? sizeof x : 0);
    }
    assert_int_equal(ag_coherence_settled(&rt, slot[0]), 0);
    assert_int_equal(ag_coherence_settled(&rt, slot[1]), fails ? 0 : -EAGAIN);
    ag_slot_release(acc, slot[0], false);
    assert_int_equal(ag_coherence_settled(&rt, slot[1]), 0);
    assert_int_equal(ag_coherence_settled(&rt, slot[2]), 0);
    if (fails) {
      ag_coherence_failed(&rt, slot[1]);
      assert_int_equal(acc->copies.count, 0);
    }
    for (int i = 1; i < 3; ++i)
      ag_slot_release(acc, slot[i], false);
    for (int i = 0; i < 3; ++i) {
      slot[i]->batch = (struct ag_batch){0};
      free(unit[i]);
    }
    if (fails) { /* nothing is there any more: the first brings x again, and then fails */
      for (int i = 0; i < 2; ++i) {
        slot[i] = ag_slot_acquire(acc);
        place(&rt, slot[i], &unit[i]);
      }
      assert_int_equal(slot[1]->stage.bytes_reused, sizeof x);
      ag_coherence_failed(&rt, slot[0]);
      assert_int_equal(ag_coherence_settled(&rt, slot[1]), -ESTALE);
      ag_slot_release(acc, slot[0], false);
      assert_int_equal(ag_coherence_settled(&rt, slot[1]), -ESTALE);
      ag_slot_release(acc, slot[1], false);
      for (int i = 0; i < 2; ++i) {
        slot[i]->batch = (struct ag_batch){0};
        free(unit[i]);
      }
      ag_accelerator_close(acc);
    }
  }
}

/* Two batches read x, the second one the copy that the first has brought, which fails: it has to be repeated,
 * but nothing is wrong with it. */
static void relied_on_a_failure(void **state) {
  (void)state;
  struct agglom_counters c;
  capture_begin();
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:4 "
             "AGGLOM_FAULT=call=finished,nth=1");
  memset(y, 0, sizeof y);
  for (long i = 0; i < 8; ++i)
    assert_int_equal(submit_mix(&mix_task, (struct mix_args){y, x, i, 1, 0, LONG, 1}), 0);
  assert_int_equal(agglom_wait(), 0);
  for (int i = 0; i < 8; ++i)
    assert_true(y[i] == y[0] && y[i]);
  agglom_get_counters(&c);
  assert_int_equal(c.failed, 1);
  assert_int_equal(mix_on_cpu, 0);
  assert_true(mix_on_device > 8); /* the second one did run twice */
  assert_int_equal(agglom_shutdown(), 0);
  assert_int_equal(occurrences(capture_end(), "failed on emulated:0"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_scattered_ones_are_sent_again),
                                     cmocka_unit_test(sent_once),
                                     cmocka_unit_test(parts_of_a_copy_serve),
                                     cmocka_unit_test(results_stay),
                                     cmocka_unit_test(parts_are_moved),
                                     cmocka_unit_test(neighbours_come_together),
                                     cmocka_unit_test(only_resident_memory_survives_waits),
                                     cmocka_unit_test(updates_take_what_they_name),
                                     cmocka_unit_test(cpu_units_make_copies_stale),
                                     cmocka_unit_test(eviction_costs_nothing),
                                     cmocka_unit_test(pointers_are_not_shared),
                                     cmocka_unit_test(users_fail_with_their_loader),
                                     cmocka_unit_test(relied_on_a_failure),
                                     cmocka_unit_test(memory_for_each_batch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
