/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Batches of units that several threads have submitted. In most tests one thread plays all of them in turn,
 * so nothing depends on time. */
#include "capture.h"
#include "commit/commit.h"
#include "dispatch/dispatch.h"
#include "dispatch/join.h"
#include "fifo/queues.h"
#include "fold_task.h"
#include "measure/measure.h"
#include "three_threads.h"
#include "workers/load.h"
#include "workers/make.h"

#include <pthread.h>

/* Thread t launches up to so many units, if there are any that may go, and a slot for them. */
static bool try_launch(int t, uint64_t most) {
  become(t);
  decided = (struct ag_batch_decision){.units = UINT64_MAX, .most = most};
  bool did = ag_dispatch_one(threads[t], threads[t], AG_ON_NOTHING, false);
  decided = (struct ag_batch_decision){0};
  return did;
}

static void launch(int t, uint64_t most) { assert_true(try_launch(t, most)); }

static void poll_all(void) {
  while (ag_accelerator_taken(&rt->accelerators[0]))
    ag_commit_poll(rt, threads[0]);
}

static void expect_ran(int from, int to, int how) {
  for (int i = from; i < to; ++i)
    assert_int_equal(where[i], how);
}

/* A batch of one FIFO, except that it has no slot. */
static void form_alone(struct ag_batch *batch, int t, double but_for) {
  struct ag_caps caps = rt->caps;
  struct ag_fifo *fifo = fifo_of(t, &note_task);
  *batch = (struct ag_batch){0};
  ag_lock(&threads[t]->lock);
  caps.skip = fifo->kept_for_cpus = (uint64_t)(but_for * (double)fifo->count);
  assert_int_equal(ag_agglomerate(batch, fifo, &caps, atomic_fetch_add(&rt->stamps, 1) + 1), 0);
  ag_join_gone(batch->units[0]->queue, fifo, batch->n_units, true);
  batch->formed_seq = threads[t]->seq;
  ag_unlock(&threads[t]->lock);
}

/* The same, of all. */
static void form(struct ag_batch *batch, int t, double but_for) {
  form_alone(batch, t, but_for);
  ag_join_others(batch, &(struct ag_decided){.front = {0, but_for}});
  ag_batch_lay_out(batch, &rt->caps);
}

static void dissolve(struct ag_batch *batch) {
  ag_worker_return(rt, batch, 0);
  ag_batch_free(batch);
}

/* --- What joins --------------------------------------------------------------------------------------------
 */

static void one_launch(void **state) {
  (void)state;
  begin_with("");
  all_note(0);
  assert_int_equal(ag_task_waiting(&note_task).units, THREADS * EACH);
  assert_int_equal(ag_task_waiting(&note_task).cost, THREADS * EACH);
  launch(1, 0);
  poll_all();
  assert_int_equal(launches, 1);
  assert_int_equal(sizes[0], THREADS * EACH);
  expect_ran(0, THREADS * EACH, ON_DEVICE);
  struct ag_waiting waiting = ag_task_waiting(&note_task);
  assert_int_equal(waiting.units, 0);
  assert_int_equal(waiting.cost, 0);
  assert_int_equal(waiting.arrivals, THREADS * EACH);
  for (int t = 0; t < THREADS; ++t) {
    assert_int_equal(threads[t]->queued, 0);
    assert_int_equal(threads[t]->live, 0);
  }
  end_all();
}

/* The longest unit is known, whatever it costs. */
static void longest_unit(void **state) {
  (void)state;
  begin_with("");
  all_note(0);
  assert_true(ag_task_waiting(&note_task).longest == 1);
  become(1);
  note(&note_task, 100, 101, 7);
  assert_true(ag_task_waiting(&note_task).longest == 7);
  become(2);
  note(&note_task, 101, 103, UINT64_MAX);
  assert_true(ag_task_waiting(&note_task).longest == 0x1p64);
  launch(0, 0);
  assert_true(ag_task_waiting(&note_task).longest == 0);
  end_all();
}

/* Policies that decide for one FIFO, and batches that are shared out. */
static void not_for_all(void **state) {
  (void)state;
  static struct ag_batch_policy alone;
  alone = told;
  alone.common = false;
  for (int shared = 0; shared < 2; ++shared) {
    begin_with(shared ? "AGGLOM_SPLIT=count" : "");
    if (!shared)
      rt->policy = &alone;
    all_note(0);
    become(0);
    note(&note_task, 0, 1, 1); /* follows what CPUs get when it is shared out: the batch has room left */
    decided = (struct ag_batch_decision){.units = EACH + 1};
    assert_true(ag_dispatch_one(threads[0], threads[0], AG_ON_NOTHING, false));
    assert_int_equal(left(1), EACH);
    assert_int_equal(left(2), EACH);
    end_all();
  }
}

/* What the policy, the task and units of batches that failed allow holds for all of them together. */
static void limits_hold(void **state) {
  (void)state;
  for (int which = 0; which < 3; ++which) {
    begin_with("");
    all_note(0);
    if (which == 1)
      note_task.max_units = 17;
    if (which == 2)
      fifo_of(1, &note_task)->head->most_units = fifo_of(2, &note_task)->head->most_units = 17;
    launch(0, which ? 0 : 17);
    assert_int_equal(left(0), 0);
    assert_int_equal(left(1) + left(2), THREADS * EACH - 17);
    assert_int_equal(ag_task_waiting(&note_task).units, left(1) + left(2));
    poll_all();
    assert_int_equal(sizes[0], 17);
    decided = (struct ag_batch_decision){.units = UINT64_MAX};
    note_task.max_units = 0;
    end_all();
  }
}

/* Units of batches that failed are searched by halves: none that has come since makes their batch a large
 * one. */
static void limits_hold_for_those_that_join(void **state) {
  (void)state;
  for (int late = 0; late < 2; ++late) {
    struct ag_batch batch;
    begin_with("");
    become(0);
    note(&note_task, 0, 3, 1);
    for (struct ag_unit *u = fifo_of(0, &note_task)->head; u; u = u->next)
      u->most_units = 7;
    become(1);
    note(&note_task, 10, late ? 12 : 20, 1);
    form(&batch, 0, 0);
    assert_int_equal(batch.n_units, late ? 5 : 7);
    note(&note_task, 20, 30, 1);
    assert_int_equal(ag_join_late(&batch, true), late);
    assert_int_equal(batch.n_units, 7);
    dissolve(&batch);
    assert_int_equal(fifo_of(0, &note_task)->head->most_units, 7);
    end_all();
  }
}

/* Units that are records of streams still. */
static void streams_join(void **state) {
  (void)state;
  begin_with("");
  for (int t = 0; t < THREADS; ++t) {
    become(t);
    note(&free_note_task, t * EACH, (t + 1) * EACH, 1);
  }
  struct ag_waiting waiting = ag_task_waiting(&free_note_task);
  assert_int_equal(waiting.units, THREADS * EACH);
  launch(0, 0);
  poll_all();
  assert_int_equal(sizes[0], THREADS * EACH);
  waiting = ag_task_waiting(&free_note_task);
  assert_int_equal(waiting.units, 0);
  end_all();
}

/* A thread may wait for its own units. */
static void waits_are_apart(void **state) {
  (void)state;
  begin_with("");
  all_note(0);
  launch(0, 0);
  become(1);
  note(&note_task, 100, 105, 1);
  become(0);
  assert_int_equal(agglom_wait_own(), 0);
  expect_ran(0, EACH, ON_DEVICE);
  assert_int_equal(left(1), 5);
  expect_ran(100, 105, 0);
  end_all();
  expect_ran(100, 105, ON_DEVICE);
}

static void *submits_and_ends(void *context) {
  (void)context;
  note(&note_task, 500, 500 + EACH, 1);
  return NULL;
}

static void ended_threads(void **state) {
  (void)state;
  begin_with("");
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, submits_and_ends, NULL), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  all_note(0);
  launch(0, 0);
  poll_all();
  assert_int_equal(sizes[0], (THREADS + 1) * EACH);
  expect_ran(500, 500 + EACH, ON_DEVICE);
  end_all();
}

/* A task that goes takes its queues along, and so does a runtime. */
static void queues_are_forgotten(void **state) {
  (void)state;
  for (int round = 0; round < 3; ++round) {
    begin_with("");
    assert_null(ag_queues_of(&note_task));
    all_note(0);
    int n = 0;
    for (const struct ag_task_queue *q = ag_queues_of(&note_task); q; q = q->next_of_task)
      ++n;
    assert_int_equal(n, THREADS);
    launch(0, 0);
    decided = (struct ag_batch_decision){.units = UINT64_MAX};
    become(0);
    agglom_unregister(&note_module); /* waits for the units */
    expect_ran(0, THREADS * EACH, ON_DEVICE);
    assert_int_equal(agglom_register(&note_module), 0);
    assert_null(ag_queues_of(&note_task));
    decided = (struct ag_batch_decision){0};
    all_note(100);
    launch(2, 0);
    poll_all();
    expect_ran(100, 100 + THREADS * EACH, ON_DEVICE);
    for (int t = 1; t < THREADS; ++t)
      atomic_store(&threads[t]->orphan, true);
    become(0);
    decided = (struct ag_batch_decision){.units = UINT64_MAX};
    assert_int_equal(agglom_shutdown(), 0);
    assert_null(ag_queues_of(&note_task));
    agglom_unregister(&note_module);
    agglom_unregister(&fold_module);
  }
}

/* A task goes while the thread has units of others in flight: it can pause all the same. */
static void tasks_go_meanwhile(void **state) {
  (void)state;
  begin_with("");
  uint64_t cell = 1;
  all_note(0);
  launch(0, 0);
  poll_all();
  become(1);
  submit_fold(&cell, 0, 3);
  agglom_unregister(&note_module);
  assert_false(ag_dispatch_one(threads[1], threads[1], AG_ON_WAIT, false));
  assert_int_equal(agglom_register(&note_module), 0);
  all_note(100);
  assert_int_equal(ag_task_waiting(&note_task).units, THREADS * EACH);
  launch(1, 0);
  end_all();
  expect_ran(100, 100 + THREADS * EACH, ON_DEVICE);
  assert_int_equal(cell, ((1 * 31 + 0) * 31 + 1) * 31 + 2);
}

/* --- While a batch is staged -------------------------------------------------------------------------------
 */

/* What is left to CPUs stays at the front of each FIFO, and all of a FIFO that waits for batches. */
static void some_stay(void **state) {
  (void)state;
  struct ag_batch batch;
  for (int stalled = 0; stalled < 2; ++stalled) {
    begin_with("");
    all_note(0);
    fifo_of(1, &note_task)->stalled = stalled;
    assert_int_equal(ag_task_waiting(&note_task).units, (THREADS - stalled) * EACH);
    const struct ag_unit *first = fifo_of(2, &note_task)->head;
    form(&batch, 0, 0.45);
    assert_int_equal(left(0), 4);
    assert_int_equal(left(2), 4);
    assert_int_equal(fifo_of(2, &note_task)->kept_for_cpus, 4);
    assert_ptr_equal(fifo_of(2, &note_task)->head, first);
    assert_int_equal(left(1), stalled ? EACH : 5); /* half a unit is left of that before */
    assert_int_equal(batch.n_units, THREADS * EACH - 4 - 4 - left(1));
    fifo_of(1, &note_task)->stalled = false;
    assert_int_equal(ag_task_waiting(&note_task).units, 4 + 4 + left(1));
    dissolve(&batch);
    end_all();
  }
}

/* Chains of other threads would each have to be worth a warp. */
static void alone_with_flags(void **state) {
  (void)state;
  for (int flags = 0; flags < 2; ++flags) {
    struct ag_batch batch;
    begin_with("");
    note_task.map = AGGLOM_MAP_THREAD;
    all_note(0);
    form_alone(&batch, 0, 0);
    assert_false(batch.flags);
    batch.flags = flags;
    ag_join_others(&batch, &(struct ag_decided){0});
    assert_int_equal(batch.n_units, flags ? EACH : THREADS * EACH);
    dissolve(&batch);
    end_all();
    note_task.map = AGGLOM_MAP_BLOCK;
  }
}

/* How long units have waited is not known anew where others are to have some of them soon. */
static void age_where_some_are_left(void **state) {
  (void)state;
  for (int rest = 0; rest < 2; ++rest) {
    struct ag_batch batch;
    begin_with("");
    all_note(0);
    struct ag_batch_state *remembered = &note_task.state->measured->asked[0].batch;
    remembered->oldest_ns = 5;
    form_alone(&batch, 0, 0);
    ag_join_others(&batch, &(struct ag_decided){.rest = rest});
    assert_int_equal(remembered->oldest_ns, rest ? 5 : 0);
    dissolve(&batch);
    end_all();
  }
}

/* What other threads are told of a FIFO is of what is left. */
static void what_is_told_of_those_that_lose_some(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_with("");
  all_note(0);
  struct ag_fifo *fifo = fifo_of(1, &note_task);
  threads[1]->fifos.turns += 3;
  assert_int_equal(ag_fifo_passed(fifo), 3);
  ag_lock(&threads[1]->lock);
  ag_load_queued(threads[1], fifo, 100);
  ag_unlock(&threads[1]->lock);
  assert_int_equal(fifo->queued_ns, EACH * 100);
  form(&batch, 0, 0);
  assert_int_equal(fifo->queued_ns, 0);
  assert_int_equal(ag_fifo_passed(fifo), 0);
  dissolve(&batch);
  end_all();
}

/* Half a unit of each FIFO is every other unit. */
static void parts_of_units_add_up(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_with("");
  for (int t = 0; t < THREADS; ++t) {
    become(t);
    note(&note_task, t, t + 1, 1);
  }
  form(&batch, 0, 0.5);
  assert_int_equal(batch.n_units, THREADS - 1);
  dissolve(&batch);
  end_all();
}

/* As many again, no matter whose: also those that follow units of the batch. */
static void others_come_late(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_with("");
  become(0);
  note(&note_task, 0, 4, 1);
  become(1);
  note(&note_task, 10, 14, 1);
  form(&batch, 0, 0);
  assert_int_equal(batch.n_units, 8);
  become(2);
  note(&note_task, 20, 27, 1);
  assert_false(ag_join_late(&batch, true)); /* too few */
  become(1);
  note(&note_task, 12, 16, 1); /* two of them follow those of the batch, and wait */
  assert_int_equal(left(1), 2);
  assert_true(ag_join_late(&batch, true));
  assert_int_equal(batch.n_units, 8 + 7 + 4);
  assert_int_equal(batch.record.joined, 7 + 4);
  assert_int_equal(batch.n_chains, 8 + 7 + 2);
  assert_int_equal(ag_task_waiting(&note_task).units, 0);
  assert_int_equal(threads[1]->queued, 0);
  assert_int_equal(threads[2]->queued, 0);
  dissolve(&batch);
  assert_int_equal(left(0), 4);
  assert_int_equal(left(1), 8);
  assert_int_equal(left(2), 7);
  for (int t = 0; t < THREADS; ++t)
    assert_int_equal(threads[t]->queued, left(t));
  end_all();
  expect_ran(12, 14, 2 * ON_DEVICE);
}

/* Less than that does not, also when nothing of it follows units of the batch, nor what is left to CPUs; and
 * a batch that has grown wants as many again as it has now. */
static void as_many_again(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_with("");
  become(0);
  note(&note_task, 0, 16, 1);
  form(&batch, 0, 0.5);
  note(&note_task, 16, 23, 1);
  assert_false(ag_join_late(&batch, true));
  note(&note_task, 23, 24, 1);
  assert_true(ag_join_late(&batch, true));
  assert_int_equal(batch.n_units, 16);
  note(&note_task, 24, 39, 1);
  assert_false(ag_join_late(&batch, true));
  note(&note_task, 8, 9, 1); /* follows one of the batch */
  assert_true(ag_join_late(&batch, true));
  assert_int_equal(batch.n_units, 32);
  dissolve(&batch);
  end_all();
}

/* --- Batches that fail -------------------------------------------------------------------------------------
 */

/* Whatever fails: units return to their own FIFO, in their order, and take effect once. */
static void failures(void **state) {
  (void)state;
  static const char *const calls[] = {"copy_in", "launch", "copy_out", "finished"};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    char fault[80];
    snprintf(fault, sizeof fault, "AGGLOM_FAULT=call=%s,nth=1", calls[i]);
    capture_begin();
    begin_with(fault);
    all_note(0);
    launch(1, 0);
    poll_all();
    for (int t = 0; t < THREADS; ++t) {
      assert_int_equal(left(t), EACH);
      assert_int_equal(threads[t]->queued, EACH);
      int k = t * EACH;
      for (struct ag_unit *u = fifo_of(t, &note_task)->head; u; u = u->next, ++k) {
        assert_ptr_equal(((const struct note_args *)ag_unit_args(u))->where, &where[k]);
        assert_ptr_equal(u->domain->home, threads[t]);
        assert_int_equal(u->most_units, (THREADS * EACH + 1) / 2);
      }
    }
    assert_int_equal(ag_task_waiting(&note_task).units, THREADS * EACH);
    atomic_store(&launches, 0);
    launch(2, 0);
    poll_all();
    assert_int_equal(sizes[0], (THREADS * EACH + 1) / 2);
    end_all();
    capture_end();
    expect_ran(0, THREADS * EACH, ON_DEVICE);
  }
}

/* However a batch ends: what waits for units of it is looked at again, whoever's they are. */
static void none_is_stalled(void **state) {
  (void)state;
  for (int fails = 0; fails < 2; ++fails) {
    capture_begin();
    begin_with(fails ? "AGGLOM_FAULT=call=finished,nth=1" : "");
    all_note(0);
    launch(1, 0);
    all_note(100);
    for (int t = 0; t < THREADS; ++t)
      threads[t]->fifos.stalled = fifo_of(t, &note_task)->stalled = true;
    poll_all();
    for (int t = 0; t < THREADS; ++t) {
      assert_int_equal(left(t), fails ? 2 * EACH : EACH);
      assert_false(fifo_of(t, &note_task)->stalled);
    }
    end_all();
    capture_end();
  }
}

/* A batch that fails for good runs on the CPU. */
static void on_the_cpu_after_all(void **state) {
  (void)state;
  capture_begin();
  begin_with("AGGLOM_FAULT=call=launch,nth=1,error=sticky");
  all_note(0);
  launch(1, 0);
  poll_all();
  expect_ran(0, THREADS * EACH, ON_CPU);
  for (int t = 0; t < THREADS; ++t)
    assert_int_equal(threads[t]->live, 0);
  end_all();
  capture_end();
}

/* --- Order -------------------------------------------------------------------------------------------------
 */

static uint64_t cells[THREADS][4], expected[THREADS][4];

/* Each thread's units of a cell follow one another. */
static void all_fold(long n) {
  static long at;
  for (int t = 0; t < THREADS; ++t) {
    become(t);
    for (long i = 0; i < n; ++i, ++at) {
      submit_fold(&cells[t][i % 4], at, at + 2);
      fold(&(struct fold_args){&expected[t][i % 4], at, at + 2});
    }
  }
}

static void chains_keep_their_order(void **state) {
  (void)state;
  static const char *const settings[] = {"", "AGGLOM_FAULT=call=copy_out,nth=1",
                                         "AGGLOM_FAULT=call=mark,nth=2",
                                         "AGGLOM_FAULT=call=launch,nth=1,times=3"};
  memset(cells, 0, sizeof cells);
  memset(expected, 0, sizeof expected);
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    capture_begin();
    begin_with(settings[s]);
    for (int round = 0; round < 4; ++round) {
      all_fold(20);
      bool did = try_launch(round % THREADS, round == 2 ? 35 : 0);
      if (!s && !round) {
        assert_true(did);
        assert_int_equal(ag_task_waiting(&fold_task).units, 0);
      }
      all_fold(5); /* these follow units that are in flight */
    }
    end_all();
    capture_end();
    assert_memory_equal(cells, expected, sizeof cells);
  }
}

/* Threads that add to the same memory. */
static void sums(void **state) {
  (void)state;
  begin_with("");
  assert_int_equal(agglom_register(&tasks_module), 0);
  uint64_t sum[2] = {7, 7};
  for (int t = 0; t < THREADS; ++t) {
    become(t);
    for (unsigned i = 0; i < EACH; ++i)
      submit_tally((struct tally_args){.y = sum, .ly = 1, .ny = 1, .v = i});
  }
  launch(0, 0);
  assert_int_equal(ag_task_waiting(&tally_task).units, 0);
  end_all();
  assert_int_equal(sum[0], 7);
  assert_int_equal(sum[1], 7 + THREADS * EACH * (EACH - 1) / 2);
}

int main(void) {
  const struct CMUnitTest cases[] = {
      cmocka_unit_test(one_launch),
      cmocka_unit_test(longest_unit),
      cmocka_unit_test(not_for_all),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(limits_hold_for_those_that_join),
      cmocka_unit_test(some_stay),
      cmocka_unit_test(alone_with_flags),
      cmocka_unit_test(age_where_some_are_left),
      cmocka_unit_test(what_is_told_of_those_that_lose_some),
      cmocka_unit_test(parts_of_units_add_up),
      cmocka_unit_test(streams_join),
      cmocka_unit_test(waits_are_apart),
      cmocka_unit_test(ended_threads),
      cmocka_unit_test(queues_are_forgotten),
      cmocka_unit_test(tasks_go_meanwhile),
      cmocka_unit_test(others_come_late),
      cmocka_unit_test(as_many_again),
      cmocka_unit_test(failures),
      cmocka_unit_test(none_is_stalled),
      cmocka_unit_test(sums),
      cmocka_unit_test(on_the_cpu_after_all),
      cmocka_unit_test(chains_keep_their_order),
  };
  int failed = cmocka_run_group_tests(cases, NULL, NULL);
  fflush(NULL);
  if (failed)
    _Exit(1); /* without waiting for those units */
  return 0;
}
