/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Independent units: they go through streams, without a lock, and still run once each, on CPUs or in batches
 * on a device, are waited for, wake sleepers, and find the way of all others when a section is not plain. */
#include "commit/commit.h"
#include "dispatch/dispatch.h"
#include "fifo/queues.h"
#include "rt_tasks.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "wait/help.h"
#include "wait/idle.h"
#include "workers/make.h"
#include "workers/streams.h"
#include "workers/worker.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>

/* --- mark: void mark(unsigned char *byte, struct log *log) inout(byte[0:1]) -------------------------------
 */

struct order {
  _Atomic unsigned n;
  char of[64];
};

struct mark_args {
  unsigned char *byte;
  struct order *order; /* NULL: nobody wants to know */
  char name;
};

static _Atomic unsigned long marked;

static void mark_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct mark_args *a = args[i];
    ++*a->byte;
    if (a->order)
      a->order->of[atomic_fetch_add(&a->order->n, 1)] = a->name;
  }
  atomic_fetch_add(&marked, n);
}

static _Atomic unsigned smallest, largest; /* launch */

static void mark_emulated(const struct agglom_launch *l, unsigned c) {
  const struct mark_args *args = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    ++*args[u].byte;
    agglom_emulated_end(l, u);
  }
  if (c)
    return;
  if (l->n_units > atomic_load(&largest))
    atomic_store(&largest, l->n_units);
  if (l->n_units < atomic_load(&smallest))
    atomic_store(&smallest, l->n_units);
}

static const struct agglom_section mark_sections[] = {
    {"inout(byte[0:1])", 91, AGGLOM_INOUT, 1, offsetof(struct mark_args, byte), 0, NULL, NULL}};
#define MARK(Name, Line)                                                                                     \
  static struct agglom_task Name = {.name = #Name,                                                           \
                                    .file = "mark.c",                                                        \
                                    .line = (Line),                                                          \
                                    .flags = AGGLOM_TASK_INDEPENDENT,                                        \
                                    .map = AGGLOM_MAP_THREAD,                                                \
                                    .args_size = sizeof(struct mark_args),                                   \
                                    .args_align = _Alignof(struct mark_args),                                \
                                    .n_sections = 1,                                                         \
                                    .sections = mark_sections,                                               \
                                    .cpu = mark_cpu,                                                         \
                                    .emulated = mark_emulated,                                               \
                                    .kernel = #Name,                                                         \
                                    .module = &mix_module_header}
MARK(mark_task, 90);
MARK(other_task, 95);

static struct agglom_task *const marks[] = {&mark_task, &other_task};
static struct agglom_module marks_module = TASK_MODULE("mark.c", marks);

static int submit_len(struct agglom_task *task, struct mark_args a, long long len, long long priority) {
  struct agglom_range range = {a.byte, 0, len};
  return agglom_submit(task, &a, &range, priority, 0);
}

static void submit(unsigned char *byte) {
  assert_int_equal(submit_len(&mark_task, (struct mark_args){byte, NULL, 0}, 1, 0), 0);
}

static void begin(const char *settings) {
  assert_int_equal(agglom_register(&marks_module), 0);
  start_with(settings);
  atomic_store(&marked, 0);
  atomic_store(&largest, 0);
  atomic_store(&smallest, UINT_MAX);
}

static const char *const settings[] = {
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=2",
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=5",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=cpu",
    /* From here on a device takes them. */
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
    "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_EMULATE=memory=2MB",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=count:64",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=auto",
    "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=occupancy",
    /* It fails now and then, or for good. */
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:500 AGGLOM_FAULT=call=launch,nth=3,times=5",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_FAULT=call=any,nth=20,error=sticky",
    /* It has no kernel for them. */
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_FAULT=call=kernel,times=all",
};
enum { FIRST_DEVICE = 4, FIRST_FAULT = 11 };
enum { N_SETTINGS = sizeof settings / sizeof settings[0], N = 20000 };
static unsigned char bytes[N];

static void all_are(unsigned char value) {
  for (int i = 0; i < N; ++i)
    assert_int_equal(bytes[i], value);
}

/* --- Each once --------------------------------------------------------------------------------------------
 */

static void once_each(void **state) {
  (void)state;
  for (int s = 0; s < N_SETTINGS; ++s) {
    memset(bytes, 0, sizeof bytes);
    begin(settings[s]);
    for (int round = 1; round <= 5; ++round) {
      for (int i = 0; i < N; ++i) {
        submit(&bytes[i]);
        /* Back-pressure: memory is bounded, whoever runs the units. */
        assert_true(s >= FIRST_DEVICE || (unsigned long)((round - 1) * N + i + 1) - atomic_load(&marked) <=
                                             AG_STREAM_MOST + 1 + AG_STREAM_CHUNK * 5);
      }
      assert_int_equal(agglom_wait(), 0);
      all_are((unsigned char)round);
    }
    struct agglom_counters c;
    agglom_get_counters(&c);
    assert_int_equal(c.units, 5 * N);
    if (s < FIRST_DEVICE)
      assert_in_range(c.cpu_batches, 1, N); /* runs of units, not single ones */
    assert_int_equal(c.units_on_cpu + c.units_on_device, 5 * N);
    if (s < FIRST_FAULT)
      assert_int_equal(c.units_on_cpu, s < FIRST_DEVICE ? 5 * N : 0);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* Until a launch may be due, a unit is a record and no more, and costs a copy and a store. */
static void records_until_a_launch(void **state) {
  (void)state;
  memset(bytes, 0, sizeof bytes);
  begin("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  submit(&bytes[0]); /* opens the stream */
  assert_int_equal(agglom_wait(), 0);
  for (int i = 1; i < N; ++i) {
    submit(&bytes[i]);
    assert_int_equal(ag_stream_waiting(ag_worker_here()), i);
  }
  assert_int_equal(ag_worker_here()->live, 0);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(atomic_load(&largest), N - 1); /* and then all go at once */
  all_are(1);
  assert_int_equal(agglom_shutdown(), 0);
}

/* What policies say holds, whoever makes units of the records, and when. */
static void launches_of_policies(void **state) {
  (void)state;
  static const struct {
    const char *batch;
    unsigned max_units, size;
  } rules[] = {{"static:100", 0, 100}, {"count:200", 0, 200}, {"static:100", 40, 40}, {"maximal", 125, 125}};
  for (size_t r = 0; r < sizeof rules / sizeof rules[0]; ++r)
    for (int workers = 1; workers <= 2; ++workers) {
      char text[100];
      snprintf(text, sizeof text, "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=%d AGGLOM_BATCH=%s", workers,
               rules[r].batch);
      memset(bytes, 0, sizeof bytes);
      mark_task.max_units = rules[r].max_units;
      begin(text);
      uint64_t since = ag_clock_ns();
      for (int i = 0; i < N; ++i)
        submit(&bytes[i]);
      /* Before somebody waits, and nobody was held up so that this looked quiet: no launch is smaller, and
       * some have gone if the device was free. */
      struct agglom_counters c;
      agglom_get_counters(&c);
      if (ag_clock_ns() - since < (uint64_t)AG_QUIET_MS * 1000000)
        assert_true(c.launches == 0 || atomic_load(&smallest) >= rules[r].size);
      assert_int_equal(agglom_wait(), 0);
      agglom_get_counters(&c);
      assert_true(c.launches > 1);
      if (rules[r].max_units || rules[r].batch[0] == 's')
        assert_int_equal(atomic_load(&largest), rules[r].size);
      all_are(1);
      assert_int_equal(agglom_shutdown(), 0);
    }
  mark_task.max_units = 0;
}

/* A thread that goes on without a wait: what it has left is launched by others. */
static void quiet_streams_are_launched(void **state) {
  (void)state;
  memset(bytes, 0, sizeof bytes);
  begin("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  for (int i = 0; i < 1000; ++i)
    submit(&bytes[i]);
  for (struct agglom_counters c = {0}; c.units < 1000; agglom_get_counters(&c))
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  assert_int_equal(agglom_wait(), 0);
  for (int i = 0; i < 1000; ++i)
    assert_int_equal(bytes[i], 1);
  assert_int_equal(agglom_shutdown(), 0);
}

static void without_a_wait(void **state) {
  (void)state;
  for (int s = 0; s < N_SETTINGS; ++s) {
    memset(bytes, 0, sizeof bytes);
    begin(settings[s]);
    for (int i = 0; i < N; ++i)
      submit(&bytes[i]);
    assert_int_equal(agglom_shutdown(), 0); /* runs what is left */
    all_are(1);
  }
}

/* --- Sections that are not plain --------------------------------------------------------------------------
 */

static void bad_sections_are_told(void **state) {
  (void)state;
  for (int s = 0; s < N_SETTINGS; ++s) {
    memset(bytes, 0, sizeof bytes);
    begin(settings[s]);
    submit(&bytes[0]);
    submit(&bytes[1]);
    assert_int_equal(submit_len(&mark_task, (struct mark_args){&bytes[2], NULL, 0}, -1, 0), -EINVAL);
    assert_int_equal(submit_len(&mark_task, (struct mark_args){NULL, NULL, 0}, 1, 0), -EINVAL);
    assert_int_equal(submit_len(&mark_task, (struct mark_args){&bytes[3], NULL, 0}, 0, 0), 0);
    assert_int_equal(agglom_wait(), -EINVAL);
    assert_int_equal(bytes[0] + bytes[1] + bytes[3], 3);
    assert_int_equal(bytes[2], 0);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* --- Contexts ---------------------------------------------------------------------------------------------
 */

/* A unit whose body leaves its children behind: whoever follows it finds them done. */
static void leave_children(void *first) {
  for (int i = 0; i < 100; ++i)
    submit((unsigned char *)first + i);
}

static void children_come_first(void **state) {
  (void)state;
  for (int s = 0; s < N_SETTINGS; ++s) {
    memset(bytes, 0, sizeof bytes);
    begin(settings[s]);
    for (unsigned long round = 1; round <= repeats(2); ++round) {
      for (int i = 0; i < N / 100; ++i)
        assert_int_equal(submit_call(leave_children, &bytes[i * 100], i % 3), 0);
      assert_int_equal(agglom_wait(), 0);
      all_are((unsigned char)round);
    }
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void *submit_a_share(void *first) {
  for (int i = 0; i < N / 4; ++i)
    submit((unsigned char *)first + i);
  agglom_wait();
  for (int i = 0; i < N / 4; ++i)
    if (((unsigned char *)first)[i] != 1)
      return first;
  return NULL;
}

static void several_threads(void **state) {
  (void)state;
  for (int s = 0; s < N_SETTINGS; ++s)
    for (unsigned long round = 0; round < repeats(1); ++round) {
      pthread_t thread[4];
      memset(bytes, 0, sizeof bytes);
      begin(settings[s]);
      for (int t = 0; t < 4; ++t)
        assert_int_equal(pthread_create(&thread[t], NULL, submit_a_share, bytes + t * N / 4), 0);
      for (int t = 0; t < 4; ++t) {
        void *wrong;
        pthread_join(thread[t], &wrong);
        assert_null(wrong);
      }
      assert_int_equal(agglom_shutdown(), 0);
      all_are(1);
    }
}

/* --- Waiting ----------------------------------------------------------------------------------------------
 */

static void wait_on_some(void **state) {
  (void)state;
  uint64_t random = 11;
  for (int s = 0; s < N_SETTINGS; ++s) {
    memset(bytes, 0, sizeof bytes);
    begin(settings[s]);
    for (int round = 1; round <= 20; ++round) {
      for (int i = 0; i < 3000; ++i)
        submit(&bytes[i]);
      for (int k = 0; k < 5; ++k) {
        int i = (int)(next_random(&random) % 3000);
        assert_int_equal(agglom_wait_on(&bytes[i], 1), 0);
        assert_int_equal(bytes[i], round);
      }
      assert_int_equal(agglom_wait(), 0);
    }
    assert_int_equal(agglom_shutdown(), 0);
  }
}

static void high_priority_first(void **state) {
  (void)state;
  struct order order = {.n = 0};
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  for (int i = 0; i < 8; ++i)
    submit_len(&mark_task, (struct mark_args){&bytes[i], &order, 'l'}, 1, 0);
  for (int i = 8; i < 16; ++i)
    submit_len(&other_task, (struct mark_args){&bytes[i], &order, 'h'}, 1, 3);
  assert_int_equal(agglom_wait(), 0);
  /* The first unit of a thread goes the way of all others, which makes the stream. */
  assert_non_null(strstr(order.of, "hhhhhhh"));
  assert_true(strstr(order.of, "hhhhhhh") < strstr(order.of, "lllllll"));
  assert_int_equal(agglom_shutdown(), 0);
}

/* Where no priorities are given the streams have turns, and none waits until another one is empty. */
static void by_turns(void **state) {
  (void)state;
  struct order order = {.n = 0};
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  struct ag_runtime *rt = ag_runtime_running();
  struct ag_worker *mine = ag_worker_mine(rt);
  submit(&bytes[0]);
  submit_len(&other_task, (struct mark_args){&bytes[1], NULL, 0}, 1, 0);
  assert_int_equal(agglom_wait(), 0);
  for (int i = 2; i < 22; ++i)
    submit_len(i < 12 ? &mark_task : &other_task, (struct mark_args){&bytes[i], &order, i < 12 ? 'a' : 'b'},
               1, 0);
  rt->cpus = 5; /* a claim is of a tenth */
  while (ag_stream_waiting(mine) > 16)
    assert_true(ag_commit_claim(mine, mine, AG_REASON_FLUSH));
  rt->cpus = 1;
  assert_true(strstr(order.of, "ab") && strstr(order.of, "ba"));
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* The submitting thread does not help: a sleeping worker has to be woken, each time. */
static void sleepers_wake(void **state) {
  (void)state;
  memset(bytes, 0, sizeof bytes);
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
  for (unsigned long i = 0; i < repeats(800); ++i) {
    submit(&bytes[i % N]);
    for (int looks = 0; atomic_load(&marked) != i + 1; ++looks) {
      assert_true(looks < 100000);
      if (looks > 100)
        nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    for (unsigned long k = i % 400; k > 0 && i % 3; --k) /* from still awake to fast asleep */
      sched_yield();
    if (i % 50 == 0)
      nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- What other CPUs take ----------------------------------------------------------------------------------
 */

static void little_stays_where_it_is(void **state) {
  (void)state;
  struct ag_task_queue q = {.cpu_ns = 0};
  assert_true(ag_queue_worth(&q, 1, 8)); /* nothing is known yet */
  ag_queue_measured(&q, 100, 1000);
  uint64_t ns = atomic_load(&q.cpu_ns);
  assert_in_range(ns, 10, 11);
  assert_false(ag_queue_worth(&q, 100, 1));
  assert_true(ag_queue_worth(&q, AG_CPU_WORTH_NS, 1));
  assert_false(ag_queue_worth(&q, AG_CPU_WORTH_NS / ns, 2)); /* half of it is too little */
  ag_queue_measured(&q, 1, 800);                             /* a spike counts little, */
  assert_in_range(atomic_load(&q.cpu_ns), ns + 1, 120);
  ag_queue_measured(&q, 1, 4); /* and is forgotten at once */
  assert_in_range(atomic_load(&q.cpu_ns), 4, 5);
  for (int i = 0; i < 100; ++i)
    ag_queue_measured(&q, 1, 80000);
  assert_true(ag_queue_worth(&q, 1, 1)); /* units that have become long */
}

static void what_is_left_alone_is_taken(void **state) {
  (void)state;
  struct ag_away away = {0, 0};
  assert_false(ag_queue_away(&away, 7));
  assert_false(ag_queue_away(&away, 8)); /* somebody is there */
  for (int i = 0; !ag_queue_away(&away, 8); ++i) {
    assert_true(i < 1000);
    nanosleep(&(struct timespec){0, 100000}, NULL);
  }
  assert_false(ag_queue_away(&away, 9));
}

/* Without devices few units are kept waiting, dependent ones too. */
static void few_wait_for_one_cpu(void **state) {
  (void)state;
  enum { UNITS = 20000, MOST_OF_A_BATCH = 1024 };
  static uint64_t y[8], z[8];
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  for (unsigned long i = 0; i < UNITS; ++i) {
    struct mix_args a = {.y = y, .ly = (long)(i % 8), .ny = 1, .v = i}, b = a;
    assert_int_equal(submit_mix(&mix_task, a), 0);
    b.y = z;
    mix(&b);
    assert_true(i + 1 - atomic_load(&mix_on_cpu) <= AG_MOST_LIVE_PER_CPU + MOST_OF_A_BATCH);
  }
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(y, z, sizeof y);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Unloading --------------------------------------------------------------------------------------------
 */

static void unregistered_in_flight(void **state) {
  (void)state;
  for (int s = 0; s < N_SETTINGS; ++s)
    for (unsigned long round = 1; round <= repeats(2); ++round) {
      memset(bytes, 0, sizeof bytes);
      begin(settings[s]);
      for (int i = 0; i < 1000; ++i)
        submit(&bytes[i]);
      agglom_unregister(&marks_module);
      for (int i = 0; i < 1000; ++i)
        assert_int_equal(bytes[i], 1);
      assert_int_equal(agglom_shutdown(), 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(once_each),
      cmocka_unit_test(records_until_a_launch),
      cmocka_unit_test(launches_of_policies),
      cmocka_unit_test(quiet_streams_are_launched),
      cmocka_unit_test(without_a_wait),
      cmocka_unit_test(bad_sections_are_told),
      cmocka_unit_test(children_come_first),
      cmocka_unit_test(several_threads),
      cmocka_unit_test(wait_on_some),
      cmocka_unit_test(high_priority_first),
      cmocka_unit_test(by_turns),
      cmocka_unit_test(sleepers_wake),
      cmocka_unit_test(little_stays_where_it_is),
      cmocka_unit_test(what_is_left_alone_is_taken),
      cmocka_unit_test(few_wait_for_one_cpu),
      cmocka_unit_test(unregistered_in_flight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
