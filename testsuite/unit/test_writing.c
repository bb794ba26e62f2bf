/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that cannot be written to their end: a message, and the program goes on and ends as it would. Each in
 * a process of its own, whose standard error is a pipe. */
#include "folder.h"
#include "measure/measure.h"
#include "rt_tasks.h"
#include "sys/writing.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t cells[4];
static volatile sig_atomic_t caught;

static void catch(int signal) { caught = signal; }

static bool is_pending(int signal) {
  sigset_t set;
  sigpending(&set);
  return sigismember(&set, signal);
}

static void limit_files(void) {
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_FSIZE, &none))
    _exit(20);
}

/* A run that wants to write all three files. */
static void work(void) {
  char settings[512];
  snprintf(settings, sizeof settings,
           "AGGLOM_DEVICES=emulated AGGLOM_EMULATE=memory=4MB AGGLOM_WORKERS=2 AGGLOM_REPORT=%s/report "
           "AGGLOM_TRACE=%s/trace AGGLOM_MODELS=%s/models",
           folder, folder, folder);
  start_with(settings);
  struct ag_model *m = ag_task_model_lock(&mix_task);
  for (int i = 1; i < 8; ++i)
    ag_model_cpu(m, 10 * i, 70 * i);
  ag_task_model_unlock(&mix_task);
  for (unsigned i = 0; i < 400; ++i)
    submit_mix(&mix_task, (struct mix_args){.y = &cells[i % 4], .ny = 1, .v = i});
  if (agglom_wait() || agglom_shutdown())
    _exit(21);
}

/* With default signals, handlers of the program's, and signals that are pending already. */
static void dies_of_nothing(void) {
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  limit_files();
  work();
}

static void handlers_are_not_called(void) {
  struct sigaction now;
  signal(SIGXFSZ, catch);
  limit_files();
  work();
  sigaction(SIGXFSZ, NULL, &now);
  if (caught || now.sa_handler != catch)
    _exit(22);
  raise(SIGXFSZ);
  if (caught != SIGXFSZ)
    _exit(23);
}

static void pending_ones_stay(void) {
  sigset_t block;
  sigemptyset(&block);
  sigaddset(&block, SIGXFSZ);
  signal(SIGXFSZ, catch);
  pthread_sigmask(SIG_BLOCK, &block, NULL);
  limit_files();
  work();
  if (is_pending(SIGXFSZ))
    _exit(24);
  raise(SIGXFSZ);
  work();
  if (caught || !is_pending(SIGXFSZ))
    _exit(25);
}

/* Runs a function in a process, and puts what it says into `said`. Its exit status. */
static int in_a_process(void (*function)(void), char *said, size_t size) {
  int ends[2], status = 0;
  size_t n = 0;
  fflush(NULL);
  if (pipe(ends))
    return -1;
  pid_t child = fork();
  if (!child) {
    alarm(60);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    function();
    exit(0);
  }
  close(ends[1]);
  for (ssize_t got; (got = read(ends[0], said + n, size - 1 - n)) > 0;)
    n += (size_t)got;
  said[n] = '\0';
  close(ends[0]);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void size_limits(void **state) {
  (void)state;
  static void (*const functions[])(void) = {dies_of_nothing, handlers_are_not_called, pending_ones_stay};
  char said[8192];
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
    assert_int_equal(in_a_process(functions[i], said, sizeof said), 0);
    assert_non_null(strstr(said, "agglom: error: AGGLOM_REPORT: "));
    assert_non_null(strstr(said, "/report could not be written completely; is the disk full, or"));
    assert_non_null(strstr(said, "/trace could not be written completely; is the disk full, or"));
    assert_non_null(strstr(said, "/models cannot be written: File too large; what was measured is lost"));
  }
}

/* Nobody reads standard error any more, where a warning and the report go. */
static void says_to_nobody(void) {
  int ends[2];
  signal(SIGPIPE, SIG_DFL);
  if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0)
    _exit(26);
  close(ends[0]);
  set_environment("AGGLOM_DEVICES=nonsense AGGLOM_REPORT=1");
  agglom_init();
  submit_mix(&mix_task, (struct mix_args){.y = cells, .ny = 1, .v = 1});
  agglom_shutdown();
}

static void nobody_listens(void **state) {
  (void)state;
  char said[8192];
  assert_int_equal(in_a_process(says_to_nobody, said, sizeof said), 0);
}

/* By itself, and nested. */
static void begin_and_end(void **state) {
  (void)state;
  struct ag_writing outer, inner;
  sigset_t mask;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  close(ends[0]);
  ag_writing_begin(&outer);
  assert_int_equal(write(ends[1], "x", 1), -1);
  ag_writing_begin(&inner);
  assert_int_equal(write(ends[1], "x", 1), -1);
  ag_writing_end(&inner);
  assert_true(is_pending(SIGPIPE)); /* the outer one's */
  ag_writing_end(&outer);
  close(ends[1]);
  assert_false(is_pending(SIGPIPE));
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  assert_false(sigismember(&mask, SIGPIPE) || sigismember(&mask, SIGXFSZ));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(size_limits), cmocka_unit_test(nobody_listens),
                                     cmocka_unit_test(begin_and_end)};
  return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
