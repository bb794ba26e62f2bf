/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "loops/crew.h"

#include "commit/commit.h"
#include "loops/crew_state.h"
#include "loops/hybrid_state.h"
#include "loops/look.h"
#include "shared/runtime.h"
#include "sys/align.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "wait/help.h"
#include "wait/idle.h"
#include "workers/wake.h"

#include <errno.h>
#include <sched.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum {
  SPINS = 2000
}; /* before the loop's thread lets others have its CPU, while it waits for the last piece */

struct ag_crew *ag_crew_new(struct ag_runtime *rt) {
  size_t bytes = sizeof(struct ag_crew) + rt->cpus * sizeof(struct ag_crew_seat);
  struct ag_crew *crew = aligned_alloc(alignof(struct ag_crew), bytes);
  if (!crew)
    return NULL;
  memset(crew, 0, bytes);
  crew->rt = rt;
  crew->n = rt->cpus;
  pthread_mutex_init(&crew->lock, NULL);
  return crew;
}

void ag_crew_free(struct ag_crew *crew) {
  if (!crew)
    return;
  pthread_mutex_destroy(&crew->lock);
  free(crew->spare);
  free(crew);
}

static uint64_t since(const _Atomic uint64_t *at, uint64_t now) {
  uint64_t then = atomic_load_explicit(at, memory_order_relaxed);
  return !then ? UINT64_MAX : now > then ? now - then : 0;
}

uint64_t ag_crew_since(const struct ag_crew *crew, uint64_t now) { return since(&crew->ended_ns, now); }

uint64_t ag_crew_wanted_since(const struct ag_crew *crew, uint64_t now) {
  return since(&crew->wanted_ns, now);
}

void ag_crew_wanted(struct ag_crew *crew, uint64_t now) {
  atomic_store_explicit(&crew->wanted_ns, now, memory_order_relaxed);
}

/* --- Shares ------------------------------------------------------------------------------------------- */

/* Shares are ranges of steps: iterations, or chunks where all have one size. With turns, every n-th of a
 * range belongs to it. */
static bool has_chunks(const struct ag_crew *crew) { return crew->way >= AG_CREW_CHUNKS; }

/* From a step of a share to its next one. */
static uint64_t stride(const struct ag_crew *crew) { return crew->way == AG_CREW_TURNS ? crew->shares : 1; }

static uint64_t pack(uint64_t from, uint64_t to) { return from << 32 | to; }
static uint64_t from_of(uint64_t range) { return range >> 32; }
static uint64_t to_of(uint64_t range) { return range & UINT32_MAX; }
static uint64_t left_of(const struct ag_crew *crew, uint64_t range) {
  uint64_t from = from_of(range), to = to_of(range);
  return from < to ? (to - from + stride(crew) - 1) / stride(crew) : 0;
}

/* The first iteration of a step. */
static uint64_t iteration(const struct ag_crew *crew, uint64_t step) {
  return step < crew->steps ? step * crew->size : crew->call->n;
}

/* The next piece of the seat's own share: a chunk, or a quarter of what is left, at least what is worth a
 * piece. False: there is nothing left. */
static bool take_own(struct ag_crew *crew, struct ag_crew_seat *seat, uint64_t *from, uint64_t *to) {
  uint64_t range = atomic_load(&seat->range), n;
  do {
    uint64_t left = left_of(crew, range), most = has_chunks(crew) ? 1 : left;
    if (!left)
      return false;
    n = left / 4 > crew->piece ? left / 4 : crew->piece;
    n = n < most ? n : most;
  } while (!atomic_compare_exchange_weak(&seat->range, &range,
                                         pack(from_of(range) + n * stride(crew), to_of(range))));
  *from = iteration(crew, from_of(range));
  *to = iteration(crew, from_of(range) + n);
  return true;
}

/* The seat with most left; NULL: none has anything. */
static struct ag_crew_seat *richest(struct ag_crew *crew) {
  struct ag_crew_seat *best = NULL;
  uint64_t most = 0;
  for (unsigned i = 0; i < crew->n; ++i) {
    uint64_t left = left_of(crew, atomic_load_explicit(&crew->seats[i].range, memory_order_relaxed));
    if (left > most) {
      most = left;
      best = &crew->seats[i];
    }
  }
  return best;
}

/* Whether the back of a share, from `cut` on, may go to another thread while its own is at what was before.
 */
static bool may_part(struct ag_worker *w, const struct ag_crew *crew, uint64_t first, uint64_t left,
                     uint64_t cut, uint64_t to) {
  bool stays = crew->way == AG_CREW_BLOCKS || crew->way == AG_CREW_TURNS;
  if (stays || (!has_chunks(crew) && left < 2 * crew->piece))
    return false;
  return crew->apart || ag_ranges_apart(w, crew->call, first, cut, to);
}

/* Makes part of another share the seat's own, which is empty: all of one that nobody has begun and whose
 * thread is not here, else the back half. False: nothing can be taken. */
static bool take_from_others(struct ag_worker *w, struct ag_crew *crew, struct ag_crew_seat *seat) {
  uint64_t epoch =
      atomic_load(&crew->epoch); /* a thread that is late may say that it is in an earlier loop */
  for (struct ag_crew_seat *of; (of = richest(crew));) {
    uint64_t range = atomic_load(&of->range), first = atomic_load(&of->first);
    uint64_t from = from_of(range), to = to_of(range), left = left_of(crew, range), cut = from + left / 2;
    if (!left)
      continue;
    if (from == first && atomic_load(&of->inside) != epoch)
      cut = from;
    else if (!may_part(w, crew, first, left, cut, to))
      return false;
    if (!atomic_compare_exchange_strong(&of->range, &range, pack(from, cut)))
      continue;
    atomic_store(&seat->first, (uint32_t)cut);
    atomic_store(&seat->range, pack(cut, to));
    return true;
  }
  return false;
}

/* Room for a piece's reductions; NULL: no memory. */
static struct ag_reduction *room(const struct ag_for *call, struct ag_crew_seat *seat, uint64_t from) {
  struct ag_reduction *r = calloc(1, sizeof *r + call->slot_size);
  if (!r)
    return NULL;
  r->from = from;
  r->next = seat->reductions;
  seat->reductions = r;
  return r;
}

/* Runs a piece for whose reductions there is no memory: in the crew's spare room, one at a time, and combined
 * at once. */
static void run_in_turn(struct ag_crew *crew, uint64_t from, uint64_t to, struct ag_run *run) {
  const struct ag_for *call = crew->call;
  pthread_mutex_lock(&crew->lock);
  memset(crew->spare, 0, call->slot_size);
  ag_run_piece(run, call, from, to, crew->spare);
  call->combine(call->env, crew->spare);
  pthread_mutex_unlock(&crew->lock);
}

static void work(struct ag_worker *w, struct ag_crew *crew, struct ag_crew_seat *seat) {
  const struct ag_for *call = crew->call;
  struct ag_run run = ag_run_begin(w, crew->domain, &crew->said);
  uint64_t from = 0, to = 0;
  do {
    while (take_own(crew, seat, &from, &to)) {
      struct ag_reduction *r = call->slot_size ? room(call, seat, from) : NULL;
      if (call->slot_size && !r)
        run_in_turn(crew, from, to, &run);
      else
        ag_run_piece(&run, call, from, to, r ? r->bytes : NULL);
      ++seat->pieces;
      bool last = atomic_fetch_sub(&crew->left, to - from) == to - from;
      if (last && call->cpus && seat != crew->seats) /* the loop's thread may sleep */
        ag_wake_all(w->rt);
    }
  } while (take_from_others(w, crew, seat));
  if (run.task)
    seat->task = run.task;
  seat->err = run.err;
}

bool ag_crew_awaits(const struct ag_worker *w) {
  const struct ag_crew *crew = w->rt->loops.crew;
  if (!crew || !w->pool || w->number >= crew->n || w->running || w->tied)
    return false;
  uint64_t epoch = atomic_load_explicit(&crew->epoch, memory_order_acquire);
  return (epoch & 1) && epoch != crew->seats[w->number].joined;
}

bool ag_crew_join(struct ag_worker *w) {
  struct ag_crew *crew = w->rt->loops.crew;
  if (!ag_crew_awaits(w))
    return false;
  struct ag_crew_seat *seat = &crew->seats[w->number];
  uint64_t epoch = atomic_load_explicit(&crew->epoch, memory_order_acquire);
  if (!(epoch & 1))
    return false;
  atomic_store(&seat->inside, epoch);
  bool open = atomic_load(&crew->epoch) == epoch;
  if (open) {
    seat->joined = epoch;
    ag_commit_left(w);
    work(w, crew, seat);
  }
  atomic_store(&seat->inside, 0);
  return open;
}

/* --- A loop of a crew ----------------------------------------------------------------------------------- */

/* Whether no two of the shares conflict. */
static bool are_apart(struct ag_worker *w, const struct ag_crew *crew, const struct ag_for *call) {
  enum { HERE = 8 };
  _Alignas(max_align_t) char here[AG_SLOTS_HERE];
  struct ag_look few[HERE], *looks = crew->shares <= HERE ? few : calloc(crew->shares, sizeof *looks);
  size_t size;
  char *slots = ag_run_slots(call, crew->shares, here, sizeof here, &size);
  bool fine = looks && slots;
  unsigned n = 0;
  for (; fine && n < crew->shares; ++n) {
    uint64_t from = ag_loop_part(call->n, crew->shares, n), to = ag_loop_part(call->n, crew->shares, n + 1);
    looks[n].part.access = NULL;
    fine = from == to || ag_look_at(w, call, from, to, slots + n * size, &looks[n]);
    for (unsigned k = 0; k < n && fine && from < to; ++k)
      fine = !looks[k].part.access || !ag_parts_conflict(&looks[k].part, &looks[n].part);
  }
  for (unsigned k = 0; k < n; ++k)
    ag_look_forget(&looks[k]);
  if (looks != few)
    free(looks);
  if (slots != here)
    free(slots);
  return fine;
}

/* The first step of the n-th share; there are none for the last seats where there are more than shares. */
static uint64_t share_begins(const struct ag_crew *crew, unsigned n) {
  return ag_loop_part(crew->steps, crew->shares, n < crew->shares ? n : crew->shares);
}

/* Cuts the loop into shares. False where it cannot be. */
static bool share_out(struct ag_worker *w, struct ag_crew *crew, const struct ag_for *call,
                      const struct ag_crew_deal *deal) {
  bool chunks = deal->way >= AG_CREW_CHUNKS;
  crew->way = deal->way;
  bool each = deal->way == AG_CREW_BLOCKS || deal->way == AG_CREW_TURNS; /* of all threads has one */
  crew->shares = each || crew->rt->staying == 1 ? crew->n : crew->rt->staying;
  crew->size = chunks ? deal->piece : 1;
  crew->piece = chunks ? 1 : deal->way == AG_CREW_BLOCKS ? call->n : deal->piece;
  crew->steps = ag_ceil(call->n, crew->size);
  crew->apart = ag_iterations_apart(w, call, false);
  if (crew->steps > UINT32_MAX - crew->n || (!crew->apart && (chunks || !are_apart(w, crew, call))))
    return false;
  for (unsigned n = 0; n < crew->n; ++n) {
    struct ag_crew_seat *seat = &crew->seats[n];
    bool turns = deal->way == AG_CREW_TURNS;
    uint64_t from = turns ? n : share_begins(crew, n), to = turns ? crew->steps : share_begins(crew, n + 1);
    seat->pieces = 0;
    seat->task = NULL;
    seat->reductions = NULL;
    seat->err = 0;
    atomic_store_explicit(&seat->first, (uint32_t)from, memory_order_relaxed);
    atomic_store_explicit(&seat->range, pack(from, to), memory_order_relaxed);
  }
  return true;
}

/* Sees to the spare room. */
static bool provide(struct ag_crew *crew, const struct ag_for *call) {
  if (call->slot_size <= crew->spare_bytes)
    return true;
  char *grown = realloc(crew->spare, call->slot_size);
  if (!grown)
    return false;
  crew->spare = grown;
  crew->spare_bytes = call->slot_size;
  return true;
}

/* Combines the reductions of all pieces, and frees them. */
static void combine(struct ag_crew *crew, const struct ag_for *call) {
  struct ag_reduction *all = NULL;
  for (unsigned i = 0; i < crew->n; ++i)
    for (struct ag_reduction *r = crew->seats[i].reductions, *next; r; r = next) {
      next = r->next;
      r->next = all;
      all = r;
    }
  ag_reductions_combine(call, all);
  for (struct ag_reduction *next; all; all = next) {
    next = all->next;
    free(all);
  }
}

/* Runs what iterations that are not done have submitted, and sleeps while there is nothing. */
static void help(struct ag_worker *w, const struct ag_crew *crew) {
  const struct ag_domain *outer = w->tied;
  w->tied = crew->domain;
  for (unsigned rounds = 0;;) {
    unsigned key = atomic_load(&w->rt->wakes);
    if (!atomic_load(&crew->left))
      break;
    if (ag_help_once(w, AG_HELP_WAIT))
      rounds = 0;
    else
      ag_idle(w, AG_HELP_WAIT, &rounds, key);
  }
  w->tied = outer;
}

/* Waits until all iterations are done and nobody looks at the loop any more. */
static void finish(struct ag_worker *w, struct ag_crew *crew, uint64_t epoch) {
  unsigned spins = 0;
  while (atomic_load_explicit(&crew->left, memory_order_acquire)) {
    ag_pause();
    if (++spins > SPINS && crew->call->cpus)
      help(w, crew);
    else if (spins > SPINS)
      sched_yield();
  }
  atomic_store(&crew->epoch, epoch + 1);
  for (unsigned i = 1; i < crew->n; ++i)
    for (spins = 0; atomic_load(&crew->seats[i].inside) == epoch;) {
      ag_pause();
      if (++spins > SPINS)
        sched_yield();
    }
}

int ag_crew_run(struct ag_worker *w, const struct ag_for *call, const struct ag_crew_deal *deal,
                struct ag_run_result *result) {
  struct ag_crew *crew = w->rt->loops.crew;
  if (!crew || w->running || w->pool || atomic_flag_test_and_set(&crew->taken))
    return -EBUSY;
  uint64_t begin = ag_clock_ns();
  if (!provide(crew, call) || !share_out(w, crew, call, deal)) {
    atomic_flag_clear(&crew->taken);
    return -EDEADLK;
  }
  uint64_t epoch = atomic_load_explicit(&crew->epoch, memory_order_relaxed) + 1;
  uint64_t ended = atomic_load_explicit(&crew->ended_ns, memory_order_relaxed);
  result->linger_ns = ended ? 2 * (begin - ended) : 1;
  crew->call = call;
  crew->domain = w->current;
  atomic_store_explicit(&crew->said, false, memory_order_relaxed);
  atomic_store_explicit(&crew->left, call->n, memory_order_relaxed);
  atomic_store(&crew->epoch, epoch);
  if (deal->wake)
    ag_wake_all(w->rt);
  atomic_store_explicit(&crew->seats[0].inside, epoch, memory_order_relaxed);
  work(w, crew, &crew->seats[0]);
  atomic_store_explicit(&crew->seats[0].inside, 0, memory_order_relaxed);
  finish(w, crew, epoch);
  for (unsigned i = 0; i < crew->n; ++i) {
    result->pieces += crew->seats[i].pieces;
    result->helped |= i > 0 && crew->seats[i].pieces > 0;
    result->task = result->task ? result->task : crew->seats[i].task;
    result->err = result->err ? result->err : crew->seats[i].err;
  }
  if (call->slot_size)
    combine(crew, call);
  uint64_t now = ag_clock_ns();
  result->ns = now - begin;
  atomic_store_explicit(&crew->ended_ns, now, memory_order_relaxed);
  atomic_flag_clear(&crew->taken);
  return 0;
}
