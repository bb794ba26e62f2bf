/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime and its process: exit, fork, signals, threads that end, and starting and ending it from several
 * threads at once. Each in a process of its own. */
#include "in_a_process.h"
#include "rt_tasks.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- Tasks ------------------------------------------------------------------------------------------------
 */

struct byte_args {
  uint64_t *y;
};

static void byte_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    ++*((const struct byte_args *)args[i])->y;
}

static void byte_emulated(const struct agglom_launch *l, unsigned c) {
  const struct byte_args *args = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    ++*args[u].y;
    agglom_emulated_end(l, u);
  }
}

static const struct agglom_section byte_sections[] = {
    {"inout(y[0:1])", 91, AGGLOM_INOUT, sizeof(uint64_t), offsetof(struct byte_args, y), 0, NULL, NULL}};
static struct agglom_module byte_module;
static struct agglom_task byte_task = {.name = "byte",
                                       .file = "byte.c",
                                       .line = 90,
                                       .flags = AGGLOM_TASK_INDEPENDENT,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct byte_args),
                                       .args_align = _Alignof(struct byte_args),
                                       .n_sections = 1,
                                       .sections = byte_sections,
                                       .cpu = byte_cpu,
                                       .emulated = byte_emulated,
                                       .kernel = "byte",
                                       .module = &byte_module};
static struct agglom_task *const byte_tasks[] = {&byte_task};
static struct agglom_module byte_module = TASK_MODULE("byte.c", byte_tasks);

/* Without a device: through a stream. */
static void submit_byte(uint64_t *y) {
  struct byte_args args = {y};
  struct agglom_range range = {y, 0, 1};
  assert_int_equal(agglom_submit(&byte_task, &args, &range, 0, 0), 0);
}

enum { CELLS = 64, ROUNDS = 40 };

static uint64_t cells[CELLS], marks[CELLS * ROUNDS], called;

static void call_once(void *context) { ++*(uint64_t *)context; }

/* Many units; all_is_done() says whether each took effect once. */
static void submit_all_sorts(void) {
  for (unsigned r = 0; r < ROUNDS; ++r)
    for (unsigned c = 0; c < CELLS; ++c) {
      submit_mix(&mix_task, (struct mix_args){.y = &cells[c], .ny = 1, .v = r});
      submit_byte(&marks[r * CELLS + c]);
    }
}

static bool all_is_done(void) {
  uint64_t wanted = 0;
  bool right = true;
  for (unsigned r = 0; r < ROUNDS; ++r)
    wanted = wanted * 31 + r;
  for (unsigned c = 0; c < CELLS; ++c)
    right &= cells[c] == wanted;
  for (unsigned i = 0; i < CELLS * ROUNDS; ++i)
    right &= marks[i] == 1;
  return right;
}

/* --- Exit and fork
 * ------------------------------------------------------------------------------------------ */

static uint64_t exit_y[2];
static void late(void) { /* runs after the runtime's own end: registered before it started */
  submit_mix(&mix_task, (struct mix_args){.y = exit_y, .ny = 1, .v = 1});
  if (agglom_wait() || exit_y[0] != 31 * 3 + 1)
    _exit(5);
}
static void leaves_work(void) {
  atexit(late);
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3");
  submit_mix(&mix_task, (struct mix_args){.y = exit_y, .ny = 1, .v = 3});
}

static void exit_now(void *context) {
  (void)context;
  exit(3);
}
static void exits_in_a_task(void) {
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  submit_mix(&mix_task, (struct mix_args){.y = exit_y, .ny = 1, .v = 3});
  submit_call(exit_now, NULL, 1);
  agglom_wait();
}

static void *keeps_submitting(void *context) {
  for (;;)
    submit_mix(&mix_task, (struct mix_args){.y = context, .ny = 1, .v = 3});
  return NULL;
}
static void exits_beside_a_thread(void) {
  pthread_t thread;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  pthread_create(&thread, NULL, keeps_submitting, exit_y);
  usleep(20000);
}

static void forks(void) {
  uint64_t y[1] = {0};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3");
  submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .v = 3});
  pid_t child = fork();
  if (!child) {
    alarm(30);
    uint64_t z[1] = {0};
    submit_mix(&mix_task, (struct mix_args){.y = z, .ny = 1, .v = 4});
    exit(agglom_wait() || z[0] != 4);
  }
  int status;
  waitpid(child, &status, 0);
  if (status || agglom_wait() || y[0] != 3)
    _exit(9);
}

static void start_all(const char *settings) {
  start_with(settings);
  assert_int_equal(agglom_register(&byte_module), 0);
}

/* What a child may do: submit, wait, register and unregister, ask. */
static void child_of_a_fork(void) {
  alarm(30);
  uint64_t z[2] = {0};
  struct agglom_counters c;
  submit_mix(&mix_task, (struct mix_args){.y = z, .ny = 1, .v = 4});
  submit_byte(&z[1]);
  agglom_get_counters(&c);
  bool right =
      !agglom_wait() && z[0] == 4 && z[1] == 1 && !c.units && agglom_write_trace("/dev/null") == -ENOENT;
  agglom_unregister(&byte_module);
  right &= !agglom_register(&byte_module) && !agglom_init() && !agglom_shutdown();
  _exit(right ? 0 : 1); /* not exit(): leak checkers do not see what threads had that the child lacks */
}

static int child_status(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

static void *submits_beside(void *context) {
  enum { EACH = 64 };
  uint64_t y[8] = {0}, own[EACH] = {0};
  for (uint64_t i = 0; !atomic_load((atomic_bool *)context); ++i) {
    submit_mix(&mix_task, (struct mix_args){.y = &y[i % 8], .ny = 1, .v = i});
    submit_byte(&own[i % EACH]);
    if (i % EACH == EACH - 1)
      agglom_wait();
  }
  agglom_wait();
  return NULL;
}

/* Forks while batches are on two devices, units in streams, and another thread submits and registers. */
static void forks_under_load(const char *settings) {
  atomic_bool end = false;
  pthread_t other;
  start_all(settings);
  if (pthread_create(&other, NULL, submits_beside, &end))
    _exit(8);
  submit_all_sorts();
  for (int i = 0; i < 8; ++i) {
    pid_t child = fork();
    if (!child)
      child_of_a_fork();
    if (child_status(child))
      _exit(9);
  }
  if (agglom_wait() || !all_is_done())
    _exit(10);
  atomic_store(&end, true);
  pthread_join(other, NULL);
  if (agglom_shutdown())
    _exit(11);
}

static void forks_with_devices(void) {
  forks_under_load("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_BATCH=count:16 "
                   "AGGLOM_EMULATE=launch=200us,copy=50us AGGLOM_REPORT=/dev/null");
}

static void forks_with_streams(void) {
  forks_under_load("AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_REPORT=/dev/null");
}

static void *registers_beside(void *context) {
  while (!atomic_load((atomic_bool *)context)) {
    agglom_unregister(&byte_module);
    agglom_register(&byte_module);
  }
  return NULL;
}

/* A library may be loaded or unloaded by another thread at the moment of a fork, and by the child. */
static void forks_beside_registration(void) {
  atomic_bool end = false;
  pthread_t other;
  start_all("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  if (pthread_create(&other, NULL, registers_beside, &end))
    _exit(8);
  for (int i = 0; i < 100; ++i) {
    pid_t child = fork();
    if (!child) {
      alarm(30);
      agglom_unregister(&byte_module);
      _exit(agglom_register(&byte_module) ? 1 : 0);
    }
    if (child_status(child))
      _exit(9);
  }
  atomic_store(&end, true);
  pthread_join(other, NULL);
}

static int forked = -1;

static void fork_in_a_unit(void *context) {
  struct agglom_counters c;
  agglom_get_counters(&c);
  if (agglom_init() || agglom_write_trace("/dev/null"))
    _exit(7);
  pid_t child = fork();
  if (!child) {
    uint64_t z[2] = {0};
    alarm(30);
    submit_mix(&mix_task, (struct mix_args){.y = z, .ny = 1, .v = 4});
    _exit(agglom_wait() || z[0] != 4);
  }
  forked = child_status(child);
  ++*(uint64_t *)context;
}

/* A unit that forks, asks and writes the trace while the runtime is being ended, and waits for that unit. */
static void forks_in_a_unit(void) {
  start_all("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_TRACE=/dev/null");
  submit_call(fork_in_a_unit, &called, 0);
  if (agglom_shutdown() || forked || called != 1)
    _exit(9);
  start_all("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_TRACE=/dev/null");
  submit_call(fork_in_a_unit, &called, 0); /* and at exit */
}

static void exits_and_forks(void **state) {
  (void)state;
  assert_int_equal(in_a_process(leaves_work), 0);
  assert_int_equal(in_a_process(exits_in_a_task), 3);
  assert_int_equal(in_a_process(forks), 0);
  assert_int_equal(in_a_process(exits_beside_a_thread), 0);
  assert_int_equal(in_a_process(forks_with_devices), 0);
  assert_int_equal(in_a_process(forks_with_streams), 0);
  assert_int_equal(in_a_process(forks_beside_registration), 0);
  assert_int_equal(in_a_process(forks_in_a_unit), 0);
}

/* --- Signals ----------------------------------------------------------------------------------------------
 */

static const int some_signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1};
enum { SIGNALS = sizeof some_signals / sizeof some_signals[0] };

/* Whoever runs the tests in the background may have them ignored. */
static void take_signals(void) {
  for (size_t i = 0; i < SIGNALS; ++i)
    signal(some_signals[i], SIG_DFL);
}

static void killed(void) {
  take_signals();
  start_all("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_EMULATE=launch=100us");
  submit_all_sorts();
  kill(getpid(), SIGINT);
  agglom_wait();
  pause();
}

/* A program that takes its signals by sigwait() has blocked them before: no thread of the runtime takes them.
 */
static void waits_for_signals(void) {
  sigset_t set;
  take_signals();
  sigemptyset(&set);
  for (size_t i = 0; i < SIGNALS; ++i)
    sigaddset(&set, some_signals[i]);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  start_all("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3");
  submit_all_sorts();
  for (size_t i = 0; i < SIGNALS; ++i) {
    int got = 0;
    kill(getpid(), some_signals[i]);
    if (sigwait(&set, &got) || got != some_signals[i])
      _exit(9);
  }
  if (agglom_wait() || !all_is_done())
    _exit(10);
}

static void *kills_later(void *ignored) {
  nanosleep(&(struct timespec){0, 50000000}, NULL);
  kill(getpid(), SIGTERM);
  return ignored;
}

/* main() has left and the pool goes on: the process can still be ended. */
static void main_leaves(void) {
  pthread_t killer;
  take_signals();
  start_all("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  submit_all_sorts();
  if (pthread_create(&killer, NULL, kills_later, NULL))
    _exit(9);
  pthread_detach(killer);
  pthread_exit(NULL);
}

static void signals(void **state) {
  (void)state;
  assert_int_equal(in_a_process(killed), 1000 + SIGINT);
  assert_int_equal(in_a_process(waits_for_signals), 0);
  assert_int_equal(in_a_process(main_leaves), 1000 + SIGTERM);
}

/* --- Threads ----------------------------------------------------------------------------------------------
 */

static void deeper(void) {
  submit_all_sorts();
  submit_call(call_once, &called, 0);
  pthread_exit(NULL);
}

static void *leaves_units(void *ignored) {
  deeper();
  return ignored;
}

/* Without anybody waiting for it. */
static void all_has_run(void) {
  struct agglom_counters c;
  for (int i = 0; i < 20000; ++i) {
    agglom_get_counters(&c);
    if (c.units_on_cpu + c.units_on_device == c.units)
      return;
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  fail_msg("%llu units, but %llu and %llu have run", c.units, c.units_on_cpu, c.units_on_device);
}

/* A thread that ends by pthread_exit() with units of all sorts in flight: the others run them, on each
 * machine. */
static void threads_that_leave(void **state) {
  (void)state;
  static const char *const settings[] = {
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=1", "AGGLOM_DEVICES=none AGGLOM_WORKERS=3",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_EMULATE=launch=200us",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:1000"};
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    pthread_t thread;
    memset(cells, 0, sizeof cells);
    memset(marks, 0, sizeof marks);
    called = 0;
    start_all(settings[s]);
    assert_int_equal(pthread_create(&thread, NULL, leaves_units, NULL), 0);
    pthread_join(thread, NULL);
    if (s) /* with one worker there is nobody before somebody waits */
      all_has_run();
    assert_int_equal(agglom_shutdown(), 0);
    assert_true(all_is_done());
    assert_int_equal(called, 1);
  }
}

static void *starts_and_ends(void *context) {
  struct agglom_counters c;
  for (int i = 0; i < 60; ++i) {
    int err = agglom_init();
    if (context)
      agglom_get_counters(&c);
    else
      err |= agglom_shutdown();
    if (!context)
      err |= agglom_shutdown(); /* again */
    int written = agglom_write_trace("/dev/null");
    if (err || (written && written != -ENOENT))
      return (void *)"failed";
  }
  return NULL;
}

/* Starting and ending from several threads at once, while others ask: each call is right by itself. */
static void starts_and_ends_at_once(void **state) {
  (void)state;
  pthread_t thread[4];
  set_environment("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  for (intptr_t i = 0; i < 4; ++i)
    assert_int_equal(pthread_create(&thread[i], NULL, starts_and_ends, (void *)(i / 2)), 0);
  for (int i = 0; i < 4; ++i) {
    void *said;
    pthread_join(thread[i], &said);
    assert_null(said);
  }
  assert_int_equal(agglom_shutdown(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          exits_and_forks), /* these first: their processes are made while there is one thread only */
      cmocka_unit_test(signals),
      cmocka_unit_test(threads_that_leave),
      cmocka_unit_test(starts_and_ends_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
