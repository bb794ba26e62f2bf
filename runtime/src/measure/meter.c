/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "measure/meter.h"

#include "policy/model/power.h"
#include "remembered/models.h"
#include "shared/runtime.h"
#include "sys/clock.h"
#include "sys/energy.h"
#include "sys/log.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const uint64_t EVERY_NS = 100000000;
enum { CPU = -1 }; /* instead of the index of a device */

/* A side, which is all CPU units or a device, and its meter. */
struct side {
  int device;
  struct ag_power power;
  uint64_t busy_ns; /* of a device, since the meters were read */
  uint64_t uj;      /* its meter's reading then, microjoules */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all but `on` */
static _Atomic bool on;
static enum ag_objective_choice choice;
static char why_not[AG_POWERS_WHY]; /* "": energy can be read */
static bool asked, known;           /* whether a policy asked for the objective, and once got all powers */
static struct side sides[1 + AG_MAX_DEVICES];
static unsigned n_sides;
static uint64_t looked_ns;        /* when it was last looked which devices are busy, */
static uint64_t read_ns, cpus_ns; /* and when the meters were read; CPU time then */

static uint64_t cpu_time(void) {
  struct timespec t = {0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The readings are those of the CPU and of each CUDA device, in their order. */
static bool readable(const struct ag_energy_reading *readings, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    if (readings[i].why_not[0]) {
      snprintf(why_not, sizeof why_not, "the energy of %s cannot be read (%s)", readings[i].name,
               readings[i].why_not);
      ag_warn("AGGLOM_OBJECTIVE=%s: %s; time is minimised instead", ag_objective_name(choice), why_not);
      return false;
    }
  if (n != n_sides)
    snprintf(why_not, sizeof why_not, "no meter of energy was found");
  return n == n_sides;
}

/* Of the emulated devices there is no meter: what they take is the CPU's. */
static void find_sides(const struct ag_runtime *rt) {
  n_sides = 0;
  sides[n_sides++] = (struct side){.device = CPU};
  for (int d = 0; d < rt->n_accelerators; ++d)
    if (!strcmp(rt->accelerators[d].device->info.kind, "cuda"))
      sides[n_sides++] = (struct side){.device = d};
}

void ag_meter_start(struct ag_runtime *rt) {
  struct ag_energy_reading readings[AG_ENERGY_METERS];
  bool wanted = rt->config.objective != AG_OBJECTIVE_TIME && rt->n_accelerators;
  unsigned n = wanted ? ag_energy_read(readings) : 0; /* which asks NVML: without the lock */
  pthread_mutex_lock(&lock);
  choice = rt->config.objective;
  why_not[0] = '\0';
  asked = known = false;
  if (!wanted) {
    snprintf(why_not, sizeof why_not, "there is no device");
    pthread_mutex_unlock(&lock);
    return;
  }
  find_sides(rt);
  if (readable(readings, n)) {
    for (unsigned i = 0; i < n_sides; ++i) {
      sides[i].uj = readings[i].uj;
      ag_models_seed_power(sides[i].device, &sides[i].power);
    }
    looked_ns = read_ns = ag_clock_ns();
    cpus_ns = cpu_time();
    atomic_store(&on, true);
  }
  pthread_mutex_unlock(&lock);
}

void ag_meter_stop(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&on, false);
  pthread_mutex_unlock(&lock);
}

void ag_meter_forsake(void) { atomic_store(&on, false); }

/* A device that is busy now counts as busy for all the time since the last look. */
static void look(const struct ag_runtime *rt, uint64_t now) {
  for (unsigned i = 0; i < n_sides; ++i)
    if (sides[i].device != CPU && ag_accelerator_busy(&rt->accelerators[sides[i].device]))
      sides[i].busy_ns += now - looked_ns;
  looked_ns = now;
}

/* Lock held. */
static void learn(const struct ag_runtime *rt, uint64_t now, const struct ag_energy_reading *readings) {
  uint64_t cpus = cpu_time();
  double seconds = (double)(now - read_ns) / 1e9;
  for (unsigned i = 0; i < n_sides; ++i) {
    struct side *s = &sides[i];
    double busy = s->device == CPU ? (double)(cpus - cpus_ns) / rt->cpus : (double)s->busy_ns;
    ag_power_learn(&s->power, seconds, busy / 1e9 / seconds, (double)(readings[i].uj - s->uj) / 1e6);
    s->uj = readings[i].uj;
    s->busy_ns = 0;
  }
  read_ns = now;
  cpus_ns = cpus;
}

static void read_meters(const struct ag_runtime *rt, uint64_t now) {
  struct ag_energy_reading readings[AG_ENERGY_METERS];
  unsigned n = ag_energy_read(readings);
  pthread_mutex_lock(&lock);
  if (readable(readings, n))
    learn(rt, now, readings);
  else
    atomic_store(&on, false);
  pthread_mutex_unlock(&lock);
}

/* A thread that finds another one at it returns at once. */
void ag_meter_tick(const struct ag_runtime *rt) {
  static atomic_flag taken = ATOMIC_FLAG_INIT;
  if (!atomic_load_explicit(&on, memory_order_relaxed) || atomic_flag_test_and_set(&taken))
    return;
  uint64_t now = ag_clock_ns();
  pthread_mutex_lock(&lock);
  bool looks = atomic_load(&on) && now > looked_ns, reads = looks && now - read_ns >= EVERY_NS;
  if (looks)
    look(rt, now);
  pthread_mutex_unlock(&lock);
  if (reads)
    read_meters(rt, now); /* asks NVML */
  atomic_flag_clear(&taken);
}

struct ag_objective ag_meter_objective(void) {
  struct ag_objective o = {.choice = AG_OBJECTIVE_TIME};
  if (!atomic_load_explicit(&on, memory_order_relaxed))
    return o;
  pthread_mutex_lock(&lock);
  o.choice = choice;
  o.known = n_sides > 0;
  for (unsigned i = 0; i < n_sides; ++i) {
    double idle = 0, busy = 0;
    o.known &= ag_power_line(&sides[i].power, &idle, &busy);
    o.idle += idle;
    *(sides[i].device == CPU ? &o.cpus : &o.devices) += busy;
  }
  asked = true;
  known |= o.known;
  pthread_mutex_unlock(&lock);
  return o;
}

void ag_meter_why_not(char text[AG_POWERS_WHY]) {
  pthread_mutex_lock(&lock);
  const char *why = why_not[0] ? why_not
                    : !asked ? "nothing chose by it, for that is what AGGLOM_SPLIT=auto and schedule(auto) do"
                    : !known ? "the powers of busy and of idle sides were not known before the end"
                             : "";
  snprintf(text, AG_POWERS_WHY, "%s", choice == AG_OBJECTIVE_TIME ? "" : why);
  pthread_mutex_unlock(&lock);
}

void ag_meter_keep(void) {
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < n_sides && atomic_load(&on); ++i)
    ag_models_keep_power(sides[i].device, &sides[i].power);
  pthread_mutex_unlock(&lock);
}
