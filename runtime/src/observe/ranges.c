/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "observe/ranges.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The binary interface of NVTX 3: numbers and layouts that never change ---------------------------- */

enum { CORE = 1, CUDA, OPENCL, CUDART, CORE2, SYNC, MODULES };            /* groups of functions */
enum { DOMAIN_RANGE_PUSH = 4, DOMAIN_RANGE_POP = 5, DOMAIN_CREATE = 12 }; /* functions of CORE2 */
enum { CALLBACKS = 1, VERSION_INFO = 3, NVTX_VERSION = 3 };
enum { PAYLOAD_UINT64 = 1, MESSAGE_ASCII = 1 };

struct event {
  uint16_t version, size;
  uint32_t category;
  int32_t colour_kind;
  uint32_t colour;
  int32_t payload_kind, reserved;
  uint64_t payload;
  int32_t message_kind;
  const char *message;
};
_Static_assert(sizeof(void *) != 8 || sizeof(struct event) == 48, "an event of NVTX 3 has 48 bytes");

typedef void (*function)(void);
typedef void *(*create_function)(const char *name);
typedef int (*push_function)(void *domain, const void *event);
typedef int (*pop_function)(void *domain);

/* --- The tables that a profiler fills ----------------------------------------------------------------- */

enum { MOST_FUNCTIONS = 16 };
static const unsigned sizes[MODULES] = {[CORE] = 16,  [CUDA] = 9,   [OPENCL] = 15,
                                        [CUDART] = 7, [CORE2] = 16, [SYNC] = 7};
static function functions[MODULES][MOST_FUNCTIONS];
static function *tables[MODULES][MOST_FUNCTIONS + 1]; /* pointers to them; entry 0 is none, as is the last */

static int module_table(int module, function ***table, unsigned *size) {
  if (module < CORE || module >= MODULES)
    return 0;
  if (table)
    *table = tables[module];
  if (size)
    *size = sizes[module];
  return 1;
}

static void told_version(uint32_t version) { (void)version; }

static const struct {
  size_t size;
  int (*module_table)(int module, function ***table, unsigned *size);
} callbacks = {sizeof callbacks, module_table};

static const struct {
  size_t size;
  uint32_t version, reserved;
  void (*told_version)(uint32_t version);
} version_info = {sizeof version_info, NVTX_VERSION, 0, told_version};

static const void *export_table(uint32_t which) {
  return which == CALLBACKS      ? (const void *)&callbacks
         : which == VERSION_INFO ? (const void *)&version_info
                                 : NULL;
}

/* --- Ranges ------------------------------------------------------------------------------------------- */

_Atomic bool ag_ranges_are_on;

static void *domain;
static push_function push;
static pop_function pop;

static void load(void) {
  const char *library =
      secure_getenv(sizeof(void *) == 8 ? "NVTX_INJECTION64_PATH" : "NVTX_INJECTION32_PATH");
  void *handle = library && *library ? dlopen(library, RTLD_LAZY | RTLD_LOCAL) : NULL;
  void *symbol = handle ? dlsym(handle, "InitializeInjectionNvtx2") : NULL;
  if (!symbol)
    return;
  int (*initialise)(const void *(*)(uint32_t));
  memcpy(&initialise, &symbol, sizeof symbol); /* POSIX promises that this is a function's address */
  for (int m = CORE; m < MODULES; ++m)
    for (unsigned f = 1; f < sizes[m]; ++f)
      tables[m][f] = &functions[m][f];
  if (!initialise(export_table))
    return;
  create_function create = (create_function)functions[CORE2][DOMAIN_CREATE];
  push = (push_function)functions[CORE2][DOMAIN_RANGE_PUSH];
  pop = (pop_function)functions[CORE2][DOMAIN_RANGE_POP];
  if (!push || !pop)
    return;
  domain = create ? create("agglom") : NULL; /* NULL is the domain that all programs share */
  atomic_store(&ag_ranges_are_on, true);
}

void ag_ranges_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
}

void ag_range_begin(const char *what, const struct agglom_task *task, uint64_t units) {
  char text[128];
  if (what)
    snprintf(text, sizeof text, "%s %s", what, task->name);
  push(domain, &(struct event){.version = NVTX_VERSION,
                               .size = sizeof(struct event),
                               .payload_kind = PAYLOAD_UINT64,
                               .payload = units,
                               .message_kind = MESSAGE_ASCII,
                               .message = what ? text : task->name});
}

void ag_range_end(void) { pop(domain); }
