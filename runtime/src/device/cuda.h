/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CUDA backend's own parts: cuda.c (device, streams, launches), cuda_memory.c, cuda_kernel.c (modules
 * and kernels), and cuda_times.c. Nothing else includes this. */
#ifndef AG_CUDA_H
#define AG_CUDA_H

#include "device/backend.h"
#include "device/cuda_driver.h"
#include "sys/gate.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

/** Something alive on the device that close() frees when its user has not. */
struct cuda_memory {
  void *address;
  bool host;
};

/** A registered module as this device sees it. */
struct cuda_module {
  const struct agglom_module *module;
  ag_cu_module loaded; /* NULL when it could not be; then */
  int error;           /* why not, said once */
  struct cuda_module *next;
};

struct ag_kernel {
  const struct agglom_task *task;
  ag_cu_function function;
  unsigned max_threads; /* that this kernel's registers allow in a block */
  struct ag_kernel *next;
};

enum span_kind { SPAN_COPY_IN, SPAN_KERNEL, SPAN_COPY_OUT };

/** Two events around one kernel; and around one copy where the device is timed. */
struct span {
  ag_cu_event begin, end;
  enum span_kind kind;
  struct alike *like; /* of a kernel; NULL when others have its entry */
};

/** Launches of one kernel with as many units on the same grid, on one stream. */
struct alike {
  const struct ag_kernel *kernel;
  unsigned units;
  struct ag_grid grid;
  unsigned launches, measured; /* the latter up to a few */
  double ns;                   /* that one takes */
};
enum { ALIKE = 4 };

struct ag_stream {
  ag_cu_stream stream;
  ag_cu_event mark, milestone;
  bool marked;      /* a mark is recorded that finished() has not yet seen complete */
  bool prints;      /* a kernel since the last mark writes to standard output */
  bool prints_mark; /* one before the last mark does */
  struct span *spans;
  unsigned n_spans;   /* that exist */
  unsigned used;      /* around operations since spans were last given back */
  unsigned used_mark; /* of these, before the mark */
  struct alike alike[ALIKE];
  unsigned next_alike;                /* the entry that is given up next */
  double guessed_ns, guessed_mark_ns; /* of kernels that are not timed: so far, and before the mark */
  uint64_t kernel_ns;                 /* between the last two marks that are complete */
  struct ag_device_times times;       /* the same of all operations */
  ag_cu_event base; /* of a timed device: an event at a known time, the base_ns of our clock */
  uint64_t base_ns;
  struct ag_stream *next;
};

struct cuda {
  struct ag_device base; /* first: the public part */
  const struct ag_cuda_driver *cu;
  ag_cu_device device;
  ag_cu_context context;
  atomic_flag said_failure;
  pthread_mutex_t lock; /* guards the next three; the driver is never called with it held */
  struct cuda_memory *memory;
  size_t n_memory, memory_room;
  struct ag_stream *streams;
  struct ag_gate loading; /* who is inside loads or unloads; guards what follows */
  ag_cu_result
      said_refused;    /* why it has refused an image where it takes another one of the file; 0: it has not */
  bool output_ensured; /* that there is room for what kernels print has been seen to */
  struct cuda_module *modules;
  struct ag_kernel *kernels;
};

static inline struct cuda *cuda_of(struct ag_device *dev) { return (struct cuda *)(void *)dev; }

/* Turns a driver's answer to a call of `symbol` into a negative errno and takes the consequences: a sticky
 * error quarantines the device, the first failure of another sort is said. */
int ag_cuda_check(struct cuda *c, ag_cu_result result, const char *symbol);

/* Calls the driver; 0 or a negative errno, after the consequences of a failure have been taken. */
#define CALL(C, NAME, ...) ag_cuda_check(C, (C)->cu->NAME(__VA_ARGS__), ag_cuda_symbol.NAME)
/* For cleaning up, where a call before it may have found the device lost. */
#define CALL_IF_ALIVE(C, NAME, ...) (ag_device_lost(&(C)->base) ? -EIO : CALL(C, NAME, __VA_ARGS__))

/* Makes the device's context current for this thread up to ag_cuda_leave(), if it is not by ops->enter().
 * -EIO when the device is lost; then there is nothing to leave. */
int ag_cuda_enter(struct cuda *c);

/* Gives the thread its own context back. Returns err, or -EIO when the device turns out to be lost. */
int ag_cuda_leave(struct cuda *c, int err);

/* Waits until the stream is idle. */
int ag_cuda_drain(struct cuda *c, const struct ag_stream *s);

/* The next pair of events of a stream, made when there is none left over. */
int ag_cuda_take_span(struct cuda *c, struct ag_stream *s, enum span_kind kind, struct span **span);

/* What is known of launches that look like this one, on this stream. */
struct alike *ag_cuda_alike(struct ag_stream *s, const struct ag_kernel *kernel, unsigned units,
                            struct ag_grid grid);

/* Whether the next one of them is to be timed. */
bool ag_cuda_to_be_timed(struct alike *like);

/* A new event that others are counted from. The stream is idle. */
int ag_cuda_set_base(struct cuda *c, struct ag_stream *s);

/* Adds up the kernels before the mark and gives their events back for new launches. */
int ag_cuda_read_spans(struct cuda *c, struct ag_stream *s);

/* The device operations that cuda_memory.c holds; see device.h. */
int ag_cuda_alloc(struct ag_device *dev, size_t bytes, void **dptr);
int ag_cuda_free(struct ag_device *dev, void *dptr);
int ag_cuda_host_alloc(struct ag_device *dev, size_t bytes, void **hptr);
int ag_cuda_host_free(struct ag_device *dev, void *hptr);
int ag_cuda_host_register(struct ag_device *dev, void *hptr, size_t bytes);
int ag_cuda_host_unregister(struct ag_device *dev, void *hptr);

/* Frees what was allocated and is not yet free. Entered. */
void ag_cuda_free_all(struct cuda *c);

/* The device operations that cuda_kernel.c holds; see device.h. */
unsigned ag_cuda_resident(struct ag_device *dev, struct ag_kernel *kernel, unsigned threads);
int ag_cuda_kernel(struct ag_device *dev, const struct agglom_task *task, struct ag_kernel **out);
void ag_cuda_forget(struct ag_device *dev, const struct agglom_module *module);

#endif /* AG_CUDA_H */
