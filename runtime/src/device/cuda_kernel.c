/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules and kernels on a CUDA device: which image is loaded, and what its failures mean. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/cuda.h"
#include "device/cuda_image.h"
#include "sys/log.h"
#include "sys/task_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void trim(char *log, size_t log_bytes) {
  log[log_bytes - 1] = '\0';
  for (size_t n = strlen(log); n && (log[n - 1] == '\n' || log[n - 1] == ' ');)
    log[--n] = '\0';
}

/* Loads one image. Of a failure the compiler's log is kept in log. */
static ag_cu_result load_image(struct cuda *c, const struct agglom_image *image, char *log, size_t log_bytes,
                               ag_cu_module *loaded) {
  int options[] = {AG_CU_JIT_ERROR_LOG_BUFFER, AG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)log_bytes};
  bool ptx = image->kind == AGGLOM_IMAGE_PTX;
  memset(log, 0, log_bytes);
  ag_cu_result result =
      c->cu->module_load(loaded, image->data, ptx ? 2 : 0, ptx ? options : NULL, ptx ? values : NULL);
  trim(log, log_bytes);
  return result;
}

/* --- Modules that use functions of others ------------------------------------------------------------- */

/* The module, and the modules whose functions it uses, directly or through others, each once. The caller
 * frees the list; NULL when there is no memory. */
static const struct agglom_module **needed_modules(const struct agglom_module *module, size_t *n) {
  size_t room = 1 + module->n_imports;
  const struct agglom_module **list = malloc(room * sizeof *list);
  if (!list)
    return NULL;
  list[0] = module;
  *n = 1;
  for (size_t i = 0; i < *n; ++i)
    for (unsigned k = 0; k < list[i]->n_imports; ++k) {
      const struct agglom_module *other = list[i]->imports[k]->module;
      size_t at = 0;
      while (at < *n && list[at] != other)
        ++at;
      if (at < *n)
        continue;
      if (*n == room) {
        const struct agglom_module **grown = realloc(list, 2 * room * sizeof *list);
        if (!grown) {
          free(list);
          return NULL;
        }
        list = grown;
        room *= 2;
      }
      list[(*n)++] = other;
    }
  return list;
}

/* The module's best PTX for the device, or NULL. */
static const struct agglom_image *ptx_of(const struct cuda *c, const struct agglom_module *module) {
  if (module->abi_version != AGGLOM_ABI_VERSION)
    return NULL;
  for (int i = -1; (i = ag_cuda_next_image(module, c->base.info.capability, i)) >= 0;)
    if (module->images[i].kind == AGGLOM_IMAGE_PTX)
      return &module->images[i];
  return NULL;
}

/* Has the driver link the PTX of the modules and loads the result. */
static ag_cu_result link_images(struct cuda *c, const struct agglom_module *const *list, size_t n, char *log,
                                size_t log_bytes, ag_cu_module *loaded) {
  int options[] = {AG_CU_JIT_ERROR_LOG_BUFFER, AG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)log_bytes};
  ag_cu_link link;
  memset(log, 0, log_bytes);
  ag_cu_result result = c->cu->link_create(2, options, values, &link);
  if (result)
    return result;
  for (size_t i = 0; i < n && !result; ++i) {
    const struct agglom_image *image = ptx_of(c, list[i]);
    /* The terminating NUL belongs to the text. */
    result = c->cu->link_add(link, AG_CU_JIT_INPUT_PTX, (void *)(uintptr_t)image->data,
                             (size_t)image->size + 1, list[i]->file, 0, NULL, NULL);
  }
  void *image = NULL;
  size_t bytes = 0;
  if (!result)
    result = c->cu->link_complete(link, &image, &bytes);
  if (!result)
    result = c->cu->module_load(loaded, image, 0, NULL, NULL);
  trim(log, log_bytes);
  if (ag_cuda_classify(result) != AG_CUDA_LOST)
    c->cu->link_destroy(link);
  return result;
}

static int load_linked(struct cuda *c, const struct agglom_module *module, ag_cu_module *loaded) {
  size_t n = 0;
  const struct agglom_module **list = needed_modules(module, &n);
  if (!list)
    return -ENOMEM;
  int err = 0;
  for (size_t i = 0; i < n && !err; ++i)
    if (!ptx_of(c, list[i])) {
      ag_warn("%s: it uses device code of %s, which has none for cuda:%d (%s, sm_%d); compile that file for "
              "this architecture or a lower one, with the same agglomcc",
              module->file, list[i]->file, c->base.info.index, c->base.info.name, c->base.info.capability);
      err = -ENOENT;
    }
  if (!err) {
    char log[2048];
    ag_cu_result result = link_images(c, list, n, log, sizeof log, loaded);
    enum ag_cuda_class class = ag_cuda_classify(result);
    if (class == AG_CUDA_FAILED) {
      ag_warn("%s: its device code does not link with that of the files it uses on cuda:%d (%s): %s (%s)%s%s",
              module->file, c->base.info.index, c->base.info.name, ag_cuda_error_name(c->cu, result),
              ag_cuda_error_text(c->cu, result), log[0] ? "\n" : "", log);
      err = -EIO;
    } else if (result) {
      err = ag_cuda_check(c, result, ag_cuda_symbol.link_complete);
    }
  }
  free(list);
  return err;
}

static const char *kind_of(const struct agglom_image *image) {
  return image->kind == AGGLOM_IMAGE_PTX ? "PTX" : "machine code";
}

/* Says that an image does not load. instead: one that may. A driver that is too old for a file's machine code
 * is too old for that of all files: where each has PTX beside it, it is said once. */
static void refused(struct cuda *c, const struct agglom_module *module, const struct agglom_image *image,
                    ag_cu_result result, const char *log, const struct agglom_image *instead) {
  if (instead && c->said_refused == result)
    return;
  if (instead)
    c->said_refused = result;
  char after[128] = "";
  if (instead)
    snprintf(after, sizeof after, "; the %s for sm_%u is taken, here and, without a word, for other files",
             kind_of(instead), instead->arch);
  ag_warn("%s: the %s for sm_%u does not load on cuda:%d (%s): %s (%s)%s%s%s", module->file, kind_of(image),
          image->arch, c->base.info.index, c->base.info.name, ag_cuda_error_name(c->cu, result),
          ag_cuda_error_text(c->cu, result), after, log[0] ? "\n" : "", log);
}

/* Tries the images that fit, best first. 0, -ENOENT when none fits, or the error of the last that was tried.
 */
static int load_module(struct cuda *c, const struct agglom_module *module, ag_cu_module *loaded) {
  int capability = c->base.info.capability, err = -ENOENT;
  const struct agglom_image *failed = NULL; /* the last one */
  ag_cu_result why = 0;
  char log[2][2048] = {"", ""}; /* of the one that is tried, and of that */
  for (int i = -1; (i = ag_cuda_next_image(module, capability, i)) >= 0;) {
    const struct agglom_image *image = &module->images[i];
    ag_cu_result result = load_image(c, image, log[0], sizeof log[0], loaded);
    enum ag_cuda_class class = ag_cuda_classify(result);
    bool fails = class == AG_CUDA_FAILED;
    if (failed && (fails || !result))
      refused(c, module, failed, why, log[1], result ? NULL : image);
    if (!fails)
      return result ? ag_cuda_check(c, result, ag_cuda_symbol.module_load) : 0;
    err = -EIO;
    failed = image;
    why = result;
    memcpy(log[1], log[0], sizeof log[1]);
  }
  if (failed)
    refused(c, module, failed, why, log[1], NULL);
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
    m->error = module->n_imports ? load_linked(c, module, &m->loaded) : load_module(c, module, &m->loaded);
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

/* Recursive functions: the driver does not know how deep they go, so a thread gets what the kernel text
 * counts with, beyond what the driver knows of. The program's own limit is raised, never lowered. */
static int ensure_stack(struct cuda *c, const struct agglom_task *task, ag_cu_function function) {
  size_t now = 0;
  int known = 0, err = CALL(c, function_attribute, &known, AG_CU_FUNC_LOCAL_SIZE_BYTES, function);
  if (!err)
    err = CALL(c, limit_get, &now, AG_CU_LIMIT_STACK_SIZE);
  size_t wanted = (size_t)AGGLOM_STACK_BYTES + AGGLOM_STACK_RESERVE + (size_t)(known > 0 ? known : 0);
  if (err || now >= wanted)
    return err;
  err = CALL(c, limit_set, AG_CU_LIMIT_STACK_SIZE, wanted);
  if (!err)
    err = CALL(c, limit_get, &now, AG_CU_LIMIT_STACK_SIZE);
  if (!err && now < wanted) {
    ag_warn("%s:%u: %s '%s' is recursive and needs %zu bytes of stack for each thread of cuda:%d (%s), which "
            "has %zu",
            task->file, task->line, ag_task_kind(task), task->name, wanted, c->base.info.index,
            c->base.info.name, now);
    err = -ENOSPC;
  }
  return err;
}

/* What kernels print waits in a buffer until the launch is over, and what has no room there is lost: many
 * units in one launch print more than the driver's 1 MB is for. The program's own limit is raised, never
 * lowered; where it cannot be (a kernel of the program has printed), it stays. */
static int ensure_output(struct cuda *c) {
  const size_t wanted = (size_t)32 << 20;
  size_t now = 0;
  if (c->output_ensured)
    return 0;
  c->output_ensured = true;
  ag_cu_result result = c->cu->limit_get(&now, AG_CU_LIMIT_PRINTF_FIFO_SIZE);
  if (!result && now < wanted)
    result = c->cu->limit_set(AG_CU_LIMIT_PRINTF_FIFO_SIZE, wanted);
  return ag_cuda_classify(result) == AG_CUDA_LOST ? ag_cuda_check(c, result, ag_cuda_symbol.limit_set) : 0;
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
  if (!err && (task->flags & AGGLOM_TASK_RECURSES))
    err = ensure_stack(c, task, function);
  if (!err && (task->flags & AGGLOM_TASK_PRINTS))
    err = ensure_output(c);
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

int ag_cuda_kernel(struct ag_device *dev, const struct agglom_task *task, struct ag_kernel **out) {
  struct cuda *c = cuda_of(dev);
  if (!ag_device_lost(dev) && (!task->kernel || !task->module))
    return -ENOENT;
  int err = ag_cuda_enter(c);
  if (err)
    return err;
  ag_gate_enter(&c->loading);
  err = find_kernel(c, task, out);
  ag_gate_leave(&c->loading);
  return ag_cuda_leave(c, err);
}

unsigned ag_cuda_resident(struct ag_device *dev, struct ag_kernel *kernel, unsigned threads) {
  struct cuda *c = cuda_of(dev);
  int blocks = 0, most = threads < kernel->max_threads ? (int)threads : (int)kernel->max_threads;
  if (ag_cuda_enter(c))
    return 0;
  int err = CALL(c, occupancy, &blocks, kernel->function, most, 0);
  return ag_cuda_leave(c, err) || blocks < 0 ? 0 : (unsigned)blocks * dev->info.compute_units;
}

void ag_cuda_forget(struct ag_device *dev, const struct agglom_module *module) {
  struct cuda *c = cuda_of(dev);
  bool entered = !ag_cuda_enter(c);
  ag_gate_enter(&c->loading);
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
    if (entered && m->loaded)
      CALL_IF_ALIVE(c, module_unload, m->loaded);
    free(m);
    break;
  }
  ag_gate_leave(&c->loading);
  if (entered)
    ag_cuda_leave(c, 0);
}
