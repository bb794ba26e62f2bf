/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "submit/registry.h"

#include "fifo/queues.h"
#include "launch/coherence.h"
#include "measure/measure.h"
#include "shared/life.h"
#include "shared/runtime.h"
#include "sys/log.h"
#include "wait/wait.h"
#include "workers/streams.h"
#include <agglom/rt.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A registered module. */
struct entry {
  struct agglom_module *module;
  struct entry *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;
static unsigned next_index;
static bool counting; /* a runtime was started: tasks have counters */

/* The counters of all tasks since the runtime was started, each once: a module that comes back finds its old
 * ones. They outlive the tasks. */
static struct ag_observe_task **told;
static size_t n_told, cap_told;

static struct ag_observe_task *counters_of(const struct agglom_task *task) {
  struct ag_observe_task *counters = ag_observe_task(task);
  for (size_t i = 0; i < n_told; ++i)
    if (told[i] == counters)
      return counters;
  if (n_told == cap_told) {
    size_t cap = cap_told ? cap_told * 2 : 16;
    struct ag_observe_task **grown = realloc(told, cap * sizeof *grown);
    if (!grown)
      return counters; /* it misses in agglom_get_counters() then, nowhere else */
    told = grown;
    cap_told = cap;
  }
  told[n_told++] = counters;
  return counters;
}

/* The form after this one of a task, which has up to two; NULL: there is no more. */
static struct agglom_task *next_form(const struct agglom_task *task) { return task->state->urgent; }

static void free_state(struct agglom_task_state *state) {
  if (!state)
    return;
  if (state->urgent)
    ag_task_state_free(state->urgent->state);
  free(state->urgent);
  ag_task_kernels_free(state->kernels);
  ag_task_mapping_free(state->mapping);
  ag_measured_free(state->measured);
  ag_task_state_free(state);
}

static void forget_tasks(struct agglom_module *module, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    struct agglom_task *task = module->tasks[i];
    if (!task->state)
      continue;
    ag_measure_keep_task(task);
    free_state(task->state);
    task->state = NULL;
  }
}

/* The form of the task for units of priority > 0. It has all that is known of the task, but queues of its
 * own: so these units are not launched together with others. NULL: no memory. */
static struct agglom_task *urgent_form(const struct agglom_task *task,
                                       const struct agglom_task_state *state) {
  struct agglom_task *urgent = malloc(sizeof *urgent);
  struct agglom_task_state *own = urgent ? ag_task_state_new(task, next_index++) : NULL;
  if (!own) {
    free(urgent);
    return NULL;
  }
  own->first = task;
  own->kernels = state->kernels;
  own->mapping = state->mapping;
  own->measured = state->measured;
  *urgent = *task;
  urgent->state = own;
  return urgent;
}

static int make_task(struct agglom_task *task) {
  bool forms = (task->flags & AGGLOM_TASK_PRIORITIES) && !(task->flags & AGGLOM_TASK_CPU_ONLY);
  struct agglom_task_state *state = ag_task_state_new(task, next_index++);
  if (!state)
    return -ENOMEM;
  state->kernels = ag_task_kernels_new();
  state->mapping = ag_task_mapping_new();
  state->measured = ag_measured_new();
  if (!state->kernels || !state->mapping || !state->measured ||
      (forms && !(state->urgent = urgent_form(task, state)))) {
    free_state(state);
    return -ENOMEM;
  }
  task->state = state;
  for (struct agglom_task *form = task; form && counting; form = next_form(form))
    form->state->observe = counters_of(task);
  ag_measure_seed_task(task);
  return 0;
}

static int make_tasks(struct agglom_module *module) {
  for (unsigned i = 0; i < module->n_tasks; ++i)
    if (make_task(module->tasks[i])) {
      forget_tasks(module, i);
      return -ENOMEM;
    }
  return 0;
}

static struct entry **find(const struct agglom_module *module) {
  struct entry **at = &entries;
  while (*at && (*at)->module != module)
    at = &(*at)->next;
  return at;
}

/* A program that is linked with the runtime holds all of it, and exports it: libraries that it loads later
 * may call functions that it does not call itself, and must not find these in a second runtime. */
static void (*const whole[])(void)
    __attribute__((used)) = {(void (*)(void))agglom_alloc,          (void (*)(void))agglom_data_begin,
                             (void (*)(void))agglom_emulated_begin, (void (*)(void))agglom_for,
                             (void (*)(void))agglom_read_counters,  (void (*)(void))agglom_wait,
                             (void (*)(void))agglom_wait_on,        (void (*)(void))agglom_version};

int ag_registry_add(struct agglom_module *module) {
  if (module->abi_version != AGGLOM_ABI_VERSION) {
    /* Only the first four fields mean the same in all versions. */
    ag_error("%s was compiled by %s for ABI version %u of libagglomrt, but this is version %u; recompile it "
             "with this library's own agglomcc, of release %s (its tasks are plain calls now)",
             module->file, module->producer, module->abi_version, (unsigned)AGGLOM_ABI_VERSION,
             AGGLOM_VERSION);
    return -EPROTO;
  }
  pthread_mutex_lock(&lock);
  int err = 0;
  if (!*find(module)) {
    struct entry *entry = malloc(sizeof *entry);
    err = entry ? make_tasks(module) : -ENOMEM;
    if (err) {
      free(entry);
      ag_error("%s: there is no memory to register its tasks, which are plain calls now", module->file);
    } else {
      *entry = (struct entry){module, entries};
      entries = entry;
    }
  }
  pthread_mutex_unlock(&lock);
  return err;
}

/* --- Unregistering ------------------------------------------------------------------------------------ */

static struct ag_task_queue *queue_of(struct ag_worker *w, const struct agglom_task *task) {
  unsigned index = task->state->index;
  return index < w->n_queues ? w->queues[index] : NULL;
}

static bool module_idle(struct ag_runtime *rt, void *context) {
  const struct agglom_module *module = context;
  bool idle = true;
  for (struct ag_worker *w = atomic_load(&rt->workers); w && idle; w = w->next) {
    ag_lock(&w->lock);
    for (unsigned i = 0; i < module->n_tasks && idle; ++i)
      for (const struct agglom_task *form = module->tasks[i]; form && form->state && idle;
           form = next_form(form)) {
        const struct ag_task_queue *q = queue_of(w, form);
        idle = !q || (!q->live && !ag_stream_busy(&q->stream));
      }
    ag_unlock(&w->lock);
  }
  return idle;
}

/* Tells observe/ of the queue's units that it has not been told of. Lock held. */
static void tell(struct ag_task_queue *q) {
  uint64_t at_once = ag_get(&q->at_once), ran = at_once - q->at_once_told;
  uint64_t n = q->untold + ran + ag_stream_tell(&q->stream);
  if (n)
    ag_observe_submitted(q->task->state->observe, n);
  if (ran)
    ag_observe_cpu_units(q->task->state->observe, ran);
  q->untold = 0;
  q->at_once_told = at_once;
}

/* Takes the queue of a task's form away from a worker. While units of the worker are incomplete, old records
 * may still point to units of a queue: it stays until the worker goes. Else it is added to *gone, to be freed
 * once all workers have been here: other threads may walk the task's list of queues until then. Lock held. */
static void drop_queue(struct ag_worker *w, const struct agglom_task *form, struct ag_task_queue **gone) {
  struct ag_task_queue *q = queue_of(w, form);
  if (!q)
    return;
  tell(q);
  q->stream.open = false;
  q->task = NULL;
  if (ag_worker_incomplete(w))
    return;
  w->queues[form->state->index] = NULL;
  ++w->drops;
  q->next_gone = *gone;
  *gone = q;
}

static void drop_queues(struct ag_worker *w, const struct agglom_module *module,
                        struct ag_task_queue **gone) {
  ag_lock(&w->lock);
  for (unsigned i = 0; i < module->n_tasks; ++i)
    for (const struct agglom_task *form = module->tasks[i]; form; form = next_form(form))
      drop_queue(w, form, gone);
  ag_unlock(&w->lock);
}

void agglom_unregister(struct agglom_module *module) {
  if (ag_runtime_exiting() && ag_life_lives_on())
    return; /* nothing is unloaded, the process ends; other threads may still be submitting */
  pthread_mutex_lock(&lock);
  bool known = *find(module);
  pthread_mutex_unlock(&lock);
  if (!known)
    return; /* was refused */
  struct ag_runtime *rt = ag_life_hold();
  struct ag_worker *w = rt ? ag_worker_mine(rt) : NULL;
  if (w && !w->plain)
    ag_runtime_flush(rt, w, module_idle, module);
  if (rt)
    ag_coherence_forget(rt); /* the module's memory goes, and may come again with other content */
  for (int d = 0; rt && d < rt->n_accelerators; ++d)
    rt->accelerators[d].device->ops->forget(rt->accelerators[d].device, module);
  pthread_mutex_lock(&lock);
  struct entry **at = find(module), *entry = *at;
  struct ag_task_queue *gone = NULL;
  if (entry) {
    *at = entry->next;
    free(entry);
    for (struct ag_worker *v = rt ? atomic_load(&rt->workers) : NULL; v; v = v->next)
      drop_queues(v, module, &gone);
    for (struct ag_task_queue *next; gone; gone = next) {
      next = gone->next_gone;
      ag_queue_free(gone);
    }
    forget_tasks(module, module->n_tasks);
  }
  pthread_mutex_unlock(&lock);
  ag_life_let_go(rt);
}

/* --- For the runtime ---------------------------------------------------------------------------------- */

void ag_registry_before_fork(void) { pthread_mutex_lock(&lock); }
void ag_registry_after_fork(void) { pthread_mutex_unlock(&lock); }

void ag_registry_runtime_starts(void) {
  pthread_mutex_lock(&lock);
  counting = true;
  for (struct entry *e = entries; e; e = e->next)
    for (unsigned i = 0; i < e->module->n_tasks; ++i) {
      struct agglom_task *task = e->module->tasks[i];
      for (struct agglom_task *form = task; form; form = next_form(form))
        form->state->observe = counters_of(task);
      ag_measure_seed_task(task);
    }
  pthread_mutex_unlock(&lock);
}

void ag_registry_keep_models(void) {
  pthread_mutex_lock(&lock);
  for (struct entry *e = entries; e; e = e->next)
    for (unsigned i = 0; i < e->module->n_tasks; ++i)
      ag_measure_keep_task(e->module->tasks[i]);
  pthread_mutex_unlock(&lock);
}

void ag_registry_runtime_ends(void) {
  pthread_mutex_lock(&lock);
  counting = false;
  free(told);
  told = NULL;
  n_told = cap_told = 0;
  for (struct entry *e = entries; e; e = e->next)
    for (unsigned i = 0; i < e->module->n_tasks; ++i) {
      struct agglom_task_state *state = e->module->tasks[i]->state;
      for (struct agglom_task *form = e->module->tasks[i]; form; form = next_form(form)) {
        form->state->observe = NULL;
        ag_queues_forget(form->state);
      }
      ag_task_kernels_reset(state->kernels);
      ag_task_mapping_reset(state->mapping);
      ag_measured_reset(state->measured);
    }
  pthread_mutex_unlock(&lock);
}

void ag_registry_tell(struct ag_worker *w) {
  ag_lock(&w->lock);
  for (unsigned i = 0; i < w->n_queues; ++i) {
    struct ag_task_queue *q = w->queues[i];
    if (q && q->task)
      tell(q);
  }
  ag_unlock(&w->lock);
}

void ag_registry_totals(struct ag_observe_totals *totals) {
  *totals = (struct ag_observe_totals){0};
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < n_told; ++i) {
    struct ag_observe_totals t;
    ag_observe_totals(told[i], &t);
    totals->submitted += t.submitted;
    totals->on_cpu += t.on_cpu;
    totals->on_device += t.on_device;
    totals->cpu_batches += t.cpu_batches;
    totals->launches += t.launches;
    totals->failed += t.failed;
    totals->bytes_in += t.bytes_in;
    totals->bytes_direct += t.bytes_direct;
    totals->bytes_reused += t.bytes_reused;
    totals->bytes_out += t.bytes_out;
    totals->kernel_ns += t.kernel_ns;
  }
  pthread_mutex_unlock(&lock);
}
