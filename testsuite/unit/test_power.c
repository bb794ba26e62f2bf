/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AGGLOM_OBJECTIVE in the runtime: powers are read, learnt and kept, and loops follow them. */
#include "capture.h"
#include "folder.h"
#include "measure/meter.h"
#include "places.h"
#include "remembered/book.h"
#include "remembered/models.h"
#include "rt_tasks.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char file[128];

/* A meter of a CPU. */
static int new_folder(void **state) {
  if (make_folder(state))
    return -1;
  snprintf(file, sizeof file, "%s/models", folder);
  if (mkdir(in_folder("intel-rapl:0"), 0777))
    return -1;
  put_in_folder("intel-rapl:0/name", "package-0\n");
  put_in_folder("intel-rapl:0/energy_uj", "1000\n");
  return 0;
}

static void start(const char *objective) {
  char settings[400];
  snprintf(settings, sizeof settings,
           "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_OBJECTIVE=%s AGGLOM_POWERCAP=%s AGGLOM_MODELS=%s",
           objective, folder, file);
  start_with(settings);
}

/* --- Loops ---------------------------------------------------------------------------------------------- */

struct span {
  uint64_t *y;
  long from, to;
};

static _Atomic unsigned long on_cpu, on_device;

static void touch(const struct span *s) {
  for (long i = s->from; i < s->to; ++i)
    for (int k = 0; k < 2000; ++k)
      s->y[i] = s->y[i] * 31 + (uint64_t)k;
}
static void span_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct span *s = args[i];
    touch(s);
    atomic_fetch_add(&on_cpu, (unsigned long)(s->to - s->from));
  }
}
static void span_emulated(const struct agglom_launch *l, unsigned c) {
  const struct span *spans = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    struct span s = spans[u];
    touch(&s);
    atomic_fetch_add(&on_device, (unsigned long)(s.to - s.from));
    agglom_emulated_end(l, u);
  }
}
static const struct agglom_section span_sections[] = {
    {"inout(y[from:to - from])", 6, AGGLOM_INOUT, sizeof(uint64_t), offsetof(struct span, y), 0, NULL, NULL}};
static struct agglom_task span_task = {.name = "span",
                                       .file = "power.c",
                                       .line = 5,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct span),
                                       .args_align = _Alignof(struct span),
                                       .n_sections = 1,
                                       .sections = span_sections,
                                       .cpu = span_cpu,
                                       .emulated = span_emulated,
                                       .kernel = "span",
                                       .module = &mix_module_header};
static struct agglom_task *const span_tasks[] = {&span_task};
static struct agglom_module span_module = TASK_MODULE("span.c", span_tasks);

static void submit_span(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  struct span s = {*(uint64_t *const *)env, (long)from, (long)to};
  struct agglom_range range = {s.y, s.from, s.to - s.from};
  assert_int_equal(agglom_submit(&span_task, &s, &range, 0, 0), 0);
}

enum { N = 2000, TIMES = 4 };
static uint64_t y[N];

static void loop(void) {
  uint64_t *p = y;
  assert_int_equal(agglom_for(submit_span, NULL, &p, sizeof p, 0, N, AGGLOM_SCHEDULE_AUTO, 0, -1, 0), 0);
}

/* The models of a machine whose CPU takes nothing, and 1000 W when it works. */
static void put_powers(void) {
  struct ag_book book = {0};
  struct ag_power power = {0};
  double x[AG_POWER_NUMBERS];
  char machine[300];
  size_t bytes;
  ag_power_learn(&power, 2, 0, 0);
  ag_power_learn(&power, 2, 1, 2000);
  assert_true(ag_power_keep(&power, x));
  ag_models_machine(machine, sizeof machine);
  book.machine = strdup(machine);
  assert_true(ag_book_set(ag_book_use(&book, "power"), "\"CPU\"", x, AG_POWER_NUMBERS));
  char *text = ag_book_write(&book, &bytes);
  assert_non_null(text);
  put_in_folder("models", text);
  free(text);
  ag_book_free(&book);
}

static const char *why_not(void) {
  static char text[AG_POWERS_WHY];
  ag_meter_why_not(text);
  return text;
}

/* Where the CPU is dear, devices do it all: but for the executions that find out what each side can do. */
static void devices_alone(void **state) {
  (void)state;
  assert_int_equal(agglom_register(&span_module), 0);
  put_powers();
  start("energy");
  assert_non_null(strstr(why_not(), "nothing chose by it"));
  struct ag_objective o = ag_meter_objective();
  assert_true(o.known && o.choice == AG_OBJECTIVE_ENERGY);
  assert_true(o.idle < 0.01 && o.cpus > 999 && o.cpus < 1001 && o.devices == 0);
  assert_string_equal(why_not(), "");
  for (int i = 0; i < 200 && !(atomic_load(&on_cpu) && atomic_load(&on_device)); ++i)
    loop(); /* until both sides are known */
  atomic_store(&on_cpu, 0);
  atomic_store(&on_device, 0);
  for (int i = 0; i < TIMES; ++i)
    loop();
  assert_int_equal(atomic_load(&on_cpu) + atomic_load(&on_device), (unsigned long)N * TIMES);
  assert_true(atomic_load(&on_device) > (unsigned long)N * TIMES / 2);
  assert_int_equal(agglom_shutdown(), 0);
}

/* The meters are read while loops run, and what they said is in the file. */
static void powers_are_learnt(void **state) {
  (void)state;
  char text[65536], path[256];
  assert_int_equal(agglom_register(&span_module), 0);
  start("edp");
  assert_false(ag_meter_objective().known);
  assert_non_null(strstr(why_not(), "were not known before the end"));
  for (int i = 0; i < 3; ++i) {
    nanosleep(&(struct timespec){0, 110000000}, NULL);
    put_in_folder("intel-rapl:0/energy_uj", i ? "3000000\n" : "2000000\n");
    loop();
  }
  assert_int_equal(agglom_shutdown(), 0);
  snprintf(path, sizeof path, "%s/models", folder);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  fclose(in);
  assert_non_null(strstr(text, "\npower\n  \"CPU\": "));
}

static const char *said(const char *settings) {
  capture_begin();
  start_with(settings);
  submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 1, .x = y});
  agglom_shutdown();
  return capture_end();
}

/* One warning, where there is something to choose. */
static void no_meters(void **state) {
  (void)state;
  const char *text = said("AGGLOM_DEVICES=emulated AGGLOM_OBJECTIVE=edp AGGLOM_POWERCAP=/nowhere");
  assert_int_equal(occurrences(text, "agglom: "), 1);
  assert_non_null(strstr(text,
                         "AGGLOM_OBJECTIVE=edp: the energy of CPU cannot be read (/nowhere: No such file or "
                         "directory); time is minimised instead"));
  assert_string_equal(said("AGGLOM_DEVICES=none AGGLOM_OBJECTIVE=edp AGGLOM_POWERCAP=/nowhere"), "");
  assert_string_equal(said("AGGLOM_DEVICES=emulated AGGLOM_OBJECTIVE=time AGGLOM_POWERCAP=/nowhere"), "");
}

/* A meter that goes away during the run says so once, too. */
static void lost_meter(void **state) {
  (void)state;
  assert_int_equal(agglom_register(&span_module), 0);
  capture_begin();
  start("energy");
  loop();
  remove(in_folder("intel-rapl:0/energy_uj"));
  for (int i = 0; i < 3; ++i) {
    nanosleep(&(struct timespec){0, 110000000}, NULL);
    loop();
  }
  assert_true(ag_meter_objective().choice == AG_OBJECTIVE_TIME);
  agglom_shutdown();
  const char *text = capture_end();
  assert_int_equal(occurrences(text, "time is minimised instead"), 1);
  assert_non_null(strstr(why_not(), "the energy of CPU cannot be read ("));
}

/* The report says it wherever the objective has no effect, also where no warning does. */
static void reports_say_it(void **state) {
  (void)state;
  const char *text =
      said("AGGLOM_DEVICES=emulated AGGLOM_OBJECTIVE=edp AGGLOM_POWERCAP=/nowhere AGGLOM_REPORT=1");
  assert_non_null(
      strstr(text, ", objective edp\n  but time was minimised: the energy of CPU cannot be read (/nowhere: "
                   "No such file or directory)\nmachine: "));
  text = said("AGGLOM_DEVICES=none AGGLOM_OBJECTIVE=energy AGGLOM_POWERCAP=/nowhere AGGLOM_REPORT=1");
  assert_non_null(
      strstr(text, ", objective energy\n  but time was minimised: there is no device\n  batch and split "));
  text = said("AGGLOM_DEVICES=none AGGLOM_POWERCAP=/nowhere AGGLOM_REPORT=1");
  assert_non_null(strstr(text, ", objective time\n  batch and split had no effect"));
}

/* GPUs have meters of their own. */
static void gpus(void **state) {
  (void)state;
  char settings[1000], fails[1100];
  snprintf(settings, sizeof settings,
           "AGGLOM_DEVICES=cuda AGGLOM_CUDA_LIBRARY=%s AGGLOM_OBJECTIVE=energy AGGLOM_POWERCAP=%s",
           gpu_in_software_path, folder);
  snprintf(fails, sizeof fails, "%s AGGLOM_NVML_LIBRARY=/nowhere/libnvml.so", settings);
  assert_non_null(strstr(said(fails), "AGGLOM_OBJECTIVE=energy: the energy of cuda:0 cannot be read"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, new_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(devices_alone), TEST(powers_are_learnt), TEST(no_meters),
      TEST(lost_meter),    TEST(reports_say_it),    TEST(gpus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
