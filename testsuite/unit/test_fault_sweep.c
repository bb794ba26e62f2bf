/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every single fault: each call of a device, or of the CUDA driver, is made to fail in turn, with each sort
 * of error, once and from then on, while small programs run. Each time the results are right, each unit has
 * taken effect once, nothing is left over, and it ends.
 *
 * A part of it by default, a larger one with STRESS_SWEEP=1; STRESS_SWEEP=all for all. */
#include "capture.h"
#include "device/backend.h"
#include "device/cuda_driver.h"
#include "fault_workloads.h"
#include "gpu_in_software.h"
#include "random.h"
#include "shared/runtime.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static bool everything;      /* STRESS_SWEEP=all */
static unsigned long one_in; /* of the part that STRESS_SWEEP=1 runs */

/* Sanitizers make a run many times as long: of those that are made otherwise, one in so many. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ONE_IN = 4 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
enum { ONE_IN = 4 };
#else
enum { ONE_IN = 1 };
#endif
#else
enum { ONE_IN = 1 };
#endif

/* --- One run
 * ------------------------------------------------------------------------------------------------ */

enum { LONGEST = 60 }; /* seconds that a run may take; it takes milliseconds */

static char running[1024]; /* what the watchdog says */

/* Where all threads are, if there is a debugger to tell. No standard allows vfork() and execlp() in a
 * handler of signals; Linux does, and this process only waits for its end.
 * NOLINTBEGIN(bugprone-signal-handler) */
static void show_threads(int to) {
  char self[32];
  snprintf(self, sizeof self, "%d", (int)getpid());
  pid_t debugger = vfork(); /* without the handlers of pthread_atfork() */
  if (!debugger) {
    dup2(to, STDOUT_FILENO);
    execlp("gdb", "gdb", "-nx", "-batch", "-p", self, "-ex", "thread apply all bt 16", (char *)NULL);
    _exit(0);
  }
  waitpid(debugger, NULL, 0);
}
/* NOLINTEND(bugprone-signal-handler) */

static void hangs(int ignored) {
  (void)ignored;
  static const char said[] = "\nhangs: ";
  int to = capture_saved >= 0 ? capture_saved : STDERR_FILENO;
  if (write(to, said, sizeof said - 1) < 0 || write(to, running, strlen(running)) < 0 ||
      write(to, "\n", 1) < 0)
    _exit(97);
  show_threads(to);
  _exit(98);
}

static struct sweep_data wanted[SWEEP_PROGRAMS];

static void make_references(void) {
  for (unsigned p = 0; p < SWEEP_PROGRAMS; ++p) {
    sweep_fill(&wanted[p], true);
    sweep_programs[p].run(&wanted[p]);
    agglom_free(wanted[p].large);
  }
}

static uint64_t batches_seen[2]; /* that the first two devices had in the last run */

/* Runs a program between start and shutdown. What was said is returned, valid until the next run. */
static const char *run(const struct sweep_program *program, const char *settings,
                       struct agglom_counters *counters) {
  static struct sweep_data data;
  const struct sweep_data *reference = &wanted[program - sweep_programs];
  snprintf(running, sizeof running, "%s: %s", program->name, settings);
  alarm(LONGEST);
  sweep_fill(&data, false);
  capture_begin();
  start_with(settings);
  assert_int_equal(agglom_register(&sweep_module), 0);
  program->run(&data);
  agglom_get_counters(counters);
  for (int d = 0; d < 2; ++d)
    batches_seen[d] = ag_runtime_running()->accelerators[d].batches;
  assert_int_equal(agglom_shutdown(), 0);
  agglom_free(data.large);
  const char *said = capture_end();
  alarm(0);
  for (unsigned u = 0; u < MOST_UNITS; ++u)
    if (data.ledger[u] != reference->ledger[u])
      fail_msg("%s: unit %u took effect %llu times\n%s", running, u, (unsigned long long)data.ledger[u],
               said);
  if (memcmp(data.memory, reference->memory, sizeof data.memory))
    fail_msg("%s: another result\n%s", running, said);
  if (counters->units != data.units || counters->units_on_cpu + counters->units_on_device != data.units)
    fail_msg("%s: %u units, but counted %llu, %llu on the CPU and %llu on devices\n%s", running, data.units,
             (unsigned long long)counters->units, (unsigned long long)counters->units_on_cpu,
             (unsigned long long)counters->units_on_device, said);
  return said;
}

/* --- The emulated device
 * -------------------------------------------------------------------------------------
 */

static void sweep_emulated(const char *machine) {
  static const char *const errors[] = {"oom", "failed", "sticky", "hang"};
  enum { HANG = 3, ERRORS };
  char settings[400];
  struct agglom_counters counters;
  unsigned runs = 0, all_calls = 0;
  bool two = strstr(machine, "emulated:2"), chooses = strstr(machine, "SPLIT=auto"),
       measures = strstr(machine, "SPLIT=items");
  for (unsigned p = 0; p < SWEEP_PROGRAMS; ++p) {
    snprintf(settings, sizeof settings, "%s,memory=%uKB AGGLOM_FAULT=call=any,nth=1000000000", machine,
             sweep_programs[p].kb);
    run(&sweep_programs[p], settings, &counters);
    assert_int_equal(counters.failed, 0);
    unsigned calls = (unsigned)ag_emulated_fault_calls();
    all_calls += calls;
    if (!chooses) { /* else CPUs may have done all of a program */
      assert_true(counters.units_on_device > 0);
      assert_true(batches_seen[0] > 0);
      assert_true(p != ISLANDS || !two || batches_seen[1] > 0);
      assert_true(measures ||
                  calls > 30); /* where CPUs are far faster they get nearly all that comes later */
    }
    for (unsigned k = 1; k <= calls; ++k)
      for (unsigned e = 0; e < ERRORS; ++e)
        for (unsigned all = 0; all < 2; ++all) {
          if (!everything &&
              (k + p + e + all) % ((e == HANG ? 15 : 3) * ONE_IN * one_in)) /* a hang costs the timeout */
            continue;
          snprintf(settings, sizeof settings,
                   "%s,memory=%uKB AGGLOM_FAULT=call=any,nth=%u,error=%s,times=%s%s", machine,
                   sweep_programs[p].kb, k, errors[e], all ? "all" : "1",
                   e == HANG ? " AGGLOM_TIMEOUT=10ms" : "");
          run(&sweep_programs[p], settings, &counters);
          ++runs;
        }
  }
  assert_true(all_calls > 100);
  print_message("%s: %u runs\n", machine, runs);
}

static void emulated(void **state) {
  (void)state;
  sweep_emulated("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=count:7 AGGLOM_EMULATE=threads=2");
}

static void emulated_threads(void **state) {
  (void)state;
  sweep_emulated("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_EMULATE=threads=2");
}

/* CPUs take a part of the batches, and units that wait. */
static void emulated_shared_out(void **state) {
  (void)state;
  sweep_emulated("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:9 AGGLOM_SPLIT=items "
                 "AGGLOM_EMULATE=threads=2");
  sweep_emulated("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto "
                 "AGGLOM_EMULATE=threads=2");
}

/* Several batches at a time on each of two devices. */
static void emulated_in_flight(void **state) {
  (void)state;
  sweep_emulated("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=count:3 "
                 "AGGLOM_COALESCE=sort AGGLOM_EMULATE=launch=50us,copy=20us");
}

/* --- The CUDA driver
 * -----------------------------------------------------------------------------------------
 */

static uint64_t poison; /* a launch with the unit of this number fails; 0: none does */
static ag_cu_result (*launch_well)(ag_cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   unsigned, ag_cu_stream, void **, void **);

/* In the place of the driver's launch. */
static ag_cu_result launch(ag_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                           ag_cu_stream stream, void **params, void **extra) {
  const struct agglom_launch *l = params[0];
  struct step_args units[MOST_UNITS]; /* those of the other tasks have their number in the same place */
  size_t bytes = l->n_units * sizeof units[0];
  assert_true(bytes <= sizeof units);
  assert_int_equal(ag_cuda_loaded()->copy_out(units, (ag_cu_ptr)(uintptr_t)l->units, bytes, stream), 0);
  for (unsigned u = 0; u < l->n_units; ++u)
    if (units[u].v == poison)
      return AG_CU_LAUNCH_OUT_OF_RESOURCES;
  return launch_well(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
                     params, extra);
}

static void healthy(int devices, unsigned program) {
  gpu_reset("EAGER=1 DEVICES=%d MEMORY=%uK", devices, 2 * sweep_programs[program].kb);
}

static bool deadly(int error) {
  return error == AG_CU_ILLEGAL_ADDRESS || error == AG_CU_LAUNCH_FAILED || error == AG_CU_ECC_UNCORRECTABLE;
}

/* When this call fails, what it was to give back stays; without a current context, all that a device has. */
static bool gives_back(const char *symbol) {
  static const char *const calls[] = {
      "cuMemFree_v2",        "cuMemFreeHost",      "cuStreamDestroy_v2", "cuEventDestroy_v2",
      "cuModuleUnload",      "cuCtxPopCurrent_v2", "cuLinkDestroy",      "cuDevicePrimaryCtxRelease_v2",
      "cuCtxPushCurrent_v2", "cuMemHostUnregister"};
  for (size_t i = 0; symbol && i < sizeof calls / sizeof calls[0]; ++i)
    if (!strcmp(symbol, calls[i]))
      return true;
  return false;
}

/* others: threads beside the one that finds a context dead; each may have begun by then, and makes it
 * current, which tells it nothing, and one call more. */
static void check_driver(bool leaves, unsigned others, const char *said) {
  struct gpu_in_software_counts s = gpu_seen();
  if (s.calls_after_death > 2 * others || s.misuses)
    fail_msg("%s: after %s %u calls of a dead context and %u misuses\n%s", running, s.failed,
             s.calls_after_death, s.misuses, said);
  if (s.retained + s.pushed + s.left_behind && !leaves)
    fail_msg("%s: after %s there are left %u contexts, %u of them pushed, and %u things in others\n%s",
             running, s.failed, s.retained, s.pushed, s.left_behind, said);
}

/* With a trace a device takes times, by calls of its own. */
static void sweep_cuda(const char *machine, int devices, unsigned every) {
  static const int errors[] = {AG_CU_OUT_OF_MEMORY,     AG_CU_INVALID_VALUE, AG_CU_LAUNCH_OUT_OF_RESOURCES,
                               AG_CU_ILLEGAL_ADDRESS,   AG_CU_LAUNCH_FAILED, AG_CU_ECC_UNCORRECTABLE,
                               AG_CU_DEVICE_UNAVAILABLE};
  enum { ERRORS = sizeof errors / sizeof errors[0], ONCE = 0, LATE, ALL, MODES };
  char settings[400];
  struct agglom_counters counters;
  unsigned runs = 0;
  unsigned others = strstr(machine, "WORKERS=3") ? 2 : 0;
  for (unsigned p = 0; p < SWEEP_PROGRAMS; ++p) {
    healthy(devices, p);
    const char *said = run(&sweep_programs[p], machine, &counters);
    assert_int_equal(counters.failed, 0);
    assert_int_equal(counters.units_on_cpu, 0);
    assert_string_equal(said, "");
    check_driver(false, 0, said);
    struct gpu_in_software_counts well = gpu_seen();
    assert_true(well.staged_copies > 0);
    assert_int_equal(well.pageable_copies, 0);
    assert_true((well.direct_copies > 0) == (sweep_programs[p].run == in_place));
    unsigned calls = well.calls;
    assert_true(calls > 100);
    for (unsigned k = 1; k <= calls; ++k)
      for (unsigned e = 0; e < ERRORS; ++e)
        for (unsigned mode = 0; mode < MODES; ++mode) {
          if (!everything && (k + 3 * p + e * MODES + mode) % (every * ONE_IN * one_in))
            continue;
          healthy(devices, p);
          gpu_set("FAULT=any:%u-%u:%d%s", k, mode == ALL ? 1000000000 : k, errors[e],
                  mode == LATE ? ":late" : "");
          snprintf(settings, sizeof settings, "%s", machine);
          said = run(&sweep_programs[p], settings, &counters);
          snprintf(running, sizeof running, "%s: %s: call %u, error %d, %s", sweep_programs[p].name, machine,
                   k, errors[e],
                   mode == ONCE   ? "once"
                   : mode == LATE ? "late"
                                  : "from then on");
          check_driver(deadly(errors[e]) || mode == ALL || errors[e] == AG_CU_DEVICE_UNAVAILABLE ||
                           gives_back(gpu_seen().failed),
                       others, said);
          ++runs;
        }
  }
  print_message("%s: %u runs\n", machine, runs);
}

static void cuda(void **state) {
  (void)state;
  sweep_cuda("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=1 AGGLOM_BATCH=count:7", 1, 7);
}

static void cuda_threads(void **state) {
  (void)state;
  sweep_cuda("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=3", 2, 11);
}

static void cuda_timed(void **state) {
  (void)state;
  sweep_cuda("AGGLOM_DEVICES=cuda AGGLOM_WORKERS=1 AGGLOM_BATCH=count:9 AGGLOM_TRACE=/dev/null", 1, 17);
}

/* --- Again, in smaller batches
 * ---------------------------------------------------------------------------------
 */

/* One unit makes every launch fail that it is in: it alone runs on the CPU, and it is found by halving. */
static void one_unit_is_to_blame(void **state) {
  (void)state;
  struct agglom_counters counters;
  struct ag_cuda_driver *cu = (struct ag_cuda_driver *)(uintptr_t)ag_cuda_loaded();
  launch_well = cu->launch;
  for (unsigned p = 0; p < SWEEP_PROGRAMS; ++p)
    for (unsigned u = 1; u <= wanted[p].units; u += everything ? 1 : 5) {
      healthy(1, p);
      poison = u;
      cu->launch = launch;
      const char *said = run(&sweep_programs[p], "AGGLOM_DEVICES=cuda AGGLOM_WORKERS=1", &counters);
      cu->launch = launch_well;
      check_driver(false, 0, said);
      if (counters.units_on_cpu != 1 || counters.failed < 1 || counters.failed > 8 ||
          occurrences(said, "tried again") + occurrences(said, "on the CPU instead") != 1)
        fail_msg("%s: with unit %u to blame %llu units ran on the CPU, %llu batches failed\n%s", running, u,
                 (unsigned long long)counters.units_on_cpu, (unsigned long long)counters.failed, said);
    }
}

/* What is said of a single unit is said in the singular. */
static void one_unit_alone(void **state) {
  (void)state;
  struct agglom_counters counters;
  const char *said = run(&sweep_programs[0],
                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=single "
                         "AGGLOM_FAULT=call=launch,error=oom,nth=1",
                         &counters);
  assert_non_null(strstr(said, ": a batch of 1 unit failed on emulated:0 ("));
  assert_non_null(strstr(said, "); it runs on the CPU instead, nothing is lost\n"));
}

/* A passing want of something costs no unit its place on the device. */
static void once_is_no_harm(void **state) {
  (void)state;
  static const char *const calls[] = {"copy_in", "launch", "copy_out", "mark", "milestone", "finished"};
  struct agglom_counters counters;
  char settings[200];
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    snprintf(settings, sizeof settings,
             "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_FAULT=call=%s,error=oom,nth=%d", calls[i],
             strcmp(calls[i], "milestone") ? 2 : 1); /* one batch of all brings what others use */
    run(&sweep_programs[0], settings, &counters);
    assert_int_equal(counters.failed, 1);
    assert_int_equal(counters.units_on_cpu, 0);
  }
}

/* Where nothing works, the device is soon left alone: no batch is halved any more. */
static void nothing_works(void **state) {
  (void)state;
  struct agglom_counters counters;
  run(&sweep_programs[0],
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=single AGGLOM_FAULT=call=launch,times=all",
      &counters);
  assert_int_equal(counters.failed, wanted[0].units);
  assert_int_equal(counters.units_on_device, 0);
  run(&sweep_programs[1], "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_FAULT=call=copy_out,times=all",
      &counters);
  assert_int_equal(counters.units_on_device, 0);
  assert_true(counters.failed <= 24 + 4 * SIDE);
}

/* --- Hangs
 * ------------------------------------------------------------------------------------------------------
 */

/* A driver that never says that a batch is complete, and a kernel that ends long after its units ran
 * elsewhere: what it writes then reaches nobody. */
static void watchdog(void **state) {
  (void)state;
  struct agglom_counters counters;
  for (unsigned p = 0; p < SWEEP_PROGRAMS; ++p) {
    healthy(1, p);
    gpu_set("FAULT=any:1:hang");
    const char *said =
        run(&sweep_programs[p], "AGGLOM_DEVICES=cuda AGGLOM_WORKERS=1 AGGLOM_TIMEOUT=20ms", &counters);
    assert_int_equal(counters.units_on_device, 0);
    assert_int_equal(occurrences(said, "(AGGLOM_TIMEOUT); it is not used any more"), 1);
    assert_int_equal(gpu_seen().calls_after_death + gpu_seen().misuses, 0);
    assert_true(gpu_seen().host_memory > 0); /* the device may still write there */
    said = run(&sweep_programs[p],
               "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=count:7 AGGLOM_TIMEOUT=20ms "
               "AGGLOM_EMULATE=launch=150ms",
               &counters);
    assert_int_equal(counters.units_on_device, 0);
    assert_int_equal(occurrences(said, "(AGGLOM_TIMEOUT); it is not used any more"), 1);
    run(&sweep_programs[p], "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_TIMEOUT=60s", &counters);
    assert_int_equal(counters.units_on_cpu, 0);
  }
}

/* From any call on nothing is complete any more, and that call fails besides or does not: a stream that is to
 * be waited for because its batch failed does not hold up anybody for ever. */
static void hang_after_a_fault(void **state) {
  (void)state;
  static const int errors[] = {0, AG_CU_LAUNCH_OUT_OF_RESOURCES};
  static const char *const machines[] = {
      "AGGLOM_DEVICES=cuda AGGLOM_WORKERS=1 AGGLOM_BATCH=count:7 AGGLOM_TIMEOUT=5ms",
      "AGGLOM_DEVICES=cuda AGGLOM_WORKERS=2 AGGLOM_TIMEOUT=5ms AGGLOM_TRACE=/dev/null"};
  struct agglom_counters counters;
  unsigned failed_first = 0;
  const unsigned long most = 12, asked = ONE_IN * one_in,
                      every = 19 * (asked < most ? asked : most); /* some must fail first */
  for (unsigned p = 0; p < SWEEP_PROGRAMS; ++p)
    for (unsigned m = 0; m < 2; ++m) {
      healthy(m + 1, p);
      run(&sweep_programs[p], machines[m], &counters);
      unsigned calls = gpu_seen().calls;
      for (unsigned k = 1; k <= calls; ++k)
        for (unsigned e = 0; e < 2; ++e) {
          if (!everything && (k + p + 3 * m + e * 5) % every)
            continue;
          healthy(m + 1, p);
          if (errors[e])
            gpu_set("FAULT=any:%u:hang,any:%u:%d", k, k, errors[e]);
          else
            gpu_set("FAULT=any:%u:hang", k);
          const char *said = run(&sweep_programs[p], machines[m], &counters);
          assert_int_equal(gpu_seen().calls_after_death + gpu_seen().misuses, 0);
          failed_first += strstr(said, "work that had to be dropped did not end within") != NULL;
        }
    }
  assert_true(failed_first > 0);
}

int main(void) {
  if (!load_gpu("test_fault_sweep"))
    return 1;
  one_in = from_environment("STRESS_SWEEP", 6);
  everything = !one_in; /* "all" is no number */
  signal(SIGALRM, hangs);
  make_references();
  const struct CMUnitTest tests[] = {cmocka_unit_test(emulated),
                                     cmocka_unit_test(emulated_threads),
                                     cmocka_unit_test(emulated_shared_out),
                                     cmocka_unit_test(emulated_in_flight),
                                     cmocka_unit_test(cuda),
                                     cmocka_unit_test(cuda_threads),
                                     cmocka_unit_test(cuda_timed),
                                     cmocka_unit_test(one_unit_is_to_blame),
                                     cmocka_unit_test(one_unit_alone),
                                     cmocka_unit_test(once_is_no_harm),
                                     cmocka_unit_test(nothing_works),
                                     cmocka_unit_test(watchdog),
                                     cmocka_unit_test(hang_after_a_fault)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
