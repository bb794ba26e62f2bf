/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every AGGLOM_* environment variable, once: the table below is what agglom-info --env prints, what
 * messages quote and what ag_config_load() walks. Nothing else in the runtime calls getenv(), but for the
 * variable of profilers (observe/ranges.c). */
#ifndef AG_ENV_H
#define AG_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- The values --------------------------------------------------------------------------------- */

#define AG_LINGER_AUTO UINT64_MAX
enum { AG_ENV_TEXT = 1024 }; /* bytes of the longest text value, with its NUL */

enum ag_batch_rule {
  AG_BATCH_MAXIMAL = 0, /* no high-priority work is left: the largest prefix that one kernel can take */
  AG_BATCH_SINGLE,      /* one unit a launch */
  AG_BATCH_STATIC,      /* exactly n units; the rest at a wait */
  AG_BATCH_COUNT,       /* what is there after every n submissions */
  AG_BATCH_OCCUPANCY,   /* what fills the device, or what is there when no more comes */
  AG_BATCH_AUTO,        /* as the device and the arrivals want it */
  AG_N_BATCH_RULES
};

/* AGGLOM_BATCH */
struct ag_batch_choice {
  enum ag_batch_rule rule;
  unsigned n; /* of static:N and count:N, at least 1; else 0 */
};

/* AGGLOM_SPLIT */
enum ag_split_choice {
  AG_SPLIT_GPU = 0, /* all units that have a kernel go to a device, if there is one */
  AG_SPLIT_CPU,     /* all units run on the CPU */
  AG_SPLIT_COUNT,   /* a part of each batch, by its number of units: a ratio measured once */
  AG_SPLIT_ITEMS,   /* by their items: running averages of the time of an item */
  AG_SPLIT_AUTO     /* what a CPU with time has done sooner than a device would have */
};

/* AGGLOM_SCHEDULE: how loops with schedule(runtime) are cut. */
struct ag_schedule_choice {
  unsigned kind;  /* enum agglom_schedule, not RUNTIME */
  uint64_t chunk; /* iterations; 0 = the schedule chooses */
  double ratio;   /* of schedules that take a number, see policy/loop/loop.h; 0 = none was given */
};

/* AGGLOM_MAP: for tasks that blocks and warps can run. */
enum ag_map_choice { AG_MAP_AUTO = 0, AG_MAP_BLOCK, AG_MAP_WARP };

/* AGGLOM_OBJECTIVE: what policies minimise that can choose who works. */
enum ag_objective_choice {
  AG_OBJECTIVE_TIME = 0,
  AG_OBJECTIVE_ENERGY,
  AG_OBJECTIVE_EDP /* energy multiplied by time */
};

enum ag_report_mode { AG_REPORT_OFF = 0, AG_REPORT_TEXT, AG_REPORT_JSON };

/* AGGLOM_REPORT */
struct ag_report_choice {
  enum ag_report_mode mode;
  char path[AG_ENV_TEXT]; /* file to write; "" is standard error */
};

/* AGGLOM_TRACE and AGGLOM_TRACE_MEMORY */
struct ag_trace_choice {
  char path[AG_ENV_TEXT]; /* "" is no trace */
  size_t memory;          /* bytes for what is recorded */
};

/* AGGLOM_EMULATE: the emulated device, mostly its cost model. 0 in a time or in the bandwidth means "costs
 * nothing". */
struct ag_emulate {
  uint64_t launch_ns;   /* before each kernel */
  uint64_t unit_ns;     /* that a unit takes at least, on one of the threads */
  uint64_t copy_ns;     /* before the bytes of each copy */
  uint64_t bytes_per_s; /* of copies between host and device, each direction; 0 = unlimited */
  size_t memory_bytes;  /* of each device */
  unsigned threads;     /* executor threads of each device, 1..256 */
  bool isolate;         /* kernels cannot reach the program's memory */
  bool serial;          /* one kernel at a time, with its launch, whatever streams they are of */
};

enum ag_fault_call {
  AG_FAULT_NONE = 0,
  AG_FAULT_ALLOC,
  AG_FAULT_HOST_ALLOC,
  AG_FAULT_HOST_REGISTER,
  AG_FAULT_STREAM,
  AG_FAULT_COPY_IN,
  AG_FAULT_COPY_OUT,
  AG_FAULT_MOVE,
  AG_FAULT_FILL,
  AG_FAULT_KERNEL,
  AG_FAULT_LAUNCH,
  AG_FAULT_MILESTONE,
  AG_FAULT_FOLLOW,
  AG_FAULT_MARK,
  AG_FAULT_FINISHED, /* only those that are about to say that a batch is complete */
  AG_FAULT_FREE,
  AG_FAULT_HOST_FREE,
  AG_FAULT_HOST_UNREGISTER,
  AG_FAULT_STREAM_DESTROY,
  AG_FAULT_CLOSE,
  AG_FAULT_ANY /* each of these */
};

enum ag_fault_error {
  AG_FAULT_OOM = 1, /* the call returns -ENOMEM */
  AG_FAULT_FAILED,  /* the call returns -EIO; the device stays usable */
  AG_FAULT_STICKY,  /* the device is lost: when the work is done, half of a launch's chains having run */
  AG_FAULT_HANG     /* the work does not end before the device is given up; only of calls that queue it */
};

/* AGGLOM_FAULT: the nth to (nth + times - 1)th such call fails, counted over all emulated devices. */
struct ag_fault {
  enum ag_fault_call call;
  enum ag_fault_error error;
  uint64_t nth;   /* from 1 */
  uint64_t times; /* UINT64_MAX = all from the nth on */
};

/* AGGLOM_CUS: compute units. */
struct ag_cus {
  unsigned units; /* of CPU cores; 0: not asked for */
  unsigned cores; /* of each */
  int devices;    /* -1: all that there are */
};

/** The environment, parsed. Plain values: copy it freely. */
struct ag_config {
  char devices[AG_ENV_TEXT];          /* AGGLOM_DEVICES, checked by form only: for ag_devices_open() */
  unsigned workers;                   /* AGGLOM_WORKERS; 0 = one for each usable CPU */
  struct ag_cus cus;                  /* AGGLOM_CUS */
  struct ag_batch_choice batch;       /* AGGLOM_BATCH */
  enum ag_split_choice split;         /* AGGLOM_SPLIT */
  enum ag_map_choice map;             /* AGGLOM_MAP */
  bool reuse;                         /* AGGLOM_REUSE */
  bool coalesce;                      /* AGGLOM_COALESCE: sort */
  struct ag_schedule_choice schedule; /* AGGLOM_SCHEDULE */
  enum ag_objective_choice objective; /* AGGLOM_OBJECTIVE */
  struct ag_report_choice report;     /* AGGLOM_REPORT */
  struct ag_trace_choice trace;       /* AGGLOM_TRACE, AGGLOM_TRACE_MEMORY */
  struct ag_emulate emulate;          /* AGGLOM_EMULATE */
  char models[AG_ENV_TEXT];           /* AGGLOM_MODELS; "" is none */
  uint64_t timeout_ns;                /* AGGLOM_TIMEOUT; 0 = none */
  uint64_t linger_ns;                 /* AGGLOM_LINGER; AG_LINGER_AUTO */
  struct ag_fault fault;              /* AGGLOM_FAULT; call is AG_FAULT_NONE when nothing is to fail */
  char cuda_library[AG_ENV_TEXT];     /* AGGLOM_CUDA_LIBRARY */
  char nvml_library[AG_ENV_TEXT];     /* AGGLOM_NVML_LIBRARY */
  char powercap[AG_ENV_TEXT];         /* AGGLOM_POWERCAP */
};

/* Sets every value to its default; what a program without AGGLOM_* variables gets. */
void ag_config_defaults(struct ag_config *config);

/* Reads the environment. config is always complete afterwards: a malformed value is refused with one
 * error line (variable, value, accepted form, and the default that is used instead) and -EINVAL is
 * returned at the end; else 0. Unknown AGGLOM_* names get a warning each.
 * An empty value counts as not set. Not to be called while another thread changes the environment. */
int ag_config_load(struct ag_config *config);

/* The same without any message, for those who come after the one who has reported. */
int ag_config_load_quietly(struct ag_config *config);

/* How many CPU units do work, when the process may use so many CPUs. */
static inline unsigned ag_config_cpus(const struct ag_config *config, unsigned usable) {
  return config->cus.units ? config->cus.units : config->workers ? config->workers : usable;
}

/* How many devices are used, of so many. */
static inline int ag_config_devices(const struct ag_config *config, int devices) {
  return config->cus.devices < 0 || config->cus.devices > devices ? devices : config->cus.devices;
}

/* --- The table ---------------------------------------------------------------------------------- */

struct ag_env_variable {
  const char *name;
  const char *accepted; /* the accepted form, for messages: "auto, none, cuda[:i,j...] or ..." */
  const char *initial;  /* the default, as it would be written */
  const char *meaning;  /* one sentence */
  /* Parses text into config (all or nothing): 0 or -EINVAL. */
  int (*parse)(const char *text, struct ag_config *config);
};

extern const struct ag_env_variable ag_env_table[];
extern const unsigned ag_env_count;

/* The entry called name, or NULL. */
const struct ag_env_variable *ag_env_find(const char *name);

/* The known name nearest to name if it is near enough to be a likely slip, else NULL. */
const char *ag_env_suggest(const char *name);

/* --- Pure parsers: 0, or -EINVAL and *value untouched -------------------------------------------- */

int ag_parse_unsigned(const char *text, uint64_t min, uint64_t max, uint64_t *value);
int ag_parse_size(const char *text, uint64_t min, uint64_t max, size_t *value); /* "16MB" */
int ag_parse_batch(const char *text, struct ag_batch_choice *value);
int ag_parse_split(const char *text, enum ag_split_choice *value);
const char *ag_split_name(enum ag_split_choice choice);
int ag_parse_cus(const char *text, struct ag_cus *cus);
int ag_parse_schedule(const char *text, struct ag_schedule_choice *value);
int ag_parse_map(const char *text, enum ag_map_choice *value);
int ag_parse_objective(const char *text, enum ag_objective_choice *value);
const char *ag_objective_name(enum ag_objective_choice choice);
int ag_parse_switch(const char *text, bool *value); /* on or off */
int ag_parse_report(const char *text, struct ag_report_choice *value);
int ag_parse_emulate(const char *text, struct ag_emulate *value); /* keys not named keep their value */
int ag_parse_timeout(const char *text, uint64_t *ns);             /* "30s" */
int ag_parse_linger(const char *text, uint64_t *ns);              /* "200us" */
int ag_parse_fault(const char *text, struct ag_fault *value);

enum ag_device_kind { AG_KIND_AUTO = 0, AG_KIND_NONE, AG_KIND_CUDA, AG_KIND_EMULATED };
enum { AG_SPEC_DEVICES = 32 };

/* AGGLOM_DEVICES, taken apart. */
struct ag_device_spec {
  enum ag_device_kind kind;
  int count;                  /* emulated: how many, 1..32. cuda: entries of index, 0 = all */
  int index[AG_SPEC_DEVICES]; /* cuda: the devices asked for, each once */
};
int ag_parse_devices(const char *text, struct ag_device_spec *value);

#endif /* AG_ENV_H */
