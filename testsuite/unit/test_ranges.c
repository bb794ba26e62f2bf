/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges for profilers: those of a run with and without a device, and no profiler or a bad one. Each in a
 * process of its own, for a profiler is loaded once. */
#include "fake_profiler.h"
#include "observe/ranges.h"
#include "places.h"
#include "rt_tasks.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static int in_a_process(int (*body)(void)) {
  int status = -1;
  pid_t child = fork();
  if (!child)
    _exit(body());
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum { UNITS = 20 };

static void work(const char *settings) {
  uint64_t y[2 * UNITS] = {0};
  start_with(settings);
  for (int i = 0; i < UNITS; ++i) {
    submit_mix(&mix_task, (struct mix_args){.y = y, .ly = i, .ny = 1, .v = 1});
    submit_mix(&host_task, (struct mix_args){.y = y, .ly = UNITS + i, .ny = 1, .v = 1});
  }
  agglom_shutdown();
}

static const struct fake_profiler *seen(void) {
  struct fake_profiler *(*get)(void);
  void *handle = dlopen(fake_profiler_path, RTLD_NOW | RTLD_NOLOAD);
  void *symbol = handle ? dlsym(handle, "fake_profiler_seen") : NULL;
  if (!symbol)
    return NULL;
  memcpy(&get, &symbol, sizeof symbol);
  return get();
}

/* The units of all ranges of this name. */
static unsigned long long units_of(const struct fake_profiler *p, const char *name) {
  for (int i = 0; i < FAKE_PROFILER_NAMES; ++i)
    if (!strcmp(p->range[i].name, name))
      return p->range[i].units;
  return 0;
}

static int on_a_device(void) {
  setenv("NVTX_INJECTION64_PATH", fake_profiler_path, 1);
  work("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2");
  const struct fake_profiler *p = seen();
  if (!p || p->bad || p->open || strcmp(p->domain, "agglom") != 0)
    return 1;
  if (units_of(p, "stage mix") != UNITS || units_of(p, "commit mix") != UNITS || units_of(p, "mix") != 0)
    return 2;
  if (units_of(p, "mix_host") != UNITS)
    return 3;
  work("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2"); /* the runtime again, the profiler still */
  return units_of(p, "commit mix") == 2 * UNITS && !p->open ? 0 : 4;
}

static int on_the_cpu(void) {
  setenv("NVTX_INJECTION64_PATH", fake_profiler_path, 1);
  work("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  const struct fake_profiler *p = seen();
  return p && !p->bad && !p->open && units_of(p, "mix") == UNITS && units_of(p, "mix_host") == UNITS ? 0 : 1;
}

static int refused(void) {
  setenv("NVTX_INJECTION64_PATH", fake_profiler_path, 1);
  setenv("FAKE_PROFILER", "refuse", 1);
  work("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  return seen() && !seen()->begun && !seen()->bad && !atomic_load(&ag_ranges_are_on) ? 0 : 1;
}

static int not_there(void) {
  setenv("NVTX_INJECTION64_PATH", "/nowhere/libprofiler.so", 1);
  work("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  return atomic_load(&ag_ranges_are_on);
}

static int no_profiler(void) {
  setenv("NVTX_INJECTION64_PATH", gpu_in_software_path, 1);
  work("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  return atomic_load(&ag_ranges_are_on);
}

static int none(void) {
  unsetenv("NVTX_INJECTION64_PATH");
  work("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  return atomic_load(&ag_ranges_are_on) || seen();
}

static void ranges(void **state) {
  (void)state;
  assert_int_equal(in_a_process(on_a_device), 0);
  assert_int_equal(in_a_process(on_the_cpu), 0);
}

static void no_ranges(void **state) {
  (void)state;
  assert_int_equal(in_a_process(refused), 0);
  assert_int_equal(in_a_process(not_there), 0);
  assert_int_equal(in_a_process(no_profiler), 0);
  assert_int_equal(in_a_process(none), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ranges), cmocka_unit_test(no_ranges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
