/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "sys/energy.h"
#include "sys/clock.h"
#include "sys/gate.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ZONES = 64 };
static const uint64_t TICK_NS = 60000000000;

/* A powercap zone: a package, or the memory beside it. */
struct zone {
  char file[PATH_MAX];
  uint64_t range; /* after this many microjoules it begins again; 0 = never */
  uint64_t last;
};

struct meter {
  struct ag_energy_reading reading;
  void *gpu;      /* NULL: the CPU */
  uint64_t first; /* of a GPU: its counter in the beginning, millijoules */
};

static struct ag_gate gate; /* guards all but next_tick; NVML is called inside */
static struct meter meters[AG_ENERGY_METERS];
static unsigned n_meters;
static struct zone *zones;
static unsigned n_zones;
static uint64_t begin_ns;
static _Atomic uint64_t next_tick = UINT64_MAX;

/* --- The CPU ------------------------------------------------------------------------------------------ */

static int read_number(const char *file, uint64_t *number) {
  FILE *in = fopen(file, "re");
  if (!in)
    return -errno;
  int n = fscanf(in, "%" SCNu64, number); /* NOLINT(cert-err34-c): of the kernel's own making */
  fclose(in);
  return n == 1 ? 0 : -EIO;
}

/* Packages, and the memory beside them. "psys" is the whole machine and has the packages in it, as packages
 * have "core" and "uncore" in them. */
static bool counts(const char *folder, const char *zone) {
  char file[PATH_MAX], name[64] = "";
  bool part = strchr(zone, ':') != strrchr(zone, ':');
  if (snprintf(file, sizeof file, "%s/%s/name", folder, zone) >= (int)sizeof file)
    return false;
  FILE *in = fopen(file, "re");
  if (!in)
    return false;
  if (fscanf(in, "%63s", name) != 1)
    name[0] = '\0';
  fclose(in);
  return part ? !strncmp(name, "dram", 4) : !strncmp(name, "package", 7);
}

static int add_zone(struct meter *cpu, const char *folder, const char *name) {
  struct zone *grown = realloc(zones, (n_zones + 1) * sizeof *grown);
  if (!grown)
    return -ENOMEM;
  zones = grown;
  struct zone *z = &zones[n_zones];
  *z = (struct zone){.range = 0};
  if (snprintf(z->file, sizeof z->file, "%s/%s/max_energy_range_uj", folder, name) >= (int)sizeof z->file)
    return -ENAMETOOLONG;
  if (read_number(z->file, &z->range))
    z->range = 0;
  snprintf(z->file, sizeof z->file, "%s/%s/energy_uj", folder, name);
  int err = read_number(z->file, &z->last);
  if (err)
    snprintf(cpu->reading.why_not, sizeof cpu->reading.why_not, "%.180s: %s", z->file, strerror(-err));
  else
    ++n_zones;
  return err;
}

static void find_zones(struct meter *cpu, const char *folder) {
  DIR *list = opendir(folder);
  snprintf(cpu->reading.why_not, sizeof cpu->reading.why_not, "%.180s: %s", folder,
           list ? "there is no meter of a CPU" : strerror(errno));
  if (!list)
    return;
  int err = 0;
  for (struct dirent *e; !err && n_zones < MOST_ZONES && (e = readdir(list));)
    if (!strncmp(e->d_name, "intel-rapl:", 11) && counts(folder, e->d_name))
      err = add_zone(cpu, folder, e->d_name);
  closedir(list);
  if (err) /* a part of the energy is worth less than none */
    n_zones = 0;
  else if (n_zones)
    cpu->reading.why_not[0] = '\0';
}

static void read_cpu(struct meter *cpu) {
  for (unsigned i = 0; i < n_zones; ++i) {
    struct zone *z = &zones[i];
    uint64_t now;
    int err = read_number(z->file, &now);
    if (err) {
      snprintf(cpu->reading.why_not, sizeof cpu->reading.why_not, "%.180s: %s", z->file, strerror(-err));
      n_zones = 0;
      return;
    }
    if (now < z->last && !z->range)
      z->last = now; /* the counter was set back */
    cpu->reading.uj += now >= z->last ? now - z->last : now + (z->range - z->last);
    z->last = now;
  }
}

/* --- GPUs --------------------------------------------------------------------------------------------- */

/* NVML's functions that are needed; 0 is success. */
static struct {
  void *library;
  int (*init)(void);
  int (*shutdown)(void);
  int (*by_pci)(const char *pci, void **device);
  int (*energy)(void *device, unsigned long long *mj);
  const char *(*error_text)(int result);
} nvml;

static bool load(const char *library, char *why, size_t n) {
  static const char *const symbols[] = {"nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetHandleByPciBusId_v2",
                                        "nvmlDeviceGetTotalEnergyConsumption", "nvmlErrorString"};
  void *found[sizeof symbols / sizeof symbols[0]];
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    snprintf(why, n, "%s", reason ? reason : library);
    return false;
  }
  for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; ++i)
    if (!(found[i] = dlsym(handle, symbols[i]))) {
      snprintf(why, n, "%.150s has no %s", library, symbols[i]);
      dlclose(handle);
      return false;
    }
  /* POSIX promises that a data pointer from dlsym() holds a function's address. */
  memcpy(&nvml.init, &found[0], sizeof found[0]);
  memcpy(&nvml.shutdown, &found[1], sizeof found[1]);
  memcpy(&nvml.by_pci, &found[2], sizeof found[2]);
  memcpy(&nvml.energy, &found[3], sizeof found[3]);
  memcpy(&nvml.error_text, &found[4], sizeof found[4]);
  int result = nvml.init();
  if (result) {
    snprintf(why, n, "nvmlInit_v2: %.180s", nvml.error_text(result));
    dlclose(handle);
    return false;
  }
  nvml.library = handle;
  return true;
}

static bool read_gpu(struct meter *m, unsigned long long *mj) {
  int result = nvml.energy(m->gpu, mj);
  if (result)
    snprintf(m->reading.why_not, sizeof m->reading.why_not, "nvmlDeviceGetTotalEnergyConsumption: %.180s",
             nvml.error_text(result));
  return !result;
}

static void start_gpu(struct meter *m, const struct ag_energy_gpu *gpu, const char *library) {
  char *why = m->reading.why_not;
  unsigned long long mj = 0;
  snprintf(m->reading.name, sizeof m->reading.name, "%s", gpu->name);
  if (!nvml.library && !load(library, why, sizeof m->reading.why_not))
    return;
  if (!gpu->pci[0]) {
    snprintf(why, sizeof m->reading.why_not, "the driver does not say which GPU it is");
    return;
  }
  int result = nvml.by_pci(gpu->pci, &m->gpu);
  if (result)
    snprintf(why, sizeof m->reading.why_not, "nvmlDeviceGetHandleByPciBusId_v2(%s): %.180s", gpu->pci,
             nvml.error_text(result));
  else if (read_gpu(m, &mj))
    m->first = mj;
}

/* --- All of them -------------------------------------------------------------------------------------- */

void ag_energy_start(const char *powercap, const char *nvml_library, const struct ag_energy_gpu *gpus,
                     unsigned n) {
  ag_gate_enter(&gate);
  if (!n_meters) {
    memset(meters, 0, sizeof meters);
    strcpy(meters[0].reading.name, "CPU");
    find_zones(&meters[0], powercap);
    n_meters = 1;
    for (unsigned i = 0; i < n && n_meters < AG_ENERGY_METERS; ++i)
      start_gpu(&meters[n_meters++], &gpus[i], nvml_library);
    begin_ns = ag_clock_ns();
    if (n_zones)
      atomic_store(&next_tick, begin_ns + TICK_NS);
  }
  ag_gate_leave(&gate);
}

unsigned ag_energy_read(struct ag_energy_reading readings[AG_ENERGY_METERS]) {
  ag_gate_enter(&gate);
  unsigned n = n_meters;
  uint64_t now = ag_clock_ns();
  if (n_zones)
    read_cpu(&meters[0]);
  for (unsigned i = 0; i < n; ++i) {
    struct meter *m = &meters[i];
    unsigned long long mj;
    if (m->gpu && !m->reading.why_not[0] && read_gpu(m, &mj) && mj >= m->first)
      m->reading.uj = (mj - m->first) * 1000;
    m->reading.ns = now - begin_ns;
    readings[i] = m->reading;
  }
  ag_gate_leave(&gate);
  return n;
}

void ag_energy_tick(uint64_t now) {
  uint64_t due = atomic_load_explicit(&next_tick, memory_order_relaxed);
  if (now < due || !atomic_compare_exchange_strong(&next_tick, &due, now + TICK_NS))
    return;
  ag_gate_enter(&gate);
  if (n_zones)
    read_cpu(&meters[0]);
  ag_gate_leave(&gate);
}

void ag_energy_stop(void) {
  ag_gate_enter(&gate);
  atomic_store(&next_tick, UINT64_MAX);
  n_meters = n_zones = 0;
  free(zones);
  zones = NULL;
  if (nvml.library) {
    nvml.shutdown();
    dlclose(nvml.library);
    nvml.library = NULL;
  }
  ag_gate_leave(&gate);
}
