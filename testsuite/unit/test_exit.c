/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads whose first submission meets the end of the process, and a driver that forks while it is started.
 * Each in a process of its own, which is stopped where another thread is to go on. */
#include "cuda_batch.h"
#include "in_a_process.h"
#include "rt_tasks.h"
#include "workers/worker.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* The stages of a process, entered one after another. */
static _Atomic int stage;
static void enter(int next) {
  for (int now = atomic_load(&stage); now < next && !atomic_compare_exchange_weak(&stage, &now, next);)
    ;
}
static void wait_for(int wanted) {
  while (atomic_load(&stage) < wanted)
    usleep(100);
}

static uint64_t y[1];

static void *submits_first(void *context) {
  struct agglom_task *task_to_submit = context;
  submit_mix(task_to_submit, (struct mix_args){.y = y, .ny = 1, .v = 7});
  if (agglom_wait_own() || y[0] != 7) /* a unit may be waiting for this thread */
    _exit(5);
  enter(9);
  return NULL;
}

/* --- The runtime ends between a thread's first look at it and its worker ----------------------------------
 */

void *__real_aligned_alloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t n, size_t size);

static _Thread_local bool stops; /* this thread, before it gets its worker */

void *__wrap_aligned_alloc(size_t n, size_t size) {
  if (stops && size == sizeof(struct ag_worker)) {
    stops = false;
    enter(1);
    wait_for(2);
  }
  return __real_aligned_alloc(n, size);
}

static void *stops_and_submits(void *context) {
  stops = true;
  return submits_first(context);
}

/* Is called after the runtime's own end: registered before it started. */
static void goes_on(void) {
  enter(2);
  wait_for(9);
}

static void thread_comes_late(void) {
  pthread_t thread;
  uint64_t z[1] = {0};
  atexit(goes_on);
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  submit_mix(&mix_task, (struct mix_args){.y = z, .ny = 1, .v = 1});
  agglom_wait();
  pthread_create(&thread, NULL, stops_and_submits, &mix_task);
  pthread_detach(thread);
  wait_for(1);
}

static void late_with_devices(void) {
  pthread_t thread;
  atexit(goes_on);
  start_with("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2");
  pthread_create(&thread, NULL, stops_and_submits, &mix_task);
  pthread_detach(thread);
  wait_for(1);
}

/* --- The process ends while a thread starts the runtime ---------------------------------------------------
 */

/* As the destructor of a module that agglomcc has compiled. */
static bool unregisters;
static __attribute__((destructor)) void unregister(void) {
  if (!unregisters)
    return;
  agglom_unregister(&tasks_module);
  enter(3);
  wait_for(9);
}

static void starts_slowly(const char *symbol) {
  if (strcmp(symbol, "cuInit") != 0)
    return;
  enter(1);
  wait_for(2);
  usleep(20000);
}

static void process_ends_first(void) { enter(2); }

static void thread_starts_it(void) {
  pthread_t thread;
  reset(NULL);
  gpu_each(starts_slowly);
  set_environment("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=2");
  agglom_register(&tasks_module);
  unregisters = true;
  atexit(process_ends_first);
  pthread_create(&thread, NULL, submits_first, &host_task);
  pthread_detach(thread);
  wait_for(1);
}

static void *waits_before_it_submits(void *context) {
  enter(1);
  wait_for(3);
  return submits_first(context);
}

/* It has not begun by then: that thread calls its tasks. */
static void thread_starts_too_late(void) {
  pthread_t thread;
  set_environment("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  agglom_register(&tasks_module);
  unregisters = true;
  pthread_create(&thread, NULL, waits_before_it_submits, &mix_task);
  pthread_detach(thread);
  wait_for(1);
}

static void late_threads(void **state) {
  (void)state;
  assert_int_equal(in_a_process(thread_comes_late), 0);
  assert_int_equal(in_a_process(late_with_devices), 0);
  assert_int_equal(in_a_process(thread_starts_it), 0);
  assert_int_equal(in_a_process(thread_starts_too_late), 0);
}

/* --- A driver that forks, exits or asks as it is started --------------------------------------------------
 */

static void forks_in_init(const char *symbol) {
  if (strcmp(symbol, "cuInit") != 0)
    return;
  pid_t child = fork();
  if (!child) {
    alarm(30);
    submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .v = 7});
    _exit(agglom_wait() || y[0] != 7);
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child || status)
    _exit(6);
  enter(1);
}

static void driver_forks(void) {
  reset(NULL);
  gpu_each(forks_in_init);
  void *memory = agglom_alloc(1 << 20);
  start_with("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=2");
  submit_mix(&host_task, (struct mix_args){.y = y, .ny = 1, .v = 7});
  if (agglom_wait() || y[0] != 7 || atomic_load(&stage) != 1 || agglom_shutdown())
    _exit(7);
  agglom_free(memory);
}

static void *asks(void *context) {
  struct agglom_counters c;
  agglom_get_counters(&c);
  enter(agglom_write_trace("/dev/null") == -ENOENT ? 1 : 2);
  return context;
}

/* Another thread asks, and the driver waits for it. */
static void asks_in_init(const char *symbol) {
  pthread_t thread;
  if (strcmp(symbol, "cuInit") != 0)
    return;
  if (pthread_create(&thread, NULL, asks, NULL) || pthread_join(thread, NULL))
    _exit(6);
}

static void driver_asks(void) {
  reset(NULL);
  gpu_each(asks_in_init);
  start_with("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=2");
  if (atomic_load(&stage) != 1)
    _exit(7);
}

static void exits_in_init(const char *symbol) {
  if (!strcmp(symbol, "cuInit"))
    exit(4);
}

static void driver_exits(void) {
  reset(NULL);
  gpu_each(exits_in_init);
  start_with("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=2");
}

static void starting_drivers(void **state) {
  (void)state;
  assert_int_equal(in_a_process(driver_forks), 0);
  assert_int_equal(in_a_process(driver_asks), 0);
  assert_int_equal(in_a_process(driver_exits), 4);
}

/* --- A unit that waits for another thread, while the runtime ends -----------------------------------------
 */

static void *submits_and_asks(void *context) {
  struct agglom_counters c;
  agglom_get_counters(&c);
  return submits_first(context);
}

static void waits_for_a_thread(void *context) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, submits_and_asks, context) || pthread_join(thread, NULL))
    _exit(6);
}

/* At the end of main: that unit is run while the runtime is being ended. */
static void unit_waits(void) {
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=1");
  submit_call(waits_for_a_thread, &mix_task, 0);
}

static void units_at_the_end(void **state) {
  (void)state;
  assert_int_equal(in_a_process(unit_waits), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(late_threads), cmocka_unit_test(starting_drivers),
                                     cmocka_unit_test(units_at_the_end)};
  return load_gpu("test_exit") ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
