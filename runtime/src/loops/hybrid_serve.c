/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "commit/commit.h"
#include "launch/coherence.h"
#include "launch/launch.h"
#include "loops/hybrid_state.h"
#include "sys/clock.h"
#include "wait/idle.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ANY_UNIT = UINT_MAX };

static void unit_done(struct ag_whole *whole, bool cpu);

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

/* --- Chunks ------------------------------------------------------------------------------------------- */

/* Adds the chunk at the end of the list. */
static void put_in(struct ag_hybrid *h, struct ag_loop_chunk *chunk) {
  chunk->prev = h->last;
  chunk->next = NULL;
  *(h->last ? &h->last->next : &h->first) = chunk;
  h->last = chunk;
}

static int by_iteration(const void *a, const void *b) {
  const struct ag_loop_chunk *const *x = a, *const *y = b;
  return (*x)->from<(*y)->from ? -1 : (*x)->from>(*y)->from;
}

bool ag_hybrid_sort(struct ag_hybrid *h, size_t n) {
  struct ag_loop_chunk **sorted = n ? malloc(n * sizeof(struct ag_loop_chunk *)) : NULL;
  size_t i = 0;
  if (!sorted)
    return !n;
  for (struct ag_loop_chunk *c = h->first; c; c = c->next)
    sorted[i++] = c;
  qsort(sorted, n, sizeof(struct ag_loop_chunk *), by_iteration);
  h->first = h->last = NULL;
  for (i = 0; i < n; ++i)
    put_in(h, sorted[i]);
  free(sorted);
  return true;
}

static void take_out(struct ag_hybrid *h, struct ag_loop_chunk *chunk) {
  *(chunk->prev ? &chunk->prev->next : &h->first) = chunk->next;
  *(chunk->next ? &chunk->next->prev : &h->last) = chunk->prev;
}

struct ag_loop_chunk *ag_hybrid_ask(struct ag_hybrid *h, unsigned unit) {
  struct ag_loop_chunk *chunk = h->spare;
  struct ag_loop_grant grant = ag_loop_next(h->loop, unit, ag_clock_ns());
  h->seats[unit].told = grant.what == AG_LOOP_NONE    ? AG_TOLD_NONE
                        : grant.what == AG_LOOP_LATER ? AG_TOLD_LATER
                                                      : AG_TOLD_NOTHING;
  if (grant.what != AG_LOOP_RUN)
    return NULL;
  h->spare = chunk->next;
  *chunk = (struct ag_loop_chunk){.of = h, .from = grant.from, .to = grant.to, .unit = unit};
  put_in(h, chunk);
  return chunk;
}

/* How many planned chunks are looked at, from the first that is not done. Units that are ahead of others by
 * more wait for these, which makes no difference in the end. */
static unsigned window(const struct ag_hybrid *h) { return 2 * ag_hybrid_units(h) + 8; }

/* A planned chunk that nobody has begun, of this unit, or of any one when it is ANY_UNIT. */
static struct ag_loop_chunk *planned(const struct ag_hybrid *h, unsigned unit) {
  struct ag_loop_chunk *chunk = h->first;
  for (unsigned i = window(h); chunk && i; --i, chunk = chunk->next)
    if (chunk->state == AG_CHUNK_NEW && (unit == ANY_UNIT || chunk->unit == unit))
      return chunk;
  return NULL;
}

/* A chunk for this unit that nobody has begun, or NULL. */
static struct ag_loop_chunk *grant(struct ag_hybrid *h, unsigned unit) {
  if (h->seats[unit].busy || h->seats[unit].told != AG_TOLD_NOTHING)
    return NULL;
  struct ag_loop_chunk *chunk = h->planned ? planned(h, unit) : ag_hybrid_ask(h, unit);
  h->starved |= h->planned && !chunk;
  if (!chunk)
    return NULL;
  h->seats[unit].busy = true;
  chunk->begin_ns = ag_clock_ns();
  return chunk;
}

/* Whether a prepared chunk may run now: see hybrid.h. */
static bool is_its_turn(struct ag_loop_chunk *chunk) {
  if (chunk->of->apart && !chunk->alone)
    return true;
  for (const struct ag_loop_chunk *c = chunk->prev; c; c = c->prev) {
    if (c->state < AG_CHUNK_PREPARED)
      return false;
    if (ag_chunks_conflict(c, chunk)) {
      chunk->waited = true;
      return false;
    }
  }
  return true;
}

static void drop(struct ag_loop_chunk *chunk) {
  for (struct ag_part *p = chunk->parts, *next; p; p = next) {
    next = p->next;
    ag_part_free(p);
  }
  for (struct ag_reduction *s = chunk->reductions, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  chunk->parts = chunk->left = NULL;
  chunk->reductions = NULL;
}

/* --- Preparing ---------------------------------------------------------------------------------------- */

static int new_reduction(struct ag_hybrid *h, struct ag_loop_chunk *chunk, uint64_t from) {
  if (!h->call->slot_size)
    return 0;
  struct ag_reduction *reduction = calloc(1, sizeof *reduction + h->call->slot_size);
  if (!reduction)
    return -ENOMEM;
  reduction->from = from;
  reduction->next = chunk->reductions;
  chunk->reductions = reduction;
  return 0;
}

/* Captures the chunk in n parts. -ENOMEM; -E2BIG when one part has more than `most` bytes. */
static int collect(struct ag_worker *w, struct ag_hybrid *h, struct ag_loop_chunk *chunk, uint64_t n,
                   size_t most) {
  uint64_t size = (chunk->to - chunk->from) / n, rest = (chunk->to - chunk->from) % n, to = chunk->from;
  struct ag_part **end = &chunk->parts;
  for (uint64_t i = 0; i < n; ++i) {
    uint64_t from = to;
    struct ag_loop_capture capture = {.base.exactly = h->view.machine.devices, .said = &h->said};
    to += size + (i < rest);
    int err = new_reduction(h, chunk, from);
    if (err)
      return err;
    ag_chunk_capture(w, h->call, from, to, chunk->reductions ? chunk->reductions->bytes : NULL, &capture);
    if (capture.part) {
      capture.part->whole = (struct ag_whole){unit_done, to - from};
      capture.part->chunk = chunk;
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
  struct ag_accelerator *device = on_cpu(h, chunk->unit) ? NULL : device_of(h, chunk->unit);
  uint64_t n = chunk->to - chunk->from, parts = 1;
  size_t most = device ? atomic_load_explicit(&device->most_staged, memory_order_relaxed) : SIZE_MAX;
  if (device)
    most = (most < caps->bytes ? most : caps->bytes) / 2;
  if (device && !(h->task->flags & AGGLOM_TASK_SPLITTABLE))
    parts = n < caps->fill ? n : caps->fill;
  for (int err;; parts = parts < n / 2 ? parts * 2 : n) {
    err = collect(w, h, chunk, parts, most);
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

/* Runs a chunk that could not be prepared. No other chunk runs meanwhile. */
static void run_alone(struct ag_worker *w, struct ag_hybrid *h, const struct ag_loop_chunk *chunk) {
  const struct ag_for *call = h->call;
  void *reduction = h->spare_reduction ? h->spare_reduction->bytes : NULL;
  bool plain = w->plain;
  ag_coherence_forget(w->rt);
  w->plain = true;
  call->submit(call->env, chunk->from, chunk->to, reduction);
  w->plain = plain;
  ag_observe_submitted(h->task->state->observe, 1);
  ag_observe_cpu_units(h->task->state->observe, 1);
  if (!reduction)
    return;
  call->combine(call->env, reduction); /* the others are combined when all chunks are over */
  memset(reduction, 0, call->slot_size);
}

/* Ends a chunk that has run on device `on`, or on the CPU when that is NULL. Whether other threads may have
 * waited for it. Lock held. */
static bool finish(struct ag_hybrid *h, struct ag_loop_chunk *chunk, const struct ag_accelerator *on) {
  uint64_t now = ag_clock_ns();
  unsigned unit = chunk->unit;
  bool wake = h->n_blocked || h->starved;
  h->starved = false;
  ag_observe_chunk(h->task->state->observe, on ? (int)(on - h->rt->accelerators) : AG_OBSERVE_CPU,
                   chunk->to - chunk->from);
  take_out(h, chunk);
  uint64_t begin = chunk->waited ? chunk->run_ns : chunk->begin_ns;
  if (!on && !chunk->failed && now > begin) {
    h->on_cpus += chunk->to - chunk->from;
    h->cpu_ns += now - begin;
  }
  ++h->n_chunks;
  if (chunk->waited) {
    ++h->n_waited;
    ag_observe_waited(h->task->state->observe);
  }
  while (chunk->reductions) {
    struct ag_reduction *reduction = chunk->reductions;
    chunk->reductions = reduction->next;
    reduction->next = h->reductions;
    h->reductions = reduction;
  }
  drop(chunk);
  ag_loop_done(h->loop, unit, chunk->from, chunk->to,
               chunk->failed           ? 0
               : now > chunk->begin_ns ? now - chunk->begin_ns
                                       : 1);
  chunk->next = h->spare;
  h->spare = chunk;
  h->seats[unit].busy = false;
  for (unsigned u = 0; u < ag_hybrid_units(h); ++u)
    if (h->seats[u].told == AG_TOLD_LATER) {
      h->seats[u].told = AG_TOLD_NOTHING;
      wake = true;
    }
  if (ag_loop_left(h->loop))
    return wake;
  atomic_store(&h->over, true);
  return true;
}

/* A unit of a chunk for a device is complete, there or on the CPU; the lock of its worker is held. */
static void unit_done(struct ag_whole *whole, bool cpu) {
  struct ag_loop_chunk *chunk = ((struct ag_part *)(void *)whole)->chunk;
  struct ag_hybrid *h = chunk->of;
  bool wake = false;
  pthread_mutex_lock(&h->lock);
  chunk->failed |= cpu;
  if (!--chunk->pending) {
    if (chunk->left) { /* there was no memory for some units */
      chunk->failed = true;
      chunk->state = AG_CHUNK_PREPARED;
      ++h->n_blocked;
      wake = true;
    } else {
      wake = finish(h, chunk, chunk->failed ? NULL : device_of(h, chunk->unit));
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

/* A blocked chunk whose turn it is now. The minder takes it for a device only, as it runs none on a CPU: all
 * CPUs may be busy with what chunks for devices have waited for. */
static struct ag_loop_chunk *unblocked(struct ag_hybrid *h, bool minder, struct ag_slot **slot) {
  unsigned n = h->n_blocked;
  for (struct ag_loop_chunk *c = h->first; c && n; c = c->next)
    if (c->state == AG_CHUNK_PREPARED && (--n, is_its_turn(c))) {
      bool here = c->alone || c->failed || on_cpu(h, c->unit);
      *slot = NULL;
      if (here ? !minder : has_room(h, c->unit, slot)) {
        --h->n_blocked;
        return c;
      }
    }
  return NULL;
}

static struct ag_loop_chunk *for_device(struct ag_hybrid *h, struct ag_slot **slot) {
  for (unsigned u = h->view.machine.cpus; u < ag_hybrid_units(h); ++u) {
    if (h->seats[u].busy || h->seats[u].told != AG_TOLD_NOTHING || on_cpu(h, u) || !has_room(h, u, slot))
      continue;
    struct ag_loop_chunk *chunk = grant(h, u);
    if (chunk)
      return chunk;
    ag_slot_release(device_of(h, u), *slot, false);
    *slot = NULL;
  }
  return NULL;
}

/* A chunk for the thread's own CPU unit, or else for one that nobody serves at the moment; NULL: none. */
static struct ag_loop_chunk *for_cpu(struct ag_hybrid *h, const struct ag_worker *w) {
  unsigned own = w->pool ? w->number : 0;
  struct ag_loop_chunk *chunk = own < h->view.machine.cpus ? grant(h, own) : NULL;
  for (unsigned u = 0; u < ag_hybrid_units(h) && !chunk; ++u)
    if (on_cpu(h, u))
      chunk = grant(h, u);
  return chunk;
}

/* A chunk that keeps others from running because nobody has looked at its sections. */
static struct ag_loop_chunk *not_prepared(const struct ag_hybrid *h) {
  return h->n_blocked ? planned(h, ANY_UNIT) : NULL;
}

bool ag_hybrid_serve(struct ag_worker *w, struct ag_hybrid *h, bool minder) {
  struct ag_slot *slot = NULL;
  bool run = true, wake = false;
  pthread_mutex_lock(&h->lock);
  struct ag_loop_chunk *chunk = unblocked(h, minder, &slot);
  if (!chunk)
    chunk = for_device(h, &slot);
  if (!chunk && !minder)
    chunk = for_cpu(h, w);
  if (!chunk && !minder && (chunk = not_prepared(h)))
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
  struct ag_accelerator *acc = slot ? device_of(h, chunk->unit) : NULL;
  if (slot && run && (chunk->alone || !chunk->left)) {
    ag_slot_release(acc, slot, false);
    slot = NULL;
  }
  pthread_mutex_unlock(&h->lock);
  if (wake)
    ag_wake_all(h->rt);
  if (!chunk || !run) { /* another thread may have the chunk already */
    if (slot)
      ag_slot_release(acc, slot, false);
    return chunk != NULL;
  }
  if (slot && ag_chunk_launch(w, h->owner, h->domain, chunk, slot))
    return true;
  chunk->failed |= slot != NULL;
  ag_commit_left(w);
  if (chunk->waited)
    chunk->run_ns = ag_clock_ns();
  if (chunk->alone)
    run_alone(w, h, chunk);
  else
    ag_chunk_run(w, chunk);
  pthread_mutex_lock(&h->lock);
  wake = finish(h, chunk, NULL);
  pthread_mutex_unlock(&h->lock);
  if (wake)
    ag_wake_all(h->rt);
  return true;
}
