/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Steps of which all units have come are launched before more of high priority is run. */
#include "commit/commit.h"
#include "dispatch/dispatch.h"
#include "three_decide.h"
#include "wait/help.h"
#include "workers/make.h"

static struct agglom_task *const call_tasks[] = {&call_task};
static struct agglom_module call_module = TASK_MODULE("call.c", call_tasks);

static unsigned high_ran;

static void high_runs(void *context) {
  (void)context;
  ++high_ran;
}

/* Thread t looks for something to do, and whether all of a step have come; says what the policy was asked. */
static enum ag_batch_event looks(int t) {
  atomic_store(&note_task.state->measured->asked[0].whole_ns, 0);
  seen.event = AG_N_BATCH_EVENTS;
  become(t);
  assert_true(ag_help_once(threads[t], AG_HELP_LOOP));
  become(0);
  return seen.event;
}

/* Although it has just been asked. */
static enum ag_batch_event helps(int t) {
  ask_anew(&note_task);
  return looks(t);
}

/* When all units of a step have come they are launched before more of high priority is run, by whoever has
 * submitted some of that task. Where nothing is due it is not asked again at once. */
static void whole_steps_go_first(void **state) {
  (void)state;
  begin_with("");
  assert_int_equal(agglom_register(&call_module), 0);
  high_ran = 0;
  become(1);
  note(&note_task, 0, 1, 1);
  become(0);
  note(&note_task, 1, EACH, 1);
  decided.units = UINT64_MAX;
  assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NO_HIGH, false));
  while (ag_accelerator_taken(&rt->accelerators[0]))
    ag_commit_poll(rt, threads[0]);
  decided.units = 0;
  pause(1);
  pause(0);
  note(&note_task, 0, EACH - 1, 1);
  for (int i = 0; i < 6; ++i)
    assert_int_equal(submit_call(high_runs, NULL, 1), 0);
  note_task.state->measured->asked[0].batch.phase.gap_ns = 1e9;
  uint64_t before = ag_clock_ns();
  assert_int_equal(helps(0), AG_N_BATCH_EVENTS); /* one is missing */
  assert_true(atomic_load(&note_task.state->measured->asked[0].whole_ns) >= before + 500000000);
  assert_int_equal(high_ran, 1);
  note(&note_task, EACH - 1, EACH, 1);
  assert_int_equal(helps(2), AG_N_BATCH_EVENTS); /* it has not submitted any */
  before = ag_clock_ns();
  assert_int_equal(helps(0), AG_ON_WHOLE); /* nothing is due */
  assert_true(atomic_load(&note_task.state->measured->asked[0].whole_ns) >= before + (uint64_t)AG_ASK_NS);
  assert_int_equal(high_ran, 3);
  atomic_store(&note_task.state->measured->asked[0].whole_ns, UINT64_MAX);
  seen.event = AG_N_BATCH_EVENTS;
  ask_anew(&note_task);
  assert_true(ag_help_once(threads[0], AG_HELP_LOOP));
  assert_int_equal(seen.event, AG_N_BATCH_EVENTS);
  assert_int_equal(high_ran, 4);
  decided.units = UINT64_MAX;
  assert_int_equal(helps(1), AG_ON_WHOLE); /* those of another thread */
  assert_int_equal(seen.waiting, EACH);
  assert_int_equal(high_ran, 4);
  while (ag_accelerator_taken(&rt->accelerators[0]))
    ag_commit_poll(rt, threads[0]);
  before = ag_clock_ns();
  assert_int_equal(helps(0), AG_N_BATCH_EVENTS); /* none waits, nor will for now */
  assert_true(atomic_load(&note_task.state->measured->asked[0].whole_ns) >= before + (uint64_t)AG_ASK_NS);
  assert_int_equal(high_ran, 5);
  assert_true(ag_help_once(threads[0], AG_HELP_LOOP));
  assert_int_equal(high_ran, 6);
  /* another step, whole as well */
  note_task.state->measured->asked[0].batch.phase.begun = remembered()->arrivals;
  decided.units = 0;
  note(&note_task, 0, EACH, 1);
  atomic_store(&note_task.state->measured->asked[0].whole_ns, 0);
  ask_anew(&note_task);
  ag_help_once(threads[0], AG_HELP_LOOP);
  /* there is nothing better to do */
  assert_int_equal(atomic_load(&note_task.state->measured->asked[0].whole_ns), 0);
  end_all();
  agglom_unregister(&call_module);
}

static bool any_whole(int t) {
  atomic_store(&free_note_task.state->measured->asked[0].whole_ns, 0);
  ag_lock(&threads[t]->lock);
  bool whole = ag_decide_any_whole(threads[t]);
  ag_unlock(&threads[t]->lock);
  return whole;
}

/* Units may still stand in streams. */
static void whole_steps_of_streams(void **state) {
  (void)state;
  begin_with("");
  become(0);
  note(&free_note_task, 0, EACH, 1);
  decided.units = UINT64_MAX;
  while (ag_dispatch_one(threads[0], threads[0], AG_ON_NO_HIGH, false) ||
         ag_accelerator_taken(&rt->accelerators[0]))
    ag_commit_poll(rt, threads[0]);
  decided.units = 0;
  pause(0);
  note(&free_note_task, 0, EACH - 1, 1);
  struct ag_waiting waiting = ag_task_waiting(&free_note_task);
  assert_true(waiting.units == EACH - 1 && waiting.streamed == EACH - 1);
  assert_false(any_whole(0));
  note(&free_note_task, EACH - 1, EACH, 1);
  assert_true(any_whole(0));
  end_all();
}

NOTE_TASK(gone_task, 0, 4);
static struct agglom_task *const gone_tasks[] = {&gone_task};
static struct agglom_module gone_module = TASK_MODULE("gone.c", gone_tasks);

/* The queue of a task that has been unregistered stays as long as something is incomplete. */
static void gone_tasks_have_no_steps(void **state) {
  (void)state;
  begin_with("");
  assert_int_equal(agglom_register(&call_module), 0);
  assert_int_equal(agglom_register(&gone_module), 0);
  unsigned index = gone_task.state->index;
  become(0);
  decided.units = UINT64_MAX;
  note(&gone_task, 0, 1, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(submit_call(high_runs, NULL, 1), 0);
  agglom_unregister(&gone_module);
  assert_true(threads[0]->queues[index] && !threads[0]->queues[index]->task);
  high_ran = 0;
  assert_true(ag_help_once(threads[0], AG_HELP_LOOP));
  assert_int_equal(high_ran, 1);
  end_all();
  agglom_unregister(&call_module);
}

/* CPUs' own FIFOs wait for a thread that has time. */
static void units_for_cpus_are_not_whole_steps(void **state) {
  (void)state;
  begin_with("AGGLOM_SPLIT=cpu");
  become(0);
  note(&note_task, 0, EACH, 1);
  assert_false(ag_dispatch_one(threads[0], threads[0], AG_ON_WHOLE, false));
  assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_BURST, false));
  end_all();
}

static uint64_t looks_at; /* when threads will look again whether a step is whole, as it was when one asked */

static struct ag_batch_decision asks_meanwhile(const struct ag_batch_choice *choice,
                                               const struct ag_batch_state *state,
                                               const struct ag_batch_view *view) {
  looks_at = atomic_load(&note_task.state->measured->asked[0].whole_ns);
  return decide(choice, state, view);
}

/* What one thread has found out, or finds out just now, the others need not; nor where no device has room.
 * When something has been launched nobody knows it any more. */
static void whole_steps_are_asked_about_once(void **state) {
  (void)state;
  static const struct ag_batch_policy meanwhile = {
      .name = "meanwhile", .decide = asks_meanwhile, .grows = true, .timed = true, .common = true};
  struct ag_slot *slots[AG_SLOTS];
  begin_with("");
  assert_int_equal(agglom_register(&call_module), 0);
  rt->policy = &meanwhile;
  all_note(0);
  for (int t = 0; t < THREADS; ++t)
    pause(t);
  all_note(THREADS * EACH);
  become(0);
  for (int i = 0; i < 3; ++i)
    assert_int_equal(submit_call(high_runs, NULL, 1), 0);
  struct ag_measured *m = note_task.state->measured;
  for (int i = 0; i < AG_SLOTS; ++i)
    assert_non_null(slots[i] = ag_slot_acquire(&rt->accelerators[0]));
  assert_int_equal(helps(0), AG_N_BATCH_EVENTS);
  assert_int_equal(atomic_load(&m->asked[0].whole_ns), 0);
  for (int i = 0; i < AG_SLOTS; ++i)
    ag_slot_release(&rt->accelerators[0], slots[i], false);
  uint64_t before = ag_clock_ns();
  assert_int_equal(helps(0), AG_ON_WHOLE);
  assert_true(looks_at >= before + (uint64_t)AG_ASK_NS);
  /* just now, so to speak */
  m->asked[0].batch.nothing_ns[AG_ON_WHOLE] = ag_clock_ns() + UINT64_C(1000000000000);
  m->asked[0].part = (struct ag_cpu_part){100, 1e6}; /* not for a thread that has better things to do */
  assert_int_equal(looks(1), AG_N_BATCH_EVENTS);
  for (int t = 0; t < THREADS; ++t)
    assert_int_equal(left(t), 2 * EACH);
  atomic_store(&m->asked[0].whole_ns, UINT64_MAX);
  decided.units = 1;
  assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NO_HIGH, false));
  assert_int_equal(atomic_load(&m->asked[0].whole_ns), 0);
  end_all();
  agglom_unregister(&call_module);
  struct ag_measured *other = ag_measured_new();
  atomic_store(&other->asked[0].whole_ns, UINT64_MAX);
  atomic_store(&other->asked[1].whole_ns, UINT64_MAX);
  ag_measured_reset(other);
  assert_int_equal(atomic_load(&other->asked[0].whole_ns), 0);
  assert_int_equal(atomic_load(&other->asked[1].whole_ns), 0);
  ag_measured_free(other);
}

int main(void) {
  const struct CMUnitTest cases[] = {
      cmocka_unit_test(whole_steps_go_first),
      cmocka_unit_test(whole_steps_of_streams),
      cmocka_unit_test(gone_tasks_have_no_steps),
      cmocka_unit_test(units_for_cpus_are_not_whole_steps),
      cmocka_unit_test(whole_steps_are_asked_about_once),
  };
  int failed = cmocka_run_group_tests(cases, NULL, NULL);
  fflush(NULL);
  if (failed)
    _Exit(1); /* without waiting for units that a failed case has left */
  return 0;
}
