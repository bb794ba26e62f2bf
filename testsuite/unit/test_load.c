/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What CPU units have to do, as AGGLOM_SPLIT=auto sees it. */
#include "dispatch/decide.h"
#include "dispatch/dispatch.h"
#include "measure/measure.h"
#include "note_task.h"
#include "shared/load.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "workers/load.h"
#include "workers/worker.h"

#define HOUR_NS 3600000000000

static struct ag_runtime *rt;
static struct ag_worker *mine;

/* What the thread says that it does, as something looks that it runs. */
static struct ag_load_before seen;

static void look(void *context) {
  const struct ag_load *load = &ag_worker_here()->load;
  (void)context;
  seen = (struct ag_load_before){atomic_load(&load->doing), atomic_load(&load->until_ns)};
}

static void look_cpu(const void *const *args, unsigned long n) {
  look(NULL);
  note_cpu(args, n);
}

static struct agglom_task look_task = {.name = "look",
                                       .file = "load.c",
                                       .line = 1,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct note_args),
                                       .args_align = _Alignof(struct note_args),
                                       .n_sections = 1,
                                       .sections = note_sections,
                                       .cpu = look_cpu,
                                       .emulated = note_emulated,
                                       .kernel = "look",
                                       .module = &mix_module_header};

static struct agglom_task *const look_tasks[] = {&look_task, &call_task};
static struct agglom_module look_module = TASK_MODULE("load.c", look_tasks);

static bool near(double x, double y) { return x >= 0.99 * y && x <= 1.01 * y; }

static void begin_here(const char *environment) {
  if (ag_runtime_running())
    skip(); /* another test has failed, and left units that will never be complete */
  start_here(environment);
  assert_int_equal(agglom_register(&look_module), 0);
  assert_int_equal(agglom_init(), 0);
  rt = ag_runtime_running();
  mine = ag_worker_mine(rt);
}

static void end(void) {
  end_here();
  agglom_unregister(&look_module);
}

static struct ag_fifo *fifo_of(const struct agglom_task *task) {
  return &mine->queues[task->state->index]->lane[AG_LANE_DEVICE];
}

static double more_than(const struct agglom_task *task) {
  return ag_load_show(rt, (double)fifo_of(task)->queued_ns, mine).more;
}

static struct ag_split_cpus shown(bool self) {
  return ag_load_show(rt, (double)fifo_of(&note_task)->queued_ns, self ? mine : NULL);
}

/* One thread says what it does, one after the other and one inside the other. */
static void threads_are_counted(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 10, 1);
  struct ag_split_cpus load = shown(false);
  assert_int_equal(load.ready, 0);
  assert_int_equal(load.others, 0);
  assert_int_equal(shown(true).ready, 1);
  struct ag_load_before outer = ag_load_begin(mine, AG_DOES_SHARE, HOUR_NS);
  load = shown(false);
  assert_int_equal(load.ready, 1);
  assert_true(near(load.ready_ns, (double)HOUR_NS) && load.others == 0 && load.begun_ns == 0);
  assert_int_equal(shown(true).ready, 1); /* there are no more */
  rt->cpus = 2;
  assert_int_equal(shown(true).ready, 1); /* and this one, which asks within what it does, is one */
  struct ag_load_before inner = ag_load_begin(mine, AG_DOES_OTHERS, 2 * HOUR_NS);
  load = shown(false);
  assert_int_equal(load.others, 1);
  assert_true(near(load.begun_ns, 2.0 * (double)HOUR_NS) && load.ready == 0 && load.ready_ns == 0);
  assert_true(shown(true).ready == 1 && shown(true).others == 0);
  unsigned sleepers = atomic_fetch_add(&rt->sleepers, 1);
  assert_true(sleepers == 0 && shown(false).ready == 1 && shown(false).others == 1);
  atomic_fetch_add(&rt->sleepers, 4); /* threads of the program, more than there are CPUs */
  assert_true(shown(true).ready == 2 && shown(false).others == 0);
  atomic_fetch_sub(&rt->sleepers, 5);
  rt->cpus = 1;
  ag_load_end(mine, inner);
  assert_true(shown(false).ready == 1 && near(shown(false).ready_ns, (double)HOUR_NS));
  ag_load_end(mine, outer);
  assert_int_equal(shown(false).ready, 0);
  ag_load_begin(mine, AG_DOES_OTHERS, 1); /* it takes longer than was believed */
  while (shown(false).begun_ns > 0)
    ;
  assert_int_equal(shown(false).others, 1);
  ag_load_begin(mine, AG_DOES_LAUNCH, HOUR_NS); /* of launches nobody asks how long they take */
  assert_true(shown(false).others == 1 && shown(false).begun_ns == 0);
  assert_int_equal(shown(true).others, 0);
  ag_load_begin(mine, AG_DOES_TURN, 0); /* it is about to look for work, as who launches is */
  assert_true(shown(false).others == 1 && shown(false).ready == 0 && shown(false).begun_ns == 0);
  assert_true(ag_load_lookers(rt) == 0 && shown(true).others == 0);
  ag_load_begin(mine, AG_DOES_LOOK, 0); /* it spins, and looks after FIFOs and devices */
  assert_true(shown(false).ready == 1 && shown(false).others == 0);
  assert_true(ag_load_lookers(rt) == 1 && ag_load_back_soon(rt) == 1);
  rt->cpus = 2;
  assert_int_equal(shown(true).ready, 1); /* no two threads */
  rt->cpus = 1;
  ag_load_begin(mine, AG_DOES_NOTHING, 0);
  assert_int_equal(ag_load_lookers(rt), 0);
  assert_int_equal(agglom_wait(), 0);
  end();
}

/* What ready units have to do goes before the others or behind them, by what such took in the mean; one of
 * which nothing is known is worth another thread's while. */
static void ready_units_are_counted(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 1, 1);
  atomic_store(&rt->cpu_only.high_ns, 7000);
  atomic_store(&rt->cpu_only.low_ns, 5000);
  atomic_store(&mine->ready.at[AG_URGENT].count, 3);
  atomic_store(&mine->ready.at[AG_NOT_URGENT].count, 2);
  struct ag_split_cpus load = shown(true);
  atomic_store(&rt->cpu_only.high_ns, 0);
  atomic_store(&rt->cpu_only.low_ns, 0);
  struct ag_split_cpus unknown = shown(true);
  atomic_store(&mine->ready.at[AG_URGENT].count, 0);
  atomic_store(&mine->ready.at[AG_NOT_URGENT].count, 0);
  assert_true(near(load.before_ns, 21000) && near(load.after_ns, 10000));
  assert_true(near(unknown.before_ns, 60000) && near(unknown.after_ns, 40000));
  assert_int_equal(agglom_wait(), 0);
  end();
}

/* Units for CPUs alone are measured by class, where that is of use. */
static void ends_are_measured(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  assert_true(ag_load_wanted(rt));
  uint64_t begun = ag_clock_ns();
  struct ag_load_unit unit = ag_load_unit_begins(mine, true);
  assert_int_equal(atomic_load(&mine->load.doing), AG_DOES_OTHERS);
  ag_load_unit_ends(mine, true, unit);
  assert_int_equal(atomic_load(&mine->load.doing), AG_DOES_NOTHING);
  uint64_t first = atomic_load(&rt->cpu_only.high_ns);
  assert_true(first > 0 && first <= 1 + ag_clock_ns() - begun);
  assert_int_equal(atomic_load(&rt->cpu_only.low_ns), 0);
  unit = ag_load_unit_begins(mine, true);
  unit.begun_ns -= 8 * HOUR_NS; /* a late one counts an eighth */
  ag_load_unit_ends(mine, true, unit);
  assert_true(near((double)atomic_load(&rt->cpu_only.high_ns), (double)HOUR_NS));
  unit = ag_load_unit_begins(mine, true);
  ag_load_unit_ends(mine, true, unit);
  assert_true(near((double)atomic_load(&rt->cpu_only.high_ns), 7.0 / 8 * (double)HOUR_NS));
  end();
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=items");
  assert_false(ag_load_wanted(rt));
  assert_int_equal(ag_load_unit_begins(mine, true).begun_ns, 0);
  assert_int_equal(atomic_load(&mine->load.doing), AG_DOES_NOTHING);
  end();
}

/* What two FIFOs hold is compared by the time that CPUs need for it. */
static void fifos_are_compared(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 10, 2);
  note(&gpu_note_task, 10, 15, 4);
  ag_lock(&mine->lock);
  ag_load_queued(mine, fifo_of(&note_task), 100);
  assert_true(more_than(&note_task) == 0);
  ag_load_queued(mine, fifo_of(&gpu_note_task), 300);
  assert_true(near(more_than(&note_task), 3)); /* 6000 beside 2000 */
  assert_true(near(more_than(&gpu_note_task), 1.0 / 3));
  ag_load_queued(mine, fifo_of(&gpu_note_task), 0); /* nothing is known of it any more */
  assert_true(more_than(&note_task) == 0);
  ag_load_queued(mine, fifo_of(&note_task), 1e300);
  assert_true(near((double)atomic_load(&mine->load.queued_ns), 24.0 * (double)HOUR_NS));
  ag_unlock(&mine->lock);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(atomic_load(&mine->load.queued_ns), 0);
  assert_true(ag_sizes_longest(&fifo_of(&note_task)->sizes) == 0);
  end();
}

/* --- Who says so ---------------------------------------------------------------------------------------- */

/* Units for CPUs alone, by class. */
static void units_say_so(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  assert_int_equal(submit_call(look, NULL, 1), 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(seen.doing, AG_DOES_OTHERS);
  assert_true(atomic_load(&rt->cpu_only.high_ns) > 0 && atomic_load(&rt->cpu_only.low_ns) == 0);
  atomic_store(&rt->cpu_only.low_ns, HOUR_NS);
  uint64_t before = ag_clock_ns();
  assert_int_equal(submit_call(look, NULL, 0), 0);
  assert_int_equal(agglom_wait(), 0);
  assert_true(seen.until_ns >= before + HOUR_NS); /* as it is believed before */
  assert_true(atomic_load(&rt->cpu_only.low_ns) < HOUR_NS);
  end();
}

/* Who runs what a device could have had. */
static void sharers_say_so(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  struct ag_model *m = ag_task_model_lock(&look_task);
  ag_model_cpu(m, 1, (double)HOUR_NS);
  m->device[0].times = (struct ag_batch_times){24.0 * (double)HOUR_NS, 1, 0, AG_FORM_LINE};
  ag_task_model_unlock(&look_task);
  seen = (struct ag_load_before){0};
  uint64_t before = ag_clock_ns();
  note(&look_task, 0, 1, 2);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(where[0], ON_CPU);
  assert_int_equal(seen.doing, AG_DOES_SHARE);
  assert_true(seen.until_ns >= before + 2 * HOUR_NS);
  assert_int_equal(atomic_load(&mine->load.doing), AG_DOES_NOTHING);
  end();
}

static const struct ag_device_ops *real;

static int looks_and_launches(struct ag_device *dev, struct ag_stream *s, struct ag_kernel *kernel,
                              const struct agglom_launch *launch, struct ag_grid grid) {
  look(NULL);
  return real->launch(dev, s, kernel, launch, grid);
}

static struct ag_load_before at_commit;

static uint64_t looks_and_tells(struct ag_device *dev, struct ag_stream *s) {
  const struct ag_load *load = &ag_worker_here()->load;
  at_commit = (struct ag_load_before){atomic_load(&load->doing), atomic_load(&load->until_ns)};
  return real->kernel_ns(dev, s);
}

/* Who launches, and who commits. */
static void launchers_say_so(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=maximal AGGLOM_SPLIT=auto");
  struct ag_device *device = rt->accelerators[0].device;
  real = device->ops;
  static struct ag_device_ops ops;
  ops = *real;
  ops.launch = looks_and_launches;
  ops.kernel_ns = looks_and_tells;
  device->ops = &ops;
  seen = at_commit = (struct ag_load_before){0};
  note(&gpu_note_task, 0, 1, 1);
  assert_int_equal(agglom_wait(), 0);
  device->ops = real;
  assert_int_equal(where[0], ON_DEVICE);
  assert_int_equal(seen.doing, AG_DOES_LAUNCH);
  assert_int_equal(at_commit.doing, AG_DOES_LAUNCH);
  assert_int_equal(atomic_load(&mine->load.doing), AG_DOES_NOTHING);
  end();
}

static _Atomic int of_the_pool = -1;

static void look_there(void *context) {
  (void)context;
  atomic_store(&of_the_pool, atomic_load(&ag_worker_here()->load.doing));
}

/* A thread of the pool that is awake will look for work, whatever nobody has to say of what it does. */
static void pool_threads_take_turns(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=items");
  atomic_store(&of_the_pool, -1);
  assert_int_equal(submit_call(look_there, NULL, 0), 0);
  while (atomic_load(&of_the_pool) < 0) /* without a wait: this thread does not run it */
    sched_yield();
  assert_int_equal(atomic_load(&of_the_pool), AG_DOES_TURN);
  assert_int_equal(agglom_wait(), 0);
  end();
}

/* A unit waits for one of its own, which another thread has begun, so its thread falls asleep: it is counted
 * among those then, and not as one that runs a unit. */
static _Atomic bool child_runs;
static struct ag_worker *_Atomic parent;

static void child(void *context) {
  (void)context;
  atomic_store(&child_runs, true);
  while (!atomic_load(&let_go))
    sched_yield();
}

static void waits_for_child(void *context) {
  (void)context;
  assert_int_equal(submit_call(child, NULL, 0), 0);
  while (!atomic_load(&child_runs))
    sched_yield();
  atomic_store(&parent, ag_worker_here());
  assert_int_equal(agglom_wait(), 0);
  look(NULL);
}

static void sleepers_do_nothing(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_SPLIT=auto");
  atomic_store(&child_runs, false);
  atomic_store(&parent, NULL);
  assert_int_equal(submit_call(waits_for_child, NULL, 0), 0);
  struct ag_worker *w;
  while (!(w = atomic_load(&parent)) || !atomic_load(&w->asleep))
    sched_yield();
  assert_int_equal(atomic_load(&w->load.doing), AG_DOES_NOTHING);
  atomic_store(&let_go, true);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(seen.doing, AG_DOES_OTHERS); /* it goes on */
  end();
}

/* --- What is decided ------------------------------------------------------------------------------------ */

/* Ten units of two items wait at this thread, and all is known of what they take. It keeps its lock until
 * end_decisions(), so that nobody takes them. */
static struct ag_batch_decision all_go_now(const struct ag_batch_choice *choice,
                                           const struct ag_batch_state *state,
                                           const struct ag_batch_view *view) {
  (void)choice, (void)state;
  return (struct ag_batch_decision){.units = view->waiting};
}

/* What is for CPUs is looked into where something is due. */
static const struct ag_batch_policy all_go = {.name = "all_go", .decide = all_go_now};

static struct ag_task_queue *begin_decisions(double item_ns, struct ag_batch_times device,
                                             struct ag_host_times host) {
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  struct ag_model *m = ag_task_model_lock(&note_task);
  ag_model_cpu(m, 10, 10 * item_ns); /* one item may be too brief to be believed */
  m->device[0].times = device;
  m->device[0].host = host;
  ag_task_model_unlock(&note_task);
  note(&note_task, 0, 10, 2);
  ag_lock(&mine->lock);
  rt->policy = &all_go;
  return mine->queues[note_task.state->index];
}

/* So many units are expected of the step, one each gap_ns; 0: nobody knows. */
static void expect(struct ag_task_queue *queue, uint64_t units, double gap_ns) {
  struct ag_batch_state *remembered = &queue->lane[AG_LANE_DEVICE].policy;
  remembered->phase.units = units;
  remembered->phase.gap_ns = gap_ns;
  remembered->phase.first_ns = remembered->last_ns = ag_clock_ns();
}

static void end_decisions(void) {
  ag_unlock(&mine->lock);
  assert_int_equal(agglom_wait(), 0);
  end();
}

static const double hour = (double)HOUR_NS;

/* What a policy is about to be shown of a FIFO is known to those that decide on others; and of what CPUs will
 * do it is shown nothing. */
static void deciders_say_so(void **state) {
  (void)state;
  struct ag_task_queue *queue =
      begin_decisions(100, (struct ag_batch_times){hour, 1, 0, AG_FORM_LINE}, (struct ag_host_times){0});
  assert_int_equal(ag_decide(mine, queue, AG_ON_LOOK).for_cpus, 10);
  assert_int_equal(atomic_load(&mine->load.queued_ns), 2000);
  /* A thread that submits may have some soon, and the device takes an hour. */
  assert_int_equal(ag_decide(mine, queue, AG_ON_SUBMIT).for_cpus, 10);
  /* What has waited for longer than that would take the device waits no longer for who may never pause. */
  ag_task_model_lock(&note_task)->device[0].times.launch_ns = 1e6;
  ag_task_model_unlock(&note_task);
  queue->lane[AG_LANE_DEVICE].policy.oldest_ns = ag_clock_ns() - 100000000;
  assert_int_equal(ag_decide(mine, queue, AG_ON_SUBMIT).for_cpus, 0);
  ag_task_model_lock(&note_task)->device[0].times.launch_ns = hour;
  ag_task_model_unlock(&note_task);
  /* It will have some when it pauses, if the step is like the one before. */
  expect(queue, 10, hour);
  assert_int_equal(ag_decide(mine, queue, AG_ON_SUBMIT).for_cpus, 10);
  end_decisions();
}

/* Units of 10 h on a CPU and 20 h on a device. Who submits is counted once, if at all. */
static void who_submits_is_counted_once(void **state) {
  (void)state;
  struct ag_task_queue *queue =
      begin_decisions(5 * hour, (struct ag_batch_times){hour, 10 * hour, 0, AG_FORM_LINE},
                      (struct ag_host_times){.launch_ns = hour});
  uint64_t pauses[2], runs[2], looks[2];
  for (int known = 0; known < 2; ++known) {
    expect(queue, known ? 10 : 0, hour);
    pauses[known] = ag_decide(mine, queue, AG_ON_SUBMIT).for_cpus;
    looks[known] = ag_decide(mine, queue, AG_ON_LOOK).for_cpus;
    struct ag_load_before before = ag_load_begin(mine, AG_DOES_OTHERS, 0);
    runs[known] = ag_decide(mine, queue, AG_ON_SUBMIT).for_cpus;
    ag_load_end(mine, before);
  }
  end_decisions();
  assert_true(pauses[0] == pauses[1] && pauses[1] > 0 && pauses[1] < 10);
  assert_true(looks[0] == pauses[1] && looks[1] == looks[0]);
  assert_true(runs[0] == pauses[1] && runs[1] == runs[0]);
}

/* --- First units ---------------------------------------------------------------------------------------- */

/* A thread runs units one by one until it is known what they take on CPUs, unless another one does. */
static void first_units_are_tried(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  assert_false(ag_dispatch_trial(mine, false));
  note(&note_task, 0, 4, 1);
  struct ag_measured *m = note_task.state->measured;
  m->tries = true;
  assert_false(ag_dispatch_trial(mine, false));
  m->tries = false;
  assert_true(ag_dispatch_trial(mine, false));
  assert_int_equal(fifo_of(&note_task)->count, 3);
  assert_int_equal(where[0], ON_CPU);
  assert_true(!m->tries && m->model.cpu_spent > 0);
  ag_model_cpu(&m->model, 10, 1e4);
  assert_false(ag_dispatch_trial(mine, false));
  note(&gpu_note_task, 4, 5, 1);
  assert_false(ag_dispatch_trial(mine, false));
  note(&look_task, 5, 6, 1); /* another task comes later */
  assert_true(ag_dispatch_trial(mine, false));
  assert_int_equal(where[5], ON_CPU);
  assert_int_equal(agglom_wait(), 0);
  end();
}

static unsigned char first_was;

static void where_is_the_first(void *context) {
  (void)context;
  first_was = where[0];
}

/* That is of use to all that is decided next, so it goes before units of high priority. */
static void first_units_go_first(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  first_was = 0;
  note(&note_task, 0, 1, 1);
  assert_int_equal(submit_call(where_is_the_first, NULL, 1), 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(first_was, ON_CPU);
  end();
}

/* Of units that cost nothing no number of them would tell what an item takes. */
static struct agglom_task idle_task = {.name = "idle",
                                       .file = "idle.c",
                                       .line = 1,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = 1,
                                       .args_align = 1,
                                       .cpu = hold_cpu,
                                       .emulated = hold_emulated,
                                       .kernel = "idle",
                                       .module = &mix_module_header};
static struct agglom_task *const idle_tasks[] = {&idle_task};
static struct agglom_module idle_module = TASK_MODULE("idle.c", idle_tasks);

static void units_without_cost_are_not_tried(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  assert_int_equal(agglom_register(&idle_module), 0);
  for (int i = 0; i < 4; ++i)
    assert_int_equal(agglom_submit(&idle_task, "", NULL, 0, 0), 0);
  assert_int_equal(fifo_of(&idle_task)->count, 4);
  assert_false(ag_dispatch_trial(mine, false));
  assert_false(idle_task.state->measured->tries);
  assert_int_equal(fifo_of(&idle_task)->count, 4);
  atomic_store(&let_go, true);
  assert_int_equal(agglom_wait(), 0);
  agglom_unregister(&idle_module);
  end();
}

/* A unit that took long as its thread had lost its CPU is soon forgotten among many that are short, whether
 * they are looked at one by one or together; among few it is not. */
static void the_longest_of_late(void **state) {
  (void)state;
  enum { SHORT = 20, LONG = 4000000, ENOUGH = 4000 };
  struct ag_long_times longest = {0, 0};
  ag_long_times_note(&longest, SHORT, 1);
  assert_int_equal(longest.ns, SHORT);
  for (int k = 0; k < 1000; ++k) {
    ag_long_times_note(&longest, k % 200 ? SHORT : LONG, 1); /* once */
    assert_in_range(longest.ns, SHORT, ENOUGH);
  }
  for (uint64_t n = 1; n <= 100000; n *= 10) {
    uint64_t times = 0, before = LONG;
    ag_long_times_note(&longest, LONG, 1);
    ag_long_times_note(&longest, LONG, 1);
    assert_int_equal(longest.ns, LONG);
    for (; longest.ns > ENOUGH; ++times) {
      ag_long_times_note(&longest, SHORT, n);
      assert_in_range(longest.ns, SHORT, before - 1);
      before = longest.ns;
    }
    assert_in_range(times * (1 + n / 16), 50, n < 1000 ? 60 : n);
    assert_int_equal(times == 1, n >= 1000);
  }
  for (int k = 0; k < 100; ++k) /* of many some are long */
    ag_long_times_note(&longest, k % 8 ? SHORT : LONG, 1);
  assert_in_range(longest.ns, LONG / 10, LONG);
}

/* A single time that is longer by far says nothing of the other units; two do. */
static void one_disturbed_time(void **state) {
  (void)state;
  enum { SHORT = 50, LONG = 100000 };
  struct agglom_task_state of_task = {0};
  struct agglom_task task = {.state = &of_task};
  struct ag_task_queue queue = {.task = &task};
  for (int k = 0; k < 1000; ++k) {
    ag_queue_measured_one(&queue, k % 250 ? SHORT : LONG);
    if (k) /* the first one is believed */
      assert_true(atomic_load(&queue.cpu_ns) < (k < 250 ? LONG : 2 * SHORT));
  }
  ag_queue_measured_one(&queue, LONG);
  ag_queue_measured_one(&queue, LONG);
  assert_in_range(atomic_load(&queue.cpu_ns), LONG / 10, LONG);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_longest_of_late),
                                     cmocka_unit_test(one_disturbed_time),
                                     cmocka_unit_test(threads_are_counted),
                                     cmocka_unit_test(ready_units_are_counted),
                                     cmocka_unit_test(ends_are_measured),
                                     cmocka_unit_test(fifos_are_compared),
                                     cmocka_unit_test(units_say_so),
                                     cmocka_unit_test(sharers_say_so),
                                     cmocka_unit_test(launchers_say_so),
                                     cmocka_unit_test(pool_threads_take_turns),
                                     cmocka_unit_test(sleepers_do_nothing),
                                     cmocka_unit_test(deciders_say_so),
                                     cmocka_unit_test(who_submits_is_counted_once),
                                     cmocka_unit_test(first_units_are_tried),
                                     cmocka_unit_test(first_units_go_first),
                                     cmocka_unit_test(units_without_cost_are_not_tried)};
  return cmocka_run_group_tests(tests, NULL, let_all_go);
}
