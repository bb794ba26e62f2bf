/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Machines on which a library is missing, too old or does not work: one sentence says why where it was asked
 * for, nothing is said where it was not, and the program runs on the CPU. Each in a process of its own,
 * because the first look at a driver is remembered. */
#include "cuda_batch.h"
#include "device/cuda_driver.h"
#include "places.h"
#include "rt_tasks.h"

#include <sys/wait.h>

/* --- Libraries that are not there -------------------------------------------------------------------------
 */

static const char *hwloc = "libhwloc.so.15"; /* what stands in for it */

/* Instead of the C library's, for all of this program. */
void *dlopen(const char *file, int mode) {
  static void *(*next)(const char *, int);
  if (!next) {
    void *address = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&next, &address, sizeof address);
  }
  return next(file && !strcmp(file, "libhwloc.so.15") ? hwloc : file, mode);
}

/* --- A program
 * ---------------------------------------------------------------------------------------------- */

/* What is wrong with the machine, in a child; then the program runs with these settings. */
struct machine {
  void (*make)(const char *name, int result);
  const char *name; /* what make() gets */
  int result;
  const char *said; /* a part of the one line that is expected; NULL: of none */
};

/* The units of a program, which must run on the CPU; what was said. */
static const char *run_program(const char *environment) {
  uint64_t y[3] = {0}, z[3] = {0};
  struct agglom_counters c;
  capture_begin();
  start_with(environment);
  for (uint64_t i = 0; i < 100; ++i) {
    submit_mix(&mix_task, (struct mix_args){.y = &y[i % 3], .ny = 1, .v = i});
    mix(&(struct mix_args){.y = &z[i % 3], .ny = 1, .v = i});
  }
  int err = agglom_wait();
  agglom_get_counters(&c);
  err |= agglom_shutdown();
  const char *said = capture_end();
  if (err || memcmp(y, z, sizeof y) || c.units_on_cpu != 100)
    fail_msg("%s: %llu units on the CPU\n%s", environment, c.units_on_cpu, said);
  return said;
}

/* Whether one line, or none where nothing is expected, was said, and how. */
static bool as_expected(const char *said, const char *expected) {
  return expected ? occurrences(said, "agglom: ") == 1 && strstr(said, expected) : !*said;
}

static void look(const struct machine *m, const char *with, const char *expected,
                 bool (*right)(const char *said, const char *expected)) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    alarm(60);
    reset(NULL);
    m->make(m->name, m->result);
    const char *said = run_program(with);
    if (right(said, expected))
      _exit(0);
    fprintf(stderr, "%s %d, %s: expected: %s\nsaid: %s\n", m->name, m->result, with,
            expected ? expected : "nothing", said);
    _exit(1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void check(const struct machine *m, const char *with, const char *expected) {
  look(m, with, expected, as_expected);
}

/* --- CUDA's driver
 * -------------------------------------------------------------------------------------------- */

static void library(const char *name, int result) {
  (void)result;
  setenv("AGGLOM_CUDA_LIBRARY", name, 1);
}

/* Every call of this entry point answers so. */
static void always_fails(const char *name, int result) { gpu_set("FAULT=%s:1-1000000:%d", name, result); }

static void old(const char *name, int result) {
  (void)name;
  gpu_set("VERSION=%d", result);
}

static void none(const char *name, int result) {
  (void)name;
  gpu_set("DEVICES=%d", result);
}

static void prohibited(const char *name, int result) {
  (void)name;
  gpu_set("COMPUTE_MODE=%d", result);
}

#define NO_CUDA "agglom: warning: AGGLOM_DEVICES asks for cuda, which cannot be used: "
#define BROKEN "agglom: warning: units run on the CPU: "
#define NO_CUDA_0 "agglom: warning: AGGLOM_DEVICES asks for cuda:0, which cannot be used: "

static void no_driver(void **state) {
  (void)state;
  static const struct machine machines[] = {
      {library, "/nowhere/libcuda.so.1", 0,
       NO_CUDA "the NVIDIA driver library cannot be loaded (/nowhere/libcuda"},
      {library, "libc.so.6", 0, NO_CUDA "libc.so.6 has no cu"},
      {library, old_cuda_path, 0, "libold_cuda.so has no cuStreamQuery: the driver is too old"},
      {library, "/dev/null", 0, NO_CUDA "the NVIDIA driver library cannot be loaded (/dev/null"},
      {old, "", 10020, NO_CUDA "the NVIDIA driver is for CUDA 10.2, which is too old"},
      {none, "", 0, NO_CUDA "the NVIDIA driver sees no GPU"},
      {always_fails, "cuDriverGetVersion", AG_CU_UNKNOWN, NO_CUDA "the NVIDIA driver does not start: "},
      {always_fails, "cuDeviceGetCount", AG_CU_NOT_INITIALIZED, NO_CUDA "the NVIDIA driver does not start: "},
      {always_fails, "cuDeviceGetCount", AG_CU_NO_DEVICE, NO_CUDA "the NVIDIA driver sees no GPU"},
  };
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; ++i) {
    check(&machines[i], "AGGLOM_DEVICES=cuda", machines[i].said);
    bool silent = strstr(machines[i].said, "cannot be loaded") || strstr(machines[i].said, "sees no GPU");
    check(&machines[i], "AGGLOM_DEVICES=auto", silent ? NULL : BROKEN);
    check(&machines[i], "AGGLOM_DEVICES=none", NULL);
  }
}

/* cuInit() with errors of every class, those that kill a context included. */
static void driver_does_not_start(void **state) {
  (void)state;
  static const int results[] = {AG_CU_INVALID_VALUE,
                                AG_CU_OUT_OF_MEMORY,
                                AG_CU_NOT_INITIALIZED,
                                AG_CU_DEINITIALIZED,
                                AG_CU_DEVICE_UNAVAILABLE,
                                AG_CU_NO_DEVICE,
                                101,
                                AG_CU_INVALID_CONTEXT,
                                AG_CU_ECC_UNCORRECTABLE,
                                304,
                                AG_CU_NOT_READY,
                                AG_CU_ILLEGAL_ADDRESS,
                                AG_CU_SYSTEM_NOT_READY,
                                AG_CU_SYSTEM_DRIVER_MISMATCH,
                                804,
                                AG_CU_MPS_CLIENT_TERMINATED,
                                AG_CU_UNKNOWN,
                                12345};
  ag_cu_result (*error_name)(ag_cu_result, const char **);
  *(void **)&error_name = dlsym(gpu_library, ag_cuda_symbol.error_name);
  for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i) {
    struct machine m = {always_fails, "cuInit", results[i], NULL};
    bool no_gpu = results[i] == AG_CU_NO_DEVICE || results[i] == AG_CU_STUB_LIBRARY;
    const char *named = NULL;
    char why[200];
    bool known = !error_name(results[i], &named);
    snprintf(why, sizeof why, NO_CUDA "the NVIDIA driver does not start: %s (%s",
             known ? named : "an error unknown to the driver", known ? "" : "no description)");
    check(&m, "AGGLOM_DEVICES=cuda", no_gpu ? NO_CUDA "the NVIDIA driver sees no GPU" : why);
    check(&m, "AGGLOM_DEVICES=auto", no_gpu ? NULL : BROKEN);
  }
}

/* A GPU that is there and cannot be opened, or has no memory. */
static void device_does_not_open(void **state) {
  (void)state;
  static const char *const calls[] = {
      "cuDeviceGet",         "cuDeviceGetName",          "cuDeviceTotalMem_v2", "cuDeviceGetAttribute",
      "cuCtxPushCurrent_v2", "cuDevicePrimaryCtxRetain", "cuMemGetInfo_v2"};
  static const int results[] = {AG_CU_OUT_OF_MEMORY, AG_CU_DEVICE_UNAVAILABLE, AG_CU_ILLEGAL_ADDRESS,
                                AG_CU_UNKNOWN, AG_CU_DEINITIALIZED};
  for (size_t c = 0; c < sizeof calls / sizeof calls[0]; ++c)
    for (size_t r = 0; r < sizeof results / sizeof results[0]; ++r) {
      struct machine m = {always_fails, calls[c], results[r], NULL};
      check(&m, "AGGLOM_DEVICES=cuda", NO_CUDA_0);
      check(&m, "AGGLOM_DEVICES=auto",
            results[r] == AG_CU_DEVICE_UNAVAILABLE ? NULL
                                                   : "cuda:0 is there and cannot be used: CUDA_ERROR_");
    }
  static const struct machine closed = {prohibited, "compute mode", AG_CU_COMPUTE_MODE_PROHIBITED, NULL};
  check(&closed, "AGGLOM_DEVICES=cuda", NO_CUDA_0);
  check(&closed, "AGGLOM_DEVICES=auto", NULL);
  static const struct machine full[] = {{always_fails, "cuMemAlloc_v2", AG_CU_OUT_OF_MEMORY, NULL},
                                        {always_fails, "cuMemHostAlloc", AG_CU_OUT_OF_MEMORY, NULL},
                                        {always_fails, "cuStreamCreate", AG_CU_OUT_OF_MEMORY, NULL},
                                        {always_fails, "cuEventCreate", AG_CU_OUT_OF_MEMORY, NULL}};
  for (size_t i = 0; i < sizeof full / sizeof full[0]; ++i)
    check(&full[i], "AGGLOM_DEVICES=auto", "cannot be used: no memory could be reserved on it for batches");
}

/* --- Energy and cores
 * ----------------------------------------------------------------------------------------- */

static void nvml(const char *name, int result) {
  (void)result;
  setenv("AGGLOM_NVML_LIBRARY", *name == '!' ? fake_nvml_path : name, 1);
  if (*name == '!')
    setenv("FAKE_NVML_FAIL", name + 1, 1);
  always_fails("cuModuleLoadDataEx", AG_CU_INVALID_VALUE); /* so that units run on the CPU */
}

static bool in_the_report(const char *said, const char *expected) {
  return strstr(said, expected) && occurrences(said, "energy of cuda:0") == 1;
}

/* The report says in its own line why there is no energy of the GPU; without a report nobody asks. */
static void no_energy(void **state) {
  (void)state;
  static const struct machine machines[] = {
      {nvml, "/nowhere/nvml.so", 0, "energy of cuda:0: unknown (/nowhere/nvml.so"},
      {nvml, "libc.so.6", 0, "energy of cuda:0: unknown (libc.so.6 has no nvml"},
      {nvml, "!init", 0, "energy of cuda:0: unknown (nvmlInit_v2: Not Supported)"},
      {nvml, "!pci", 0,
       "energy of cuda:0: unknown (nvmlDeviceGetHandleByPciBusId_v2(00000000:3b:00.0): Not Supported)"},
      {nvml, "!energy", 0, "energy of cuda:0: unknown (nvmlDeviceGetTotalEnergyConsumption: Not Supported)"}};
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; ++i)
    look(&machines[i], "AGGLOM_DEVICES=cuda AGGLOM_REPORT=1", machines[i].said, in_the_report);
}

static void cores(const char *name, int result) {
  (void)result;
  hwloc = name;
}

static void no_hwloc(void **state) {
  (void)state;
  static const struct machine missing = {cores, "/nowhere/libhwloc.so", 0, NULL};
  static const struct machine other = {cores, "libc.so.6", 0, NULL};
  static const struct machine *const both[] = {&missing, &other};
  for (int i = 0; i < 2; ++i) {
    check(both[i], "AGGLOM_DEVICES=none AGGLOM_CUS=1x1",
          "agglom: warning: the threads of AGGLOM_CUS=1x1 are not bound to cores: ");
    check(both[i], "AGGLOM_DEVICES=none AGGLOM_WORKERS=2", NULL); /* nobody asks for it */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_driver),
      cmocka_unit_test(driver_does_not_start),
      cmocka_unit_test(device_does_not_open),
      cmocka_unit_test(no_energy),
      cmocka_unit_test(no_hwloc),
  };
  if (!load_gpu("test_broken_machine"))
    return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
