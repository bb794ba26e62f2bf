/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AGGLOM_MODELS and loops: what one run has measured the next one knows. */
#include "folder.h"
#include "rt_tasks.h"
#include "sys/clock.h"

static void get(char *text, size_t size) {
  FILE *in = fopen(in_folder("models"), "r");
  assert_non_null(in);
  text[fread(text, 1, size - 1, in)] = '\0';
  fclose(in);
}

static _Atomic long first_chunk;

struct span {
  long from, to;
};

static void span_cpu(const void *const *args, unsigned long n) { (void)args, (void)n; }
static void span_emulated(const struct agglom_launch *l, unsigned c) {
  const struct span *spans = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    long none = 0;
    uint64_t until = ag_clock_ns() + (uint64_t)(spans[u].to - spans[u].from) * 500 / l->parts[c];
    while (ag_clock_ns() < until) {
    }
    if (l->part[c] == 0)
      atomic_compare_exchange_strong(&first_chunk, &none, spans[u].to - spans[u].from);
    agglom_emulated_end(l, u);
  }
}
static struct agglom_task span_task = {.name = "span",
                                       .file = "models.c",
                                       .line = 5,
                                       .flags = AGGLOM_TASK_SPLITTABLE | AGGLOM_TASK_GPU,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct span),
                                       .args_align = _Alignof(struct span),
                                       .cpu = span_cpu,
                                       .emulated = span_emulated,
                                       .kernel = "span",
                                       .module = &mix_module_header};
static struct agglom_task *const span_tasks[] = {&span_task};
static struct agglom_module span_module = TASK_MODULE("span.c", span_tasks);

static void submit_span(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)env, (void)slot;
  struct span s = {(long)from, (long)to};
  assert_int_equal(agglom_submit(&span_task, &s, NULL, 0, 0), 0);
}

static void start_loops(void) {
  char with[300];
  snprintf(with, sizeof with,
           "AGGLOM_DEVICES=emulated AGGLOM_EMULATE=launch=300us AGGLOM_WORKERS=2 AGGLOM_MODELS=%s",
           in_folder("models"));
  assert_int_equal(agglom_register(&span_module), 0);
  start_with(with);
}

/* Iterations in the device's first chunk. CPU units may be through with all before the device's thread gets
 * any time: then the loop is executed again. */
static long loop(unsigned schedule) {
  atomic_store(&first_chunk, 0);
  for (int i = 0; i < 100 && !atomic_load(&first_chunk); ++i)
    assert_int_equal(agglom_for(submit_span, NULL, NULL, 0, 0, 300, schedule, 0, -1, 0), 0);
  return atomic_load(&first_chunk);
}

/* The same, of a run with one loop. */
static long run_loop(unsigned schedule) {
  start_loops();
  long first = loop(schedule);
  assert_int_equal(agglom_shutdown(), 0);
  return first;
}

/* A launch takes long: larger chunks are better. logfit samples small ones to find that out, once. */
static void next_run_knows_loops(void **state) {
  (void)state;
  char text[65536];
  assert_int_equal(run_loop(AGGLOM_SCHEDULE_LOGFIT), 2);
  assert_in_range(run_loop(AGGLOM_SCHEDULE_LOGFIT), 3, 300);
  run_loop(AGGLOM_SCHEDULE_AUTO);
  get(text, sizeof text);
  assert_non_null(strstr(text, "\nloop \"span\" \"models.c\" 5 "));
  assert_non_null(strstr(text, " logfit 0 \"emulated device 0, threads 2, launch 300000ns, "));
  assert_non_null(strstr(text, "\n  samples 0: "));
  assert_non_null(strstr(text, " auto 0 \"emulated device 0, threads 2, launch 300000ns, "));
  assert_non_null(strstr(text, "\n  curve 0: "));
}

/* A loop that changes its schedule: neither is lost, and each knows its own. */
static void several_schedules(void **state) {
  (void)state;
  char text[65536];
  start_loops();
  loop(AGGLOM_SCHEDULE_LOGFIT);
  loop(AGGLOM_SCHEDULE_AUTO);
  assert_int_equal(agglom_shutdown(), 0);
  get(text, sizeof text);
  assert_non_null(strstr(text, "\n  samples 0: "));
  assert_non_null(strstr(text, "\n  curve 0: "));
  start_loops();
  loop(AGGLOM_SCHEDULE_AUTO);
  assert_in_range(loop(AGGLOM_SCHEDULE_LOGFIT), 3, 300);
  assert_int_equal(agglom_shutdown(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(next_run_knows_loops, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(several_schedules, make_folder, drop_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
