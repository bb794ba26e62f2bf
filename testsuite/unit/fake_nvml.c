/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library like NVML with one GPU, at 00000000:3b:00.0, whose energy counter says 2000 millijoules more each
 * time. FAKE_NVML_FAIL names the call that fails: init, pci or energy. */
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { NOT_SUPPORTED = 3, NOT_FOUND = 6 };

static unsigned long long counter = 7000000;
static int users; /* inits without shutdown */

static int fails(const char *call) {
  const char *wanted = getenv("FAKE_NVML_FAIL");
  return wanted && !strcmp(wanted, call) ? NOT_SUPPORTED : 0;
}

EXPORT int nvmlInit_v2(void);
int nvmlInit_v2(void) {
  users += !fails("init");
  return fails("init");
}

EXPORT int nvmlShutdown(void);
int nvmlShutdown(void) {
  --users;
  return 0;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device) {
  if (strcmp(pci, "00000000:3b:00.0") != 0)
    return NOT_FOUND;
  *device = &counter;
  return fails("pci");
}

EXPORT int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj) {
  if (device != &counter || users != 1)
    abort();
  *mj = counter += 2000;
  return fails("energy");
}

EXPORT const char *nvmlErrorString(int result);
const char *nvmlErrorString(int result) { return result == NOT_SUPPORTED ? "Not Supported" : "Not Found"; }
