/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hybrid.h"

#include "hybrid_chunk.h"
#include "runtime.h"
#include "sys/clock.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* What a unit was told when it asked last. */
enum told { NOTHING = 0, LATER, NONE };

struct seat {
  bool busy; /* it has a chunk */
  bool own;  /* a thread of this number has come */
  enum told told;
};

/* What schedules remember of a loop, which is known by its function. */
struct ag_hybrid_memory {
  void (*submit)(const void *env, unsigned long long from, unsigned long long to, void *slot);
  void *state;
  size_t bytes;
  uint64_t ns; /* of the last execution */
  bool used;   /* by an execution that is not over */
  struct ag_hybrid_memory *next;
};

struct ag_hybrid {
  struct ag_runtime *rt;
  struct ag_worker *owner;
  struct ag_domain *domain;
  const struct ag_for *call;
  struct ag_hybrid_memory *memory;
  struct ag_loop_view view;
  unsigned lanes[AG_MAX_DEVICES];
  int where[AG_MAX_DEVICES]; /* index of each device among the accelerators */
  bool splittable;           /* a device shares one part among its compute units */
  struct agglom_task *task;
  struct ag_hybrid *next; /* of those that run */
  unsigned users;         /* threads that serve it; the lock of all executions protects it */
  _Atomic bool over, said;
  pthread_mutex_t lock; /* protects what follows */
  struct ag_loop *loop;
  bool planned; /* all chunks are known from the beginning */
  struct seat *seats;
  struct ag_loop_chunk *first, *last, *spare; /* chunks that are not done, by from; and some for later */
  unsigned n_blocked;                         /* prepared chunks whose turn it was not */
  struct ag_loop_slot *slots, *spare_slot;
  int err;
};

/* --- Units -------------------------------------------------------------------------------------------- */

static struct ag_accelerator *device_of(const struct ag_hybrid *h, unsigned unit) {
  unsigned cpus = h->view.machine.cpus;
  return unit < cpus ? NULL : &h->rt->accelerators[h->where[unit - cpus]];
}

/* Whether CPUs run what this unit is granted. */
static bool on_cpu(const struct ag_hybrid *h, unsigned unit) {
  struct ag_accelerator *acc = device_of(h, unit);
  return !acc || !ag_accelerator_usable(acc);
}

static unsigned n_units(const struct ag_hybrid *h) { return h->view.machine.cpus + h->view.machine.devices; }

/* --- Chunks ------------------------------------------------------------------------------------------- */

/* Keeps the order of the iterations. Most come last. */
static void put_in(struct ag_hybrid *h, struct ag_loop_chunk *chunk) {
  struct ag_loop_chunk *after = h->last;
  while (after && after->from > chunk->from)
    after = after->prev;
  chunk->prev = after;
  chunk->next = after ? after->next : h->first;
  *(chunk->next ? &chunk->next->prev : &h->last) = chunk;
  *(after ? &after->next : &h->first) = chunk;
}

static void take_out(struct ag_hybrid *h, struct ag_loop_chunk *chunk) {
  *(chunk->prev ? &chunk->prev->next : &h->first) = chunk->next;
  *(chunk->next ? &chunk->next->prev : &h->last) = chunk->prev;
}

/* Asks the schedule on behalf of a unit. A chunk is there already: h->spare. */
static struct ag_loop_chunk *ask(struct ag_hybrid *h, unsigned unit) {
  struct ag_loop_chunk *chunk = h->spare;
  struct ag_loop_grant grant = ag_loop_next(h->loop, unit, ag_clock_ns());
  h->seats[unit].told = grant.what == AG_LOOP_NONE ? NONE : grant.what == AG_LOOP_LATER ? LATER : NOTHING;
  if (grant.what != AG_LOOP_RUN)
    return NULL;
  h->spare = chunk->next;
  *chunk = (struct ag_loop_chunk){.of = h, .from = grant.from, .to = grant.to, .unit = unit};
  put_in(h, chunk);
  return chunk;
}

/* A chunk for this unit that nobody has begun, or NULL. */
static struct ag_loop_chunk *grant(struct ag_hybrid *h, unsigned unit) {
  if (h->seats[unit].busy || h->seats[unit].told != NOTHING)
    return NULL;
  struct ag_loop_chunk *chunk = h->first;
  if (h->planned)
    while (chunk && (chunk->unit != unit || chunk->state != AG_CHUNK_NEW))
      chunk = chunk->next;
  else
    chunk = ask(h, unit);
  if (!chunk)
    return NULL;
  h->seats[unit].busy = true;
  chunk->begin_ns = ag_clock_ns();
  return chunk;
}

/* Whether a prepared chunk may run now: see hybrid.h. */
static bool is_its_turn(const struct ag_loop_chunk *chunk) {
  for (const struct ag_loop_chunk *c = chunk->prev; c; c = c->prev)
    if (c->state < AG_CHUNK_PREPARED || ag_chunks_conflict(c, chunk))
      return false;
  return true;
}

static void drop(struct ag_loop_chunk *chunk) {
  for (struct ag_part *p = chunk->parts, *next; p; p = next) {
    next = p->next;
    ag_part_free(p);
  }
  for (struct ag_loop_slot *s = chunk->slots, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  chunk->parts = chunk->left = NULL;
  chunk->slots = NULL;
}

/* --- Preparing ---------------------------------------------------------------------------------------- */

static int new_slot(struct ag_hybrid *h, struct ag_loop_chunk *chunk, uint64_t from) {
  if (!h->call->slot_size)
    return 0;
  struct ag_loop_slot *slot = calloc(1, sizeof *slot + h->call->slot_size);
  if (!slot)
    return -ENOMEM;
  slot->from = from;
  slot->next = chunk->slots;
  chunk->slots = slot;
  return 0;
}

/* Captures the chunk in n parts. -ENOMEM; -E2BIG when one part has more than `most` bytes. */
static int collect(struct ag_worker *w, struct ag_hybrid *h, struct ag_loop_chunk *chunk, uint64_t n,
                   size_t most) {
  uint64_t size = (chunk->to - chunk->from) / n, rest = (chunk->to - chunk->from) % n, to = chunk->from;
  struct ag_part **end = &chunk->parts;
  for (uint64_t i = 0; i < n; ++i) {
    uint64_t from = to;
    struct ag_capture capture = {.exactly = h->view.machine.devices,
                                 .said = atomic_load_explicit(&h->said, memory_order_relaxed)};
    to += size + (i < rest);
    int err = new_slot(h, chunk, from);
    if (err)
      return err;
    ag_chunk_capture(w, h->call, from, to, chunk->slots ? chunk->slots->bytes : NULL, &capture);
    if (capture.said)
      atomic_store_explicit(&h->said, true, memory_order_relaxed);
    if (capture.part) {
      *end = capture.part;
      end = &capture.part->next;
    }
    if (capture.err == -ENOMEM || capture.calls > 1)
      return -ENOMEM;
    if (capture.err) {
      pthread_mutex_lock(&h->lock);
      h->err = h->err ? h->err : capture.err;
      pthread_mutex_unlock(&h->lock);
    }
    if (capture.part && capture.part->bytes > most && size + (i < rest) > 1)
      return -E2BIG;
  }
  return 0;
}

static void prepare(struct ag_worker *w, struct ag_hybrid *h, struct ag_loop_chunk *chunk) {
  const struct ag_caps *caps = &h->rt->caps;
  bool device = !on_cpu(h, chunk->unit);
  uint64_t n = chunk->to - chunk->from, parts = 1;
  if (device && !h->splittable)
    parts = n < caps->fill ? n : caps->fill;
  for (int err;; parts = parts < n / 2 ? parts * 2 : n) {
    err = collect(w, h, chunk, parts, device ? caps->bytes / 2 : SIZE_MAX);
    chunk->left = chunk->parts;
    if (!err)
      return;
    drop(chunk);
    chunk->alone = err == -ENOMEM;
    if (chunk->alone)
      return;
  }
}

/* --- Running ------------------------------------------------------------------------------------------ */

/* A chunk that could not be prepared. It is the only one that runs. */
static void run_alone(struct ag_worker *w, struct ag_hybrid *h, const struct ag_loop_chunk *chunk) {
  const struct ag_for *call = h->call;
  void *slot = h->spare_slot ? h->spare_slot->bytes : NULL;
  bool plain = w->plain;
  ag_coherence_forget(w->rt);
  w->plain = true;
  call->submit(call->env, chunk->from, chunk->to, slot);
  w->plain = plain;
  ag_observe_submitted(h->task->state->observe, 1);
  ag_observe_cpu_units(h->task->state->observe, 1);
  if (!slot)
    return;
  pthread_mutex_lock(&h->lock);
  call->combine(call->env, slot);
  pthread_mutex_unlock(&h->lock);
  memset(slot, 0, call->slot_size);
}

/* The chunk is over; the lock is held. Whether others may have waited for that. */
static bool finish(struct ag_hybrid *h, struct ag_loop_chunk *chunk) {
  uint64_t now = ag_clock_ns();
  unsigned unit = chunk->unit;
  bool wake = h->n_blocked;
  take_out(h, chunk);
  while (chunk->slots) {
    struct ag_loop_slot *slot = chunk->slots;
    chunk->slots = slot->next;
    slot->next = h->slots;
    h->slots = slot;
  }
  drop(chunk);
  ag_loop_done(h->loop, unit, chunk->from, chunk->to,
               chunk->failed           ? 0
               : now > chunk->begin_ns ? now - chunk->begin_ns
                                       : 1);
  chunk->next = h->spare;
  h->spare = chunk;
  h->seats[unit].busy = false;
  for (unsigned u = 0; u < n_units(h); ++u)
    if (h->seats[u].told == LATER) {
      h->seats[u].told = NOTHING;
      wake = true;
    }
  if (ag_loop_left(h->loop))
    return wake;
  atomic_store(&h->over, true);
  return true;
}

void ag_hybrid_unit_done(struct ag_loop_chunk *chunk) {
  struct ag_hybrid *h = chunk->of;
  bool wake = false;
  pthread_mutex_lock(&h->lock);
  if (!--chunk->pending) {
    if (chunk->left) { /* there was no memory for some units */
      chunk->failed = true;
      chunk->state = AG_CHUNK_PREPARED;
      ++h->n_blocked;
      wake = true;
    } else {
      chunk->failed |= on_cpu(h, chunk->unit);
      wake = finish(h, chunk);
    }
  }
  struct ag_runtime *rt = h->rt;
  pthread_mutex_unlock(&h->lock);
  if (wake)
    ag_wake_all(rt);
}

/* --- Serving ------------------------------------------------------------------------------------------ */

/* A free slot for a chunk of this unit; false when there is none now. CPUs need none. */
static bool has_room(const struct ag_hybrid *h, unsigned unit, struct ag_slot **slot) {
  *slot = NULL;
  return on_cpu(h, unit) || (*slot = ag_slot_acquire(device_of(h, unit)));
}

/* A blocked chunk whose turn it is now. */
static struct ag_loop_chunk *unblocked(struct ag_hybrid *h, struct ag_slot **slot) {
  if (!h->n_blocked)
    return NULL;
  for (struct ag_loop_chunk *c = h->first; c; c = c->next)
    if (c->state == AG_CHUNK_PREPARED && is_its_turn(c)) {
      *slot = NULL;
      if (c->alone || c->failed || has_room(h, c->unit, slot)) {
        --h->n_blocked;
        return c;
      }
    }
  return NULL;
}

static struct ag_loop_chunk *for_device(struct ag_hybrid *h, struct ag_slot **slot) {
  for (unsigned u = h->view.machine.cpus; u < n_units(h); ++u) {
    if (h->seats[u].busy || h->seats[u].told != NOTHING || on_cpu(h, u) || !has_room(h, u, slot))
      continue;
    struct ag_loop_chunk *chunk = grant(h, u);
    if (chunk)
      return chunk;
    ag_slot_release(device_of(h, u), *slot, false);
    *slot = NULL;
  }
  return NULL;
}

static struct ag_loop_chunk *for_cpu(struct ag_hybrid *h, const struct ag_worker *w) {
  unsigned own = w->pool ? w->number : 0;
  struct ag_loop_chunk *chunk = NULL;
  if (own < h->view.machine.cpus) {
    h->seats[own].own = true;
    chunk = grant(h, own);
  }
  for (unsigned u = 0; u < n_units(h) && !chunk; ++u)
    if (on_cpu(h, u) && !h->seats[u].own)
      chunk = grant(h, u);
  return chunk;
}

/* A chunk that keeps others from running because nobody has looked at its sections. */
static struct ag_loop_chunk *not_prepared(const struct ag_hybrid *h) {
  struct ag_loop_chunk *chunk = h->n_blocked ? h->first : NULL;
  while (chunk && chunk->state != AG_CHUNK_NEW)
    chunk = chunk->next;
  return chunk;
}

/* Does something for the execution; false when there is nothing to do now. */
static bool serve(struct ag_worker *w, struct ag_hybrid *h) {
  struct ag_slot *slot = NULL;
  bool run = true, wake = false;
  pthread_mutex_lock(&h->lock);
  struct ag_loop_chunk *chunk = unblocked(h, &slot);
  if (!chunk)
    chunk = for_device(h, &slot);
  if (!chunk)
    chunk = for_cpu(h, w);
  if (!chunk && (chunk = not_prepared(h)))
    run = false;
  if (chunk && chunk->state == AG_CHUNK_NEW) {
    chunk->state = AG_CHUNK_PREPARING;
    pthread_mutex_unlock(&h->lock);
    prepare(w, h, chunk);
    pthread_mutex_lock(&h->lock);
    chunk->state = AG_CHUNK_PREPARED;
    wake = h->n_blocked;
    run = run && is_its_turn(chunk);
    h->n_blocked += !run;
  }
  if (chunk && run)
    chunk->state = AG_CHUNK_RUNNING;
  pthread_mutex_unlock(&h->lock);
  if (wake)
    ag_wake_all(h->rt);
  if (!chunk)
    return false;
  if (slot && (!run || chunk->alone || !chunk->left)) {
    ag_slot_release(device_of(h, chunk->unit), slot, false);
    slot = NULL;
  }
  if (!run || (slot && ag_chunk_launch(w, h->owner, h->domain, chunk, slot)))
    return true;
  chunk->failed |= slot != NULL;
  if (chunk->alone)
    run_alone(w, h, chunk);
  else
    ag_chunk_run(w, chunk);
  pthread_mutex_lock(&h->lock);
  wake = finish(h, chunk);
  pthread_mutex_unlock(&h->lock);
  if (wake)
    ag_wake_all(h->rt);
  return true;
}

bool ag_hybrid_help(struct ag_worker *w) {
  struct ag_hybrids *all = &w->rt->hybrids;
  bool did = false;
  if (!atomic_load_explicit(&all->n_running, memory_order_relaxed))
    return false;
  pthread_mutex_lock(&all->lock);
  for (struct ag_hybrid *h = all->running, *next; h && !did; h = next) {
    ++h->users;
    pthread_mutex_unlock(&all->lock);
    did = !atomic_load(&h->over) && serve(w, h);
    pthread_mutex_lock(&all->lock);
    next = h->next; /* it stays in the list as long as it has users */
    --h->users;
  }
  pthread_mutex_unlock(&all->lock);
  return did;
}

/* --- An execution ------------------------------------------------------------------------------------- */

void ag_hybrids_init(struct ag_hybrids *hybrids, bool may_linger) {
  *hybrids = (struct ag_hybrids){.may_linger = may_linger};
  pthread_mutex_init(&hybrids->lock, NULL);
}

void ag_hybrids_destroy(struct ag_hybrids *hybrids) {
  for (struct ag_hybrid_memory *m = hybrids->memories, *next; m; m = next) {
    next = m->next;
    free(m->state);
    free(m);
  }
  pthread_mutex_destroy(&hybrids->lock);
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
  if (m)
    m->used = true;
  pthread_mutex_unlock(&all->lock);
  return m;
}

/* Finds out what the loop submits, from its first iteration. False when it is not one unit with a kernel. */
static bool probe(struct ag_worker *w, struct ag_hybrid *h) {
  struct ag_capture capture = {.said = true};
  void *slot = h->spare_slot ? h->spare_slot->bytes : NULL;
  ag_chunk_capture(w, h->call, 0, 1, slot, &capture);
  if (slot)
    memset(slot, 0, h->call->slot_size);
  bool fine = capture.part && capture.calls == 1 && !(capture.part->task->flags & AGGLOM_TASK_CPU_ONLY);
  if (fine)
    h->task = capture.part->task;
  ag_part_free(capture.part);
  return fine;
}

/* Which units there are for it. */
static void look_around(struct ag_hybrid *h) {
  struct ag_runtime *rt = h->rt;
  struct ag_loop_machine *m = &h->view.machine;
  bool any = ag_runtime_on_device(rt, h->task, AG_LANE_DEVICE);
  for (int d = 0; any && d < rt->n_accelerators; ++d)
    if (ag_task_on_this(rt, h->task, d)) {
      h->where[m->devices] = d;
      h->lanes[m->devices++] = rt->accelerators[d].device->info.compute_units;
    }
  m->cpus = m->devices && (h->task->flags & AGGLOM_TASK_GPU) ? 0 : rt->cpus;
  m->lanes = h->lanes;
  h->splittable = h->task->flags & AGGLOM_TASK_SPLITTABLE;
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

/* The schedule begins; chunks that are known from the beginning are made. False without memory. */
static bool begin(struct ag_hybrid *h) {
  unsigned n = n_units(h);
  h->seats = calloc(n, sizeof *h->seats);
  h->memory = h->seats ? remember(&h->rt->hybrids, h) : NULL;
  if (!h->memory)
    return false;
  h->loop = ag_loop_begin(h->memory->state, &h->view);
  h->planned = ag_loop_planned(h->loop);
  bool fine = true;
  for (unsigned u = 0; u < n && fine; ++u) {
    fine = provide(h);
    while (fine && h->planned && ask(h, u))
      fine = provide(h);
    if (h->planned)
      h->seats[u].told = NOTHING;
  }
  return fine;
}

static void publish(struct ag_hybrid *h) {
  struct ag_hybrids *all = &h->rt->hybrids;
  pthread_mutex_lock(&all->lock);
  h->next = all->running;
  all->running = h;
  atomic_fetch_add(&all->n_running, 1);
  pthread_mutex_unlock(&all->lock);
  ag_wake_all(h->rt);
}

static void withdraw(struct ag_hybrid *h) {
  struct ag_hybrids *all = &h->rt->hybrids;
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
  pthread_mutex_unlock(&all->lock);
}

static int by_from(const void *a, const void *b) {
  const struct ag_loop_slot *const *x = a, *const *y = b;
  return (*x)->from<(*y)->from ? -1 : (*x)->from>(*y)->from;
}

/* Combines the parts of the reductions, in the order of the iterations where there is memory to sort them. */
static void combine(struct ag_hybrid *h) {
  size_t n = 0, i = 0;
  for (const struct ag_loop_slot *s = h->slots; s; s = s->next)
    ++n;
  struct ag_loop_slot **sorted = n ? malloc(n * sizeof *sorted) : NULL;
  for (struct ag_loop_slot *s = h->slots; s && sorted; s = s->next)
    sorted[i++] = s;
  if (sorted)
    qsort(sorted, n, sizeof *sorted, by_from);
  for (struct ag_loop_slot *s = h->slots; s && !sorted; s = s->next)
    h->call->combine(h->call->env, s->bytes);
  for (i = 0; i < n && sorted; ++i)
    h->call->combine(h->call->env, sorted[i]->bytes);
  free(sorted);
}

/* Loops often follow one another: for about as long as the last one took, threads stay awake. */
static void linger(struct ag_runtime *rt, uint64_t ns) {
  enum { LEAST_NS = 100000, MOST_NS = 5000000 };
  uint64_t for_ns = ns < LEAST_NS ? LEAST_NS : ns < MOST_NS ? ns : MOST_NS;
  if (rt->hybrids.may_linger)
    atomic_store(&rt->hybrids.linger_until, ag_clock_ns() + for_ns);
}

static void work(struct ag_worker *w, struct ag_hybrid *h) {
  uint64_t begin = ag_clock_ns();
  bool alone = !h->view.machine.devices && h->memory->ns && h->memory->ns < 2 * AG_CPU_WORTH_NS;
  if (!alone) {
    linger(h->rt, h->memory->ns);
    publish(h);
  }
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&h->rt->wakes);
    if (atomic_load(&h->over))
      break;
    if (serve(w, h) || ag_worker_help(w, AG_HELP_WAIT))
      rounds = 0;
    else
      ag_worker_idle(w, AG_HELP_WAIT, &rounds, key);
  }
  pthread_mutex_lock(&h->lock); /* who has finished the last chunk has let go of it */
  pthread_mutex_unlock(&h->lock);
  if (!alone)
    withdraw(h);
  h->memory->ns = ag_clock_ns() - begin;
  if (!alone)
    linger(h->rt, h->memory->ns);
  ag_loop_end(h->loop);
  combine(h);
  if (h->err) {
    pthread_mutex_lock(&h->owner->lock);
    h->domain->error = h->domain->error ? h->domain->error : h->err;
    pthread_mutex_unlock(&h->owner->lock);
  }
}

static void end(struct ag_hybrid *h) {
  if (h->memory) {
    pthread_mutex_lock(&h->rt->hybrids.lock);
    h->memory->used = false;
    pthread_mutex_unlock(&h->rt->hybrids.lock);
  }
  for (struct ag_loop_chunk *c = h->first, *next; c; c = next) { /* only where nothing was begun */
    next = c->next;
    free(c);
  }
  for (struct ag_loop_chunk *c = h->spare, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  for (struct ag_loop_slot *s = h->slots, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  free(h->spare_slot);
  free(h->seats);
  pthread_mutex_destroy(&h->lock);
}

bool ag_hybrid_run(struct ag_worker *w, const struct ag_for *call) {
  struct ag_hybrid h = {
      .rt = w->rt,
      .owner = w->current->home,
      .domain = w->current,
      .call = call,
      .view = {.n = call->n, .kind = call->schedule, .chunk = call->chunk, .ratio = call->ratio}};
  pthread_mutex_init(&h.lock, NULL);
  if (call->slot_size)
    h.spare_slot = calloc(1, sizeof *h.spare_slot + call->slot_size);
  bool fine = (!call->slot_size || h.spare_slot) && probe(w, &h);
  if (fine) {
    look_around(&h);
    fine = begin(&h);
  }
  if (fine) {
    ag_worker_wait(w, h.domain); /* chunks may use what units in flight write */
    work(w, &h);
  }
  end(&h);
  return fine;
}
