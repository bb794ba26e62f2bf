/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The trace: what is recorded, in how much memory, by how many threads; where it is written; and that it is
 * the parent's after fork(). That its sums agree with the report is tested with whole programs. */
#include "capture.h"
#include "folder.h"
#include "json_check.h"
#include "observe/counters.h"
#include "observe/trace.h"
#include "rt_tasks.h"
#include "sys/clock.h"

#include <math.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct agglom_task interact = {.name = "inter\"act", .file = "md.c", .line = 12};
static const struct agglom_task move = {.name = "move", .file = "md.c", .line = 40};

static char *read_file(const char *path) {
  static char *text;
  struct stat of;
  free(text);
  text = NULL;
  FILE *in = fopen(path, "r");
  if (!in)
    return NULL;
  if (!fstat(fileno(in), &of) && (text = malloc((size_t)of.st_size + 1)))
    text[fread(text, 1, (size_t)of.st_size, in)] = '\0';
  fclose(in);
  return text;
}

static unsigned long long number_after(const char *text, const char *key) {
  const char *at = strstr(text, key);
  assert_non_null(at);
  return strtoull(at + strlen(key), NULL, 10);
}

/* The sum of all numbers behind key. */
static unsigned long long sum_of(const char *text, const char *key) {
  unsigned long long sum = 0;
  for (const char *p = text; (p = strstr(p, key));) {
    p += strlen(key);
    sum += strtoull(p, NULL, 10);
  }
  return sum;
}

/* Whether a device's span of that name lasts so long; the file has 1024ths of microseconds. */
static bool lasts(const char *text, const char *name, long ns) {
  char rest[64];
  snprintf(rest, sizeof rest, ",\"cat\":\"device\",\"name\":\"%s\"", name);
  const char *at = strstr(text, rest);
  while (at && at > text && *at != ':')
    --at;
  return at && labs(lround(strtod(at + 1, NULL) * 1000) - ns) <= 1;
}

static int start_trace(const char *path, size_t memory) {
  struct ag_trace_choice choice = {.memory = memory};
  snprintf(choice.path, sizeof choice.path, "%s", path);
  return ag_trace_start(&choice);
}

static int end_trace(void **state) {
  (void)state;
  ag_trace_end();
  ag_observe_reset();
  return 0;
}

/* --- What is recorded --------------------------------------------------------------------------------------
 */

static void nothing_without_a_path(void **state) {
  (void)state;
  assert_int_equal(start_trace("", 1 << 20), 0);
  assert_false(ag_tracing());
  assert_null(ag_trace_track(true));
  assert_int_equal(ag_trace_begin(NULL), 0);
  ag_trace_batch(NULL, &(struct ag_batch_record){.where = AG_OBSERVE_CPU});
  assert_int_equal(ag_trace_write(in_folder("none.json")), -ENOENT);
  assert_int_not_equal(access(in_folder("none.json"), F_OK), 0);
}

static void all_kinds(void **state) {
  (void)state;
  FILE *old = fopen(in_folder("kinds.json"), "w"); /* of an earlier run, and not to be taken for this one's */
  assert_non_null(old);
  fputs("old", old);
  fclose(old);
  assert_int_equal(start_trace(in_folder("kinds.json"), 1 << 20), 0);
  struct ag_observe_task *a = ag_observe_task(&interact), *b = ag_observe_task(&move);
  struct ag_trace_track *pool = ag_trace_track(true), *host = ag_trace_track(false);
  ag_observe_device(0, "emulated:0");
  assert_string_equal(read_file(in_folder("kinds.json")), "");
  uint64_t wait = ag_trace_begin(host), unit = ag_trace_begin(host), t = ag_clock_ns();
  ag_clock_wait_until(t + 2000000);
  ag_trace_unit(host, b, unit);
  ag_observe_batch(b, &(struct ag_batch_record){.where = AG_OBSERVE_CPU,
                                                .units = 7,
                                                .reason = AG_REASON_FLUSH,
                                                .begin_ns = t,
                                                .total_ns = 1000,
                                                .queued = 3,
                                                .iterations = 40,
                                                .ended_on = pool});
  struct ag_batch_record r = {.where = 0,
                              .reason = AG_REASON_FULL,
                              .units = 100,
                              .chains = 10,
                              .bytes_in = 5000,
                              .bytes_out = 300,
                              .stage_ns = 1000,
                              .device_ns = 5000,
                              .total_ns = 100000,
                              .slot = 1,
                              .begin_ns = t,
                              .launched_ns = t + 2000,
                              .finished_ns = t + 90000,
                              .queued = 11,
                              .iterations = 900,
                              .begun_on = pool,
                              .ended_on = host};
  r.copy_in = (struct ag_clock_span){t - 500, t + 3000}; /* by a clock that is not quite ours */
  r.kernel = (struct ag_clock_span){t + 3000, t + 8000};
  r.copy_out = (struct ag_clock_span){t + 8000, t + 95000};
  ag_observe_batch(a, &r);
  r.failed = true;
  r.begin_ns += 200000;
  r.launched_ns = r.finished_ns = 0;
  ag_observe_batch(a, &r);
  ag_trace_wait(host, wait);
  ag_trace_unit(NULL, b, 1); /* ignored */
  ag_trace_wait(NULL, 1);
  assert_int_equal(ag_trace_write(NULL), 0);
  const char *text = read_file(in_folder("kinds.json"));
  assert_true(is_json(text));
  assert_non_null(strstr(text, "\"name\":\"inter\\\"act\",\"args\":{\"units\":100,\"reason\":\"full\","));
  assert_int_equal(occurrences(text, "\"cat\":\"batch\""), 2);
  assert_int_equal(occurrences(text, "\"failed\":true"), 1);
  assert_int_equal(occurrences(text, "\"cat\":\"reason\",\"name\":\"full\"}"), 2);
  assert_int_equal(occurrences(text, "\"name\":\"stage\""), 2); /* the failed one, too */
  assert_int_equal(occurrences(text, "\"name\":\"launch\""), 1);
  assert_int_equal(occurrences(text, "\"name\":\"commit\""), 1);
  assert_int_equal(occurrences(text, "\"name\":\"wait\""), 1);
  assert_int_equal(occurrences(text, "\"cat\":\"cpu_batch\""), 1);
  assert_int_equal(
      occurrences(text, "\"cat\":\"units\",\"name\":\"move\",\"args\":{\"units\":1,\"busy_us\":"), 1);
  assert_int_equal(occurrences(text, "\"args\":{\"units\":7,\"reason\":\"flush\",\"iterations\":40}}"), 1);
  assert_int_equal(occurrences(text, "\"failed\":false,\"iterations\":900}}"), 1);
  assert_true(lasts(text, "copy in", 2000)); /* from the staging on */
  assert_true(lasts(text, "kernel", 5000));
  assert_true(lasts(text, "copy out", 82000)); /* to the end seen */
  assert_int_equal(occurrences(text, "{\"name\":\"worker 1\"}"), 1);
  assert_int_equal(occurrences(text, "{\"name\":\"host thread 1\"}"), 1);
  assert_int_equal(occurrences(text, "{\"name\":\"emulated:0\"}"), 1);
  assert_int_equal(occurrences(text, "{\"name\":\"slot 2\"}"), 1);
  assert_non_null(strstr(text, "\"args\":{\"waiting\":10,"));
  assert_non_null(strstr(text, "\"args\":{\"waiting\":3,"));
  assert_non_null(strstr(text, "\"args\":{\"waiting\":11,\"on devices\":100}"));
  assert_non_null(strstr(text, "\"args\":{\"to devices\":10000,\"back\":600}"));
  assert_non_null(strstr(text, "\"lost\":{\"units\":0,\"waits\":0,\"cpu_batches\":0,\"launches\":0}"));
  assert_non_null(strstr(text, "\"report\":{\"agglom_report\": 1"));
}

/* --- Memory ------------------------------------------------------------------------------------------------
 */

static void losses_are_counted(void **state) {
  (void)state;
  enum { UNITS = 200000, BATCHES = 10000 };
  assert_int_equal(start_trace(in_folder("small.json"), 256 << 10), 0);
  struct ag_observe_task *a = ag_observe_task(&interact), *b = ag_observe_task(&move);
  struct ag_trace_track *t = ag_trace_track(true);
  for (int i = 0; i < UNITS; ++i) /* by turns, so that none can be joined */
    ag_trace_unit(t, i % 2 ? a : b, ag_trace_begin(t));
  for (int i = 0; i < BATCHES; ++i)
    ag_observe_batch(a, &(struct ag_batch_record){
                            .where = AG_OBSERVE_CPU, .units = 1, .begin_ns = ag_clock_ns(), .ended_on = t});
  capture_begin();
  int err = ag_trace_write(NULL);
  const char *text = capture_end();
  assert_int_equal(err, 0);
  assert_int_equal(occurrences(text, "\n"), 1);
  assert_non_null(
      strstr(text, " launches did not fit and are not in the trace; set AGGLOM_TRACE_MEMORY to more than "
                   "256KB\n"));
  text = read_file(in_folder("small.json"));
  assert_true(is_json(text));
  unsigned long long units = number_after(text, "\"lost\":{\"units\":");
  unsigned long long batches = number_after(text, "\"cpu_batches\":");
  assert_true(units > UNITS / 3 && batches > BATCHES / 2);
  assert_int_equal(sum_of(text, "\"name\":\"inter\\\"act\",\"args\":{\"units\":") +
                       sum_of(text, "\"name\":\"move\",\"args\":{\"units\":") -
                       (unsigned)occurrences(text, "\"cat\":\"cpu_batch\"") + units,
                   UNITS);
  assert_int_equal(occurrences(text, "\"cat\":\"cpu_batch\"") + (int)batches, BATCHES);
  assert_true(occurrences(text, "\"cat\":\"cpu_batch\"") > 100); /* the last quarter is theirs */
  assert_true(strlen(text) < 10 * (256 << 10));
}

static void units_of_one_task_join(void **state) {
  (void)state;
  enum { UNITS = 300000 };
  assert_int_equal(start_trace(in_folder("joined.json"), 64 << 10), 0);
  struct ag_observe_task *a = ag_observe_task(&interact);
  struct ag_trace_track *t = ag_trace_track(true);
  for (int i = 0; i < UNITS / 2; ++i)
    ag_trace_unit(t, a, ag_trace_begin(t));
  uint64_t wait = ag_trace_begin(t);
  for (int i = 0; i < UNITS / 2; ++i)
    ag_trace_unit(t, a, ag_trace_begin(t));
  ag_trace_wait(t, wait);
  assert_int_equal(ag_trace_write(NULL), 0);
  const char *text = read_file(in_folder("joined.json"));
  assert_true(is_json(text));
  assert_non_null(strstr(text, "\"lost\":{\"units\":0,\"waits\":0,"));
  assert_int_equal(sum_of(text, "\"args\":{\"units\":"), UNITS);
  /* Those before the wait are not in one span with those within it. */
  assert_non_null(strstr(text, "\"args\":{\"units\":150000,\"busy_us\":"));
  assert_true(occurrences(text, "\"cat\":\"units\"") < 1000);
}

/* Batches of two threads that were taken at the same nanosecond: counters go forwards. */
static void at_the_same_time(void **state) {
  (void)state;
  assert_int_equal(start_trace(in_folder("same.json"), 64 << 10), 0);
  struct ag_observe_task *a = ag_observe_task(&interact);
  struct ag_trace_track *t = ag_trace_track(true);
  uint64_t now = ag_clock_ns();
  for (int i = 0; i < 3; ++i)
    ag_observe_batch(a, &(struct ag_batch_record){.where = AG_OBSERVE_CPU,
                                                  .units = 1,
                                                  .queued = 1,
                                                  .begin_ns = now,
                                                  .total_ns = 5,
                                                  .begun_on = t,
                                                  .ended_on = t});
  assert_int_equal(ag_trace_write(NULL), 0);
  const char *text = read_file(in_folder("same.json"));
  double before = 0;
  int counts = 0;
  for (const char *p = text; (p = strstr(p, "\"ph\":\"C\",\"pid\":1,\"tid\":0,\"ts\":")); ++counts) {
    p = strstr(p, "\"ts\":") + strlen("\"ts\":");
    double at = strtod(p, NULL);
    assert_true(at >= before);
    before = at;
  }
  assert_int_equal(counts, 6);
}

/* --- Threads -----------------------------------------------------------------------------------------------
 */

enum { THREADS = 6, EACH = 20000 };
static _Atomic int running;

static void *record(void *task) {
  struct ag_trace_track *t = ag_trace_track(true);
  for (int i = 0; i < EACH; ++i) {
    uint64_t wait = i % 16 ? 0 : ag_trace_begin(t);
    ag_trace_unit(t, task, ag_trace_begin(t));
    if (wait)
      ag_trace_wait(t, wait);
    if (i % 100 == 0)
      ag_observe_batch(task,
                       &(struct ag_batch_record){
                           .where = 0, .units = 1, .begin_ns = ag_clock_ns(), .begun_on = t, .ended_on = t});
  }
  atomic_fetch_sub(&running, 1);
  return NULL;
}

static void written_while_others_record(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  assert_int_equal(start_trace(in_folder("threads.json"), 1 << 20), 0);
  struct ag_observe_task *a = ag_observe_task(&interact);
  atomic_store(&running, THREADS);
  for (int i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, record, a), 0);
  do {
    capture_begin();
    assert_int_equal(ag_trace_write(in_folder("meanwhile.json")), 0);
    capture_end();
    assert_true(is_json(read_file(in_folder("meanwhile.json"))));
  } while (atomic_load(&running));
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  capture_begin();
  assert_int_equal(ag_trace_write(NULL), 0);
  capture_end();
  const char *text = read_file(in_folder("threads.json"));
  assert_true(is_json(text));
  assert_int_equal(sum_of(text, "\"cat\":\"units\",\"name\":\"inter\\\"act\",\"args\":{\"units\":") +
                       number_after(text, "\"lost\":{\"units\":"),
                   THREADS * EACH);
  assert_int_equal(occurrences(text, "\"cat\":\"batch\"") + (int)number_after(text, "\"launches\":"),
                   THREADS * EACH / 100);
}

/* --- The file ----------------------------------------------------------------------------------------------
 */

static void one_warning(const char *path, const char *why) {
  capture_begin();
  int err = start_trace(path, 1 << 20);
  const char *text = capture_end();
  assert_true(err < 0);
  assert_false(ag_tracing());
  assert_null(ag_trace_track(false));
  assert_int_equal(occurrences(text, "\n"), 1);
  assert_non_null(strstr(text, "agglom: warning: AGGLOM_TRACE: "));
  assert_non_null(strstr(text, why));
  assert_non_null(strstr(text, "; nothing is traced\n"));
}

static void unwritable(void **state) {
  (void)state;
  char longest[1000];
  one_warning(in_folder("nowhere/t.json"), "(No such file or directory)");
  one_warning(folder, "(Is a directory)");
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  one_warning(longest, "(File name too long)");
}

static void disk_full(void **state) {
  (void)state;
  if (access("/dev/full", W_OK)) {
    print_message("skipped: there is no /dev/full\n");
    skip();
  }
  assert_int_equal(start_trace("/dev/full", 1 << 20), 0);
  capture_begin();
  int err = ag_trace_write(NULL);
  const char *text = capture_end();
  assert_int_equal(err, -EIO);
  assert_string_equal(text, "agglom: error: AGGLOM_TRACE: /dev/full could not be written completely; is the "
                            "disk full, or the size of files limited?\n");
  capture_begin();
  err = ag_trace_write(in_folder("nowhere/t.json"));
  text = capture_end();
  assert_int_equal(err, -ENOENT);
  assert_non_null(strstr(text, "agglom: error: AGGLOM_TRACE: the trace cannot be written to "));
}

/* The process's number in the name, names in the folder where the program was started, and a file for each
 * life of the runtime. In a process of its own: lives are counted. */
static void lives(void) {
  char expected[64];
  uint64_t y[4] = {0};
  if (chdir(folder))
    exit(2);
  for (int life = 1; life <= 3; ++life) {
    start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_TRACE=l%p.x.json");
    submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 2, .v = 1});
    submit_mix(&host_task, (struct mix_args){.y = y, .ny = 2, .v = 1});
    if (chdir("/") || agglom_shutdown() || chdir(folder))
      exit(3);
    snprintf(expected, sizeof expected, life == 1 ? "l%d.x.json" : "l%d.x-%d.json", (int)getpid(), life);
    const char *text = read_file(expected);
    if (!text || !is_json(text) || occurrences(text, "\"cat\":\"batch\"") != 1 ||
        occurrences(text, "\"cat\":\"units\"") != 1)
      exit(4);
  }
  exit(0);
}

/* The child's exit() leaves the parent's file alone, and the parent writes its own when it ends. */
static void forks(void) {
  uint64_t y[4] = {0};
  int status;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  setenv("AGGLOM_TRACE", in_folder("fork.json"), 1);
  agglom_shutdown();
  agglom_init();
  submit_mix(&host_task, (struct mix_args){.y = y, .ny = 2, .v = 1});
  agglom_wait();
  pid_t child = fork();
  if (!child) {
    submit_mix(&host_task, (struct mix_args){.y = y, .ny = 2, .v = 1});
    if (agglom_write_trace(in_folder("child.json")) != -ENOENT)
      _exit(9);
    exit(agglom_wait());
  }
  struct stat before;
  if (waitpid(child, &status, 0) != child || status || stat(in_folder("fork.json"), &before) ||
      before.st_size)
    exit(5);
  if (agglom_write_trace(in_folder("early.json")) ||
      occurrences(read_file(in_folder("early.json")), "\"cat\":\"units\"") != 1)
    exit(6);
  submit_mix(&host_task, (struct mix_args){.y = y, .ny = 2, .v = 1});
  exit(0);
}

/* exit() in a unit: what was over by then is in the file. */
static void leave(void *status) { exit(*(int *)status); }

static void exits_in_a_unit(void) {
  uint64_t y[4] = {0};
  static int status = 7;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  agglom_shutdown();
  setenv("AGGLOM_TRACE", in_folder("exit.json"), 1);
  agglom_init();
  submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 2, .v = 1});
  agglom_wait();
  submit_call(leave, &status, 0);
  agglom_wait();
}

/* Another thread goes on submitting while the process ends. */
static _Atomic unsigned long rounds;

static void *go_on(void *ignored) {
  static uint64_t y[4];
  (void)ignored;
  for (;;) {
    submit_mix(&host_task, (struct mix_args){.y = y, .ny = 2, .v = 1});
    agglom_wait();
    atomic_fetch_add(&rounds, 1);
  }
  return NULL;
}

static void exits_while_others_go_on(void) {
  pthread_t thread;
  setenv("AGGLOM_TRACE", in_folder("others.json"), 1);
  setenv("AGGLOM_DEVICES", "none", 1);
  if (agglom_register(&tasks_module) || agglom_init() || pthread_create(&thread, NULL, go_on, NULL))
    exit(2);
  while (atomic_load(&rounds) < 100)
    ag_clock_wait_until(ag_clock_ns() + 1000000);
  exit(0);
}

static int in_a_process(void (*body)(void)) {
  int status = -1;
  pid_t child = fork();
  if (!child)
    body();
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void names_of_files(void **state) {
  (void)state;
  assert_int_equal(in_a_process(lives), 0);
}

static void belongs_to_the_parent(void **state) {
  (void)state;
  assert_int_equal(in_a_process(forks), 0);
  const char *text = read_file(in_folder("fork.json"));
  assert_true(text && is_json(text));
  assert_int_equal(sum_of(text, "\"args\":{\"units\":"), 2);
  assert_int_not_equal(access(in_folder("child.json"), F_OK), 0);
}

static void ends_of_programs(void **state) {
  (void)state;
  assert_int_equal(in_a_process(exits_in_a_unit), 7);
  const char *text = read_file(in_folder("exit.json"));
  assert_true(text && is_json(text));
  assert_int_equal(occurrences(text, "\"cat\":\"batch\""), 1);
  for (int i = 0; i < 5; ++i) {
    assert_int_equal(in_a_process(exits_while_others_go_on), 0);
    text = read_file(in_folder("others.json"));
    assert_true(text && is_json(text));
    assert_true(sum_of(text, "\"args\":{\"units\":") > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(nothing_without_a_path, end_trace),
      cmocka_unit_test_teardown(all_kinds, end_trace),
      cmocka_unit_test_teardown(losses_are_counted, end_trace),
      cmocka_unit_test_teardown(units_of_one_task_join, end_trace),
      cmocka_unit_test_teardown(at_the_same_time, end_trace),
      cmocka_unit_test_teardown(written_while_others_record, end_trace),
      cmocka_unit_test_teardown(unwritable, end_trace),
      cmocka_unit_test_teardown(disk_full, end_trace),
      cmocka_unit_test(names_of_files),
      cmocka_unit_test(belongs_to_the_parent),
      cmocka_unit_test(ends_of_programs),
  };
  return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
