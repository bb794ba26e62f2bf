/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sys/binding.h"

#include <stddef.h>

#ifdef AGGLOM_WITH_HWLOC
#include <dlfcn.h>
#include <errno.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdlib.h>

/* MemorySanitizer does not know what hwloc itself writes, so it must not judge what hwloc hands to the C
 * library. */
#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define AG_ENTER_HWLOC() __msan_scoped_disable_interceptor_checks()
#define AG_LEAVE_HWLOC() __msan_scoped_enable_interceptor_checks()
#endif
#endif
#ifndef AG_ENTER_HWLOC
#define AG_ENTER_HWLOC() ((void)0)
#define AG_LEAVE_HWLOC() ((void)0)
#endif

/* The functions of hwloc that are used, by name. */
struct hwloc {
  int (*topology_init)(hwloc_topology_t *);
  int (*topology_load)(hwloc_topology_t);
  void (*topology_destroy)(hwloc_topology_t);
  int (*get_type_depth)(hwloc_topology_t, hwloc_obj_type_t);
  unsigned (*get_nbobjs_by_depth)(hwloc_topology_t, int);
  hwloc_obj_t (*get_obj_by_depth)(hwloc_topology_t, int, unsigned);
  int (*get_cpubind)(hwloc_topology_t, hwloc_cpuset_t, int);
  int (*set_cpubind)(hwloc_topology_t, hwloc_const_cpuset_t, int);
  int (*get_last_cpu_location)(hwloc_topology_t, hwloc_cpuset_t, int);
  hwloc_bitmap_t (*bitmap_alloc)(void);
  void (*bitmap_free)(hwloc_bitmap_t);
  int (*bitmap_intersects)(hwloc_const_bitmap_t, hwloc_const_bitmap_t);
};

struct ag_binding {
  struct hwloc f;
  void *library;
  hwloc_topology_t topology;
  unsigned n;
  hwloc_obj_t *core; /* n of them */
};

static bool load(struct ag_binding *b) {
  const struct {
    const char *name;
    void *function;
  } wanted[] = {
      {"hwloc_topology_init", &b->f.topology_init},
      {"hwloc_topology_load", &b->f.topology_load},
      {"hwloc_topology_destroy", &b->f.topology_destroy},
      {"hwloc_get_type_depth", &b->f.get_type_depth},
      {"hwloc_get_nbobjs_by_depth", &b->f.get_nbobjs_by_depth},
      {"hwloc_get_obj_by_depth", &b->f.get_obj_by_depth},
      {"hwloc_get_cpubind", &b->f.get_cpubind},
      {"hwloc_set_cpubind", &b->f.set_cpubind},
      {"hwloc_get_last_cpu_location", &b->f.get_last_cpu_location},
      {"hwloc_bitmap_alloc", &b->f.bitmap_alloc},
      {"hwloc_bitmap_free", &b->f.bitmap_free},
      {"hwloc_bitmap_intersects", &b->f.bitmap_intersects},
  };
  b->library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; b->library && i < sizeof wanted / sizeof wanted[0]; ++i)
    if (!(*(void **)wanted[i].function = dlsym(b->library, wanted[i].name)))
      return false;
  return b->library != NULL;
}

/* The cores that the process's own mask leaves it. */
static void list_cores(struct ag_binding *b) {
  int depth = b->f.get_type_depth(b->topology, HWLOC_OBJ_CORE);
  if (depth < 0)
    depth = b->f.get_type_depth(b->topology, HWLOC_OBJ_PU);
  unsigned n = b->f.get_nbobjs_by_depth(b->topology, depth);
  hwloc_bitmap_t mine = b->f.bitmap_alloc();
  b->core = calloc(n ? n : 1, sizeof(hwloc_obj_t));
  if (mine && b->core && !b->f.get_cpubind(b->topology, mine, HWLOC_CPUBIND_PROCESS))
    for (unsigned i = 0; i < n; ++i) {
      hwloc_obj_t core = b->f.get_obj_by_depth(b->topology, depth, i);
      if (core && b->f.bitmap_intersects(core->cpuset, mine))
        b->core[b->n++] = core;
    }
  if (mine)
    b->f.bitmap_free(mine);
}

/* Of the groups of so many cores, the one with the core on which this thread runs changes places with the
 * first: that one is for this thread. */
static void begin_here(struct ag_binding *b, unsigned group) {
  hwloc_bitmap_t here = b->f.bitmap_alloc();
  unsigned at = 0;
  if (here && !b->f.get_last_cpu_location(b->topology, here, HWLOC_CPUBIND_THREAD))
    for (unsigned i = 0; i < b->n; ++i)
      /* list_cores() has put an object there. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
      if (b->f.bitmap_intersects(b->core[i]->cpuset, here))
        at = i / group * group;
  for (unsigned i = 0; i < group && at && at + group <= b->n; ++i) {
    hwloc_obj_t core = b->core[i];
    b->core[i] = b->core[at + i];
    b->core[at + i] = core;
  }
  if (here)
    b->f.bitmap_free(here);
}

static bool open_binding(struct ag_binding *b, unsigned group, const char **why) {
  if (!load(b)) {
    *why = "libhwloc.so.15 is not there (Debian: libhwloc15)";
  } else if (b->f.topology_init(&b->topology)) {
    b->topology = NULL;
  } else if (b->f.topology_load(b->topology)) {
    *why = "hwloc does not understand the machine";
  } else {
    list_cores(b);
    *why = "hwloc names no core that the process may use";
    if (b->n) {
      begin_here(b, group);
      return true;
    }
  }
  return false;
}

struct ag_binding *ag_binding_open(unsigned group, const char **why) {
  struct ag_binding *b = calloc(1, sizeof *b);
  *why = "there is no memory";
  if (!b)
    return NULL;
  AG_ENTER_HWLOC();
  bool opened = open_binding(b, group, why);
  AG_LEAVE_HWLOC();
  if (opened)
    return b;
  ag_binding_close(b);
  return NULL;
}

void ag_binding_close(struct ag_binding *b) {
  if (!b)
    return;
  AG_ENTER_HWLOC();
  if (b->topology)
    b->f.topology_destroy(b->topology);
  free(b->core);
  if (b->library)
    dlclose(b->library);
  AG_LEAVE_HWLOC();
  free(b);
}

unsigned ag_binding_cores(const struct ag_binding *b) { return b->n; }

int ag_binding_bind(const struct ag_binding *b, unsigned core) {
  if (core >= b->n)
    return -EINVAL;
  AG_ENTER_HWLOC();
  int err = b->f.set_cpubind(b->topology, b->core[core]->cpuset, HWLOC_CPUBIND_THREAD) ? -errno : 0;
  AG_LEAVE_HWLOC();
  return err;
}

#else

struct ag_binding *ag_binding_open(unsigned group, const char **why) {
  (void)group;
  *why = "agglom was built without hwloc (Debian: libhwloc-dev)";
  return NULL;
}
void ag_binding_close(struct ag_binding *b) { (void)b; }
unsigned ag_binding_cores(const struct ag_binding *b) { return b ? 1 : 0; }
int ag_binding_bind(const struct ag_binding *b, unsigned core) { return b ? -(int)core : 0; }

#endif
