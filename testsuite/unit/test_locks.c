/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nothing of the program's or of the driver's runs while a lock of the runtime is held: whatever it does, it
 * may fork, submit, ask and wait. The program is linked so that it sees each lock that is taken. */
#include "fault_workloads.h"

#include "gpu_in_software.h"

#include "sys/lock.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Locks ------------------------------------------------------------------------------------------------
 */

int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __real_pthread_mutex_trylock(pthread_mutex_t *lock);
int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);

static _Thread_local int held;
static _Atomic unsigned long taken; /* so far: that there are some is tested as well */

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock) {
  int err = __real_pthread_mutex_lock(lock);
  held += !err;
  atomic_fetch_add(&taken, 1);
  return err;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *lock) {
  int err = __real_pthread_mutex_trylock(lock);
  held += !err;
  return err;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock) {
  --held;
  return __real_pthread_mutex_unlock(lock);
}

void __real_ag_lock(struct ag_lock *lock);
bool __real_ag_lock_try(struct ag_lock *lock);
void __real_ag_unlock(struct ag_lock *lock);
void __real_ag_unlock_giving_way(struct ag_lock *lock);
void __wrap_ag_lock(struct ag_lock *lock);
bool __wrap_ag_lock_try(struct ag_lock *lock);
void __wrap_ag_unlock(struct ag_lock *lock);
void __wrap_ag_unlock_giving_way(struct ag_lock *lock);

void __wrap_ag_lock(struct ag_lock *lock) {
  __real_ag_lock(lock);
  ++held;
  atomic_fetch_add(&taken, 1);
}

bool __wrap_ag_lock_try(struct ag_lock *lock) {
  bool got = __real_ag_lock_try(lock);
  held += got;
  return got;
}

void __wrap_ag_unlock(struct ag_lock *lock) {
  --held;
  __real_ag_unlock(lock);
}

void __wrap_ag_unlock_giving_way(struct ag_lock *lock) {
  --held;
  __real_ag_unlock_giving_way(lock);
}

static const char *_Atomic guilty; /* what has run with a lock held */
static _Atomic unsigned visits;

static void look(const char *what) {
  atomic_fetch_add(&visits, 1);
  if (held)
    atomic_store(&guilty, what);
}

static void look_in_a_task(void *context) { look(context); }

/* --- The driver -------------------------------------------------------------------------------------------
 */

enum { MOST_SYMBOLS = 80 };
static const char *forked_in[MOST_SYMBOLS];
static unsigned n_forked;

/* Each entry point forks at its first call. */
static void fork_once(const char *symbol) {
  look(symbol);
  for (unsigned i = 0; i < n_forked; ++i)
    if (!strcmp(forked_in[i], symbol))
      return;
  if (n_forked < MOST_SYMBOLS)
    forked_in[n_forked++] = symbol;
  pid_t child = fork();
  if (!child)
    _exit(0);
  int status = -1;
  if (waitpid(child, &status, 0) != child || status)
    atomic_store(&guilty, symbol);
}

static bool has_forked_in(const char *symbol) {
  for (unsigned i = 0; i < n_forked; ++i)
    if (!strcmp(forked_in[i], symbol))
      return true;
  return false;
}

static void run_all(const char *settings, void (*each)(const char *symbol)) {
  static struct sweep_data wanted, data;
  for (unsigned p = 0; p < SWEEP_PROGRAMS; ++p) {
    sweep_fill(&wanted, true);
    sweep_programs[p].run(&wanted);
    agglom_free(wanted.large);
    gpu_reset("EAGER=1 MEMORY=%uK", 2 * sweep_programs[p].kb);
    gpu_each(each);
    sweep_fill(&data, false);
    start_with(settings);
    assert_int_equal(agglom_register(&sweep_module), 0);
    sweep_programs[p].run(&data);
    submit_call(look_in_a_task, "a task", 0);
    submit_call(look_in_a_task, "a task", 1);
    assert_int_equal(agglom_wait(), 0);
    agglom_unregister(&sweep_module);
    assert_int_equal(agglom_shutdown(), 0);
    agglom_free(data.large);
    assert_memory_equal(data.memory, wanted.memory, sizeof data.memory);
  }
}

static void driver(void **state) {
  (void)state;
  atomic_store(&guilty, NULL);
  atomic_store(&visits, 0);
  run_all("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=1 AGGLOM_BATCH=count:7", look);
  run_all("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=3 AGGLOM_BATCH=auto", look);
  run_all("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=2 AGGLOM_TRACE=/dev/null", look);
  assert_true(atomic_load(&visits) > 1000);
  assert_true(atomic_load(&taken) > 1000);
  if (atomic_load(&guilty))
    fail_msg("%s was called with a lock held", atomic_load(&guilty));
}

/* An idle thread that looks after what a busy one has left in its FIFO. */
static void quiet_fifos(void **state) {
  (void)state;
  static struct sweep_data data;
  struct agglom_counters before, now = {0};
  gpu_reset("EAGER=1 MEMORY=64M");
  start_with("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=2 AGGLOM_BATCH=static:1000");
  assert_int_equal(agglom_register(&sweep_module), 0);
  sweep_fill(&data, false);
  step(&data, &force_task, 1, 2, 3);
  finish(&data);
  atomic_store(&guilty, NULL);
  gpu_each(look);
  agglom_get_counters(&before);
  step(&data, &force_task, 1, 2, 3);
  step(&data, &force_task, 4, 2, 3);
  for (int i = 0; i < 20000 && now.launches <= before.launches; ++i) {
    usleep(1000);
    agglom_get_counters(&now);
  }
  const char *who = atomic_load(&guilty);
  assert_int_equal(agglom_wait(), 0);
  agglom_unregister(&sweep_module);
  assert_int_equal(agglom_shutdown(), 0);
  assert_true(now.launches > before.launches);
  if (who)
    fail_msg("%s was called with a lock held", who);
}

/* --- Loops ------------------------------------------------------------------------------------------------
 */

static uint64_t elements[1000];

static void submit_chunk(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)env;
  look("a loop that submits");
  ++*(uint64_t *)slot;
  submit_mix(&mix_task,
             (struct mix_args){.y = elements, .ly = (long)from, .ny = (long)(to - from), .v = from});
}

static void combine_chunk(void *env, const void *slot) {
  look("a loop that combines");
  *(uint64_t *)env += *(const uint64_t *)slot;
}

static void loops(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=auto"};
  atomic_store(&guilty, NULL);
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    uint64_t chunks = 0;
    start_with(settings[s]);
    assert_int_equal(agglom_for(submit_chunk, combine_chunk, &chunks, sizeof chunks, sizeof chunks, 1000,
                                AGGLOM_SCHEDULE_DYNAMIC, 100, -1, 0),
                     0);
    assert_true(chunks > 0);
    assert_int_equal(agglom_shutdown(), 0);
  }
  if (atomic_load(&guilty))
    fail_msg("%s ran with a lock held", atomic_load(&guilty));
}

/* A driver whose calls fork: cuInit() starts helpers, say. */
static void driver_that_forks(void **state) {
  (void)state;
  alarm(120); /* who hangs ends by SIGALRM */
  run_all("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=1 AGGLOM_BATCH=count:7", fork_once);
  alarm(0);
  static const char *const some[] = {"cuDevicePrimaryCtxRetain", "cuModuleLoadDataEx", "cuModuleUnload",
                                     "cuMemHostRegister_v2", "cuMemHostUnregister"};
  for (size_t i = 0; i < sizeof some / sizeof some[0]; ++i)
    assert_true(has_forked_in(some[i]));
  if (atomic_load(&guilty))
    fail_msg("%s forked, or was called, with a lock held", atomic_load(&guilty));
}

/* --- The program's own stream -----------------------------------------------------------------------------
 */

static size_t written;

static ssize_t write_report(void *context, const char *text, size_t n) {
  struct agglom_counters c;
  (void)context;
  (void)text;
  look("the program's stderr");
  agglom_get_counters(&c);
  written += n;
  return (ssize_t)n;
}

static void report_to_a_stream(void **state) {
  (void)state;
  uint64_t y[1] = {0};
  FILE *before = stderr, *mine = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_report});
  assert_non_null(mine);
  setvbuf(mine, NULL, _IONBF, 0);
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_REPORT=1");
  submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .v = 3});
  alarm(60);
  stderr = mine;
  int err = agglom_shutdown();
  stderr = before;
  alarm(0);
  fclose(mine);
  assert_int_equal(err, 0);
  assert_true(written > 100);
  if (atomic_load(&guilty))
    fail_msg("%s was written with a lock held", atomic_load(&guilty));
}

int main(void) {
  if (!load_gpu("test_locks"))
    return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(driver), cmocka_unit_test(quiet_fifos),
                                     cmocka_unit_test(loops), cmocka_unit_test(driver_that_forks),
                                     cmocka_unit_test(report_to_a_stream)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
