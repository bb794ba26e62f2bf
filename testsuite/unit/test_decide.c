/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a policy that decides for all threads together is shown of their FIFOs, and what it remembers. */
#include "commit/commit.h"
#include "dispatch/dispatch.h"
#include "three_decide.h"
#include "wait/help.h"
#include "wait/idle.h"
#include "workers/make.h"

/* It sees what all of them have, also as records of streams, but not what waits for a batch. */
static void all_are_seen(void **state) {
  (void)state;
  begin_with("");
  all_note(0);
  become(1);
  note(&note_task, 100, 101, 7);
  ask(0, 0, AG_ON_LOOK);
  assert_int_equal(seen.waiting, 3 * EACH + 1);
  assert_true(seen.items == 3 * EACH + 7);
  assert_true(seen.longest == 7);
  fifo_of(1, &note_task)->stalled = true;
  ask(0, 0, AG_ON_LOOK);
  assert_int_equal(seen.waiting, 2 * EACH);
  assert_true(seen.items == 2 * EACH);
  assert_true(seen.longest == 1);
  ask(1, 1, AG_ON_LOOK); /* one that is asked about is seen anyway */
  assert_int_equal(seen.waiting, 2 * EACH);
  for (int t = 0; t < THREADS; ++t)
    fifo_of(t, &note_task)->stalled = true;
  ask(0, 0, AG_ON_LOOK);
  assert_int_equal(seen.waiting, EACH);
  assert_true(seen.items == EACH);
  for (int t = 0; t < THREADS; ++t)
    fifo_of(t, &note_task)->stalled = false;
  fifo_of(1, &note_task)->stalled = false;
  end_all();
}

/* They cost as much as units do. */
static void streams_are_seen(void **state) {
  (void)state;
  begin_with("");
  for (int t = 0; t < THREADS; ++t) {
    become(t);
    note(&free_note_task, t * EACH, t * EACH + 1, 7);
    pause(t);
    note(&free_note_task, t * EACH + 1, (t + 1) * EACH, 7);
  }
  ag_lock(&threads[0]->lock);
  ag_make_from_streams(threads[0], true);
  struct ag_task_queue *queue = threads[0]->queues[free_note_task.state->index];
  ag_decide(threads[0], queue, AG_ON_LOOK);
  assert_int_equal(seen.waiting, 3 * EACH);
  assert_true(seen.items == 3 * EACH * 7);
  assert_true(seen.others);
  struct ag_batch_state *state_of_all = &free_note_task.state->measured->asked[0].batch;
  state_of_all->oldest_ns = 5;
  for (int t = 0; t < THREADS; ++t)
    fifo_of(t, &free_note_task)->stalled = true;
  ag_decide_gone(queue);
  for (int t = 0; t < THREADS; ++t)
    fifo_of(t, &free_note_task)->stalled = false;
  assert_int_equal(state_of_all->oldest_ns, state_of_all->last_ns);
  ag_unlock(&threads[0]->lock);
  end_all();
}

/* Arrivals that were seen are not taken back when a thread's numbers are read a moment later, or earlier. */
static void arrivals_only_grow(void **state) {
  (void)state;
  begin_with("");
  all_note(0);
  ask(0, 0, AG_ON_LOOK);
  note_task.state->measured->asked[0].batch.arrivals += 5;
  ask(0, 0, AG_ON_LOOK);
  assert_int_equal(remembered()->arrivals, 3 * EACH + 5);
  for (int t = 0; t < THREADS; ++t)
    pause(t);
  assert_int_equal(remembered()->phase.last, 3 * EACH + 5);
  end_all();
}

/* Somebody who sleeps is woken when something has been launched, to look after it; and before, when something
 * is left to be launched. */
static void others_launch_the_rest(void **state) {
  (void)state;
  for (uint64_t left = 0; left < 2; ++left) {
    begin_with("");
    all_note(0);
    become(0);
    decided = (struct ag_batch_decision){.units = THREADS * EACH - left, .most = THREADS * EACH - left};
    atomic_fetch_add(&rt->sleepers, 1); /* so to speak */
    unsigned before = atomic_load(&rt->wakes);
    assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NOTHING, false));
    assert_int_equal(atomic_load(&rt->wakes) - before, 1 + left);
    atomic_fetch_sub(&rt->sleepers, 1);
    end_all();
  }
}

/* Who looks once more before it sleeps is not one of the others that have time, nor two that have. */
static void who_looks_is_no_other(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  struct ag_model *m = units_cost(1, 1e6, (struct ag_batch_times){200, 5e5, 0, AG_FORM_LINE});
  rt->cpus = 3;
  all_note(0);
  become(0);
  uint64_t alone = ask(0, 0, AG_ON_LOOK).for_cpus;
  seen.lookers = 77;
  atomic_fetch_add(&rt->sleepers, 1);
  threads[0]->announced = true;
  assert_int_equal(ask(0, 0, AG_ON_LOOK).for_cpus, alone);
  assert_int_equal(seen.lookers, 0);
  ask(1, 0, AG_ON_LOOK);
  assert_int_equal(seen.lookers, 1);
  threads[0]->announced = false;
  assert_true(ask(0, 0, AG_ON_LOOK).for_cpus > alone);
  atomic_fetch_sub(&rt->sleepers, 1);
  seen.lookers = 77;
  unsigned rounds = 1000;
  m->cpu_ns = 1e12; /* the device does all */
  ag_idle(threads[0], AG_HELP_LOOP, &rounds, atomic_load(&rt->wakes) - 1);
  assert_int_equal(seen.lookers, 0);
  assert_false(threads[0]->announced);
  rt->cpus = 1;
  end_all();
}

/* Whether the device has something to do. */
static void flights_are_seen(void **state) {
  (void)state;
  begin_with("");
  all_note(0);
  assert_false(ask(0, 0, AG_ON_LOOK).in_flight);
  become(0);
  decided = (struct ag_batch_decision){.units = EACH, .most = EACH};
  assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NOTHING, false));
  decided.units = 0;
  assert_true(ask(0, 1, AG_ON_LOOK).in_flight);
  end_all();
}

/* A thread that pauses, sleeps or has ended does not submit; and whoever asks knows of itself. */
static void who_submits_is_known(void **state) {
  (void)state;
  begin_with("");
  all_note(0);
  pause(0);
  ask(0, 0, AG_ON_WAIT);
  assert_true(seen.others);
  pause(1);
  ask(0, 0, AG_ON_WAIT);
  assert_true(seen.others);
  ask(2, 0, AG_ON_LOOK);
  assert_false(seen.others); /* it is the one */
  atomic_store(&threads[2]->asleep, true);
  ask(0, 0, AG_ON_WAIT);
  assert_false(seen.others);
  atomic_store(&threads[2]->asleep, false);
  ask(0, 0, AG_ON_WAIT);
  assert_true(seen.others);
  atomic_store(&threads[2]->load.doing, AG_DOES_SHARE); /* it runs units instead */
  ask(0, 0, AG_ON_WAIT);
  assert_false(seen.others);
  atomic_store(&threads[2]->load.doing, AG_DOES_NOTHING);
  ask(0, 0, AG_ON_WAIT);
  assert_true(seen.others);
  atomic_store(&threads[2]->orphan, true);
  ask(0, 0, AG_ON_WAIT);
  assert_false(seen.others);
  atomic_store(&threads[2]->orphan, false);
  become(1);
  note(&note_task, 100, 101, 1);
  pause(2);
  ask(0, 0, AG_ON_WAIT);
  assert_true(seen.others);
  pause(1);
  ask(0, 0, AG_ON_WAIT);
  assert_false(seen.others);
  end_all();
}

/* The first thread launches what all have, and commits it. */
static void launch_all(void) {
  decided = (struct ag_batch_decision){.units = UINT64_MAX};
  assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NO_HIGH, false));
  while (ag_accelerator_taken(&rt->accelerators[0]))
    ag_commit_poll(rt, threads[0]);
  decided.units = 0;
}

/* One unit of each of the first two threads waits. */
static void begin_with_two(void) {
  begin_with("");
  become(0);
  note(&note_task, 0, 1, 1);
  become(1);
  note(&note_task, 100, 101, 1);
}

/* Nor does one that has submitted nothing between two launches: it may be busy with other things for long,
 * and others would wait for it. */
static void who_is_busy_with_other_things(void **state) {
  (void)state;
  begin_with_two();
  for (int launch = 0; launch < 2; ++launch) {
    become(0);
    note(&note_task, 1, 2, 1);
    ask(0, 0, AG_ON_WAIT);
    assert_true(seen.others);
    launch_all();
  }
  note(&note_task, 2, 3, 1);
  ask(0, 0, AG_ON_WAIT);
  assert_false(seen.others);
  pause(0);
  assert_int_equal(remembered()->phase.last, 5); /* the step is over without it */
  become(1);
  note(&note_task, 101, 102, 1);
  ask(0, 0, AG_ON_WAIT);
  assert_true(seen.others);
  end_all();
}

/* One that launches meanwhile is not busy with other things, however long that takes; one that runs a unit
 * for CPUs alone is. */
static void who_launches_submits(void **state) {
  (void)state;
  begin_with_two();
  atomic_store(&threads[1]->load.doing, AG_DOES_LAUNCH);
  for (int launch = 0; launch < 3; ++launch) {
    become(0);
    note(&note_task, 1, 2, 1);
    launch_all();
    note(&note_task, 2, 3, 1);
    ask(0, 0, AG_ON_SUBMIT);
    assert_true(seen.others);
    assert_int_equal(seen.active, 2);
  }
  atomic_store(&threads[1]->load.doing, AG_DOES_OTHERS);
  for (int launch = 0; launch < 2; ++launch) {
    become(0);
    decided = (struct ag_batch_decision){.units = UINT64_MAX};
    assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NO_HIGH, false));
    while (ag_accelerator_taken(&rt->accelerators[0]))
      ag_commit_poll(rt, threads[0]);
    decided.units = 0;
    note(&note_task, 3, 4, 1);
  }
  ask(0, 0, AG_ON_SUBMIT);
  assert_false(seen.others);
  atomic_store(&threads[1]->load.doing, AG_DOES_NOTHING);
  end_all();
}

/* Whoever looks after the FIFOs of others between units of high priority says so; that is no turn of theirs.
 */
static void who_is_in_a_burst(void **state) {
  (void)state;
  begin_with("");
  become(0);
  note(&note_task, 0, 1, 1);
  struct ag_batch_state *state_of = &note_task.state->measured->asked[0].batch;
  for (int i = 0; i < 2 * AG_QUIET_LOOKS; ++i) {
    memset(state_of->nothing_ns, 0, sizeof state_of->nothing_ns); /* it has not just been asked */
    (void)ag_dispatch_one(threads[1], threads[0], AG_ON_BURST, true);
    assert_int_equal(seen.event, AG_ON_BURST);
    (void)ag_dispatch_one(threads[1], threads[0], AG_ON_NO_HIGH, true);
    assert_int_equal(seen.event, AG_ON_LOOK);
  }
  for (int i = 0; i < 2 * AG_QUIET_LOOKS; ++i) { /* its own thread is busy for long, and nothing comes */
    memset(state_of->nothing_ns, 0, sizeof state_of->nothing_ns);
    (void)ag_dispatch_one(threads[0], threads[0], AG_ON_BURST, false);
  }
  assert_int_equal(seen.event, AG_ON_QUIET);
  end_all();
}

/* Who runs units of high priority, and has more of them, asks so also for others that sleep, as policies want
 * to know that go by the time; not who looks after others since it has done enough of its own. */
static void who_helps_in_a_burst(void **state) {
  (void)state;
  struct ag_batch_policy untimed = told;
  untimed.timed = false;
  begin_with("");
  become(0);
  note(&note_task, 0, 1, 1);
  for (int asleep = 0; asleep < 2; ++asleep)
    for (int timed = 0; timed < 2; ++timed) {
      rt->policy = timed ? &told : &untimed;
      atomic_store(&threads[0]->asleep, asleep);
      threads[1]->turn = (struct ag_turn){.high_run = AG_HIGH_BURST};
      seen.event = AG_N_BATCH_EVENTS;
      ask_anew(&note_task);
      (void)ag_help_once(threads[1], AG_HELP_LOOP);
      assert_int_equal(seen.event, timed ? AG_ON_BURST : asleep ? AG_ON_NO_HIGH : AG_N_BATCH_EVENTS);
      threads[1]->own_run = AG_OWN_BURST;
      seen.event = AG_N_BATCH_EVENTS;
      ask_anew(&note_task);
      (void)ag_help_others(threads[1], AG_HELP_LOOP, AG_REASON_NO_HIGH_PRIORITY);
      assert_int_equal(seen.event, asleep ? AG_ON_NO_HIGH : timed ? AG_ON_LOOK : AG_N_BATCH_EVENTS);
    }
  atomic_store(&threads[0]->asleep, false);
  rt->policy = &told;
  end_all();
}

/* A step ends when the last of those that submit pauses, and has the units of all. */
static void steps_are_of_all(void **state) {
  (void)state;
  begin_with("");
  for (int step = 0; step < 2; ++step) {
    all_note(3 * EACH * step);
    ask(0, 0, AG_ON_LOOK);
    for (int t = 0; t < THREADS; ++t) {
      assert_int_equal(remembered()->phase.last, 3 * EACH * step);
      pause(t);
      pause(t);
    }
    assert_int_equal(remembered()->phase.last, 3 * EACH);
  }
  assert_int_equal(remembered()->phase.units, 3 * EACH);
  assert_true(remembered()->phase.exact);
  assert_int_equal(remembered()->arrivals, 6 * EACH);
  end_all();
}

/* Who asks again after so many units leaves a part of them to the others that submit, but does not ask all
 * the time for that. */
static void patience_is_shared(void **state) {
  (void)state;
  static const uint64_t cases[][4] = {
      {30, 10, 15, 30}, {12, 8, 8, 12}, {8, 8, 8, 8}, {6, 2, 3, 6}, {0, 0, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    begin_with("");
    all_note(0);
    decided.patience = cases[i][0];
    assert_int_equal(ask(0, 0, AG_ON_SUBMIT).batch.patience, cases[i][1]);
    pause(1);
    assert_int_equal(ask(0, 0, AG_ON_SUBMIT).batch.patience, cases[i][2]);
    pause(2);
    pause(0);
    assert_int_equal(ask(0, 0, AG_ON_SUBMIT).batch.patience, cases[i][3]);
    end_all();
  }
}

/* What still waits when all that was there has gone has come since. */
static void age_is_of_all(void **state) {
  (void)state;
  begin_with("");
  all_note(0);
  ask(0, 0, AG_ON_LOOK);
  assert_true(remembered()->oldest_ns > 0);
  struct ag_task_queue *queue = threads[0]->queues[note_task.state->index];
  ag_lock(&threads[0]->lock);
  ag_decide_gone(queue);
  ag_unlock(&threads[0]->lock);
  assert_int_equal(remembered()->oldest_ns, remembered()->last_ns); /* all still wait */
  become(0);
  decided = (struct ag_batch_decision){.units = UINT64_MAX};
  assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NOTHING, false));
  assert_int_equal(remembered()->oldest_ns, 0);
  end_all();
}

/* Batches that are shared out between CPUs and a device are of one FIFO, and so is what is remembered. */
static void shared_out_ones_are_apart(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=items");
  all_note(0);
  ask(0, 0, AG_ON_LOOK);
  assert_int_equal(seen.waiting, EACH);
  assert_int_equal(remembered()->arrivals, 0);
  assert_true(fifo_of(0, &note_task)->policy.oldest_ns > 0);
  pause(0);
  assert_int_equal(fifo_of(0, &note_task)->policy.phase.last, EACH);
  end_all();
}

int main(void) {
  const struct CMUnitTest cases[] = {
      cmocka_unit_test(all_are_seen),
      cmocka_unit_test(streams_are_seen),
      cmocka_unit_test(arrivals_only_grow),
      cmocka_unit_test(who_looks_is_no_other),
      cmocka_unit_test(flights_are_seen),
      cmocka_unit_test(others_launch_the_rest),
      cmocka_unit_test(who_submits_is_known),
      cmocka_unit_test(who_is_busy_with_other_things),
      cmocka_unit_test(who_launches_submits),
      cmocka_unit_test(who_is_in_a_burst),
      cmocka_unit_test(who_helps_in_a_burst),
      cmocka_unit_test(steps_are_of_all),
      cmocka_unit_test(patience_is_shared),
      cmocka_unit_test(age_is_of_all),
      cmocka_unit_test(shared_out_ones_are_apart),
  };
  int failed = cmocka_run_group_tests(cases, NULL, NULL);
  fflush(NULL);
  if (failed)
    _Exit(1); /* without waiting for those units */
  return 0;
}
