/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the runtime measures and expects of batches on devices, and what policies are shown of it. One thread
 * plays all parts, with times that are made up. */
#include "launch/launch.h"
#include "measure/measure.h"
#include "model_batches.h"
#include "note_task.h"
#include "shared/kernels.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "workers/load.h"
#include "workers/worker.h"

#define DAY_NS 86400000000000
/* No test takes so long. */
#define LONG_NS (UINT64_C(1) << 60)

/* Those of the host, and to the device, are longer than what a test does between two looks at the clock. */
enum { LAUNCH = 400000000, ITEM = 10, HOST = 300000000, IN = 50000000, IN_UNIT = 10000000, OUT = 40 };

static struct ag_runtime *rt;
static struct ag_worker *mine;
static struct ag_accelerator *acc;

static bool near(double x, double y) { return x >= 0.999 * y && x <= 1.001 * y; }

/* Two devices, of which the first takes LAUNCH and ITEM for each item of a note, and nothing is known of the
 * second; five units wait. */
static void begin_with(const char *settings) {
  start_here(settings);
  assert_int_equal(agglom_init(), 0);
  rt = ag_runtime_running();
  mine = ag_worker_mine(rt);
  acc = rt->accelerators;
  note(&note_task, 0, 5, 7);
  struct ag_model *m = ag_task_model_lock(&note_task);
  *m = (struct ag_model){0};
  m->device[0].times = (struct ag_batch_times){LAUNCH, ITEM, ag_task_fill(&note_task, 0), AG_FORM_LINE};
  m->device[0].host = (struct ag_host_times){HOST, 1};
  m->device[0].in = (struct ag_host_times){IN, IN_UNIT};
  m->device[0].out = (struct ag_host_times){OUT, 1};
  ag_task_model_unlock(&note_task);
}

static void begin_here(void) {
  begin_with("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000");
}

/* A slot with a batch of so many items, of which nothing is real. */
static struct ag_slot *batch(int device, unsigned units, double items) {
  struct ag_slot *slot = ag_slot_acquire(&acc[device]);
  assert_non_null(slot);
  slot->batch.task = &note_task;
  slot->batch.n_units = units;
  slot->batch.n_chains = units;
  slot->batch.view.items = items;
  return slot;
}

static void end_batch(struct ag_slot *slot) {
  struct ag_accelerator *on = &acc[slot->where];
  ag_measure_over(on, slot);
  slot->batch.n_units = slot->batch.n_chains = 0;
  ag_slot_release(on, slot, false);
}

static uint64_t expected(int device) { return atomic_load(&acc[device].expected_ns); }
static uint64_t since(int device) { return atomic_load(&acc[device].since_ns); }

/* --- Expecting ------------------------------------------------------------------------------------------ */

/* By the model, each batch once, however often it grows. */
static void expectations(void **state) {
  (void)state;
  begin_here();
  uint64_t before = ag_clock_ns();
  struct ag_slot *a = batch(0, 5, 100), *b;
  ag_measure_expect(acc, a, false);
  uint64_t first = since(0);
  const uint64_t in = IN + 5 * IN_UNIT;
  assert_true(first >= before + HOST + 5 + in && first <= ag_clock_ns() + HOST + 5 + in); /* it is staged */
  assert_int_equal(expected(0), LAUNCH + 100 * ITEM);
  a->batch.view.items = 300;
  before = ag_clock_ns();
  ag_measure_expect(acc, a, true);
  first = since(0);
  assert_true(first >= before + in && first <= ag_clock_ns() + in);
  assert_int_equal(expected(0), LAUNCH + 300 * ITEM);
  atomic_store(&acc->since_ns, 1);
  atomic_store(&a->state, AG_SLOT_RUNNING);
  b = batch(0, 5, 50);
  ag_measure_expect(acc, b, false);
  assert_int_equal(expected(0), 2 * LAUNCH + 350 * ITEM);
  ag_measure_expect(acc, b, true);
  assert_int_equal(since(0), 1); /* the device works on what it had */
  end_batch(a);
  assert_int_equal(expected(0), LAUNCH + 50 * ITEM);
  end_batch(b);
  assert_int_equal(expected(0), 0);
  ag_measure_over(acc, a);
  assert_int_equal(expected(0), 0);
  assert_int_equal(expected(1), 0);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* The copies of a batch keep the device longer than its blocks do: so the next one waits for these. */
static void copies_take_longer(void **state) {
  (void)state;
  begin_here();
  struct ag_device_model *m = &note_task.state->measured->model.device[0];
  m->times.launch_ns = 0;
  struct ag_slot *a = batch(0, 5, 100);
  uint64_t before = ag_clock_ns();
  ag_measure_expect(acc, a, false);
  uint64_t begun = since(0);
  assert_true(begun >= before + HOST + 5 && begun <= ag_clock_ns() + HOST + 5);
  assert_int_equal(expected(0), IN + 5 * IN_UNIT);
  end_batch(a);
  m->out.launch_ns = 2.0 * IN + 5 * IN_UNIT;
  a = batch(0, 5, 100);
  before = ag_clock_ns();
  ag_measure_expect(acc, a, true);
  begun = since(0);
  const uint64_t in = IN + 5 * IN_UNIT + 100 * ITEM;
  assert_true(begun >= before + in && begun <= ag_clock_ns() + in);
  assert_int_equal(expected(0), 2 * IN + 5 * IN_UNIT + 5);
  end_batch(a);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* A device has nothing to do while the results of its last batch are taken over, nor when that has failed;
 * what it has behind that it has from then on. */
static void nothing_is_left(void **state) {
  (void)state;
  begin_here();
  struct ag_slot *a = batch(0, 5, 100), *b = batch(0, 5, 100), *c;
  ag_measure_expect(acc, a, true);
  atomic_store(&a->state, AG_SLOT_POLLING); /* of which one has seen that it is over */
  atomic_store(&acc->since_ns, 1);
  ag_measure_over(acc, a);
  assert_true(since(0) > 1);
  atomic_store(&acc->since_ns, 1);
  uint64_t before = ag_clock_ns();
  ag_measure_expect(acc, b, true);
  const uint64_t in = IN + 5 * IN_UNIT;
  assert_true(since(0) >= before + in && since(0) <= ag_clock_ns() + in);
  atomic_store(&b->state, AG_SLOT_RUNNING);
  atomic_store(&acc->since_ns, 1);
  c = batch(0, 5, 100);
  ag_measure_expect(acc, c, false);
  ag_measure_over(acc, c); /* it could not be launched */
  assert_int_equal(since(0), 1);
  ag_measure_over(acc, c);
  ag_measure_expect(acc, c, true);
  assert_int_equal(since(0), 1);
  ag_measure_over(acc, b);
  assert_true(since(0) >= before && atomic_load(&acc->launched) == 1);
  atomic_store(&acc->since_ns, 1);
  end_batch(a);
  assert_int_equal(since(0), 1); /* it was over before */
  end_batch(b);
  end_batch(c);
  assert_int_equal(atomic_load(&acc->launched), 0);
  assert_int_equal(expected(0), 0);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* From its launch until it is over. */
static void batches_are_counted(void **state) {
  (void)state;
  begin_with("AGGLOM_DEVICES=emulated:1 AGGLOM_WORKERS=1 AGGLOM_BATCH=static:5 AGGLOM_SPLIT=count");
  assert_int_equal(ag_accelerator_taken(acc), 1);
  assert_int_equal(atomic_load(&acc->launched), 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(atomic_load(&acc->launched), 0);
  end_here();
}

/* A batch lasts as long as its longest unit keeps a block busy. */
static void long_units(void **state) {
  (void)state;
  begin_here();
  double fill = ag_task_fill(&note_task, 0);
  struct ag_device_model *m = &note_task.state->measured->model.device[0];
  m->times.form = AG_FORM_FULL;
  struct ag_slot *a = batch(0, 5, 35);
  a->batch.view.most = 20;
  ag_measure_expect(acc, a, false);
  assert_true(near((double)expected(0), LAUNCH + 20 * fill * ITEM));
  end_batch(a);
  ag_measured_reset(note_task.state->measured);
  a = batch(0, 5, 35);
  a->batch.view.most = 20;
  struct ag_device_times times = {.kernel = {100, 1100}};
  atomic_store(&acc->done_ns, 0);
  ag_measure_batch(acc, a, &times);
  assert_true(near(m->times.launch_ns + 20 * fill * m->times.item_ns, 1000));
  end_batch(a);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* Of a device of which nothing is known: 50 us and blocks that are a 16th as fast as a CPU unit. So the
 * others get something meanwhile. */
static void unknown_devices(void **state) {
  (void)state;
  begin_here();
  ag_measured_reset(note_task.state->measured);
  struct ag_slot *a = batch(0, 5, 100);
  ag_measure_expect(acc, a, false);
  assert_int_equal(expected(0), 0); /* nor of CPUs */
  ag_measured_cpu(&note_task, 7, 100, 7000);
  ag_measure_expect(acc, a, false);
  assert_true(near((double)expected(0), 50000 + 20 * 16 * 70.0));
  end_batch(a);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* Whatever units are said to cost. */
static void expectations_have_an_end(void **state) {
  (void)state;
  begin_here();
  struct ag_slot *a = batch(0, 5, 1e300);
  ag_measure_expect(acc, a, false);
  assert_int_equal(expected(0), DAY_NS);
  end_batch(a);
  assert_int_equal(expected(0), 0);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* --- Measuring ------------------------------------------------------------------------------------------ */

/* The model and the split state after one batch. */
struct after {
  struct ag_device_model model;
  double split_ns; /* of devices, in all */
};

/* As a timed policy is shown it; the one of these tests is none. */
static struct ag_batch_view shown(void) {
  struct ag_batch_view view = {.waiting = 5};
  const struct ag_batch_policy *policy = rt->policy;
  rt->policy = &ag_batch_auto;
  ag_measure_show(rt, &note_task, &view);
  rt->policy = policy;
  return view;
}

static struct after measured(struct ag_device_times times, uint64_t done_ns) {
  struct after after;
  struct ag_measured *m = note_task.state->measured;
  ag_measured_reset(m);
  struct ag_slot *slot = batch(0, 4, 40);
  slot->batch.n_chains = 2;
  slot->batch.view.most = 17;
  slot->batch.formed_ns = 1000;
  slot->batch.record.launched_ns = 1500;
  slot->batch.record.bytes_in = 64;
  slot->batch.record.bytes_out = 32;
  acc->copy_in = acc->copy_out = (struct ag_device_model){0};
  ag_measure_expect(acc, slot, true);
  atomic_store(&acc->done_ns, done_ns);
  ag_measure_batch(acc, slot, &times);
  after = (struct after){m->model.device[0], m->split.side[AG_SIDE_DEVICE].ns};
  end_batch(slot);
  return after;
}

/* From the first copy to the last, but for the time in which the device had others; and without the copies,
 * during which it may have others. */
static void batches_are_measured(void **state) {
  (void)state;
  begin_here();
  static const struct {
    struct ag_device_times times;
    uint64_t done, ns, own;
  } cases[] = {
      {{{100, 200}, {200, 700}, {700, 900}}, 0, 800, 500},
      {{{100, 200}, {200, 700}, {700, 900}}, 50, 800, 500},
      {{{100, 200}, {200, 700}, {700, 900}}, 300, 600, 500},
      {{{100, 200}, {200, 700}, {700, 900}}, 600, 300, 300},
      {{{0, 0}, {200, 700}, {700, 900}}, 0, 700, 500},
      {{{100, 200}, {200, 700}, {0, 0}}, 0, 600, 500},
      {{{100, 200}, {0, 0}, {700, 900}}, 0, 0, 0},
      {{{100, 200}, {200, 700}, {700, 900}}, 900, 0, 0},
      {{{100, 200}, {200, 700}, {700, 900}}, 901, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    uint64_t before = ag_clock_ns();
    struct after a = measured(cases[i].times, cases[i].done);
    assert_true(since(0) >= before); /* what the device has now it has had since then */
    assert_int_equal(a.split_ns, cases[i].ns);
    assert_int_equal(a.model.known, cases[i].ns > 0);
    struct ag_batch_view view = shown();
    assert_int_equal(ag_longest_of(&view.usual, 4), cases[i].ns ? 17 : 0);
    if (!cases[i].ns)
      continue;
    assert_true(near(a.model.uu, 1.0 / (double)(cases[i].own * cases[i].own)));
    assert_true(near(a.model.units, 4) && near(a.model.chains, 2) && near(a.model.items, 40));
    assert_true(near(a.model.host.launch_ns, 500));
    double in = (double)(cases[i].times.copy_in.end - cases[i].times.copy_in.begin);
    double out = (double)(cases[i].times.copy_out.end - cases[i].times.copy_out.begin);
    assert_true(near(ag_host_ns(&a.model.in, 4), in) && near(ag_host_ns(&a.model.out, 4), out));
    assert_int_equal(acc->copy_in.known, cases[i].times.copy_in.end > 0);
    assert_int_equal(acc->copy_out.known, cases[i].times.copy_out.end > 0);
  }
  measured(cases[0].times, 0);
  assert_true(near(acc->copy_in.items, 64) && near(acc->copy_out.items, 32));
  assert_int_equal(atomic_load(&acc->done_ns), 900);
  measured(cases[0].times, 901); /* seen by another thread, later than one that ended after it */
  assert_int_equal(atomic_load(&acc->done_ns), 901);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* Clocks of devices may say that a copy was over before it began, or not say when it was: nobody knows what
 * it took, and all is as if there had been none. */
static void odd_times(void **state) {
  (void)state;
  begin_here();
  static const struct {
    struct ag_device_times times;
    double own, in, out;
  } cases[] = {
      {{{260, 190}, {200, 700}, {700, 900}}, 500, 0, 200}, {{{150, 0}, {200, 700}, {700, 900}}, 500, 0, 200},
      {{{100, 200}, {200, 700}, {950, 900}}, 500, 100, 0}, {{{100, 200}, {200, 700}, {700, 0}}, 500, 100, 0},
      {{{100, 200}, {200, 700}, {700, 700}}, 500, 100, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct after a = measured(cases[i].times, 0);
    assert_int_equal(a.model.known, 1);
    assert_true(near(a.model.uu, 1 / (cases[i].own * cases[i].own)));
    assert_true(near(ag_host_ns(&a.model.in, 4), cases[i].in));
    assert_true(near(ag_host_ns(&a.model.out, 4), cases[i].out));
  }
  struct after a = measured((struct ag_device_times){{100, 200}, {210, 190}, {0, 0}}, 0);
  assert_int_equal(a.model.known, 0); /* it took less than nothing */
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* --- Showing -------------------------------------------------------------------------------------------- */

static struct ag_split_view split_shown(void) { return ag_measure_split(rt, &note_task, 5, 35); }

/* The device that has the least to do, and which have nothing. */
static void next_device_is_shown(void **state) {
  (void)state;
  begin_here();
  note_task.state->measured->model.device[0].commit = (struct ag_host_times){20, 3};
  struct ag_batch_view v = shown();
  assert_true(v.commit.launch_ns == 20 && v.commit.unit_ns == 3);
  assert_int_equal(v.devices, 2);
  assert_int_equal(v.idle, 2);
  assert_int_equal(v.in_flight, 0);
  assert_true(near(v.host.launch_ns, HOST));
  assert_int_equal(v.fill, ag_task_fill(&note_task, 0));
  assert_true(near(v.device.item_ns, ITEM));
  assert_true(v.in.launch_ns == IN && v.in.unit_ns == IN_UNIT && v.out.launch_ns == OUT &&
              v.out.unit_ns == 1);
  struct ag_split_view split = split_shown();
  assert_true(split.in.launch_ns == IN && split.in.unit_ns == IN_UNIT);
  assert_true(split.out.launch_ns == OUT && split.out.unit_ns == 1);
  assert_int_equal(split_shown().idle, 2);
  struct ag_slot *a = batch(0, 5, 35), *b, *c;
  v = shown(); /* now the second, of which nothing is known but that it is of the first one's kind */
  assert_int_equal(v.devices, 2);
  assert_int_equal(v.idle, 1);
  assert_int_equal(v.in_flight, 0);
  assert_true(near(v.host.launch_ns, HOST));
  assert_true(near(v.device.item_ns, ITEM));
  assert_true(near(split_shown().host.launch_ns, HOST));
  assert_int_equal(split_shown().idle, 1);
  b = batch(1, 5, 35);
  assert_int_equal(split_shown().idle, 0);
  v = shown(); /* of equals the first */
  assert_int_equal(v.idle, 0);
  assert_int_equal(v.in_flight, 1);
  assert_true(near(v.host.launch_ns, HOST) && near(split_shown().host.launch_ns, HOST));
  c = batch(1, 5, 35);
  assert_true(near(shown().host.launch_ns, HOST));
  end_batch(a);
  end_batch(b);
  end_batch(c);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* Nothing comes before less; who has no room, or something of which nobody knows, is the last. */
static void through_first(void **state) {
  (void)state;
  begin_with("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=1 AGGLOM_BATCH=auto");
  struct ag_slot *a = batch(0, 5, 35), *b[AG_SLOTS - 1];
  assert_int_equal(ag_measure_next(rt, &note_task, 0), 1);
  assert_int_equal(ag_measure_next(rt, &note_task, 2), 0);
  assert_int_equal(ag_measure_next(rt, &note_task, 3), -1);
  for (int i = 0; i + 1 < AG_SLOTS; ++i)
    b[i] = batch(1, 5, 35);
  atomic_store(&acc[0].since_ns, ag_clock_ns());
  atomic_store(&acc[1].since_ns, ag_clock_ns());
  atomic_store(&acc[0].expected_ns, LONG_NS);
  atomic_store(&acc[1].expected_ns, LONG_NS / 2);
  assert_int_equal(ag_measure_next(rt, &note_task, 0), 1);
  assert_true(near(shown().free_ns[0], (double)LONG_NS / 2) &&
              near(split_shown().busy_ns, (double)LONG_NS / 2));
  struct ag_slot *slot = ag_launch_slot(rt, &note_task);
  assert_int_equal(slot->where, 1);
  assert_int_equal(ag_measure_next(rt, &note_task, 0), 0);
  ag_slot_release(&acc[1], slot, false);
  atomic_store(&acc[1].expected_ns, 0);
  assert_int_equal(ag_measure_next(rt, &note_task, 0), 0);
  atomic_store(&acc[0].expected_ns, 0);
  assert_int_equal(ag_measure_next(rt, &note_task, 0), 0); /* it has fewer */
  end_batch(a);
  for (int i = 0; i + 1 < AG_SLOTS; ++i)
    end_batch(b[i]);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* What a device is expected to take, less what has passed; or as long again as it has taken. */
static void busy_devices_are_shown(void **state) {
  (void)state;
  begin_here();
  atomic_store(&acc->expected_ns, LONG_NS);
  atomic_store(&acc->since_ns, ag_clock_ns());
  assert_true(shown().free_ns[1] == 0 && split_shown().busy_ns == 0); /* it has nothing */
  struct ag_slot *a = batch(0, 5, 35), *b = batch(1, 5, 35);
  assert_true(near(shown().free_ns[1], (double)LONG_NS) && near(split_shown().busy_ns, (double)LONG_NS));
  atomic_store(&acc[1].expected_ns, 3 * LONG_NS);
  atomic_store(&acc[1].since_ns, ag_clock_ns());
  assert_true(near(shown().free_ns[0], LONG_NS) && near(shown().free_ns[1], 3.0 * LONG_NS));
  atomic_store(&acc->expected_ns, 0);
  atomic_store(&acc->since_ns, 0);
  double now = (double)ag_clock_ns();
  assert_true(shown().free_ns[1] >= now && split_shown().busy_ns >= now);
  atomic_store(&acc->since_ns, UINT64_MAX / 2); /* clocks of threads differ */
  assert_true(shown().free_ns[0] >= 0);
  atomic_store(&acc->since_ns, 0);
  end_batch(a);
  end_batch(b);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* Between two batches it has had nothing to do, also while it is not known yet what the next one takes, and
 * when two threads form one each at the same time. */
static void pauses_are_not_busy(void **state) {
  (void)state;
  begin_here();
  for (uint64_t ago = 0; ago < 2; ++ago) {
    atomic_store(&acc[1].since_ns, ago);
    uint64_t before = ag_clock_ns();
    struct ag_slot *a = batch(1, 5, 35), *b = batch(1, 5, 35);
    assert_true(since(1) >= before && since(1) <= ag_clock_ns());
    assert_true(shown().free_ns[1] < (double)before / 2);
    ag_measure_expect(&acc[1], b, false);
    ag_measure_expect(&acc[1], a, false);
    assert_true(shown().free_ns[1] < (double)before / 2);
    end_batch(a);
    end_batch(b);
  }
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* A slot that nobody can use any more is no batch: else the device would seem to work on it for ever. */
static void dead_slots_are_not_busy(void **state) {
  (void)state;
  begin_here();
  struct ag_slot *dead[] = {batch(0, 5, 35), batch(0, 5, 35)};
  assert_int_equal(ag_accelerator_taken(acc), 2);
  for (int i = 0; i < 2; ++i) {
    ag_measure_expect(acc, dead[i], false);
    end_batch(dead[i]);
    atomic_store(&dead[i]->state, AG_SLOT_DEAD);
  }
  assert_int_equal(ag_accelerator_taken(acc), 0);
  struct ag_batch_view v = shown();
  assert_true(near(v.host.launch_ns, HOST)); /* the first */
  assert_true(v.in_flight == 0 && v.idle == 2 && v.free_ns[1] == 0);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

static void cpus_are_shown(void **state) {
  (void)state;
  begin_here();
  ag_measured_cpu(&note_task, 2, 14, 7000);
  struct ag_split_view v = split_shown();
  assert_true(near(v.cpu_ns, 500) && near(v.spent_ns, 7000));
  assert_int_equal(v.cpus, rt->cpus);
  assert_int_equal(v.devices, 2);
  assert_int_equal(v.units, 5);
  assert_true(near(v.items, 35) && near(v.device.launch_ns, LAUNCH));
  assert_int_equal(v.sides, AG_SIDES_BOTH);
  for (int i = 0; i < 3; ++i)
    ag_measure_failed(&note_task); /* devices are to be tried less often */
  assert_true(near(split_shown().spent_ns, 7000.0 / 8));
  for (int i = 3; i < 100; ++i)
    ag_measure_failed(&note_task);
  assert_true(split_shown().spent_ns > 0 && split_shown().spent_ns < 1e-9);
  ag_measure_commit(&note_task, 0, 2, 500);
  assert_true(near(split_shown().spent_ns, 7000));
  const struct ag_split_state *s = &note_task.state->measured->split;
  assert_true(near(s->side[AG_SIDE_CPU].units, 2) && near(s->side[AG_SIDE_CPU].items, 14) &&
              near(s->side[AG_SIDE_CPU].ns, 7000));
  unsigned sleepers = atomic_load(&rt->sleepers);
  assert_int_equal(shown().lookers, sleepers);
  struct ag_load_before before = ag_load_begin(mine, AG_DOES_SHARE, 0);
  assert_int_equal(shown().lookers, sleepers + 1);
  ag_load_end(mine, before);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

static struct ag_batch_view seen;
static struct ag_batch_decision all(const struct ag_batch_choice *choice, const struct ag_batch_state *state,
                                    const struct ag_batch_view *view) {
  (void)choice, (void)state;
  seen = *view;
  return (struct ag_batch_decision){.units = view->waiting};
}

/* An untimed policy is told what waits, and nothing of devices and times: so it is in the simulator
 * (test_sim_dispatch.c). */
static void untimed_policies_see_no_devices(void **state) {
  (void)state;
  static const struct ag_batch_policy untimed = {.name = "untimed", .decide = all};
  begin_here();
  const struct ag_batch_policy *policy = rt->policy;
  rt->policy = &untimed;
  assert_int_equal(agglom_wait(), 0);
  rt->policy = policy;
  assert_true(seen.waiting == 5 && seen.items == 5 * 7);
  assert_true(!seen.now_ns && !seen.lookers && !seen.devices && !seen.idle && !seen.fill);
  assert_true(seen.device.item_ns == 0 && seen.host.launch_ns == 0);
  end_here();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expectations),        cmocka_unit_test(copies_take_longer),
      cmocka_unit_test(nothing_is_left),     cmocka_unit_test(batches_are_counted),
      cmocka_unit_test(unknown_devices),     cmocka_unit_test(expectations_have_an_end),
      cmocka_unit_test(long_units),          cmocka_unit_test(batches_are_measured),
      cmocka_unit_test(odd_times),           cmocka_unit_test(next_device_is_shown),
      cmocka_unit_test(through_first),       cmocka_unit_test(busy_devices_are_shown),
      cmocka_unit_test(pauses_are_not_busy), cmocka_unit_test(dead_slots_are_not_busy),
      cmocka_unit_test(cpus_are_shown),      cmocka_unit_test(untimed_policies_see_no_devices),
  };
  return cmocka_run_group_tests(tests, NULL, let_all_go);
}
