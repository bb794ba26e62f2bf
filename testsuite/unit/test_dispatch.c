/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which units go when and where, step by step: one thread plays all parts, so nothing depends on
 * time. */
#include "capture.h"
#include "commit/commit.h"
#include "dispatch/dispatch.h"
#include "measure/measure.h"
#include "one_thread.h"
#include "shared/kernels.h"
#include "sys/clock.h"

/* --- Who looks ----------------------------------------------------------------------------------------- */

/* A thread with time sees that a device has room again, while the thread whose units they are is busy. */
static void others_look(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=occupancy AGGLOM_EMULATE=threads=2");
  keep_busy();
  note(&gpu_note_task, 0, 64, 1); /* as many as are resident */
  until_free();
  assert_int_equal(fifo_of(&gpu_note_task)->count, 64);
  assert_true(ag_dispatch_one(other, mine, AG_ON_NO_HIGH, true));
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
    assert_false(ag_dispatch_one(other, mine, AG_ON_NO_HIGH, true));
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

/* But for one unit, once it is known what devices take: nobody else is there who would find out what a CPU
 * does. */
static void who_only_submits_tries_one(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:4 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 3, 100000);
  ag_task_model_lock(&note_task)->alike.known = 1;
  ag_task_model_unlock(&note_task);
  assert_int_equal(fifo_of(&note_task)->count, 3);
  note(&note_task, 3, 4, 100000);
  assert_int_equal(fifo_of(&note_task)->count, 3);
  assert_int_equal(where[0], ON_CPU);
  assert_int_equal(agglom_wait(), 0);
  end_here();
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
  mine->fifos.turns += AG_PASSED_MOST;
  ag_fifo_gone(fifo_of(&note_task)); /* so only the other one was passed over */
  assert_true(ag_dispatch_one(mine, mine, AG_ON_NO_HIGH, false));
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
  assert_true(ag_dispatch_one(mine, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(fifo_of(&note_task)->count, 0);
  assert_int_equal(ag_fifo_passed(fifo_of(&gpu_note_task)), 1 + 5000 / 1024);
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
  assert_true(ag_dispatch_one(mine, mine, AG_ON_SUBMIT, false));
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
  assert_true(ag_dispatch_one(mine, mine, AG_ON_WAIT, false));
  assert_int_equal(fifo_of(&note_task)->count, 1);
  assert_true(ag_dispatch_one(mine, mine, AG_ON_WAIT, false));
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
    assert_int_equal(note_task.state->measured->asked[0].batch.phase.units, 10 * step);
    note(&note_task, 10 * step, 10 * step + 10, 1);
    assert_int_equal(agglom_wait(), 0);
  }
  assert_int_equal(note_task.state->measured->asked[0].batch.phase.units, 10);
  end_here();
}

/* A step ends with a wait that has nothing to wait for, too. */
static void pauses_with_nothing_left_are_told(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto");
  for (int step = 0; step < 3; ++step) {
    assert_int_equal(note_task.state->measured->asked[0].batch.phase.last, step ? 10 : 0);
    note(&note_task, 10 * step, 10 * step + 10, 1);
    while (!ag_worker_idle_now(mine))
      if (!ag_dispatch_one(mine, mine, AG_ON_QUIET, false))
        ag_commit_poll(rt, mine);
    assert_int_equal(agglom_wait(), 0);
  }
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

/* A launch has as many units as it is decided that it may grow to, and not more. Where the policy has left a
 * part to other devices that is as old as before; else what is left are the newest. */
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
    assert_true(ag_dispatch_one(mine, mine, AG_ON_NOTHING, false));
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
  ag_dispatch_one(mine, mine, AG_ON_SUBMIT, false);
  assert_int_equal(seen.waiting, 10);
  assert_true(seen.items == 10);
  assert_int_equal(fifo->count, 10);
  ag_dispatch_one(mine, mine, AG_ON_NO_HIGH, false);
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
  assert_true(ag_dispatch_one(mine, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(seen.waiting, 5);
  assert_int_equal(fifo_of(&note_task)->count, 0);
  assert_int_equal(fifo_of(&note_task)->kept_for_cpus, 0); /* of those that come */
  until_free();
  assert_int_equal(sizes[0], 10);
  end_told();
}

/* Where CPUs do all of it sooner a policy is not asked, though nothing more fits; and of who submits again
 * only when much more waits. */
static void all_is_left(void **state) {
  (void)state;
  struct ag_fifo *fifo = ten_wait("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  know(100, 1e9, 1);
  atomic_fetch_add(&rt->sleepers, 1);
  seen.waiting = 77;
  decided.units = 4;
  assert_false(ag_dispatch_one(mine, mine, AG_ON_SUBMIT, false));
  assert_int_equal(seen.waiting, 10); /* all that waits is due, and then none of it is for the device */
  seen.waiting = 77;
  assert_false(ag_dispatch_one(mine, mine, AG_ON_WHOLE, false));
  assert_int_equal(seen.waiting, 10);
  note_task.max_units = 10;
  assert_false(ag_dispatch_one(mine, mine, AG_ON_SUBMIT, false));
  note(&note_task, 0, 1, 1);
  assert_true(ag_batch_was_for_cpus(&fifo->ask));
  uint64_t again = fifo->ask.from;
  for (int i = 0; i < 4; ++i)
    note(&note_task, 0, 1, 1);
  assert_int_equal(fifo->ask.from, again);
  note_task.max_units = 0;
  atomic_fetch_sub(&rt->sleepers, 1);
  assert_int_equal(fifo->count, 15);
  end_told();
}

static bool always(const struct ag_batch_view *view) { return view->event == AG_ON_SUBMIT; }

/* What a policy says whatever CPUs are to do is asked before that is looked into. */
static void left_to_others(void **state) {
  (void)state;
  static const struct ag_batch_policy lazy = {
      .name = "lazy", .decide = decide, .grows = true, .timed = true, .for_others = always};
  (void)ten_wait("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  know(100, 1e9, 1);
  atomic_fetch_add(&rt->sleepers, 1);
  seen.waiting = 77;
  rt->policy = &lazy;
  assert_false(ag_dispatch_one(mine, mine, AG_ON_SUBMIT, false));
  assert_int_equal(seen.waiting, 10);
  atomic_fetch_sub(&rt->sleepers, 1);
  rt->policy = &told;
  end_told();
}

/* After a launch, whoever has made it; not when a CPU has taken some. */
static void asked_after_each_launch(void **state) {
  (void)state;
  struct ag_fifo *fifo = ten_wait("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  know(100, 0, 100);
  fifo->ask = (struct ag_batch_again){1000, 2000};
  assert_true(ag_dispatch_one(mine, mine, AG_ON_NO_HIGH, true));
  assert_int_equal(fifo->count, 5);
  assert_int_equal(fifo->ask.at, 1000);
  know(1e9, 0, 100);
  decided = (struct ag_batch_decision){.units = 2, .most = 2};
  assert_true(ag_dispatch_one(other, mine, AG_ON_NO_HIGH, true));
  assert_int_equal(fifo->count, 3);
  assert_int_equal(fifo->ask.at, 0);
  assert_int_equal(fifo->ask.from, 0);
  end_told();
}

/* All that the device has is over, and nobody has seen that. */
static void is_over(void) {
  atomic_store(&let_go, true);
  for (unsigned i = 0; i < AG_SLOTS; ++i) {
    struct ag_slot *slot = &rt->accelerators[0].slots[i];
    while (slot->device->ops->finished(slot->device, slot->stream))
      sched_yield();
  }
}

/* Who submits looks whether the device is through, unless a thread will soon have time to. */
static void who_shares_will_look(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  keep_busy();
  is_over();
  decided = (struct ag_batch_decision){.patience = 1};
  rt->policy = &told;
  atomic_store(&other->load.doing, AG_DOES_SHARE);
  note(&gpu_note_task, 0, 10, 1);
  assert_int_equal(ag_accelerator_taken(&rt->accelerators[0]), AG_SLOTS);
  atomic_store(&other->load.doing, AG_DOES_NOTHING);
  note(&gpu_note_task, 10, 12, 1);
  assert_int_equal(ag_accelerator_taken(&rt->accelerators[0]), 0);
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
  assert_false(ag_dispatch_one(other, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(fifo->count, 10);
  /* Whole units, and by what the task's units take in the mean. */
  know(0.15 * AG_CPU_WORTH_NS, 1e9, 1);
  atomic_store(&fifo->head->queue->cpu_ns, 1);
  assert_true(ag_dispatch_one(other, mine, AG_ON_NO_HIGH, false));
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
  assert_true(ag_dispatch_one(other, mine, AG_ON_NO_HIGH, false));
  assert_int_equal(fifo->count, 6);
  rt->cpus = 1;
  atomic_fetch_sub(&rt->sleepers, 1);
  end_told();
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

/* A thread helps before its units in flight take more memory than they may. */
static void bytes_in_flight_are_bounded(void **state) {
  (void)state;
  enum { UNITS = 1000 };
  begin_here("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  note(&note_task, 0, 1, 1);
  size_t one = mine->live_bytes + mine->store.segments.live * mine->store.segments.size, most = 0;
  assert_true(one > 0);
  rt->most_bytes = 100 * one;
  for (int i = 1; i < UNITS; ++i) {
    note(&note_task, i, i + 1, 1);
    size_t now = mine->live_bytes + mine->store.segments.live * mine->store.segments.size;
    most = now > most ? now : most;
  }
  assert_in_range(most, 90 * one, 101 * one);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(mine->live_bytes, 0);
  end_here();
}

/* A CPU takes a share of all that waits: where tasks are many, all that one of them has. */
static void shares_are_of_all_tasks(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  rt->cpus = 4;
  note(&note_task, 0, 10, 1);
  note(&gpu_note_task, 10, 1010, 1);
  assert_true(ag_dispatch_one(mine, mine, AG_ON_WAIT, false));
  assert_int_equal(fifo_of(&note_task)->count, 0);
  assert_int_equal(fifo_of(&gpu_note_task)->count, 1000);
  assert_true(ag_dispatch_one(mine, mine, AG_ON_WAIT, false));
  assert_int_equal(fifo_of(&gpu_note_task)->count, 1000 - 1000 / (AG_CPU_SHARE * 4));
  rt->cpus = 1;
  assert_int_equal(agglom_wait(), 0);
  end_here();
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
      cmocka_unit_test(who_only_submits_tries_one),
      cmocka_unit_test(first_gets_the_last_slot),
      cmocka_unit_test(a_launch_gets_the_slot_that_is_freed),
      cmocka_unit_test(large_batches_pass_often),
      cmocka_unit_test(none_comes_for_it),
      cmocka_unit_test(long_units_are_for_cpus),
      cmocka_unit_test(pauses_are_told),
      cmocka_unit_test(pauses_with_nothing_left_are_told),
      cmocka_unit_test(decisions_are_kept),
      cmocka_unit_test(policies_see_what_is_left),
      cmocka_unit_test(followers_of_what_is_left),
      cmocka_unit_test(all_is_left),
      cmocka_unit_test(left_to_others),
      cmocka_unit_test(asked_after_each_launch),
      cmocka_unit_test(who_shares_will_look),
      cmocka_unit_test(little_is_left_to_its_thread),
      cmocka_unit_test(long_units_are_taken),
      cmocka_unit_test(failures_are_forgiven),
      cmocka_unit_test(bytes_in_flight_are_bounded),
      cmocka_unit_test(shares_are_of_all_tasks),
      cmocka_unit_test(graph_is_empty),
  };
  int failed = cmocka_run_group_tests(cases, NULL, let_all_go);
  fflush(NULL);
  if (failed)
    _Exit(1); /* without waiting for those units */
  return 0;
}
