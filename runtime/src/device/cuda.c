/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A CUDA device through the driver API. It works in the device's primary context, which it shares with a
 * CUDA runtime that the program may use beside agglom, and leaves each thread's current context as it was.
 *
 * After a sticky error the context is dead. No call is made on the device any more, not even to free what
 * is left on it: that goes when the process ends.
 *
 * Calls on one stream must come from one thread at a time; different streams are independent. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/cuda.h"
#include "sys/clock.h"
#include "sys/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Errors ------------------------------------------------------------------------------------------- */

int ag_cuda_check(struct cuda *c, ag_cu_result result, const char *symbol) {
  char why[256];
  switch (ag_cuda_classify(result)) {
  case AG_CUDA_FINE:
    return 0;
  case AG_CUDA_NOT_YET:
    return -EAGAIN;
  case AG_CUDA_NO_MEMORY:
    return -ENOMEM;
  case AG_CUDA_LOST:
    snprintf(why, sizeof why, "%s: %s (%s)", symbol, ag_cuda_error_name(c->cu, result),
             ag_cuda_error_text(c->cu, result));
    ag_device_quarantine(&c->base, why, ag_cuda_advice(result));
    return -EIO;
  case AG_CUDA_GONE: /* nobody's fault: the process is ending */
    atomic_store(&c->base.health, AG_DEVICE_QUARANTINED);
    return -EIO;
  case AG_CUDA_FAILED:
    break;
  }
  ag_warn_once(&c->said_failure, "cuda:%d: %s failed: %s (%s); further such failures are not reported",
               c->base.info.index, symbol, ag_cuda_error_name(c->cu, result),
               ag_cuda_error_text(c->cu, result));
  return -EIO;
}

/* The device that this thread has entered for several calls, and how often. */
static _Thread_local struct {
  const struct cuda *in;
  unsigned depth;
} visit;

int ag_cuda_enter(struct cuda *c) {
  if (ag_device_lost(&c->base))
    return -EIO;
  return visit.in == c ? 0 : CALL(c, context_push, c->context);
}

int ag_cuda_leave(struct cuda *c, int err) {
  if (visit.in == c)
    return err;
  ag_cu_context ours;
  /* What was asked for has been done or not by now: only the loss of the device can change that. */
  if (!ag_device_lost(&c->base) && CALL(c, context_pop, &ours) && ag_device_lost(&c->base))
    return -EIO;
  return err;
}

static int enter(struct ag_device *dev) {
  struct cuda *c = cuda_of(dev);
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  if (!visit.in)
    visit.in = c;
  else if (visit.in != c) /* what the driver calls may enter another device: its calls do so one by one */
    return ag_cuda_leave(c, 0);
  ++visit.depth;
  return 0;
}

static int leave(struct ag_device *dev, int err) {
  struct cuda *c = cuda_of(dev);
  if (visit.in != c || --visit.depth)
    return err;
  visit.in = NULL;
  return ag_cuda_leave(c, err);
}

/* --- Streams and copies -------------------------------------------------------------------------------- */

/* Not by the driver's own call for that: on a device that hangs it would never return. */
int ag_cuda_drain(struct cuda *c, const struct ag_stream *s) {
  uint64_t begin = ag_clock_ns();
  int err;
  while ((err = CALL_IF_ALIVE(c, stream_query, s->stream)) == -EAGAIN)
    if ((err = ag_device_bear(&c->base, begin)))
      break;
  return err;
}

/* Frees what a stream consists of, as far as it exists. Without the context current, only our own part.
 * Returns an error when the stream is not known to be idle. */
static int stream_dispose(struct cuda *c, struct ag_stream *s, bool entered) {
  int err = entered ? 0 : -EIO;
  if (entered && s->stream)
    err = ag_cuda_drain(c, s);
  for (unsigned i = 0; i < s->n_spans && entered; ++i) {
    CALL_IF_ALIVE(c, event_destroy, s->spans[i].begin);
    CALL_IF_ALIVE(c, event_destroy, s->spans[i].end);
  }
  if (entered && s->mark)
    CALL_IF_ALIVE(c, event_destroy, s->mark);
  if (entered && s->base)
    CALL_IF_ALIVE(c, event_destroy, s->base);
  if (entered && s->milestone)
    CALL_IF_ALIVE(c, event_destroy, s->milestone);
  if (entered && s->stream)
    CALL_IF_ALIVE(c, stream_destroy, s->stream);
  free(s->spans);
  free(s);
  return err;
}

static int stream_create(struct ag_device *dev, struct ag_stream **stream) {
  struct cuda *c = cuda_of(dev);
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  struct ag_stream *s = calloc(1, sizeof *s);
  if (!s)
    return ag_cuda_leave(c, -ENOMEM);
  err = CALL(c, stream_create, &s->stream, AG_CU_STREAM_NON_BLOCKING);
  if (!err)
    err = CALL(c, event_create, &s->mark, AG_CU_EVENT_DISABLE_TIMING);
  if (!err)
    err = CALL(c, event_create, &s->milestone, AG_CU_EVENT_DISABLE_TIMING);
  if (!err && dev->timed)
    err = CALL(c, event_create, &s->base, AG_CU_EVENT_DEFAULT);
  if (!err && dev->timed)
    err = ag_cuda_set_base(c, s);
  if (err) {
    stream_dispose(c, s, true);
    return ag_cuda_leave(c, err);
  }
  pthread_mutex_lock(&c->lock);
  s->next = c->streams;
  c->streams = s;
  pthread_mutex_unlock(&c->lock);
  *stream = s;
  return ag_cuda_leave(c, 0);
}

static int stream_destroy(struct ag_device *dev, struct ag_stream *s) {
  struct cuda *c = cuda_of(dev);
  pthread_mutex_lock(&c->lock);
  for (struct ag_stream **at = &c->streams; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      break;
    }
  pthread_mutex_unlock(&c->lock);
  bool entered = !ag_cuda_enter(c);
  int err = stream_dispose(c, s, entered);
  if (entered)
    err = ag_cuda_leave(c, err);
  return ag_device_lost(dev) ? -EIO : err;
}

/* Puts a copy of one row or several into the stream. */
static int post_copy(struct cuda *c, struct ag_stream *s, enum span_kind kind, ag_cu_ptr device, void *host,
                     const struct ag_rows *rows) {
  bool in = kind == SPAN_COPY_IN;
  if (rows->n == 1)
    return in ? CALL(c, copy_in, device, host, rows->bytes, s->stream)
              : CALL(c, copy_out, host, device, rows->bytes, s->stream);
  struct ag_cu_side there = {.type = AG_CU_MEMORYTYPE_DEVICE, .device = device, .pitch = rows->device_pitch};
  struct ag_cu_side here = {.type = AG_CU_MEMORYTYPE_HOST, .host = host, .pitch = rows->host_pitch};
  struct ag_cu_rows copy = {in ? here : there, in ? there : here, rows->bytes, rows->n};
  return CALL(c, copy_rows, &copy, s->stream);
}

/* A copy, between two events where the device is timed. device: the address on it. */
static int copy(struct cuda *c, struct ag_stream *s, enum span_kind kind, ag_cu_ptr device, void *host,
                const struct ag_rows *rows) {
  struct span *span = NULL;
  bool any = rows->n && rows->bytes;
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  if (any && s->base)
    err = ag_cuda_take_span(c, s, kind, &span);
  if (!err && span)
    err = CALL(c, event_record, span->begin, s->stream);
  if (!err && any)
    err = post_copy(c, s, kind, device, host, rows);
  if (!err && span) {
    if (!CALL(c, event_record, span->end, s->stream))
      ++s->used;
    err = ag_device_lost(&c->base) ? -EIO : 0; /* the copy is on its way, timed or not */
  }
  return ag_cuda_leave(c, err);
}

static int rows_in(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src,
                   const struct ag_rows *rows) {
  return copy(cuda_of(dev), s, SPAN_COPY_IN, (ag_cu_ptr)(uintptr_t)dst, (void *)src, rows);
}

static int rows_out(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src,
                    const struct ag_rows *rows) {
  return copy(cuda_of(dev), s, SPAN_COPY_OUT, (ag_cu_ptr)(uintptr_t)src, dst, rows);
}

static int copy_in(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n) {
  return rows_in(dev, s, dst, src, &(struct ag_rows){.n = 1, .bytes = n});
}

static int copy_out(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n) {
  return rows_out(dev, s, dst, src, &(struct ag_rows){.n = 1, .bytes = n});
}

/* In one copy: a call costs as much as some hundred kilobytes. */
static int fetch(struct ag_device *dev, struct ag_stream *s, const struct ag_fetch *pieces, size_t n) {
  size_t bytes =
      (size_t)((const char *)pieces[n - 1].from - (const char *)pieces[0].from) + pieces[n - 1].bytes;
  return copy_out(dev, s, pieces[0].to, pieces[0].from, bytes);
}

static int move(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n) {
  struct cuda *c = cuda_of(dev);
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  return ag_cuda_leave(
      c, n ? CALL(c, move, (ag_cu_ptr)(uintptr_t)dst, (ag_cu_ptr)(uintptr_t)src, n, s->stream) : 0);
}

static int fill(struct ag_device *dev, struct ag_stream *s, void *dst, int byte, size_t n) {
  struct cuda *c = cuda_of(dev);
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  return ag_cuda_leave(c,
                       n ? CALL(c, fill, (ag_cu_ptr)(uintptr_t)dst, (unsigned char)byte, n, s->stream) : 0);
}

/* --- Launches ------------------------------------------------------------------------------------------ */

static int launch(struct ag_device *dev, struct ag_stream *s, struct ag_kernel *k,
                  const struct agglom_launch *l, struct ag_grid grid) {
  struct cuda *c = cuda_of(dev);
  struct agglom_launch copy = *l;
  void *params[] = {&copy};
  struct span *span = NULL;
  unsigned map = ag_launch_map(k->task, l);
  int err = ag_device_lost(dev) ? -EIO : ag_grid_check(dev, k->task, l, grid);
  if (err)
    return err;
  if (grid.threads > k->max_threads) { /* a kernel with many registers: any number of threads is right */
    grid.threads = k->max_threads;
    if (map == AGGLOM_MAP_THREAD) {
      grid.blocks = (l->n_chains - 1) / grid.threads + 1;
    } else if (map == AGGLOM_MAP_WARP) {
      unsigned warps = grid.threads / AG_WARP ? grid.threads / AG_WARP : 1;
      grid.threads = warps * AG_WARP;
      grid.blocks = (l->n_chains - 1) / warps + 1;
    }
  }
  err = ag_cuda_enter(c);
  if (err)
    return err;
  struct alike *like = ag_cuda_alike(s, k, l->n_units, grid);
  if (s->base || ag_cuda_to_be_timed(like))
    err = ag_cuda_take_span(c, s, SPAN_KERNEL, &span);
  if (span)
    span->like = like;
  if (!err && span)
    err = CALL(c, event_record, span->begin, s->stream);
  if (!err)
    err = CALL(c, launch, k->function, grid.blocks, 1, 1, grid.threads, 1, 1, 0, s->stream, params, NULL);
  if (!err) {
    /* The kernel is on its way: that it cannot be timed must not make it look as if it were not. */
    s->prints |= k->task->flags & AGGLOM_TASK_PRINTS;
    if (!span)
      s->guessed_ns += like->ns;
    else if (!CALL(c, event_record, span->end, s->stream))
      ++s->used;
    err = ag_device_lost(dev) ? -EIO : 0;
  }
  return ag_cuda_leave(c, err);
}

static int mark(struct ag_device *dev, struct ag_stream *s) {
  struct cuda *c = cuda_of(dev);
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  err = CALL(c, event_record, s->mark, s->stream);
  if (!err) {
    s->marked = true;
    s->used_mark = s->used;
    s->guessed_mark_ns = s->guessed_ns;
    s->prints_mark |= s->prints;
    s->prints = false;
  }
  return ag_cuda_leave(c, err);
}

static int milestone(struct ag_device *dev, struct ag_stream *s) {
  struct cuda *c = cuda_of(dev);
  int err = ag_cuda_enter(c);
  return err ? err : ag_cuda_leave(c, CALL(c, event_record, s->milestone, s->stream));
}

/* An event that was never recorded counts as complete. */
static int follow(struct ag_device *dev, struct ag_stream *s, struct ag_stream *other) {
  struct cuda *c = cuda_of(dev);
  int err = ag_cuda_enter(c);
  return err ? err : ag_cuda_leave(c, CALL(c, stream_follow, s->stream, other->milestone, 0));
}

static int finished(struct ag_device *dev, struct ag_stream *s) {
  struct cuda *c = cuda_of(dev);
  if (ag_device_lost(dev))
    return -EIO;
  if (!s->marked)
    return 0;
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  err = CALL(c, event_query, s->mark);
  if (!err && s->prints_mark) { /* the driver writes what kernels print when it is waited for, not before */
    s->prints_mark = false;
    err = CALL(c, event_wait, s->mark);
  }
  if (!err) {
    s->marked = false;
    err = ag_cuda_read_spans(c, s);
  }
  return ag_cuda_leave(c, err);
}

static uint64_t kernel_ns(struct ag_device *dev, struct ag_stream *s) {
  (void)dev;
  return s->kernel_ns;
}

static void times(struct ag_device *dev, struct ag_stream *s, struct ag_device_times *times) {
  (void)dev;
  *times = s->times;
}

/* --- The device ------------------------------------------------------------------------------------------
 */

static void close_device(struct ag_device *dev) {
  struct cuda *c = cuda_of(dev);
  bool entered = !ag_cuda_enter(c);
  while (c->streams) {
    struct ag_stream *s = c->streams;
    c->streams = s->next;
    stream_dispose(c, s, entered);
  }
  if (entered)
    ag_cuda_free_all(c);
  while (c->modules) {
    struct cuda_module *m = c->modules;
    c->modules = m->next;
    if (entered && m->loaded)
      CALL_IF_ALIVE(c, module_unload, m->loaded);
    free(m);
  }
  while (c->kernels) {
    struct ag_kernel *k = c->kernels;
    c->kernels = k->next;
    free(k);
  }
  if (entered)
    ag_cuda_leave(c, 0);
  CALL_IF_ALIVE(c, context_release, c->device);
  pthread_mutex_destroy(&c->lock);
  free(c->memory);
  free(c);
}

static const struct ag_device_ops cuda_ops = {
    .enter = enter,
    .leave = leave,
    .alloc = ag_cuda_alloc,
    .free = ag_cuda_free,
    .host_alloc = ag_cuda_host_alloc,
    .host_free = ag_cuda_host_free,
    .host_register = ag_cuda_host_register,
    .host_unregister = ag_cuda_host_unregister,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .fetch = fetch,
    .rows_in = rows_in,
    .rows_out = rows_out,
    .move = move,
    .fill = fill,
    .milestone = milestone,
    .follow = follow,
    .kernel = ag_cuda_kernel,
    .resident = ag_cuda_resident,
    .launch = launch,
    .mark = mark,
    .finished = finished,
    .kernel_ns = kernel_ns,
    .times = times,
    .forget = ag_cuda_forget,
    .close = close_device,
};

/* The device's place on the bus, by which other libraries know it; no harm when it does not say. */
static void find_pci(struct cuda *c) {
  static const int wanted[] = {AG_CU_PCI_DOMAIN_ID, AG_CU_PCI_BUS_ID, AG_CU_PCI_DEVICE_ID};
  int value[3] = {0};
  ag_cu_result result = AG_CU_SUCCESS;
  for (int i = 0; i < 3 && !result; ++i)
    result = c->cu->device_attribute(&value[i], wanted[i], c->device);
  if (!result)
    snprintf(c->base.info.pci, sizeof c->base.info.pci, "%08x:%02x:%02x.0", (unsigned)value[0],
             (unsigned)value[1], (unsigned)value[2]);
}

/* Fills in what the device says of itself. */
static ag_cu_result describe(struct cuda *c, int index) {
  static const int wanted[] = {AG_CU_COMPUTE_CAPABILITY_MAJOR, AG_CU_COMPUTE_CAPABILITY_MINOR,
                               AG_CU_MULTIPROCESSOR_COUNT,     AG_CU_MAX_THREADS_PER_BLOCK,
                               AG_CU_MAX_GRID_DIM_X,           AG_CU_COMPUTE_MODE};
  enum { N = sizeof wanted / sizeof wanted[0] };
  struct ag_device_info *info = &c->base.info;
  int value[N] = {0};
  ag_cu_result result = c->cu->device_get(&c->device, index);
  if (!result)
    result = c->cu->device_name(info->name, (int)sizeof info->name, c->device);
  if (!result)
    result = c->cu->device_memory(&info->memory_bytes, c->device);
  for (int i = 0; i < N && !result; ++i)
    result = c->cu->device_attribute(&value[i], wanted[i], c->device);
  if (result)
    return result;
  snprintf(info->kind, sizeof info->kind, "cuda");
  info->name[sizeof info->name - 1] = '\0';
  info->index = index;
  info->capability = 10 * value[0] + value[1];
  info->compute_units = (unsigned)value[2];
  info->max_threads = (unsigned)value[3];
  info->max_blocks = (unsigned)value[4];
  find_pci(c);
  return value[5] == AG_CU_COMPUTE_MODE_PROHIBITED ? AG_CU_DEVICE_UNAVAILABLE : AG_CU_SUCCESS;
}

int ag_cuda_open(int index, struct ag_device **dev, const char **why) {
  static _Thread_local char reason[256];
  const struct ag_cuda_driver *cu = ag_cuda_loaded();
  *why = reason;
  if (!cu) {
    snprintf(reason, sizeof reason, "the NVIDIA driver is not loaded");
    return -ENODEV;
  }
  struct cuda *c = calloc(1, sizeof *c);
  if (!c) {
    snprintf(reason, sizeof reason, "there is no host memory left");
    return -ENOMEM;
  }
  c->cu = cu;
  c->base.ops = &cuda_ops;
  atomic_flag_clear(&c->said_failure);
  ag_cu_result result = describe(c, index);
  bool retained = false;
  if (!result) {
    result = cu->context_retain(&c->context, c->device);
    retained = !result;
  }
  if (!result)
    result = cu->context_push(c->context);
  if (!result) {
    ag_cu_context ours;
    size_t total;
    result = cu->memory_info(&c->base.info.memory_free, &total);
    ag_cu_result popped = ag_cuda_classify(result) == AG_CUDA_LOST ? result : cu->context_pop(&ours);
    if (!result && ag_cuda_classify(popped) == AG_CUDA_LOST)
      result = popped; /* any other failure to pop does not matter */
  }
  if (result) {
    snprintf(reason, sizeof reason, "%s (%s)", ag_cuda_error_name(cu, result),
             ag_cuda_error_text(cu, result));
    int err = ag_cuda_classify(result) == AG_CUDA_NO_MEMORY ? -ENOMEM
              : result == AG_CU_DEVICE_UNAVAILABLE          ? -EBUSY
                                                            : -EIO;
    if (retained && ag_cuda_classify(result) != AG_CUDA_LOST)
      cu->context_release(c->device);
    free(c);
    return err;
  }
  pthread_mutex_init(&c->lock, NULL);
  *dev = &c->base;
  return 0;
}
