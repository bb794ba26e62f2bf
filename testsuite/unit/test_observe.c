/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* observe/: counting from many threads, medians, and both forms of the report. */
#include "capture.h"
#include "observe/counters.h"
#include "observe/observe.h"
#include "policy/loop/loop.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct agglom_task interact = {.name = "interact", .file = "md.c", .line = 12};
static const struct agglom_task move = {.name = "mo\"ve", .file = "md.c", .line = 40};

static int reset(void **state) {
  (void)state;
  ag_observe_reset();
  return 0;
}

static const char *report(enum ag_report_mode mode) {
  static char *text;
  size_t n;
  free(text);
  text = NULL;
  FILE *f = open_memstream(&text, &n);
  ag_observe_report(f, mode);
  fclose(f);
  return text;
}

static void buckets(void **state) {
  (void)state;
  unsigned last = 0;
  for (uint64_t n = 0; n < 100000; ++n) {
    unsigned b = ag_size_bucket(n);
    assert_true(b == last || b == last + 1);
    assert_true(ag_size_bucket_begin(b) <= n && (n < 16 || n < ag_size_bucket_begin(b + 1)));
    last = b;
  }
  assert_true(ag_size_bucket(UINT64_MAX) == AG_SIZE_BUCKETS - 1);
}

static void one_entry_a_task(void **state) {
  (void)state;
  struct ag_observe_task *a = ag_observe_task(&interact), *b = ag_observe_task(&move);
  assert_non_null(a);
  assert_ptr_not_equal(a, b);
  struct agglom_task again = interact;
  assert_ptr_equal(ag_observe_task(&again), a);
  ag_observe_submitted(NULL, 1); /* ignored */
  ag_observe_cpu_units(NULL, 1);
  ag_observe_batch(NULL, &(struct ag_batch_record){.units = 1});
}

static void fill_in(void) {
  struct ag_observe_task *t = ag_observe_task(&interact), *m = ag_observe_task(&move);
  ag_observe_device(0, "emulated:0");
  ag_observe_submitted(t, 2304);
  static const uint64_t sizes[3] = {256, 1024, 1024};
  for (int i = 0; i < 3; ++i)
    ag_observe_batch(t, &(struct ag_batch_record){.where = 0,
                                                  .reason = i ? AG_REASON_FULL : AG_REASON_NO_HIGH_PRIORITY,
                                                  .units = sizes[i],
                                                  .joined = 2,
                                                  .chains = 100,
                                                  .split_parts = 2,
                                                  .bytes_in = 1500000,
                                                  .bytes_reused = 7000,
                                                  .bytes_out = 2000,
                                                  .stage_ns = 1000,
                                                  .device_ns = 2000000,
                                                  .total_ns = 3000000});
  ag_observe_batch(t, &(struct ag_batch_record){.where = 0, .units = 500, .failed = true});
  ag_observe_submitted(m, 10);
  ag_observe_cpu_units(m, 3);
  ag_observe_batch(m, &(struct ag_batch_record){
                          .where = AG_OBSERVE_CPU, .reason = AG_REASON_FLUSH, .units = 7, .total_ns = 5000});
}

static void text_report(void **state) {
  (void)state;
  fill_in();
  const char *r = report(AG_REPORT_TEXT);
  assert_non_null(
      strstr(r, "\ninteract: 2304 units in 3 launches on emulated:0 (768.0 units a launch), 0 on the CPU\n"));
  assert_non_null(strstr(r, "min 256, median 1024, max 1024 units a launch\n"));
  assert_non_null(strstr(r, "full 2, no high-priority work left 1"));
  assert_non_null(strstr(r, "300 (100.0 a launch), 6 blocks share split units"));
  assert_non_null(strstr(r, "4.5 MB to devices, 6.0 KB back, 21.0 KB were there already\n"));
  assert_non_null(strstr(r, "  joined     6 units came while a launch was prepared"));
  assert_non_null(strstr(r, "failed     1 batch, whose units were run again"));
  assert_non_null(strstr(r, "mo\"ve: 0 units in 0 launches, 10 on the CPU\n"));
  assert_non_null(strstr(r, "flush by a wait 1"));
  assert_non_null(
      strstr(r, "total: 2 task types, 2314 units submitted, 2304 run in 3 launches, 10 run on the CPU, 1 "
                "failed\n"));
  for (const char *line = r; *line;) {
    size_t n = strcspn(line, "\n");
    assert_true(n <= 100);
    line += n + 1;
  }
}

/* Of one there is no plural. */
static void one_of_each(void **state) {
  (void)state;
  struct ag_observe_task *t = ag_observe_task(&interact);
  ag_observe_device(0, "emulated:0");
  ag_observe_submitted(t, 1);
  ag_observe_batch(t, &(struct ag_batch_record){.units = 1, .chains = 1, .split_parts = 1, .warps = 1});
  const char *r = report(AG_REPORT_TEXT);
  assert_non_null(strstr(r, "\ninteract: 1 unit in 1 launch on emulated:0"));
  assert_non_null(strstr(r, " max 1 unit a launch\n"));
  assert_non_null(strstr(r, " 1 (1.0 a launch), 1 block shares split units, 1 of 1 launch by warps\n"));
  assert_non_null(strstr(r, "\non emulated:0: 1 unit in 1 launch, "));
  assert_non_null(
      strstr(r, "\ntotal: 1 task type, 1 unit submitted, 1 run in 1 launch, 0 run on the CPU, 0 failed\n"));
}

static void loops(void **state) {
  (void)state;
  struct ag_observe_task *t = ag_observe_task(&interact);
  ag_observe_device(0, "emulated:0");
  ag_observe_loop(t, "dynamic", -1);
  ag_observe_loop(t, "auto", -1); /* the last one counts */
  ag_observe_submitted(t, 66);
  ag_observe_batch(t, &(struct ag_batch_record){.where = 0, .units = 64}); /* one chunk, for many blocks */
  ag_observe_chunk(t, 0, 750);
  for (int i = 0; i < 2; ++i) {
    ag_observe_batch(t, &(struct ag_batch_record){.where = AG_OBSERVE_CPU, .units = 1});
    ag_observe_chunk(t, AG_OBSERVE_CPU, 125);
  }
  const char *r = report(AG_REPORT_TEXT);
  assert_non_null(strstr(r, "\n  schedule   auto, 2 executions\n"));
  assert_non_null(strstr(r, "\n  iterations 750 on devices in 1 chunk, 250 on the CPU in 2 chunks\n"));
  assert_non_null(strstr(
      r, "\n  share      75.0 % of the iterations on devices, 25.0 % on the CPU; 66 submitted, 66 run\n"));
  assert_null(strstr(r, "beforehand"));
  assert_null(strstr(r, "waited"));
  ag_observe_waited(t);
  ag_observe_waited(t);
  r = report(AG_REPORT_TEXT);
  assert_non_null(
      strstr(r, "\n  waited     2 chunks for others that use the same memory: name less in sections\n"));
  r = report(AG_REPORT_JSON);
  assert_non_null(strstr(r, "\"loop\": {\"schedule\": \"auto\", \"executions\": 2, \"cut_chunks\": 0, "
                            "\"cut_iterations\": 0, \"waited_chunks\": 2}"));
  assert_int_equal(occurrences(r, "\"chunks\": 1, \"iterations\": 750"), 2); /* of the task, of the device */
  assert_int_equal(occurrences(r, "\"chunks\": 2, \"iterations\": 250"), 1);
}

static void schedules_have_their_arguments(void **state) {
  (void)state;
  static const struct {
    unsigned kind;
    uint64_t chunk;
    double ratio;
    const char *text;
  } cases[] = {
      {AGGLOM_SCHEDULE_DYNAMIC, 64, 0, "dynamic:64"},
      {AGGLOM_SCHEDULE_DYNAMIC, 0, 0, "dynamic"},
      {AGGLOM_SCHEDULE_STATIC, 1000000000000, 0, "static:1000000000000"},
      {AGGLOM_SCHEDULE_LOGFIT, 0, 0.01, "logfit:0.01"},
      {AGGLOM_SCHEDULE_ORACLE, 0, 0.3, "oracle:30"},
      {AGGLOM_SCHEDULE_ORACLE, 0, -1, "oracle:0"},
      {AGGLOM_SCHEDULE_ORACLE, 0, 0, "oracle"},
      {AGGLOM_SCHEDULE_STATIC_PCF, 0, 4, "static_pcf:4"},
      {AGGLOM_SCHEDULE_AUTO, 0, 0, "auto"},
  };
  struct ag_observe_task *t = ag_observe_task(&interact);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char line[80];
    ag_observe_loop(t, ag_loop_name(cases[i].kind),
                    ag_loop_argument(cases[i].kind, cases[i].chunk, cases[i].ratio));
    snprintf(line, sizeof line, "\n  schedule   %s, ", cases[i].text);
    assert_non_null(strstr(report(AG_REPORT_TEXT), line));
    snprintf(line, sizeof line, "{\"schedule\": \"%s\", ", cases[i].text);
    assert_non_null(strstr(report(AG_REPORT_JSON), line));
  }
}

static void under_what(void **state) {
  (void)state;
  assert_null(strstr(report(AG_REPORT_TEXT), "policies"));
  assert_non_null(strstr(report(AG_REPORT_JSON), "\"settings\": null,"));
  struct ag_observe_settings s = {
      .batch = "static:8", .split = "gpu", .objective = "time", .workers = 1, .cores = 1};
  ag_observe_settings(&s);
  const char *r = report(AG_REPORT_TEXT);
  assert_non_null(strstr(r, "agglom report\npolicies: batch static:8, split gpu, objective time\n"
                            "  batch and split had no effect: there was no device\n"
                            "machine: 1 worker, no device\ntotal"));
  r = report(AG_REPORT_JSON);
  assert_non_null(
      strstr(r, "\"settings\": {\"batch\": \"static:8\", \"split\": \"gpu\", \"objective\": \"time\", "
                "\"objective_why_not\": null,"));
  assert_non_null(strstr(r, "\"workers\": 1, \"cores_of_each\": 1, \"devices\": []},"));
  s = (struct ag_observe_settings){.batch = "auto",
                                   .split = "auto",
                                   .objective = "edp",
                                   .objective_why_not = "it is \"late\"",
                                   .workers = 4,
                                   .cores = 2};
  ag_observe_settings(&s);
  for (int i = 0; i < 16; ++i) {
    char name[16];
    snprintf(name, sizeof name, "emulated:%d", i);
    ag_observe_device(i, name);
  }
  r = report(AG_REPORT_TEXT);
  assert_non_null(strstr(r, "objective edp\n  but time was minimised: it is \"late\"\n"
                            "machine: 4 workers of 2 cores each, emulated:0, emulated:1, "));
  for (const char *line = r; *line;) {
    size_t n = strcspn(line, "\n");
    assert_true(n <= 100);
    line += n + 1;
  }
  r = report(AG_REPORT_JSON);
  assert_non_null(strstr(r, "\"objective_why_not\": \"it is \\\"late\\\"\","));
  assert_non_null(strstr(r, "\"devices\": [\"emulated:0\", \"emulated:1\", "));
}

static void reasons_of_sides(void **state) {
  (void)state;
  struct ag_observe_task *t = ag_observe_task(&interact);
  for (int i = 0; i < 3; ++i)
    ag_observe_batch(t, &(struct ag_batch_record){.where = 0, .units = 1, .reason = AG_REASON_IDLE});
  ag_observe_batch(t,
                   &(struct ag_batch_record){.where = AG_OBSERVE_CPU, .units = 1, .reason = AG_REASON_IDLE});
  ag_observe_batch(t,
                   &(struct ag_batch_record){.where = AG_OBSERVE_CPU, .units = 1, .reason = AG_REASON_FLUSH});
  assert_non_null(strstr(report(AG_REPORT_TEXT),
                         "\n  why        device idle 3\n  why (CPU)  device idle 1, flush by a wait 1\n"));
  const char *r = report(AG_REPORT_JSON);
  assert_non_null(strstr(r, "\"reasons\": {\"full\": 0, \"idle\": 4, "));
  assert_non_null(strstr(r, "\"cpu_reasons\": {\"full\": 0, \"idle\": 1, "));
}

static void loops_cut_beforehand(void **state) {
  (void)state;
  struct ag_observe_task *t = ag_observe_task(&interact);
  ag_observe_loop(t, "static", 7);
  ag_observe_cut(t, 3, 200);
  const char *r = report(AG_REPORT_TEXT);
  assert_non_null(
      strstr(r, "\n  schedule   static:7, 1 execution\n  iterations 200 cut beforehand, in 3 chunks\n"));
  assert_non_null(strstr(r, "\n  share      0.0 % on devices, 0.0 % on the CPU"));
}

/* Executions in one piece whose time was not taken are counted like others. */
static void loops_run_directly(void **state) {
  (void)state;
  struct ag_observe_task *t = ag_observe_task(&interact);
  ag_observe_loop(t, "auto", -1);
  ag_observe_pieces(t, 2, 100, 3000);
  for (int k = 0; k < 3; ++k)
    ag_observe_again(t, 50);
  for (int twice = 0; twice < 2; ++twice) {
    const char *r = report(AG_REPORT_TEXT);
    assert_non_null(strstr(r, "\n  schedule   auto, 4 executions\n"));
    assert_non_null(strstr(r, ", 250 on the CPU in 5 chunks\n"));
    assert_non_null(strstr(r, "\n  CPU time   3.0 us in 5 batches\n"));
  }
}

static void lost_devices(void **state) {
  (void)state;
  struct ag_observe_task *t = ag_observe_task(&interact);
  ag_observe_device(0, "emulated:0");
  ag_observe_device(1, "emulated:1");
  for (int where = 0; where < 2; ++where)
    ag_observe_batch(t, &(struct ag_batch_record){.where = where, .units = 1});
  ag_observe_lost(1);
  const char *r = report(AG_REPORT_TEXT);
  assert_non_null(strstr(r, "\non emulated:0: 1 unit in 1 launch, 0 B in, 0 B out, kernels 0.0 us\n"));
  assert_non_null(strstr(r, "\non emulated:1: 1 unit in 1 launch, 0 B in, 0 B out, kernels 0.0 us, lost\n"));
  r = report(AG_REPORT_JSON);
  assert_non_null(strstr(r, "\"device\": \"emulated:0\", \"lost\": false"));
  assert_non_null(strstr(r, "\"device\": \"emulated:1\", \"lost\": true"));
}

static void many_reasons_fit_the_page(void **state) {
  (void)state;
  struct ag_observe_task *t = ag_observe_task(&interact);
  for (int i = 0; i < 6000; ++i)
    ag_observe_batch(t, &(struct ag_batch_record){.where = 0, .units = 1, .reason = i % AG_N_REASONS});
  const char *r = report(AG_REPORT_TEXT);
  const char *why = strstr(r, "  why        full 1000, device idle 1000, ");
  assert_non_null(why);
  assert_non_null(strstr(why, "policy's own rule 1000\n"));
  for (const char *line = why; *line;) {
    size_t n = strcspn(line, "\n");
    assert_true(n <= 100);
    line += n + 1;
  }
}

static void json_report(void **state) {
  (void)state;
  fill_in();
  const char *r = report(AG_REPORT_JSON);
  assert_non_null(strstr(r, "{\"agglom_report\": 1"));
  assert_non_null(strstr(r, "\"name\": \"mo\\\"ve\""));
  assert_non_null(strstr(r, "\"median\": 1024.000"));
  assert_non_null(strstr(
      r, "\"device\": \"emulated:0\", \"units\": 2304, \"launches\": 3, \"failed\": 1, \"joined\": 6"));
  assert_non_null(strstr(r, "\"task_types\": 2, \"submitted\": 2314, \"on_devices\": 2304, \"launches\": 3, "
                            "\"on_cpu\": 10, \"cpu_batches\": 1, \"failed\": 1"));
  int depth = 0;
  bool quoted = false;
  for (const char *p = r; *p; ++p) {
    if (*p == '"' && p[-1] != '\\')
      quoted = !quoted;
    else if (!quoted)
      depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    assert_true(depth >= 0);
  }
  assert_int_equal(depth, 0);
  assert_false(quoted);
}

static void empty_report(void **state) {
  (void)state;
  assert_non_null(strstr(report(AG_REPORT_TEXT), "total: 0 task types, 0 units submitted"));
  assert_non_null(strstr(report(AG_REPORT_JSON), "\"tasks\": [\n  ]"));
  assert_int_equal(ag_observe_report_to(&(struct ag_report_choice){.mode = AG_REPORT_OFF}), 0);
}

static void to_a_file(void **state) {
  (void)state;
  fill_in();
  struct ag_report_choice choice = {.mode = AG_REPORT_TEXT};
  char name[] = "/tmp/agglom-report-XXXXXX";
  int fd = mkstemp(name);
  assert_true(fd >= 0);
  strcpy(choice.path, name);
  assert_int_equal(ag_observe_report_to(&choice), 0);
  char text[16] = "";
  assert_int_equal(read(fd, text, 13), 13);
  assert_string_equal(text, "agglom report");
  close(fd);
  unlink(name);
  strcpy(choice.path, "/nowhere/report");
  capture_begin();
  int err = ag_observe_report_to(&choice);
  const char *said = capture_end();
  assert_int_equal(err, -ENOENT);
  assert_non_null(
      strstr(said, "agglom: error: AGGLOM_REPORT: the report cannot be written to /nowhere/report"));
  assert_non_null(strstr(said, "\nagglom report\n"));
}

static void medians(void **state) {
  (void)state;
  static struct ag_sizes none;
  assert_true(ag_sizes_median(&none) == 0);
  struct ag_observe_task *t = ag_observe_task(&interact);
  for (uint64_t i = 1; i <= 9; ++i)
    ag_observe_batch(t, &(struct ag_batch_record){.where = 0, .units = i});
  assert_true(ag_sizes_median(&t->sizes[1]) == 5);
  assert_int_equal(t->sizes[1].min, 1);
  assert_int_equal(t->sizes[1].max, 9);
}

enum { THREADS = 4, ROUNDS = 5000 };

static void *teller(void *arg) {
  struct ag_observe_task *t = ag_observe_task(&interact);
  struct ag_batch_record r = {.where = (int)(intptr_t)arg - 1, .units = 3, .reason = AG_REASON_IDLE};
  for (int i = 0; i < ROUNDS; ++i) {
    ag_observe_submitted(t, 3);
    r.failed = i % 5 == 0;
    ag_observe_batch(t, &r);
  }
  return NULL;
}

static void many_threads(void **state) {
  (void)state;
  pthread_t thread[THREADS];
  for (intptr_t i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&thread[i], NULL, teller, (void *)i), 0);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(thread[i], NULL);
  struct ag_observe_totals n;
  ag_observe_totals(ag_observe_task(&interact), &n);
  assert_int_equal(n.submitted, 3 * THREADS * ROUNDS);
  assert_int_equal(n.failed, THREADS * ROUNDS / 5);
  assert_int_equal(n.on_cpu, 3 * ROUNDS * 4 / 5);
  assert_int_equal(n.on_device, 3 * 3 * ROUNDS * 4 / 5);
  assert_int_equal(n.cpu_batches, ROUNDS * 4 / 5);
  assert_int_equal(n.launches, 3 * ROUNDS * 4 / 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buckets),
      cmocka_unit_test_setup_teardown(one_entry_a_task, reset, reset),
      cmocka_unit_test_setup_teardown(text_report, reset, reset),
      cmocka_unit_test_setup_teardown(one_of_each, reset, reset),
      cmocka_unit_test_setup_teardown(loops, reset, reset),
      cmocka_unit_test_setup_teardown(loops_cut_beforehand, reset, reset),
      cmocka_unit_test_setup_teardown(loops_run_directly, reset, reset),
      cmocka_unit_test_setup_teardown(lost_devices, reset, reset),
      cmocka_unit_test_setup_teardown(schedules_have_their_arguments, reset, reset),
      cmocka_unit_test_setup_teardown(under_what, reset, reset),
      cmocka_unit_test_setup_teardown(reasons_of_sides, reset, reset),
      cmocka_unit_test_setup_teardown(many_reasons_fit_the_page, reset, reset),
      cmocka_unit_test_setup_teardown(json_report, reset, reset),
      cmocka_unit_test_setup_teardown(empty_report, reset, reset),
      cmocka_unit_test_setup_teardown(to_a_file, reset, reset),
      cmocka_unit_test_setup_teardown(medians, reset, reset),
      cmocka_unit_test_setup_teardown(many_threads, reset, reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
