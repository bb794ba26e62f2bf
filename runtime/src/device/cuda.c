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
#include "device/backend.h"
#include "device/cuda_driver.h"
#include "device/cuda_image.h"
#include "sys/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cuda;

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

/** Two events around one kernel. */
struct span {
  ag_cu_event begin, end;
};

struct ag_stream {
  ag_cu_stream stream;
  ag_cu_event mark;
  bool marked; /* a mark is recorded that finished() has not yet seen complete */
  struct span *spans;
  unsigned n_spans;   /* that exist */
  unsigned used;      /* around launches since spans were last given back */
  unsigned used_mark; /* of these, before the mark */
  uint64_t kernel_ns; /* between the last two marks that are complete */
  struct ag_stream *next;
};

struct cuda {
  struct ag_device base; /* first: the public part */
  const struct ag_cuda_driver *cu;
  ag_cu_device device;
  ag_cu_context context;
  atomic_flag said_failure;
  pthread_mutex_t lock; /* guards all that follows; held while a module is loaded */
  struct cuda_memory *memory;
  size_t n_memory, memory_room;
  struct cuda_module *modules;
  struct ag_kernel *kernels;
  struct ag_stream *streams;
};

static struct cuda *cuda_of(struct ag_device *dev) { return (struct cuda *)(void *)dev; }

/* --- Errors ------------------------------------------------------------------------------------------- */

/* Turns a driver's answer into ours and takes the consequences. */
static int check(struct cuda *c, ag_cu_result result, const char *call) {
  char why[256];
  switch (ag_cuda_classify(result)) {
  case AG_CUDA_FINE:
    return 0;
  case AG_CUDA_NOT_YET:
    return -EAGAIN;
  case AG_CUDA_NO_MEMORY:
    return -ENOMEM;
  case AG_CUDA_LOST:
    snprintf(why, sizeof why, "%s: %s (%s)", call, ag_cuda_error_name(c->cu, result),
             ag_cuda_error_text(c->cu, result));
    ag_device_quarantine(&c->base, why);
    return -EIO;
  case AG_CUDA_GONE: /* nobody's fault: the process is ending */
    atomic_store(&c->base.health, AG_DEVICE_QUARANTINED);
    return -EIO;
  case AG_CUDA_FAILED:
    break;
  }
  ag_warn_once(&c->said_failure, "cuda:%d: %s failed: %s (%s); further such failures are not reported",
               c->base.info.index, call, ag_cuda_error_name(c->cu, result),
               ag_cuda_error_text(c->cu, result));
  return -EIO;
}

#define CALL(C, NAME, ...) check(C, (C)->cu->NAME(__VA_ARGS__), #NAME)

/* Makes the device's context current for the calls up to leave(). */
static int enter(struct cuda *c) {
  if (ag_device_lost(&c->base))
    return -EIO;
  return CALL(c, context_push, c->context);
}

/* Gives the thread its own context back; passes err on. */
static int leave(struct cuda *c, int err) {
  if (!ag_device_lost(&c->base)) {
    ag_cu_context ours;
    int second = CALL(c, context_pop, &ours);
    if (!err)
      err = second;
  }
  return err;
}

/* --- Memory ------------------------------------------------------------------------------------------- */

/* Room for one more entry, so that remembering cannot fail after the driver has allocated. */
static bool memory_reserve(struct cuda *c) {
  if (c->n_memory < c->memory_room)
    return true;
  size_t room = c->memory_room ? 2 * c->memory_room : 32;
  struct cuda_memory *grown = realloc(c->memory, room * sizeof *grown);
  if (!grown)
    return false;
  c->memory = grown;
  c->memory_room = room;
  return true;
}

static int allocate(struct ag_device *dev, size_t bytes, bool host, void **address) {
  struct cuda *c = cuda_of(dev);
  if (!bytes)
    return -EINVAL;
  int err = enter(c);
  if (err)
    return err;
  pthread_mutex_lock(&c->lock);
  if (!memory_reserve(c)) {
    err = -ENOMEM;
  } else if (host) {
    err = CALL(c, host_alloc, address, bytes, AG_CU_MEMHOSTALLOC_PORTABLE);
  } else {
    ag_cu_ptr p = 0;
    err = CALL(c, alloc, &p, bytes);
    if (!err)
      *address = (void *)(uintptr_t)p;
  }
  if (!err)
    c->memory[c->n_memory++] = (struct cuda_memory){*address, host};
  pthread_mutex_unlock(&c->lock);
  return leave(c, err);
}

static int release(struct ag_device *dev, void *address, bool host) {
  struct cuda *c = cuda_of(dev);
  if (ag_device_lost(dev))
    return -EIO;
  if (!address)
    return 0;
  int err = -EINVAL;
  pthread_mutex_lock(&c->lock);
  for (size_t i = c->n_memory; i-- > 0;)
    if (c->memory[i].address == address && c->memory[i].host == host) {
      c->memory[i] = c->memory[--c->n_memory];
      err = 0;
      break;
    }
  pthread_mutex_unlock(&c->lock);
  if (err) {
    ag_error("cuda:%d: %p is not a live allocation of this device; please report this", dev->info.index,
             address);
    return err;
  }
  err = enter(c);
  if (err)
    return err;
  err = host ? CALL(c, host_free, address) : CALL(c, free, (ag_cu_ptr)(uintptr_t)address);
  return leave(c, err);
}

static int alloc(struct ag_device *dev, size_t bytes, void **dptr) {
  return allocate(dev, bytes, false, dptr);
}
static int free_device(struct ag_device *dev, void *dptr) { return release(dev, dptr, false); }
static int host_alloc(struct ag_device *dev, size_t bytes, void **hptr) {
  return allocate(dev, bytes, true, hptr);
}
static int free_host(struct ag_device *dev, void *hptr) { return release(dev, hptr, true); }

/* --- Streams and copies -------------------------------------------------------------------------------- */

/* Frees what a stream consists of, as far as it exists. With the context current. */
static void stream_dispose(struct cuda *c, struct ag_stream *s) {
  if (!ag_device_lost(&c->base) && s->stream)
    CALL(c, stream_wait, s->stream);
  for (unsigned i = 0; i < s->n_spans && !ag_device_lost(&c->base); ++i) {
    CALL(c, event_destroy, s->spans[i].begin);
    if (!ag_device_lost(&c->base))
      CALL(c, event_destroy, s->spans[i].end);
  }
  if (!ag_device_lost(&c->base) && s->mark)
    CALL(c, event_destroy, s->mark);
  if (!ag_device_lost(&c->base) && s->stream)
    CALL(c, stream_destroy, s->stream);
  free(s->spans);
  free(s);
}

static int stream_create(struct ag_device *dev, struct ag_stream **stream) {
  struct cuda *c = cuda_of(dev);
  int err = enter(c);
  if (err)
    return err;
  struct ag_stream *s = calloc(1, sizeof *s);
  if (!s)
    return leave(c, -ENOMEM);
  err = CALL(c, stream_create, &s->stream, AG_CU_STREAM_NON_BLOCKING);
  if (!err)
    err = CALL(c, event_create, &s->mark, AG_CU_EVENT_DISABLE_TIMING);
  if (err) {
    stream_dispose(c, s);
    return leave(c, err);
  }
  pthread_mutex_lock(&c->lock);
  s->next = c->streams;
  c->streams = s;
  pthread_mutex_unlock(&c->lock);
  *stream = s;
  return leave(c, 0);
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
  int err = enter(c); /* a lost device: only our own memory is freed */
  stream_dispose(c, s);
  if (err)
    return err;
  err = leave(c, 0);
  return ag_device_lost(dev) ? -EIO : err;
}

static int copy_in(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n) {
  struct cuda *c = cuda_of(dev);
  int err = enter(c);
  if (err)
    return err;
  return leave(c, n ? CALL(c, copy_in, (ag_cu_ptr)(uintptr_t)dst, src, n, s->stream) : 0);
}

static int copy_out(struct ag_device *dev, struct ag_stream *s, void *dst, const void *src, size_t n) {
  struct cuda *c = cuda_of(dev);
  int err = enter(c);
  if (err)
    return err;
  return leave(c, n ? CALL(c, copy_out, dst, (ag_cu_ptr)(uintptr_t)src, n, s->stream) : 0);
}

static int fill(struct ag_device *dev, struct ag_stream *s, void *dst, int byte, size_t n) {
  struct cuda *c = cuda_of(dev);
  int err = enter(c);
  if (err)
    return err;
  return leave(c, n ? CALL(c, fill, (ag_cu_ptr)(uintptr_t)dst, (unsigned char)byte, n, s->stream) : 0);
}

/* --- Modules and kernels ------------------------------------------------------------------------------- */

/* Loads one image. Of a failure the compiler's log is kept in log. */
static ag_cu_result load_image(struct cuda *c, const struct agglom_image *image, char *log, size_t log_bytes,
                               ag_cu_module *loaded) {
  int options[] = {AG_CU_JIT_ERROR_LOG_BUFFER, AG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)log_bytes};
  bool ptx = image->kind == AGGLOM_IMAGE_PTX;
  memset(log, 0, log_bytes);
  ag_cu_result result =
      c->cu->module_load(loaded, image->data, ptx ? 2 : 0, ptx ? options : NULL, ptx ? values : NULL);
  log[log_bytes - 1] = '\0';
  for (size_t n = strlen(log); n && (log[n - 1] == '\n' || log[n - 1] == ' ');)
    log[--n] = '\0';
  return result;
}

/* Tries the images that fit, best first. 0, -ENOENT when none fits, or the error of the last that was tried.
 */
static int load_module(struct cuda *c, const struct agglom_module *module, ag_cu_module *loaded) {
  int capability = c->base.info.capability, err = -ENOENT;
  char log[2048];
  for (int i = -1; (i = ag_cuda_next_image(module, capability, i)) >= 0;) {
    const struct agglom_image *image = &module->images[i];
    ag_cu_result result = load_image(c, image, log, sizeof log, loaded);
    if (!result)
      return 0;
    enum ag_cuda_class class = ag_cuda_classify(result);
    if (class != AG_CUDA_FAILED)
      return check(c, result, "module_load");
    err = -EIO;
    ag_warn("%s: the %s for sm_%u does not load on cuda:%d (%s): %s (%s)%s%s", module->file,
            image->kind == AGGLOM_IMAGE_PTX ? "PTX" : "machine code", image->arch, c->base.info.index,
            c->base.info.name, ag_cuda_error_name(c->cu, result), ag_cuda_error_text(c->cu, result),
            log[0] ? "\n" : "", log);
  }
  if (err == -ENOENT)
    ag_warn("%s: no device code in it runs on cuda:%d (%s, sm_%d); compile it for this architecture or a "
            "lower one",
            module->file, c->base.info.index, c->base.info.name, capability);
  return err;
}

/* The module on this device, loaded on first use; a failure is remembered, want of memory is not. */
static int find_module(struct cuda *c, const struct agglom_module *module, ag_cu_module *loaded) {
  struct cuda_module *m = c->modules;
  while (m && m->module != module)
    m = m->next;
  if (!m) {
    m = calloc(1, sizeof *m);
    if (!m)
      return -ENOMEM;
    m->module = module;
    m->error = load_module(c, module, &m->loaded);
    if (m->error == -ENOMEM) {
      free(m);
      return -ENOMEM;
    }
    m->next = c->modules;
    c->modules = m;
  }
  *loaded = m->loaded;
  return m->error;
}

static int find_kernel(struct cuda *c, const struct agglom_task *task, struct ag_kernel **kernel) {
  for (struct ag_kernel *k = c->kernels; k; k = k->next)
    if (k->task == task) {
      *kernel = k;
      return 0;
    }
  ag_cu_module loaded;
  ag_cu_function function;
  int max_threads = 0, err = find_module(c, task->module, &loaded);
  if (!err)
    err = CALL(c, module_function, &function, loaded, task->kernel);
  if (!err)
    err = CALL(c, function_attribute, &max_threads, AG_CU_FUNC_MAX_THREADS_PER_BLOCK, function);
  if (err)
    return err;
  struct ag_kernel *k = malloc(sizeof *k);
  if (!k)
    return -ENOMEM;
  *k = (struct ag_kernel){task, function, max_threads > 0 ? (unsigned)max_threads : 1, c->kernels};
  c->kernels = k;
  *kernel = k;
  return 0;
}

static int kernel(struct ag_device *dev, const struct agglom_task *task, struct ag_kernel **out) {
  struct cuda *c = cuda_of(dev);
  if (!ag_device_lost(dev) && (!task->kernel || !task->module))
    return -ENOENT;
  int err = enter(c);
  if (err)
    return err;
  pthread_mutex_lock(&c->lock);
  err = find_kernel(c, task, out);
  pthread_mutex_unlock(&c->lock);
  return leave(c, err);
}

/* The next pair of events of a stream, made when there is none left over. */
static int take_span(struct cuda *c, struct ag_stream *s, struct span **span) {
  if (s->used == s->n_spans) {
    struct span *grown = realloc(s->spans, (s->n_spans + 1) * sizeof *grown);
    if (!grown)
      return -ENOMEM;
    s->spans = grown;
    struct span fresh = {NULL, NULL};
    int err = CALL(c, event_create, &fresh.begin, AG_CU_EVENT_DEFAULT);
    if (err)
      return err;
    err = CALL(c, event_create, &fresh.end, AG_CU_EVENT_DEFAULT);
    if (err) {
      if (!ag_device_lost(&c->base))
        CALL(c, event_destroy, fresh.begin);
      return err;
    }
    s->spans[s->n_spans++] = fresh;
  }
  *span = &s->spans[s->used];
  return 0;
}

static int launch(struct ag_device *dev, struct ag_stream *s, struct ag_kernel *k,
                  const struct agglom_launch *l, struct ag_grid grid) {
  struct cuda *c = cuda_of(dev);
  struct agglom_launch copy = *l;
  void *params[] = {&copy};
  struct span *span;
  int err = ag_device_lost(dev) ? -EIO : ag_grid_check(dev, k->task, l, grid);
  if (err)
    return err;
  if (grid.threads > k->max_threads) { /* a kernel with many registers: any number of threads is right */
    grid.threads = k->max_threads;
    if (k->task->map == AGGLOM_MAP_THREAD)
      grid.blocks = (l->n_chains - 1) / grid.threads + 1;
  }
  err = enter(c);
  if (err)
    return err;
  err = take_span(c, s, &span);
  if (!err)
    err = CALL(c, event_record, span->begin, s->stream);
  if (!err)
    err = CALL(c, launch, k->function, grid.blocks, 1, 1, grid.threads, 1, 1, 0, s->stream, params, NULL);
  if (!err) {
    /* The kernel is on its way: that it cannot be timed must not make it look as if it were not. */
    if (!CALL(c, event_record, span->end, s->stream))
      ++s->used;
    err = ag_device_lost(dev) ? -EIO : 0;
  }
  return leave(c, err);
}

static int mark(struct ag_device *dev, struct ag_stream *s) {
  struct cuda *c = cuda_of(dev);
  int err = enter(c);
  if (err)
    return err;
  err = CALL(c, event_record, s->mark, s->stream);
  if (!err) {
    s->marked = true;
    s->used_mark = s->used;
  }
  return leave(c, err);
}

/* Adds up the kernels before the mark and gives their events back for new launches. */
static int read_spans(struct cuda *c, struct ag_stream *s) {
  double ns = 0;
  int err = 0;
  for (unsigned i = 0; i < s->used_mark && !err; ++i) {
    float ms = 0;
    err = CALL(c, event_elapsed, &ms, s->spans[i].begin, s->spans[i].end);
    if (ms > 0) /* a bad measurement is none */
      ns += (double)ms * 1e6;
  }
  s->kernel_ns = err ? 0 : (uint64_t)(ns + 0.5);
  for (unsigned i = s->used_mark; i < s->used; ++i) {
    struct span spare = s->spans[i - s->used_mark];
    s->spans[i - s->used_mark] = s->spans[i];
    s->spans[i] = spare;
  }
  s->used -= s->used_mark;
  s->used_mark = 0;
  return ag_device_lost(&c->base) ? -EIO : 0;
}

static int finished(struct ag_device *dev, struct ag_stream *s) {
  struct cuda *c = cuda_of(dev);
  if (ag_device_lost(dev))
    return -EIO;
  if (!s->marked)
    return 0;
  int err = enter(c);
  if (err)
    return err;
  err = CALL(c, event_query, s->mark);
  if (!err) {
    s->marked = false;
    err = read_spans(c, s);
  }
  return leave(c, err);
}

static uint64_t kernel_ns(struct ag_device *dev, struct ag_stream *s) {
  (void)dev;
  return s->kernel_ns;
}

static void forget(struct ag_device *dev, const struct agglom_module *module) {
  struct cuda *c = cuda_of(dev);
  bool entered = !enter(c);
  pthread_mutex_lock(&c->lock);
  for (struct ag_kernel **at = &c->kernels; *at;) {
    struct ag_kernel *k = *at;
    if (k->task->module == module) {
      *at = k->next;
      free(k);
    } else {
      at = &k->next;
    }
  }
  for (struct cuda_module **at = &c->modules; *at; at = &(*at)->next) {
    struct cuda_module *m = *at;
    if (m->module != module)
      continue;
    *at = m->next;
    if (entered && m->loaded && !ag_device_lost(dev))
      CALL(c, module_unload, m->loaded);
    free(m);
    break;
  }
  pthread_mutex_unlock(&c->lock);
  if (entered)
    leave(c, 0);
}

/* --- The device ------------------------------------------------------------------------------------------
 */

static void close_device(struct ag_device *dev) {
  struct cuda *c = cuda_of(dev);
  bool entered = !enter(c);
  while (c->streams) {
    struct ag_stream *s = c->streams;
    c->streams = s->next;
    stream_dispose(c, s);
  }
  for (size_t i = 0; i < c->n_memory && !ag_device_lost(dev); ++i) {
    if (c->memory[i].host)
      CALL(c, host_free, c->memory[i].address);
    else
      CALL(c, free, (ag_cu_ptr)(uintptr_t)c->memory[i].address);
  }
  while (c->modules) {
    struct cuda_module *m = c->modules;
    c->modules = m->next;
    if (m->loaded && !ag_device_lost(dev))
      CALL(c, module_unload, m->loaded);
    free(m);
  }
  while (c->kernels) {
    struct ag_kernel *k = c->kernels;
    c->kernels = k->next;
    free(k);
  }
  if (entered)
    leave(c, 0);
  if (!ag_device_lost(dev))
    CALL(c, context_release, c->device);
  pthread_mutex_destroy(&c->lock);
  free(c->memory);
  free(c);
}

static const struct ag_device_ops cuda_ops = {
    .alloc = alloc,
    .free = free_device,
    .host_alloc = host_alloc,
    .host_free = free_host,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .fill = fill,
    .kernel = kernel,
    .launch = launch,
    .mark = mark,
    .finished = finished,
    .kernel_ns = kernel_ns,
    .forget = forget,
    .close = close_device,
};

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
    cu->context_pop(&ours);
  }
  if (result) {
    snprintf(reason, sizeof reason, "%s (%s)", ag_cuda_error_name(cu, result),
             ag_cuda_error_text(cu, result));
    int err = ag_cuda_classify(result) == AG_CUDA_NO_MEMORY ? -ENOMEM : -EIO;
    if (retained && ag_cuda_classify(result) != AG_CUDA_LOST)
      cu->context_release(c->device);
    free(c);
    return err;
  }
  pthread_mutex_init(&c->lock, NULL);
  *dev = &c->base;
  return 0;
}
