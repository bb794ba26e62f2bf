/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which units go when, where, and with whom, step by step: one thread plays all parts, so nothing depends on
 * time. */
#include "capture.h"
#include "dispatch/dispatch.h"
#include "dispatch/join.h"
#include "launch/commit.h"
#include "measure/measure.h"
#include "note_task.h"
#include "runtime.h"
#include "sys/clock.h"

static struct ag_runtime *rt;
static struct ag_worker *mine, *other; /* of this thread, and of one that only this test knows */

static void begin_here(const char *settings) {
  if (ag_runtime_running())
    skip(); /* another test has failed, and left units that will never be complete */
  start_here(settings);
  assert_int_equal(agglom_init(), 0);
  rt = ag_runtime_running();
  mine = ag_worker_mine(rt);
  other = ag_worker_new(rt, false);
  assert_non_null(mine);
  assert_non_null(other);
}

static struct ag_fifo *fifo_of(const struct agglom_task *task) {
  return &mine->queues[task->state->index]->lane[AG_LANE_DEVICE];
}

/* All that the device can have, until it is let go. */
static void keep_busy(void) {
  for (unsigned i = 0; i < AG_SLOTS; ++i)
    assert_int_equal(agglom_submit(&hold_task, "", NULL, 0, 1), 0);
  assert_int_equal(ag_accelerator_taken(&rt->accelerators[0]), AG_SLOTS);
}

static void until_free(void) {
  atomic_store(&let_go, true);
  while (ag_accelerator_taken(&rt->accelerators[0]))
    ag_commit_poll(rt, mine);
}

/* A batch, except that it has no slot: all units of the FIFO but those that are spared. */
static void form(struct ag_batch *batch, struct ag_fifo *fifo, unsigned spared) {
  struct ag_caps caps = rt->caps;
  *batch = (struct ag_batch){0};
  caps.skip = fifo->spared = spared;
  pthread_mutex_lock(&mine->lock);
  assert_int_equal(ag_agglomerate(batch, fifo, &caps, atomic_fetch_add(&rt->stamps, 1) + 1), 0);
  ag_batch_lay_out(batch, &caps);
  ag_worker_count(mine, -(uint64_t)batch->n_units);
  batch->formed_seq = mine->seq;
  pthread_mutex_unlock(&mine->lock);
}

/* It is given up. */
static void dissolve(struct ag_batch *batch) {
  ag_worker_return(rt, batch, 0);
  ag_batch_free(batch);
  atomic_store(&let_go, true);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* --- Who looks ----------------------------------------------------------------------------------------- */

/* A thread with time sees that a device has room again, while the thread whose units they are is busy. */
static void others_look(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=occupancy AGGLOM_EMULATE=threads=2");
  keep_busy();
  note(&gpu_note_task, 0, 64, 1); /* as many as are resident */
  until_free();
  assert_int_equal(fifo_of(&gpu_note_task)->count, 64);
  assert_true(ag_worker_dispatch(other, mine, AG_ON_NO_HIGH, true));
  assert_int_equal(fifo_of(&gpu_note_task)->count, 0);
  until_free();
  assert_int_equal(launches, 1);
  assert_int_equal(sizes[0], 64);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* But it is not for that thread to say that no more will come. */
static void others_leave_it(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=maximal AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=maximal",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:2"};
  for (int s = 0; s < 3; ++s) {
    begin_here(settings[s]);
    keep_busy();
    note(&gpu_note_task, 0, 10, 1);
    until_free();
    assert_false(ag_worker_dispatch(other, mine, AG_ON_NO_HIGH, true));
    assert_int_equal(fifo_of(&gpu_note_task)->count, 10);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(front(0, 10), 0);
    end_here();
  }
}

/* Who submits asks again and again, not only with the first unit, and launches what is due. */
static void asked_again(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:4",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=count:4"};
  for (int s = 0; s < 2; ++s) {
    begin_here(settings[s]);
    for (int i = 0; i < 12; ++i) {
      note(&note_task, i, i + 1, 1);
      assert_int_equal(fifo_of(&note_task)->count, (i + 1) % 4);
    }
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(launches, 3);
    end_here();
  }
}

/* Whatever a device has no time for: who submits goes on with that. */
static void submitting_runs_nothing(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:4 AGGLOM_SPLIT=auto",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=single AGGLOM_SPLIT=auto"};
  for (int s = 0; s < 2; ++s) {
    begin_here(settings[s]);
    keep_busy();
    note(&note_task, 0, 40, 1);
    assert_int_equal(fifo_of(&note_task)->count, 40);
    for (int i = 0; i < 40; ++i)
      assert_int_equal(where[i], 0);
    atomic_store(&let_go, true);
    assert_int_equal(agglom_wait(), 0);
    end_here();
  }
}

/* --- Whose turn it is ---------------------------------------------------------------------------------- */

/* What goes first gets the last slot, though another FIFO is found before it. */
static void first_gets_the_last_slot(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  for (unsigned i = 1; i < AG_SLOTS; ++i)
    assert_int_equal(agglom_submit(&hold_task, "", NULL, 0, 1), 0);
  note(&note_task, 0, 10, 1);
  note(&gpu_note_task, 10, 20, 1);
  assert_true(note_task.state->index < gpu_note_task.state->index);
  fifo_of(&gpu_note_task)->passed = AG_PASSED_MOST;
  assert_true(ag_worker_dispatch(mine, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(fifo_of(&gpu_note_task)->count, 0);
  assert_int_equal(fifo_of(&note_task)->count, 10);
  atomic_store(&let_go, true);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* A launch that finds all slots in use is made when one of them turns out to be free: perhaps nothing else is
 * submitted for long. */
static void a_launch_gets_the_slot_that_is_freed(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:4");
  for (unsigned i = 0; i < AG_SLOTS; ++i)
    assert_int_equal(agglom_submit(&hold_task, "", NULL, 0, 1), 0);
  note(&note_task, 0, 3, 1);
  atomic_store(&let_go, true);
  for (unsigned i = 0; i < AG_SLOTS; ++i) {
    const struct ag_slot *slot = &rt->accelerators[0].slots[i];
    while (slot->device->ops->finished(slot->device, slot->stream) == -EAGAIN)
      sched_yield();
  }
  note(&note_task, 3, 4, 1);
  assert_int_equal(fifo_of(&note_task)->count, 0);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* A large batch counts as the batches that a CPU could have made of it. */
static void large_batches_pass_often(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  note(&note_task, 0, 5000, 1);
  note(&gpu_note_task, 5000, 5001, 1);
  assert_true(ag_worker_dispatch(mine, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(fifo_of(&note_task)->count, 0);
  assert_int_equal(fifo_of(&gpu_note_task)->passed, 1 + 5000 / 1024);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* A CPU would do it sooner than a device of which nothing is known; but there is none with time. */
static void none_comes_for_it(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto");
  ag_model_cpu(ag_task_model_lock(&note_task), 100, 3000);
  ag_task_model_unlock(&note_task);
  note(&note_task, 0, 1, 1);
  struct ag_fifo *fifo = fifo_of(&note_task);
  assert_int_equal(fifo->count, 1);
  fifo->policy.looked = fifo->policy.arrivals;
  fifo->policy.looks = AG_QUIET_LOOKS; /* others had their turns */
  assert_true(ag_worker_dispatch(mine, mine, AG_ON_SUBMIT, false));
  assert_int_equal(fifo->count, 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(where[0], ON_DEVICE);
  end_here();
}

/* A device would be busy with the first unit for as long as with all of them many times over, so a CPU does
 * that, though it is more than one of them is to take at once, and the device the others. */
static void long_units_are_for_cpus(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_SPLIT=auto");
  struct ag_model *m = ag_task_model_lock(&note_task);
  ag_model_cpu(m, 1, 1000);
  m->device[0].times = (struct ag_batch_times){1000, 1000, ag_task_fill(&note_task, 0), AG_FORM_FULL};
  ag_task_model_unlock(&note_task);
  note(&note_task, 1, 6, 1);
  note(&note_task, 0, 1, 1000);
  assert_true(ag_worker_dispatch(mine, mine, AG_ON_WAIT, false));
  assert_int_equal(fifo_of(&note_task)->count, 1);
  assert_true(ag_worker_dispatch(mine, mine, AG_ON_WAIT, false));
  assert_int_equal(fifo_of(&note_task)->count, 0);
  assert_int_equal(where[0], ON_CPU);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* The policy is told when the thread waits, so it knows how many units a step has. */
static void pauses_are_told(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto");
  for (int step = 0; step < 2; ++step) {
    assert_int_equal(note_task.state->measured->batch.phase.units, 10 * step);
    note(&note_task, 10 * step, 10 * step + 10, 1);
    assert_int_equal(agglom_wait(), 0);
  }
  assert_int_equal(note_task.state->measured->batch.phase.units, 10);
  end_here();
}

/* --- What a policy decides ----------------------------------------------------------------------------- */

static struct ag_batch_decision decided; /* from now on */
static struct ag_batch_view seen;        /* the last time that it was asked */

static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  (void)choice, (void)state;
  seen = *view;
  return decided;
}

static const struct ag_batch_policy told = {.name = "told", .decide = decide, .grows = true, .timed = true};

/* Ten units wait, the oldest of them since 5, and the newest since 9. */
static struct ag_fifo *ten_wait(const char *settings) {
  begin_here(settings);
  decided = (struct ag_batch_decision){0};
  rt->policy = &told;
  note(&note_task, 0, 10, 1);
  struct ag_fifo *fifo = fifo_of(&note_task);
  assert_int_equal(fifo->count, 10);
  ag_batch_tick(&fifo->policy, 10, ag_clock_ns());
  fifo->policy.oldest_ns = 5;
  fifo->policy.last_ns = 9;
  return fifo;
}

static void end_told(void) {
  decided = (struct ag_batch_decision){.units = UINT64_MAX};
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* A launch has as many units as it is decided that it may grow to, and not more. What is left has waited for
 * as long as before when the policy has left it to other devices; else what is left are the newest. */
static void decisions_are_kept(void **state) {
  (void)state;
  static const struct {
    uint64_t units, most;
    int launched;
    uint64_t oldest;
  } cases[] = {{4, 4, 4, 5}, {4, 6, 6, 5}, {10, 4, 4, 9}, {10, 0, 10, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    struct ag_fifo *fifo = ten_wait("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=gpu");
    decided = (struct ag_batch_decision){.units = cases[i].units, .most = cases[i].most};
    assert_true(ag_worker_dispatch(mine, mine, AG_ON_NOTHING, false));
    assert_int_equal(fifo->count, 10 - cases[i].launched);
    assert_int_equal(fifo->policy.oldest_ns, cases[i].oldest);
    until_free();
    assert_int_equal(sizes[0], cases[i].launched);
    end_told();
  }
}

/* A unit of one item takes so long on a CPU, and on the device besides the launch. */
static void know(double cpu_ns, double launch_ns, double item_ns) {
  struct ag_model *m = ag_task_model_lock(&note_task);
  *m = (struct ag_model){.cpu_ns = cpu_ns, .cpu_known = 9, .cpu_spent = 1e15};
  m->device[0].times = (struct ag_batch_times){launch_ns, item_ns, ag_task_fill(&note_task, 0), AG_FORM_LINE};
  ag_task_model_unlock(&note_task);
}

/* The policy sees what CPUs with time do not do sooner: the thread that asks is one of them, unless it
 * submits. */
static void policies_see_what_is_left(void **state) {
  (void)state;
  static const char settings[] = "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto";
  struct ag_fifo *fifo = ten_wait(settings);
  know(100, 0, 100);
  ag_worker_dispatch(mine, mine, AG_ON_SUBMIT, false);
  assert_int_equal(seen.waiting, 10);
  assert_true(seen.items == 10);
  assert_int_equal(fifo->count, 10);
  ag_worker_dispatch(mine, mine, AG_ON_NO_HIGH, false);
  assert_int_equal(seen.waiting, 5);
  assert_true(seen.items == 5);
  end_told();
}

/* What follows units that are left would wait for these: then all go. */
static void followers_of_what_is_left(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  decided = (struct ag_batch_decision){0};
  rt->policy = &told;
  for (int i = 0; i < 10; ++i)
    note(&note_task, 0, 1, 1);
  know(100, 0, 100);
  decided.units = 5;
  assert_true(ag_worker_dispatch(mine, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(seen.waiting, 5);
  assert_int_equal(fifo_of(&note_task)->count, 0);
  until_free();
  assert_int_equal(sizes[0], 10);
  end_told();
}

/* Where CPUs do all of it sooner a policy is not asked, unless nothing more fits or none of them comes. */
static void all_is_left(void **state) {
  (void)state;
  struct ag_fifo *fifo = ten_wait("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  know(100, 1e9, 1);
  atomic_fetch_add(&rt->sleepers, 1);
  seen.waiting = 77;
  decided.units = 4;
  assert_false(ag_worker_dispatch(mine, mine, AG_ON_SUBMIT, false));
  assert_int_equal(seen.waiting, 77);
  note_task.max_units = 10;
  assert_true(ag_worker_dispatch(mine, mine, AG_ON_SUBMIT, false));
  note_task.max_units = 0;
  assert_int_equal(seen.waiting, 10);
  atomic_fetch_sub(&rt->sleepers, 1);
  assert_true(fifo->count < 10);
  end_told();
}

/* Another thread takes from a device what is worth its while. */
static void little_is_left_to_its_thread(void **state) {
  (void)state;
  struct ag_fifo *fifo = ten_wait("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  know(100, 1e9, 1);
  decided.units = 0;
  rt->cpus = 2; /* `other` has one as well */
  atomic_fetch_add(&rt->sleepers, 1);
  assert_false(ag_worker_dispatch(other, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(fifo->count, 10);
  /* Whole units, and by what the task's units take in the mean. */
  know(0.15 * AG_CPU_WORTH_NS, 1e9, 1);
  atomic_store(&fifo->head->queue->cpu_ns, 1);
  assert_true(ag_worker_dispatch(other, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(fifo->count, 3);
  rt->cpus = 1;
  atomic_fetch_sub(&rt->sleepers, 1);
  end_told();
}

/* The unit at the end of what it takes is taken whole: what is before a long one may not be worth its while.
 */
static void long_units_are_taken(void **state) {
  (void)state;
  struct ag_fifo *fifo = ten_wait("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  struct ag_unit *u = fifo->head->next->next->next;
  ag_sizes_remove(&fifo->sizes, (double)u->cost);
  ag_sizes_add(&fifo->sizes, 50);
  fifo->cost += 50 - u->cost;
  u->cost = 50;
  know(0.1 * AG_CPU_WORTH_NS, 1e9, 1);
  decided.units = 0;
  rt->cpus = 2; /* `other` has one as well */
  atomic_fetch_add(&rt->sleepers, 1);
  assert_true(ag_worker_dispatch(other, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(fifo->count, 6);
  rt->cpus = 1;
  atomic_fetch_sub(&rt->sleepers, 1);
  end_told();
}

/* --- Batches that grow --------------------------------------------------------------------------------- */

/* What a launch has left to CPUs does not join it afterwards; what has come since does. */
static void spared_units_do_not_join(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 4, 1);
  struct ag_fifo *fifo = fifo_of(&note_task);
  const struct ag_unit *first = fifo->head;
  form(&batch, fifo, 2);
  assert_int_equal(batch.n_units, 2);
  note(&note_task, 4, 8, 1);
  assert_true(ag_join_late(&batch));
  assert_int_equal(batch.n_units, 6);
  assert_int_equal(batch.record.joined, 4);
  assert_int_equal(fifo->count, 2);
  assert_int_equal(mine->queued, 2);
  assert_ptr_equal(fifo->head, first);
  dissolve(&batch);
}

/* When CPUs have taken them, others stand in their place, which nobody has spared. */
static void taken_units_are_spared_no_more(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 4, 1);
  struct ag_fifo *fifo = fifo_of(&note_task);
  form(&batch, fifo, 2);
  while (fifo->count)
    assert_true(ag_worker_dispatch(mine, mine, AG_ON_NO_HIGH, true));
  assert_int_equal(front(0, 2), 2);
  note(&note_task, 4, 8, 1);
  assert_true(ag_join_late(&batch));
  assert_int_equal(batch.n_units, 6);
  assert_int_equal(fifo->count, 0);
  dissolve(&batch);
}

/* What has come since may be for CPUs and devices both. */
static void shared_batches_do_not_grow(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=count",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=items"};
  struct agglom_task *const both[] = {&note_task, &gpu_note_task};
  for (int s = 0; s < 2; ++s)
    for (int gpu = 0; gpu < 2; ++gpu) {
      struct ag_batch batch;
      begin_here(settings[s]);
      note(both[gpu], 0, 4, 1);
      form(&batch, fifo_of(both[gpu]), 0);
      note(both[gpu], 4, 8, 1);
      assert_int_equal(ag_join_late(&batch), gpu);
      assert_int_equal(batch.n_units, gpu ? 8 : 4);
      dissolve(&batch);
    }
}

/* Units that have joined a batch wait no more: the next ones are not taken to be as old as they were. */
static void none_is_left_waiting(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto");
  keep_busy();
  note(&gpu_note_task, 0, 4, 1);
  struct ag_fifo *fifo = fifo_of(&gpu_note_task);
  form(&batch, fifo, 0);
  assert_true(gpu_note_task.state->measured->batch.oldest_ns > 0);
  note(&gpu_note_task, 4, 8, 1);
  assert_true(ag_join_late(&batch));
  assert_int_equal(fifo->count, 0);
  assert_int_equal(gpu_note_task.state->measured->batch.oldest_ns, 0);
  dissolve(&batch);
}

/* --- Batches that are shared out ----------------------------------------------------------------------- */

/* Units of a batch that failed have been left to devices once, and that is enough. */
static void returned_units_are_not_shared_again(void **state) {
  (void)state;
  static const char *const settings[] = {("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 "
                                          "AGGLOM_SPLIT=items AGGLOM_FAULT=call=launch,nth=1"),
                                         ("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 "
                                          "AGGLOM_SPLIT=count AGGLOM_FAULT=call=launch,nth=1")};
  for (int s = 0; s < 2; ++s) {
    capture_begin();
    begin_here(settings[s]);
    note(&note_task, 0, 16, 1);
    int back = (int)fifo_of(&note_task)->count; /* the others are for CPUs */
    assert_in_range(back, 8, 15);
    assert_int_equal(fifo_of(&note_task)->kept, back);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(front(0, 16), 16 - back);
    end_here();
    assert_non_null(strstr(capture_end(), "failed"));
  }
}

/* Nor is what follows them: CPUs would have to wait for the device. */
static void followers_stay_together(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 AGGLOM_SPLIT=items");
  for (int i = 0; i < 16; ++i)
    note(&note_task, 0, 1, 1);
  int left = (int)fifo_of(&note_task)->count; /* they follow those that CPUs have got */
  assert_in_range(left, 8, 15);
  for (int i = left; i < 16; ++i)
    note(&note_task, 0, 1, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(where[0], (16 - left) * ON_CPU + 16 * ON_DEVICE);
  end_here();
}

/* What was found out in one run of the runtime is not known in the next. */
static void forgotten_at_the_end(void **state) {
  (void)state;
  const char *const settings =
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:64 AGGLOM_SPLIT=count";
  begin_here(settings);
  note(&note_task, 0, 64, 1);
  assert_int_equal(agglom_wait(), 0);
  int trial = front(0, 64);
  struct ag_measured *measured = note_task.state->measured;
  assert_true(measured->split.side[AG_SIDE_CPU].ns > 0 && measured->model.cpu_spent > 0);
  measured->split.cpu_part = 1;
  measured->model.cpu_known = 7;
  assert_int_equal(agglom_shutdown(), 0);
  begin_here(settings);
  note(&note_task, 0, 64, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(front(0, 64), trial);
  assert_true(measured->model.cpu_known < 7);
  end_here();
}

/* Each side is measured by what it has done: units, and what they cost. */
static void both_sides_are_measured(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 AGGLOM_SPLIT=count");
  note(&note_task, 0, 16, 5);
  assert_int_equal(agglom_wait(), 0);
  int on_cpu = front(0, 16);
  const struct ag_split_state *split = &note_task.state->measured->split;
  assert_true(split->side[AG_SIDE_CPU].units == on_cpu && split->side[AG_SIDE_CPU].items == 5 * on_cpu);
  assert_true(split->side[AG_SIDE_DEVICE].units == 16 - on_cpu);
  assert_true(split->side[AG_SIDE_DEVICE].items == 5 * (16 - on_cpu));
  assert_true(split->side[AG_SIDE_CPU].ns > 0 && split->side[AG_SIDE_DEVICE].ns > 0);
  const struct ag_device_model *device = &note_task.state->measured->model.device[0];
  assert_true(device->commits.w == 1 && device->commits.x == 16 - on_cpu);
  assert_true(device->launches.part > 0 && device->launches.part < device->launches.y);
  end_here();
}

/* --- Afterwards ---------------------------------------------------------------------------------------- */

/* Failures long ago do not count once a batch has succeeded. */
static void failures_are_forgiven(void **state) {
  (void)state;
  capture_begin();
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:8 AGGLOM_FAULT=call=launch,nth=2");
  atomic_store(&rt->accelerators[0].failed, 1000);
  note(&gpu_note_task, 0, 8, 1);
  assert_int_equal(agglom_wait(), 0);
  note(&gpu_note_task, 8, 16, 1); /* this one fails, but its halves do not */
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(front(0, 16), 0);
  assert_int_equal(launches, 3);
  end_here();
  assert_non_null(strstr(capture_end(), "failed"));
}

/* When no unit is left nothing is remembered of what they used. */
static void graph_is_empty(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  note(&note_task, 0, 100, 1);
  assert_true(mine->store.segments.live > 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(mine->store.segments.live, 0);
  assert_int_equal(mine->store.edges.live, 0);
  end_here();
}

int main(void) {
  const struct CMUnitTest cases[] = {
      cmocka_unit_test(others_look),
      cmocka_unit_test(others_leave_it),
      cmocka_unit_test(asked_again),
      cmocka_unit_test(submitting_runs_nothing),
      cmocka_unit_test(first_gets_the_last_slot),
      cmocka_unit_test(a_launch_gets_the_slot_that_is_freed),
      cmocka_unit_test(large_batches_pass_often),
      cmocka_unit_test(none_comes_for_it),
      cmocka_unit_test(long_units_are_for_cpus),
      cmocka_unit_test(pauses_are_told),
      cmocka_unit_test(decisions_are_kept),
      cmocka_unit_test(policies_see_what_is_left),
      cmocka_unit_test(followers_of_what_is_left),
      cmocka_unit_test(all_is_left),
      cmocka_unit_test(little_is_left_to_its_thread),
      cmocka_unit_test(long_units_are_taken),
      cmocka_unit_test(spared_units_do_not_join),
      cmocka_unit_test(taken_units_are_spared_no_more),
      cmocka_unit_test(shared_batches_do_not_grow),
      cmocka_unit_test(none_is_left_waiting),
      cmocka_unit_test(returned_units_are_not_shared_again),
      cmocka_unit_test(followers_stay_together),
      cmocka_unit_test(forgotten_at_the_end),
      cmocka_unit_test(both_sides_are_measured),
      cmocka_unit_test(failures_are_forgiven),
      cmocka_unit_test(graph_is_empty),
  };
  int failed = cmocka_run_group_tests(cases, NULL, NULL);
  fflush(NULL);
  if (failed)
    _Exit(1); /* without waiting for those units */
  return 0;
}
