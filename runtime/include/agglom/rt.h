/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libagglomrt for programs: waiting, memory, and a look at what the runtime does. Programs compiled by
 * agglomcc need none of it: pragmas and plain C are enough. All functions may be called from any thread
 * unless they say otherwise; errors are negative errno values, after one line on standard error. */
#ifndef AGGLOM_RT_H
#define AGGLOM_RT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AGGLOM_VERSION "0.1.0"

/** The version of the library that runs, as AGGLOM_VERSION of its headers. */
const char *agglom_version(void);

/**
 * Starts the runtime: reads the environment, opens devices, starts workers. The first submission does it, so
 * calling this only takes that time out of a measurement. Calling it again does nothing.
 *
 * \return 0; -EINVAL when an AGGLOM_* variable was refused (its default is used and the runtime runs);
 *         -ENOMEM when there is not even memory for the runtime: task functions are then plain calls.
 */
int agglom_init(void);

/**
 * Ends the runtime: runs all submitted units, prints the report if AGGLOM_REPORT asks for one, writes the
 * trace of AGGLOM_TRACE, gives threads, devices and memory back. Happens by itself at exit. No other thread
 * may use the runtime meanwhile. A later submission starts it anew. In a child made by fork() task functions
 * are plain calls, units that were in flight stay with the parent, and nothing is to be ended.
 *
 * \return 0, or -EBUSY when called inside a task function.
 */
int agglom_shutdown(void);

/**
 * Waits for the units that the running device(cpu) task has submitted; outside of tasks, for all that any
 * thread has submitted before the wait began. Threads that go on submitting do not hold it up. Runs work
 * meanwhile. Afterwards everything those units wrote is visible. The same as `#pragma agglom wait`.
 *
 * \return 0, or an error of these units that no wait has returned yet: the calling thread's first one, else
 * one of another thread. -ENOMEM, after a message, when a thread that never submitted has no memory to wait.
 */
int agglom_wait(void);

/**
 * The same for the units of the calling thread alone, or of the running device(cpu) task: `#pragma agglom
 * wait own`. For threads that go their own ways.
 *
 * \return 0, or the first error of these units since the last wait for them.
 */
int agglom_wait_own(void);

/**
 * Waits for those units that use one of these bytes, whether they read or write it, among those that
 * agglom_wait() waits for, or agglom_wait_own(). Runs work meanwhile. Afterwards the host may read and write
 * them. What `#pragma agglom wait on(...)` does with each of its sections, and `wait own on(...)`.
 *
 * \return 0; -EINVAL when memory is NULL and bytes is not 0, or when they reach beyond all memory: then all
 * of these units have been waited for.
 */
int agglom_wait_on(const void *memory, size_t bytes);
int agglom_wait_own_on(const void *memory, size_t bytes);

/**
 * Memory that suits devices: aligned to 256 bytes and, from 64 KiB on, page-locked when units on a device
 * first read it, so that it is sent there without a staging buffer. Any other memory works as well.
 *
 * \return NULL when there is no memory, and errno is ENOMEM, or for 0 bytes.
 */
void *agglom_alloc(size_t bytes);

/** Gives back what agglom_alloc() returned; NULL is fine. No unit in flight may use it. */
void agglom_free(void *memory);

/**
 * Totals since the runtime was started. Sampled while it runs, so they need not fit each other exactly. Later
 * versions add members at the end; a program keeps working with a library that knows more of them, or fewer.
 */
struct agglom_counters {
  unsigned long long units;           /* submitted */
  unsigned long long units_on_cpu;    /* run to the end on the CPU */
  unsigned long long units_on_device; /* run to the end on a device */
  unsigned long long launches;        /* kernel launches whose results were taken */
  unsigned long long cpu_batches;
  unsigned long long failed;    /* batches that failed on a device and were run on the CPU instead */
  unsigned workers;             /* CPU threads that run work, the waiting one included */
  unsigned devices;             /* in use */
  unsigned long long queued;    /* units that wait now to be launched, or to be run in CPU batches */
  unsigned long long in_flight; /* units now that are submitted and have not run, the queued ones included */
  unsigned long long bytes_in;  /* copied to devices */
  unsigned long long bytes_reused; /* not copied, for they were there already */
  unsigned long long bytes_out;    /* copied back */
  unsigned long long kernel_ns;    /* in kernels, as devices measured */
  /* Energy of the machine's CPU, and of the GPUs in use, in microjoules: measured when AGGLOM_REPORT or
   * AGGLOM_TRACE is set. 0 where it is not, or cannot be. */
  unsigned long long cpu_uj;
  unsigned long long devices_uj;
};

/**
 * Fills the first `size` bytes of *counters; all zero while the runtime is not running. For
 * agglom_get_counters(), which tells it what the program was compiled with.
 */
void agglom_read_counters(struct agglom_counters *counters, size_t size);

/** Fills *counters; all zero while the runtime is not running. */
static inline void agglom_get_counters(struct agglom_counters *counters) {
  agglom_read_counters(counters, sizeof *counters);
}

/**
 * Writes what AGGLOM_TRACE has recorded so far, as the runtime does by itself when it ends: for programs that
 * end otherwise, by _exit() say, or to look at a program that goes on.
 *
 * \param file where to; NULL is the file of AGGLOM_TRACE.
 * \return 0; -ENOENT when nothing is traced; or why the file could not be written, after a message.
 */
int agglom_write_trace(const char *file);

#ifdef __cplusplus
}
#endif

#endif /* AGGLOM_RT_H */
