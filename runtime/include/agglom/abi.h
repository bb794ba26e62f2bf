/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The contract between code that agglomcc generates and libagglomrt.
 *
 * The text of this file (without its preprocessor lines) is also what agglomcc puts in front of the
 * code it generates, so it uses plain C types, no other header but launch.h, and no macros.
 * Any change of layout or meaning raises AGGLOM_ABI_VERSION. */
#ifndef AGGLOM_ABI_H
#define AGGLOM_ABI_H

#include <agglom/launch.h>

enum agglom_abi { AGGLOM_ABI_VERSION = 7 };

/** How a unit uses a section. OUT without OVERWRITES keeps what the unit does not write. */
enum agglom_mode {
  AGGLOM_IN = 1,
  AGGLOM_OUT = 2,
  AGGLOM_INOUT = 3,
  AGGLOM_OVERWRITES = 4, /* with OUT: every element is written, so the old content need not be sent */
  AGGLOM_ACCUMULATE = 8, /* alone: updates that commute; identity and combine of the section say which */
  AGGLOM_OPERATION_SHIFT =
      8,             /* with ACCUMULATE, the bits from here on: which operation; equal ones commute */
  AGGLOM_SHAPED = 16 /* more than base[lo] .. base[lo + len - 1]: the range has a struct agglom_shape */
};

enum agglom_task_flags {
  AGGLOM_TASK_INDEPENDENT = 1, /* no two units in flight conflict: dependences are not tracked */
  AGGLOM_TASK_CPU_ONLY = 2,    /* device(cpu): no kernel; units may submit units */
  AGGLOM_TASK_GPU = 4,         /* device(gpu): falls back to the CPU with one warning */
  AGGLOM_TASK_SPLITTABLE = 8,  /* block mapping: a unit may be shared by several blocks */
  AGGLOM_TASK_PRINTS = 16,     /* device code writes to standard output: to be flushed after a launch */
  AGGLOM_TASK_RECURSES = 32,   /* device code calls itself: its threads need the stack of enum agglom_stack */
  AGGLOM_TASK_LOOP = 64,       /* chunks of a loop without a name of its own: name is its function's */
  AGGLOM_TASK_WAITS = 128,     /* thread mapping: the kernel waits for units of other chains, by flags */
  AGGLOM_TASK_PRIORITIES = 256, /* units of priority > 0 have a queue of their own; not with CPU_ONLY */
  AGGLOM_TASK_LEAF = 512 /* a unit submits nothing, waits for nothing, as for a lock, and is not cancelled */
};

/** Who runs a chain of units. BLOCK_OR_WARP: the runtime chooses for each launch (by_warp). */
enum agglom_map {
  AGGLOM_MAP_THREAD = 0,
  AGGLOM_MAP_BLOCK = 1,
  AGGLOM_MAP_WARP = 2,
  AGGLOM_MAP_BLOCK_OR_WARP = 3
};

enum agglom_image_kind { AGGLOM_IMAGE_PTX = 1, AGGLOM_IMAGE_CUBIN = 2 };

/** One section of a data clause, as it stands in the source. */
struct agglom_section {
  const char *text;             /* the user's text: "in(a[0:na])" */
  unsigned line;                /* line of the clause in the task's file */
  unsigned mode;                /* enum agglom_mode, or-ed */
  unsigned long long elem_size; /* bytes per element */
  unsigned arg_offset;          /* offset of the base pointer in the argument structure */
  unsigned group;               /* the first section of the task with the same base pointer */
  /* AGGLOM_ACCUMULATE only, else NULL: set so many bytes to the operation's identity; combine the numbers in
   * them into others, each atomically. The bytes may be those of other sections with the same operation. */
  void (*identity)(void *to, unsigned long long bytes);
  void (*combine)(void *into, const void *from, unsigned long long bytes);
};

/** A directive of host code that names sections, as it stands in the source. Static storage. */
struct agglom_directive {
  const char *name; /* "wait", "data", "update" */
  const char *file;
  unsigned n_sections;
  unsigned reserved;
  const struct agglom_section *sections; /* n_sections entries; arg_offset and group mean nothing */
};

/** The value of a section at one submission: elements base[lo] .. base[lo + len - 1]. With AGGLOM_SHAPED,
 * base points to a struct agglom_shape, which has the true base, and lo and len are for gathers alone. */
struct agglom_range {
  const void *base;
  long long lo;  /* in elements */
  long long len; /* in elements; negative is an error, 0 is fine */
};

/** One pair of brackets: the indexes lo, lo + step, ... (len of them), each pitch bytes further on. */
struct agglom_dim {
  long long lo, len, step; /* step is 1 or more */
  unsigned long long pitch;
};

/** What a section is beyond a run of elements. The bytes are base + dims[0] + dims[1] + ... each with block
 * bytes; or, for a gather, base + indexes[k] * block for k = lo .. lo + len - 1 of the range. */
struct agglom_shape {
  const void *base;
  const struct agglom_dim *dims; /* n_dims entries, outermost first; not used by a gather */
  unsigned n_dims;
  int index_bytes;          /* bytes of one index, negative when they are signed; 0: no gather */
  unsigned long long block; /* bytes */
  const void *indexes;
  /* Where in host memory the base pointer was read from, when that is not the argument structure: the
   * device's copy of that memory is given the device's address. NULL: from the argument structure. */
  const void *holder;
};

/** Device code of one translation unit, for one architecture. PTX is NUL-terminated text. */
struct agglom_image {
  unsigned kind;           /* enum agglom_image_kind */
  unsigned arch;           /* 90 for sm_90 */
  unsigned long long size; /* bytes, without the terminating NUL */
  const void *data;
};

struct agglom_module;
struct agglom_task_state; /* the runtime's own */

/** A task function: everything the runtime must know. Static storage; the runtime writes only state. */
struct agglom_task {
  const char *name; /* in reports: the name clause, else the function; see AGGLOM_TASK_LOOP */
  const char *file; /* where the task is declared */
  unsigned line;
  unsigned flags;     /* enum agglom_task_flags, or-ed */
  unsigned map;       /* enum agglom_map */
  unsigned max_units; /* application limit on one agglomeration; 0 = none */
  unsigned args_size; /* bytes of the argument structure */
  unsigned args_align;
  unsigned n_sections;
  unsigned reserved;
  const struct agglom_section *sections; /* n_sections entries */
  /* Runs n units one after another on the CPU; args[i] points to the i-th argument structure. */
  void (*cpu)(const void *const *args, unsigned long n);
  /* The same for one thread alone: updates what the sections under AGGLOM_ACCUMULATE name without atomics, so
   * that each of their base pointers must lead to memory of its own. NULL: there is no such function. */
  void (*cpu_private)(const void *const *args, unsigned long n);
  /* Runs chain (block) c of a launch on the emulated device; NULL for CPU-only tasks. */
  void (*emulated)(const struct agglom_launch *launch, unsigned c);
  const char *kernel;                 /* entry point in the module's images; NULL for CPU-only tasks */
  const struct agglom_module *module; /* whose images hold the kernel */
  struct agglom_task_state *state;    /* NULL until registered */
};

/** A function or constant under `declare`, in the unit that defines it for device code. */
struct agglom_export {
  const char *name;
  const struct agglom_module *module; /* whose images hold it */
};

/** What one translation unit registers. Static storage. */
struct agglom_module {
  unsigned abi_version; /* AGGLOM_ABI_VERSION of the compiler: stays first for ever */
  unsigned size;        /* sizeof(struct agglom_module): stays second for ever */
  const char *file;     /* main source file: stays third for ever */
  const char *producer; /* "agglomcc 0.1.0": stays fourth for ever */
  unsigned n_tasks;
  unsigned n_images;
  struct agglom_task *const *tasks;
  const struct agglom_image *images;
  unsigned n_imports; /* of other units, that the device code of this one uses */
  unsigned refused;   /* the generated code's own: agglom_register() has failed */
  const struct agglom_export *const *imports;
};

/* Registers the tasks of one object; called by a constructor. Returns 0, or a negative errno after a
 * message (-EPROTO: another ABI version). The generated code then makes plain calls instead. */
int agglom_register(struct agglom_module *module);

/* The reverse, for dlclose(); waits for units of the module that are in flight. */
void agglom_unregister(struct agglom_module *module);

/* Submits one unit: copies args (task->args_size bytes) and ranges (task->n_sections entries), returns
 * at once. priority > 0 is the high class. cost is in data items; 0 = unknown, the section bytes count.
 * Inside the body of a unit that is not CPU-only it runs the unit at once, as a plain call.
 * Returns 0, or -EINVAL after a message when a range is impossible: the unit is then not run and the
 * next agglom_wait() of this context returns -EINVAL as well. Callable from any thread. */
int agglom_submit(struct agglom_task *task, const void *args, const struct agglom_range *ranges,
                  long long priority, unsigned long long cost);

/* Waits for the units that the running CPU-only unit has submitted; outside of units, for all that any thread
 * has submitted before. own: only for those that this thread has submitted. Runs work meanwhile. Afterwards
 * all they wrote is visible. Returns 0, or the first error of these units since such a wait as a negative
 * errno. */
int agglom_wait(void);
int agglom_wait_own(void);

/* The directives of host code. IN in a section's mode: the host is about to read it; OUT: the host has
 * written it, or is about to; INOUT: both. Each waits for those units that are in the way of that, among
 * those that agglom_wait() waits for, or agglom_wait_own(); and runs work meanwhile. An impossible range gets
 * a message and -EINVAL, which the next agglom_wait() of this context returns as well; then all these units
 * are waited for. Inside the body of a unit that is not CPU-only all of them do nothing. Callable from any
 * thread. */
int agglom_wait_sections(const struct agglom_directive *at, const struct agglom_range *ranges);
int agglom_wait_own_sections(const struct agglom_directive *at, const struct agglom_range *ranges);
int agglom_update_sections(const struct agglom_directive *at, const struct agglom_range *ranges);

/* The block under `data`: begin gives what end is to be called with, by the same context, where the block is
 * left. NULL is fine there: then all units are waited for. */
void *agglom_data_begin(const struct agglom_directive *at, const struct agglom_range *ranges);
void agglom_data_end(void *block);

/** How '#pragma agglom for' is cut. */
enum agglom_schedule {
  AGGLOM_SCHEDULE_AUTO = 0,
  AGGLOM_SCHEDULE_STATIC = 1,  /* consecutive chunks of equal size, one for each compute unit */
  AGGLOM_SCHEDULE_DYNAMIC = 2, /* smaller ones, taken by whoever is free */
  AGGLOM_SCHEDULE_RUNTIME = 3, /* as AGGLOM_SCHEDULE says */
  AGGLOM_SCHEDULE_LOGFIT = 4,  /* these measure compute units: see the manual */
  AGGLOM_SCHEDULE_CONCORD = 5,
  AGGLOM_SCHEDULE_HDSS = 6,
  AGGLOM_SCHEDULE_ORACLE = 7,
  AGGLOM_SCHEDULE_STATIC_PCF = 8,
  AGGLOM_SCHEDULE_GUIDED_SIZES = 9,
  AGGLOM_SCHEDULE_GUIDED_RUNTIME = 10,
  AGGLOM_SCHEDULE_CLUSTERED_GUIDED = 11,
  AGGLOM_SCHEDULE_DYNAMIC_LOCKED = 12
};
enum agglom_for_flags {
  AGGLOM_FOR_NOWAIT = 1,
  AGGLOM_FOR_CPU = 2, /* the units are CPU-only: cut for CPU threads alone */
  AGGLOM_FOR_EVEN =
      4, /* what an iteration writes is as long as in all others, and as far from the one before */
  AGGLOM_FOR_APART = 8 /* no two iterations write an element of one section with the same indexes */
};

/* Waits for the units that were submitted before: those of all threads, in a unit those of its own. Comes
 * before what a loop takes over is read: its bounds, the values in env. Their errors stay for the next wait.
 */
void agglom_for_begin(void);

/* Runs the iterations 0 .. n - 1 of a loop in chunks. submit(env, from, to, slot) submits the unit that runs
 * the iterations from .. to - 1 of them; it may be called for any part of the loop, more than once, by any
 * thread, and by several at a time, so it reads env and does nothing else that shows. A chunk has slot_size
 * zeroed bytes at slot, aligned for any type, in which its unit leaves its part of the loop's reductions.
 * chunk is the number of iterations in a chunk; below 1: the schedule chooses. ratio is for the schedules
 * that take another number; below 0: none is given. Unless flags say NOWAIT, waits then for all units of this
 * context, and calls combine(env, slot) for each chunk in order (combine is NULL when slot_size is 0). With
 * NOWAIT or CPU, or when submit() submits anything but one unit with a kernel, all units are submitted at
 * once, by the calling thread, in order. env must stay valid until the return; env_size is its size. Returns
 * 0; a negative errno when a chunk, or a unit of this context before it, could not be run, after a message,
 * which stays for the next wait; or 1 when nothing was begun and the caller is to run the loop itself: inside
 * the body of a unit that is not CPU-only, without memory for the slots, and at exit. */
int agglom_for(void (*submit)(const void *env, unsigned long long from, unsigned long long to, void *slot),
               void (*combine)(void *env, const void *slot), void *env, unsigned long env_size,
               unsigned long slot_size, unsigned long long n, unsigned schedule, long long chunk,
               double ratio, unsigned flags);

/* In submit(): whether the sections that are only read must be exact. 0: they are only compared with what
 * other chunks write, on CPUs, and may leave out what lies between the first and the last iteration. */
int agglom_for_exactly(void);

/* Used by the generated emulated kernels: begin and end of unit k of a launch (completion flags). */
void agglom_emulated_begin(const struct agglom_launch *launch, unsigned k);
void agglom_emulated_end(const struct agglom_launch *launch, unsigned k);

#endif /* AGGLOM_ABI_H */
