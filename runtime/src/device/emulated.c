/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulated device: a GPU's behaviour on the CPU. Copies and kernels run asynchronously, each stream in
 * order on its own thread; the blocks of a kernel are taken in index order by the device's executor
 * threads (emulated_threads.c); memory is its own (emulated_memory.c); launches and copies can be made to
 * cost time, and calls to fail. What a real device would answer with an error or a crash is refused here with
 * a sentence. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/emulated.h"
#include "device/backend.h"
#include "device/emulated_isolated.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/thread.h"
#include "sys/topology.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct emulated *emulated_of(struct ag_device *dev) { return (struct emulated *)(void *)dev; }

/* --- Faults ----------------------------------------------------------------------------------------- */

static _Atomic uint64_t fault_calls;

void ag_emulated_reset_faults(void) { atomic_store(&fault_calls, 0); }
uint64_t ag_emulated_fault_calls(void) { return atomic_load(&fault_calls); }

/* Counts a call of the sort that AGGLOM_FAULT names; returns the error that this one is to have, or 0. */
static int fault_of(struct emulated *e, enum ag_fault_call call) {
  if (e->fault.call != call && e->fault.call != AG_FAULT_ANY)
    return 0;
  uint64_t count = atomic_fetch_add(&fault_calls, 1) + 1;
  bool hit = count >= e->fault.nth && count - e->fault.nth < e->fault.times;
  return hit ? (int)e->fault.error : 0;
}

/* Every call's beginning: 0 to go on. *fate (NULL for a call that acts at once) is set when the call is to
 * succeed and its work to take the device down later, as real devices do it. */
static int enter(struct emulated *e, enum ag_fault_call call, enum fate *fate) {
  if (ag_device_lost(&e->base))
    return -EIO;
  switch (fault_of(e, call)) {
  case AG_FAULT_OOM:
    return -ENOMEM;
  case AG_FAULT_FAILED:
    return -EIO;
  case AG_FAULT_STICKY:
    if (fate) {
      *fate = FATE_LOSE;
      return 0;
    }
    ag_device_quarantine(&e->base, "AGGLOM_FAULT asked for it", "unset that variable");
    return -EIO;
  case AG_FAULT_HANG:
    if (fate)
      *fate = FATE_HANG;
    return 0;
  default:
    return 0;
  }
}

/* The beginning of a call that gives something back. When the call fails, that thing stays until the device
 * is closed. */
static int enter_to_give(struct emulated *e, enum ag_fault_call call, const char *what) {
  int err = enter(e, call, NULL);
  if (err && !ag_device_lost(&e->base))
    ag_warn_once(
        &e->said_failure,
        "emulated:%d: %s failed: %s; what it was to give back is kept, further such failures are not "
        "reported",
        e->base.info.index, what, strerror(-err));
  return err;
}

/* --- Streams ------------------------------------------------------------------------------------------ */

static int stream_create(struct ag_device *dev, struct ag_stream **stream) {
  struct emulated *e = emulated_of(dev);
  int err = enter(e, AG_FAULT_STREAM, NULL);
  if (err)
    return err;
  struct ag_stream *s;
  err = ag_emulated_stream_start(e, &s);
  if (err)
    return err;
  pthread_mutex_lock(&e->lock);
  s->next = e->streams;
  e->streams = s;
  pthread_mutex_unlock(&e->lock);
  *stream = s;
  return 0;
}

/* Whether all operations that were put into the stream are done. */
static bool idle(struct ag_stream *s) {
  uint64_t done = atomic_load_explicit(&s->ops_done, memory_order_acquire);
  return done == atomic_load_explicit(&s->ops_posted, memory_order_relaxed);
}

static int stream_destroy(struct ag_device *dev, struct ag_stream *s) {
  struct emulated *e = emulated_of(dev);
  uint64_t begin = ag_clock_ns();
  int err = enter_to_give(e, AG_FAULT_STREAM_DESTROY, "stream_destroy");
  while (!err && !idle(s))
    err = ag_device_bear(dev, begin);
  if (err) { /* its thread may be at work until the device is closed */
    pthread_mutex_lock(&e->reading);
    s->deserted = true;
    pthread_mutex_unlock(&e->reading);
    return err;
  }
  pthread_mutex_lock(&e->lock);
  for (struct ag_stream **at = &e->streams; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      break;
    }
  pthread_mutex_unlock(&e->lock);
  ag_emulated_stream_end(s);
  return ag_device_lost(dev) ? -EIO : 0;
}

/* --- Memory and copies --------------------------------------------------------------------------------- */

static int alloc(struct ag_device *dev, size_t bytes, void **dptr) {
  struct emulated *e = emulated_of(dev);
  int err = enter(e, AG_FAULT_ALLOC, NULL);
  return err ? err : ag_emulated_memory_alloc(&e->memory, bytes, dptr);
}

static int host_alloc(struct ag_device *dev, size_t bytes, void **hptr) {
  struct emulated *e = emulated_of(dev);
  int err = enter(e, AG_FAULT_HOST_ALLOC, NULL);
  return err ? err : ag_emulated_memory_alloc(&e->host, bytes, hptr);
}

/* Kernels and copies of a lost device may still be under way: its memory goes when it is closed. */
static int release(struct emulated *e, struct ag_emulated_memory *memory, void *p, enum ag_fault_call call) {
  if (!p)
    return ag_device_lost(&e->base) ? -EIO : 0;
  int err = enter_to_give(e, call, call == AG_FAULT_FREE ? "free" : "host_free");
  if (err)
    return err;
  err = ag_emulated_memory_free(memory, p);
  if (err)
    ag_error("%s: %p is not a live allocation of this device; please report this", e->base.info.name, p);
  return err;
}

static int free_device(struct ag_device *dev, void *dptr) {
  struct emulated *e = emulated_of(dev);
  return release(e, &e->memory, dptr, AG_FAULT_FREE);
}

static int free_host(struct ag_device *dev, void *hptr) {
  struct emulated *e = emulated_of(dev);
  return release(e, &e->host, hptr, AG_FAULT_HOST_FREE);
}

static int host_register(struct ag_device *dev, void *hptr, size_t bytes) {
  struct emulated *e = emulated_of(dev);
  int err = enter(e, AG_FAULT_HOST_REGISTER, NULL);
  if (err)
    return err;
  if (!bytes || (uintptr_t)hptr % ag_page_size() || bytes % ag_page_size()) {
    ag_error("%s: %zu bytes at %p are not whole pages; please report this", e->base.info.name, bytes, hptr);
    return -EINVAL;
  }
  atomic_fetch_add(&e->registered, 1);
  return 0;
}

static int host_unregister(struct ag_device *dev, void *hptr) {
  struct emulated *e = emulated_of(dev);
  (void)hptr;
  int err = enter_to_give(e, AG_FAULT_HOST_UNREGISTER, "host_unregister");
  atomic_fetch_sub(&e->registered, 1);
  return err;
}

static int check_device_range(struct emulated *e, const void *p, size_t bytes, const char *what) {
  if (!bytes || ag_emulated_memory_holds(&e->memory, p, bytes))
    return 0;
  ag_error("%s: %s: %zu bytes at %p are not within one device allocation; please report this",
           e->base.info.name, what, bytes, p);
  return -EINVAL;
}

static int check_host_range(struct emulated *e, const void *p, const char *what) {
  if (!ag_emulated_memory_has(&e->memory, p))
    return 0;
  ag_error("%s: %s: %p is device memory, not host memory; please report this", e->base.info.name, what, p);
  return -EINVAL;
}

/* Copies rows, of which a copy of one run is one. what: for messages. */
static int copy(struct ag_device *dev, struct ag_stream *s, enum op_kind kind, void *dst, const void *src,
                const struct ag_rows *rows, const char *what) {
  struct emulated *e = emulated_of(dev);
  bool in = kind == OP_COPY_IN;
  size_t bytes = rows->n * rows->bytes;
  struct op op = {.kind = kind, .dst = dst, .src = src, .bytes = bytes, .rows = *rows};
  int err = enter(e, in ? AG_FAULT_COPY_IN : AG_FAULT_COPY_OUT, &op.fate);
  if (err || (!bytes && !op.fate))
    return err;
  if (bytes && (check_device_range(e, in ? dst : src, ag_rows_hull(rows, rows->device_pitch), what) ||
                check_host_range(e, in ? src : dst, what)))
    return -EINVAL;
  return ag_emulated_post(s, &op);
}

static int copy_in(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n) {
  return copy(dev, s, OP_COPY_IN, dst, src, &(struct ag_rows){.n = 1, .bytes = n}, "copy to the device");
}

static int copy_out(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n) {
  return copy(dev, s, OP_COPY_OUT, dst, src, &(struct ag_rows){.n = 1, .bytes = n}, "copy to the host");
}

static int rows_in(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src,
                   const struct ag_rows *rows) {
  return copy(dev, s, OP_COPY_IN, dst, src, rows, "copy of rows to the device");
}

static int rows_out(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src,
                    const struct ag_rows *rows) {
  return copy(dev, s, OP_COPY_OUT, dst, src, rows, "copy of rows to the host");
}

/* From the first byte to the last. */
static size_t hull(const struct ag_fetch *pieces, size_t n) {
  return (size_t)((const char *)pieces[n - 1].from - (const char *)pieces[0].from) + pieces[n - 1].bytes;
}

static int fetch(struct ag_device *dev, struct ag_stream *s, const struct ag_fetch *pieces, size_t n) {
  struct emulated *e = emulated_of(dev);
  struct op op = {.kind = OP_COPY_OUT, .pieces = pieces, .n_pieces = n, .bytes = hull(pieces, n)};
  int err = enter(e, AG_FAULT_COPY_OUT, &op.fate);
  if (err)
    return err;
  if (check_device_range(e, pieces[0].from, op.bytes, "copy to the host") ||
      check_host_range(e, pieces[0].to, "copy to the host"))
    return -EINVAL;
  for (size_t i = 1; i < n; ++i)
    if ((const char *)pieces[i].from - (const char *)pieces[i - 1].from !=
            (char *)pieces[i].to - (char *)pieces[i - 1].to ||
        (const char *)pieces[i].from < (const char *)pieces[i - 1].from + pieces[i - 1].bytes) {
      ag_error("%s: pieces of a copy to the host do not lie alike on both sides; please report this",
               e->base.info.name);
      return -EINVAL;
    }
  return ag_emulated_post(s, &op);
}

static int move(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n) {
  struct emulated *e = emulated_of(dev);
  struct op op = {.kind = OP_MOVE, .dst = dst, .src = src, .bytes = n};
  int err = enter(e, AG_FAULT_MOVE, &op.fate);
  if (err || (!n && !op.fate))
    return err;
  if (n && (check_device_range(e, dst, n, "copy on the device") ||
            check_device_range(e, src, n, "copy on the device")))
    return -EINVAL;
  return ag_emulated_post(s, &op);
}

static int fill(struct ag_device *dev, struct ag_stream *s, void *dst, int byte, size_t n) {
  struct emulated *e = emulated_of(dev);
  struct op op = {.kind = OP_FILL, .dst = dst, .byte = byte, .bytes = n};
  int err = enter(e, AG_FAULT_FILL, &op.fate);
  if (err || (!n && !op.fate))
    return err;
  if (n && check_device_range(e, dst, n, "fill"))
    return -EINVAL;
  return ag_emulated_post(s, &op);
}

/* --- Kernels -------------------------------------------------------------------------------------------- */

static int kernel(struct ag_device *dev, const struct agglom_task *task, struct ag_kernel **out) {
  struct emulated *e = emulated_of(dev);
  int err = enter(e, AG_FAULT_KERNEL, NULL);
  if (err)
    return err;
  if (!task->emulated)
    return -ENOENT;
  pthread_mutex_lock(&e->lock);
  struct ag_kernel *k = e->kernels;
  while (k && k->task != task)
    k = k->next;
  if (!k && (k = malloc(sizeof *k))) {
    *k = (struct ag_kernel){task, e->kernels};
    e->kernels = k;
    ++e->kernel_changes;
  }
  pthread_mutex_unlock(&e->lock);
  *out = k;
  return k ? 0 : -ENOMEM;
}

/* As if its threads were multiprocessors of a GPU. */
static unsigned resident(struct ag_device *dev, struct ag_kernel *k, unsigned threads) {
  enum { BLOCKS = 32 };
  (void)k, (void)threads;
  return BLOCKS * dev->info.compute_units;
}

static int launch(struct ag_device *dev, struct ag_stream *s, struct ag_kernel *k,
                  const struct agglom_launch *l, struct ag_grid grid) {
  struct emulated *e = emulated_of(dev);
  struct op op = {.kind = OP_LAUNCH, .task = k->task, .launch = *l};
  int err = enter(e, AG_FAULT_LAUNCH, &op.fate);
  if (!err)
    err = ag_grid_check(dev, k->task, l, grid);
  if (err)
    return err;
  const size_t item = sizeof(unsigned);
  if (check_device_range(e, l->units, (size_t)l->n_units * k->task->args_size, "arguments of a launch") ||
      check_device_range(e, l->start, l->n_chains * item, "start[] of a launch") ||
      check_device_range(e, l->end, l->n_chains * item, "end[] of a launch") ||
      check_device_range(e, l->part, l->n_chains * item, "part[] of a launch") ||
      check_device_range(e, l->parts, l->n_chains * item, "parts[] of a launch") ||
      (l->pred_start &&
       (check_device_range(e, l->pred_start, (l->n_units + 1) * item, "pred_start[] of a launch") ||
        check_device_range(e, (const void *)(uintptr_t)l->done, l->n_units * item, "done[] of a launch"))))
    return -EINVAL;
  return ag_emulated_post(s, &op);
}

static int milestone(struct ag_device *dev, struct ag_stream *s) {
  struct emulated *e = emulated_of(dev);
  enum fate fate = FATE_WELL;
  int err = enter(e, AG_FAULT_MILESTONE, &fate);
  if (err)
    return err;
  struct op op = {.kind = OP_MILESTONE, .fate = fate, .milestone = calloc(1, sizeof *op.milestone)};
  if (!op.milestone)
    return -ENOMEM;
  op.milestone->users = 2; /* the stream, and the operation */
  err = ag_emulated_post(s, &op);
  if (err) {
    free(op.milestone);
    return err;
  }
  pthread_mutex_lock(&e->lock);
  ag_emulated_let_go(s->milestone);
  s->milestone = op.milestone;
  pthread_mutex_unlock(&e->lock);
  return 0;
}

static int follow(struct ag_device *dev, struct ag_stream *s, struct ag_stream *other) {
  struct emulated *e = emulated_of(dev);
  struct op op = {.kind = OP_FOLLOW};
  int err = enter(e, AG_FAULT_FOLLOW, &op.fate);
  if (err)
    return err;
  pthread_mutex_lock(&e->lock);
  op.milestone = other->milestone;
  if (op.milestone)
    ++op.milestone->users;
  pthread_mutex_unlock(&e->lock);
  err = op.milestone || op.fate ? ag_emulated_post(s, &op) : 0;
  if (err) {
    pthread_mutex_lock(&e->lock);
    ag_emulated_let_go(op.milestone);
    pthread_mutex_unlock(&e->lock);
  }
  return err;
}

static int mark(struct ag_device *dev, struct ag_stream *s) {
  struct op op = {.kind = OP_MARK};
  int err = enter(emulated_of(dev), AG_FAULT_MARK, &op.fate);
  return err ? err : ag_emulated_post(s, &op);
}

static int finished(struct ag_device *dev, struct ag_stream *s) {
  /* On a lost device only an idle stream is reported, so that no thread of ours still touches host memory. */
  if (atomic_load(&dev->health) == AG_DEVICE_ABANDONED)
    return -EIO;
  if (ag_device_lost(dev))
    return idle(s) ? -EIO : -EAGAIN;
  uint64_t done = atomic_load_explicit(&s->marks_done, memory_order_acquire);
  if (s->silent || done != atomic_load_explicit(&s->marks_posted, memory_order_relaxed))
    return -EAGAIN;
  /* The device may have been lost by this very stream since the first look. */
  enum fate fate = FATE_WELL;
  int err = ag_device_lost(dev) ? -EIO : enter(emulated_of(dev), AG_FAULT_FINISHED, &fate);
  if (fate == FATE_LOSE)
    ag_device_quarantine(dev, "AGGLOM_FAULT asked for it", "unset that variable");
  s->silent = fate == FATE_HANG;
  if (s->silent)
    return -EAGAIN;
  return ag_device_lost(dev) ? finished(dev, s) : err;
}

static uint64_t kernel_ns(struct ag_device *dev, struct ag_stream *s) {
  (void)dev;
  return atomic_load_explicit(&s->kernel_ns_last, memory_order_relaxed);
}

static void times(struct ag_device *dev, struct ag_stream *s, struct ag_device_times *times) {
  *times = dev->timed ? s->times_last : (struct ag_device_times){0};
}

static void forget(struct ag_device *dev, const struct agglom_module *module) {
  struct emulated *e = emulated_of(dev);
  pthread_mutex_lock(&e->lock);
  for (struct ag_kernel **at = &e->kernels; *at;) {
    struct ag_kernel *k = *at;
    if (k->task->module == module) {
      *at = k->next;
      ++e->kernel_changes;
      free(k);
    } else {
      at = &k->next;
    }
  }
  pthread_mutex_unlock(&e->lock);
}

/* --- The device ------------------------------------------------------------------------------------------
 */

static void close_device(struct ag_device *dev) {
  struct emulated *e = emulated_of(dev);
  if (atomic_load(&e->registered) && !ag_device_lost(dev))
    ag_error("%s: it is closed with registered memory; please report this", e->base.info.name);
  enter_to_give(e, AG_FAULT_CLOSE, "close");
  atomic_store(&e->ending, true);
  while (e->streams) {
    struct ag_stream *s = e->streams;
    e->streams = s->next;
    ag_emulated_stream_end(s);
  }
  pthread_mutex_lock(&e->lock);
  e->closing = true;
  pthread_cond_broadcast(&e->work);
  pthread_mutex_unlock(&e->lock);
  for (unsigned i = 0; i < e->n_executors; ++i)
    pthread_join(e->executors[i], NULL);
  while (e->kernels) {
    struct ag_kernel *k = e->kernels;
    e->kernels = k->next;
    free(k);
  }
  ag_isolated_close(e);
  ag_emulated_memory_destroy(&e->memory);
  ag_emulated_memory_destroy(&e->host);
  pthread_cond_destroy(&e->work);
  pthread_cond_destroy(&e->run_over);
  pthread_cond_destroy(&e->reached);
  pthread_mutex_destroy(&e->lock);
  pthread_mutex_destroy(&e->reading);
  pthread_mutex_destroy(&e->launching);
  pthread_mutex_destroy(&e->copying[0]);
  pthread_mutex_destroy(&e->copying[1]);
  free(e);
}

static int enter_calls(struct ag_device *dev) { return ag_device_lost(dev) ? -EIO : 0; }

static int leave_calls(struct ag_device *dev, int err) {
  (void)dev;
  return err;
}

static const struct ag_device_ops emulated_ops = {
    .enter = enter_calls,
    .leave = leave_calls,
    .alloc = alloc,
    .free = free_device,
    .host_alloc = host_alloc,
    .host_free = free_host,
    .host_register = host_register,
    .host_unregister = host_unregister,
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
    .kernel = kernel,
    .resident = resident,
    .launch = launch,
    .mark = mark,
    .finished = finished,
    .kernel_ns = kernel_ns,
    .times = times,
    .forget = forget,
    .close = close_device,
};

static void isolate_if_possible(struct emulated *e) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  const char *why_not = e->model.isolate ? ag_isolated_why_not() : NULL;
  if (why_not)
    ag_warn_once(&said,
                 "isolate=on in AGGLOM_EMULATE has no effect: %s; kernels can reach the program's memory",
                 why_not);
  e->model.isolate = e->model.isolate && !why_not && ag_isolated_open(e);
}

int ag_emulated_open(int index, const struct ag_emulate *model, const struct ag_fault *fault,
                     struct ag_device **dev) {
  struct emulated *e = calloc(1, sizeof *e + model->threads * sizeof e->executors[0]);
  if (!e)
    return -ENOMEM;
  e->model = *model;
  isolate_if_possible(e);
  e->fault = *fault;
  e->base.ops = &emulated_ops;
  e->base.poison = e->model.isolate ? AG_EMULATED_POISON : 0;
  atomic_flag_clear(&e->said_failure);
  atomic_flag_clear(&e->said_isolated);
  struct ag_device_info *info = &e->base.info;
  snprintf(info->kind, sizeof info->kind, "emulated");
  snprintf(info->name, sizeof info->name, "emulated device %d", index);
  info->index = index;
  info->memory_bytes = info->memory_free = model->memory_bytes;
  info->compute_units = model->threads;
  info->max_threads = 1024;
  info->max_blocks = INT_MAX;
  ag_emulated_memory_init(&e->memory, model->memory_bytes, e->model.isolate);
  ag_emulated_memory_init(&e->host, SIZE_MAX / 2, false);
  pthread_mutex_init(&e->reading, NULL);
  pthread_mutex_init(&e->launching, NULL);
  pthread_mutex_init(&e->copying[0], NULL);
  pthread_mutex_init(&e->copying[1], NULL);
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->work, NULL);
  pthread_cond_init(&e->run_over, NULL);
  pthread_cond_init(&e->reached, NULL);
  e->last_run = &e->runs;
  for (; e->n_executors < model->threads; ++e->n_executors) {
    int err = -ag_thread_start(&e->executors[e->n_executors], ag_emulated_executor, e);
    if (err) {
      close_device(&e->base);
      return err;
    }
  }
  *dev = &e->base;
  return 0;
}
