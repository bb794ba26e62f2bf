/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "remembered/models.h"

#include "remembered/file.h"
#include "sys/env.h"
#include "sys/log.h"
#include "sys/topology.h"
#include <pthread.h>
#include <stdatomic.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1900 }; /* bytes of a name in a key */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all but `on` */
static _Atomic bool on;
static char path[AG_ENV_TEXT], machine[300];
static struct {
  char name[400]; /* in quotation marks */
  char item[420]; /* of a task's batches on it */
} devices[AG_MAX_DEVICES];
static int n_devices;
static bool told;           /* there was a message that the file cannot be written */
static struct ag_book book; /* what was in the file, and what was kept since */
static struct ag_book news; /* of `book`, what differs from what was in the file */

void ag_models_machine(char *text, size_t size) {
  char cpu[128], quoted[256];
  ag_cpu_model(cpu, sizeof cpu);
  ag_book_quote(quoted, sizeof quoted, cpu);
  snprintf(text, size, "%s %u", quoted, ag_all_cpus());
}

/* --- Starting and ending ------------------------------------------------------------------------------ */

/* An emulated device is as fast as it is told to be. */
static void name_device(const struct ag_device_info *info, const struct ag_emulate *e, int where) {
  char name[300];
  if (!strcmp(info->kind, "emulated"))
    snprintf(name, sizeof name, "%s, threads %u, launch %lluns, unit %lluns, copy %lluns, bandwidth %lluB/s",
             info->name, e->threads, (unsigned long long)e->launch_ns, (unsigned long long)e->unit_ns,
             (unsigned long long)e->copy_ns, (unsigned long long)e->bytes_per_s);
  else
    snprintf(name, sizeof name, "%s %s, capability %d, compute units %u", info->kind, info->name,
             info->capability, info->compute_units);
  ag_book_quote(devices[where].name, sizeof devices[where].name, name);
  int same = 1;
  for (int d = 0; d < where; ++d)
    same += !strncmp(devices[d].name, devices[where].name, strlen(devices[where].name) - 1);
  if (same > 1) {
    size_t end = strlen(name);
    snprintf(name + end, sizeof name - end, " (%d)", same);
    ag_book_quote(devices[where].name, sizeof devices[where].name, name);
  }
  snprintf(devices[where].item, sizeof devices[where].item, "batches %s", devices[where].name);
}

void ag_models_start(const struct ag_config *config, const struct ag_device_info *const *infos, int n) {
  char why[AG_MODELS_WHY];
  if (!config->models[0])
    return;
  pthread_mutex_lock(&lock);
  ag_models_machine(machine, sizeof machine);
  n_devices = n;
  for (int d = 0; d < n_devices; ++d)
    name_device(infos[d], &config->emulate, d);
  snprintf(path, sizeof path, "%s", config->models);
  told = false;
  switch (ag_models_read_file(path, machine, &book, why)) {
  case AG_MODELS_READ:
    told = ag_models_can_write(path, why);
    if (told)
      ag_warn("AGGLOM_MODELS=%.200s cannot be written: %s; what is measured will be lost", path, why);
    atomic_store(&on, true);
    break;
  case AG_MODELS_DAMAGED:
    ag_warn("AGGLOM_MODELS=%.200s %s; nothing in it is used, and it is written anew at the end", path, why);
    atomic_store(&on, true);
    break;
  case AG_MODELS_KEEP:
    ag_warn("AGGLOM_MODELS=%.200s %s", path, why);
    break;
  }
  pthread_mutex_unlock(&lock);
}

void ag_models_stop(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&on, false);
  ag_book_free(&book);
  ag_book_free(&news);
  pthread_mutex_unlock(&lock);
}

void ag_models_forsake(void) { atomic_store(&on, false); }

static bool begin(void) {
  if (!atomic_load_explicit(&on, memory_order_acquire))
    return false;
  pthread_mutex_lock(&lock);
  if (atomic_load(&on))
    return true;
  pthread_mutex_unlock(&lock);
  return false;
}

static void end(void) { pthread_mutex_unlock(&lock); }

/* The file is read again, as it may have more by now than at the start: what this run has not measured stays
 * as it is there. */
void ag_models_write(void) {
  struct ag_book now = {0};
  char why[AG_MODELS_WHY] = "";
  if (!begin())
    return;
  if (news.sections) {
    int err = 0;
    enum ag_models_answer answer = ag_models_read_file(path, machine, &now, why);
    bool fine = now.machine || (now.machine = strdup(machine));
    if (answer == AG_MODELS_KEEP)
      ag_warn("AGGLOM_MODELS=%.200s %s", path, why);
    else if ((!fine || !ag_book_merge(&now, &news) || (err = ag_models_write_file(path, &now))) && !told)
      ag_warn("AGGLOM_MODELS=%.200s cannot be written: %s; what was measured is lost", path,
              err ? strerror(-err) : "there is no memory");
    ag_book_free(&now);
  }
  end();
}

/* --- Keeping ------------------------------------------------------------------------------------------ */

/* Keeps an item, if it is not there already. Without memory it is forgotten. */
static void keep(const char *key, const char *name, const double *x, unsigned n) {
  const struct ag_book_item *old = ag_book_item(ag_book_find(&book, key), name);
  if (old && old->n == n && !memcmp(old->x, x, n * sizeof *x))
    return;
  struct ag_book_section *in_book = ag_book_use(&book, key), *in_news = ag_book_use(&news, key);
  if (in_book && in_news && ag_book_set(in_book, name, x, n))
    ag_book_set(in_news, name, x, n);
}

/* FNV-1a of what must not change: else measurements mean something else. */
static uint32_t mix(uint32_t sum, uint64_t x) {
  for (unsigned i = 0; i < sizeof x; ++i, x >>= 8)
    sum = (sum ^ (uint32_t)(x & 0xff)) * UINT32_C(16777619);
  return sum;
}

static uint32_t mix_text(uint32_t sum, const char *text) {
  for (; text && *text; ++text)
    sum = mix(sum, (unsigned char)*text);
  return mix(sum, 0);
}

static uint32_t shape(const struct agglom_task *task) {
  uint32_t sum = mix_text(mix_text(UINT32_C(2166136261), task->name), task->file);
  sum = mix(mix(sum, task->flags), task->map);
  sum = mix(mix(sum, task->args_size), task->args_align);
  for (unsigned i = 0; i < task->n_sections; ++i) {
    const struct agglom_section *s = &task->sections[i];
    sum = mix(mix(mix(mix_text(sum, s->text), s->mode), s->elem_size), s->arg_offset);
  }
  return mix(sum, task->n_sections);
}

/* word "name" "file" line shape */
static void key_of(char *key, size_t size, const char *word, const struct agglom_task *task) {
  char name[TEXT], file[TEXT];
  ag_book_quote(name, sizeof name, task->name);
  ag_book_quote(file, sizeof file, task->file);
  snprintf(key, size, "%s %s %s %u %08x", word, name, file, task->line, (unsigned)shape(task));
}

/* --- Tasks -------------------------------------------------------------------------------------------- */

void ag_models_seed_task(const struct agglom_task *task, struct ag_model *model) {
  char key[AG_BOOK_KEY];
  if (!begin())
    return;
  key_of(key, sizeof key, "task", task);
  const struct ag_book_section *s = ag_book_find(&book, key);
  const struct ag_book_item *i = ag_book_item(s, "cpu");
  if (i)
    ag_model_seed_cpu(model, i->x, i->n);
  for (int d = 0; s && d < n_devices; ++d) {
    i = ag_book_item(s, devices[d].item);
    if (i)
      ag_model_seed_device(&model->device[d], i->x, i->n);
  }
  end();
}

void ag_models_keep_task(const struct agglom_task *task, const struct ag_model *model) {
  char key[AG_BOOK_KEY];
  double x[AG_MODEL_DEVICE_NUMBERS];
  if (!begin())
    return;
  key_of(key, sizeof key, "task", task);
  if (ag_model_keep_cpu(model, x))
    keep(key, "cpu", x, AG_MODEL_CPU_NUMBERS);
  for (int d = 0; d < n_devices; ++d)
    if (ag_model_keep_device(&model->device[d], x))
      keep(key, devices[d].item, x, AG_MODEL_DEVICE_NUMBERS);
  end();
}

/* --- Loops -------------------------------------------------------------------------------------------- */

char *ag_models_loop_key(const struct agglom_task *task, const struct ag_loop_view *view, const int *where) {
  char *key = NULL;
  size_t size = AG_BOOK_KEY;
  if (!begin())
    return NULL;
  key = malloc(size);
  if (key) {
    key_of(key, size, "loop", task);
    size_t n = strlen(key);
    n += (size_t)snprintf(key + n, size - n, " %s %u", ag_loop_name(view->kind), view->machine.cpus);
    for (unsigned d = 0; d < view->machine.devices && n < size; ++d)
      n += (size_t)snprintf(key + n, size - n, " %s", devices[where[d]].name);
    if (n >= size) { /* too long for a file */
      free(key);
      key = NULL;
    }
  }
  end();
  return key;
}

/* "curve 4" */
static bool memo_of(const struct ag_book_item *item, struct ag_loop_memo *memo, char *word, size_t size) {
  const char *blank = strrchr(item->name, ' ');
  size_t n = blank ? (size_t)(blank - item->name) : size;
  char *behind = NULL;
  if (n >= size)
    return false;
  memcpy(word, item->name, n);
  word[n] = '\0';
  *memo = (struct ag_loop_memo){word, (unsigned)strtoul(blank + 1, &behind, 10), item->n, item->x};
  return behind && !*behind;
}

void ag_models_seed_loop(const char *key, void *state, const struct ag_loop_view *view) {
  if (!key || !begin())
    return;
  const struct ag_book_section *s = ag_book_find(&book, key);
  enum { WORD = 32 };
  struct words {
    char text[WORD];
  } *words = s ? calloc(s->n_items, sizeof *words) : NULL;
  struct ag_loop_memo *memos = s ? calloc(s->n_items, sizeof *memos) : NULL;
  unsigned n = 0;
  for (const struct ag_book_item *i = s ? s->items : NULL; i && words && memos; i = i->next)
    n += memo_of(i, &memos[n], words[n].text, WORD);
  if (n)
    ag_loop_seed(state, view, memos, n);
  free(words);
  free(memos);
  end();
}

static void put(void *key, const struct ag_loop_memo *memo) {
  char name[64];
  snprintf(name, sizeof name, "%s %u", memo->what, memo->unit);
  keep(key, name, memo->x, memo->n);
}

void ag_models_keep_loop(const char *key, const void *state) {
  char to[AG_BOOK_KEY];
  if (!key || !begin())
    return;
  snprintf(to, sizeof to, "%s", key);
  ag_loop_keep(state, put, to);
  end();
}

/* --- Powers ------------------------------------------------------------------------------------------- */

static const char power_key[] = "power";

static const char *meter(int device) { return device < 0 ? "\"CPU\"" : devices[device].name; }

void ag_models_seed_power(int device, struct ag_power *power) {
  if (!begin())
    return;
  const struct ag_book_item *i = ag_book_item(ag_book_find(&book, power_key), meter(device));
  if (i)
    ag_power_seed(power, i->x, i->n);
  end();
}

void ag_models_keep_power(int device, const struct ag_power *power) {
  double x[AG_POWER_NUMBERS];
  if (!ag_power_keep(power, x) || !begin())
    return;
  keep(power_key, meter(device), x, AG_POWER_NUMBERS);
  end();
}

/* --- Transfers ---------------------------------------------------------------------------------------- */

static const char transfers_key[] = "transfers";

static void way_name(char *name, size_t size, const char *way, int device) {
  snprintf(name, size, "%s %s", way, devices[device].name);
}

static void seed_way(const char *way, int device, struct ag_device_model *model) {
  char name[sizeof devices[0].item];
  way_name(name, sizeof name, way, device);
  const struct ag_book_item *i = ag_book_item(ag_book_find(&book, transfers_key), name);
  if (i)
    ag_model_seed_device(model, i->x, i->n);
}

void ag_models_seed_transfers(int device, struct ag_device_model *in, struct ag_device_model *out) {
  if (!begin())
    return;
  seed_way("in", device, in);
  seed_way("out", device, out);
  end();
}

static void keep_way(const char *way, int device, const struct ag_device_model *model) {
  char name[sizeof devices[0].item];
  double x[AG_MODEL_DEVICE_NUMBERS];
  way_name(name, sizeof name, way, device);
  if (ag_model_keep_device(model, x))
    keep(transfers_key, name, x, AG_MODEL_DEVICE_NUMBERS);
}

void ag_models_keep_transfers(int device, const struct ag_device_model *in,
                              const struct ag_device_model *out) {
  if (!begin())
    return;
  keep_way("in", device, in);
  keep_way("out", device, out);
  end();
}
