/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What AGGLOM_SPLIT=auto leaves to CPUs, and who takes it. */
#include "dispatch/dispatch.h"
#include "three_decide.h"
#include "workers/make.h"

/* Units that cost nothing wait beside others that do: no number of them is a part of the cost. */
static void units_without_cost_are_left(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(1, 1e6, (struct ag_batch_times){200, 5e5, 0, AG_FORM_LINE});
  rt->cpus = 3;
  become(0);
  for (int i = 0; i < EACH; ++i) {
    struct note_args a = {&where[i]};
    struct agglom_range nothing = {a.where, 0, 0};
    assert_int_equal(agglom_submit(&note_task, &a, &nothing, 0, 0), 0);
  }
  become(1);
  note(&note_task, EACH, 2 * EACH, 1);
  struct ag_decided d = ask(0, 0, AG_ON_LOOK);
  assert_true(d.front.part < 1);
  assert_int_equal(d.for_cpus, (uint64_t)(d.front.part * EACH * (1 + 1e-9)));
  end_all();
}

/* Who takes a part for its CPU tells others of the rest, if that is worth one of them. */
static void others_come_for_the_rest(void **state) {
  (void)state;
  unsigned told[2];
  for (uint64_t worth = 0; worth < 2; ++worth) {
    begin_with("AGGLOM_SPLIT=auto");
    units_cost(1, 1e4, (struct ag_batch_times){1e9, 1e9, 0, AG_FORM_LINE});
    rt->cpus = 3;
    become(0);
    note(&note_task, 0, EACH, 1);
    atomic_store(&threads[0]->queues[note_task.state->index]->cpu_ns, worth ? 10000 : 1);
    atomic_fetch_add(&rt->sleepers, 1); /* so to speak */
    unsigned before = atomic_load(&rt->wakes);
    assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NO_HIGH, false));
    uint64_t left = fifo_of(0, &note_task)->count;
    assert_true(left > 2 && left < EACH);
    told[worth] = atomic_load(&rt->wakes) - before;
    atomic_fetch_sub(&rt->sleepers, 1);
    end_all();
  }
  assert_int_equal(told[1], told[0] + 1); /* they are told of what has been done as well */
}

/* Where CPUs take a part they are as many units as others. */
static void streams_are_left(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  struct ag_model *m = ag_task_model_lock(&free_note_task);
  ag_model_cpu(m, 7, 1e6);
  m->device[0].times = (struct ag_batch_times){0, 1e5, 0, AG_FORM_LINE};
  ag_task_model_unlock(&free_note_task);
  uint64_t left[2], waiting[2];
  for (int t = 0; t < THREADS; ++t) {
    become(t);
    note(&free_note_task, t * EACH, (t + 1) * EACH, 7);
  }
  for (int moved = 0; moved < 2; ++moved) {
    for (int t = 0; t < (moved ? THREADS : 1); ++t) {
      ag_lock(&threads[t]->lock);
      ag_make_from_streams(threads[t], true);
      ag_unlock(&threads[t]->lock);
    }
    ag_lock(&threads[0]->lock);
    struct ag_task_queue *queue = threads[0]->queues[free_note_task.state->index];
    ask_anew(&free_note_task);
    left[moved] = ag_decide(threads[0], queue, AG_ON_LOOK).for_cpus;
    ag_unlock(&threads[0]->lock);
    waiting[moved] = seen.waiting;
  }
  end_all();
  assert_true(left[0] > 0 && left[0] < EACH && left[1] == left[0]);
  assert_true(waiting[0] > EACH && waiting[0] < 3 * EACH && waiting[1] == waiting[0]);
}

/* CPUs get the same part of each FIFO. */
static void the_same_part_is_left(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(10, 1000, (struct ag_batch_times){200, 50, 0, AG_FORM_LINE});
  all_note(0);
  note_task.max_units = 3 * EACH;
  struct ag_decided d = ask(0, 0, AG_ON_LOOK);
  note_task.max_units = 0;
  assert_true(d.front.part > 0.1 && d.front.part < 0.9);
  assert_int_equal(d.for_cpus, (uint64_t)(d.front.part * EACH * (1 + 1e-9)));
  assert_int_equal(seen.waiting, 3 * EACH - d.for_cpus - (uint64_t)(d.front.part * 2 * EACH + 1));
  assert_int_equal(seen.most, 3 * EACH);
  assert_true(seen.slot_bytes > 0 && seen.slot_bytes == (double)threads[0]->rt->caps.bytes);
  double filled = ag_dispatch_filled(threads[0], fifo_of(0, &note_task)) * (double)seen.waiting / EACH;
  assert_true(filled > 0 && seen.filled > 0.999 * filled && seen.filled < 1.001 * filled);
  end_all();
}

/* Of each FIFO the dearest units are left to CPUs, however many of these are in it. They stand at its front.
 */
static void the_dearest_are_left(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(10, 1000, (struct ag_batch_times){200, 20, 100, AG_FORM_FULL});
  for (int t = 0; t < 2; ++t) {
    become(t);
    for (int i = 0; i < EACH; ++i)
      note(&note_task, t * EACH + i, t * EACH + i + 1, i % (t ? 2 : 5) == 1 ? 1000 : 3);
  }
  struct ag_decided d = ask(0, 0, AG_ON_LOOK);
  assert_int_equal(d.front.class, 1); /* 2 or 3 items */
  assert_int_equal(d.for_cpus, (uint64_t)(2 + d.front.part * (EACH - 2)));
  assert_true(seen.waiting > 0 && seen.waiting <= 2 * EACH - 7);
  assert_true(seen.items <= 3 * (2 * EACH - 7));
  for (int t = 0; t < 2; ++t) {
    const struct ag_unit *u = fifo_of(t, &note_task)->head;
    for (int i = 0; i < EACH; ++i, u = u->next)
      assert_int_equal(u->cost, i < (t ? 5 : 2) ? 1000 : 3);
  }
  end_all();
}

/* A batch for a device of which nothing is known does not grow: it may take long for what joins. */
static void unknown_devices_get_no_more(void **state) {
  (void)state;
  for (int known = 0; known < 2; ++known) {
    begin_with("AGGLOM_SPLIT=auto");
    units_cost(1e9, 1e12,
               known ? (struct ag_batch_times){0, 1, 0, AG_FORM_LINE} : (struct ag_batch_times){0});
    all_note(0);
    decided = (struct ag_batch_decision){.units = 1, .most = 8};
    struct ag_decided d = ask(0, 0, AG_ON_LOOK);
    assert_int_equal(d.batch.units, 1);
    assert_int_equal(d.batch.most, known ? 8 : 1);
    end_all();
  }
}

/* A unit is a 49th of what waits: it is not lost to rounding. */
static void one_is_left(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(1, 1e6, (struct ag_batch_times){0, 1e6 / 48.5, 0, AG_FORM_LINE});
  become(0);
  note(&note_task, 0, 49, 1);
  assert_int_equal(ask(0, 0, AG_ON_LOOK).for_cpus, 1);
  assert_int_equal(seen.waiting, 48);
  end_all();
}

/* All is for CPUs: it waits nonetheless, and is left to its own thread, as it is not worth another's while,
 * until that has gone away; or a launch cannot take more. */
static void all_is_left(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(100, 1000, (struct ag_batch_times){1e6, 50, 0, AG_FORM_LINE});
  all_note(0);
  struct ag_decided d = ask(0, 0, AG_ON_LOOK);
  assert_true(d.front.part >= 1);
  assert_int_equal(d.mine, EACH);
  assert_int_equal(d.for_cpus, EACH);
  assert_true(remembered()->oldest_ns > 0);
  seen.waiting = 77;
  for (int away = 0; away < 2; ++away) {
    d = ask(1, 0, AG_ON_LOOK);
    assert_int_equal(d.mine, away ? EACH : 0);
    assert_int_equal(d.for_cpus, EACH);
    assert_int_equal(seen.waiting, 77);
    assert_true(d.batch.patience >= AG_ASK_AGAIN);
    fifo_of(0, &note_task)->away.ns = 1;
  }
  fifo_of(0, &note_task)->away = (struct ag_away){0};
  note_task.state->measured->asked[0].part.items = 5;
  for (int due = 0; due < 2; ++due) { /* who has better things to do takes none, and leaves them to CPUs */
    decided.units = due ? UINT64_MAX : 0;
    d = ask(0, 0, AG_ON_WHOLE);
    assert_int_equal(d.mine, 0);
    assert_int_equal(d.for_cpus, due ? EACH : 0);
    assert_int_equal(d.batch.units, 0);
  }
  decided.units = 0;
  /* nor does that tell others what is theirs */
  assert_true(note_task.state->measured->asked[0].part.items == 5);
  note_task.max_units = EACH; /* nor is it otherwise where one launch cannot take more */
  d = ask(1, 0, AG_ON_LOOK);
  note_task.max_units = 0;
  assert_int_equal(d.mine, 0);
  assert_int_equal(d.for_cpus, EACH);
  assert_int_equal(d.batch.units, 0);
  end_all();
}

/* A unit that alone is worth another thread's while is not overlooked among many that are not. */
static void one_is_worth_it(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(1000, 1000, (struct ag_batch_times){1e9, 50, 0, AG_FORM_LINE});
  become(0);
  note(&note_task, 0, 2 * EACH, 1);
  assert_int_equal(ask(1, 0, AG_ON_LOOK).mine, 0);
  note(&note_task, 2 * EACH, 2 * EACH + 1, 10 * AG_CPU_WORTH_NS);
  assert_int_equal(ask(1, 0, AG_ON_LOOK).mine, 1);
  end_all();
}

/* Of what waits devices do the most, and the part of a CPU takes it 5 us: another thread leaves that to the
 * one that submits, though all together would be worth its while. */
static void little_is_no_others_part(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(1, 5000, (struct ag_batch_times){0, 660, 0, AG_FORM_LINE});
  become(0);
  note(&note_task, 0, EACH, 1);
  assert_int_equal(ask(1, 0, AG_ON_LOOK).mine, 0);
  assert_int_equal(ask(0, 0, AG_ON_LOOK).mine, 1);
  end_all();
}

/* Of threads that have time one asks; the others take their part by what it was told, except where a launch
 * cannot take more. */
static void one_asks_for_all(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(1, AG_CPU_WORTH_NS, (struct ag_batch_times){1e6, AG_CPU_WORTH_NS, 0, AG_FORM_LINE});
  rt->cpus = 3;
  all_note(0);
  uint64_t first = ask(1, 0, AG_ON_LOOK).mine;
  assert_true(first > 0);
  seen.waiting = 77;
  struct ag_batch_state *state_of_all = &note_task.state->measured->asked[0].batch;
  struct ag_cpu_part *part = &note_task.state->measured->asked[0].part;
  assert_true(part->items > 0 && part->cpu_ns > 0);
  for (int t = 0; t < THREADS; ++t) {
    ag_lock(&threads[t]->lock);
    struct ag_task_queue *queue = threads[t]->queues[note_task.state->index];
    state_of_all->nothing_ns[AG_ON_LOOK] =
        ag_clock_ns() + UINT64_MAX / 4; /* a moment ago, however slow this is */
    struct ag_decided d = ag_decide(threads[2], queue, AG_ON_LOOK);
    ag_unlock(&threads[t]->lock);
    assert_int_equal(d.mine, first);
    assert_true(!d.batch.units && !d.for_cpus);
    assert_int_equal(seen.waiting, 77);
  }
  part->items *= 2;
  state_of_all->nothing_ns[AG_ON_LOOK] = ag_clock_ns() + UINT64_MAX / 4;
  ag_lock(&threads[0]->lock);
  struct ag_task_queue *queue = threads[0]->queues[note_task.state->index];
  /* In whole units. */
  assert_in_range(ag_decide(threads[2], queue, AG_ON_LOOK).mine, 2 * first - 1, 2 * first);
  ag_decide(threads[0], queue, AG_ON_SUBMIT); /* that takes nothing, and tells nothing of it */
  assert_true(part->items > 0);
  note_task.max_units = EACH;
  uint64_t told = state_of_all->nothing_ns[AG_ON_LOOK];
  ag_decide(threads[2], queue, AG_ON_LOOK);
  note_task.max_units = 0;
  assert_int_not_equal(state_of_all->nothing_ns[AG_ON_LOOK], told); /* asked anew */
  ag_unlock(&threads[0]->lock);
  end_all();
}

/* Where CPUs do all, units that come and are taken meanwhile are no reason to ask again. */
static void what_cpus_take_is_not_asked_about(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(100, 1000, (struct ag_batch_times){1e9, 50, 0, AG_FORM_LINE});
  rt->cpus = 3;
  atomic_fetch_add(&rt->sleepers, 1); /* so to speak */
  become(0);
  decided.units = UINT64_MAX; /* something is due, but none of it is for the device; */
  note(&note_task, 0, 1, 1);
  struct ag_fifo *fifo = fifo_of(0, &note_task);
  assert_int_equal(fifo->ask.at, 1 + AG_ASK_LATEST);
  decided.units = 0; /* that is not asked again */
  assert_in_range(fifo->ask.from, 1 + AG_ASK_AGAIN, 1 + AG_ASK_LATEST);
  fifo->ask.from = 12;
  for (int round = 0; round < 8; ++round) {
    while (left(0))
      assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NO_HIGH, false));
    note(&note_task, round * 11, round * 11 + 11, 1);
    assert_int_equal(fifo->ask.from, 12);
  }
  note(&note_task, 100, 101, 1);
  assert_true(fifo->ask.from > 12);
  fifo->ask.at = fifo->policy.arrivals + 1;
  uint64_t at = fifo->ask.at;
  note(&note_task, 101, 102, 1);
  assert_true(fifo->ask.at > at); /* nor are arrivals forgotten */
  decided.patience = 100;
  units_cost(100, 1e9, (struct ag_batch_times){1, 1, 0, AG_FORM_LINE}); /* a device does all */
  fifo->ask.at = 0;
  note(&note_task, 102, 103, 1);
  assert_int_equal(fifo->ask.at, fifo->policy.arrivals + 100);
  assert_true(fifo->ask.from == UINT64_MAX);
  atomic_fetch_sub(&rt->sleepers, 1);
  end_all();
}

/* CPUs were to do all, and a lot waited: not so many have to wait after a pause until that is asked about. */
static void asked_anew_after_a_pause(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=auto");
  units_cost(100, 1000, (struct ag_batch_times){1e9, 50, 0, AG_FORM_LINE});
  rt->cpus = 3;
  become(0);
  note(&note_task, 0, 1, 1);
  struct ag_fifo *fifo = fifo_of(0, &note_task);
  while (left(0))
    assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NO_HIGH, false));
  fifo->ask.from = 5000;
  fifo->ask.at = fifo->policy.arrivals + AG_ASK_LATEST;
  note(&note_task, 1, 1 + AG_ASK_AGAIN, 1);
  assert_int_equal(fifo->ask.from, 5000);
  pause(0);
  while (left(0))
    assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NO_HIGH, false));
  note(&note_task, 10, 10 + AG_ASK_AGAIN - 1, 1);
  assert_int_equal(fifo->ask.from, AG_ASK_AGAIN);
  note(&note_task, 20, 21, 1);
  assert_true(fifo->ask.from > AG_ASK_AGAIN);
  fifo->ask.from = UINT64_MAX;
  pause(0);
  assert_true(fifo->ask.from == UINT64_MAX);
  end_all();
}

int main(void) {
  const struct CMUnitTest cases[] = {
      cmocka_unit_test(units_without_cost_are_left),
      cmocka_unit_test(others_come_for_the_rest),
      cmocka_unit_test(streams_are_left),
      cmocka_unit_test(the_same_part_is_left),
      cmocka_unit_test(unknown_devices_get_no_more),
      cmocka_unit_test(one_is_left),
      cmocka_unit_test(all_is_left),
      cmocka_unit_test(one_asks_for_all),
      cmocka_unit_test(what_cpus_take_is_not_asked_about),
      cmocka_unit_test(asked_anew_after_a_pause),
      cmocka_unit_test(little_is_no_others_part),
      cmocka_unit_test(one_is_worth_it),
      cmocka_unit_test(the_dearest_are_left),
  };
  int failed = cmocka_run_group_tests(cases, NULL, NULL);
  fflush(NULL);
  if (failed)
    _Exit(1); /* without waiting for those units */
  return 0;
}
