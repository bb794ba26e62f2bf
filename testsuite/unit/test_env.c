/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* sys/: the environment table and its parsers, messages, clock, usable CPUs. */
#include "capture.h"
#include "sys/clock.h"
#include "sys/env.h"
#include "sys/json.h"
#include "sys/log.h"
#include "sys/topology.h"
#include <agglom/abi.h>

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern char **environ;

static int clear(void **state) {
  (void)state;
  for (char **entry = environ; *entry;) {
    char name[128];
    size_t n = strcspn(*entry, "=");
    if (!strncmp(*entry, "AGGLOM_", 7) && n < sizeof name) {
      memcpy(name, *entry, n);
      name[n] = '\0';
      unsetenv(name);
      entry = environ;
    } else {
      ++entry;
    }
  }
  return 0;
}

/* --- Parsers ---------------------------------------------------------------------------------------- */

static void unsigned_numbers(void **state) {
  (void)state;
  uint64_t v = 99;
  assert_int_equal(ag_parse_unsigned("0", 0, 10, &v), 0);
  assert_int_equal(v, 0);
  assert_int_equal(ag_parse_unsigned("18446744073709551615", 0, UINT64_MAX, &v), 0);
  assert_true(v == UINT64_MAX);
  v = 99;
  static const char *const bad[] = {"", " 1", "1 ", "-1", "+1", "0x1", "11", "1.0", "18446744073709551616",
                                    "a"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(ag_parse_unsigned(bad[i], 0, 10, &v), -EINVAL);
  assert_int_equal(v, 99);
}

static void batch(void **state) {
  (void)state;
  struct ag_batch_choice v = {0};
  assert_int_equal(ag_parse_batch("single", &v), 0);
  assert_int_equal(v.rule, AG_BATCH_SINGLE);
  assert_int_equal(ag_parse_batch("static:128", &v), 0);
  assert_int_equal(v.rule, AG_BATCH_STATIC);
  assert_int_equal(v.n, 128);
  assert_int_equal(ag_parse_batch("count:1", &v), 0);
  assert_int_equal(v.rule, AG_BATCH_COUNT);
  assert_int_equal(ag_parse_batch("occupancy", &v), 0);
  assert_int_equal(v.rule, AG_BATCH_OCCUPANCY);
  assert_int_equal(ag_parse_batch("auto", &v), 0);
  assert_int_equal(v.rule, AG_BATCH_AUTO);
  assert_int_equal(ag_parse_batch("maximal", &v), 0);
  assert_int_equal(v.rule, AG_BATCH_MAXIMAL);
  assert_int_equal(v.n, 0);
  static const char *const bad[] = {"",        "maximal:", "maximal:3",     "static",
                                    "static:", "static:0", "static:-1",     "count:4294967296",
                                    "Maximal", "count:3 ", "single,single", "auto:3"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(ag_parse_batch(bad[i], &v), -EINVAL);
  assert_int_equal(v.rule, AG_BATCH_MAXIMAL);
}

static void map(void **state) {
  (void)state;
  enum ag_map_choice v;
  assert_int_equal(ag_parse_map("block", &v), 0);
  assert_int_equal(v, AG_MAP_BLOCK);
  assert_int_equal(ag_parse_map("auto", &v), 0);
  assert_int_equal(v, AG_MAP_AUTO);
  assert_int_equal(ag_parse_map("warp", &v), 0);
  assert_int_equal(v, AG_MAP_WARP);
  static const char *const bad[] = {"", "thread", "Warp", "warps", "block ", "block,warp"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(ag_parse_map(bad[i], &v), -EINVAL);
  assert_int_equal(v, AG_MAP_WARP);
}

static void schedule(void **state) {
  (void)state;
  struct ag_schedule_choice v;
  assert_int_equal(ag_parse_schedule("static", &v), 0);
  assert_int_equal(v.kind, AGGLOM_SCHEDULE_STATIC);
  assert_int_equal(v.chunk, 0);
  assert_int_equal(ag_parse_schedule("dynamic:12", &v), 0);
  assert_int_equal(v.kind, AGGLOM_SCHEDULE_DYNAMIC);
  assert_int_equal(v.chunk, 12);
  assert_int_equal(ag_parse_schedule("auto", &v), 0);
  assert_int_equal(v.kind, AGGLOM_SCHEDULE_AUTO);
  assert_int_equal(ag_parse_schedule("logfit:0.02", &v), 0);
  assert_int_equal(v.kind, AGGLOM_SCHEDULE_LOGFIT);
  assert_true(v.chunk == 0 && v.ratio == 0.02);
  assert_int_equal(ag_parse_schedule("oracle:70", &v), 0);
  assert_int_equal(v.kind, AGGLOM_SCHEDULE_ORACLE);
  assert_true(v.ratio == 0.7);
  assert_int_equal(ag_parse_schedule("oracle:0", &v), 0); /* not the same as "oracle" */
  assert_true(v.ratio < 0);
  assert_int_equal(ag_parse_schedule("static_pcf:21.91", &v), 0);
  assert_true(v.ratio == 21.91);
  assert_int_equal(ag_parse_schedule("clustered_guided", &v), 0);
  assert_int_equal(v.kind, AGGLOM_SCHEDULE_CLUSTERED_GUIDED);
  assert_int_equal(ag_parse_schedule("logfit", &v), 0);
  assert_true(v.ratio == 0);
  assert_int_equal(ag_parse_schedule("auto", &v), 0);
  static const char *const bad[] = {"logfit:0", "logfit:-1",  "logfit:x",   "logfit:1e3",
                                    "logfit:",  "oracle:101", "oracle:0.5", "hdss:3",
                                    "",         "runtime",    "static:",    "static:0",
                                    "auto:3",   "dynamic:-1", "dynamic 12", "static:9223372036854775808",
                                    "guided:1", "Static"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(ag_parse_schedule(bad[i], &v), -EINVAL);
  assert_int_equal(v.kind, AGGLOM_SCHEDULE_AUTO);
}

static void compute_units(void **state) {
  (void)state;
  struct ag_cus v;
  assert_int_equal(ag_parse_cus("auto", &v), 0);
  assert_int_equal(v.units, 0);
  assert_int_equal(ag_parse_cus("4x2", &v), 0);
  assert_int_equal(v.units, 4);
  assert_int_equal(v.cores, 2);
  assert_int_equal(v.devices, -1);
  assert_int_equal(ag_parse_cus("1x16+0", &v), 0);
  assert_int_equal(v.devices, 0);
  static const char *const bad[] = {"",        "4",     "4x",   "x2",     "0x1",  "1x0", "4x2+",  "4x2+33",
                                    "4x2+1+1", "4x2x1", "-1x2", "1025x1", "4 x2", "4X2", "4x2+-1"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(ag_parse_cus(bad[i], &v), -EINVAL);
}

static void report(void **state) {
  (void)state;
  struct ag_report_choice v;
  assert_int_equal(ag_parse_report("0", &v), 0);
  assert_int_equal(v.mode, AG_REPORT_OFF);
  assert_int_equal(ag_parse_report("1", &v), 0);
  assert_int_equal(v.mode, AG_REPORT_TEXT);
  assert_string_equal(v.path, "");
  assert_int_equal(ag_parse_report("json", &v), 0);
  assert_int_equal(v.mode, AG_REPORT_JSON);
  assert_int_equal(ag_parse_report("out/r.txt", &v), 0);
  assert_int_equal(v.mode, AG_REPORT_TEXT);
  assert_string_equal(v.path, "out/r.txt");
  assert_int_equal(ag_parse_report("r.json", &v), 0);
  assert_int_equal(v.mode, AG_REPORT_JSON);
  char longest[AG_ENV_TEXT + 1];
  memset(longest, 'a', sizeof longest);
  longest[AG_ENV_TEXT] = '\0';
  assert_int_equal(ag_parse_report(longest, &v), -EINVAL);
  longest[AG_ENV_TEXT - 1] = '\0';
  assert_int_equal(ag_parse_report(longest, &v), 0);
  assert_int_equal(ag_parse_report("", &v), -EINVAL);
}

static void size(void **state) {
  (void)state;
  size_t v = 7;
  assert_int_equal(ag_parse_size("64KB", 64 << 10, 1 << 30, &v), 0);
  assert_int_equal(v, 64 << 10);
  assert_int_equal(ag_parse_size("1.5MB", 0, 1 << 30, &v), 0);
  assert_int_equal(v, 3 << 19);
  static const char *const bad[] = {
      "", "1", "MB", "1 MB", "1mb", "-1MB", "0.5KB", "2GB", "99999999999999999999B"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(ag_parse_size(bad[i], 1024, 1 << 30, &v), -EINVAL);
  assert_int_equal(v, 3 << 19);
}

static void emulate(void **state) {
  (void)state;
  struct ag_emulate v = {.launch_ns = 1, .bytes_per_s = 2, .memory_bytes = 8192, .threads = 3};
  assert_int_equal(ag_parse_emulate("launch=5us,bandwidth=16GB/s,memory=1GB,threads=2", &v), 0);
  assert_int_equal(v.launch_ns, 5000);
  assert_true(v.bytes_per_s == 16000000000u);
  assert_true(v.memory_bytes == (size_t)1 << 30);
  assert_int_equal(v.threads, 2);
  assert_int_equal(ag_parse_emulate("launch=1.25ms", &v), 0);
  assert_int_equal(v.launch_ns, 1250000);
  assert_int_equal(v.threads, 2); /* what is not named stays */
  assert_int_equal(ag_parse_emulate("bandwidth=0,launch=0", &v), 0);
  assert_int_equal(v.bytes_per_s, 0);
  assert_int_equal(ag_parse_emulate("copy=2us,unit=7ns", &v), 0);
  assert_int_equal(v.copy_ns, 2000);
  assert_int_equal(v.unit_ns, 7);
  assert_int_equal(ag_parse_emulate("memory=0.5MB", &v), 0);
  assert_int_equal(v.memory_bytes, 524288);
  assert_false(v.isolate);
  assert_int_equal(ag_parse_emulate("isolate=on,threads=5", &v), 0);
  assert_true(v.isolate && v.threads == 5);
  assert_int_equal(ag_parse_emulate("launch=1us", &v), 0);
  assert_true(v.isolate);
  assert_int_equal(ag_parse_emulate("threads=5,isolate=off", &v), 0);
  assert_false(v.isolate);
  assert_int_equal(ag_parse_emulate("overlap=off", &v), 0);
  assert_true(v.serial);
  assert_int_equal(ag_parse_emulate("overlap=on", &v), 0);
  assert_false(v.serial);
  static const char *const bad[] = {"launch",
                                    "overlap",
                                    "overlap=2",
                                    "overlap=off,overlap=off",
                                    "isolate",
                                    "isolate=",
                                    "isolate=1",
                                    "isolate=ON",
                                    "isolated=on",
                                    "isolate=on,isolate=off",
                                    "launch=",
                                    "launch=5",
                                    "launch=5s",
                                    "launch=-1us",
                                    "launch=1.us",
                                    "launch=.5us",
                                    "launch=1,5us",
                                    "launch=5us,",
                                    ",launch=5us",
                                    "launch=5us,launch=6us",
                                    "copy=1us,copy=1us",
                                    "unit=10001ms",
                                    "unit=3",
                                    "speed=3",
                                    "memory=1",
                                    "memory=0",
                                    "memory=4095B",
                                    "memory=99999999999GB",
                                    "bandwidth=16GB",
                                    "bandwidth=16",
                                    "threads=0",
                                    "threads=257",
                                    "threads=2.0",
                                    "launch=10001ms",
                                    "launch=1e3us",
                                    "launch=1.0000000001us",
                                    "memory= 1GB"};
  struct ag_emulate before = v;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    assert_int_equal(ag_parse_emulate(bad[i], &v), -EINVAL);
    assert_memory_equal(&v, &before, sizeof v);
  }
}

/* Times that are read as so many ns, up to one without a text; and texts that are refused. */
struct time_text {
  const char *text;
  uint64_t ns;
};

static void reads_times(int (*parse)(const char *, uint64_t *), const struct time_text *good,
                        const char *const *bad) {
  uint64_t ns = 1;
  for (; good->text; ++good) {
    assert_int_equal(parse(good->text, &ns), 0);
    assert_true(ns == good->ns);
  }
  for (; *bad; ++bad)
    assert_int_equal(parse(*bad, &ns), -EINVAL);
}

static void linger(void **state) {
  (void)state;
  static const struct time_text good[] = {
      {"auto", AG_LINGER_AUTO}, {"200us", 200000}, {"10s", 10000000000}, {"0", 0}, {NULL, 0}};
  static const char *const bad[] = {"", "1", "-1ms", "11s", "1ns", "1ms,2ms", "Auto", "auto,1ms", NULL};
  reads_times(ag_parse_linger, good, bad);
}

static void timeout(void **state) {
  (void)state;
  static const struct time_text good[] = {{"30s", 30000000000}, {"20ms", 20000000}, {"0", 0}, {NULL, 0}};
  static const char *const bad[] = {"", "30", "s", "-1s", "1s,", "86401s", "1s,2s", "5h", NULL};
  reads_times(ag_parse_timeout, good, bad);
}

static void fault(void **state) {
  (void)state;
  struct ag_fault v;
  assert_int_equal(ag_parse_fault("call=launch,nth=3,error=sticky", &v), 0);
  assert_int_equal(v.call, AG_FAULT_LAUNCH);
  assert_int_equal(v.error, AG_FAULT_STICKY);
  assert_int_equal(v.nth, 3);
  assert_int_equal(v.times, 1);
  assert_int_equal(ag_parse_fault("times=all,call=copy_out", &v), 0);
  assert_int_equal(v.call, AG_FAULT_COPY_OUT);
  assert_int_equal(v.error, AG_FAULT_FAILED);
  assert_int_equal(v.nth, 1);
  assert_true(v.times == UINT64_MAX);
  assert_int_equal(ag_parse_fault("call=any,nth=7", &v), 0);
  assert_int_equal(v.call, AG_FAULT_ANY);
  assert_int_equal(ag_parse_fault("call=stream_destroy,error=oom", &v), 0);
  assert_int_equal(v.call, AG_FAULT_STREAM_DESTROY);
  static const char *const hang[] = {"copy_in",   "copy_out", "move", "fill",     "launch",
                                     "milestone", "follow",   "mark", "finished", "any"};
  static const char *const act_at_once[] = {"alloc", "host_alloc", "stream",         "kernel",
                                            "free",  "host_free",  "stream_destroy", "close"};
  char text[64];
  for (size_t i = 0; i < sizeof hang / sizeof hang[0]; ++i) {
    snprintf(text, sizeof text, "error=hang,call=%s", hang[i]);
    assert_int_equal(ag_parse_fault(text, &v), 0);
    assert_int_equal(v.error, AG_FAULT_HANG);
  }
  for (size_t i = 0; i < sizeof act_at_once / sizeof act_at_once[0]; ++i) {
    snprintf(text, sizeof text, "call=%s", act_at_once[i]);
    assert_int_equal(ag_parse_fault(text, &v), 0);
    snprintf(text, sizeof text, "error=hang,call=%s", act_at_once[i]);
    assert_int_equal(ag_parse_fault(text, &v), -EINVAL);
  }
  static const char *const bad[] = {"",
                                    "nth=3",
                                    "call=",
                                    "call=sing",
                                    "call=launch,nth=0",
                                    "call=launch,error=bad",
                                    "call=launch,call=fill",
                                    "call=launch,times=0",
                                    "call=launch;nth=3",
                                    "launch"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(ag_parse_fault(bad[i], &v), -EINVAL);
}

static void devices(void **state) {
  (void)state;
  struct ag_device_spec v;
  assert_int_equal(ag_parse_devices("auto", &v), 0);
  assert_int_equal(v.kind, AG_KIND_AUTO);
  assert_int_equal(ag_parse_devices("none", &v), 0);
  assert_int_equal(v.kind, AG_KIND_NONE);
  assert_int_equal(ag_parse_devices("cuda", &v), 0);
  assert_int_equal(v.kind, AG_KIND_CUDA);
  assert_int_equal(v.count, 0);
  assert_int_equal(ag_parse_devices("cuda:3,0", &v), 0);
  assert_int_equal(v.count, 2);
  assert_int_equal(v.index[0], 3);
  assert_int_equal(v.index[1], 0);
  assert_int_equal(ag_parse_devices("emulated", &v), 0);
  assert_int_equal(v.count, 1);
  assert_int_equal(ag_parse_devices("emulated:32", &v), 0);
  assert_int_equal(v.count, 32);
  static const char *const bad[] = {
      "",        "auto:1",    "none:",      "cuda:",       "cuda:0,",      "cuda:a", "cuda:0,0",
      "cuda:-1", "emulated:", "emulated:0", "emulated:33", "emulated:1,2", "gpu",    "AUTO"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_int_equal(ag_parse_devices(bad[i], &v), -EINVAL);
}

/* --- Loading ----------------------------------------------------------------------------------------- */

static void defaults(void **state) {
  (void)state;
  struct ag_config c;
  capture_begin();
  int err = ag_config_load(&c);
  assert_string_equal(capture_end(), "");
  assert_int_equal(err, 0);
  assert_string_equal(c.devices, "auto");
  assert_int_equal(c.workers, 0);
  assert_int_equal(c.batch.rule, AG_BATCH_AUTO);
  assert_int_equal(c.split, AG_SPLIT_AUTO);
  assert_int_equal(c.report.mode, AG_REPORT_OFF);
  assert_int_equal(c.emulate.threads, 2);
  assert_string_equal(c.trace.path, "");
  assert_int_equal(c.trace.memory, 16 << 20);
  assert_int_equal(c.fault.call, AG_FAULT_NONE);
  assert_string_equal(c.cuda_library, "libcuda.so.1");
}

static void table_defaults_are_the_defaults(void **state) {
  (void)state;
  struct ag_config c, d;
  ag_config_defaults(&d);
  for (unsigned i = 0; i < ag_env_count; ++i) {
    const struct ag_env_variable *v = &ag_env_table[i];
    assert_ptr_equal(ag_env_find(v->name), v);
    if (!v->parse || !v->initial[0])
      continue;
    ag_config_defaults(&c);
    assert_int_equal(v->parse(v->initial, &c), 0);
    assert_memory_equal(&c, &d, sizeof c);
  }
}

static void malformed_values(void **state) {
  (void)state;
  struct ag_config c, d;
  setenv("AGGLOM_BATCH", "statik:3", 1);
  setenv("AGGLOM_SPLIT", "both", 1);
  setenv("AGGLOM_WORKERS", "3", 1);
  setenv("AGGLOM_FAULT", "x", 1);
  capture_begin();
  int err = ag_config_load(&c);
  const char *said = capture_end();
  assert_int_equal(err, -EINVAL);
  assert_int_equal(occurrences(said, "\n"), 3);
  assert_non_null(strstr(
      said, "agglom: error: AGGLOM_BATCH=statik:3 is not understood: accepted are auto, maximal, "
            "single, occupancy, static:N or count:N with N from 1 to 4294967295; using auto instead\n"));
  assert_non_null(
      strstr(said, "agglom: error: AGGLOM_SPLIT=both is not understood: accepted are auto, gpu, cpu, count "
                   "or items; using auto instead\n"));
  assert_non_null(strstr(said, "; going on without it\n"));
  assert_int_equal(c.batch.rule, AG_BATCH_AUTO);
  assert_int_equal(c.workers, 3);
  capture_begin();
  assert_int_equal(ag_config_load_quietly(&d), -EINVAL);
  assert_string_equal(capture_end(), "");
  assert_memory_equal(&c, &d, sizeof c);
}

static void strangers(void **state) {
  (void)state;
  struct ag_config c;
  setenv("AGGLOM_WORKER", "3", 1);
  setenv("AGGLOM_XYZZY", "3", 1);
  setenv("AGGLOM_BATCH", "", 1); /* empty is not set */
  capture_begin();
  int err = ag_config_load(&c);
  const char *said = capture_end();
  assert_int_equal(err, 0);
  assert_int_equal(occurrences(said, "agglom: warning: "), 2);
  assert_non_null(strstr(said, "AGGLOM_WORKER is ignored; did you mean AGGLOM_WORKERS?"));
  assert_non_null(strstr(said, "AGGLOM_XYZZY is ignored (agglom-info --env lists all)"));
}

static void suggestions(void **state) {
  (void)state;
  assert_string_equal(ag_env_suggest("AGGLOM_DEVCIES"), "AGGLOM_DEVICES");
  assert_string_equal(ag_env_suggest("AGGLOM_REPROT"), "AGGLOM_REPORT");
  assert_string_equal(ag_env_suggest("AGGLOM_DEVICE"), "AGGLOM_DEVICES");
  assert_null(ag_env_suggest("AGGLOM_SOMETHING_ELSE"));
  char huge[300];
  memset(huge, 'A', sizeof huge);
  huge[299] = '\0';
  assert_null(ag_env_suggest(huge));
}

/* --- Log, clock, topology ------------------------------------------------------------------------------ */

static void log_lines(void **state) {
  (void)state;
  atomic_flag once = ATOMIC_FLAG_INIT;
  errno = 123;
  capture_begin();
  errno = 77;
  ag_error("%s %d", "x", 7);
  ag_warn("with a newline\n");
  ag_warn_once(&once, "first");
  ag_warn_once(&once, "second");
  int kept = errno;
  const char *said = capture_end();
  assert_string_equal(said, "agglom: error: x 7\nagglom: warning: with a newline\nagglom: warning: first\n");
  assert_int_equal(kept, 77);
  static char huge[3 * AG_LOG_LINE];
  for (int length = AG_LOG_LINE - 30; length < AG_LOG_LINE + 10; ++length) {
    memset(huge, 'x', sizeof huge);
    huge[length] = '\0';
    capture_begin();
    ag_error("%s", huge);
    said = capture_end();
    size_t n = strlen(said);
    assert_true(n <= AG_LOG_LINE);
    assert_int_equal(said[n - 1], '\n');
    assert_int_equal(occurrences(said, "\n"), 1);
    bool whole = strlen("agglom: error: ") + (size_t)length + 1 == n;
    assert_true(whole || !strcmp(said + n - 4, "...\n"));
  }
}

static void clock_waits(void **state) {
  (void)state;
  static const uint64_t waits[] = {0, 5000, 300000, 2000000};
  for (size_t i = 0; i < sizeof waits / sizeof waits[0]; ++i) {
    uint64_t begin = ag_clock_ns();
    ag_clock_wait_until(begin + waits[i]);
    assert_true(ag_clock_ns() - begin >= waits[i]);
  }
  ag_clock_wait_until(0); /* long past */
}

static void cpus(void **state) {
  (void)state;
  assert_int_equal(ag_cpus_of_quota(8, -1, 100000), 8);
  assert_int_equal(ag_cpus_of_quota(8, 200000, 100000), 2);
  assert_int_equal(ag_cpus_of_quota(8, 150000, 100000), 2);
  assert_int_equal(ag_cpus_of_quota(8, 5000, 100000), 1);
  assert_int_equal(ag_cpus_of_quota(8, 1600000, 100000), 8);
  assert_int_equal(ag_cpus_of_quota(0, -1, -1), 1);
  assert_true(ag_usable_cpus() >= 1);
  assert_true(ag_page_size() >= 4096);
}

static void json_strings(void **state) {
  (void)state;
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  ag_json_string(f, "a\"b\\c\n\x01\xc3\xa4");
  fclose(f);
  assert_string_equal(text, "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa4\"");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unsigned_numbers),
      cmocka_unit_test(batch),
      cmocka_unit_test(map),
      cmocka_unit_test(schedule),
      cmocka_unit_test(compute_units),
      cmocka_unit_test(report),
      cmocka_unit_test(size),
      cmocka_unit_test(emulate),
      cmocka_unit_test(timeout),
      cmocka_unit_test(linger),
      cmocka_unit_test(fault),
      cmocka_unit_test(devices),
      cmocka_unit_test_setup(defaults, clear),
      cmocka_unit_test(table_defaults_are_the_defaults),
      cmocka_unit_test_setup_teardown(malformed_values, clear, clear),
      cmocka_unit_test_setup_teardown(strangers, clear, clear),
      cmocka_unit_test(suggestions),
      cmocka_unit_test(log_lines),
      cmocka_unit_test(clock_waits),
      cmocka_unit_test(cpus),
      cmocka_unit_test(json_strings),
  };
  setlocale(LC_ALL, "de_DE.UTF-8"); /* a decimal comma, where that locale exists */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
