/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Energy meters: the powercap files of a machine that is none, a library that is not NVML, and what becomes
 * of their numbers in counters and reports. */
#include "capture.h"
#include "folder.h"
#include "json_check.h"
#include "observe/counters.h"
#include "places.h"
#include "rt_tasks.h"
#include "sys/energy.h"

#include <sys/stat.h>
#include <unistd.h>

static struct ag_energy_reading r[AG_ENERGY_METERS];
static const struct ag_energy_gpu gpu = {"cuda:0", "00000000:3b:00.0"};

static void put(const char *zone, const char *file, const char *text) {
  char name[128];
  mkdir(in_folder(zone), 0777);
  snprintf(name, sizeof name, "%s/%s", zone, file);
  put_in_folder(name, text);
}

static void put_zone(const char *zone, const char *name, const char *uj) {
  put(zone, "name", name);
  put(zone, "max_energy_range_uj", "1000000\n");
  put(zone, "energy_uj", uj);
}

static int stop(void **state) {
  ag_energy_stop();
  unsetenv("FAKE_NVML_FAIL");
  drop_folder(state);
  return mkdir(folder, 0777);
}

/* --- The CPU -------------------------------------------------------------------------------------------- */

static void packages_and_memory(void **state) {
  (void)state;
  put_zone("intel-rapl:0", "package-0\n", "100\n");
  put_zone("intel-rapl:1", "package-1\n", "1000\n");
  put_zone("intel-rapl:0:0", "core\n", "50\n");
  put_zone("intel-rapl:0:1", "dram\n", "10000\n");
  put_zone("intel-rapl:2", "psys\n", "100000\n");
  put_zone("intel-rapl-mmio:0", "package-0\n", "100\n");
  put("intel-rapl", "name", "no zone\n");
  ag_energy_start(folder, "none.so", NULL, 0);
  ag_energy_start("/nowhere", "none.so", NULL, 0); /* it runs already */
  assert_int_equal(ag_energy_read(r), 1);
  assert_string_equal(r[0].name, "CPU");
  assert_string_equal(r[0].why_not, "");
  assert_int_equal(r[0].uj, 0);
  put("intel-rapl:0", "energy_uj", "107\n");
  put("intel-rapl:1", "energy_uj", "1020\n");
  put("intel-rapl:0:1", "energy_uj", "10300\n");
  put("intel-rapl:0:0", "energy_uj", "4000\n"); /* within the package */
  put("intel-rapl:2", "energy_uj", "900000\n"); /* the packages are within it */
  assert_int_equal(ag_energy_read(r), 1);
  assert_int_equal(r[0].uj, 7 + 20 + 300);
  assert_true(r[0].ns > 0);
}

static void begins_again(void **state) {
  (void)state;
  put_zone("intel-rapl:0", "package-0\n", "999990\n");
  ag_energy_start(folder, "none.so", NULL, 0);
  put("intel-rapl:0", "energy_uj", "5\n");
  ag_energy_tick(0); /* not yet due */
  ag_energy_tick(ag_clock_ns() + UINT64_C(70000000000));
  put("intel-rapl:0", "energy_uj", "3\n"); /* once more, which the tick makes visible */
  assert_int_equal(ag_energy_read(r), 1);
  assert_int_equal(r[0].uj, 15 + 999998);
}

static void no_meters(void **state) {
  (void)state;
  assert_int_equal(ag_energy_read(r), 0);
  ag_energy_start("/nowhere/at/all", "none.so", NULL, 0);
  assert_int_equal(ag_energy_read(r), 1);
  assert_string_equal(r[0].why_not, "/nowhere/at/all: No such file or directory");
  ag_energy_stop();
  assert_int_equal(ag_energy_read(r), 0);
  put("intel-rapl:7", "name", "package-7\n"); /* without a meter */
  ag_energy_start(folder, "none.so", NULL, 0);
  assert_int_equal(ag_energy_read(r), 1);
  assert_non_null(strstr(r[0].why_not, "/intel-rapl:7/energy_uj: No such file or directory"));
  ag_energy_stop();
  put_zone("intel-rapl:7", "package-7\n", "not a number\n");
  ag_energy_start(folder, "none.so", NULL, 0);
  assert_int_equal(ag_energy_read(r), 1);
  assert_non_null(strstr(r[0].why_not, "/intel-rapl:7/energy_uj: "));
  ag_energy_stop();
  put_zone("intel-rapl:7", "psys\n", "1\n");
  ag_energy_start(folder, "none.so", NULL, 0);
  assert_int_equal(ag_energy_read(r), 1);
  assert_non_null(strstr(r[0].why_not, ": there is no meter of a CPU"));
}

/* What becomes unreadable later says so, too. */
static void lost_meter(void **state) {
  (void)state;
  put_zone("intel-rapl:0", "package-0\n", "1\n");
  ag_energy_start(folder, "none.so", NULL, 0);
  assert_int_equal(ag_energy_read(r), 1);
  assert_string_equal(r[0].why_not, "");
  remove(in_folder("intel-rapl:0/energy_uj"));
  assert_int_equal(ag_energy_read(r), 1);
  assert_non_null(strstr(r[0].why_not, "No such file"));
}

/* --- GPUs ----------------------------------------------------------------------------------------------- */

static void gpus(void **state) {
  (void)state;
  static const struct ag_energy_gpu three[] = {
      {"cuda:0", "00000000:3b:00.0"}, {"cuda:1", "00000000:3c:00.0"}, {"cuda:2", ""}};
  ag_energy_start("/nowhere", fake_nvml_path, three, 3);
  assert_int_equal(ag_energy_read(r), 4);
  assert_string_equal(r[1].name, "cuda:0");
  assert_string_equal(r[1].why_not, "");
  assert_int_equal(r[1].uj, 2000000);
  assert_int_equal(ag_energy_read(r), 4);
  assert_int_equal(r[1].uj, 4000000);
  assert_string_equal(r[2].why_not, "nvmlDeviceGetHandleByPciBusId_v2(00000000:3c:00.0): Not Found");
  assert_string_equal(r[3].why_not, "the driver does not say which GPU it is");
}

static void gpus_that_say_nothing(void **state) {
  (void)state;
  static const char *const fail[] = {"init", "pci", "energy"};
  static const char *const why[] = {"nvmlInit_v2: Not Supported",
                                    "nvmlDeviceGetHandleByPciBusId_v2(00000000:3b:00.0): Not Supported",
                                    "nvmlDeviceGetTotalEnergyConsumption: Not Supported"};
  for (int i = 0; i < 3; ++i) {
    setenv("FAKE_NVML_FAIL", fail[i], 1);
    ag_energy_start("/nowhere", fake_nvml_path, &gpu, 1);
    for (int k = 0; k < 2; ++k) {
      assert_int_equal(ag_energy_read(r), 2);
      assert_string_equal(r[1].why_not, why[i]);
      assert_int_equal(r[1].uj, 0);
    }
    ag_energy_stop();
  }
  ag_energy_start("/nowhere", "libnot-there.so.9", &gpu, 1);
  assert_int_equal(ag_energy_read(r), 2);
  assert_non_null(strstr(r[1].why_not, "libnot-there.so.9"));
  ag_energy_stop();
  ag_energy_start("/nowhere", gpu_in_software_path, &gpu, 1);
  assert_int_equal(ag_energy_read(r), 2);
  assert_non_null(strstr(r[1].why_not, " has no nvmlInit_v2"));
}

/* --- In the runtime ------------------------------------------------------------------------------------- */

static const char *run(const char *report) {
  char settings[512];
  uint64_t y[4] = {0};
  struct agglom_counters c;
  put_zone("intel-rapl:0", "package-0\n", "100\n");
  setenv("AGGLOM_POWERCAP", folder, 1);
  setenv("AGGLOM_NVML_LIBRARY", fake_nvml_path, 1);
  setenv("AGGLOM_CUDA_LIBRARY", gpu_in_software_path, 1);
  snprintf(settings, sizeof settings, "AGGLOM_DEVICES=cuda AGGLOM_WORKERS=2%s%s",
           *report ? " AGGLOM_REPORT=" : "", report);
  capture_begin();
  start_with(settings);
  submit_mix(&host_task, (struct mix_args){.y = y, .ny = 2, .v = 1});
  agglom_wait();
  put("intel-rapl:0", "energy_uj", "5000100\n");
  agglom_get_counters(&c);
  agglom_shutdown();
  const char *text = capture_end();
  assert_int_equal(c.units, 1);
  assert_int_equal(c.cpu_uj, *report ? 5000000 : 0);
  assert_int_equal(c.devices_uj, *report ? 2000000 : 0);
  return text;
}

static void told(void **state) {
  (void)state;
  const char *text = run("1");
  assert_non_null(strstr(text, "\nenergy of CPU: 5.000 J in "));
  assert_non_null(strstr(text, "\nenergy of cuda:0: 4.000 J in "));
  assert_non_null(strstr(text, " W\n"));
  text = run("json");
  assert_true(is_json(text));
  assert_non_null(strstr(text, "{\"of\": \"CPU\", \"microjoules\": 5000000, \"ns\": "));
  assert_non_null(strstr(text, "{\"of\": \"cuda:0\", \"microjoules\": 4000000, \"ns\": "));
  assert_string_equal(run(""), ""); /* nobody asked: no meter is looked at */
}

/* A program may have been compiled with fewer counters, or with more. */
static void counters_of_other_versions(void **state) {
  (void)state;
  struct {
    struct agglom_counters known;
    unsigned long long more[2];
  } c;
  uint64_t y[4] = {0};
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 2, .v = 1});
  memset(&c, 0xee, sizeof c);
  agglom_get_counters(&c.known);
  assert_int_equal(c.known.in_flight, 1);
  assert_int_equal(c.known.queued, 1);
  assert_int_equal(c.more[0], 0xeeeeeeeeeeeeeeee);
  agglom_wait();
  agglom_read_counters(&c.known, sizeof c);
  assert_int_equal(c.known.units, 1);
  assert_int_equal(c.known.units_on_device, 1);
  assert_int_equal(c.known.in_flight + c.known.queued, 0);
  assert_true(c.known.bytes_in >= 16 && c.known.bytes_out >= 16 && c.known.kernel_ns > 0);
  assert_int_equal(c.more[0] | c.more[1], 0);
  memset(&c, 0xee, sizeof c);
  agglom_read_counters(&c.known, offsetof(struct agglom_counters, queued));
  assert_int_equal(c.known.units, 1);
  assert_int_equal(c.known.queued, 0xeeeeeeeeeeeeeeee);
  agglom_shutdown();
  agglom_get_counters(&c.known);
  assert_int_equal(c.known.units | c.known.bytes_in | c.known.workers, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(packages_and_memory, stop),
      cmocka_unit_test_teardown(begins_again, stop),
      cmocka_unit_test_teardown(no_meters, stop),
      cmocka_unit_test_teardown(lost_meter, stop),
      cmocka_unit_test_teardown(gpus, stop),
      cmocka_unit_test_teardown(gpus_that_say_nothing, stop),
      cmocka_unit_test_teardown(told, stop),
      cmocka_unit_test(counters_of_other_versions),
  };
  return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
