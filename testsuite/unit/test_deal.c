/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads of the pool that have nothing to do are handed units by the thread that submits (dispatch/deal.h).
 * Here this thread plays some of these, beside a thread of the pool that is busy. */
#include "commit/commit.h"
#include "dispatch/deal.h"
#include "dispatch/dispatch.h"

#include "busy_world.h"

#include "shared/slot.h"
#include "sys/clock.h"
#include "sys/topology.h"
#include "workers/load.h"

enum { CELLS = 256, MOST_IDLE = 3, UNIT_NS = AG_CPU_WORTH_NS / 4 };

static uint64_t cell[CELLS];
static struct ag_worker *idle[MOST_IDLE];
static int n_idle;
static atomic_bool ended; /* threads of this test end */

static void add_idle(void) {
  struct ag_worker *w = ag_worker_new(ag_runtime_running(), true);
  assert_non_null(w);
  ag_hand_open(&w->hand);
  idle[n_idle++] = w;
}

/* So many threads hold out their hands. */
static void begin_by(const char *settings, struct agglom_task *task, uint64_t ns, int hands) {
  memset(cell, 0, sizeof cell);
  start_with(settings);
  keep_other_busy(task, ns);
  ag_runtime_running()->cpus += MOST_IDLE;
  for (n_idle = 0; n_idle < hands;)
    add_idle();
}

static void begin_with(struct agglom_task *task, uint64_t ns, int hands) {
  begin_by("AGGLOM_DEVICES=none AGGLOM_WORKERS=2", task, ns, hands);
}

static bool has_work(int i) { return ag_hand_is(&idle[i]->hand, AG_HAND_FULL); }

static unsigned units_of(int i) { return has_work(i) ? idle[i]->cpu_batch.n_units : 0; }

static unsigned calls_of(int i) { return has_work(i) ? idle[i]->cpu_batch.n_calls : 0; }

static enum ag_dealt deal(void) {
  ag_lock(&mine()->lock);
  enum ag_dealt dealt = ag_deal(mine());
  ag_unlock(&mine()->lock);
  return dealt;
}

/* What its thread does with what it was handed. */
static void run(int i) {
  struct ag_worker *me = mine(), *w = idle[i];
  struct ag_unit *takes = w->takes;
  ag_worker_adopt(w);
  w->takes = NULL;
  if (takes)
    ag_commit_run(w, takes);
  else
    ag_dispatch_dealt(w);
  ag_worker_adopt(me);
}

static void run_dealt(int i) {
  assert_true(ag_hand_close(&idle[i]->hand));
  run(i);
}

static int end(void **state) {
  (void)state;
  atomic_store(&over, true);
  for (int i = 0; i < n_idle; ++i) {
    if (!ag_hand_is(&idle[i]->hand, AG_HAND_CLOSED) && ag_hand_close(&idle[i]->hand)) /* a test has failed */
      run(i);
    ag_worker_offer(idle[i]); /* there is no thread that ends */
  }
  int err = agglom_wait();
  return err ? err : agglom_shutdown();
}

static void mix_alone(struct agglom_task *task, int at, uint64_t ns) {
  assert_int_equal(submit_mix(task, (struct mix_args){.y = cell, .ly = at, .ny = 1, .x = cell, .v = 1}), 0);
  seem(task, ns);
}

/* As many as are worth the while of the thread, once they are there. */
static void what_is_worth_it(void **state) {
  (void)state;
  begin_with(&mix_task, UNIT_NS, 1);
  for (int i = 0; i < 4; ++i) {
    assert_false(has_work(0));
    mix_alone(&mix_task, i, UNIT_NS);
  }
  assert_int_equal(calls_of(0), 4);
  assert_int_equal(fifo_of(&mix_task)->count, 0);
  mix_alone(&mix_task, 4, 2 * AG_CPU_WORTH_NS); /* it has enough */
  assert_int_equal(calls_of(0), 4);
  assert_int_equal(fifo_of(&mix_task)->count, 1);
  run_dealt(0);
  for (int i = 0; i < 4; ++i)
    assert_int_equal(cell[i], 1);
  assert_int_equal(cell[4], 0);
  seem(&mix_task, 2 * AG_CPU_WORTH_NS);
  ag_hand_open(&idle[0]->hand);
  mix_alone(&mix_task, 5, 2 * AG_CPU_WORTH_NS);
  assert_int_equal(units_of(0), 1);
  run_dealt(0);
  assert_int_equal(cell[4], 1);
}

/* What waits is shared by those that have nothing to do; a hand that is closed gets nothing. */
static void to_each_of_them(void **state) {
  (void)state;
  enum { LONG_NS = 2 * AG_CPU_WORTH_NS };
  begin_with(&mix_task, LONG_NS, 3);
  assert_false(ag_hand_close(&idle[1]->hand));
  for (int i = 0; i < 4; ++i)
    mix_alone(&mix_task, i, LONG_NS);
  assert_int_equal(units_of(0), 1);
  assert_int_equal(units_of(1), 0);
  assert_int_equal(units_of(2), 1);
  assert_int_equal(fifo_of(&mix_task)->count, 2);
  ag_hand_open(&idle[1]->hand);
  assert_int_equal(deal(), AG_DEAL_SEEN); /* as a thread does that waits */
  assert_int_equal(deal(), AG_DEAL_NO_HAND);
  assert_int_equal(units_of(1), 1);
  for (int i = 0; i < 3; ++i)
    run_dealt(i);
}

/* What follows the unit that one thread has been handed is not handed to another one before that is complete.
 */
static void not_what_has_to_wait(void **state) {
  (void)state;
  enum { LONG_NS = 2 * AG_CPU_WORTH_NS };
  begin_with(&mix_task, LONG_NS, 2);
  for (int i = 0; i < 2; ++i)
    mix_alone(&mix_task, 0, LONG_NS);
  assert_int_equal(units_of(0) + units_of(1), 1);
  int first = has_work(0) ? 0 : 1;
  run_dealt(first);
  seem(&mix_task, LONG_NS);
  assert_int_equal(deal(), AG_DEAL_SEEN);
  assert_int_equal(units_of(1 - first), 1);
  run_dealt(1 - first);
  assert_int_equal(cell[0], 31 + 1);
}

/* A launch that is due is made by a thread that has nothing to do, if there is one. */
static void launches(void **state) {
  (void)state;
  begin_by("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:4", &mix_task, 0, 1);
  struct agglom_counters c;
  for (int i = 0; i < 4; ++i) {
    assert_false(has_work(0));
    mix_alone(&mix_task, i, 0);
  }
  assert_true(has_work(0));
  assert_non_null(idle[0]->launches);
  assert_int_equal(idle[0]->launches->batch.asked.batch.units, 4); /* what was decided goes along */
  assert_int_equal(fifo_of(&mix_task)->count, 0);
  run_dealt(0);
  assert_null(idle[0]->launches);
  for (int i = 4; i < 8; ++i)
    mix_alone(&mix_task, i, 0); /* by the thread itself */
  atomic_store(&over, true);
  assert_int_equal(agglom_wait(), 0);
  agglom_get_counters(&c);
  assert_int_equal(c.launches, 2);
  for (int i = 0; i < 8; ++i)
    assert_int_equal(cell[i], 1);
}

static void count(void *at) { ++*(uint64_t *)at; }

/* One at a time, those of high priority first, and before units of FIFOs. */
static void units_for_cpus_alone(void **state) {
  (void)state;
  begin_with(&mix_task, 2 * AG_CPU_WORTH_NS, 0);
  mix_alone(&mix_task, 2, 2 * AG_CPU_WORTH_NS);
  assert_int_equal(submit_call(count, &cell[0], 0), 0);
  assert_int_equal(submit_call(count, &cell[1], 1), 0);
  for (int i = 0; i < 3; ++i) {
    add_idle();
    deal();
    assert_true(has_work(i));
    bool call = i != 1;
    assert_int_equal(idle[i]->takes != NULL, call);
    if (call)
      assert_int_equal(idle[i]->takes->priority, i == 0);
  }
  for (int i = 0; i < 3; ++i) {
    run_dealt(i);
    assert_int_equal(cell[i == 0 ? 1 : i == 1 ? 2 : 0], 1);
  }
}

/* While a thread submits, a thread of the pool leaves its lock alone; when it waits or goes away, it looks.
 */
static void others_look_when_it_does_not(void **state) {
  (void)state;
  enum { LONG_NS = 2 * AG_CPU_WORTH_NS };
  begin_with(&mix_task, LONG_NS, 1);
  struct ag_worker *me = mine();
  assert_false(ag_hand_close(&idle[0]->hand));
  ag_runtime_running()->linger_ns = 1000000;
  for (int i = 0; i < 4; ++i)
    mix_alone(&mix_task, i, LONG_NS);
  uint64_t from = ag_clock_ns(), now = from;
  bool left_alone = !ag_worker_is_away(&me->dealing, &me->deals);
  for (; !ag_worker_is_away(&me->dealing, &me->deals); now = ag_clock_ns())
    assert_in_range(now - from, 0, 20000000000);
  assert_true(left_alone);
  ag_worker_adopt(idle[0]);
  atomic_store(&me->dealing.since_ns, ag_clock_ns() + 1000000000000); /* as if it had just been there */
  assert_false(ag_dispatch_one(idle[0], me, AG_ON_NO_HIGH, true));
  atomic_store(&me->dealing.since_ns, 0);
  assert_true(ag_dispatch_one(idle[0], me, AG_ON_NO_HIGH, true));
  ag_worker_adopt(me);
  assert_int_equal(fifo_of(&mix_task)->count, 3);
  mix_alone(&mix_task, 4, LONG_NS);
  assert_true(atomic_load(&me->deals));
  atomic_store(&over, true);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(atomic_load(&me->deals), 0);
  for (int i = 0; i < 5; ++i)
    assert_int_equal(cell[i], 1);
}

/* A hand that opens while all that is submitted has to wait gets what is there; for nobody else looks. */
static void beside_what_has_to_wait(void **state) {
  (void)state;
  enum { LONG_NS = 2 * AG_CPU_WORTH_NS, MOST = 200 };
  begin_with(&mix_task, LONG_NS, 0);
  mix_alone(&mix_task, 0, LONG_NS);
  add_idle();
  int n = 0;
  for (; n < MOST && !has_work(0); ++n)
    assert_int_equal(
        submit_mix(&host_task, (struct mix_args){.y = cell, .ly = 0, .ny = 1, .x = cell, .v = 1}), 0);
  assert_int_equal(units_of(0), 1);
  run_dealt(0);
}

/* The thread of idle[0], which lies down to nothing else. Whether it was handed work. */
static void *plays_idle(void *ignored) {
  struct ag_worker *w = idle[0];
  (void)ignored;
  while (!ag_hand_is(&w->hand, AG_HAND_FULL) && !atomic_load(&ended))
    sched_yield();
  if (!ag_hand_close(&w->hand))
    return NULL;
  ag_worker_adopt(w);
  ag_dispatch_dealt(w);
  return w;
}

/* Who waits deals first, and then runs units itself. */
static void who_waits_deals(void **state) {
  (void)state;
  enum { LONG_NS = 2 * AG_CPU_WORTH_NS };
  begin_with(&mix_task, LONG_NS, 0);
  for (int i = 0; i < 4; ++i)
    mix_alone(&mix_task, i, LONG_NS);
  add_idle();
  atomic_store(&ended, false);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, plays_idle, NULL), 0);
  atomic_store(&over, true);
  assert_int_equal(agglom_wait(), 0);
  atomic_store(&ended, true);
  void *handed;
  assert_int_equal(pthread_join(thread, &handed), 0);
  assert_non_null(handed);
  for (int i = 0; i < 4; ++i)
    assert_int_equal(cell[i], 1);
}

/* A thread that had time has got what may take long: for what is left, which was not worth its while, another
 * one is woken. */
static void a_sleeper_comes_for_what_is_left(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2 AGGLOM_LINGER=0");
  memset(cell, 0, sizeof cell);
  assert_true(ag_queue_ready(mine(), &mix_task));
  seem(&mix_task, UNIT_NS);
  n_idle = 0;
  add_idle();
  until_lying(1);
  mix_alone(&mix_task, 0, UNIT_NS);
  assert_int_equal(submit_call(count, &cell[1], 0), 0);
  assert_true(has_work(0));
  assert_non_null(idle[0]->takes);
  uint64_t from = ag_clock_ns(), now = from;
  while (atomic_load(&mine()->queued) && now - from < 20000000000) {
    sched_yield();
    now = ag_clock_ns();
  }
  assert_int_equal(atomic_load(&mine()->queued), 0);
  run_dealt(0);
}

/* What is not worth a hand-over is found by a thread that holds out its hand, long before that would sleep.
 */
static void who_holds_out_a_hand_looks(void **state) {
  (void)state;
  const uint64_t linger_ns = 10000000000;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2 AGGLOM_LINGER=10s");
  n_idle = 0;
  memset(cell, 0, sizeof cell);
  assert_true(ag_queue_ready(mine(), &mix_task));
  seem(&mix_task, UNIT_NS);
  for (const struct ag_worker *v = atomic_load(&ag_runtime_running()->workers); v; v = v->next)
    while (v->pool && !ag_hand_is(&v->hand, AG_HAND_OPEN))
      sched_yield();
  bool counted = false; /* policies take it to have time, but while it looks */
  for (time_t begun = time(NULL); !counted && time(NULL) - begun < 20; sched_yield())
    counted = ag_load_back_soon(ag_runtime_running());
  assert_true(counted);
  uint64_t from = ag_clock_ns();
  mix_alone(&mix_task, 0, UNIT_NS);
  while (atomic_load(&mine()->queued))
    sched_yield();
  assert_in_range(ag_clock_ns() - from, 0, linger_ns * 8 / 10);
}

/* The time that is asked for holds even where there are more threads than CPUs. */
static void for_as_long_as_is_asked_for(void **state) {
  (void)state;
  static const char *const times[] = {"0", "200us"};
  for (int i = 0; i < 2; ++i) {
    char settings[128];
    (void)snprintf(settings, sizeof settings, "AGGLOM_DEVICES=none AGGLOM_WORKERS=%u AGGLOM_LINGER=%s",
                   ag_usable_cpus() + 1, times[i]);
    start_with(settings);
    assert_int_equal(ag_runtime_running()->linger_ns, i ? 200000 : 0);
    assert_int_equal(ag_runtime_running()->staying, i ? ag_usable_cpus() + 1 : 1);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* --- A hand, and many who reach for it ------------------------------------------------------------------ */

enum { THREADS = 3, TIMES = 20000 };

static struct ag_hand hand;
static uint64_t put_there; /* under the hand */

static void *reach_often(void *seed) {
  uint64_t random = (uintptr_t)seed, put = 0;
  while (!atomic_load(&ended)) {
    if (!ag_hand_reach(&hand)) {
      if (!(next_random(&random) % 16))
        sched_yield();
      continue;
    }
    bool full = next_random(&random) % 2;
    put_there += full;
    put += full;
    ag_hand_leave(&hand, full);
  }
  return (void *)(uintptr_t)put;
}

/* Whatever is put there is found, once. */
static void nothing_falls_out_of_a_hand(void **state) {
  (void)state;
  pthread_t thread[THREADS];
  uint64_t found = 0, put = 0, random = 7;
  put_there = 0;
  atomic_store(&ended, false);
  for (uintptr_t t = 0; t < THREADS; ++t)
    assert_int_equal(pthread_create(&thread[t], NULL, reach_often, (void *)(t + 1)), 0);
  for (int i = 0; i < TIMES || !found; ++i) { /* the others may not have begun yet */
    ag_hand_open(&hand);
    for (uint64_t wait = next_random(&random) % 64; wait && !ag_hand_is(&hand, AG_HAND_FULL); --wait)
      ag_pause();
    found += ag_hand_close(&hand);
    assert_int_equal(put_there, found);
    if (!(i % 64))
      sched_yield();
  }
  atomic_store(&ended, true);
  for (int t = 0; t < THREADS; ++t) {
    void *its;
    assert_int_equal(pthread_join(thread[t], &its), 0);
    put += (uintptr_t)its;
  }
  assert_int_equal(put, found);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(what_is_worth_it, end),
                                     cmocka_unit_test_teardown(to_each_of_them, end),
                                     cmocka_unit_test_teardown(not_what_has_to_wait, end),
                                     cmocka_unit_test_teardown(launches, end),
                                     cmocka_unit_test_teardown(units_for_cpus_alone, end),
                                     cmocka_unit_test_teardown(others_look_when_it_does_not, end),
                                     cmocka_unit_test_teardown(beside_what_has_to_wait, end),
                                     cmocka_unit_test_teardown(who_waits_deals, end),
                                     cmocka_unit_test_teardown(a_sleeper_comes_for_what_is_left, end),
                                     cmocka_unit_test_teardown(who_holds_out_a_hand_looks, end),
                                     cmocka_unit_test(for_as_long_as_is_asked_for),
                                     cmocka_unit_test(nothing_falls_out_of_a_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
