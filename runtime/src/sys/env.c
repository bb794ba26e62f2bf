/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "sys/env.h"
#include "sys/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Each variable's way into the configuration --------------------------------------------------- */

static int keep_text(const char *text, char *place) {
  size_t length = strlen(text);
  if (length >= AG_ENV_TEXT)
    return -EINVAL;
  memcpy(place, text, length + 1);
  return 0;
}

static int parse_devices(const char *text, struct ag_config *config) {
  struct ag_device_spec spec;
  int err = ag_parse_devices(text, &spec);
  return err ? err : keep_text(text, config->devices);
}

static int parse_workers(const char *text, struct ag_config *config) {
  uint64_t n = 0;
  if (strcmp(text, "auto") && ag_parse_unsigned(text, 1, 1024, &n))
    return -EINVAL;
  config->workers = (unsigned)n;
  return 0;
}

static int parse_cus(const char *text, struct ag_config *config) { return ag_parse_cus(text, &config->cus); }

static int parse_batch(const char *text, struct ag_config *config) {
  return ag_parse_batch(text, &config->batch);
}
static int parse_split(const char *text, struct ag_config *config) {
  return ag_parse_split(text, &config->split);
}
static int parse_map(const char *text, struct ag_config *config) { return ag_parse_map(text, &config->map); }
static int parse_reuse(const char *text, struct ag_config *config) {
  return ag_parse_switch(text, &config->reuse);
}
static int parse_coalesce(const char *text, struct ag_config *config) {
  config->coalesce = !strcmp(text, "sort");
  return config->coalesce || !strcmp(text, "off") ? 0 : -EINVAL;
}
static int parse_schedule(const char *text, struct ag_config *config) {
  return ag_parse_schedule(text, &config->schedule);
}
static int parse_objective(const char *text, struct ag_config *config) {
  return ag_parse_objective(text, &config->objective);
}
static int parse_report(const char *text, struct ag_config *config) {
  return ag_parse_report(text, &config->report);
}
static int parse_trace(const char *text, struct ag_config *config) {
  return keep_text(text, config->trace.path);
}
static int parse_models(const char *text, struct ag_config *config) {
  return keep_text(text, config->models);
}
static int parse_trace_memory(const char *text, struct ag_config *config) {
  return ag_parse_size(text, 64 << 10, SIZE_MAX / 2, &config->trace.memory);
}
static int parse_emulate(const char *text, struct ag_config *config) {
  return ag_parse_emulate(text, &config->emulate);
}
static int parse_fault(const char *text, struct ag_config *config) {
  return ag_parse_fault(text, &config->fault);
}
static int parse_timeout(const char *text, struct ag_config *config) {
  return ag_parse_timeout(text, &config->timeout_ns);
}
static int parse_linger(const char *text, struct ag_config *config) {
  return ag_parse_linger(text, &config->linger_ns);
}
static int parse_cuda_library(const char *text, struct ag_config *config) {
  return keep_text(text, config->cuda_library);
}
static int parse_nvml_library(const char *text, struct ag_config *config) {
  return keep_text(text, config->nvml_library);
}
static int parse_powercap(const char *text, struct ag_config *config) {
  return keep_text(text, config->powercap);
}

/* --- The table ------------------------------------------------------------------------------------ */

const struct ag_env_variable ag_env_table[] = {
    {"AGGLOM_DEVICES", "auto, none, cuda, cuda:I,J,... or emulated[:N] with N from 1 to 32", "auto",
     "Accelerators to use; auto is every usable GPU, and none runs all units on the CPU.", parse_devices},
    {"AGGLOM_WORKERS", "auto or a number from 1 to 1024", "auto",
     "CPU worker threads; auto is one for each CPU the process may use.", parse_workers},
    {"AGGLOM_CUS", "auto, NxM or NxM+G with N and M from 1 to 1024 and G from 0 to 32", "auto",
     "Compute units: N of M cores each, bound to them, and G GPUs; instead of AGGLOM_WORKERS.", parse_cus},
    {"AGGLOM_LINGER", "auto, or a time in us, ms or s up to 10s, as in 200us, or 0", "auto",
     "For how long a worker without work spins before it sleeps; auto is 1ms where each has a CPU, else 0.",
     parse_linger},
    {"AGGLOM_BATCH", "auto, maximal, single, occupancy, static:N or count:N with N from 1 to 4294967295",
     "auto", "When units are launched together, and how many.", parse_batch},
    {"AGGLOM_SPLIT", "auto, gpu, cpu, count or items", "auto", "Which side runs what has a kernel.",
     parse_split},
    {"AGGLOM_MAP", "auto, block or warp", "auto",
     "Who runs a unit of a task that both can run; auto measures.", parse_map},
    {"AGGLOM_REUSE", "on or off", "on", "Whether data that is on a device already is not sent again.",
     parse_reuse},
    {"AGGLOM_COALESCE", "off or sort", "off",
     "Whether units of a task that gathers are launched in the order of the addresses they gather from.",
     parse_coalesce},
    {"AGGLOM_REPORT", "0, 1, json or a file name (JSON when it ends in .json)", "0",
     "Report at exit of units, launches, batch sizes, bytes and time; 1 and json go to standard error.",
     parse_report},
    {"AGGLOM_TRACE", "a file name of at most 1023 bytes, in which %p stands for the process", "",
     "File for the trace of batches, copies, kernels and CPU-only units, for agglom-report and Perfetto.",
     parse_trace},
    {"AGGLOM_TRACE_MEMORY", "a size from 64KB in B, KB, MB or GB of 1024, as in 16MB", "16MB",
     "Memory in which the trace is recorded; what does not fit is counted and left out.", parse_trace_memory},
    {"AGGLOM_EMULATE",
     "any of launch=TIME, unit=TIME, copy=TIME, bandwidth=RATE, memory=SIZE, threads=N, overlap=on or off, "
     "isolate=on or off separated by commas, as in launch=5us,bandwidth=16GB/s,memory=1GB,threads=2 (TIME in "
     "ns, us or ms up to 10000ms; RATE in KB/s, MB/s or GB/s of 1000; SIZE in B, KB, MB or GB of 1024, from "
     "4KB; N from 1 to 256)",
     "launch=0,unit=0,copy=0,bandwidth=0,memory=1GB,threads=2,overlap=on,isolate=off",
     "Size and cost model of each emulated device; times and a bandwidth of 0 cost nothing. overlap=off runs "
     "one kernel at a time. isolate=on hides the program's memory from kernels.",
     parse_emulate},
    {"AGGLOM_TIMEOUT", "a time in ms or s up to 86400s, as in 30s, or 0", "0",
     "When a device that completes nothing any more counts as lost; 0 is never.", parse_timeout},
    {"AGGLOM_FAULT",
     "call=CALL with optional nth=N, times=N or all, error=oom, failed, sticky or hang, as in "
     "call=launch,nth=3,error=sticky (CALL is alloc, host_alloc, host_register, stream, copy_in, copy_out, "
     "move, fill, kernel, launch, milestone, follow, mark, finished, free, host_free, host_unregister, "
     "stream_destroy, close or any; what hangs is copy_in to fill, launch to finished, or any)",
     "", "For tests: makes the nth such call on the emulated devices fail (nth=1,times=1,error=failed).",
     parse_fault},
    {"AGGLOM_CUDA_LIBRARY", "a file name of at most 1023 bytes", "libcuda.so.1",
     "For tests: the CUDA driver library to load.", parse_cuda_library},
    {"AGGLOM_NVML_LIBRARY", "a file name of at most 1023 bytes", "libnvidia-ml.so.1",
     "For tests: the library that measures the energy of GPUs.", parse_nvml_library},
    {"AGGLOM_POWERCAP", "a folder's name of at most 1023 bytes", "/sys/class/powercap",
     "For tests: the folder of the CPU's energy meters.", parse_powercap},
    {"AGGLOM_SCHEDULE",
     "auto, static[:N], dynamic[:N], dynamic_locked[:N], logfit[:X], concord[:N], hdss, oracle[:P], "
     "static_pcf[:X], guided_sizes, guided_runtime or clustered_guided with N of 1 or more iterations, X a "
     "positive "
     "number and P from 0 to 100",
     "auto", "How loops with schedule(runtime) are cut, and no others.", parse_schedule},
    {"AGGLOM_OBJECTIVE", "time, energy or edp", "time",
     "What schedule(auto) and AGGLOM_SPLIT=auto minimise; edp is energy multiplied by time.",
     parse_objective},
    {"AGGLOM_MODELS", "a file name of at most 1023 bytes", "",
     "File in which what was measured of devices, tasks and loops is kept between runs.", parse_models},
};
const unsigned ag_env_count = sizeof ag_env_table / sizeof ag_env_table[0];

const struct ag_env_variable *ag_env_find(const char *name) {
  for (unsigned i = 0; i < ag_env_count; ++i)
    if (!strcmp(ag_env_table[i].name, name))
      return &ag_env_table[i];
  return NULL;
}

/* --- Did you mean --------------------------------------------------------------------------------- */

enum { SLIP_BYTES = 48 }; /* longer names are nobody's slip */

/* Edit distance with insertions, deletions, replacements and swaps of neighbours. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb) {
  unsigned d[SLIP_BYTES + 1][SLIP_BYTES + 1];
  for (size_t i = 0; i <= na; ++i)
    d[i][0] = (unsigned)i;
  for (size_t j = 0; j <= nb; ++j)
    d[0][j] = (unsigned)j;
  for (size_t i = 1; i <= na; ++i)
    for (size_t j = 1; j <= nb; ++j) {
      unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best)
        best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best)
        best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[na][nb];
}

const char *ag_env_suggest(const char *name) {
  const char *nearest = NULL;
  unsigned limit = 3; /* found only when strictly nearer */
  size_t length = strlen(name);
  if (length > SLIP_BYTES)
    return NULL;
  for (unsigned i = 0; i < ag_env_count; ++i) {
    size_t other = strlen(ag_env_table[i].name);
    if (other > SLIP_BYTES)
      continue;
    unsigned d = distance(name, length, ag_env_table[i].name, other);
    if (d < limit) {
      limit = d;
      nearest = ag_env_table[i].name;
    }
  }
  return nearest;
}

/* --- Loading ----------------------------------------------------------------------------------------- */

void ag_config_defaults(struct ag_config *config) {
  memset(config, 0, sizeof *config);
  strcpy(config->devices, "auto");
  config->batch.rule = AG_BATCH_AUTO;
  config->split = AG_SPLIT_AUTO;
  config->linger_ns = AG_LINGER_AUTO;
  config->trace.memory = (size_t)16 << 20;
  config->emulate.memory_bytes = (size_t)1 << 30;
  config->emulate.threads = 2;
  config->cus = (struct ag_cus){0, 1, -1};
  config->reuse = true;
  strcpy(config->cuda_library, "libcuda.so.1");
  strcpy(config->nvml_library, "libnvidia-ml.so.1");
  strcpy(config->powercap, "/sys/class/powercap");
}

static void refuse(const struct ag_env_variable *v, const char *text) {
  bool has_default = v->initial[0] != '\0';
  ag_error("%s=%.200s is not understood: accepted are %s; %s%s%s", v->name, text, v->accepted,
           has_default ? "using " : "going on without it", v->initial, has_default ? " instead" : "");
}

static void warn_of_strangers(void) {
  for (char **entry = environ; entry && *entry; ++entry) {
    const char *equals = strchr(*entry, '=');
    size_t length = equals ? (size_t)(equals - *entry) : 0;
    char name[200];
    if (length < 7 || length >= sizeof name || strncmp(*entry, "AGGLOM_", 7))
      continue;
    memcpy(name, *entry, length);
    name[length] = '\0';
    if (ag_env_find(name))
      continue;
    const char *near = ag_env_suggest(name);
    ag_warn("unknown environment variable %s is ignored%s%s%s (agglom-info --env lists all)", name,
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  }
}

static int load(struct ag_config *config, bool speak) {
  int result = 0;
  ag_config_defaults(config);
  for (unsigned i = 0; i < ag_env_count; ++i) {
    const struct ag_env_variable *v = &ag_env_table[i];
    const char *text = getenv(v->name);
    if (!text || !*text)
      continue;
    if (v->parse(text, config)) {
      if (speak)
        refuse(v, text);
      result = -EINVAL;
    }
  }
  if (speak)
    warn_of_strangers();
  return result;
}

int ag_config_load(struct ag_config *config) { return load(config, true); }
int ag_config_load_quietly(struct ag_config *config) { return load(config, false); }
