/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profiler as NVTX programs load it, that counts ranges. FAKE_PROFILER=refuse: it does not want to run. */
#include "fake_profiler.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static struct fake_profiler seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int depth;
static int the_domain;

EXPORT struct fake_profiler *fake_profiler_seen(void);
struct fake_profiler *fake_profiler_seen(void) { return &seen; }

static void *create(const char *name) {
  snprintf(seen.domain, sizeof seen.domain, "%s", name);
  return &the_domain;
}

static int push(void *domain, const void *event) {
  uint16_t version, size;
  int32_t payload_kind, message_kind;
  uint64_t payload;
  const char *message;
  memcpy(&version, event, 2);
  memcpy(&size, (const char *)event + 2, 2);
  memcpy(&payload_kind, (const char *)event + 16, 4);
  memcpy(&payload, (const char *)event + 24, 8);
  memcpy(&message_kind, (const char *)event + 32, 4);
  memcpy(&message, (const char *)event + 40, sizeof message);
  pthread_mutex_lock(&lock);
  seen.bad |= domain != &the_domain || version != 3 || size != 48 || payload_kind != 1 || message_kind != 1;
  ++seen.begun;
  ++seen.open;
  for (int i = 0; i < FAKE_PROFILER_NAMES; ++i)
    if (!seen.range[i].count || !strcmp(seen.range[i].name, message)) {
      snprintf(seen.range[i].name, sizeof seen.range[i].name, "%s", message);
      ++seen.range[i].count;
      seen.range[i].units += payload;
      break;
    }
  pthread_mutex_unlock(&lock);
  return depth++;
}

static int pop(void *domain) {
  pthread_mutex_lock(&lock);
  seen.bad |= domain != &the_domain || depth < 1;
  --seen.open;
  pthread_mutex_unlock(&lock);
  return --depth;
}

typedef void (*function)(void);

struct callbacks {
  size_t size;
  int (*module_table)(int module, function ***table, unsigned *size);
};

EXPORT int InitializeInjectionNvtx2(const void *(*get)(uint32_t));
int InitializeInjectionNvtx2(const void *(*get)(uint32_t)) {
  const char *how = getenv("FAKE_PROFILER");
  const struct callbacks *callbacks = get(1);
  function **table;
  unsigned size;
  seen.bad |= get(0) || get(2) || get(4) || !get(3) || callbacks->size < sizeof *callbacks ||
              callbacks->module_table(0, &table, &size) || callbacks->module_table(7, &table, &size);
  for (int module = 1; module <= 6; ++module)
    seen.bad |=
        !callbacks->module_table(module, &table, &size) || table[0] || table[size] || !table[size - 1];
  if (how && !strcmp(how, "refuse"))
    return 0;
  seen.bad |= !callbacks->module_table(5, &table, &size) || size < 16;
  *table[4] = (function)push;
  *table[5] = (function)pop;
  *table[12] = (function)create;
  return 1;
}
