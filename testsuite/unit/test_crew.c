/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of a crew: each iteration runs once, also when threads take from one another all the time; what
 * conflicts does not run at the same time; reductions come in the order of the iterations. */
#include "capture.h"
#include "fold_task.h"
#include "loops/crew.h"
#include "loops/crew_state.h"
#include "loops/hybrid.h"
#include "random.h"
#include "rt_tasks.h"
#include "run_loop.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/topology.h"
#include "workers/wake.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

enum { N = 4000 };

static struct ag_runtime *rt;
static struct ag_worker *mine;

static void begin(const char *settings) {
  start_with(settings);
  rt = ag_runtime_running();
  mine = ag_worker_mine(rt);
  assert_non_null(mine);
  assert_non_null(ag_worker_domain(mine));
}

/* The threads of the pool look for loops from now on. */
static void stay_awake(void) { ag_hybrids_linger(rt, 5000000); }

struct env {
  uint64_t *y;
  uint64_t sum, next;
  long block; /* iterations that write one element */
  long slow;  /* rounds that an iteration takes more than others */
  bool wrong;
};

/* y[from .. to-1] = y * 31 + 1; reduction: from and to. */
static void submit_run(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  submit_run_of(((const struct env *)env)->y, from, to, slot);
}

/* Pieces come in the order of their iterations, without gaps. */
static void in_order(void *env, const void *slot) {
  struct env *e = env;
  e->wrong |= !comes_next(&e->next, slot);
}

static void each_runs_once(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=4", "AGGLOM_DEVICES=none AGGLOM_WORKERS=2",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=1", "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3"};
  uint64_t random = 5, pieces = 0, most = 0;
  for (size_t s = 0; s < sizeof settings / sizeof *settings; ++s) {
    begin(settings[s]);
    for (int k = 0; k < 300; ++k) {
      static uint64_t y[N], right[N];
      uint64_t n = 1 + next_random(&random) % (next_random(&random) % 2 ? N : 20);
      for (uint64_t i = 0; i < N; ++i)
        y[i] = right[i] = i;
      struct mix_args whole = {.y = right, .ny = (long)n, .x = right, .v = 1};
      mix(&whole);
      struct env e = {.y = y};
      bool reduces = next_random(&random) % 2;
      struct ag_for call = {submit_run,  reduces ? in_order : NULL, &e, reduces ? sizeof(uint64_t) : 0,
                            n,           AGGLOM_SCHEDULE_AUTO,      0,  -1,
                            .even = true};
      struct ag_run_result result = {0};
      struct ag_crew_deal deal = {(enum ag_crew_way)(next_random(&random) % 4),
                                  1 + next_random(&random) % (n + 1), k % 16 == 0};
      if (deal.way < AG_CREW_CHUNKS) /* which are for loops that are even alone */
        call.even = next_random(&random) % 2;
      if (k % 8)
        stay_awake();
      assert_int_equal(ag_crew_run(mine, &call, &deal, &result), 0);
      assert_memory_equal(y, right, sizeof y);
      assert_int_equal(result.err, 0);
      assert_ptr_equal(result.task, &mix_task);
      assert_true(!e.wrong && (!reduces || e.next == n));
      assert_true(result.pieces > 0 && result.pieces <= n);
      if (deal.way >= AG_CREW_CHUNKS)
        assert_int_equal(result.pieces, (n + deal.piece - 1) / deal.piece);
      if (deal.way == AG_CREW_BLOCKS)
        assert_true(result.pieces <= rt->cpus);
      pieces += result.pieces;
      most = most > result.pieces ? most : result.pieces;
      e = (struct env){.y = y};
      assert_true(ag_run_alone(mine, &call, true, &result));
      mix(&whole);
      assert_memory_equal(y, right, sizeof y);
      assert_int_equal(result.pieces, 1);
    }
    assert_int_equal(agglom_shutdown(), 0);
  }
  assert_true(pieces > 4 * 300 && most > 8);
}

static void submit_folding(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  submit_fold(((const struct env *)env)->y, from, to);
}

/* A loop whose shares all use one cell has no crew, and nothing of it has run then. */
static void conflicts_are_refused(void **state) {
  (void)state;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
  uint64_t y = 7;
  struct env e = {.y = &y};
  struct ag_for call = {submit_folding, NULL, &e, 0, 100, AGGLOM_SCHEDULE_AUTO, 0, -1, false, false, false};
  struct ag_run_result result = {0};
  assert_int_equal(ag_crew_run(mine, &call, &(struct ag_crew_deal){AG_CREW_SHARES, 1, false}, &result),
                   -EDEADLK);
  call.even = true; /* by no step at all */
  for (unsigned way = AG_CREW_SHARES; way <= AG_CREW_TURNS; ++way)
    assert_int_equal(
        ag_crew_run(mine, &call, &(struct ag_crew_deal){(enum ag_crew_way)way, 7, false}, &result), -EDEADLK);
  assert_int_equal(y, 7);
  call.n = 1; /* one share alone conflicts with nobody */
  assert_int_equal(ag_crew_run(mine, &call, &(struct ag_crew_deal){AG_CREW_SHARES, 1, false}, &result), 0);
  assert_int_equal(y, 7 * 31);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- step: cell[from / block .. (to - 1) / block] is read, and written a while later ----------------------
 */

struct step_args {
  uint64_t *cell;
  long from, to, block;
};

static void step(const struct step_args *a) {
  for (long i = a->from; i < a->to; ++i) {
    uint64_t was = __atomic_load_n(&a->cell[i / a->block], __ATOMIC_RELAXED);
    for (volatile int k = 0; k < 50; ++k)
      ;
    __atomic_store_n(&a->cell[i / a->block], was * 31 + (uint64_t)i, __ATOMIC_RELAXED);
  }
}

TASK_BODIES(step, struct step_args, step)

static const struct agglom_section step_sections[] = {{"inout(cell[from / block:])", 61, AGGLOM_INOUT,
                                                       sizeof(uint64_t), offsetof(struct step_args, cell), 0,
                                                       NULL, NULL}};
static struct agglom_task step_task = {.name = "step",
                                       .file = "step.c",
                                       .line = 60,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct step_args),
                                       .args_align = _Alignof(struct step_args),
                                       .n_sections = 1,
                                       .sections = step_sections,
                                       .cpu = step_cpu,
                                       .emulated = step_emulated,
                                       .kernel = "step",
                                       .module = &mix_module_header};
static struct agglom_task *const own_tasks[] = {&step_task, &fold_task};
static struct agglom_module own_module = TASK_MODULE("crew.c", own_tasks);

static void submit_step(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  const struct env *e = env;
  struct step_args a = {e->y, (long)from, (long)to, e->block};
  long first = a.from / e->block, last = (a.to - 1) / e->block;
  assert_int_equal(agglom_submit(&step_task, &a, &(struct agglom_range){e->y, first, last - first + 1}, 0, 0),
                   0);
}

/* Shares do not conflict, but iterations of one share do: nobody takes half of a cell's. */
static void cuts_are_looked_at(void **state) {
  (void)state;
  enum { BLOCK = 97, CELLS = 12, WORKERS = 4 };
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=4");
  for (int k = 0; k < 200; ++k) {
    uint64_t y[CELLS] = {0}, right[CELLS] = {0};
    struct env e = {.y = y, .block = BLOCK};
    struct ag_for call = {submit_step, NULL,  &e,    0,    (uint64_t)BLOCK * CELLS, AGGLOM_SCHEDULE_AUTO, 0,
                          -1,          false, false, false};
    struct ag_run_result result = {0};
    step(&(struct step_args){right, 0, BLOCK * CELLS, BLOCK});
    stay_awake();
    assert_int_equal(ag_crew_run(mine, &call, &(struct ag_crew_deal){AG_CREW_SHARES, 1, false}, &result), 0);
    assert_memory_equal(y, right, sizeof y);
  }
  assert_int_equal(agglom_shutdown(), 0);
}

/* Sections that are impossible: said once, the other pieces run, and there is an error. */
static void submit_bad(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  const struct env *e = env;
  struct mix_args a = {.y = e->y, .ly = (long)from, .ny = from ? (long)(to - from) : -1, .x = e->y, .v = 1};
  submit_mix(&mix_task, a);
}

static void impossible(void **state) {
  (void)state;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  uint64_t y[8] = {0};
  struct env e = {.y = y};
  struct ag_for call = {submit_bad, NULL, &e, 0, 8, AGGLOM_SCHEDULE_AUTO, 0, -1, false, false, false};
  struct ag_run_result result = {0};
  capture_begin();
  assert_int_equal(ag_crew_run(mine, &call, &(struct ag_crew_deal){AG_CREW_SHARES, 1, false}, &result),
                   -EDEADLK); /* chunks will say it */
  assert_true(ag_run_alone(mine, &call, true, &result));
  assert_int_equal(occurrences(capture_end(), "agglom: error: "), 1);
  assert_int_equal(result.err, -EINVAL);
  assert_int_equal(agglom_shutdown(), 0);
}

/* A section that becomes impossible when the loop goes as the last time, unasked. */
static void submit_at_last(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  if (((const struct env *)env)->wrong)
    submit_bad(env, from, to, slot);
  else
    submit_run(env, from, to, slot);
}

static void impossible_at_last(void **state) {
  (void)state;
  enum { CALLS = 100, SHORT = 8 };
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  uint64_t y[SHORT] = {0};
  struct env e = {.y = y};
  capture_begin();
  for (int k = 0; k < 2 * CALLS; ++k) {
    e.wrong = k >= CALLS;
    int err = agglom_for(submit_at_last, NULL, &e, sizeof e, 0, SHORT, AGGLOM_SCHEDULE_AUTO, 0, -1,
                         AGGLOM_FOR_EVEN);
    assert_int_equal(err, e.wrong ? -EINVAL : 0);
    assert_int_equal(agglom_wait(), err); /* which forgets it */
  }
  assert_in_range(occurrences(capture_end(), "agglom: error: "), 1, 20); /* as many as a task may write */
  assert_int_equal(agglom_shutdown(), 0);
}

/* Threads that are late may still say that they are in a loop that is over: their shares are taken all the
 * same, and nobody waits for them. */
static void late_threads(void **state) {
  (void)state;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
  struct ag_crew *crew = rt->loops.crew;
  for (int k = 0; k < 50; ++k) {
    static uint64_t y[N], right[N];
    struct mix_args whole = {.y = right, .ny = N, .x = right, .v = 1};
    mix(&whole);
    struct env e = {.y = y};
    struct ag_for call = {submit_run, NULL, &e, 0, N, AGGLOM_SCHEDULE_STATIC, 0, -1, false, false, false};
    struct ag_run_result result = {0};
    uint64_t past = atomic_load(&crew->epoch) - 1;
    for (unsigned i = 1; i < crew->n; ++i)
      atomic_store(&crew->seats[i].inside, past);
    alarm(20); /* a loop that waits for them does not end */
    assert_int_equal(ag_crew_run(mine, &call, &(struct ag_crew_deal){.way = AG_CREW_BLOCKS}, &result), 0);
    alarm(0);
    assert_memory_equal(y, right, sizeof y);
    assert_int_equal(result.pieces, 3);
  }
  assert_int_equal(agglom_shutdown(), 0);
}

/* static has the same blocks in each execution, whoever runs them: the first one, when nothing is known of
 * the loop, those of a crew, and those of a thread that finds the crew taken. */
static void add_up(void *env, const void *slot) {
  struct env *e = env;
  e->sum = e->sum * 31 + ((const uint32_t *)slot)[0] * 7 + ((const uint32_t *)slot)[1];
}

static void *same_sums(void *unused) {
  (void)unused;
  for (uint64_t n = 1; n < 60; n += 7) {
    uint64_t y[64] = {0}, first = 0;
    for (int k = 0; k < 60; ++k) {
      struct env e = {.y = y};
      if (agglom_for(submit_run, add_up, &e, sizeof e, sizeof(uint64_t), n, AGGLOM_SCHEDULE_STATIC, 0, -1, 0))
        return NULL;
      first = k ? first : e.sum;
      if (e.sum != first)
        return NULL;
    }
  }
  return rt;
}

static void static_has_the_same_blocks(void **state) {
  (void)state;
  enum { THREADS = 3 };
  pthread_t id[THREADS];
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
  for (unsigned t = 0; t < THREADS; ++t)
    assert_int_equal(pthread_create(&id[t], NULL, same_sums, NULL), 0);
  for (unsigned t = 0; t < THREADS; ++t) {
    void *fine;
    pthread_join(id[t], &fine);
    assert_ptr_equal(fine, rt);
  }
  assert_int_equal(agglom_shutdown(), 0);
  begin("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=auto");
  assert_ptr_equal(same_sums(NULL), rt);
  assert_int_equal(agglom_shutdown(), 0);
}

/* A loop that is known to be short is run in one piece: submit() is called once. Under a schedule that is
 * asked it is called more often, to find out what the loop submits, if for nothing else. */
static _Atomic int submits;
static void submit_counted(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  atomic_fetch_add(&submits, 1);
  submit_run(env, from, to, slot);
}

/* By one thread alone all are, also the first time. */
static void known_loops_are_run_at_once(void **state) {
  (void)state;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  uint64_t y[20] = {0};
  struct env e = {.y = y};
  for (int k = 0; k < 30; ++k) {
    atomic_store(&submits, 0);
    assert_int_equal(agglom_for(submit_counted, NULL, &e, sizeof e, 0, 20, AGGLOM_SCHEDULE_AUTO, 0, -1, 0),
                     0);
    assert_int_equal(atomic_load(&submits), 1);
  }
  atomic_store(&submits, 0);
  assert_int_equal(
      agglom_for(submit_counted, NULL, &e, sizeof e, 0, 20, AGGLOM_SCHEDULE_GUIDED_SIZES, 0, -1, 0), 0);
  assert_true(atomic_load(&submits) > 1);
  assert_int_equal(agglom_shutdown(), 0);
}

/* What docs/schedules.md says of short loops without devices: calls of submit() of one execution by one
 * thread. By a schedule that is asked there is one more, which finds out what the loop submits. */
static void schedules_that_are_not_asked(void **state) {
  (void)state;
  enum { LOOKS = 3, ITERATIONS = 20 };
  static const struct {
    unsigned schedule;
    long long chunk;
    int submits;
  } kinds[] = {{AGGLOM_SCHEDULE_AUTO, 0, 1},
               {AGGLOM_SCHEDULE_DYNAMIC, 0, 1},
               {AGGLOM_SCHEDULE_LOGFIT, 0, 1},
               {AGGLOM_SCHEDULE_CONCORD, 5, 1},
               {AGGLOM_SCHEDULE_HDSS, 0, 1},
               {AGGLOM_SCHEDULE_ORACLE, 0, 1},
               {AGGLOM_SCHEDULE_STATIC, 0, LOOKS + 1},
               {AGGLOM_SCHEDULE_STATIC_PCF, 0, LOOKS + 1},
               {AGGLOM_SCHEDULE_STATIC, 5, LOOKS + 4},
               {AGGLOM_SCHEDULE_DYNAMIC, 5, LOOKS + 4},
               {AGGLOM_SCHEDULE_DYNAMIC_LOCKED, 5, 1 + LOOKS + 4},
               {AGGLOM_SCHEDULE_GUIDED_RUNTIME, 0, 1 + LOOKS + 1}};
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  uint64_t y[ITERATIONS] = {0};
  struct env e = {.y = y};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    for (int times = 0; times < 3; ++times) {
      atomic_store(&submits, 0);
      assert_int_equal(agglom_for(submit_counted, NULL, &e, sizeof e, 0, ITERATIONS, kinds[k].schedule,
                                  kinds[k].chunk, -1, AGGLOM_FOR_EVEN),
                       0);
      if (times && atomic_load(&submits) != kinds[k].submits)
        fail_msg("schedule %u, chunk %lld: %d calls, not %d", kinds[k].schedule, kinds[k].chunk,
                 atomic_load(&submits), kinds[k].submits);
    }
  assert_int_equal(agglom_shutdown(), 0);
}

/* A loop may submit anything: only one unit with a kernel is run in place, for calls in it are plain calls.
 */
static _Atomic int in_place, submitted;
static void look_around(void *ignored) {
  (void)ignored;
  atomic_fetch_add(ag_worker_here()->plain ? &in_place : &submitted, 1);
}
static void submit_host(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)env;
  (void)from;
  (void)to;
  (void)slot;
  submit_call(look_around, NULL, 0);
}

static void other_units_are_submitted(void **state) {
  (void)state;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  int chunks = 0;
  for (long chunk = 5; chunk <= 40; chunk *= 2) {
    assert_int_equal(agglom_for(submit_host, NULL, &chunks, sizeof chunks, 0, 20, AGGLOM_SCHEDULE_STATIC,
                                chunk, -1, AGGLOM_FOR_EVEN),
                     0);
    chunks += (int)((20 + chunk - 1) / chunk);
  }
  assert_int_equal(atomic_load(&in_place), 0);
  assert_int_equal(atomic_load(&submitted), chunks);
  assert_int_equal(agglom_shutdown(), 0);
}

/* Threads of the pool join: those that are awake, and those that are woken. */
static void threads_join(void **state) {
  (void)state;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
  static uint64_t y[N];
  struct env e = {.y = y};
  struct ag_for call = {submit_run, NULL, &e, 0, N, AGGLOM_SCHEDULE_AUTO, 0, -1, false, false, false};
  for (int wakes = 0; wakes < 2; ++wakes) {
    bool helped = false;
    alarm(60); /* they never come */
    while (!helped) {
      struct ag_run_result result = {0};
      if (!wakes)
        stay_awake();
      while (wakes && atomic_load(&rt->sleepers) < 2)
        usleep(1000);
      assert_int_equal(ag_crew_run(mine, &call, &(struct ag_crew_deal){AG_CREW_SHARES, 1, wakes}, &result),
                       0);
      helped = result.helped;
    }
    alarm(0);
  }
  assert_int_equal(agglom_shutdown(), 0);
}

/* Where there are more threads than CPUs as many stay awake for the next loop as there are CPUs, and have the
 * shares; the others sleep. Blocks are for all. */
static void as_many_as_cpus_stay_awake(void **state) {
  (void)state;
  static uint64_t y[N];
  const unsigned cpus = ag_usable_cpus(), more = 2;
  char settings[64];
  (void)snprintf(settings, sizeof settings, "AGGLOM_DEVICES=none AGGLOM_WORKERS=%u", cpus + more);
  begin(settings);
  assert_int_equal(rt->linger_ns, 0);
  assert_int_equal(rt->staying, cpus);
  assert_true(cpus + more < N);
  struct env e = {.y = y};
  struct ag_for call = {submit_run, NULL, &e, 0, N, AGGLOM_SCHEDULE_AUTO, 0, -1, .even = true};
  for (unsigned k = 0; k < 200; ++k) {
    struct ag_run_result result = {0};
    struct ag_crew_deal deal = {k % 2 ? AG_CREW_BLOCKS : AG_CREW_SHARES, N, k % 16 == 0};
    stay_awake();
    assert_int_equal(ag_crew_run(mine, &call, &deal, &result), 0);
    assert_int_equal(result.pieces, deal.way == AG_CREW_BLOCKS || cpus == 1 ? cpus + more : cpus);
  }
  alarm(60); /* others stay awake, or more */
  atomic_store(&rt->loops.linger_until, ag_clock_ns() + 600000000000);
  ag_wake_all(rt);
  for (bool right = false; !right;) {
    usleep(1000);
    right = true;
    for (const struct ag_worker *v = atomic_load(&rt->workers); v; v = v->next)
      right &= !v->pool || atomic_load(&v->asleep) == (v->number >= cpus);
  }
  alarm(0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* Several threads with loops, one of which has the crew. */
struct thread {
  uint64_t y[N];
  uint64_t runs;
  uint64_t seed;
};

static void *loops(void *thread) {
  struct thread *t = thread;
  struct env e = {.y = t->y};
  for (; t->runs < 400; ++t->runs)
    if (agglom_for(submit_run, NULL, &e, sizeof e, 0, 1 + next_random(&t->seed) % 40, AGGLOM_SCHEDULE_AUTO, 0,
                   -1, 0))
      return NULL;
  return t;
}

static void several_threads(void **state) {
  (void)state;
  enum { THREADS = 3 };
  static struct thread threads[THREADS];
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
  pthread_t id[THREADS];
  for (unsigned t = 0; t < THREADS; ++t) {
    threads[t] = (struct thread){.seed = t + 1};
    assert_int_equal(pthread_create(&id[t], NULL, loops, &threads[t]), 0);
  }
  for (unsigned t = 0; t < THREADS; ++t) {
    void *fine;
    pthread_join(id[t], &fine);
    assert_ptr_equal(fine, &threads[t]);
    uint64_t right[40] = {0}, seed = t + 1;
    for (int k = 0; k < 400; ++k) {
      uint64_t n = 1 + next_random(&seed) % 40;
      for (uint64_t i = 0; i < n; ++i)
        right[i] = right[i] * 31 + 1;
    }
    for (int i = 0; i < 40; ++i)
      assert_int_equal(threads[t].y[i], right[i]);
  }
  assert_int_equal(agglom_shutdown(), 0);
}

static int register_own(void **state) {
  (void)state;
  return agglom_register(&own_module);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(each_runs_once, register_own),
                                     cmocka_unit_test_setup(conflicts_are_refused, register_own),
                                     cmocka_unit_test_setup(cuts_are_looked_at, register_own),
                                     cmocka_unit_test_setup(impossible, register_own),
                                     cmocka_unit_test_setup(impossible_at_last, register_own),
                                     cmocka_unit_test_setup(late_threads, register_own),
                                     cmocka_unit_test_setup(known_loops_are_run_at_once, register_own),
                                     cmocka_unit_test_setup(schedules_that_are_not_asked, register_own),
                                     cmocka_unit_test_setup(other_units_are_submitted, register_own),
                                     cmocka_unit_test_setup(threads_join, register_own),
                                     cmocka_unit_test_setup(as_many_as_cpus_stay_awake, register_own),
                                     cmocka_unit_test_setup(static_has_the_same_blocks, register_own),
                                     cmocka_unit_test_setup(several_threads, register_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
