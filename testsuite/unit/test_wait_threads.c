/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A wait outside of tasks is for the units of all host threads, whatever has become of these: agglom_wait(),
 * agglom_wait_on(), what the directives `wait on`, `update` and `data` call, and the beginning of a loop. */
#include "capture.h"
#include "directives.h"
#include "random.h"
#include "random_steps.h"
#include "shared/runtime.h"
#include "submit/submit.h"
#include "wait/idle.h"
#include "workers/make.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

enum { THREADS = 3, CELLS = 64, UNITS = 200 };

static void nap(void) { nanosleep(&(struct timespec){0, 200000}, NULL); }

/* mix without dependences: through a stream, where there is one. */
static struct agglom_task free_task =
    MIX_TASK("mix_free", 90, .flags = AGGLOM_TASK_INDEPENDENT, .map = AGGLOM_MAP_THREAD,
             .emulated = mix_emulated, .kernel = "mix_free");
static struct agglom_task *const more_tasks[] = {&free_task};
static struct agglom_module more_module = TASK_MODULE("more.c", more_tasks);

static void begin(const char *settings) {
  assert_int_equal(agglom_register(&more_module), 0);
  assert_int_equal(agglom_register(&part_module), 0);
  start_with(settings);
}

static void end(void) {
  assert_int_equal(agglom_shutdown(), 0);
  agglom_unregister(&more_module);
}

static const char *const machines[] = {
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000", /* all are held back */
    "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=single",
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

/* --- Threads that submit -------------------------------------------------------------------------------- */

struct submitter {
  pthread_t thread;
  struct agglom_task *task;
  uint64_t y[CELLS];
  pthread_barrier_t *stay; /* NULL: it ends at once */
};

static void submit_all(struct submitter *s) {
  for (uint64_t u = 0; u < UNITS; ++u)
    submit_mix(s->task, (struct mix_args){.y = s->y, .ly = (long)(u % CELLS), .ny = 1, .v = u});
}

static void *submits(void *submitter) {
  struct submitter *s = submitter;
  submit_all(s);
  if (s->stay) {
    pthread_barrier_wait(s->stay);
    pthread_barrier_wait(s->stay);
  }
  return NULL;
}

/* Independent units update a cell once. */
static void expect(const struct submitter *s) {
  uint64_t y[CELLS] = {0};
  for (uint64_t u = 0; u < UNITS; ++u)
    mix(&(struct mix_args){.y = y, .ly = (long)(u % CELLS), .ny = 1, .v = u});
  assert_memory_equal(s->y, y, sizeof y);
}

/* The ways in which the host may wait for y of all the threads. */
enum way { WAIT, WAIT_ON, WAIT_SECTIONS, UPDATE_HOST, UPDATE_DEVICE, DATA, LOOP, WAYS };

/* A loop of no iterations begins nevertheless. */
static void no_chunk(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)env, (void)from, (void)to, (void)slot;
}
static void empty_loop(void) {
  agglom_for_begin();
  assert_int_equal(agglom_for(no_chunk, NULL, NULL, 0, 0, 0, AGGLOM_SCHEDULE_STATIC, 0, -1, 0), 0);
}

static void wait_in_some_way(enum way way, struct submitter *s, int n) {
  if (way == WAIT)
    assert_int_equal(agglom_wait(), 0);
  if (way == LOOP)
    empty_loop();
  for (int t = 0; t < n; ++t) {
    const struct agglom_range range = {s[t].y, 0, CELLS};
    if (way == WAIT_ON)
      assert_int_equal(agglom_wait_on(s[t].y, sizeof s[t].y), 0);
    else if (way == WAIT_SECTIONS)
      assert_int_equal(agglom_wait_sections(&wait_on, &range), 0);
    else if (way == UPDATE_HOST)
      assert_int_equal(agglom_update_sections(&update_host, &range), 0);
    else if (way == UPDATE_DEVICE)
      assert_int_equal(agglom_update_sections(&update_device, &range), 0);
    else if (way == DATA)
      agglom_data_end(agglom_data_begin(&data, &range));
  }
}

/* stay: the threads are asleep meanwhile; else they have ended, or some have. first: the waiting thread has
 * submitted units itself. */
static void others_units(struct agglom_task *task, bool stay, bool first) {
  for (int m = 0; m < MACHINES; ++m)
    for (enum way way = task == &mix_task ? 0 : (enum way)(m % 2); way < WAYS;
         way += task == &mix_task ? 1 : 2) {
      static struct submitter s[THREADS];
      pthread_barrier_t barrier;
      memset(s, 0, sizeof s);
      begin(machines[m]);
      pthread_barrier_init(&barrier, NULL, THREADS + 1);
      uint64_t mine[1] = {1};
      if (first)
        submit_mix(&mix_task, (struct mix_args){.y = mine, .ny = 1, .v = 1});
      for (int t = 0; t < THREADS; ++t) {
        s[t].task = task;
        s[t].stay = stay ? &barrier : NULL;
        assert_int_equal(pthread_create(&s[t].thread, NULL, submits, &s[t]), 0);
      }
      if (stay)
        pthread_barrier_wait(&barrier);
      for (int t = 0; t < THREADS && !stay; ++t)
        pthread_join(s[t].thread, NULL);
      wait_in_some_way(way, s, THREADS);
      for (int t = 0; t < THREADS; ++t)
        expect(&s[t]);
      if (first && way == WAIT)
        assert_int_equal(mine[0], 32);
      if (stay)
        pthread_barrier_wait(&barrier);
      for (int t = 0; t < THREADS && stay; ++t)
        pthread_join(s[t].thread, NULL);
      pthread_barrier_destroy(&barrier);
      end();
    }
}

static void units_of_sleeping_threads(void **state) {
  (void)state;
  others_units(&mix_task, true, true);
  others_units(&thread_task, true, false);
  others_units(&host_task, true, false);
}

static void units_of_ended_threads(void **state) {
  (void)state;
  others_units(&mix_task, false, false);
  others_units(&host_task, false, true);
}

/* Each unit has cells of its own here, or they would not be independent. */
static void *submits_free(void *submitter) {
  struct submitter *s = submitter;
  for (uint64_t u = 0; u < CELLS; ++u)
    submit_mix(&free_task, (struct mix_args){.y = s->y, .ly = (long)u, .ny = 1, .v = u + 1});
  if (s->stay) {
    pthread_barrier_wait(s->stay);
    pthread_barrier_wait(s->stay);
  }
  return NULL;
}

static void units_of_streams(void **state) {
  (void)state;
  for (int m = 0; m < MACHINES; ++m)
    for (enum way way = 0; way < 2 * WAYS; ++way) {
      static struct submitter s[THREADS];
      pthread_barrier_t barrier;
      bool stay = way >= WAYS;
      memset(s, 0, sizeof s);
      begin(machines[m]);
      pthread_barrier_init(&barrier, NULL, THREADS + 1);
      for (int t = 0; t < THREADS; ++t) {
        s[t].stay = stay ? &barrier : NULL;
        assert_int_equal(pthread_create(&s[t].thread, NULL, submits_free, &s[t]), 0);
      }
      if (stay)
        pthread_barrier_wait(&barrier);
      for (int t = 0; t < THREADS && !stay; ++t)
        pthread_join(s[t].thread, NULL);
      wait_in_some_way(way % WAYS, s, THREADS);
      for (int t = 0; t < THREADS; ++t)
        for (uint64_t u = 0; u < CELLS; ++u)
          assert_int_equal(s[t].y[u], u + 1);
      if (stay)
        pthread_barrier_wait(&barrier);
      for (int t = 0; t < THREADS && stay; ++t)
        pthread_join(s[t].thread, NULL);
      pthread_barrier_destroy(&barrier);
      end();
    }
}

/* --- Threads that go on --------------------------------------------------------------------------------- */

struct endless {
  struct agglom_task *task;
  uint64_t before[2], ever[CELLS];
  _Atomic bool begun, stop;
};

static void *submits_for_ever(void *context) {
  struct endless *e = context;
  long ordered = e->task != &free_task; /* the others touch nothing */
  submit_mix(e->task, (struct mix_args){.y = e->before, .ny = 1, .v = 5});
  for (uint64_t u = 0; !atomic_load(&e->stop); ++u) {
    submit_mix(e->task, (struct mix_args){.y = e->ever, .ly = (long)(u % CELLS), .ny = ordered, .v = u});
    if (u == 3 * CELLS) {
      submit_mix(e->task, (struct mix_args){.y = e->before, .ly = 1, .ny = 1, .v = 6});
      atomic_store(&e->begun, true);
    }
  }
  agglom_wait_own();
  return NULL;
}

/* Waits end while another thread submits without end; independent units and others, with and without
 * devices. */
static void endless_submissions(void **state) {
  (void)state;
  struct agglom_task *const tasks[] = {&mix_task, &free_task, &host_task};
  for (int m = 0; m < MACHINES - 1; ++m) /* launches of one unit each would take very long */
    for (int t = 0; t < 3; ++t)
      for (int on = 0; on < 2; ++on) {
        static struct endless e;
        pthread_t thread;
        memset(&e, 0, sizeof e);
        e.task = tasks[t];
        begin(machines[m]);
        assert_int_equal(pthread_create(&thread, NULL, submits_for_ever, &e), 0);
        while (!atomic_load(&e.begun))
          nap();
        assert_int_equal(on ? agglom_wait_on(e.before, sizeof e.before) : agglom_wait(), 0);
        assert_int_equal(e.before[0], 5);
        assert_int_equal(e.before[1], 6);
        assert_int_equal(agglom_wait(), 0);
        atomic_store(&e.stop, true);
        pthread_join(thread, NULL);
        end();
      }
}

/* --- Own units ------------------------------------------------------------------------------------------ */

static _Atomic bool open_now, inside;

static void wait_for_the_gate(void *ignored) {
  (void)ignored;
  atomic_store(&inside, true);
  while (!atomic_load(&open_now))
    nap();
}

static void *waits_for_its_own(void *memory) {
  uint64_t *y = memory;
  const struct agglom_range range = {y, 0, 2};
  bool right = true;
  for (uint64_t k = 0; k < 30; ++k) {
    y[0] = 1;
    submit_mix(k % 2 ? &mix_task : &host_task, (struct mix_args){.y = y, .ny = 1, .v = k});
    right &= !(k % 3 == 0   ? agglom_wait_own()
               : k % 3 == 1 ? agglom_wait_own_on(y, 16)
                            : agglom_wait_own_sections(&wait_on, &range)) &&
             y[0] == 31 + k;
  }
  return right ? y : NULL;
}

/* While a unit of another thread is in flight. */
static void own_units(void **state) {
  (void)state;
  for (int m = 0; m < MACHINES; ++m) {
    static uint64_t y[2];
    pthread_t thread;
    void *result;
    if (strstr(machines[m], "WORKERS=1"))
      continue; /* nobody would run the unit */
    begin(machines[m]);
    atomic_store(&open_now, false);
    atomic_store(&inside, false);
    submit_call(wait_for_the_gate, NULL, 1);
    while (!atomic_load(&inside))
      nap();
    assert_int_equal(pthread_create(&thread, NULL, waits_for_its_own, y), 0);
    pthread_join(thread, &result);
    assert_ptr_equal(result, y);
    atomic_store(&open_now, true);
    assert_int_equal(agglom_wait(), 0);
    end();
  }
}

/* In a task's body it is the children alone that are waited for. */
static uint64_t child_cell;
static int child_result;

static void waits_for_a_child(void *ignored) {
  (void)ignored;
  submit_mix(&mix_task, (struct mix_args){.y = &child_cell, .ny = 1, .v = 4});
  child_result = agglom_wait() + agglom_wait_own();
  child_result += child_cell != 4;
  submit_mix(&mix_task, (struct mix_args){.y = &child_cell, .ny = 1, .v = 4});
  child_result += agglom_wait_on(&child_cell, 8) + agglom_wait_own_on(&child_cell, 8);
  child_result += child_cell != 4 * 31 + 4;
}

static bool one_is_left(struct ag_worker *w) {
  ag_lock(&w->lock);
  bool one = w->root.live == w->root.oldest;
  ag_unlock(&w->lock);
  return one;
}

static void in_tasks(void **state) {
  (void)state;
  for (int m = 0; m < MACHINES; ++m) {
    if (strstr(machines[m], "WORKERS=1"))
      continue;
    begin(machines[m]);
    atomic_store(&open_now, false);
    atomic_store(&inside, false);
    child_cell = 0;
    child_result = -1;
    submit_call(wait_for_the_gate, NULL, 1);
    while (!atomic_load(&inside))
      nap();
    /* Its own parent and that unit are in flight: neither can be waited for. */
    submit_call(waits_for_a_child, NULL, 1);
    while (!one_is_left(ag_worker_here()))
      ag_idle_relieve(ag_worker_here());
    assert_int_equal(child_result, 0);
    atomic_store(&open_now, true);
    assert_int_equal(agglom_wait(), 0);
    end();
  }
}

/* --- Errors --------------------------------------------------------------------------------------------- */

static void *submits_nonsense(void *stay) {
  uint64_t y;
  agglom_submit(&grow_task, &(struct grow_args){&y, -1}, &(struct agglom_range){&y, 0, -1}, 0, 0);
  if (stay) {
    pthread_barrier_wait(stay);
    pthread_barrier_wait(stay);
  }
  return NULL;
}

static void *submits_something(void *y) {
  submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .v = 1});
  return agglom_wait_own() ? NULL : y;
}

/* An error is returned once, by the first wait that covers it, also when its thread has ended, and another
 * one has come after it. */
static void errors(void **state) {
  (void)state;
  for (int how = 0; how < 3; ++how) {
    pthread_t thread, next;
    pthread_barrier_t stay;
    uint64_t y[1] = {0};
    void *result = y;
    begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
    pthread_barrier_init(&stay, NULL, 2);
    capture_begin();
    assert_int_equal(pthread_create(&thread, NULL, submits_nonsense, how == 2 ? &stay : NULL), 0);
    if (how == 2)
      pthread_barrier_wait(&stay);
    else
      pthread_join(thread, NULL);
    assert_non_null(strstr(capture_end(), "has length -1"));
    if (how == 1) {
      assert_int_equal(pthread_create(&next, NULL, submits_something, y), 0);
      pthread_join(next, &result);
    }
    assert_ptr_equal(result, y);
    assert_int_equal(agglom_wait_own(), 0);
    assert_int_equal(agglom_wait(), -EINVAL);
    assert_int_equal(agglom_wait(), 0);
    if (how == 2) {
      pthread_barrier_wait(&stay);
      pthread_join(thread, NULL);
    }
    pthread_barrier_destroy(&stay);
    end();
  }
}

/* --- Sleeping ------------------------------------------------------------------------------------------- */

static struct ag_worker *_Atomic sleeper;
static char place;

/* Ends when the thread that waits for it is asleep. */
static void sleepy_cpu(const void *const *args, unsigned long n) {
  (void)args, (void)n;
  struct ag_worker *w;
  atomic_store(&inside, true);
  while (!(w = atomic_load(&sleeper)) || !atomic_load(&w->asleep))
    sched_yield();
  place = 1;
}

static const struct agglom_section sleepy_sections[] = {
    {"out(where[0:1])", 2, AGGLOM_OUT, 1, 0, 0, NULL, NULL}};
#define SLEEPY(Name, Flags)                                                                                  \
  static struct agglom_task Name = {.name = #Name,                                                           \
                                    .file = "sleepy.c",                                                      \
                                    .line = 1,                                                               \
                                    .flags = (Flags),                                                        \
                                    .args_size = sizeof(char *),                                             \
                                    .args_align = _Alignof(char *),                                          \
                                    .n_sections = 1,                                                         \
                                    .sections = sleepy_sections,                                             \
                                    .cpu = sleepy_cpu,                                                       \
                                    .module = &mix_module_header}
SLEEPY(sleepy_stream, AGGLOM_TASK_INDEPENDENT);
SLEEPY(sleepy_unit, 0);
SLEEPY(sleepy_cpu_only, AGGLOM_TASK_CPU_ONLY);
static struct agglom_task *const sleepy_tasks[] = {&sleepy_stream, &sleepy_unit, &sleepy_cpu_only};
static struct agglom_module sleepy_module = TASK_MODULE("sleepy.c", sleepy_tasks);

static void *submits_sleepy(void *task) {
  char *where = &place;
  const struct agglom_range range = {where, 0, 1};
  struct ag_worker *w = ag_worker_mine(ag_runtime_running());
  ag_queue_ready(w, task); /* the first unit is not in a stream otherwise */
  agglom_submit(task, &where, &range, 0, 0);
  return NULL;
}

/* The pool's thread runs the unit, which another thread has submitted; nothing else happens that could wake
 * who waits for it. */
static void sleepers_are_woken(void **state) {
  (void)state;
  for (int t = 0; t < 3; ++t)
    for (int on = 0; on < 2; ++on) {
      pthread_t thread;
      begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
      assert_int_equal(agglom_register(&sleepy_module), 0);
      place = 0;
      atomic_store(&inside, false);
      atomic_store(&sleeper, NULL);
      assert_int_equal(pthread_create(&thread, NULL, submits_sleepy, sleepy_tasks[t]), 0);
      pthread_join(thread, NULL);
      while (!atomic_load(&inside))
        sched_yield();
      atomic_store(&sleeper, ag_worker_mine(ag_runtime_running()));
      assert_int_equal(on ? agglom_wait_on(&place, 1) : agglom_wait(), 0);
      assert_int_equal(place, 1);
      end();
      agglom_unregister(&sleepy_module);
    }
}

/* --- Many at a time ------------------------------------------------------------------------------------- */

enum { MANY = 64 };
static pthread_barrier_t all_there;
static uint64_t cells[MANY][8];

/* Submits, meets the others, waits for all that was submitted, and looks at what a neighbour has. */
static void *submits_and_waits(void *number) {
  size_t me = (size_t)(uintptr_t)number, wrong = 0;
  for (uint64_t round = 1; round <= 5; ++round) {
    for (long i = 0; i < 8; ++i)
      submit_mix(i % 2 ? &mix_task : &free_task,
                 (struct mix_args){.y = cells[me], .ly = i, .ny = 1, .v = round});
    pthread_barrier_wait(&all_there);
    wrong += agglom_wait() != 0;
    const uint64_t *theirs = cells[(me + round) % MANY];
    uint64_t expected = 0;
    for (uint64_t r = 1; r <= round; ++r)
      expected = expected * 31 + r;
    for (int i = 0; i < 8; ++i)
      wrong += theirs[i] != expected;
    pthread_barrier_wait(&all_there);
  }
  return (void *)(uintptr_t)wrong;
}

static void many_wait_at_a_time(void **state) {
  (void)state;
  for (int m = 0; m < MACHINES; ++m) {
    pthread_t threads[MANY];
    memset(cells, 0, sizeof cells);
    begin(machines[m]);
    pthread_barrier_init(&all_there, NULL, MANY);
    for (uintptr_t t = 0; t < MANY; ++t)
      assert_int_equal(pthread_create(&threads[t], NULL, submits_and_waits, (void *)t), 0);
    for (int t = 0; t < MANY; ++t) {
      void *wrong;
      pthread_join(threads[t], &wrong);
      assert_null(wrong);
    }
    pthread_barrier_destroy(&all_there);
    end();
  }
}

/* --- Loops that threads wait for themselves ------------------------------------------------------------- */

static void submit_gated(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)env, (void)from, (void)to, (void)slot;
  submit_call(wait_for_the_gate, NULL, 1);
}

static void *runs_a_loop(void *ignored) {
  (void)ignored;
  agglom_for(submit_gated, NULL, NULL, 0, 0, 1, AGGLOM_SCHEDULE_STATIC, 0, -1, AGGLOM_FOR_CPU);
  return NULL;
}

/* A thread inside of a loop waits for its chunks: others do not. */
static void loops_of_others(void **state) {
  (void)state;
  pthread_t thread;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  atomic_store(&open_now, false);
  atomic_store(&inside, false);
  assert_int_equal(pthread_create(&thread, NULL, runs_a_loop, NULL), 0);
  while (!atomic_load(&inside))
    nap();
  assert_int_equal(agglom_wait(), 0);
  empty_loop();
  atomic_store(&open_now, true);
  pthread_join(thread, NULL);
  end();
}

/* --- Random programs ------------------------------------------------------------------------------------ */

enum { LENGTH = 200, ROUNDS = 4 };
static uint64_t arrays[THREADS][LENGTH], plain_arrays[THREADS][LENGTH];

struct program {
  pthread_t thread;
  uint64_t seed;
  int number;
  bool wrong;
};

/* In each round the threads take steps in an array, another one each time; some of them wait for all. */
static void *takes_steps(void *program) {
  struct program *p = program;
  for (int round = 0; round < ROUNDS; ++round) {
    uint64_t *y = arrays[(p->number + round) % THREADS];
    steps(&(struct part_args){y, 0, LENGTH, 2, false, p->seed + (uint64_t)round}, 30);
    pthread_barrier_wait(&all_there);
    if (p->number == round % THREADS)
      p->wrong |= agglom_wait() != 0;
    pthread_barrier_wait(&all_there);
  }
  return NULL;
}

static void random_programs(void **state) {
  (void)state;
  unsigned long n = repeats(2 * MACHINES);
  for (unsigned long k = 0; k < n; ++k) {
    struct program p[THREADS];
    uint64_t seed = (k + 1) * 7919;
    begin(machines[k % MACHINES]);
    memset(arrays, 0, sizeof arrays);
    memset(plain_arrays, 0, sizeof plain_arrays);
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (int t = 0; t < THREADS; ++t)
      p[t] = (struct program){.seed = next_random(&seed) | 1, .number = t};
    for (int round = 0; round < ROUNDS; ++round)
      for (int t = 0; t < THREADS; ++t)
        steps(&(struct part_args){plain_arrays[(t + round) % THREADS], 0, LENGTH, 2, true,
                                  p[t].seed + (uint64_t)round},
              30);
    for (int t = 0; t < THREADS; ++t)
      assert_int_equal(pthread_create(&p[t].thread, NULL, takes_steps, &p[t]), 0);
    for (int t = 0; t < THREADS; ++t) {
      pthread_join(p[t].thread, NULL);
      assert_false(p[t].wrong);
    }
    assert_memory_equal(arrays, plain_arrays, sizeof arrays);
    pthread_barrier_destroy(&all_there);
    end();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_of_sleeping_threads),
      cmocka_unit_test(units_of_ended_threads),
      cmocka_unit_test(units_of_streams),
      cmocka_unit_test(endless_submissions),
      cmocka_unit_test(own_units),
      cmocka_unit_test(in_tasks),
      cmocka_unit_test(errors),
      cmocka_unit_test(sleepers_are_woken),
      cmocka_unit_test(many_wait_at_a_time),
      cmocka_unit_test(loops_of_others),
      cmocka_unit_test(random_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
