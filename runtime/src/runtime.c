/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's life: started by the first submission, ended at exit. */
#include "shared/runtime.h"

#include "loops/hybrid.h"
#include "measure/measure.h"
#include "measure/meter.h"
#include "memory/pinned.h"
#include "observe/ranges.h"
#include "observe/trace.h"
#include "remembered/models.h"
#include "shared/life.h"
#include "submit/registry.h"
#include "sys/loaded.h"
#include "sys/log.h"
#include "sys/thread.h"
#include "sys/topology.h"
#include "wait/help.h"
#include "wait/idle.h"
#include "wait/wait.h"
#include "workers/wake.h"
#include "workers/worker.h"
#include <agglom/rt.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic bool told_at_exit;

const char *agglom_version(void) { return AGGLOM_VERSION; }

/* --- Ending ----------------------------------------------------------------------------------------- */

static void stop_pool(struct ag_runtime *rt) {
  atomic_store(&rt->stopping, true);
  ag_wake_all(rt);
  ag_hybrids_stop(rt);
  for (struct ag_worker *w = atomic_load(&rt->workers); w; w = w->next)
    if (w->pool)
      pthread_join(w->thread, NULL);
}

static void free_runtime(struct ag_runtime *rt) {
  for (int d = 0; d < rt->n_accelerators; ++d)
    ag_accelerator_close(&rt->accelerators[d]);
  for (struct ag_worker *w = atomic_load(&rt->workers), *next; w; w = next) {
    next = w->next;
    ag_worker_free(w);
  }
  ag_hybrids_destroy(rt);
  pthread_mutex_destroy(&rt->growing);
  pthread_mutex_destroy(&rt->residents.lock);
  ag_coverage_destroy(&rt->residents.memory);
  ag_team_free(atomic_load(&rt->host_team));
  ag_binding_close(rt->binding);
  free(rt->memory);
}

static bool others_thread(struct ag_worker *w) {
  return !w->pool && w != ag_worker_here() && !atomic_load(&w->orphan);
}

/* Everything is complete, but for what threads that go on have submitted since ag_runtime_flush() began: as
 * many of their units must be complete as there were then. */
static bool flushed(struct ag_runtime *rt, void *context) {
  bool complete = true;
  (void)context;
  for (struct ag_worker *w = atomic_load(&rt->workers); w && complete; w = w->next) {
    ag_lock(&w->lock);
    uint64_t incomplete = ag_worker_incomplete(w);
    complete = !incomplete || (others_thread(w) && ag_worker_submitted(w) - incomplete >= w->goal);
    ag_unlock(&w->lock);
  }
  return complete;
}

static bool inside_a_unit(void) {
  struct ag_worker *w = ag_worker_here();
  return w && (w->plain || w->running);
}

/* Whether other host threads may still be using the runtime; or this one could not look after its units. */
static bool others_live(struct ag_runtime *rt) {
  if (!ag_worker_here())
    return true;
  for (struct ag_worker *w = atomic_load(&rt->workers); w; w = w->next)
    if (others_thread(w))
      return true;
  return false;
}

static void tell_all(struct ag_runtime *rt) {
  for (struct ag_worker *w = atomic_load(&rt->workers); w; w = w->next)
    ag_registry_tell(w);
}

static void tell_settings(const struct ag_runtime *rt) {
  const struct ag_config *c = &rt->config;
  struct ag_observe_settings s = {.workers = rt->cpus, .cores = c->cus.cores};
  snprintf(s.batch, sizeof s.batch, c->batch.n ? "%s:%u" : "%s", rt->policy->name, c->batch.n);
  snprintf(s.split, sizeof s.split, "%s", ag_split_name(c->split));
  snprintf(s.objective, sizeof s.objective, "%s", ag_objective_name(c->objective));
  ag_meter_why_not(s.objective_why_not);
  ag_observe_settings(&s);
}

/* Gathers what only a report or a trace tells. */
static void ask_for_report(const struct ag_runtime *rt) {
  tell_settings(rt);
  struct ag_energy_reading energy[AG_ENERGY_METERS];
  ag_observe_energy(energy, ag_energy_read(energy));
  for (int d = 0; d < rt->n_accelerators; ++d)
    if (!ag_accelerator_usable(&rt->accelerators[d]))
      ag_observe_lost(d);
}

static void start_energy(struct ag_runtime *rt) {
  struct ag_energy_gpu gpus[AG_MAX_DEVICES];
  unsigned n = 0;
  for (int d = 0; d < rt->n_accelerators; ++d) {
    const struct ag_device_info *info = &rt->accelerators[d].device->info;
    if (strcmp(info->kind, "cuda") != 0)
      continue;
    snprintf(gpus[n].name, sizeof gpus[n].name, "%s:%d", info->kind, info->index);
    memcpy(gpus[n++].pci, info->pci, sizeof info->pci);
  }
  ag_energy_start(rt->config.powercap, rt->config.nvml_library, gpus, n);
}

/* The report, the trace and the models. */
static void tell_user(struct ag_runtime *rt) {
  if (ag_runtime_reports(rt))
    ask_for_report(rt);
  ag_observe_report_to(&rt->config.report);
  ag_trace_write(NULL);
  ag_registry_keep_models();
  ag_hybrids_keep_models(rt);
  ag_meter_keep();
  ag_measure_keep_transfers(rt);
  ag_models_write();
}

/* Runs what is left, reports, and ends everything. The caller got rt from ag_life_may_end(). */
static void end(struct ag_runtime *rt, bool for_good) {
  struct ag_worker *w = ag_worker_mine(rt);
  if (w)
    ag_runtime_flush(rt, w, flushed, NULL);
  if (!for_good || !atomic_exchange(&told_at_exit, true)) {
    tell_all(rt);
    tell_user(rt);
  }
  /* At exit other threads go on for a moment, as they may in C: then so does the runtime. */
  if (!ag_life_close(rt, for_good ? others_live : NULL))
    return;
  stop_pool(rt);
  free_runtime(rt);
  ag_registry_runtime_ends();
  ag_meter_stop();
  ag_models_stop();
  ag_trace_end();
  ag_energy_stop();
  ag_observe_reset();
  ag_life_ended(for_good);
}

int agglom_shutdown(void) {
  AG_UNCANCELLED;
  if (inside_a_unit()) {
    ag_error("agglom_shutdown() was called inside a task function; call it where the program ends");
    return -EBUSY;
  }
  struct ag_runtime *rt = ag_life_may_end(false);
  if (rt)
    end(rt, false);
  return 0;
}

int agglom_write_trace(const char *file) {
  AG_UNCANCELLED;
  struct ag_runtime *rt = ag_life_hold();
  int err = -ENOENT;
  if (rt) {
    tell_all(rt);
    ask_for_report(rt);
    err = ag_trace_write(file);
  }
  ag_life_let_go(rt);
  return err;
}

static void end_at_exit(void) {
  ag_runtime_exits();
  struct ag_runtime *rt;
  if (inside_a_unit()) { /* exit() in a task function: that unit will never be complete */
    rt = ag_life_forsake();
    if (rt && !atomic_exchange(&told_at_exit, true)) {
      tell_all(rt);
      tell_user(rt);
    }
    return;
  }
  rt = ag_life_may_end(true);
  if (rt)
    end(rt, true);
}

/* Is called twice: see watch_exit(). */
static void at_exit(void) {
  enum { STATUS = 70 };
  end_at_exit();
  /* A kernel's wrong access must not go unnoticed in a test. Isolated devices are there with glibc alone,
   * where exit() called by what exit() calls goes on with what is left, and with another status. */
  if (ag_emulated_kernels_failed())
    exit(STATUS);
}

/* The handler is registered with the first start of the runtime, so that this ends when any other library
 * would; and with the first module, so that it ends before modules are unregistered, where another thread may
 * start it only now. */
static void watch_exit(void) { atexit(at_exit); }

static pthread_once_t watching_modules = PTHREAD_ONCE_INIT, watching_exit = PTHREAD_ONCE_INIT;

int agglom_register(struct agglom_module *module) {
  pthread_once(&watching_modules, watch_exit);
  return ag_registry_add(module);
}

/* --- Fork ------------------------------------------------------------------------------------------- */

/* A child has one thread and none of the workers: from now on task functions are plain calls there. All that
 * is held around the fork is held for moments only by whoever else takes it: nobody waits there, forks, or
 * calls what may fork. */
static void before_fork(void) {
  ag_life_lock();
  ag_registry_before_fork();
  ag_pinned_before_fork();
}

static void after_fork(void) {
  ag_pinned_after_fork(false);
  ag_registry_after_fork();
  ag_life_unlock();
}

static void in_child(void) {
  ag_pinned_after_fork(true);
  ag_registry_after_fork();
  if (!ag_life_in_child())
    return;
  ag_trace_forsake();
  ag_models_forsake();
  ag_meter_forsake();
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

static pthread_once_t watching_forks = PTHREAD_ONCE_INIT;

/* --- Starting --------------------------------------------------------------------------------------- */

static void open_devices(struct ag_runtime *rt) {
  struct ag_device *devices[AG_MAX_DEVICES];
  int wanted = rt->config.cus.devices, most = ag_config_devices(&rt->config, AG_MAX_DEVICES);
  int n = most ? ag_devices_open(rt->config.devices, devices, most) : 0;
  if (most && !n && !strcmp(rt->config.devices, "auto") && ag_cuda_broken())
    ag_warn("units run on the CPU: %s; with AGGLOM_DEVICES=none nobody asks the driver", ag_cuda_why_not());
  if (wanted > n)
    ag_warn("AGGLOM_CUS asks for %d devices, but AGGLOM_DEVICES=%s gives %d", wanted, rt->config.devices, n);
  for (int i = 0; i < n; ++i) {
    int where = rt->n_accelerators;
    struct ag_accelerator *acc = &rt->accelerators[where];
    devices[i]->timed = ag_tracing() || ag_measure_devices(rt);
    devices[i]->patience_ns = AG_SLOTS * rt->config.timeout_ns; /* it may follow those of all other slots */
    if (ag_accelerator_open(acc, devices[i], where)) {
      ag_accelerator_close(acc);
      continue;
    }
    char name[32];
    snprintf(name, sizeof name, "%s:%d", devices[i]->info.kind, devices[i]->info.index);
    ag_observe_device(where, name);
    ++rt->n_accelerators;
  }
  ag_launch_caps(rt, &rt->caps);
}

/* The compute units that AGGLOM_CUS asks for: how many workers, and whether they are bound. */
static void size_units(struct ag_runtime *rt) {
  const struct ag_cus *cus = &rt->config.cus;
  const char *why;
  rt->cpus = ag_config_cpus(&rt->config, ag_usable_cpus());
  if (!cus->units)
    return;
  rt->binding = ag_binding_open(cus->cores, &why);
  if (!rt->binding) {
    ag_warn("the threads of AGGLOM_CUS=%ux%u are not bound to cores: %s", cus->units, cus->cores, why);
  } else if ((uint64_t)cus->units * cus->cores > ag_binding_cores(rt->binding)) {
    ag_warn("AGGLOM_CUS=%ux%u asks for more than the %u cores that the process may use; its threads are not "
            "bound to cores",
            cus->units, cus->cores, ag_binding_cores(rt->binding));
    ag_binding_close(rt->binding);
    rt->binding = NULL;
  }
}

static bool has_teams(const struct ag_runtime *rt) {
  return rt->config.cus.units && rt->config.cus.cores >= 2;
}

/* The helpers of compute unit i; NULL where it has one core, or they cannot be started. */
static struct ag_team *team_of(struct ag_runtime *rt, unsigned i) {
  unsigned cores = rt->config.cus.cores;
  return has_teams(rt) ? ag_team_new(cores, rt->binding, i * cores) : NULL;
}

static void start_pool(struct ag_runtime *rt) {
  struct ag_team *team = team_of(rt, 0);
  unsigned alone = !team;
  atomic_store(&rt->host_team, team);
  for (unsigned i = 1; i < rt->cpus; ++i) {
    struct ag_worker *w = ag_worker_new(rt, true);
    if (w) {
      w->team = team_of(rt, i);
      alone += !w->team;
      w->number = i;
      w->core = i * rt->config.cus.cores;
    }
    int err = w ? ag_thread_start(&w->thread, ag_idle_main, w) : ENOMEM;
    if (!err)
      continue;
    if (w)
      ag_worker_offer(w);
    ag_warn("only %u of %u worker threads could be started: %s", i - 1, rt->cpus - 1, strerror(err));
    rt->cpus = i;
    rt->staying = rt->staying < i ? rt->staying : i;
  }
  if (has_teams(rt) && alone)
    ag_warn("the threads of %u of %u compute units cannot be started (AGGLOM_CUS=%ux%u); one core does the "
            "work of each",
            alone, rt->config.cus.units, rt->config.cus.units, rt->config.cus.cores);
}

static void start_models(const struct ag_runtime *rt) {
  const struct ag_device_info *infos[AG_MAX_DEVICES];
  for (int d = 0; d < rt->n_accelerators; ++d)
    infos[d] = &rt->accelerators[d].device->info;
  ag_models_start(&rt->config, infos, rt->n_accelerators);
}

/* For how long threads without work spin. What a few wake-ups take is little where each has a CPU; else they
 * would be in the way of those that have work. Between loops as many stay awake as there are CPUs. */
static void set_linger(struct ag_runtime *rt) {
  enum { USUAL_NS = 1000000 };
  unsigned usable = ag_usable_cpus();
  bool choose = rt->config.linger_ns == AG_LINGER_AUTO, fits = rt->cpus <= usable;
  rt->linger_ns = !choose ? rt->config.linger_ns : fits ? USUAL_NS : 0;
  rt->staying = rt->linger_ns ? rt->cpus : choose ? usable : 1;
}

/* Memory for it, all zero. Pages that nobody writes take none: nearly all of its 0.9 MB is for devices that
 * a machine does not have. */
static struct ag_runtime *new_runtime(void) {
  void *memory = calloc(1, AG_CACHE_LINE + sizeof(struct ag_runtime));
  if (!memory)
    return NULL;
  struct ag_runtime *rt = (void *)ag_align_up((uintptr_t)memory, AG_CACHE_LINE);
  rt->memory = memory;
  return rt;
}

/* Makes the runtime. No lock is held: this calls the driver, which may call anything. */
static int start(struct ag_runtime **started) {
  struct ag_runtime *rt = new_runtime();
  *started = NULL;
  if (!rt)
    return -ENOMEM;
  pthread_once(&watching_forks, watch_forks); /* the driver may fork while it is asked */
  pthread_mutex_init(&rt->growing, NULL);
  pthread_mutex_init(&rt->residents.lock, NULL);
  ag_coverage_init(&rt->residents.memory);
  int err = ag_config_load(&rt->config);
  ag_ranges_start();
  ag_trace_start(&rt->config.trace);
  rt->must_fence = !ag_fence_all_works();
  rt->policy = ag_batch_policy(rt->config.batch.rule);
  size_units(rt);
  open_devices(rt);
  rt->most_live = AG_MOST_LIVE;
  rt->most_bytes = AG_MOST_BYTES;
  if (!rt->n_accelerators && rt->cpus < AG_MOST_LIVE / AG_MOST_LIVE_PER_CPU)
    rt->most_live = (size_t)rt->cpus * AG_MOST_LIVE_PER_CPU;
  if (ag_runtime_reports(rt))
    start_energy(rt);
  start_models(rt);
  ag_measure_seed_transfers(rt);
  ag_meter_start(rt);
  ag_registry_runtime_starts();
  set_linger(rt);
  ag_hybrids_init(rt);
  start_pool(rt);
  pthread_once(&watching_exit, watch_exit);
  *started = rt;
  return err;
}

int agglom_init(void) {
  struct ag_runtime *rt;
  if (ag_life_running())
    return 0;
  AG_UNCANCELLED;
  if (!ag_life_may_start())
    return 0;
  ag_stay_loaded();
  int err = start(&rt);
  ag_life_started(rt);
  return err;
}

/* --- Memory ----------------------------------------------------------------------------------------- */

void *agglom_alloc(size_t bytes) {
  AG_UNCANCELLED;
  pthread_once(&watching_forks, watch_forks);
  return ag_pinned_alloc(bytes);
}

void agglom_free(void *memory) {
  AG_UNCANCELLED;
  ag_pinned_free(memory);
}
