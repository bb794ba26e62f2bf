/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who waits for another thread's units lets their FIFO go at once, whatever stands in front of them there,
 * and whatever the waiting thread has done before. The policy holds all back, so it is told by the reason of
 * the launch: a flush, and not that the FIFO has been quiet for long, which it never is while its thread
 * submits. */
#include "observe/observe.h"
#include "policy/policy.h"
#include "shared/runtime.h"
#include "wait/idle.h"
#include "wait/wait.h"

#include "rt_tasks.h"

#include <pthread.h>

static const char held_back[] =
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 AGGLOM_COALESCE=sort";

static uint64_t y[2];
static pthread_barrier_t submitted, stay;
static struct ag_worker *submitter;

/* It is neither asleep nor over meanwhile, as far as the runtime knows. */
static void *submits(void *cells) {
  submit_mix(&mix_task, (struct mix_args){.y = y, .ly = 1, .ny = 1, .v = 5});
  if (cells)
    submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .v = 6});
  submitter = ag_worker_here();
  pthread_barrier_wait(&submitted);
  pthread_barrier_wait(&stay);
  return NULL;
}

static pthread_t begin(void *(*submits)(void *), void *cells) {
  pthread_t thread;
  memset(y, 0, sizeof y);
  start_with(held_back);
  mix_task.state->gather = 0; /* so that units stand in the order of their cells */
  pthread_barrier_init(&submitted, NULL, 2);
  pthread_barrier_init(&stay, NULL, 2);
  assert_int_equal(pthread_create(&thread, NULL, submits, cells), 0);
  pthread_barrier_wait(&submitted);
  return thread;
}

static void end(pthread_t thread) {
  char *report;
  size_t length;
  FILE *out = open_memstream(&report, &length);
  ag_observe_report(out, AG_REPORT_TEXT);
  fclose(out);
  assert_int_equal(y[1], 5);
  assert_non_null(strstr(report, "\n  why        flush by a wait "));
  assert_null(strstr(report, "oldest unit's age"));
  free(report);
  pthread_barrier_wait(&stay);
  pthread_join(thread, NULL);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
  pthread_barrier_destroy(&submitted);
  pthread_barrier_destroy(&stay);
}

/* All of the submitter's units up to that one. Its lock is held. */
static void add_goal(struct ag_goals *goals, uint64_t number) {
  assert_true(ag_goals_add(goals, (struct ag_goal){.of = submitter, .number = number, .kind = AG_GOAL_ALL}));
}

/* The first of two units is waited for; the second has come in front of it since the wait began. */
static void later_units_in_front(void **state) {
  (void)state;
  pthread_t thread = begin(submits, y);
  struct ag_goals goals = {0};
  ag_lock(&submitter->lock);
  const struct ag_unit *first = submitter->root.oldest;
  assert_true(first->queue->lane[AG_LANE_DEVICE].head->seq > first->seq);
  add_goal(&goals, first->seq);
  ag_unlock(&submitter->lock);
  ag_wait_goals(ag_worker_mine(ag_runtime_running()), &goals, NULL);
  end(thread);
}

static void nothing(void *ignored) { (void)ignored; }

/* So many urgent units in a row that it is the turn of other classes, which it remains: nothing else is left
 * to do but to wait. */
static void after_a_burst_of_urgent_units(void **state) {
  (void)state;
  pthread_t thread = begin(submits, NULL);
  for (int i = 0; i < 2 * AG_HIGH_BURST; ++i)
    assert_int_equal(submit_call(nothing, NULL, 1), 0);
  assert_int_equal(agglom_wait_own(), 0);
  assert_int_equal(ag_worker_here()->turn.high_run, AG_HIGH_BURST);
  assert_int_equal(agglom_wait(), 0);
  end(thread);
}

/* --- Children ------------------------------------------------------------------------------------------- */

static void has_a_child(void *ignored) {
  (void)ignored;
  submit_mix(&mix_task, (struct mix_args){.y = y, .ly = 1, .ny = 1, .v = 5});
}

static void *runs_one_unit(void *ignored) {
  submit_call(has_a_child, NULL, 1);
  submitter = ag_worker_here();
  pthread_barrier_wait(&submitted);
  pthread_barrier_wait(&submitted);
  ag_idle_relieve(submitter);
  pthread_barrier_wait(&submitted);
  pthread_barrier_wait(&stay);
  return ignored;
}

/* Its thread runs a unit that is waited for, and leaves the unit's child, which has come since, to others. */
static void children_of_what_is_waited_for(void **state) {
  (void)state;
  pthread_t thread = begin(runs_one_unit, NULL);
  struct ag_goals goals = {0};
  ag_lock(&submitter->lock);
  add_goal(&goals, submitter->seq);
  ag_unlock(&submitter->lock);
  pthread_barrier_wait(&submitted);
  pthread_barrier_wait(&submitted);
  assert_int_equal(y[1], 0);
  ag_wait_goals(ag_worker_mine(ag_runtime_running()), &goals, NULL);
  end(thread);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(later_units_in_front),
      cmocka_unit_test(children_of_what_is_waited_for),
      cmocka_unit_test(after_a_burst_of_urgent_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
