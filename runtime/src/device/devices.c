/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all kinds of devices have in common, and the list of devices a program gets. */
#include "device/backend.h"
#include "sys/log.h"
#include "sys/task_kind.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void give_up(struct ag_device *dev, int health, const char *why, const char *advice) {
  int expected = AG_DEVICE_OK;
  if (atomic_compare_exchange_strong(&dev->health, &expected, health))
    ag_warn("%s:%d (%s) failed: %s; it is not used any more and its units run elsewhere; %s", dev->info.kind,
            dev->info.index, dev->info.name, why, advice);
}

void ag_device_quarantine(struct ag_device *dev, const char *why, const char *advice) {
  give_up(dev, AG_DEVICE_QUARANTINED, why, advice);
}

void ag_device_abandon(struct ag_device *dev, const char *why) {
  give_up(
      dev, AG_DEVICE_ABANDONED, why,
      "set AGGLOM_TIMEOUT to more where kernels are long, or look for a loop in the task that does not end");
}

int ag_device_bear(struct ag_device *dev, uint64_t begin) {
  enum { SPIN_NS = 200000, NAP_NS = 50000 };
  uint64_t waited = ag_clock_ns() - begin;
  if (ag_device_lost(dev))
    return -EIO;
  if (dev->patience_ns && waited >= dev->patience_ns) {
    char why[100];
    snprintf(why, sizeof why, "work that had to be dropped did not end within %llu ms (AGGLOM_TIMEOUT)",
             (unsigned long long)waited / 1000000);
    ag_device_abandon(dev, why);
    return -ETIMEDOUT;
  }
  if (waited < SPIN_NS)
    sched_yield();
  else
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
  return 0;
}

bool ag_device_lost(const struct ag_device *dev) {
  return atomic_load_explicit(&dev->health, memory_order_acquire) != AG_DEVICE_OK;
}

int ag_grid_check(const struct ag_device *dev, const struct agglom_task *task,
                  const struct agglom_launch *launch, struct ag_grid grid) {
  unsigned map = ag_launch_map(task, launch);
  uint64_t threads = (uint64_t)grid.blocks * grid.threads;
  bool fits = map == AGGLOM_MAP_BLOCK  ? grid.blocks == launch->n_chains
              : map == AGGLOM_MAP_WARP ? threads / AG_WARP >= launch->n_chains && !(grid.threads % AG_WARP)
                                       : threads >= launch->n_chains;
  if (!launch->n_chains || !grid.blocks || !grid.threads || grid.blocks > dev->info.max_blocks ||
      grid.threads > dev->info.max_threads || !fits) {
    ag_error(
        "%s '%s': a launch of %u chains with %u blocks of %u threads does not fit %s:%d; please report this",
        ag_task_kind(task), task->name, launch->n_chains, grid.blocks, grid.threads, dev->info.kind,
        dev->info.index);
    return -EINVAL;
  }
  return 0;
}

/* asked: the user named this very device. Otherwise one that is kept for others is not worth a warning. */
static int open_cuda(int index, bool asked, struct ag_device **dev) {
  const char *why = "";
  int err = ag_cuda_open(index, dev, &why);
  if (err && asked)
    ag_warn("AGGLOM_DEVICES asks for cuda:%d, which cannot be used: %s", index, why);
  else if (err && err != -EBUSY)
    ag_warn("cuda:%d is there and cannot be used: %s", index, why);
  return err;
}

static int open_all_cuda(const struct ag_device_spec *spec, const struct ag_config *config,
                         struct ag_device **devices, int max) {
  bool asked = spec->kind == AG_KIND_CUDA;
  int opened = 0, present = ag_cuda_count(config->cuda_library);
  if (!present) {
    if (asked)
      ag_warn("AGGLOM_DEVICES asks for cuda, which cannot be used: %s", ag_cuda_why_not());
    return 0;
  }
  int wanted = spec->count ? spec->count : present;
  for (int i = 0; i < wanted && opened < max; ++i) {
    int index = spec->count ? spec->index[i] : i;
    if (index >= present) {
      ag_warn("AGGLOM_DEVICES asks for cuda:%d, but the last device is cuda:%d", index, present - 1);
      continue;
    }
    if (!open_cuda(index, asked, &devices[opened]))
      ++opened;
  }
  return opened;
}

static int open_emulated(const struct ag_device_spec *spec, const struct ag_config *config,
                         struct ag_device **devices, int max) {
  int opened = 0;
  ag_emulated_reset_faults();
  for (int i = 0; i < spec->count && opened < max; ++i) {
    int err = ag_emulated_open(i, &config->emulate, &config->fault, &devices[opened]);
    if (err) {
      ag_warn("AGGLOM_DEVICES asks for %d emulated devices, but number %d cannot be made: %s", spec->count, i,
              strerror(-err));
      break;
    }
    ++opened;
  }
  return opened;
}

int ag_devices_open(const char *spec, struct ag_device **devices, int max) {
  struct ag_config config;
  struct ag_device_spec wanted;
  ag_config_load_quietly(&config); /* what is malformed there has been said by the first ag_config_load() */
  if (ag_parse_devices(spec, &wanted)) {
    const struct ag_env_variable *v = ag_env_find("AGGLOM_DEVICES");
    ag_error("\"%.200s\" is not a list of devices: accepted are %s", spec, v->accepted);
    return -EINVAL;
  }
  switch (wanted.kind) {
  case AG_KIND_NONE:
    return 0;
  case AG_KIND_EMULATED:
    return open_emulated(&wanted, &config, devices, max);
  case AG_KIND_AUTO:
  case AG_KIND_CUDA:
    break;
  }
  return open_all_cuda(&wanted, &config, devices, max);
}
