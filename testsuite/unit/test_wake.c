/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who sleeps until some units are complete is woken by the thread that completes them. The units themselves
 * wait until it is asleep, and nothing else happens that could wake it. */
#include "busy_world.h"
#include "shared/runtime.h"
#include "sys/futex.h"
#include "sys/relaxed.h"
#include "workers/make.h"
#include "workers/wake.h"
#include "workers/worker.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

struct sleepy_args {
  char *where;
};

static _Atomic bool begun;
static struct ag_worker *sleeper;
static char place[2];

static void submit_sleepy(struct agglom_task *task, char *where);

static void wait_and_write(const struct sleepy_args *a) {
  atomic_store(&begun, true);
  while (!atomic_load(&sleeper->asleep))
    sched_yield();
  *a->where = 1;
}

static void sleepy_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    wait_and_write(args[i]);
}

static const struct agglom_section sleepy_sections[] = {
    {"out(where[0:1])", 2, AGGLOM_OUT, 1, offsetof(struct sleepy_args, where), 0, NULL, NULL}};

#define SLEEPY_TASK(Name, Flags, Body, Line)                                                                 \
  static struct agglom_task Name = {.name = #Name,                                                           \
                                    .file = "wake.c",                                                        \
                                    .line = (Line),                                                          \
                                    .flags = (Flags),                                                        \
                                    .args_size = sizeof(struct sleepy_args),                                 \
                                    .args_align = _Alignof(struct sleepy_args),                              \
                                    .n_sections = 1,                                                         \
                                    .sections = sleepy_sections,                                             \
                                    .cpu = (Body),                                                           \
                                    .module = &mix_module_header}
SLEEPY_TASK(free_task, AGGLOM_TASK_INDEPENDENT, sleepy_cpu, 1);
SLEEPY_TASK(child_task, AGGLOM_TASK_CPU_ONLY, sleepy_cpu, 2);

/* Only its child waits. */
static void parent_cpu(const void *const *args, unsigned long n) {
  (void)n;
  *((const struct sleepy_args *)args[0])->where = 1;
  submit_sleepy(&child_task, &place[1]);
}
SLEEPY_TASK(parent_task, AGGLOM_TASK_CPU_ONLY, parent_cpu, 3);

static struct agglom_task *const sleepy_tasks[] = {&free_task, &child_task, &parent_task};
static struct agglom_module sleepy_module = TASK_MODULE("wake.c", sleepy_tasks);

static void submit_sleepy(struct agglom_task *task, char *where) {
  struct sleepy_args a = {where};
  struct agglom_range range = {where, 0, 1};
  assert_int_equal(agglom_submit(task, &a, &range, 0, 0), 0);
}

/* The other thread of two runs the unit; this one waits for its memory, or for all. wanted: others want its
 * CPU, so that it sleeps as soon as it may. */
static void sleep_once(struct agglom_task *task, bool all, bool wanted) {
  memset(place, 0, sizeof place);
  atomic_store(&begun, false);
  assert_int_equal(agglom_register(&sleepy_module), 0);
  set_environment("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  assert_int_equal(agglom_init(), 0);
  sleeper = ag_worker_mine(ag_runtime_running());
  ag_set(&sleeper->spins_from_ns, wanted ? UINT64_MAX : 0);
  assert_true(ag_queue_ready(sleeper, task)); /* the first unit is not in a stream otherwise */
  submit_sleepy(task, place);
  while (!atomic_load(&begun))
    sched_yield();
  assert_int_equal(all ? agglom_wait() : agglom_wait_on(place, 1), 0);
  assert_int_equal(place[0], 1);
  assert_int_equal(place[1], task == &parent_task);
  assert_int_equal(agglom_shutdown(), 0);
  agglom_unregister(&sleepy_module);
}

static void sleep_for(struct agglom_task *task) {
  for (int i = 0; i < 4; ++i)
    sleep_once(task, i % 2, i / 2);
}

static void units_of_streams(void **state) {
  (void)state;
  sleep_for(&free_task);
}

static void single_units(void **state) {
  (void)state;
  sleep_for(&child_task);
}

/* It is complete with the last one that it has submitted. */
static void units_with_children(void **state) {
  (void)state;
  sleep_for(&parent_task);
}

/* Threads that sleep for want of work are woken one after the other; of each it is known when it has got up,
 * so none is taken to be on its way for ever. */
static void one_after_the_other(void **state) {
  (void)state;
  enum { TIMES = 200 };
  set_environment("AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_LINGER=0");
  assert_int_equal(agglom_init(), 0);
  struct ag_runtime *rt = ag_runtime_running();
  for (int i = 0; i < TIMES; ++i) {
    until_lying(2);
    assert_false(atomic_load(&rt->waking));
    ag_wake_for(rt);
    if (i % 2)
      ag_wake_one(rt);
    for (time_t from = time(NULL); atomic_load(&rt->waking) && time(NULL) - from < 20;)
      sched_yield();
    assert_false(atomic_load(&rt->waking));
  }
  assert_int_equal(agglom_shutdown(), 0);
}

/* Who wakes counts first: a thread may look at all that has come, and lie down, before it is woken for that.
 * It gets up all the same, and is known to. */
static void for_what_it_has_seen(void **state) {
  (void)state;
  set_environment("AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_LINGER=0");
  assert_int_equal(agglom_init(), 0);
  struct ag_runtime *rt = ag_runtime_running();
  until_lying(2);
  atomic_store(&rt->waking, true);
  for (time_t from = time(NULL); atomic_load(&rt->waking) && time(NULL) - from < 20; sched_yield())
    ag_futex_wake(&rt->wakes, 1);
  assert_false(atomic_load(&rt->waking));
  assert_int_equal(agglom_shutdown(), 0);
}

/* While one that was woken has not got up, work that comes in great numbers wakes no other one. */
static void no_second_one(void **state) {
  (void)state;
  set_environment("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  assert_int_equal(agglom_init(), 0);
  struct ag_runtime *rt = ag_runtime_running();
  unsigned wakes = atomic_load(&rt->wakes);
  ag_wake_for(rt);
  assert_int_equal(atomic_load(&rt->wakes), wakes); /* nobody sleeps */
  atomic_store(&rt->sleepers, 2);
  ag_wake_for(rt);
  assert_int_equal(atomic_load(&rt->wakes), wakes + 1); /* who is about to lie down looks once more, */
  assert_false(atomic_load(&rt->waking));               /* but is not woken */
  atomic_store(&rt->waking, true);
  ag_wake_for(rt);
  assert_int_equal(atomic_load(&rt->wakes), wakes + 1);
  atomic_store(&rt->lying, 2); /* by themselves they have just got up */
  ag_wake_one(rt);
  assert_false(atomic_load(&rt->waking));
  assert_int_equal(atomic_load(&rt->wakes),
                   wakes + 3); /* who lies down now looks once more, for what others brought */
  atomic_store(&rt->lying, 0);
  atomic_store(&rt->sleepers, 0);
  assert_int_equal(agglom_shutdown(), 0);
}

static void do_nothing(void *ignored) { (void)ignored; }

/* All threads that the process has now may use these CPUs. */
static void crowd(const cpu_set_t *cpus) {
  DIR *threads = opendir("/proc/self/task");
  assert_non_null(threads);
  for (struct dirent *each; (each = readdir(threads));)
    if (each->d_name[0] != '.')
      assert_int_equal(sched_setaffinity((pid_t)strtol(each->d_name, NULL, 10), sizeof *cpus, cpus), 0);
  closedir(threads);
}

/* Who has nothing to do spins only as long as nobody else wants its CPU. */
static void spins_on_a_free_cpu(void **state) {
  (void)state;
  enum { SECONDS = 20 };
  cpu_set_t all, one;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  struct ag_runtime *rt = ag_runtime_running();
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  crowd(&one);
  const struct ag_worker *other = atomic_load(&rt->workers);
  while (!other->pool)
    other = other->next;
  if (!rt->linger_ns)
    print_message("with one CPU nobody spins: left out\n");
  for (time_t from = time(NULL); rt->linger_ns && !ag_get(&other->spins_from_ns);) {
    for (uint64_t k = 0; k < 2000; ++k) /* wants the CPU meanwhile */
      submit_call(do_nothing, NULL, 1);
    assert_int_equal(agglom_wait(), 0);
    assert_in_range(time(NULL) - from, 0, SECONDS);
  }
  crowd(&all);
  assert_int_equal(agglom_shutdown(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_of_streams),     cmocka_unit_test(single_units),
      cmocka_unit_test(units_with_children),  cmocka_unit_test(one_after_the_other),
      cmocka_unit_test(for_what_it_has_seen), cmocka_unit_test(no_second_one),
      cmocka_unit_test(spins_on_a_free_cpu)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
