/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A task whose priority differs from call to call has two queues: units of priority > 0 are launched apart
 * from the others. One thread plays all parts. */
#include "dispatch/decide.h"
#include "dispatch/dispatch.h"
#include "fifo/queues.h"
#include "measure/measure.h"
#include "one_thread.h"
#include "shared/kernels.h"

NOTE_TASK(varies_task, AGGLOM_TASK_PRIORITIES, 4);
NOTE_TASK(free_varies_task, AGGLOM_TASK_PRIORITIES | AGGLOM_TASK_INDEPENDENT, 5);
static struct agglom_task cpu_varies_task = {.name = "cpu_varies",
                                             .file = "note.c",
                                             .line = 6,
                                             .flags = AGGLOM_TASK_PRIORITIES | AGGLOM_TASK_CPU_ONLY,
                                             .args_size = sizeof(struct note_args),
                                             .args_align = _Alignof(struct note_args),
                                             .n_sections = 1,
                                             .sections = note_sections,
                                             .cpu = note_cpu,
                                             .module = &mix_module_header};

static struct agglom_task *const varies_tasks[] = {&varies_task, &free_varies_task, &cpu_varies_task};
static struct agglom_module varies_module = TASK_MODULE("varies.c", varies_tasks);

static const char *const on_device =
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=maximal AGGLOM_SPLIT=gpu";

static void begin(const char *settings) {
  begin_here(settings);
  assert_int_equal(agglom_register(&varies_module), 0);
}

static void end(void) {
  end_here();
  agglom_unregister(&varies_module);
}

/* n units, of which each third has one of these priorities. */
static void submit_mixed(struct agglom_task *task, int n, long long low, long long high) {
  for (int i = 0; i < n; ++i)
    note_one(task, i, i % 3 ? low : high, 1);
}

static void all_ran(int n, int as) {
  for (int i = 0; i < n; ++i)
    assert_int_equal(where[i], as);
}

static void apart(struct agglom_task *task, long long low, long long high) {
  begin(on_device);
  keep_busy();
  submit_mixed(task, 30, low, high);
  until_free();
  assert_true(ag_dispatch_one(mine, mine, AG_ON_WAIT, false)); /* the urgent ones, though others came first */
  assert_int_equal(fifo_of(task->state->urgent)->count, 0);
  assert_int_equal(fifo_of(task)->count, 20);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(launches, 2);
  assert_int_equal(sizes[0] + sizes[1], 30);
  assert_true(sizes[0] == 10 || sizes[1] == 10);
  all_ran(30, ON_DEVICE);
  end();
}

static void launched_apart(void **state) {
  (void)state;
  apart(&varies_task, 0, 1);
  apart(&varies_task, -5, INT64_MAX);
}

static void streams_too(void **state) {
  (void)state;
  begin(on_device);
  keep_busy();
  submit_mixed(&free_varies_task, 3000, 0, 7);
  until_free();
  assert_int_equal(agglom_wait(), 0);
  all_ran(3000, ON_DEVICE);
  assert_int_equal(launches, 2);
  assert_int_equal(sizes[0] + sizes[1], 3000);
  assert_true(sizes[0] == 1000 || sizes[1] == 1000);
  end();
}

/* Without the flag, and where all are of one class, there is one queue and one launch. */
static void together(struct agglom_task *task, long long low, long long high) {
  begin(on_device);
  keep_busy();
  submit_mixed(task, 30, low, high);
  until_free();
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(launches, 1);
  assert_int_equal(sizes[0], 30);
  end();
}

static void launched_together(void **state) {
  (void)state;
  together(&note_task, 0, 1);
  together(&varies_task, -3, 0);
  together(&varies_task, 1, 2);
}

/* Units that use the same memory have their order whatever queues they stand in. */
static void in_order(void **state) {
  (void)state;
  begin(on_device);
  keep_busy();
  for (int i = 0; i < 12; ++i)
    note_one(&varies_task, 0, i % 2, 1);
  assert_int_equal(fifo_of(&varies_task)->count, 1); /* the second one waits until it is complete */
  until_free();
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(launches, 12);
  assert_int_equal(where[0], 12 * ON_DEVICE);
  end();
}

/* They are one task to whoever reads the counters, and for what is known of it. */
static void one_task(void **state) {
  (void)state;
  begin("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto AGGLOM_SPLIT=gpu");
  const struct agglom_task_state *low = varies_task.state, *high = low->urgent->state;
  assert_ptr_equal(low->measured, high->measured);
  assert_ptr_equal(low->observe, high->observe);
  assert_int_not_equal(low->index, high->index);
  assert_null(cpu_varies_task.state->urgent);
  keep_busy();
  submit_mixed(&varies_task, 30, 0, 1);
  until_free();
  ag_lock(&mine->lock);
  ag_decide(mine, mine->queues[low->index], AG_ON_WAIT);
  ag_decide(mine, mine->queues[high->index], AG_ON_WAIT);
  ag_unlock(&mine->lock);
  assert_int_equal(low->measured->asked[0].batch.arrivals, 20);
  assert_int_equal(low->measured->asked[1].batch.arrivals, 10);
  assert_int_equal(agglom_wait(), 0);
  struct ag_observe_totals totals;
  ag_observe_totals(low->observe, &totals);
  assert_int_equal(totals.submitted, 30);
  assert_int_equal(totals.on_device, 30);
  all_ran(30, ON_DEVICE);
  end();
  assert_null(varies_task.state);
}

/* What `auto` remembers of the steps of one queue is not that of the other. */
static void steps_of_their_own(void **state) {
  (void)state;
  begin("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto AGGLOM_SPLIT=gpu");
  const struct agglom_task_state *high = varies_task.state->urgent->state;
  struct ag_asked *low_asked = &high->measured->asked[0], *asked = &high->measured->asked[1];
  keep_busy();
  for (int i = 0; i < 10; ++i)
    note_one(&varies_task, i, 1, 1);
  atomic_store(&asked->whole_ns, UINT64_MAX);
  ag_decide_any_whole(mine); /* it is not time to look */
  assert_true(atomic_load(&asked->whole_ns) == UINT64_MAX);
  assert_int_equal(atomic_load(&low_asked->whole_ns), 0);
  ag_decide_pauses(mine);
  assert_int_equal(asked->batch.phase.last, 10);
  assert_int_equal(low_asked->batch.phase.last, 0);
  until_free();
  assert_int_equal(agglom_wait(), 0);
  low_asked->batch.oldest_ns = asked->batch.oldest_ns = 5;
  ag_decide_gone(mine->queues[high->index]);
  assert_int_equal(asked->batch.oldest_ns, 0);
  assert_int_equal(low_asked->batch.oldest_ns, 5);
  all_ran(10, ON_DEVICE);
  end();
}

/* Modules come and go while the runtime runs, and the runtime while modules stay. */
static void come_and_go(void **state) {
  (void)state;
  begin(on_device);
  for (int round = 0; round < 3; ++round) {
    submit_mixed(&varies_task, 30, 0, 1);
    submit_mixed(&cpu_varies_task, 30, 0, 1);
    for (int i = 0; i < 30; ++i)
      note_one(&free_varies_task, 30 + 30 * round + i, i % 2, 1);
    agglom_unregister(&varies_module); /* waits for them */
    all_ran(30, (round + 1) * (ON_DEVICE + ON_CPU));
    for (int i = 0; i < 30; ++i)
      assert_int_equal(where[30 + 30 * round + i], ON_DEVICE);
    assert_int_equal(agglom_register(&varies_module), 0);
    for (int i = 0; i < 30; ++i) /* all of them urgent */
      note_one(&varies_task, 200 + i, 1, 1);
    agglom_unregister(&varies_module);
    for (int i = 0; i < 30; ++i)
      assert_int_equal(where[200 + i], (round + 1) * ON_DEVICE);
    assert_int_equal(agglom_register(&varies_module), 0);
  }
  submit_mixed(&varies_task, 30, 0, 1);
  assert_int_equal(agglom_shutdown(), 0); /* waits for them, too */
  const struct agglom_task_state *high = varies_task.state->urgent->state;
  assert_null(ag_queues_of(varies_task.state->urgent));
  assert_null(high->observe);
  assert_int_equal(agglom_init(), 0);
  assert_ptr_equal(high->observe, varies_task.state->observe);
  submit_mixed(&varies_task, 30, 0, 1);
  assert_int_equal(agglom_wait(), 0);
  all_ran(30, 3 * (ON_DEVICE + ON_CPU) + 2 * ON_DEVICE);
  end();
}

/* On CPUs alone. */
static void without_devices(void **state) {
  (void)state;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  submit_mixed(&varies_task, 3000, -1, 1);
  assert_int_equal(agglom_wait(), 0);
  all_ran(3000, ON_CPU);
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(launched_apart),    cmocka_unit_test(streams_too),
      cmocka_unit_test(launched_together), cmocka_unit_test(in_order),
      cmocka_unit_test(one_task),          cmocka_unit_test(steps_of_their_own),
      cmocka_unit_test(come_and_go),       cmocka_unit_test(without_devices)};
  return cmocka_run_group_tests(tests, NULL, let_all_go);
}
