/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short calls where there is no device: they become parts of the unit before them, or run in the call, or
 * another thread takes them; in the order that the serial program has, and only where they may. */
#include "dispatch/dispatch.h"
#include "measure/measure.h"
#include "shared/runtime.h"

#include "busy_world.h"
#include "submit/at_once.h"
#include "workers/extend.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { CELLS = 64, SHORT_NS = 1200 /* not short enough to run in the call */ };

static uint64_t cell[CELLS], wanted[CELLS];

/* A runtime whose other thread is busy; units of the task are known to take so long. */
static void begin(struct agglom_task *task, uint64_t ns) {
  memset(cell, 0, sizeof cell);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  keep_other_busy(task, ns);
}

static void end(void) {
  atomic_store(&over, true);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(mine()->live_bytes, 0);
  assert_int_equal(fifo_of(&mix_task)->calls, 0);
  assert_int_equal(agglom_shutdown(), 0);
}

static void mix_cells(struct agglom_task *task, long to, long from) {
  struct mix_args a = {.y = cell, .ly = to, .ny = 1, .x = cell, .lx = from, .nx = from >= 0, .v = 3};
  a.lx = from >= 0 ? from : 0;
  assert_int_equal(submit_mix(task, a), 0);
}

static void one_unit_of_many_calls(void **state) {
  (void)state;
  begin(&mix_task, SHORT_NS);
  const struct ag_fifo *fifo = fifo_of(&mix_task);
  for (int i = 0; i < AG_MOST_CALLS; ++i)
    mix_cells(&mix_task, i < 4 ? 0 : i, -1);
  assert_int_equal(fifo->count, 1);
  assert_int_equal(fifo->calls, AG_MOST_CALLS);
  mix_cells(&mix_task, 0, -1); /* follows the first unit, but that is full */
  assert_int_equal(fifo->count, 2);
  assert_int_equal(fifo->calls, AG_MOST_CALLS + 1);
  struct agglom_counters c;
  agglom_get_counters(&c);
  assert_int_equal(c.units, AG_MOST_CALLS + 2);
  end();
  assert_int_equal(cell[0], (((3 * 31 + 3) * 31 + 3) * 31 + 3) * 31 + 3);
  assert_int_equal(cell[AG_MOST_CALLS - 1], 3);
}

/* AGGLOM_MODELS: what an item takes is known from the time and the cost of all calls. */
static void all_calls_cost(void **state) {
  (void)state;
  enum { CALLS = 8, COST = 5 };
  begin(&mix_task, SHORT_NS);
  ag_runtime_running()->config.models[0] = '/';
  for (int i = 0; i < CALLS; ++i) {
    struct mix_args a = {.y = cell, .ly = i, .ny = 1, .x = cell, .v = 3};
    struct agglom_range ranges[] = {{cell, i, 1}, {cell, 0, 0}};
    assert_int_equal(agglom_submit(&mix_task, &a, ranges, 0, COST), 0);
  }
  assert_int_equal(fifo_of(&mix_task)->count, 1);
  atomic_store(&over, true);
  assert_int_equal(agglom_wait(), 0);
  ag_runtime_running()->config.models[0] = 0;
  const struct ag_model *m = ag_task_model_lock(&mix_task);
  double items = m->cpu_known ? m->cpu_spent / m->cpu_ns : m->brief_items; /* on a slow machine it is known */
  ag_task_model_unlock(&mix_task);
  assert_true(items > CALLS * COST - 1 && items < CALLS * COST + 1);
  end();
}

/* No more than is worth the while of another CPU. */
static void not_too_long(void **state) {
  (void)state;
  begin(&mix_task, AG_CPU_WORTH_NS / 3);
  for (int i = 0; i < 9; ++i)
    mix_cells(&mix_task, i, -1);
  assert_int_equal(fifo_of(&mix_task)->count, 3);
  end();
  begin(&mix_task, 0); /* it is not known how long they are */
  for (int i = 0; i < 9; ++i)
    mix_cells(&mix_task, i, -1);
  assert_int_equal(fifo_of(&mix_task)->count, 9);
  end();
  begin(&mix_task, SHORT_NS);
  atomic_store(&mix_task.state->longest.ns, 2 * AG_CPU_WORTH_NS); /* but some are long */
  for (int i = 0; i < 9; ++i)
    mix_cells(&mix_task, i, -1);
  assert_int_equal(fifo_of(&mix_task)->count, 9);
  end();
}

/* Where enough waits for all, three times that: it saves a unit each time, and nobody waits for it. */
static void longer_where_enough_waits(void **state) {
  (void)state;
  enum { CALLS = 400, UNIT_NS = 12000 };
  static uint64_t y[CALLS];
  begin(&mix_task, UNIT_NS);
  const struct ag_fifo *fifo = fifo_of(&mix_task);
  uint64_t count = 0;
  for (int i = 0; i < CALLS; ++i) {
    assert_int_equal(submit_mix(&mix_task, (struct mix_args){.y = y, .ly = i, .ny = 1, .x = y, .v = 3}), 0);
    seem(&mix_task, UNIT_NS);
    if (fifo->calls == 6) /* 72 us, where another CPU comes for 80 */
      count = fifo->count;
  }
  assert_int_equal(count, 3);
  assert_in_range(fifo->count, fifo->calls / 5, fifo->calls / 5 + 3);
  end();
  for (int i = 0; i < CALLS; ++i)
    assert_int_equal(y[i], 3);
}

/* A call that depends on something else, and one of another task, is a unit of its own. */
static void what_follows_others(void **state) {
  (void)state;
  begin(&mix_task, SHORT_NS);
  assert_true(ag_queue_ready(mine(), &thread_task));
  atomic_store(&queue_of(&thread_task)->cpu_ns, SHORT_NS);
  mix_cells(&mix_task, 0, -1);
  mix_cells(&thread_task, 1, -1);
  mix_cells(&mix_task, 2, -1); /* another task's came between */
  assert_int_equal(fifo_of(&mix_task)->count, 2);
  mix_cells(&mix_task, 3, 1); /* reads what the other task writes */
  assert_int_equal(fifo_of(&mix_task)->count, 2);
  assert_int_equal(mine()->live, 5); /* with the one that keeps the thread busy */
  mix_cells(&mix_task, 4, -1);       /* would wait, in the last unit, for no reason */
  assert_int_equal(fifo_of(&mix_task)->count, 3);
  mix_cells(&mix_task, 4, 3);
  mix_cells(&mix_task, 5, 0);
  end();
  assert_int_equal(cell[3], 3 * 7 + 3);
  assert_int_equal(cell[4], 3 * 31 + 3 * 7 + (3 * 7 + 3));
  assert_int_equal(cell[5], 3 * 7 + 3);
}

/* The unit follows something that is not complete; a call that follows the unit may wait there as well. */
static void what_waits(void **state) {
  (void)state;
  begin(&mix_task, SHORT_NS);
  assert_true(ag_queue_ready(mine(), &thread_task));
  mix_cells(&thread_task, 1, -1);
  mix_cells(&mix_task, 0, 1);
  uint64_t live = mine()->live;
  mix_cells(&mix_task, 0, -1);
  assert_int_equal(mine()->live, live);
  mix_cells(&mix_task, 2, -1);
  assert_int_equal(mine()->live, live + 1);
  end();
  assert_int_equal(cell[0], (3 * 7 + 3) * 31 + 3);
}

/* A unit that runs until it is told to end. */
static atomic_bool runs, ends;

static void held_cpu(const void *const *args, unsigned long n) {
  atomic_store(&runs, true);
  while (!atomic_load(&ends))
    sched_yield();
  mix_cpu(args, n);
}

static void not_one_that_runs(void **state) {
  (void)state;
  memset(cell, 0, sizeof cell);
  atomic_store(&runs, false);
  atomic_store(&ends, false);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  mix_task.cpu = held_cpu;
  mix_cells(&mix_task, 0, -1);
  while (!atomic_load(&runs))
    sched_yield();
  atomic_store(&queue_of(&mix_task)->cpu_ns, SHORT_NS);
  mix_cells(&mix_task, 1, -1);
  mix_cells(&mix_task, 2, -1);
  assert_int_equal(mine()->live, 2);
  atomic_store(&ends, true);
  assert_int_equal(agglom_wait(), 0);
  mix_task.cpu = mix_cpu;
  assert_true(cell[0] == 3 && cell[1] == 3 && cell[2] == 3);
  assert_int_equal(agglom_shutdown(), 0);
}

/* Whether another thread takes a short unit that waits in this one's FIFO at the first look. */
static void *take(void *from) { return ag_dispatch_one(mine(), from, AG_ON_NO_HIGH, false) ? from : NULL; }

static bool is_taken(void) {
  pthread_t other;
  void *taken;
  mix_cells(&mix_task, 0, -1);
  assert_int_equal(pthread_create(&other, NULL, take, mine()), 0);
  assert_int_equal(pthread_join(other, &taken), 0);
  return taken;
}

/* Too little for another thread, unless nobody else would run it. */
static void little_of_one_that_sleeps(void **state) {
  (void)state;
  begin(&mix_task, SHORT_NS);
  assert_false(is_taken());
  atomic_store(&mine()->asleep, true);
  assert_true(is_taken());
  atomic_store(&mine()->asleep, false);
  end();
  assert_int_equal(cell[0], 3 * 31 + 3);
}

static void very_short_ones(void **state) {
  (void)state;
  begin(&mix_task, 100);
  for (int i = 0; i < 40; ++i) {
    mix_cells(&mix_task, i % 4, -1);
    atomic_store(&queue_of(&mix_task)->cpu_ns, 100); /* on a slow machine, too */
    atomic_store(&mix_task.state->longest.ns, 100);
  }
  assert_int_equal(fifo_of(&mix_task)->count, 0);
  assert_int_equal(cell[39 % 4], wanted[0] + cell[0]); /* they have run */
  struct agglom_counters c;
  agglom_get_counters(&c);
  assert_true(c.units == 41 && c.units_on_cpu >= 40);
  end();
}

/* Where it takes long to queue a unit, longer ones are short. */
static void what_queueing_takes(void **state) {
  (void)state;
  enum { UNIT_NS = 2500, QUEUEING_NS = 3000 };
  begin(&mix_task, UNIT_NS);
  struct ag_task_queue *queue = queue_of(&mix_task);
  mix_cells(&mix_task, 0, -1);
  assert_int_equal(queue->at_once, 0);
  seem(&mix_task, UNIT_NS);
  queue->queueing.ns = QUEUEING_NS;
  mix_cells(&mix_task, 1, -1);
  assert_int_equal(queue->at_once, 1);
  seem(&mix_task, UNIT_NS);
  queue->queueing.ns = QUEUEING_NS;
  atomic_store(&mix_task.state->longest.ns, 4 * QUEUEING_NS + 1); /* not if some are long */
  mix_cells(&mix_task, 2, -1);
  assert_int_equal(queue->at_once, 1);
  seem(&mix_task, 800); /* the way through the queue goes on beyond the call */
  queue->queueing.ns = 200;
  mix_cells(&mix_task, 3, -1);
  assert_int_equal(queue->at_once, 2);
  end();
}

/* What it takes is measured now and then, and no single time that a thread loses its CPU makes it long. */
static void queueing_is_timed(void **state) {
  (void)state;
  enum { EVERY = 16, MOST_NS = 4000, FEW = 20 };
  begin(&mix_task, 10 * AG_CPU_WORTH_NS); /* too long to run in the call in any case */
  struct ag_task_queue *queue = queue_of(&mix_task);
  for (int i = 1; i < EVERY; ++i)
    mix_cells(&mix_task, i, -1);
  assert_int_equal(queue->queueing.ns, 0);
  mix_cells(&mix_task, 0, -1);
  assert_in_range(queue->queueing.ns, 1, MOST_NS);
  uint64_t least = UINT64_MAX, most = 0;
  for (int i = 0; i < FEW; ++i) {
    queue->queueing.ns = i % 2 ? MOST_NS : 1;
    for (int k = 0; k < EVERY; ++k)
      mix_cells(&mix_task, k, -1);
    if (i % 2)
      least = queue->queueing.ns < least ? queue->queueing.ns : least;
    else
      most = queue->queueing.ns > most ? queue->queueing.ns : most;
  }
  assert_in_range(most, 2, MOST_NS / 8 + 1);
  assert_in_range(least, MOST_NS / 2, MOST_NS);
  for (int i = 0; i < FEW; ++i) {
    queue->queueing.ns = MOST_NS / 2;
    ag_at_once_queued(mine(), &mix_task, UINT64_C(10000000)); /* a thread has lost its CPU */
    assert_in_range(queue->queueing.ns, MOST_NS / 2 + 1, MOST_NS / 2 + MOST_NS / 16);
  }
  queue->queueing.ns = MOST_NS;
  ag_at_once_queued(mine(), &mix_task, 0); /* a shorter time is believed sooner than a longer one */
  assert_int_equal(queue->queueing.ns, MOST_NS / 2);
  queue->queueing.ns = 0;
  ag_at_once_queued(mine(), &mix_task, UINT64_C(10000000));
  assert_int_equal(queue->queueing.ns, MOST_NS);
  end();
}

/* Calls that run in place only since it took long to queue them are queued now and then: the first ones may
 * have had to wait for fresh memory. */
static void queueing_is_doubted(void **state) {
  (void)state;
  enum { MOST_NS = 4000, CALLS = 8192, EVERY = 256 };
  for (int brief = 0; brief < 2; ++brief) {
    uint64_t unit_ns = brief ? 800 : MOST_NS / 2 - 1; /* once doubted, still in place, whatever that took */
    start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
    assert_true(ag_queue_ready(mine(), &mix_task));
    memset(cell, 0, sizeof cell);
    struct ag_task_queue *queue = queue_of(&mix_task);
    queue->queueing.ns = MOST_NS;
    uint64_t in_place = 0;
    for (int i = 0; i < CALLS; ++i) {
      atomic_store(&queue->cpu_ns, unit_ns);
      atomic_store(&mix_task.state->longest.ns, unit_ns);
      mix_cells(&mix_task, i % CELLS, -1);
      in_place = i == 2 * EVERY - 2 ? atomic_load(&queue->at_once) : in_place;
      if (i % 16 == 15)
        assert_int_equal(agglom_wait(), 0);
    }
    assert_int_equal(in_place, 2 * EVERY - (brief ? 1 : 2));
    if (brief) /* these run in place whatever queueing takes */
      assert_true(queue->queueing.ns == MOST_NS && atomic_load(&queue->at_once) == CALLS);
    else
      assert_in_range(queue->queueing.ns, 1, MOST_NS); /* which it takes on a slow machine */
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* Units that seem to take up to twice as long run in their calls in two steps, ever more seldom: what others
 * have measured may have been caches that had to be filled. */
static void tried_in_place(void **state) {
  (void)state;
  enum { STEPS = 16, EACH = 10, SEEM_NS = 1900 };
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  assert_true(ag_queue_ready(mine(), &mix_task));
  memset(cell, 0, sizeof cell);
  for (int step = 0; step < STEPS; ++step) {
    uint64_t before = atomic_load(&queue_of(&mix_task)->at_once);
    for (int i = 0; i < EACH; ++i) {
      seem(&mix_task, SEEM_NS);
      mix_cells(&mix_task, i, -1);
    }
    seem(&mix_task, SEEM_NS);
    atomic_store(&mix_task.state->longest.ns, 4 * 2 * 1000 + 1); /* no trial where some are long */
    mix_cells(&mix_task, EACH, -1);
    uint64_t now = atomic_load(&queue_of(&mix_task)->at_once) - before;
    bool tried = step == 4 || step == 5 || step == 14 || step == 15;
    assert_int_equal(now, tried ? EACH : 0);
    assert_int_equal(agglom_wait(), 0);
  }
  seem(&mix_task, 2 * SEEM_NS); /* it is no use */
  mix_cells(&mix_task, 0, -1);
  assert_int_equal(atomic_load(&queue_of(&mix_task)->at_once), 4 * EACH);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* Very short ones that follow what is queued: the thread runs that first, so that they need not be queued,
 * whatever short ones it is. Not where it would have to run long ones. */
static void very_short_ones_behind_others(void **state) {
  (void)state;
  for (int others = 0; others < 2; ++others) {
    begin(&mix_task, 2 * AG_CPU_WORTH_NS);
    assert_true(ag_queue_ready(mine(), &thread_task));
    atomic_store(&queue_of(&thread_task)->cpu_ns, 10 * AG_CPU_WORTH_NS);
    atomic_store(&thread_task.state->longest.ns, 10 * AG_CPU_WORTH_NS);
    for (int i = 0; i < 20; ++i)
      mix_cells(&mix_task, i % 2, -1);
    if (others)
      mix_cells(&thread_task, 3, -1);
    assert_int_equal(fifo_of(&mix_task)->count, 20);
    atomic_store(&queue_of(&mix_task)->cpu_ns, 100);
    atomic_store(&mix_task.state->longest.ns, 100);
    uint64_t ran = queue_of(&mix_task)->at_once;
    mix_cells(&mix_task, 0, -1);
    if (queue_of(&mix_task)->at_once == ran &&
        mix_task.state->longest.ns > 1000) { /* the first batch took long */
      print_message("on this machine units are not short: left out\n");
      others = 1;
    }
    assert_int_equal(queue_of(&mix_task)->at_once, ran + !others);
    assert_in_range(fifo_of(&mix_task)->calls, 0, others ? 21 : 10);
    uint64_t is = 0;
    for (int i = 0; i < 11; ++i)
      is = is * 31 + 3;
    if (!others)
      assert_int_equal(cell[0], is);
    end();
    assert_int_equal(cell[0], is);
  }
}

static void very_short_ones_of_two_tasks(void **state) {
  (void)state;
  begin(&mix_task, 2 * AG_CPU_WORTH_NS);
  assert_true(ag_queue_ready(mine(), &thread_task));
  seem(&thread_task, 2 * AG_CPU_WORTH_NS);
  for (int i = 0; i < 6; ++i)
    mix_cells(i % 2 ? &thread_task : &mix_task, i % 2, -1);
  uint64_t ran = queue_of(&mix_task)->at_once;
  for (int i = 0; i < 100 && queue_of(&mix_task)->at_once == ran; ++i) {
    seem(&mix_task, 100); /* also on a slow machine */
    seem(&thread_task, 100);
    mix_cells(&mix_task, 0, -1);
  }
  assert_int_equal(queue_of(&mix_task)->at_once, ran + 1);
  end();
}

static void submits_very_short_ones(void *ignored) {
  (void)ignored;
  seem(&mix_task, 2 * AG_CPU_WORTH_NS);
  for (int i = 0; i < 6; ++i)
    mix_cells(&mix_task, i % 2, -1);
  uint64_t ran = queue_of(&mix_task)->at_once;
  for (int i = 0; i < 100 && queue_of(&mix_task)->at_once == ran; ++i) {
    seem(&mix_task, 100); /* also on a slow machine */
    mix_cells(&mix_task, 0, -1);
  }
  assert_int_equal(queue_of(&mix_task)->at_once, ran + 1);
  atomic_store(&over, true);
}

/* The same in the body of a unit. */
static void very_short_ones_in_a_unit(void **state) {
  (void)state;
  begin(&mix_task, 2 * AG_CPU_WORTH_NS);
  submit_call(submits_very_short_ones, NULL, 1);
  assert_int_equal(agglom_wait(), 0); /* the other thread is busy until the unit says so */
  end();
}

/* One with a priority does not run in the call, so nothing is run before it either. */
static void very_short_ones_with_a_priority(void **state) {
  (void)state;
  begin(&mix_task, 2 * AG_CPU_WORTH_NS);
  for (int i = 0; i < 20; ++i)
    mix_cells(&mix_task, i % 2, -1);
  seem(&mix_task, 100);
  struct mix_args a = {.y = cell, .ly = 3, .ny = 1, .x = cell, .v = 3};
  struct agglom_range ranges[] = {{cell, 3, 1}, {cell, 0, 0}};
  assert_int_equal(agglom_submit(&mix_task, &a, ranges, 1, 0), 0);
  assert_int_equal(fifo_of(&mix_task)->calls, 21);
  end();
}

/* As mix; some take many times as long as all others together. */
static void uneven_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct mix_args *a = args[i];
    if (a->ly == 5)
      usleep(20000);
    mix(a);
  }
}

/* Long ones among short ones are for others, though the short ones are many, whichever are timed. */
static void long_ones_among_short_ones(void **state) {
  (void)state;
  enum { CALLS = 96 };
  begin(&mix_task, 100);
  mix_task.cpu = uneven_cpu;
  for (int i = 0; i < CALLS; ++i)
    mix_cells(&mix_task, i % 16, -1);
  assert_true(queue_of(&mix_task)->at_once < CALLS / 2);
  end();
  mix_task.cpu = mix_cpu;
  begin(&mix_task, 100);
  atomic_store(&mix_task.state->longest.ns, 10000); /* one of late was */
  mix_cells(&mix_task, 0, -1);
  assert_int_equal(fifo_of(&mix_task)->count, 1);
  end();
}

/* The thread runs calls itself when the others have enough, and none that follows what is queued. */
static void when_others_have_enough(void **state) {
  (void)state;
  enum { UNIT_NS = 5000 };
  begin(&mix_task, UNIT_NS);
  const struct ag_fifo *fifo = fifo_of(&mix_task);
  uint64_t ran = queue_of(&mix_task)->at_once;
  for (int i = 0; i < 1000; ++i) {
    queue_of(&mix_task)->queueing = (struct ag_queueing){0}; /* on a slow machine, too */
    mix_cells(&mix_task, i % 32, -1);
  }
  assert_int_equal(fifo->calls, 1000);
  assert_int_equal(queue_of(&mix_task)->at_once, ran); /* each follows an earlier one */
  for (int i = 0; i < 32; ++i) {
    queue_of(&mix_task)->queueing = (struct ag_queueing){0};
    atomic_store(&queue_of(&mix_task)->cpu_ns, UNIT_NS); /* the last one was shorter */
    mix_cells(&mix_task, 32 + i, -1);
    assert_true(queue_of(&mix_task)->cpu_ns >= UNIT_NS / 2); /* and only one */
  }
  assert_int_equal(queue_of(&mix_task)->at_once, ran + 32);
  assert_int_equal(cell[63], 3);
  atomic_store(&queue_of(&mix_task)->cpu_ns, UNIT_NS);
  atomic_fetch_add(&ag_runtime_running()->resting, 1);
  mix_cells(&mix_task, 33, -1); /* somebody would take it */
  atomic_fetch_sub(&ag_runtime_running()->resting, 1);
  assert_int_equal(queue_of(&mix_task)->at_once, ran + 32);
  end();
}

/* As mix, but some units take as long as it takes until others come for them. */
static void slow_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct mix_args *a = args[i];
    spin(a->v);
    mix(a);
  }
}

/* Programs of random calls give what the serial program gives. */
static void random_programs(void **state) {
  (void)state;
  uint64_t seed = 1;
  mix_task.cpu = thread_task.cpu = host_task.cpu = slow_cpu;
  host_task.flags |= AGGLOM_TASK_LEAF;
  for (int round = 0; round < 60; ++round) {
    memset(cell, 0, sizeof cell);
    memset(wanted, 0, sizeof wanted);
    start_with(random_workers(round));
    long longest = 1 + (long)(next_random(&seed) % 8);
    for (int i = 0; i < 3000; ++i) {
      struct agglom_task *most = round % 2 ? &host_task : &mix_task;
      struct agglom_task *task = next_random(&seed) % 8 ? most : &thread_task;
      struct mix_args a = {.y = cell, .x = cell, .v = (uint64_t)i};
      a.ny = (long)(next_random(&seed) % (uint64_t)longest);
      a.nx = (long)(next_random(&seed) % (uint64_t)longest);
      a.ly = (long)(next_random(&seed) % (uint64_t)(CELLS - a.ny));
      /* inout(y) and in(x) of one call must not overlap */
      a.lx = (a.ly + a.ny) % CELLS;
      a.lx = a.lx + a.nx <= CELLS ? a.lx : 0;
      if (a.lx < a.ly + a.ny && a.ly < a.lx + a.nx)
        a.nx = 0;
      struct mix_args serial = a;
      serial.y = wanted;
      serial.x = wanted;
      mix(&serial);
      assert_int_equal(submit_mix(task, a), 0);
      if (!(next_random(&seed) % 500))
        compare(cell, wanted, sizeof cell);
      if (i > 10)
        seem_anything(task, &seed);
    }
    compare(cell, wanted, sizeof cell);
    struct agglom_counters c;
    agglom_get_counters(&c);
    assert_true(c.units == 3000 && c.units_on_cpu == 3000);
    assert_int_equal(mine()->live_bytes, 0);
    assert_int_equal(agglom_shutdown(), 0);
  }
  mix_task.cpu = thread_task.cpu = host_task.cpu = mix_cpu;
  host_task.flags &= ~(unsigned)AGGLOM_TASK_LEAF;
}

/* Also after a failure: the other thread does not spin for ever. */
static int let_go(void **state) {
  (void)state;
  atomic_store(&over, true);
  atomic_store(&ends, true);
  return agglom_shutdown();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(one_unit_of_many_calls, let_go),
                                     cmocka_unit_test_teardown(all_calls_cost, let_go),
                                     cmocka_unit_test_teardown(not_too_long, let_go),
                                     cmocka_unit_test_teardown(longer_where_enough_waits, let_go),
                                     cmocka_unit_test_teardown(what_follows_others, let_go),
                                     cmocka_unit_test_teardown(what_waits, let_go),
                                     cmocka_unit_test_teardown(not_one_that_runs, let_go),
                                     cmocka_unit_test_teardown(little_of_one_that_sleeps, let_go),
                                     cmocka_unit_test_teardown(very_short_ones, let_go),
                                     cmocka_unit_test_teardown(what_queueing_takes, let_go),
                                     cmocka_unit_test_teardown(queueing_is_timed, let_go),
                                     cmocka_unit_test_teardown(queueing_is_doubted, let_go),
                                     cmocka_unit_test_teardown(tried_in_place, let_go),
                                     cmocka_unit_test_teardown(very_short_ones_behind_others, let_go),
                                     cmocka_unit_test_teardown(very_short_ones_of_two_tasks, let_go),
                                     cmocka_unit_test_teardown(very_short_ones_in_a_unit, let_go),
                                     cmocka_unit_test_teardown(very_short_ones_with_a_priority, let_go),
                                     cmocka_unit_test_teardown(when_others_have_enough, let_go),
                                     cmocka_unit_test_teardown(long_ones_among_short_ones, let_go),
                                     cmocka_unit_test_teardown(random_programs, let_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
