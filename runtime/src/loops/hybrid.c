/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "commit/commit.h"
#include "dispatch/dispatch.h"
#include "loops/crew.h"
#include "loops/direct.h"
#include "loops/hybrid_state.h"
#include "loops/look.h"
#include "measure/meter.h"
#include "remembered/models.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "wait/help.h"
#include "wait/idle.h"
#include "wait/wait.h"
#include "workers/make.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- Helping ------------------------------------------------------------------------------------------ */

static bool serve_all(struct ag_worker *w, bool minder) {
  struct ag_hybrids *all = w->rt->loops.all;
  bool did = false;
  pthread_mutex_lock(&all->lock);
  for (struct ag_hybrid *h = all->running, *next; h && !did; h = next) {
    ++h->users;
    pthread_mutex_unlock(&all->lock);
    bool may = !w->tied || ag_domain_is_within(h->domain, w->tied);
    did = may && !atomic_load(&h->over) && ag_hybrid_serve(w, h, minder);
    pthread_mutex_lock(&all->lock);
    next = h->next; /* h stays in the list as long as it has users */
    --h->users;
  }
  pthread_mutex_unlock(&all->lock);
  return did;
}

static bool help(struct ag_worker *w) {
  if (ag_crew_join(w))
    return true;
  return atomic_load_explicit(&w->rt->loops.all->n_running, memory_order_relaxed) && serve_all(w, false);
}

/* --- The minder --------------------------------------------------------------------------------------- */

static void *mind(void *worker) {
  enum { NAP_NS = 50000 };
  struct ag_worker *w = worker;
  struct ag_hybrids *all = w->rt->loops.all;
  ag_worker_adopt(w);
  while (!atomic_load(&w->rt->stopping)) {
    pthread_mutex_lock(&all->lock);
    while (!all->n_with_devices && !atomic_load(&w->rt->stopping))
      pthread_cond_wait(&all->with_devices, &all->lock);
    pthread_mutex_unlock(&all->lock);
    if (!ag_commit_poll(w->rt, w) && !serve_all(w, true))
      nanosleep(&(struct timespec){0, NAP_NS}, NULL);
  }
  return NULL;
}

/* Starts the minder when there is none. The lock of all executions is held. */
static void need_minder(struct ag_runtime *rt) {
  struct ag_hybrids *all = rt->loops.all;
  if (all->minder || all->no_minder)
    return;
  struct ag_worker *w = ag_worker_new(rt, true);
  all->no_minder = !w;
  if (w && ag_thread_start(&w->thread, mind, w)) {
    ag_worker_offer(w);
    all->no_minder = true;
  }
  all->minder = all->no_minder ? NULL : w;
}

void ag_hybrids_stop(struct ag_runtime *rt) {
  struct ag_hybrids *hybrids = rt->loops.all;
  if (!hybrids)
    return;
  pthread_mutex_lock(&hybrids->lock);
  pthread_cond_broadcast(&hybrids->with_devices);
  pthread_mutex_unlock(&hybrids->lock);
}

/* --- An execution ------------------------------------------------------------------------------------- */

void ag_hybrids_init(struct ag_runtime *rt) {
  struct ag_hybrids *hybrids = calloc(1, sizeof *hybrids);
  if (!hybrids)
    return;
  rt->loops.all = hybrids;
  rt->loops.help = help;
  rt->loops.join = ag_crew_join;
  rt->loops.awaits = ag_crew_awaits;
  rt->loops.crew = ag_crew_new(rt);
  rt->loops.direct = ag_direct_new();
  pthread_mutex_init(&hybrids->lock, NULL);
  pthread_cond_init(&hybrids->with_devices, NULL);
}

void ag_hybrids_destroy(struct ag_runtime *rt) {
  struct ag_hybrids *hybrids = rt->loops.all;
  if (!hybrids)
    return;
  for (struct ag_hybrid_memory *m = hybrids->memories, *next; m; m = next) {
    next = m->next;
    free(m->state);
    free(m->key);
    free(m);
  }
  pthread_mutex_destroy(&hybrids->lock);
  pthread_cond_destroy(&hybrids->with_devices);
  ag_crew_free(rt->loops.crew);
  ag_direct_free(rt->loops.direct);
  free(hybrids);
}

/* Whether what is remembered is of this schedule on these units. */
static bool fits(const struct ag_hybrid_memory *m, const struct ag_hybrid *h) {
  const struct ag_loop_machine *units = &h->view.machine;
  return m->kind == h->view.kind && m->cpus == units->cpus && m->devices == units->devices;
}

/* Replaces memory that does not fit by what earlier runs of the program have left in AGGLOM_MODELS, if they
 * have. */
static void seed(struct ag_hybrid_memory *m, const struct ag_hybrid *h) {
  free(m->key);
  m->kind = h->view.kind;
  m->cpus = h->view.machine.cpus;
  m->devices = h->view.machine.devices;
  m->key = ag_models_loop_key(h->task, &h->view, h->where);
  if (!m->key || !m->state)
    return;
  memset(m->state, 0, m->bytes);
  ag_models_seed_loop(m->key, m->state, &h->view);
}

void ag_hybrids_keep_models(struct ag_runtime *rt) {
  struct ag_hybrids *hybrids = rt->loops.all;
  if (!hybrids)
    return;
  pthread_mutex_lock(&hybrids->lock);
  for (struct ag_hybrid_memory *m = hybrids->memories; m; m = m->next)
    if (!m->used)
      ag_models_keep_loop(m->key, m->state);
  pthread_mutex_unlock(&hybrids->lock);
}

/* What is remembered of the loop, or something new. NULL: no memory. */
static struct ag_hybrid_memory *remember(struct ag_hybrids *all, const struct ag_hybrid *h) {
  size_t bytes = ag_loop_state_bytes(&h->view);
  pthread_mutex_lock(&all->lock);
  struct ag_hybrid_memory *m = all->memories;
  while (m && (m->used || m->submit != h->call->submit))
    m = m->next;
  if (!m && (m = calloc(1, sizeof *m))) {
    m->submit = h->call->submit;
    m->next = all->memories;
    all->memories = m;
  }
  bool known = m && fits(m, h);
  if (m && !known)
    ag_models_keep_loop(m->key, m->state);
  if (m && m->bytes < bytes) {
    char *grown = realloc(m->state, bytes);
    if (grown) {
      memset(grown + m->bytes, 0, bytes - m->bytes);
      m->state = grown;
      m->bytes = bytes;
    } else {
      m = NULL;
    }
  }
  if (m) {
    m->used = true;
    if (!known)
      seed(m, h);
  }
  pthread_mutex_unlock(&all->lock);
  return m;
}

/* Finds out what the loop submits. False when it is not one unit with a kernel. */
static bool probe(struct ag_worker *w, struct ag_hybrid *h) {
  h->task = ag_chunk_task(w, h->call, h->spare_reduction ? h->spare_reduction->bytes : NULL);
  return h->task && !(h->task->flags & AGGLOM_TASK_CPU_ONLY);
}

/* Finds the units that can run the loop: the devices that have its kernel, and CPUs. */
static void look_around(struct ag_hybrid *h) {
  struct ag_runtime *rt = h->rt;
  struct ag_loop_machine *m = &h->view.machine;
  bool any = ag_runtime_on_device(rt, h->task, AG_LANE_DEVICE);
  for (int d = 0; any && d < rt->n_accelerators; ++d)
    if (ag_task_on_this(rt, h->task, d)) {
      h->where[m->devices] = d;
      h->lanes[m->devices++] = rt->accelerators[d].device->info.compute_units;
    }
  bool devices_alone = rt->config.split == AG_SPLIT_GPU || (h->task->flags & AGGLOM_TASK_GPU);
  m->cpus = m->devices && devices_alone ? 0 : rt->cpus;
  m->lanes = h->lanes;
}

/* One more chunk for later; false without memory. */
static bool provide(struct ag_hybrid *h) {
  struct ag_loop_chunk *chunk = malloc(sizeof *chunk);
  if (!chunk)
    return false;
  chunk->next = h->spare;
  h->spare = chunk;
  return true;
}

/* Sizes of the iterations, for the schedule that wants them: their costs, or else the bytes that they use. Of
 * long loops those of groups of iterations, spread evenly. Without memory there are none. */
static void weigh(struct ag_worker *w, struct ag_hybrid *h) {
  enum { GROUPS = 1 << 16 };
  uint64_t n = h->view.n, step = n / GROUPS + 1;
  void *reduction = h->spare_reduction ? h->spare_reduction->bytes : NULL;
  double *sizes = n < SIZE_MAX / sizeof *sizes ? malloc(n * sizeof *sizes) : NULL;
  for (uint64_t from = 0, to; sizes && from < n; from = to) {
    struct ag_loop_capture capture = {0};
    to = n - from < step ? n : from + step;
    ag_chunk_capture(w, h->call, from, to, reduction, &capture);
    double size = capture.part ? (double)capture.part->cost / (double)(to - from) : 0;
    ag_part_free(capture.part);
    for (uint64_t i = from; i < to; ++i)
      sizes[i] = size;
  }
  if (reduction)
    memset(reduction, 0, h->call->slot_size);
  h->view.cost = h->sizes = sizes;
}

/* The schedule begins; chunks that are known from the beginning are made. False without memory, or when there
 * are too many to be kept. */
static bool begin(struct ag_worker *w, struct ag_hybrid *h) {
  enum { MOST_PLANNED = 1 << 16 };
  unsigned n = ag_hybrid_units(h);
  h->seats = calloc(n, sizeof *h->seats);
  h->memory = h->seats ? remember(h->rt->loops.all, h) : NULL;
  if (!h->memory)
    return false;
  h->loop = ag_loop_begin(h->memory->state, &h->view);
  h->planned = ag_loop_planned(h->loop);
  h->apart = ag_iterations_apart(w, h->call, h->view.machine.devices);
  bool fine = true;
  unsigned made = 0;
  for (unsigned u = 0; u < n && fine; ++u) {
    fine = provide(h);
    while (fine && h->planned && ag_hybrid_ask(h, u))
      fine = ++made < MOST_PLANNED && provide(h);
    if (h->planned)
      h->seats[u].told = AG_TOLD_NOTHING;
  }
  if (fine && h->planned)
    fine = ag_hybrid_sort(h, made);
  return fine;
}

static void publish(struct ag_hybrid *h) {
  struct ag_hybrids *all = h->rt->loops.all;
  pthread_mutex_lock(&all->lock);
  h->next = all->running;
  all->running = h;
  atomic_fetch_add(&all->n_running, 1);
  if (h->view.machine.devices) {
    need_minder(h->rt);
    if (!all->n_with_devices++)
      pthread_cond_signal(&all->with_devices);
  }
  pthread_mutex_unlock(&all->lock);
  ag_wake_all(h->rt);
}

static void withdraw(struct ag_hybrid *h) {
  struct ag_hybrids *all = h->rt->loops.all;
  pthread_mutex_lock(&all->lock);
  while (h->users) {
    pthread_mutex_unlock(&all->lock);
    sched_yield();
    pthread_mutex_lock(&all->lock);
  }
  struct ag_hybrid **at = &all->running;
  while (*at != h)
    at = &(*at)->next;
  *at = h->next;
  atomic_fetch_sub(&all->n_running, 1);
  all->n_with_devices -= h->view.machine.devices > 0;
  pthread_mutex_unlock(&all->lock);
}

/* Loops often follow one another: for about as long as the last one took, threads stay awake. */
void ag_hybrids_linger(struct ag_runtime *rt, uint64_t ns) {
  enum { LEAST_NS = 100000, MOST_NS = 5000000 };
  uint64_t for_ns = ns < LEAST_NS ? LEAST_NS : ns < MOST_NS ? ns : MOST_NS;
  if (rt->staying > 1)
    atomic_store(&rt->loops.linger_until, ag_clock_ns() + for_ns);
}

/* Whether chunks had to wait for one another so often that the loop took about as long as they all. */
static bool went_in_turn(const struct ag_hybrid *h) {
  return !h->view.machine.devices && h->n_waited && 4 * h->n_waited >= h->n_chunks &&
         h->memory->ns / 4 >= h->cpu_ns / 5;
}

static void work(struct ag_worker *w, struct ag_hybrid *h) {
  uint64_t begin = ag_clock_ns();
  ag_meter_tick(h->rt);
  const struct ag_domain *outer = w->tied;
  w->tied = h->domain;
  bool alone = !h->view.machine.devices && h->memory->ns && h->memory->ns < 2 * AG_CPU_WORTH_NS;
  if (!alone) {
    ag_hybrids_linger(h->rt, h->memory->ns);
    publish(h);
  }
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&h->rt->wakes);
    if (atomic_load(&h->over))
      break;
    if (ag_hybrid_serve(w, h, false) || ag_help_once(w, AG_HELP_WAIT))
      rounds = 0;
    else
      ag_idle(w, AG_HELP_WAIT, &rounds, key);
  }
  w->tied = outer;
  pthread_mutex_lock(&h->lock); /* the thread that has finished the last chunk has let go of h then */
  pthread_mutex_unlock(&h->lock);
  if (!alone)
    withdraw(h);
  h->memory->ns = ag_clock_ns() - begin;
  ag_direct_learn(h->rt, h->call, h->on_cpus, h->cpu_ns, went_in_turn(h));
  if (!alone)
    ag_hybrids_linger(h->rt, h->memory->ns);
  ag_meter_tick(h->rt);
  ag_loop_end(h->loop);
  ag_reductions_combine(h->call, h->reductions);
  if (h->err)
    ag_domain_fail(h->domain, h->err);
}

static void end(struct ag_hybrid *h) {
  if (h->memory) {
    pthread_mutex_lock(&h->rt->loops.all->lock);
    h->memory->used = false;
    pthread_mutex_unlock(&h->rt->loops.all->lock);
  }
  for (struct ag_loop_chunk *c = h->first, *next; c; c = next) { /* only where nothing was begun */
    next = c->next;
    free(c);
  }
  for (struct ag_loop_chunk *c = h->spare, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  for (struct ag_reduction *s = h->reductions, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  free(h->spare_reduction);
  free(h->sizes);
  free(h->seats);
  pthread_mutex_destroy(&h->lock);
}

bool ag_hybrid_run(struct ag_worker *w, const struct ag_for *call) {
  if (!w->rt->loops.all)
    return false;
  struct ag_hybrid h = {
      .rt = w->rt,
      .owner = w->current->home,
      .domain = w->current,
      .call = call,
      .view = {.n = call->n, .kind = call->schedule, .chunk = call->chunk, .ratio = call->ratio}};
  pthread_mutex_init(&h.lock, NULL);
  if (call->slot_size)
    h.spare_reduction = calloc(1, sizeof *h.spare_reduction + call->slot_size);
  ag_wait_domain(w, h.domain); /* chunks may use what units in flight write, and so may their sections */
  bool fine = (!call->slot_size || h.spare_reduction) && probe(w, &h);
  if (fine) {
    look_around(&h);
    ag_runtime_miss_device(h.rt, h.task);
    if (h.view.kind == AGGLOM_SCHEDULE_AUTO)
      h.view.objective = ag_meter_objective();
    if (h.view.kind == AGGLOM_SCHEDULE_GUIDED_SIZES)
      weigh(w, &h);
    fine = (!h.view.machine.devices || ag_queue_ready(h.owner, h.task)) && begin(w, &h);
  }
  if (fine) {
    ag_observe_loop(h.task->state->observe, ag_loop_name(call->schedule),
                    ag_loop_argument(call->schedule, call->chunk, call->ratio));
    work(w, &h);
  }
  end(&h);
  return fine;
}
